/* demo_sheet.c: tables as text and HTML. */
#include "demo_sheet.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

void sheet_begin(sheet *s, const char *title, int columns) {
  memset(s, 0, sizeof *s);
  s->title = title;
  s->columns = columns;
}

void sheet_group(sheet *s, const char *title, int first, int columns) {
  if (s->groups == SHEET_GROUPS) return;
  s->group[s->groups].title = title;
  s->group[s->groups].first = first;
  s->group[s->groups].columns = columns;
  s->groups++;
}

void sheet_cell(sheet *s, const char *format, ...) {
  if (s->count == s->room) {
    int room = s->room ? 2 * s->room : 64;
    void *cells = realloc(s->cells, (size_t)room * sizeof *s->cells);
    if (!cells) {
      s->failed = 1;
      return;
    }
    s->cells = cells;
    s->room = room;
  }
  va_list args;
  va_start(args, format);
  vsnprintf(s->cells[s->count++], SHEET_CELL, format, args);
  va_end(args);
}

void sheet_free(sheet *s) {
  free(s->cells);
  s->cells = NULL;
  s->count = s->room = 0;
}

/* Columns are two blanks apart, groups three. */
static int gap(const sheet *s, int column) {
  if (column == 0) return 2;
  for (int g = 0; g < s->groups; g++) {
    if (s->group[g].first == column) return 3;
  }
  return 2;
}

/* The widest cell of a column; at least what its group's title needs. */
static int width(const sheet *s, int column) {
  int most = 0;
  for (int i = column; i < s->count; i += s->columns) {
    int n = (int)strlen(s->cells[i]);
    if (n > most) most = n;
  }
  for (int g = 0; g < s->groups; g++) {
    int each = s->group[g].columns, from = s->group[g].first;
    int least = ((int)strlen(s->group[g].title) + 4 - 2 * (each - 1) + each - 1) / each;
    if (column >= from && column < from + each && most < least) most = least;
  }
  return most;
}

static void text_groups(FILE *file, const sheet *s) {
  int column = 0;
  for (int g = 0; g < s->groups; g++) {
    for (; column < s->group[g].first; column++) {
      fprintf(file, "%*s", gap(s, column) + width(s, column), "");
    }
    int wide = -gap(s, column), before = gap(s, column);
    for (; column < s->group[g].first + s->group[g].columns; column++) {
      wide += gap(s, column) + width(s, column);
    }
    int n = (int)strlen(s->group[g].title), left = (wide - n - 2) / 2;
    fprintf(file, "%*s", before, "");
    for (int i = 0; i < left; i++) fputc('-', file);
    fprintf(file, " %s ", s->group[g].title);
    for (int i = left + n + 2; i < wide; i++) fputc('-', file);
  }
  if (s->groups) fputc('\n', file);
}

/* A paragraph, indented, in lines of at most 98 characters. */
static void text_note(FILE *file, const char *text) {
  while (*text) {
    int n = (int)strlen(text);
    if (n > 96) {
      for (n = 96; n > 1 && text[n] != ' ';) n--;
    }
    fprintf(file, "  %.*s\n", n, text);
    text += n;
    text += *text == ' ';
  }
}

void sheet_text(FILE *file, const sheet *s) {
  fprintf(file, "%s\n", s->title);
  text_groups(file, s);
  for (int i = 0; i < s->count; i++) {
    int column = i % s->columns;
    fprintf(file, "%*s%*s", gap(s, column), "", width(s, column), s->cells[i]);
    if (column == s->columns - 1) fputc('\n', file);
  }
  text_note(file, s->note);
}

static void html_groups(FILE *file, const sheet *s) {
  if (s->groups == 0) return;
  fputs("<tr>", file);
  int column = 0;
  for (int g = 0; g < s->groups; g++) {
    for (; column < s->group[g].first; column++) fputs("<th></th>", file);
    fprintf(file, "<th class=\"group\" colspan=\"%d\">", s->group[g].columns);
    page_text(file, s->group[g].title);
    fputs("</th>", file);
    column += s->group[g].columns;
  }
  fputs("</tr>\n", file);
}

static const char *cell_class(const sheet *s, int column) {
  for (int g = 0; g < s->groups; g++) {
    if (s->group[g].first == column) return " class=\"first\"";
  }
  return "";
}

void sheet_html(FILE *file, const sheet *s) {
  fputs("<div class=\"table\"><table>\n<thead>\n", file);
  html_groups(file, s);
  for (int i = 0; i < s->count; i++) {
    int column = i % s->columns;
    const char *tag = i < s->columns || column == 0 ? "th" : "td";
    if (i == s->columns) fputs("</thead>\n<tbody>\n", file);
    if (column == 0) fputs("<tr>", file);
    fprintf(file, "<%s%s>", tag, cell_class(s, column));
    page_text(file, s->cells[i]);
    fprintf(file, "</%s>", tag);
    if (column == s->columns - 1) fputs("</tr>\n", file);
  }
  fputs("</tbody></table></div>\n", file);
  if (s->note[0]) {
    fputs("<p class=\"note\">", file);
    page_text(file, s->note);
    fputs("</p>\n", file);
  }
}
