/* stream.c: tables written row by row. */
#include "output/stream.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/number.h"
#include "io/tables/npy.h"
#include "io/text.h"
#include "options.h"
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
      fprintf(s->out.file, " %*s", text_width(s), cli_clean_cut(s->names[i], 40).text);
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

/* What `write` writes to the output, as a text to free. */
static char *written_text(cli_stream *s, void (*write)(cli_stream *s, const double *row),
                          const double *row) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = s->out.file;
  s->out.file = open_memstream(&text, &size);
  if (s->out.file) {
    write(s, row);
    if (fclose(s->out.file)) {
      free(text);
      text = NULL;
    }
  }
  s->out.file = file;
  return text;
}
static void write_head(cli_stream *s, const double *row) {
  (void)row;
  cli_stream_head(s);
}

/* The numbers of a line, which it cuts: as many as there are columns. */
static int read_row(const cli_stream *s, char *line, double *row) {
  line[strcspn(line, "\n")] = '\0';
  return jn_read_comma_numbers(line, (size_t)s->columns, row) <= NUMBER_UNDERFLOW;
}

/* Reads to the end of the kept rows. Returns their bytes, or -1: they are not rows of this table. */
static long keep_rows(cli_stream *s, int kept, char **line, size_t *room, double *row) {
  for (int n = 0; n < kept; n++) {
    if (getline(line, room, s->out.file) < 0 || !read_row(s, *line, row)) return -1;
    if (s->take) s->take(s->context, row);
  }
  return ftell(s->out.file);
}

static int is_another(const cli_stream *s) {
  return cli_bad_input(
      "%s: --resume: %s.part was not written by this command with this model, these files and "
      "these "
      "options: remove it, or give another --output",
      s->command, s->out.path);
}

/* FILE.part.run beside FILE.part: the key of the run that began it. A part without one is judged by
 * its heading and its last row alone. */
enum { KEY_PATH = 4096 + 16 };
static int key_path(const cli_stream *s, char *path) {
  const int n = snprintf(path, KEY_PATH, "%s.part.run", s->out.path);
  return n > 0 && n < KEY_PATH;
}
static FILE *open_key(const cli_stream *s, const char *mode) {
  char path[KEY_PATH];
  return key_path(s, path) ? fopen(path, mode) : NULL;
}
static void remove_key(const cli_stream *s) {
  char path[KEY_PATH];
  if (key_path(s, path)) unlink(path);
}
static int is_same_run(const cli_stream *s) {
  char key[80] = "";
  FILE *f = open_key(s, "r");
  if (!f) return 1;
  const int read = fgets(key, sizeof key, f) != NULL;
  fclose(f);
  return read && strcmp(key, cli_run_key()) == 0;
}
static int begin_run(const cli_stream *s) {
  FILE *f = open_key(s, "w");
  const int written = f && fputs(cli_run_key(), f) >= 0;
  return f && fclose(f) == 0 && written
             ? CLI_DONE
             : cli_bad_input("%s.part.run: cannot be written", s->out.path);
}

int cli_stream_resume(cli_stream *s, double *row) {
  FILE *file = s->out.file;
  char *head = written_text(s, write_head, NULL), *line = NULL;
  size_t room = 0;
  long lines = -1, at = 0, size = 0; /* complete lines after the heading */
  ssize_t n;
  int code = head ? CLI_DONE : cli_bad_input("out of memory");
  while (!code && (n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n') {
    if (lines++ < 0) {
      if (strcmp(line, head) != 0) code = is_another(s);
      size = ftell(file);
    }
  }
  int kept = lines < 2 ? 0 : (int)((lines - 2) / s->block * s->block + 1);
  if (!code && lines >= 0 && !is_same_run(s)) code = is_another(s);
  if (kept > s->rows) code = code ? code : is_another(s);
  if (!code && lines >= 0) {
    fseek(file, size, SEEK_SET);
    at = keep_rows(s, kept, &line, &room, row);
    if (at < 0) code = is_another(s);
    if (!code && kept && getline(&line, &room, file) > 0) s->expected = line, line = NULL;
  }
  if (!code && (ftruncate(fileno(file), at) || fseek(file, at, SEEK_SET)))
    code = cli_bad_input("%s.part: cannot continue: %s", s->out.path, strerror(errno));
  if (!code && lines < 0) cli_stream_head(s);
  if (!code) code = begin_run(s);
  s->next = kept;
  free(head), free(line);
  return code;
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
  if (s->expected) {
    char *text = written_text(s, write_row, row);
    s->differs = !text || strcmp(text, s->expected) != 0;
    free(text), free(s->expected);
    s->expected = NULL;
  }
  if (!s->hidden && !s->differs) write_row(s, row);
  s->next++;
}

void cli_stream_foot(cli_stream *s) {
  if (!s->hidden) cli_json_end(&s->out);
}

int cli_stream_end(cli_stream *s, int code) {
  if (s->differs) code = is_another(s);
  free(s->expected);
  s->expected = NULL;
  code = cli_output_end(&s->out, code);
  if (!code && s->out.resume) remove_key(s);
  return code;
}

chart cli_stream_chart(const cli_stream *s) {
  return (chart){.rows = s->kept_rows,
                 .columns = s->columns,
                 .values = s->kept,
                 .names = s->names,
                 .axis = "t [s]",
                 .whole_rows = s->rows,
                 .whole_every = s->every};
}
