/* inertia.h (private): mass properties of rigid bodies, and whether a body can have them. */
#ifndef JOUNCE_PRIVATE_INERTIA_H
#define JOUNCE_PRIVATE_INERTIA_H

#include <jounce/spatial.h>

/* mass, centre of mass and inertia about it, in some frame */
typedef struct mass_properties {
  double m;
  jn_vec3 c;
  jn_mat3 J;
} mass_properties;

mass_properties jn_mass_move(jn_pose C, mass_properties a);
/* of two bodies as one */
mass_properties jn_mass_add(mass_properties a, mass_properties b);

/* Eigenvalues of a symmetric matrix, ascending, and its eigenvectors in the columns of Q (may be
 * NULL): A = Q diag(e) Q^T. */
void jn_eigenvalues3(jn_mat3 A, double e[3], jn_mat3 *Q);
/* Q diag(e) Q^T, exactly symmetric */
jn_mat3 jn_from_eigenvalues3(const double e[3], jn_mat3 Q);

/* What principal moments e[0] <= e[1] <= e[2] say of a body. */
typedef enum jn_physical {
  JN_PHYSICAL,
  JN_NO_TRIANGLE, /* e[2] > e[0] + e[1]: no mass distribution has it */
  JN_INDEFINITE   /* e[0] < 0: a kinetic energy would be negative */
} jn_physical;
/* `length`: size of the robot. A moment below rounding of m length^2 or of the moments counts as
 * zero. */
double jn_moment_tolerance(const double e[3], double m, double length);
jn_physical jn_judge_moments(const double e[3], double m, double length);

/* The nearest inertia that a body can have: J - J' has the least Frobenius norm. */
jn_mat3 jn_nearest_inertia(jn_mat3 J);

#endif
