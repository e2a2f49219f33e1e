/* base.h: status codes, errors, version, allocator hooks. */
#ifndef JOUNCE_BASE_H
#define JOUNCE_BASE_H

#include <stddef.h>

#include <jounce/limits.h>

#if defined(_WIN32)
#define JN_API
#elif defined(JN_BUILDING)
#define JN_API __attribute__((visibility("default")))
#else
#define JN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define JN_VERSION_MAJOR 0
#define JN_VERSION_MINOR 2
#define JN_VERSION_PATCH 0
#define JN_VERSION "0.2.0"

/* One list defines the codes and their texts. */
#define JN_STATUS_LIST(X)                                                                     \
  X(JN_OK, "success")                                                                         \
  X(JN_ERR_ARGUMENT, "an argument is missing or out of range")                                \
  X(JN_ERR_MEMORY, "out of memory")                                                           \
  X(JN_ERR_LIMIT, "a limit of jounce/limits.h or of the options is exceeded")                 \
  X(JN_ERR_FILE, "a file cannot be read or written")                                          \
  X(JN_ERR_SYNTAX, "a file is malformed")                                                     \
  X(JN_ERR_MODEL, "the model is invalid")                                                     \
  X(JN_ERR_NOT_FINITE, "a number in the state or in the result is not finite")                \
  X(JN_ERR_POSE, "a rotation or pose is not in SO(3) or SE(3)")                               \
  X(JN_ERR_ORDER, "the data was made for a lower order")                                      \
  X(JN_ERR_SINGULAR, "the dynamics are singular: a joint moves no mass")                      \
  X(JN_ERR_STATE, "the data does not hold the quantity asked for: compute it first")          \
  X(JN_ERR_CLOSURE, "the state does not satisfy the constraints: assemble it first")          \
  X(JN_ERR_RANK, "the constraints contradict each other, or lose rank at this configuration") \
  X(JN_ERR_ACTUATION, "a passive joint would need a force: the actuated joints cannot do it") \
  X(JN_ERR_ASSEMBLY, "the constraints cannot be satisfied from this configuration")           \
  X(JN_ERR_INFEASIBLE, "the limits cannot be kept")                                           \
  X(JN_ERR_FIT, "the samples do not determine the motion")                                    \
  X(JN_ERR_COUPLED, "not available with eliminated mimic joints: make them independent")      \
  X(JN_ERR_DIGITS, "rounding leaves too few digits of the result")

typedef enum jn_status {
#define JN_STATUS_ENUM(code, text) code,
  JN_STATUS_LIST(JN_STATUS_ENUM)
#undef JN_STATUS_ENUM
} jn_status;

/* A sentence for a status; never NULL. */
JN_API const char *jn_status_text(jn_status status);

/* What went wrong and where. `message` is a complete sentence:
 *   "arm.urdf:41: joint 'elbow': axis has zero length" */
typedef struct jn_error {
  jn_status status;
  int line; /* 1-based; 0: no line applies */
  char file[JN_MAX_PATH];
  char message[JN_MAX_MESSAGE];
} jn_error;

/* Allocator hooks. A NULL hook means malloc or free. `allocate` must return a block aligned for any
 * type, as malloc does. */
typedef struct jn_allocator {
  void *(*allocate)(size_t size, void *context);
  void (*release)(void *block, void *context);
  void *context;
} jn_allocator;

/* "0.2.0": the version of the library that is running. */
JN_API const char *jn_version(void);

#ifdef __cplusplus
}
#endif
#endif
