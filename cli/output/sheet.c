/* sheet.c: tables of results in every format. */
#include "output/sheet.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "io/text.h"
#include "output/message.h"
#include "output/report.h"

int cli_sheet_new(cli_sheet *s, int rows, int columns, const chart_figure *figure, int figures) {
  memset(s, 0, sizeof *s);
  jn_status status = jn_table_new(rows, columns, NULL, &s->table);
  s->figure = figure;
  s->figures = figures;
  if (!status) {
    s->figure_of = malloc((size_t)columns * sizeof *s->figure_of);
    s->names = malloc((size_t)columns * sizeof *s->names);
    s->labels = malloc((size_t)columns * sizeof *s->labels);
    s->extremes = malloc((size_t)columns * sizeof *s->extremes);
  }
  if (status || !s->figure_of || !s->names || !s->labels || !s->extremes)
    return cli_bad_input("%s: a table of %d rows and %d columns",
                         jn_status_text(status ? status : JN_ERR_MEMORY), rows, columns);
  for (int i = 0; i < columns; i++) {
    s->names[i] = s->labels[i] = s->table->names[i];
    s->figure_of[i] = -1;
  }
  return CLI_DONE;
}

void cli_sheet_free(cli_sheet *s) {
  jn_table_free(s->table);
  free(s->figure_of);
  free(s->names);
  free(s->labels);
  free(s->extremes);
  memset(s, 0, sizeof *s);
}

void cli_sheet_column(cli_sheet *s, int column, int figure, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(s->table->names[column], JN_COLUMN_NAME, format, args);
  va_end(args);
  s->figure_of[column] = figure;
}

void cli_sheet_shorten(cli_sheet *s, int column) {
  const char *colon = strchr(s->names[column], ':');
  if (colon && colon[1]) s->labels[column] = colon + 1;
}

double *cli_sheet_row(const cli_sheet *s, int row) {
  return s->table->values + (size_t)row * (size_t)s->table->columns;
}

chart cli_sheet_chart(const cli_sheet *s) {
  return (chart){.rows = s->table->rows,
                 .columns = s->table->columns,
                 .values = s->table->values,
                 .names = s->names,
                 .labels = s->labels,
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

/* As jn_table_print does, with the digits of --precision. */
static void print_csv(cli_output *out, const cli_sheet *s) {
  const int columns = s->table->columns;
  for (int i = 0; i < columns; i++) {
    if (i) fputc(',', out->file);
    jn_write_cell(out->file, s->names[i], ",;\"\r\n\t #");
  }
  for (int n = 0; n < s->table->rows * columns; n++) {
    fputc(n % columns ? ',' : '\n', out->file);
    cli_write_number(out, s->table->values[n]);
  }
  fputc('\n', out->file);
}

int cli_sheet_print(cli_output *out, const cli_sheet *s) {
  const jn_table_format format = out->format == CLI_NPY ? JN_TABLE_NPY : JN_TABLE_NPZ;
  if (out->format == CLI_CSV) {
    print_csv(out, s);
    return CLI_DONE;
  }
  jn_status status = jn_table_print(s->table, format, out->file);
  if (!status || status == JN_ERR_FILE) return CLI_DONE; /* cli_output_close reports it */
  return cli_bad_input("--format %s: %s", cli_format_names[out->format], jn_status_text(status));
}

void cli_sheet_measure(const cli_sheet *s) {
  for (int r = 0; r < s->table->rows; r++)
    cli_extremes_take(s->extremes, s->table->columns, cli_sheet_row(s, r), r == 0);
}

void cli_extremes_take(cli_extremes *extremes, int columns, const double *row, int is_first) {
  for (int i = 0; i < columns; i++) {
    cli_extremes *e = &extremes[i];
    if (is_first || row[i] < e->least) e->least = row[i], e->at_least = row[0];
    if (is_first || row[i] > e->largest) e->largest = row[i], e->at_largest = row[0];
  }
}

void cli_extremes_print(FILE *file, const cli_extremes *extremes, int columns,
                        const char *const *names, const unsigned char *left_out, int precision) {
  const int digits = precision ? precision : 6, wide = digits > 6 ? digits + 7 : 13;
  int width = 12;
  for (int i = 1; i < columns; i++) {
    int n = (int)strlen(names[i]);
    if (n > width && n <= 40) width = n;
  }
  fprintf(file, "%-*s %*s %10s %*s %10s\n", width, "", wide, "least", "at t", wide, "largest",
          "at t");
  for (int i = 1; i < columns; i++) {
    const cli_extremes *e = &extremes[i];
    if (left_out && left_out[i]) continue;
    fprintf(file, "%-*s %*.*g %10.4g %*.*g %10.4g\n", width, cli_clean(names[i]).text, wide, digits,
            e->least, e->at_least, wide, digits, e->largest, e->at_largest);
  }
}

void cli_cells_begin(cli_cells *c, const char *title, const char *head) {
  memset(c, 0, sizeof *c);
  c->title = title;
  cli_cells_add(c, "%s", head);
  c->columns = c->count;
}

void cli_cells_group(cli_cells *c, const char *title, int first, int columns) {
  c->group[c->groups].title = title;
  c->group[c->groups].first = first;
  c->group[c->groups++].columns = columns;
}

static void add_cell(cli_cells *c, const char *text) {
  if (c->count == c->room) {
    int room = c->room ? 2 * c->room : 64;
    void *cells = realloc(c->cells, (size_t)room * sizeof *c->cells);
    if (!cells) {
      c->failed = 1;
      return;
    }
    c->cells = cells;
    c->room = room;
  }
  char *cell = c->cells[c->count++];
  snprintf(cell, CELL, "%s", text);
  while ((cell = strchr(cell, '~'))) *cell = ' ';
}

void cli_cells_add(cli_cells *c, const char *format, ...) {
  char line[1024], *rest = NULL;
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
    add_cell(c, word);
}

void cli_cells_free(cli_cells *c) {
  free(c->cells);
  c->cells = NULL;
  c->count = c->room = 0;
}

static int starts_group(const cli_cells *c, int column) {
  for (int g = 0; g < c->groups; g++) {
    if (c->group[g].first == column) return 1;
  }
  return 0;
}

/* Blanks before a column. */
static int gap(const cli_cells *c, int column) { return 2 + (column && starts_group(c, column)); }

/* Width of a column, large enough for the title of its group. */
static int width(const cli_cells *c, int column) {
  int most = 0;
  for (int i = column; i < c->count; i += c->columns) {
    int n = (int)strlen(c->cells[i]);
    if (n > most) most = n;
  }
  for (int g = 0; g < c->groups; g++) {
    int each = c->group[g].columns, from = c->group[g].first;
    int least = ((int)strlen(c->group[g].title) + 4 - 2 * (each - 1) + each - 1) / each;
    if (column >= from && column < from + each && most < least) most = least;
  }
  return most;
}

static void text_groups(FILE *file, const cli_cells *c) {
  int column = 0;
  for (int g = 0; g < c->groups; g++) {
    for (; column < c->group[g].first; column++) {
      fprintf(file, "%*s", gap(c, column) + width(c, column), "");
    }
    int wide = -gap(c, column), before = gap(c, column);
    for (; column < c->group[g].first + c->group[g].columns; column++) {
      wide += gap(c, column) + width(c, column);
    }
    int n = (int)strlen(c->group[g].title), left = (wide - n - 2) / 2;
    fprintf(file, "%*s", before, "");
    for (int i = 0; i < left; i++) fputc('-', file);
    fprintf(file, " %s ", c->group[g].title);
    for (int i = left + n + 2; i < wide; i++) fputc('-', file);
  }
  if (c->groups) fputc('\n', file);
}

void cli_cells_text(FILE *file, const cli_cells *c) {
  fprintf(file, "%s\n", c->title);
  text_groups(file, c);
  for (int i = 0; i < c->count; i++) {
    int column = i % c->columns;
    fprintf(file, "%*s%*s", gap(c, column), "", width(c, column), c->cells[i]);
    if (column == c->columns - 1) fputc('\n', file);
  }
  if (c->note) fprintf(file, "  %s\n", c->note);
}

/* <tag class="...">text</tag> */
static void html_element(FILE *file, const char *tag, const char *attributes, const char *text) {
  fprintf(file, "<%s%s>", tag, attributes);
  report_text(file, text);
  fprintf(file, "</%s>", tag);
}

void cli_cells_html(FILE *file, const cli_cells *c) {
  html_element(file, "h3", "", c->title);
  fputs("\n<div class=\"table\"><table>\n<thead>\n<tr>", file);
  for (int g = 0, column = 0; g < c->groups; g++) {
    char span[64];
    for (; column < c->group[g].first; column++) fputs("<th></th>", file);
    snprintf(span, sizeof span, " class=\"group\" colspan=\"%d\"", c->group[g].columns);
    html_element(file, "th", span, c->group[g].title);
    column += c->group[g].columns;
  }
  for (int i = 0; i < c->count; i++) {
    int column = i % c->columns;
    if (column == 0)
      fputs(i == c->columns ? "</tr>\n</thead>\n<tbody>\n<tr>" : "</tr>\n<tr>", file);
    html_element(file, i < c->columns || column == 0 ? "th" : "td",
                 starts_group(c, column) ? " class=\"first\"" : "", c->cells[i]);
  }
  fputs("</tr>\n</tbody></table></div>\n", file);
  if (c->note) html_element(file, "p", " class=\"note\"", c->note);
  fputc('\n', file);
}

void cli_cells_csv(FILE *file, const cli_cells *c) {
  for (int i = 0; i < c->count; i++)
    fprintf(file, "%s%c", c->cells[i], (i + 1) % c->columns ? ',' : '\n');
}

void cli_cells_json(cli_output *out, const char *key, const cli_cells *c) {
  cli_json_key(out, key);
  cli_json_begin(out, '[');
  for (int i = c->columns; i < c->count; i++) {
    char *end;
    const double number = strtod(c->cells[i], &end);
    if (i % c->columns == 0) cli_json_begin(out, '{');
    cli_json_key(out, c->cells[i % c->columns]);
    if (*end)
      cli_json_text(out, c->cells[i]);
    else
      cli_json_number(out, number);
    if ((i + 1) % c->columns == 0) cli_json_end(out);
  }
  cli_json_end(out);
}
