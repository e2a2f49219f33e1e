/* file.h (private): reads and writes whole files. */
#ifndef JOUNCE_SRC_FILE_H
#define JOUNCE_SRC_FILE_H

#include <jounce/base.h>
#include <stdio.h>

#include "base/arena.h"

enum { JN_FILE_PATH = 4096 }; /* bytes of a path; at least PATH_MAX */

/* Bytes that a file or text may have: JN_MAX_FILE, or JOUNCE_MAX_FILE in the environment, in MiB,
 * 1 to JN_MAX_FILE_RAISED. */
size_t jn_file_limit(void);
/* The refusal of `what` ("the file"), which is larger. */
jn_status jn_file_too_large(jn_error *error, const char *path, const char *what);
/* Reads a file into a new block, at most jn_file_limit() bytes. */
jn_status jn_file_read(const char *path, const jn_allocator *hooks, char **text, size_t *size,
                       jn_error *error);
/* The same for the rest of an open file; `path` is its name in messages. */
jn_status jn_stream_read(FILE *file, const char *path, const jn_allocator *hooks, char **text,
                         size_t *size, jn_error *error);

/* ---- files that a file names */

typedef struct jn_named_file {
  FILE *stream;
  char path[JN_FILE_PATH];
  unsigned long long device, inode;
} jn_named_file;

/* The folder of a path, "." if it names none; cut to the room. */
void jn_file_folder(const char *path, char folder[JN_FILE_PATH]);
/* Device and inode of a file; zero when there is none. */
void jn_file_identity(const char *path, unsigned long long *device, unsigned long long *inode);

/* Who is told the path of every file that is opened; visit NULL: nobody. */
typedef struct jn_opened {
  void (*visit)(void *context, const char *path);
  void *context;
} jn_opened;

/* Folders below which files may be opened, as real paths. */
enum { JN_MOST_FOLDERS = 64 };
typedef struct jn_folders {
  const char *path[JN_MOST_FOLDERS];
  int count;
  jn_opened opened;
} jn_folders;
/* Adds the folders of a list with ':' between them, or the one folder `own` (either may be NULL).
 * Returns NULL, or the reason of the refusal, and then the folder in `which`. */
const char *jn_file_folders(jn_folders *folders, jn_arena *arena, const jn_allocator *hooks,
                            const char *list, const char *own, char which[JN_FILE_PATH]);

/* Opens the regular file `name` in `folder`. Symbolic links are followed, and then the file must be
 * in `top` or below it: nothing outside is opened. Returns NULL, or the reason of the refusal. */
const char *jn_file_open_below(const char *top, const char *folder, const char *name,
                               jn_named_file *found);
/* The same for a path, with several folders that it may be below. */
const char *jn_file_open_in(const jn_folders *tops, const char *path, jn_named_file *found);
/* the reasons if there is no such file, and of jn_file_folders if there is no memory */
extern const char jn_file_absent[], jn_file_no_memory[];
/* The file `name`, as another file `beside` it (NULL: in the current folder) names it: a regular
 * file in the folder of that file or below. Absolute paths, "..", and symbolic links that leave the
 * folder are refused; `why` is then the reason, and 0 is returned. path[JN_FILE_PATH]. */
int jn_file_below(const char *beside, const char *name, char *path, const char **why);

/* Writing. A file appears under its name complete or not at all: it is written beside it under
 * another name, flushed to the disk (fsync), and then renamed. Until then, and after every failure,
 * an old file of that name is as it was. A new file has the mode that the umask leaves; a file that
 * replaces another has its mode and, if permitted, its owner. Through a symbolic link the file that
 * it points to is replaced. Devices and pipes are written to directly.
 *
 *   jn_file_open     NAME.PID.N.tmp, beside NAME
 *   jn_file_commit   completes the file. Reports errors of earlier writes to `stream` as well
 *   jn_file_discard  gives the file up; nothing of it remains. Also after a failed commit
 *   jn_file_resume   as jn_file_open, with the name NAME.part, and with what an earlier run has left
 *                    there; only for one process at a time
 *   jn_file_leave    closes the file and leaves it for jn_file_resume
 * `path` is used until the file is closed. */
typedef struct jn_file {
  FILE *stream; /* to write to, and to read back; NULL: closed */
  const char *path;
  char target[JN_FILE_PATH];    /* "": a device or pipe */
  char temporary[JN_FILE_PATH]; /* as long as it exists; else "" */
} jn_file;
jn_status jn_file_open(jn_file *f, const char *path, jn_error *error);
jn_status jn_file_commit(jn_file *f, jn_error *error);
void jn_file_discard(jn_file *f);
jn_status jn_file_resume(jn_file *f, const char *path, jn_error *error);
void jn_file_leave(jn_file *f);

/* Writes a file by calling `write`, which returns JN_OK, or a failure that it has explained in its
 * own error. */
typedef jn_status (*jn_file_writer)(FILE *file, void *context);
jn_status jn_file_write(const char *path, jn_file_writer write, void *context, jn_error *error);
/* The same into memory: a text that ends with a zero byte, for jn_text_free. */
jn_status jn_text_write(jn_file_writer write, void *context, const jn_allocator *allocator,
                        char **out, jn_error *error);

/* The extension of a path, with its dot; NULL if it has none. */
const char *jn_file_ending(const char *path);
int jn_same_ending(const char *ending, const char *wanted); /* ignores the case of `ending` */

#endif
