/* pthread.h: WebAssembly has one thread; a second one cannot be started. */
#ifndef JOUNCE_WASM_PTHREAD_H
#define JOUNCE_WASM_PTHREAD_H

#include <errno.h>
#include <sys/types.h> /* pthread_t, pthread_mutex_t */

#define PTHREAD_MUTEX_INITIALIZER \
  { 0 }

static inline int pthread_mutex_init(pthread_mutex_t *lock, const void *attributes) {
  return (void)lock, (void)attributes, 0;
}
static inline int pthread_mutex_destroy(pthread_mutex_t *lock) { return (void)lock, 0; }
static inline int pthread_mutex_lock(pthread_mutex_t *lock) { return (void)lock, 0; }
static inline int pthread_mutex_unlock(pthread_mutex_t *lock) { return (void)lock, 0; }
static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *),
                                 void *argument) {
  return (void)thread, (void)attributes, (void)run, (void)argument, EAGAIN;
}
static inline int pthread_join(pthread_t thread, void **result) {
  return (void)thread, (void)result, 0;
}

#endif
