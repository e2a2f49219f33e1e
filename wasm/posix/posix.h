/* posix.h: included before every file when the program is built for WebAssembly (-include): what
 * WASI lacks of POSIX. One process, no signals, no users, no symbolic links. */
#ifndef JOUNCE_WASM_POSIX_H
#define JOUNCE_WASM_POSIX_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

/* fcntl refuses a lock, which nobody needs: there is one process. */
#ifndef F_SETLKW
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#define F_SETLK 6
#define F_SETLKW 7
#endif

/* The path without ".", ".." and repeated slashes; NULL if there is no such file. */
char *realpath(const char *path, char *resolved);
/* Succeed, and change nothing. */
int fchown(int descriptor, uid_t owner, gid_t group);
int fchmod(int descriptor, mode_t mode);

/* Fail with ENOSYS: there is no other process. */
pid_t fork(void);
int dup2(int from, int to);
int execlp(const char *file, const char *argument, ...);
/* A file without a name. */
FILE *jounce_tmpfile(void);
#define tmpfile jounce_tmpfile
/* for expat's hash tables */
void arc4random_buf(void *bytes, size_t size);

#endif
