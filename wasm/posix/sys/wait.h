/* wait.h: there are no child processes in WebAssembly. */
#ifndef JOUNCE_WASM_WAIT_H
#define JOUNCE_WASM_WAIT_H

#include <sys/types.h>

#define WIFEXITED(status) 0
#define WEXITSTATUS(status) 0
pid_t waitpid(pid_t pid, int *status, int options);

#endif
