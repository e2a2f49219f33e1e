/* arrays.h (private): the working memory of a jn_data, one list of every array.
 *
 *   A(name, element, stride, count)   meaning
 *
 * Element i of an array begins `stride` elements after element i-1. core/work.h turns each line
 * into an accessor name_of(w, i) with the element's type. rows = order + 2 is the number of Taylor
 * coefficients of a jet. Arrays per link or per degree of freedom hold one jet after another.
 * Order-major arrays, [rows x nv], have stride 1.
 *
 * Every array has one meaning. The contents of scratch arrays do not outlive a function. */
#ifndef JOUNCE_PRIVATE_ARRAYS_H
#define JOUNCE_PRIVATE_ARRAYS_H

/* upper bounds on the doubles of an element; v3 and six may be padded (core/work.h checks) */
enum {
  JN_SIZE_double = 1,
  JN_SIZE_real = 1,
  JN_SIZE_v3 = 4,
  JN_SIZE_six = 8,
  JN_SIZE_six1 = 6, /* of one state, not padded */
  JN_SIZE_sym6 = 48,
  JN_SIZE_inertia1 = 10,
  JN_SIZE_link_transform = 48,
  JN_SIZE_next_order = 64,
  JN_SIZE_link_view = 28,
  JN_SIZE_base_jet = 48,
  JN_SIZE_acceleration = 20,
  JN_SIZE_column_jet = 60,
  JN_SIZE_direction_link = 36
};

/* Right-hand sides solved together, and the widest pack of directions (core/engine.h). */
#define JN_SOLVE_COLUMNS 16
#define JN_MAX_LANES 8
/* Up to so many degrees of freedom, M is factored as a matrix where whole matrices are solved. */
#define JN_DENSE_DOFS 256

/* clang-format off */
/* Arrays of the body formulation, also for a pack of states in lanes. */
#define JN_WORK_PACK(A)                                                                            \
  A(link_view, link_view, 1, nlink)              /* pointers of each link into these arrays */     \
  A(link_view_lanes, link_view, 1, nlink)        /* the same for padded vectors */                 \
  A(q, real, 1, nq)                              /* configuration */                               \
  A(v, real, 1, rows * nv)                       /* velocity jets, body representation */          \
  A(tau, real, 1, rows * nv)                     /* force jets, body representation */             \
  A(force, real, 1, rows * nv)                   /* force jets, as given */                        \
  A(io, real, 1, rows * nv)                      /* input and output jets */                       \
  A(reference, real, 1, nv)                      /* free joints: p0 of algebra/representation.h */ \
  A(up, real, 1, 4)                              /* minus gravity, world axes */                   \
  A(angle, real, 1, 3 * nlink + 12)              /* angles, sines, cosines */                      \
  A(base, base_jet, 1, rows)                     /* pose of a free base: core/body/base.h */       \
  A(X, real, rows, rows * nx)                    /* joint transforms: core/body/joint.h */         \
  A(V, six, rows, rows * nlink)                  /* link twists, link frame */                     \
  A(U, six, rows, rows * nlink)                  /* parent's twist at the joint */                 \
  A(H, six, rows, rows * nlink)                  /* (J w, velocity of the centre of mass) */       \
  A(Y, v3, rows, rows * nlink)                   /* minus gravity, link frame */                   \
  A(C, acceleration, rows, rows * nlink)         /* w, a and B of classical.h */                   \
  A(F, six, rows, rows * nlink)                  /* wrenches through the joints, link frame */     \
  A(ext, six, rows, rows * nlink)                /* applied wrenches, as the form needs them */    \
  A(IA, sym6, 1, nlink)                          /* articulated or composite inertia */            \
  A(UA, six, 1, nv)                              /* IA S, or composite inertia times S */          \
  A(D, real, 6, 6 * nv)                          /* factors of S^T IA S */                         \
  A(link_transform, link_transform, 1, nlink)    /* combined transform to the parent */            \
  A(next_order, next_order, 1, nlink)            /* partial sums of the next order: aba.h */       \
  A(b, six, 1, nlink)                            /* bias twist */                                  \
  A(p, six, 1, nlink)                            /* bias wrench */                                 \
  A(e, real, 1, nv)                              /* tau_k - S^T p, or given (k+1) v_(k+1) */       \
  A(jet, six, rows, 6 * rows)                    /* scratch: six jets */

/* Further arrays of a single state. */
#define JN_WORK_SINGLE(A)                                                                          \
  A(R, real, 9 * rows, 9 * rows * nlink)         /* orientation of the link in the world */        \
  A(P, real, 3 * rows, 3 * rows * nlink)         /* its position relative to the present one */    \
  A(G, real, 9 * rows, 9 * rows * nlink)         /* [P] R */                                       \
  A(O, real, 3, 3 * nlink)                       /* its present position relative to the base */   \
  /* spatial formulation */                                                                        \
  A(S, six1, rows, rows * nv)                    /* screws */                                      \
  A(Vs, six1, rows, rows * nlink)                /* twists; hybrid or mixed in those forms */      \
  A(As, six1, rows, rows * nlink)                /* accelerations minus gravity */                 \
  A(Ab, six1, rows, rows * nlink)                /* accelerations for v' = 0 */                    \
  A(Ms, inertia1, rows, rows * nlink)            /* inertias, then composites */                   \
  A(Md, inertia1, rows, rows * nlink)            /* rates of Ms */                                 \
  A(Ps, six1, rows, rows * nlink)                /* momenta, then composites */                    \
  A(Ws, six1, rows, rows * nlink)                /* wrenches, then composites */                   \
  A(Bs, six1, 6 * rows, 6 * rows * nlink)        /* ad_V^T M by columns, then composites */        \
  A(Ns, six1, 6 * rows, 6 * rows * nlink)        /* N of wrenches not fixed to their body */       \
  A(Wl, six1, rows, rows * nlink)                /* applied wrenches in link frames */             \
  /* hybrid and mixed formulation */                                                               \
  A(Vj, six1, rows, rows * nlink)                /* joint velocity, link frame */                  \
  A(own, v3, rows, rows * nlink)                 /* net force on the link itself */                \
  A(axis, v3, rows + 1, 3 * (rows + 1) * nlink)  /* axes of the link in the world */               \
  A(reach, v3, rows + 1, (rows + 1) * nlink)     /* from the parent's origin; mixed: slide */      \
  /* Jacobians */                                                                                  \
  A(Su, six1, rows, rows * nv)                   /* screws for v in the user's representation */   \
  A(Jf, six1, rows, rows * nv)                   /* columns of a Jacobian */                       \
  A(Jb, double, 1, 12 * nv)                      /* Jacobian of one body and its rate */           \
  /* partial derivatives: core/derivatives/partials.h */                                           \
  A(Pc, column_jet, 1, rows * (nv + 7))          /* column jets, in blocks of lanes */             \
  A(pc, column_jet, 1, rows)                     /* one more column jet */                         \
  A(Ev, double, 6 * rows, 6 * rows * nv)         /* columns of E of multi-dof joints */            \
  A(Et, double, 8 * rows, 8 * rows * nv)         /* rows of E, padded: freedoms.h */               \
  A(row, double, 1, 3 * (rows + 1) * (nv + 8))   /* one row of the matrices: freedoms.h */         \
  A(Ow, double, 6 * rows, 6 * rows * nv)         /* free joints not in JN_BODY: own rows */        \
  A(Yd, six1, 1, nlink)                          /* displacement along a direction of states */    \
  A(D0, six1, rows, rows * nlink)                /* covectors of the displacement D, */            \
  A(D1, six1, rows, rows * nlink)                /* of D', */                                      \
  A(D2, six1, rows, rows * nlink)                /* of D'', */                                     \
  A(Df, six1, rows, rows * nlink)                /* and of the wrenches */                         \
  A(mass, double, 1, nv <= JN_DENSE_DOFS ? nv * nv : 0) /* factors of M: mass_factor.h */          \
  A(solve_link, double, 1, 6 * JN_SOLVE_COLUMNS * nlink) /* M^-1 in lanes: links */                \
  A(solve_rhs, double, 1, JN_SOLVE_COLUMNS * nv) /* M^-1 in lanes: right-hand sides */             \
  A(gather, double, 1, 75 * JN_MAX_LANES * rows) /* scratch: dofs gathered in lanes */             \
  A(direction, double, 1, (3 * rows + 1) * JN_MAX_LANES * nv) /* directions in lanes */            \
  A(direction_link, direction_link, 1, JN_MAX_LANES * nlink) /* ... per link */                    \
  /* constraints: core/constraints */                                                              \
  A(cut_vectors, double, 15 * rows, 15 * rows * ncut) /* points and axes that move with links */   \
  A(cut_twists, six1, rows, rows * ncut)         /* V_a - V_b */                                   \
  A(world_twist, six1, rows, rows * ncut)        /* of world sides, given */                       \
  A(world_frame, double, 12, 12 * ncut)          /* pose of world sides: R, p from the base */     \
  A(row_wrench, six1, rows, rows * nrow)         /* w of every row */                              \
  A(lambda, double, 1, rows * nrow)              /* constraint forces, order-major */              \
  A(row_scale, double, 1, nrow)                  /* size of a row without cancellation */          \
  A(row_jacobian, double, 1, rows * nrow * nv)   /* J, order-major */                              \
  A(row_factor, double, 1, nrow ? (nrow + 7) * (nv + nrow) : 0) /* L^-1 J^T or J^T, factored, */   \
  A(row_basis, double, 1, (nrow + 7) * nrow)     /* ... and the second part; padded: qr.h */       \
  A(row_beta, double, 1, 2 * nrow)               /* factors of the reflections */                  \
  A(row_null, double, 1, rows * nrow * (nrow + 1)) /* null space of J^T and coefficients */        \
  A(row_Q, double, 1, nrow * nv)                 /* inverse dynamics: basis of the joint forces */ \
  A(row_equations, double, 1, nrow * nv)         /* ... factor of the equations */                 \
  A(row_objective, double, 1, nrow * nv)         /* ... and of the forces to minimise */           \
  A(row_force, double, 1, nrow ? 2 * rows * nv : 0) /* ... jets of residuals and multipliers */    \
  A(row_weight, double, 1, nrow ? nv : 0)        /* weights of the joints' forces */               \
  A(row_scratch, double, nrow + 7, nrow ? 12 * (nrow + 7) : 0) /* scratch: vectors [nrow] */       \
  A(held, double, 1, ncut ? nlink : 0)           /* flags of joints: assembly */                   \
  A(block_index, double, 1, ncut ? 2 * (ncut + nrow + nv + nlink) + 16 : 0) /* blocks of rows */   \
  /* partial derivatives with constraints: core/constraints/closed.h */                            \
  A(motion_lambda, double, 1, rows * nrow)       /* constraint forces along the motion */          \
  A(row_response, double, 1, nrow * nv)          /* M^-1 J^T, by rows of J */                      \
  A(cut_force, six1, rows, rows * ncut)          /* sum of w lambda */                             \
  A(field, double, 1, nrow ? 2 * rows * nv : 0)  /* velocities y whose J y is differentiated */    \
  A(field_screw, six1, rows, nrow ? 2 * rows * nlink : 0)       /* S y of every link */            \
  A(field_own, six1, 6 * rows, nrow ? 12 * rows * nlink : 0)    /* ... of dS - ad_P S */           \
  A(field_twist, six1, rows, 2 * rows * ncut)    /* of the fields: V_a - V_b */                    \
  A(link_shift, double, 1, nrow ? 6 * JN_MAX_LANES * rows * nlink : 0) /* D, in lanes from here */ \
  A(cut_shift, double, 1, 15 * JN_MAX_LANES * rows * ncut) /* variations of points and axes, */    \
  A(row_shift, double, 1, 6 * JN_MAX_LANES * rows * nrow)  /* of w, */                             \
  A(twist_shift, double, 1, 6 * JN_MAX_LANES * rows * ncut) /* of V_a - V_b, */                    \
  A(field_shift, double, 1, 12 * JN_MAX_LANES * rows * ncut) /* of the fields, */                  \
  A(field_link, double, 1, nrow ? 12 * JN_MAX_LANES * nlink : 0) /* at every link; */              \
  A(lambda_shift, double, 1, JN_MAX_LANES * rows * nrow)   /* of lambda, */                        \
  A(push_shift, double, 1, 2 * JN_MAX_LANES * rows * nrow) /* dJ y, */                             \
  A(place_shift, double, 1, 2 * JN_MAX_LANES * nrow)       /* of closure and J v */                \
  A(lane_scratch, double, 1, 4 * JN_MAX_LANES * nrow)      /* scratch: four vectors [nrow] */      \
  A(settled, double, 1, nrow ? rows * (3 * nrow + 3 * nv) : 0) /* scratch: jets of one direction */ \
  A(other_factor, double, 1, nrow ? (nrow + 7) * (nv + 1 + nrow) : 0) /* J^T: as row_factor, */    \
  A(other_basis, double, 1, (nrow + 7) * nrow)   /* row_basis, */                                  \
  A(other_beta, double, 1, 2 * nrow)             /* row_beta, */                                   \
  A(other_index, double, 1, ncut ? 2 * (ncut + nrow + nv + nlink) + 16 : 0) /* block_index */      \
  /* eliminated joints: core/coupled.h */                                                          \
  A(tree_q, double, 1, coupled * nq)             /* configuration of the tree */                   \
  A(tree_rows, double, rows * nv, coupled * 6 * rows * nv) /* motions and forces: coupled.h */     \
  A(tree_jacobian, double, 1, coupled * 6 * (rows + 1) * nv) /* Jacobian of the tree */            \
  A(tree_mass, double, 1, coupled * nv * nv)     /* its mass matrix */                             \
  A(own_mass, double, 1, coupled * nv * nv)      /* that of the model, factored */                 \
  A(tree_matrices, double, 1, coupled * jn_coupled_room(m, order)) /* partial derivatives */       \
  /* scratch */                                                                                    \
  A(frame, double, 1, 36 * (rows + 1))           /* scratch: jets of one frame */                  \
  A(given, double, 1, nv > 5 ? 6 * rows : 0)     /* spatial twist of a free base, given */         \
  A(out, double, rows * nv, 3 * rows * nv)       /* results before they are written */             \
  A(dof, double, nv, 6 * nv)                     /* scratch: six vectors [nv] */
/* clang-format on */

typedef struct jn_work {
  int rows, nv, nrow;
  int turning; /* whether `base` holds the jets of the rotation of a free base */
#define JN_WORK_FIELD(name, element, stride, count) double *name;
  JN_WORK_PACK(JN_WORK_FIELD) JN_WORK_SINGLE(JN_WORK_FIELD)
#undef JN_WORK_FIELD
} jn_work;

#endif
