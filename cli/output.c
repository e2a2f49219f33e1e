/* output.c: opening, numbers, JSON, CSV and NPY. */
#include "output.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

const char *const cli_format_names[] = {"json", "csv", "npy", "text", "npz", NULL};

int cli_output_open(cli_output *out, const cli_output_options *options, const char *command,
                    unsigned without) {
  memset(out, 0, sizeof *out);
  int terminal = !options->path && isatty(STDOUT_FILENO);
  out->format = options->format >= 0 ? (cli_format)options->format
                : terminal           ? CLI_TABLE
                                     : CLI_JSON;
  out->path = options->path;
  if ((without & (1u << out->format)) || (out->format == CLI_NPZ && !(without & CLI_WITH_NPZ))) {
    cli_error("%s: --format %s is not offered here (see 'jounce %s --help')", command,
              cli_format_names[out->format], command);
    return CLI_BAD_USAGE;
  }
  if (terminal && (out->format == CLI_NPY || out->format == CLI_NPZ)) {
    cli_error("%s: --format %s is binary: use --output FILE or a pipe", command,
              cli_format_names[out->format]);
    return CLI_BAD_USAGE;
  }
  out->file = out->path ? fopen(out->path, "wb") : stdout;
  if (!out->file) {
    cli_error("%s: cannot be written: %s", out->path, strerror(errno));
    return CLI_BAD_INPUT;
  }
  return CLI_DONE;
}

int cli_output_close(cli_output *out) {
  if (out->format == CLI_JSON) fputc('\n', out->file);
  int failed = ferror(out->file) != 0;
  errno = 0;
  if (fflush(out->file)) failed = 1;
  int reason = errno;
  if (out->path && fclose(out->file)) {
    if (!failed) reason = errno;
    failed = 1;
  }
  if (failed) {
    cli_error("%s: writing failed: %s", out->path ? out->path : "standard output",
              reason ? strerror(reason) : "write error");
    struct stat about; /* half a file is worse than none */
    if (out->path && stat(out->path, &about) == 0 && S_ISREG(about.st_mode)) remove(out->path);
    return CLI_BAD_INPUT;
  }
  if (out->not_finite) {
    cli_error("a result is not finite; it was written as null");
    return CLI_BAD_INPUT;
  }
  return CLI_DONE;
}

void cli_write_number(cli_output *out, double x) {
  char text[40];
  if (!isfinite(x)) {
    out->not_finite = 1;
    fputs(out->format == CLI_JSON ? "null" : "nan", out->file);
    return;
  }
  snprintf(text, sizeof text, "%.17g", x);
  for (char *c = text; *c; c++) {
    if (!strchr("0123456789+-e", *c)) *c = '.';
  }
  fputs(text, out->file);
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
  separate(out);
  fputc(bracket, out->file);
  if (out->depth < CLI_JSON_DEPTH) {
    out->closing[out->depth] = bracket == '{' ? '}' : ']';
    out->items[out->depth] = 0;
    out->depth++;
  }
}

void cli_json_end(cli_output *out) {
  if (out->depth == 0) return;
  out->depth--;
  if (out->items[out->depth]) fprintf(out->file, "\n%*s", out->depth * 2, "");
  fputc(out->closing[out->depth], out->file);
}

/* Length of the valid UTF-8 sequence at s, or 0. */
static int utf8_length(const unsigned char *s) {
  int n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  if (s[0] >= 0x80 && s[0] < 0xc2) return 0;
  if (s[0] > 0xf4) return 0;
  for (int i = 1; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
  }
  if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
  if (s[0] == 0xed && s[1] >= 0xa0) return 0;
  if (s[0] == 0xf0 && s[1] < 0x90) return 0;
  if (s[0] == 0xf4 && s[1] >= 0x90) return 0;
  return n;
}

static void write_string(cli_output *out, const char *text) {
  fputc('"', out->file);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    int n = utf8_length(s);
    if (n == 0) {
      fputs("\\ufffd", out->file);
      s++;
    } else if (*s == '"' || *s == '\\') {
      fprintf(out->file, "\\%c", *s++);
    } else if (*s < 0x20 || *s == 0x7f) {
      fprintf(out->file, "\\u%04x", *s++);
    } else {
      fwrite(s, 1, (size_t)n, out->file);
      s += n;
    }
  }
  fputc('"', out->file);
}

void cli_json_key(cli_output *out, const char *key) {
  separate(out);
  write_string(out, key);
  fputs(": ", out->file);
  out->after_key = 1;
}

void cli_json_text(cli_output *out, const char *text) {
  separate(out);
  if (text) {
    write_string(out, text);
  } else {
    fputs("null", out->file);
  }
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

void cli_json_matrices(cli_output *out, int count, int plain, int rows, int columns,
                       const double *x) {
  size_t size = (size_t)rows * (size_t)columns;
  if (plain) {
    cli_json_rows(out, rows, columns, x, (size_t)columns);
    return;
  }
  cli_json_begin(out, '[');
  for (int k = 0; k < count; k++) {
    cli_json_rows(out, rows, columns, x + (size_t)k * size, (size_t)columns);
  }
  cli_json_end(out);
}

cli_name cli_clean(const char *name) {
  cli_name clean;
  snprintf(clean.text, sizeof clean.text, "%s", name);
  for (char *c = clean.text; *c; c++) {
    if (iscntrl((unsigned char)*c)) *c = '?';
  }
  return clean;
}

void cli_csv_text(cli_output *out, const char *text) {
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, out->file);
    return;
  }
  fputc('"', out->file);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out->file);
    fputc(*text, out->file);
  }
  fputc('"', out->file);
}

void cli_npy(cli_output *out, int dimensions, const size_t *shape, const double *x) {
  const uint16_t probe = 1;
  unsigned char first;
  memcpy(&first, &probe, 1);
  char header[192];
  int used = snprintf(header, sizeof header, "{'descr': '%cf8', 'fortran_order': False, 'shape': (",
                      first ? '<' : '>');
  size_t count = 1;
  for (int i = 0; i < dimensions; i++) {
    used += snprintf(header + used, sizeof header - (size_t)used, "%zu, ", shape[i]);
    count *= shape[i];
  }
  used += snprintf(header + used, sizeof header - (size_t)used, ")}");

  /* magic, version 1.0, length; the data starts at a multiple of 64 */
  int length = (10 + used + 1 + 63) / 64 * 64 - 10;
  unsigned char start[10] = {0x93,
                             'N',
                             'U',
                             'M',
                             'P',
                             'Y',
                             1,
                             0,
                             (unsigned char)(length & 0xff),
                             (unsigned char)(length >> 8)};
  fwrite(start, 1, sizeof start, out->file);
  fprintf(out->file, "%s%*s\n", header, length - used - 1, "");
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(x[i])) out->not_finite = 1;
  }
  fwrite(x, sizeof *x, count, out->file);
}
