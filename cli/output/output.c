/* output.c: opening and closing, numbers, JSON, CSV. */
#include "output/output.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "io/text.h"
#include "output/message.h"

const char *const cli_format_names[] = {"json", "csv", "npy", "text", "npz", NULL};

/* The format that was asked for: by name, by the ending of the file, or the usual one. */
static cli_format format_of(const cli_output_options *options, int terminal) {
  static const char *const endings[] = {".json", ".csv", ".npy", ".txt", ".npz"};
  const char *ending = options->path ? jn_file_ending(options->path) : NULL;
  if (options->format >= 0) return (cli_format)options->format;
  for (int i = 0; ending && i < (int)(sizeof endings / sizeof endings[0]); i++)
    if (jn_same_ending(ending, endings[i])) return (cli_format)i;
  return terminal ? CLI_TABLE : CLI_JSON;
}

int cli_output_choose(cli_output *out, const cli_output_options *options, const char *command,
                      unsigned without) {
  memset(out, 0, sizeof *out);
  int terminal = !options->path && isatty(STDOUT_FILENO);
  out->format = format_of(options, terminal);
  out->path = options->path;
  out->precision = options->precision;
  out->resume = options->resume;
  if (out->resume && (!out->path || out->format != CLI_CSV || out->precision))
    return cli_bad_usage("%s: --resume: only with --output FILE.csv, and without --precision",
                         command);
  if ((without & (1u << out->format)) || (out->format == CLI_NPZ && !(without & CLI_WITH_NPZ)))
    return cli_bad_usage("%s: --format %s is not supported here (see 'jounce %s --help')", command,
                         cli_format_names[out->format], command);
  if (out->precision && (out->format == CLI_NPY || out->format == CLI_NPZ))
    return cli_bad_usage("%s: --precision: %s holds every digit; leave it out, or write csv",
                         command, cli_format_names[out->format]);
  if (terminal && (out->format == CLI_NPY || out->format == CLI_NPZ))
    return cli_bad_usage("%s: --format %s is binary: use --output FILE or a pipe", command,
                         cli_format_names[out->format]);
  return CLI_DONE;
}

int cli_output_start(cli_output *out) {
  jn_error error = {0};
  if (out->resume) {
    if (jn_file_resume(&out->to, out->path, &error)) return cli_bad_input("%s", error.message);
    out->file = out->to.stream;
    return CLI_DONE;
  }
  out->file = out->path ? cli_file_open(&out->to, out->path) : stdout;
  return out->file ? CLI_DONE : CLI_BAD_INPUT;
}

int cli_output_open(cli_output *out, const cli_output_options *options, const char *command,
                    unsigned without) {
  int code = cli_output_choose(out, options, command, without);
  return code ? code : cli_output_start(out);
}

int cli_output_end(cli_output *out, int code) {
  if (code && out->resume) {
    jn_file_leave(&out->to);
    return code;
  }
  if (code) {
    if (out->path) cli_file_discard(&out->to);
    return code;
  }
  if (out->format == CLI_JSON) fputc('\n', out->file);
  if (out->path) {
    code = cli_file_commit(&out->to);
  } else {
    const int failed = ferror(out->file) != 0;
    errno = 0;
    if (fflush(out->file) || failed)
      code = cli_bad_input("standard output: writing failed: %s",
                           errno ? strerror(errno) : "write error");
  }
  if (!code && out->not_finite)
    return cli_bad_input("a result is not finite; it was written as null");
  return code;
}

int cli_output_close(cli_output *out) { return cli_output_end(out, CLI_DONE); }

void cli_write_number(cli_output *out, double x) {
  char text[NUMBER_TEXT];
  if (!isfinite(x)) {
    out->not_finite = 1;
    fputs(out->format == CLI_JSON ? "null" : "nan", out->file);
    return;
  }
  fputs(jn_write_number(x, out->precision ? out->precision : 17, text), out->file);
}

/* The comma, line break and indentation before the next JSON item. */
static void separate(cli_output *out) {
  if (out->after_key || out->depth == 0) {
    out->after_key = 0;
    return;
  }
  if (out->items[out->depth - 1]++) fputc(',', out->file);
  fprintf(out->file, "\n%*s", out->depth * 2, "");
}

void cli_json_begin(cli_output *out, char bracket) {
  if (out->format != CLI_JSON) return;
  separate(out);
  fputc(bracket, out->file);
  if (out->depth < CLI_JSON_DEPTH) {
    out->closing[out->depth] = bracket == '{' ? '}' : ']';
    out->items[out->depth] = 0;
    out->depth++;
  }
}

void cli_json_end(cli_output *out) {
  if (out->format != CLI_JSON || out->depth == 0) return;
  out->depth--;
  if (out->items[out->depth]) fprintf(out->file, "\n%*s", out->depth * 2, "");
  fputc(out->closing[out->depth], out->file);
}

void cli_json_key(cli_output *out, const char *key) {
  separate(out);
  jn_write_string(out->file, key);
  fputs(": ", out->file);
  out->after_key = 1;
}

void cli_json_text(cli_output *out, const char *text) {
  separate(out);
  if (text) {
    jn_write_string(out->file, text);
  } else {
    fputs("null", out->file);
  }
}

FILE *cli_json_value(cli_output *out) {
  separate(out);
  return out->file;
}

void cli_json_int(cli_output *out, int value) {
  separate(out);
  fprintf(out->file, "%d", value);
}

void cli_json_bool(cli_output *out, int value) {
  separate(out);
  fputs(value ? "true" : "false", out->file);
}

void cli_json_number(cli_output *out, double value) {
  separate(out);
  cli_write_number(out, value);
}

void cli_json_row(cli_output *out, int n, const double *x, size_t stride) {
  separate(out);
  fputc('[', out->file);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", out->file);
    cli_write_number(out, x[(size_t)i * stride]);
  }
  fputc(']', out->file);
}

void cli_json_rows(cli_output *out, int rows, int n, const double *x, size_t stride) {
  cli_json_begin(out, '[');
  for (int i = 0; i < rows; i++) cli_json_row(out, n, x + (size_t)i * stride, 1);
  cli_json_end(out);
}

void cli_write_clean(FILE *file, const char *text) {
  for (uint32_t code; *text;) {
    const size_t n = jn_utf8(text, &code);
    if (n == 0 || jn_is_control(code))
      fputc('?', file);
    else
      fwrite(text, 1, n, file);
    text += n ? n : 1;
  }
}

cli_name cli_clean(const char *name) {
  cli_name clean;
  snprintf(clean.text, sizeof clean.text, "%s", name);
  jn_clean_text(clean.text, sizeof clean.text);
  return clean;
}

cli_name cli_clean_cut(const char *name, int most) {
  cli_name clean = cli_clean(name);
  size_t n = strlen(clean.text);
  if (n <= (size_t)most) return clean;
  for (n = (size_t)most; n > 0 && (clean.text[n] & 0xc0) == 0x80; n--) continue;
  clean.text[n] = '\0';
  return clean;
}

void cli_csv_text(cli_output *out, const char *text) { jn_write_cell(out->file, text, ",\"\r\n"); }

void cli_json_fields(cli_output *out, const cli_field *fields, int count) {
  for (int i = 0; i < count && out->format == CLI_JSON; i++) {
    const cli_field *f = &fields[i];
    cli_json_key(out, f->key);
    if (f->kind == CLI_F_NUMBER)
      cli_json_number(out, f->number);
    else if (f->kind == CLI_F_BOOL)
      cli_json_bool(out, f->number != 0);
    else
      cli_json_text(out, f->kind == CLI_F_TEXT ? f->text : NULL);
  }
}

void cli_records(cli_output *out, const char *key, const char *heading) {
  if (out->format == CLI_JSON && key) cli_json_key(out, key);
  cli_json_begin(out, '[');
  if (out->format == CLI_CSV) fprintf(out->file, "%s\n", heading);
}

void cli_record(cli_output *out, const cli_field *fields, int count) {
  if (out->format == CLI_JSON) {
    cli_json_begin(out, '{');
    cli_json_fields(out, fields, count);
    cli_json_end(out);
    return;
  }
  for (int i = 0; i < count; i++) {
    if (i) fputc(',', out->file);
    if (fields[i].kind == CLI_F_TEXT)
      cli_csv_text(out, fields[i].text ? fields[i].text : "");
    else if (fields[i].kind != CLI_F_NULL)
      cli_write_number(out, fields[i].number);
  }
  fputc('\n', out->file);
}
