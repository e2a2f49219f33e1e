/* state.h: STATE files (JSON) to arrays of the library. */
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include <jounce/dynamics.h>
#include <jounce/layout.h>

#include "memory.h"

extern const char
    *const cli_representation_names[]; /* in the order of jn_representation, then NULL */

/* What a command needs from a state. Further rows are ignored. */
typedef struct cli_need {
  int order;         /* as given by the user, for messages */
  int motion_rows;   /* rows v, v', ... of every joint (hybrid: of those whose motion is given) */
  int force_rows;    /* rows of tau of every joint (hybrid: of those whose force is given) */
  int external_rows; /* rows of wrench and tau_ext */
  int hybrid;        /* a joint named in tau, or the base with base_wrench, has its force given */
  int pad;           /* missing numbers are zero */
  int closed;        /* passive joints have zero force unless `tau` names them */
} cli_need;

typedef struct cli_robot_state {
  jn_representation representation;
  int has_gravity;
  int rotations; /* how many the file has */
  jn_vec3 gravity;
  double *q;                 /* [nq] */
  double *v;                 /* [(order+2) x nv] */
  double *tau;               /* [(order+1) x nv] */
  unsigned char *prescribed; /* [bodies]: 1 where motion is given */
  jn_external external;
  double *tau_ext; /* [(order+1) x nv], used through `external` */
  cli_memory memory;
} cli_robot_state;

/* Reads `path` ("-": standard input; NULL: the home configuration at rest). Returns an exit status,
 * after a message if it is not 0. Call cli_state_free in any case. If `layout` is not NULL, the
 * file has flat arrays in that layout, {"q": [nq], "v": [[nv], ...], "tau": [[nv], ...]}, and v,
 * tau are in its representation. */
int cli_state_read(const char *path, const jn_model *model, const jn_layout *layout,
                   const cli_need *need, cli_robot_state *state);
void cli_state_free(cli_robot_state *state);
struct cli_output;
/* {"quat", "p", "representation", "twist"} of a free joint, {"quat", "omega"} of a spherical one; row k
 * of the velocities at v + k stride; representation: NULL, not written. */
void cli_state_pose(struct cli_output *out, const jn_joint *j, const double *q, int rows,
                    const double *v, size_t stride, const char *representation);

#endif
