/* file.h: files that the program writes, by io/file.h: a file appears complete or not at all. When
 * the program is interrupted (Ctrl-C, kill, a closed terminal) it removes what it has begun. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <signal.h>

#include "io/file.h"

/* Begins a file; returns its stream, or NULL after a message. */
FILE *cli_file_open(jn_file *file, const char *path);
/* Completes the file. Returns an exit status, after a message if it is not 0. */
int cli_file_commit(jn_file *file);
void cli_file_discard(jn_file *file);
/* While the library writes files of its own, interruptions wait: hold, call, release. */
void cli_signals_hold(sigset_t *before);
void cli_signals_release(const sigset_t *before);
/* Checks that a file can be begun, and leaves nothing. Returns an exit status. */
int cli_file_check(const char *path);

#endif
