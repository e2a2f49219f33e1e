/* demo_sheet.h: a table of short texts that prints itself on a terminal and in a page. */
#ifndef CLI_DEMO_SHEET_H
#define CLI_DEMO_SHEET_H

#include <stdio.h>

enum { SHEET_CELL = 24, SHEET_GROUPS = 6, SHEET_NOTE = 512 };

typedef struct sheet {
  const char *title;
  char note[SHEET_NOTE]; /* below the table; may be empty */
  int columns, count;    /* cells in use, row by row; the first row is the heading */
  int room, failed;
  char (*cells)[SHEET_CELL];
  int groups;
  struct {
    const char *title;
    int first, columns;
  } group[SHEET_GROUPS]; /* headings above the heading, left to right */
} sheet;

void sheet_begin(sheet *s, const char *title, int columns);
void sheet_group(sheet *s, const char *title, int first, int columns);
/* the next cell; a line of cells is complete after `columns` of them */
void sheet_cell(sheet *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sheet_free(sheet *s);

void sheet_text(FILE *file, const sheet *s);
void sheet_html(FILE *file, const sheet *s);

#endif
