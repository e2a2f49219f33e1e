/* page.h: pieces of an HTML page that needs no other file and no network. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stdio.h>

/* Head and style, up to the opened <main>; and the end. */
void page_begin(FILE *file, const char *title);
void page_end(FILE *file);

/* Text with &, <, >, " escaped. */
void page_text(FILE *file, const char *text);

/* An SVG file, inlined. Returns 0 when it cannot be read. */
int page_svg(FILE *file, const char *path);

/* A link that downloads a text, carried in the page; and one for the contents of a file. Returns 0
 * when it cannot be read. */
void page_download_text(FILE *file, const char *text, size_t size, const char *name);
int page_download(FILE *file, const char *path, const char *name);

#endif
