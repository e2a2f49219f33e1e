/* inertia.h (private): mass properties of rigid bodies, and principal moments. */
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

#endif
