/* progress.h: progress of a long command on standard error, and the clock. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

double cli_seconds(void); /* a monotonic clock */

/* On a terminal one line that is overwritten, at most three times a second; else a line every few
 * seconds. `done` is in 0..1. */
void cli_progress(double done, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_progress_end(void); /* clears the line */

#endif
