/* stream.c: tables written row by row. */
#include "output/stream.h"

#include <math.h>
#include <string.h>

#include "io/tables/npy.h"
#include "io/text.h"
#include "output/message.h"

int cli_stream_open(cli_stream *s, const cli_output_options *options, unsigned without,
                    cli_memory *memory) {
  int code = cli_output_choose(&s->out, options, s->command, without);
  if (code) return code;
  s->all |= s->out.format == CLI_NPZ;
  s->every = s->all ? 1 : chart_every(s->rows, s->columns);
  s->kept_rows = s->all || s->figures ? (s->rows - 1) / s->every + 1 : 0;
  s->extremes = cli_take(memory, (size_t)s->columns, sizeof *s->extremes);
  s->written = cli_take_numbers(memory, (size_t)s->columns, 1, 1);
  if (s->kept_rows) s->kept = cli_take_numbers(memory, (size_t)s->kept_rows, (size_t)s->columns, 1);
  if (memory->failed) return CLI_BAD_INPUT;
  return cli_output_start(&s->out);
}

static int is_written(const cli_stream *s, int column) {
  return !s->left_out || !s->left_out[column];
}

static int text_width(const cli_stream *s) {
  return s->out.precision > 6 ? s->out.precision + 7 : 13;
}

static void text_headings(const cli_stream *s) {
  for (int i = 0; i < s->columns; i++)
    if (is_written(s, i))
      fprintf(s->out.file, " %*.40s", text_width(s), cli_clean(s->names[i]).text);
  fputc('\n', s->out.file);
}

void cli_stream_head(cli_stream *s) {
  cli_output *out = &s->out;
  if (s->hidden || s->next) return;
  if (out->format == CLI_JSON) {
    cli_json_key(out, "columns");
    cli_json_begin(out, '[');
    for (int i = 0; i < s->columns; i++)
      if (is_written(s, i)) cli_json_text(out, s->names[i]);
    cli_json_end(out);
    cli_json_key(out, "rows");
    cli_json_begin(out, '[');
  } else if (out->format == CLI_CSV) {
    for (int i = 0; i < s->columns; i++) {
      if (!is_written(s, i)) continue;
      if (i) fputc(',', out->file);
      jn_write_cell(out->file, s->names[i], ",;\"\r\n\t #");
    }
    fputc('\n', out->file);
  } else if (out->format == CLI_NPY) {
    unsigned char header[NPY_HEADER];
    char shape[48];
    int columns = 0;
    for (int i = 0; i < s->columns; i++) columns += is_written(s, i);
    snprintf(shape, sizeof shape, "(%d, %d, )", s->rows, columns);
    jn_npy_header(header, shape);
    fwrite(header, 1, sizeof header, out->file);
  } else if (out->format == CLI_TABLE) {
    text_headings(s);
  }
}

static void write_row(cli_stream *s, const double *row) {
  cli_output *out = &s->out;
  if (out->format == CLI_JSON) {
    double *kept = s->written;
    int n = 0;
    for (int i = 0; i < s->columns; i++)
      if (is_written(s, i)) kept[n++] = row[i];
    cli_json_row(out, n, kept, 1);
  }
  for (int i = 0; i < s->columns; i++) {
    unsigned char bytes[8];
    if (!is_written(s, i)) continue;
    if (out->format == CLI_CSV) {
      if (i) fputc(',', out->file);
      cli_write_number(out, row[i]);
    } else if (out->format == CLI_NPY) {
      if (!isfinite(row[i])) out->not_finite = 1;
      jn_npy_number(bytes, row[i]);
      fwrite(bytes, 1, sizeof bytes, out->file);
    } else if (out->format == CLI_TABLE) {
      fprintf(out->file, " %*.*g", text_width(s), out->precision ? out->precision : 6, row[i]);
    }
  }
  if (out->format == CLI_CSV || out->format == CLI_TABLE) fputc('\n', out->file);
}

void cli_stream_row(cli_stream *s, const double *row) {
  cli_extremes_take(s->extremes, s->columns, row, s->next == 0);
  if (s->kept_rows && s->next % s->every == 0)
    memcpy(s->kept + (size_t)(s->next / s->every) * (size_t)s->columns, row,
           (size_t)s->columns * sizeof *row);
  if (!s->hidden) write_row(s, row);
  s->next++;
}

void cli_stream_foot(cli_stream *s) {
  if (!s->hidden) cli_json_end(&s->out);
}

int cli_stream_end(cli_stream *s, int code) { return cli_output_end(&s->out, code); }

chart cli_stream_chart(const cli_stream *s) {
  return (chart){.rows = s->kept_rows,
                 .columns = s->columns,
                 .values = s->kept,
                 .names = s->names,
                 .axis = "t [s]",
                 .whole_rows = s->rows,
                 .whole_every = s->every};
}
