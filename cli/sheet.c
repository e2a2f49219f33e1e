/* sheet.c: results over time in every format. */
#include "sheet.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

int cli_sheet_new(cli_sheet *s, int rows, int columns, const chart_figure *figure, int figures) {
  memset(s, 0, sizeof *s);
  jn_status status = jn_table_new(rows, columns, NULL, &s->table);
  s->figure = figure;
  s->figures = figures;
  if (!status) {
    s->figure_of = malloc((size_t)columns * sizeof *s->figure_of);
    s->names = malloc((size_t)columns * sizeof *s->names);
  }
  if (status || !s->figure_of || !s->names) {
    cli_error("%s: a table of %d rows and %d columns",
              jn_status_text(status ? status : JN_ERR_MEMORY), rows, columns);
    return CLI_BAD_INPUT;
  }
  for (int i = 0; i < columns; i++) s->names[i] = s->table->names[i], s->figure_of[i] = -1;
  return CLI_DONE;
}

void cli_sheet_free(cli_sheet *s) {
  jn_table_free(s->table);
  free(s->figure_of);
  free(s->names);
  memset(s, 0, sizeof *s);
}

void cli_sheet_column(cli_sheet *s, int column, int figure, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(s->table->names[column], JN_COLUMN_NAME, format, args);
  va_end(args);
  s->figure_of[column] = figure;
}

double *cli_sheet_row(const cli_sheet *s, int row) {
  return s->table->values + (size_t)row * (size_t)s->table->columns;
}

chart cli_sheet_chart(const cli_sheet *s) {
  return (chart){.rows = s->table->rows,
                 .columns = s->table->columns,
                 .values = s->table->values,
                 .names = s->names,
                 .axis = "t [s]",
                 .figure_of = s->figure_of,
                 .figures = s->figures,
                 .figure = s->figure};
}

void cli_sheet_json(cli_output *out, const cli_sheet *s) {
  cli_json_key(out, "columns");
  cli_json_begin(out, '[');
  for (int i = 0; i < s->table->columns; i++) cli_json_text(out, s->names[i]);
  cli_json_end(out);
  cli_json_key(out, "rows");
  cli_json_rows(out, s->table->rows, s->table->columns, s->table->values,
                (size_t)s->table->columns);
}

int cli_sheet_print(cli_output *out, const cli_sheet *s) {
  jn_table_format format = out->format == CLI_CSV   ? JN_TABLE_CSV
                           : out->format == CLI_NPY ? JN_TABLE_NPY
                                                    : JN_TABLE_NPZ;
  jn_status status = jn_table_print(s->table, format, out->file);
  if (!status || status == JN_ERR_FILE) return CLI_DONE; /* cli_output_close says what is wrong */
  cli_error("--format %s: %s", cli_format_names[out->format], jn_status_text(status));
  return CLI_BAD_INPUT;
}

void cli_sheet_text(cli_output *out, const cli_sheet *s) {
  const jn_table *t = s->table;
  int width = 12;
  for (int i = 1; i < t->columns; i++) {
    int n = (int)strlen(t->names[i]);
    if (n > width && n <= 40) width = n;
  }
  fprintf(out->file, "%-*s %13s %10s %13s %10s\n", width, "", "least", "at t", "largest", "at t");
  for (int i = 1; i < t->columns; i++) {
    int low = 0, high = 0;
    for (int r = 1; r < t->rows; r++) {
      if (cli_sheet_row(s, r)[i] < cli_sheet_row(s, low)[i]) low = r;
      if (cli_sheet_row(s, r)[i] > cli_sheet_row(s, high)[i]) high = r;
    }
    fprintf(out->file, "%-*s %13.6g %10.4g %13.6g %10.4g\n", width, cli_clean(t->names[i]).text,
            cli_sheet_row(s, low)[i], cli_sheet_row(s, low)[0], cli_sheet_row(s, high)[i],
            cli_sheet_row(s, high)[0]);
  }
}
