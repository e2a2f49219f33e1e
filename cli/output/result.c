/* result.c: the parts of a result, and its four writers. */
#include "output/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/tables/npy.h"
#include "output/message.h"
#include "options.h"

/* Parts. */

static void add(cli_result *r, cli_item item) {
  void *items = r->items;
  int grown = cli_grow(&items, r->count, &r->room, sizeof item);
  r->items = items;
  if (grown)
    r->items[r->count++] = item;
  else if (!r->memory.failed++)
    cli_error("out of memory");
}

void cli_result_fields(cli_result *r, const cli_field *fields, int count) {
  for (int i = 0; i < count; i++) add(r, (cli_item){.kind = CLI_VALUE, .field = fields[i]});
}

void cli_result_number(cli_result *r, const char *key, double x) {
  cli_result_fields(r, &(cli_field)NUMBER_FIELD(key, x), 1);
}

void cli_result_string(cli_result *r, const char *key, const char *text) {
  cli_result_fields(r, &(cli_field)TEXT_FIELD(key, text), 1);
}

void cli_result_names(cli_result *r, const char *key, const char *const *names, int count) {
  add(r, (cli_item){.kind = CLI_NAMES, .key = key, .names = names, .count = count});
}

void cli_result_begin(cli_result *r, const char *key, const char *title) {
  add(r, (cli_item){.kind = CLI_BEGIN, .key = key, .title = title});
}

void cli_result_end(cli_result *r) { add(r, (cli_item){.kind = CLI_END}); }

double *cli_result_array(cli_result *r, cli_array a) {
  size_t size[CLI_AXES], stride = 1;
  for (int n = CLI_AXES - 1; n >= 0; n--) {
    if (!a.axis[n].shown) a.axis[n].size = 1;
    if (!a.axis[n].stride) a.axis[n].stride = stride;
    size[n] = (size_t)a.axis[n].size;
    stride = a.axis[n].stride * size[n];
  }
  if (!a.data)
    a.data =
        cli_take_numbers(&r->memory, size[CLI_K] * size[CLI_J], size[CLI_ROW], size[CLI_COLUMN]);
  if (!a.label) a.label = a.key;
  if (!a.symbol) a.symbol = a.label;
  add(r, (cli_item){.kind = CLI_ARRAY, .array = a});
  return a.data;
}

void cli_result_free(cli_result *r) {
  cli_release(&r->memory);
  free(r->items);
  memset(r, 0, sizeof *r);
}

void cli_derivative_name(const char *symbol, int k, char *out, size_t size) {
  if (k < 3) {
    snprintf(out, size, "%s%.*s", symbol, k, "''");
  } else {
    snprintf(out, size, "%s^(%d)", symbol, k);
  }
}

static int is_array(const cli_item *item, unsigned format) {
  return item->kind == CLI_ARRAY && item->array.formats & format;
}

/* The first number of a line. */
static const double *line_of(const cli_array *a, int k, int j, int row) {
  return a->data + (size_t)k * a->axis[CLI_K].stride + (size_t)j * a->axis[CLI_J].stride +
         (size_t)row * a->axis[CLI_ROW].stride;
}

/* JSON. */

static void json_array(cli_output *out, const cli_axis *const *axes, int rank, const double *x) {
  if (rank == 0) {
    cli_json_number(out, *x);
  } else if (rank == 1) {
    cli_json_row(out, axes[0]->size, x, axes[0]->stride);
  } else {
    cli_json_begin(out, '[');
    for (int i = 0; i < axes[0]->size; i++)
      json_array(out, axes + 1, rank - 1, x + (size_t)i * axes[0]->stride);
    cli_json_end(out);
  }
}

static void write_json(cli_output *out, const cli_result *r) {
  cli_json_begin(out, '{');
  for (int i = 0; i < r->count; i++) {
    const cli_item *item = &r->items[i];
    const cli_array *a = &item->array;
    if (item->kind == CLI_VALUE) cli_json_fields(out, &item->field, 1);
    if (item->kind == CLI_END) cli_json_end(out);
    if (item->kind == CLI_NAMES || (item->kind == CLI_BEGIN && item->key)) {
      cli_json_key(out, item->key);
      cli_json_begin(out, item->kind == CLI_NAMES ? '[' : '{');
      for (int n = 0; n < item->count; n++) cli_json_text(out, item->names[n]);
      if (item->kind == CLI_NAMES) cli_json_end(out);
    }
    if (!is_array(item, CLI_TO_JSON)) continue;
    const cli_axis *axes[CLI_AXES];
    int rank = 0;
    for (int n = 0; n < CLI_AXES; n++) {
      const cli_axis *axis = &a->axis[a->turned && n >= CLI_ROW ? CLI_ROW + CLI_COLUMN - n : n];
      if (axis->shown) axes[rank++] = axis;
    }
    cli_json_key(out, a->key);
    json_array(out, axes, rank, a->data);
  }
  cli_json_end(out);
}

/* NPY. */

static void npy_numbers(cli_output *out, const cli_array *a, int k) {
  const cli_axis *columns = &a->axis[CLI_COLUMN];
  unsigned char bytes[8];
  for (int j = 0; j < a->axis[CLI_J].size; j++)
    for (int row = 0; row < a->axis[CLI_ROW].size; row++)
      for (int i = 0; i < columns->size; i++) {
        double x = line_of(a, k, j, row)[(size_t)i * columns->stride];
        if (!isfinite(x)) out->not_finite = 1;
        jn_npy_number(bytes, x);
        fwrite(bytes, 1, sizeof bytes, out->file);
      }
}

/* Joins all arrays along axis j. */
static void write_npy(cli_output *out, const cli_result *r) {
  unsigned char header[NPY_HEADER];
  char shape[64] = "(";
  cli_axis axis[CLI_AXES] = {{0}};
  for (int i = 0, j = 0; i < r->count; i++) {
    const cli_array *a = &r->items[i].array;
    if (!is_array(&r->items[i], CLI_TO_NPY)) continue;
    memcpy(axis, a->axis, sizeof axis);
    axis[CLI_J].shown |= j > 0;
    axis[CLI_J].size = j += a->axis[CLI_J].size;
  }
  for (int n = 0; n < CLI_AXES; n++)
    if (axis[n].shown) cli_append(shape, sizeof shape, "%d, ", axis[n].size);
  cli_append(shape, sizeof shape, ")");
  jn_npy_header(header, shape);
  fwrite(header, 1, sizeof header, out->file);
  for (int k = 0; k < axis[CLI_K].size; k++)
    for (int i = 0; i < r->count; i++)
      if (is_array(&r->items[i], CLI_TO_NPY)) npy_numbers(out, &r->items[i].array, k);
}

/* CSV. */

static void csv_index(cli_output *out, const cli_axis *axis, int index) {
  if (axis->labels)
    cli_csv_text(out, axis->labels[index]);
  else
    fprintf(out->file, "%d", axis->first + index);
}

static void csv_line(cli_output *out, const cli_result *r, const cli_array *a, const int *index) {
  const double *x = line_of(a, index[CLI_K], index[CLI_J], index[CLI_ROW]);
  const char *comma = "";
  if (r->label) cli_csv_text(out, a->label), comma = ",";
  for (int n = 0; n < CLI_COLUMN; n++) {
    if (!r->index[n]) continue;
    fputs(comma, out->file), comma = ",";
    csv_index(out, &a->axis[n], index[n]);
  }
  if (r->kind) fprintf(out->file, ",%s", a->kind);
  for (int i = 0; i < a->axis[CLI_COLUMN].size; i++, comma = ",") {
    fputs(comma, out->file);
    cli_write_number(out, x[(size_t)i * a->axis[CLI_COLUMN].stride]);
  }
  fputc('\n', out->file);
}

static void write_csv(cli_output *out, const cli_result *r) {
  const char *const heads[] = {r->label, r->index[0], r->index[1], r->index[2], r->kind};
  const char *comma = "";
  for (int i = 0; i < COUNT(heads); i++)
    if (heads[i]) fprintf(out->file, "%s%s", comma, heads[i]), comma = ",";
  for (int i = 0; i < r->columns.size; i++, comma = ",") {
    fprintf(out->file, "%s%s", comma, r->column ? r->column : "");
    csv_index(out, &r->columns, i);
  }
  fputc('\n', out->file);
  for (int i = 0; i < r->count; i++) {
    const cli_array *a = &r->items[i].array;
    if (!is_array(&r->items[i], CLI_TO_CSV)) continue;
    for (int k = 0; k < a->axis[CLI_K].size; k++)
      for (int j = 0; j < a->axis[CLI_J].size; j++)
        for (int row = 0; row < a->axis[CLI_ROW].size; row++)
          csv_line(out, r, a, (const int[]){k, j, row});
  }
}

/* Text. */

/* "M'", "A at t = 0.1", "d tau / d v'" */
static void block_heading(cli_output *out, const cli_array *a, int k, int j) {
  char of[64], by[64];
  cli_derivative_name(a->symbol, a->first + k, of, sizeof of);
  cli_derivative_name(a->by ? a->by : "", j, by, sizeof by);
  if (a->by)
    fprintf(out->file, "d %s / d %s\n", of, by);
  else if (a->axis[CLI_K].labels)
    fprintf(out->file, "%s %s\n", a->symbol, cli_clean(a->axis[CLI_K].labels[k]).text);
  else
    fprintf(out->file, "%s\n", of);
}

/* "V'", "base:wx", "p"; in a block the label of the row only */
static void line_label(const cli_result *r, const cli_array *a, int k, int row, char *text,
                       size_t size) {
  const char *label = a->axis[CLI_ROW].labels ? a->axis[CLI_ROW].labels[row] : "";
  if (r->text.blocks)
    snprintf(text, size, "%s", label);
  else if (a->axis[CLI_K].shown)
    cli_derivative_name(a->symbol, a->first + k, text, size);
  else if (row == 0 || label[0])
    snprintf(text, size, "%s%s%s", a->label, label[0] ? ":" : "", label);
  else
    text[0] = '\0'; /* only the first line has a label */
}

/* Width of the labels of the section that starts at an item. */
static int label_width(const cli_result *r, int from) {
  size_t width = 8;
  if (r->text.label_width != CLI_FIT) return r->text.label_width;
  for (int i = from; i < r->count && (i == from || !r->items[i].title); i++) {
    size_t n = is_array(&r->items[i], CLI_TO_TEXT) ? strlen(r->items[i].array.label) + 3 : 0;
    if (n > width) width = n;
  }
  return width > 40 ? 40 : (int)width;
}

/* Width of the numbers: sign, point and exponent beside the digits. */
static int text_width(const cli_output *out, const cli_result *r) {
  const int need = out->precision + 7;
  return out->precision && need > r->text.width ? need : r->text.width;
}

static void column_headings(cli_output *out, const cli_result *r, const cli_array *a, int width) {
  const cli_axis *columns = &a->axis[CLI_COLUMN];
  int most = r->text.heading_most ? r->text.heading_most : (int)sizeof(cli_name);
  fprintf(out->file, "%-*s", width, r->text.corner);
  for (int i = 0; i < columns->size; i++) {
    char name[64];
    cli_derivative_name(a->symbol, a->first + i, name, sizeof name);
    fprintf(out->file, " %*s", text_width(out, r),
            columns->labels ? cli_clean_cut(columns->labels[i], most).text : name);
  }
  fputc('\n', out->file);
}

/* The lines of an array for one k and j. */
static void text_lines(cli_output *out, const cli_result *r, const cli_array *a, int width, int k,
                       int j) {
  const double zero = r->text.blocks ? 0.0 : -0.0; /* blocks show no -0 */
  char label[512];
  if (a->by && j > k + a->reach) return;
  if (r->text.blocks) block_heading(out, a, k, j);
  for (int row = 0; row < a->axis[CLI_ROW].size; row++) {
    const double *x = line_of(a, k, j, row);
    line_label(r, a, k, row, label, sizeof label);
    fprintf(out->file, "%*s%-*s", r->text.indent, "", width, cli_clean(label).text);
    for (int i = 0; i < a->axis[CLI_COLUMN].size; i++)
      fprintf(out->file, " %*.*g", text_width(out, r),
              out->precision ? out->precision : r->text.digits,
              x[(size_t)i * a->axis[CLI_COLUMN].stride] + zero);
    fputc('\n', out->file);
  }
}

static void text_names(cli_output *out, const cli_item *item, int gap) {
  fprintf(out->file, "%s:", item->key);
  for (int i = 0; i < item->count; i++)
    fprintf(out->file, "%*s%s", gap, "", cli_clean(item->names[i]).text);
  fputc('\n', out->file);
}

static void write_text(cli_output *out, const cli_result *r) {
  const char *title = NULL;
  int width = label_width(r, 0), started = 0, sections = 0, orders = r->text.orders;
  if (r->title) fprintf(out->file, "%s\n", r->title);
  for (int order = 0; order < (orders ? orders : 1); order++)
    for (int i = 0; i < r->count; i++) {
      const cli_item *item = &r->items[i];
      const cli_array *a = &item->array;
      if (item->title) title = item->title, width = label_width(r, i), started = 0;
      if (item->kind == CLI_NAMES && r->text.gap && order == 0) text_names(out, item, r->text.gap);
      if (!is_array(item, CLI_TO_TEXT)) continue;
      if (!started++) {
        if (title) fprintf(out->file, "%s%s\n", r->text.corner && sections ? "\n" : "", title);
        if (r->text.corner) column_headings(out, r, a, width);
        sections++;
      }
      for (int k = 0; k < a->axis[CLI_K].size; k++)
        for (int j = 0; j < a->axis[CLI_J].size && (!orders || k == order); j++)
          text_lines(out, r, a, width, k, j);
    }
}

int cli_result_write(const cli_result *r, const cli_output_options *options, const char *command) {
  cli_output out;
  if (r->memory.failed) return CLI_BAD_INPUT;
  int code = cli_output_open(&out, options, command, r->without);
  if (code) return code;
  if (out.format == CLI_JSON) write_json(&out, r);
  if (out.format == CLI_CSV) write_csv(&out, r);
  if (out.format == CLI_TABLE) write_text(&out, r);
  if (out.format == CLI_NPY) write_npy(&out, r);
  if (r->footer && out.format != CLI_JSON)
    fputs(r->footer, out.format == CLI_TABLE ? out.file : stderr);
  return cli_output_close(&out);
}
