/* limit_rows.h (private): what has limits: degrees of freedom, then rotors. */
#ifndef JOUNCE_SRC_LIMIT_ROWS_H
#define JOUNCE_SRC_LIMIT_ROWS_H

#include <jounce/motion_limits.h>

/* Checks range[rows x JN_LIMIT_KINDS]: lower limits below upper ones; rotors have limits of thrust and
 * thrust rate alone, and only where the thrusts follow from the wrench of the base. */
jn_status jn_limit_ranges_check(const jn_model *model, const jn_limit_range *range,
                                jn_error *error);
/* 1 if some rotor has a limit */
int jn_limit_rotors(const jn_model *model, const jn_limit_range *range);

/* As jn_limit_check_new, in parts of a motion alone: from time parts[2 i] to parts[2 i + 1]. *scale: the
 * smallest time scale that satisfies all limits there; 1 if none is broken, 0 if none does. */
jn_status jn_limit_scale_of_parts(const jn_model *model, jn_data *data,
                                  const jn_trajectory *trajectory, const jn_limit_range *range,
                                  int count, const double *parts, const jn_allocator *hooks,
                                  double *scale);

/* Thrusts and their rates f[2 x rotors] of the forces tau[2 x nv] at q with velocities v, all in the
 * representation; P[rotors x 6] of jn_rotor_allocation. Linear in tau. */
void jn_limit_thrusts(const jn_model *model, jn_representation representation, const double *P,
                      const double *q, const double *v, const double *tau, double *f);

/* "elbow", "base:wx", "p1" */
typedef struct limit_name {
  char text[JN_MAX_NAME + 16];
} limit_name;
limit_name jn_limit_name(const jn_model *model, int row);

#endif
