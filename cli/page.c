/* page.c: HTML. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

static const char style[] =
    "  :root { color-scheme: light dark; --ink: #1d2530; --paper: #fbfbfa; --card: #ffffff;\n"
    "    --line: #d8dce2; --soft: #5a6573; --accent: #0072b2; }\n"
    "  @media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --paper: #14181d;\n"
    "    --card: #1c2229; --line: #343c46; --soft: #9aa5b2; --accent: #56b4e9; } }\n"
    "  * { box-sizing: border-box; }\n"
    "  body { margin: 0; background: var(--paper); color: var(--ink);\n"
    "    font: 16px/1.55 system-ui, -apple-system, \"Segoe UI\", \"DejaVu Sans\", sans-serif; }\n"
    "  main { max-width: 1180px; margin: 0 auto; padding: 2rem 1.25rem 4rem; }\n"
    "  h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }\n"
    "  h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; }\n"
    "  p { max-width: 75ch; } .lead, .note { color: var(--soft); } .note { font-size: .87rem; }\n"
    "  a { color: var(--accent); }\n"
    "  code { font: .9em ui-monospace, \"DejaVu Sans Mono\", monospace; }\n"
    "  .cards { display: grid; gap: 1rem; margin: 1.5rem 0;\n"
    "    grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); }\n"
    "  .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px;\n"
    "    padding: 1rem 1.1rem; }\n"
    "  .card b { display: block; font-size: 1.6rem; line-height: 1.25; font-weight: 650;\n"
    "    font-variant-numeric: tabular-nums; }\n"
    "  .card span { color: var(--soft); font-size: .9rem; }\n"
    "  figure { margin: 1.2rem 0; background: #fff; color: #1d2530; border-radius: 10px;\n"
    "    border: 1px solid var(--line); padding: .8rem; overflow-x: auto; }\n"
    "  figure svg { display: block; width: 100%; min-width: 720px; height: auto; }\n"
    "  figcaption { font-size: .92rem; color: #49525e; padding: .4rem .4rem .1rem; }\n"
    "  figcaption a { color: #0072b2; }\n"
    "  .table { overflow-x: auto; }\n"
    "  table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; "
    "}\n"
    "  th, td { padding: .22rem .7rem; text-align: right; white-space: nowrap; }\n"
    "  th { font-weight: 600; } .first { padding-left: 1.6rem; }\n"
    "  th.group { text-align: center; color: var(--soft); border-bottom: 1px solid var(--line); }\n"
    "  thead tr:last-child th { border-bottom: 2px solid var(--line); }\n"
    "  tbody tr:nth-child(even) { background: color-mix(in srgb, var(--line) 25%, transparent); }\n"
    "  li { margin: .2rem 0; }\n";

void page_begin(FILE *file, const char *title) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", file);
  fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", file);
  /* nothing is fetched, whatever the page holds */
  fputs(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>",
      file);
  page_text(file, title);
  fprintf(file, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
}

void page_end(FILE *file) { fputs("</main>\n</body>\n</html>\n", file); }

void page_text(FILE *file, const char *text) {
  for (; *text; text++) {
    switch (*text) {
      case '&':
        fputs("&amp;", file);
        break;
      case '<':
        fputs("&lt;", file);
        break;
      case '>':
        fputs("&gt;", file);
        break;
      case '"':
        fputs("&quot;", file);
        break;
      default:
        fputc(*text, file);
    }
  }
}

/* A whole file as text; NULL when it cannot be read. */
static char *slurp(const char *path, size_t *size) {
  FILE *in = fopen(path, "rb");
  if (!in) return NULL;
  size_t room = 1 << 16;
  char *text = malloc(room);
  *size = 0;
  while (text) {
    *size += fread(text + *size, 1, room - 1 - *size, in);
    if (*size < room - 1) break;
    room *= 2;
    char *more = realloc(text, room);
    if (!more) free(text);
    text = more;
  }
  if (text) text[*size] = '\0';
  if (text && ferror(in)) {
    free(text);
    text = NULL;
  }
  fclose(in);
  return text;
}

int page_svg(FILE *file, const char *path) {
  size_t size;
  char *text = slurp(path, &size);
  char *start = text ? strstr(text, "<svg") : NULL;
  if (start) fputs(start, file);
  free(text);
  return start != NULL;
}

void page_download_text(FILE *file, const char *text, size_t size, const char *name) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  fputs("<a download=\"", file);
  page_text(file, name);
  fputs("\" href=\"data:text/csv;charset=utf-8;base64,", file);
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    unsigned b = (unsigned)(unsigned char)text[i] << 16;
    if (left > 1) b |= (unsigned)(unsigned char)text[i + 1] << 8;
    if (left > 2) b |= (unsigned)(unsigned char)text[i + 2];
    fputc(digits[b >> 18 & 63], file);
    fputc(digits[b >> 12 & 63], file);
    fputc(left > 1 ? digits[b >> 6 & 63] : '=', file);
    fputc(left > 2 ? digits[b & 63] : '=', file);
  }
  fputs("\">", file);
  page_text(file, name);
  fputs("</a>", file);
}

int page_download(FILE *file, const char *path, const char *name) {
  size_t size;
  char *text = slurp(path, &size);
  if (!text) return 0;
  page_download_text(file, text, size, name);
  free(text);
  return 1;
}
