/* freedoms.h (core): inertias and wrenches of the links with one link per lane, and the matrices of
 * partial derivatives with one degree of freedom (dof) per lane (partials.h). The dofs of a subtree
 * are consecutive, so both a row and a column against its subtree are runs of lanes. */
#ifndef JOUNCE_CORE_DERIVATIVES_FREEDOMS_H
#define JOUNCE_CORE_DERIVATIVES_FREEDOMS_H

#include <string.h>

#include "scalar/pack.h"

#include "core/derivatives/mass_factor.h"
#include "core/derivatives/mass_solve.h"
#include "core/derivatives/variation.h"

#if LANES == 8
#define GATHER(p, n) \
  ((real){p[0][n], p[1][n], p[2][n], p[3][n], p[4][n], p[5][n], p[6][n], p[7][n]})
#elif LANES == 4
#define GATHER(p, n) ((real){p[0][n], p[1][n], p[2][n], p[3][n]})
#elif LANES == 2
#define GATHER(p, n) ((real){p[0][n], p[1][n]})
#else
#define GATHER(p, n) (p[0][n])
#endif

/* reals per order that are gathered below: M, M', P, W, N; of links R, O, c, J, Y and V, a, M, M', P, W */
static_assert((10 + 10 + 6 + 6 + 36) * LANES <= 75 * JN_MAX_LANES, "gather in data.h");
static_assert((27 + 2 * 44) * LANES <= 2 * 75 * JN_MAX_LANES, "gather in data.h");

#if LANES > 1
#define LANE(x, s) ((x)[s])
typedef long long lane_mask __attribute__((vector_size(8 * LANES)));
static inline real masked(real x, lane_mask m) { return (real)((lane_mask)x & m); }
/* x and y, each zero where the other is not */
static inline real joined(real x, real y) { return (real)((lane_mask)x | (lane_mask)y); }
#else
#define LANE(x, s) (x)
typedef int lane_mask;
static inline real masked(real x, lane_mask m) { return m ? x : 0.0; }
static inline real joined(real x, real y) { return x + y; }
#endif
/* an element of one state (core/work.h) as an array */
static inline double *numbers_of(void *element) { return (double *)element; }
static inline column_jet *block_of(const variation *x, int b) {
  return (column_jet *)(void *)x->w->Pc + (size_t)b * (size_t)x->rows;
}

/* links and dofs of the lanes of block b, searched from link *at on; unused lanes repeat the last
 * dof; single: every joint has one dof */
typedef struct lane_links {
  int link[LANES], freedom[LANES], single;
} lane_links;

static inline lane_links links_of(const jn_model *m, int b, int *at) {
  lane_links t = {.single = 1};
  for (int s = 0; s < LANES; s++) {
    int j = b * LANES + s;
    if (j >= m->nv) j = m->nv - 1;
    while (m->link[*at].iv + m->link[*at].nv <= j) ++*at;
    t.link[s] = *at;
    t.freedom[s] = j;
    t.single &= m->link[*at].nv == 1;
  }
#if LANES == 1 /* the choice of blocks of two, whose bits are those of strict settings */
  for (int i = 0; i < m->nlink; i++)
    if (m->link[i].iv <= (b ^ 1) && (b ^ 1) < m->link[i].iv + m->link[i].nv)
      t.single &= m->link[i].nv == 1;
#endif
  return t;
}

/* to[i] = number i of every lane's array, i < n; and back. Numbers that have just been stored one by one
 * are loaded one by one: a wider load would wait. */
INLINE void gather_each(const double *const *from, size_t n, real *to) {
  for (size_t i = 0; i < n; i++) to[i] = GATHER(from, i);
}
#if LANES == 4
static inline void transpose(const solve_pack *a, solve_pack *out) {
  const solve_pack p = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6),
                   q = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7),
                   r = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6),
                   s = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}
INLINE void gather(const double *const *from, size_t n, real *to) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const solve_pack a[4] = {*(const solve_pack *)(const void *)(from[0] + i),
                             *(const solve_pack *)(const void *)(from[1] + i),
                             *(const solve_pack *)(const void *)(from[2] + i),
                             *(const solve_pack *)(const void *)(from[3] + i)};
    transpose(a, (solve_pack *)(to + i));
  }
  for (; i < n; i++) to[i] = GATHER(from, i);
}
INLINE void scatter(const real *from, size_t n, double *const *to) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    solve_pack a[4];
    transpose((const solve_pack *)(from + i), a);
    for (int s = 0; s < 4; s++) *(solve_pack *)(void *)(to[s] + i) = a[s];
  }
  for (; i < n; i++)
    for (int s = 0; s < 4; s++) to[s][i] = from[i][s];
}
#else
INLINE void gather(const double *const *from, size_t n, real *to) { gather_each(from, n, to); }
INLINE void scatter(const real *from, size_t n, double *const *to) {
  for (size_t i = 0; i < n; i++)
    for (int s = 0; s < LANES; s++) to[s][i] = LANE(from[i], s);
}
#endif

/* Inertias and their rates, momenta and wrenches of all links, one link per lane. */
INLINE void links_of_order(const variation *x, const int K) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  const size_t n = (size_t)K + 1, rows = (size_t)x->rows;
  real *R = (real *)w->gather, *O = R + 9, *c = O + 3, *J = c + 3, *Y = J + 6, *V = Y + 6,
       *a = V + 6 * rows, *M = a + 6 * rows, *Md = M + 10 * rows, *P = Md + 10 * rows,
       *W = P + 6 * rows;
  for (int b = 0; b < m->nlink; b += LANES) {
    const double *from[8][LANES];
    double *to[4][LANES];
    for (int s = 0; s < LANES; s++) {
      const int i = b + s < m->nlink ? b + s : m->nlink - 1;
      from[0][s] = w->R + 9 * rows * (size_t)i, from[1][s] = w->O + 3 * (size_t)i;
      from[2][s] = m->link[i].c, from[3][s] = m->link[i].J;
      from[4][s] = numbers_of(Yd_of(w, i));
      from[5][s] = numbers_of(Vs_of(w, i)), from[6][s] = numbers_of(As_of(w, i));
      from[7][s] = &m->link[i].m;
      to[0][s] = numbers_of(Ms_of(w, i)), to[1][s] = numbers_of(Md_of(w, i));
      to[2][s] = numbers_of(Ps_of(w, i)), to[3][s] = numbers_of(Ws_of(w, i));
    }
    gather(from[0], 9, R), gather(from[1], 3, O);
    gather(from[2], 3, c), gather(from[3], 6, J);
    if (x->second) gather(from[4], 6, Y);
    gather_each(from[5], 6 * n, V), gather_each(from[6], 6 * n, a);
    /* c = R c + O, J = R J R^T - m [c][c] */
    inertia10 *first = (inertia10 *)M;
    gather(from[7], 1, &first->m);
    sym3_rotate(R, J, first->J);
    inertia10_about_origin(first, v3_add(load_v3(O), m3_apply(R, load_v3(c))));
    variation_link(K, x->second ? (const six *)Y : NULL, (const six *)V, (const six *)a, first,
                   (inertia10 *)Md, (six *)P, (six *)W);
    scatter(M, 10 * n, to[0]), scatter(Md, 10 * n, to[1]);
    scatter(P, 6 * n, to[2]), scatter(W, 6 * n, to[3]);
  }
}
ENTRY_FUNCTION void freedoms_links(const variation *x) {
  WITH_ORDER(K, x->K, links_of_order(x, K));
}

/* to += from, n numbers */
INLINE void add_numbers(double *restrict to, const double *restrict from, size_t n) {
  size_t j = 0;
  for (; j + LANES <= n; j += LANES)
    *(solve_pack *)(void *)(to + j) += *(const solve_pack *)(const void *)(from + j);
  for (; j < n; j++) to[j] += from[j];
}

/* Wrenches minus applied ones; `subtrees`: sums of all over subtrees (composites). */
INLINE void composites_of_order(const variation *x, const int K, int subtrees) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  const size_t rows = (size_t)x->rows, n = (size_t)K + 1;
  for (size_t i = 0; i < (size_t)m->nlink && x->loaded; i++)
    for (size_t j = 6 * rows * i; j < 6 * (rows * i + n); j++) w->Ws[j] -= w->ext[j];
  for (int i = m->nlink - 1; i > 0 && subtrees; i--) {
    const int p = m->link[i].parent;
    add_numbers(numbers_of(Ms_of(w, p)), numbers_of(Ms_of(w, i)), 10 * n);
    add_numbers(numbers_of(Md_of(w, p)), numbers_of(Md_of(w, i)), 10 * n);
    add_numbers(numbers_of(Ps_of(w, p)), numbers_of(Ps_of(w, i)), 6 * n);
    add_numbers(numbers_of(Ws_of(w, p)), numbers_of(Ws_of(w, i)), 6 * n);
    if (x->moving) add_numbers(numbers_of(Ns_of(w, p)), numbers_of(Ns_of(w, i)), 36 * n);
  }
}
ENTRY_FUNCTION void variation_composites(const variation *x, int subtrees) {
  WITH_ORDER(K, x->K, composites_of_order(x, K, subtrees));
}

/* P, P', X, S, Y of all columns, for velocities held in the body or in space. Vp, ap: twist, and
 * acceleration minus gravity, of the parent or, in space, of the link; V: twist of the other one. */
INLINE void columns_of_order(const variation *x, const int K) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  const size_t n = 6 * ((size_t)K + 1), rows = (size_t)x->rows;
  const jn_vec3 g = x->data->settings.gravity;
  const int space = held_in_space(x);
  /* the world: twist 0, acceleration minus gravity (0, -g) */
  double *rest = w->gather, *fall = rest + 8 * rows;
  real *Vp = (real *)(fall + 8 * rows), *ap = Vp + 6 * rows, *V = ap + 6 * rows, *S = V + 6 * rows;
  memset(rest, 0, sizeof(double) * 16 * rows);
  fall[3] = -g.x, fall[4] = -g.y, fall[5] = -g.z;
  for (int b = 0, at = 0; b * LANES < m->nv; b++) {
    const lane_links t = links_of(m, b, &at);
    const double *from[5][LANES];
    column_jet *c = block_of(x, b);
    for (int s = 0; s < LANES; s++) {
      const int i = t.link[s], p = m->link[i].parent, held = space && link_is_free(&m->link[i]),
                with = held ? i : p, other = held ? p : i;
      from[0][s] = with < 0 ? rest : numbers_of(Vs_of(w, with));
      from[1][s] = with < 0 ? fall : numbers_of(As_of(w, with));
      from[2][s] = other < 0 ? rest : numbers_of(Vs_of(w, other));
      from[3][s] = numbers_of(S_of(w, t.freedom[s]));
      from[4][s] = held ? numbers_of(Su_of(w, t.freedom[s])) : from[3][s];
    }
    gather(from[0], n, Vp);
    gather(from[1], n, ap);
    gather(from[3], n, S);
    EACH(k, 0, K) c[k].S = ((const six *)S)[k];
    EACH(k, 0, K) if (k == 0 || t.single || x->second) c[k].P = c[k].S;
    if (space && !t.single) gather(from[4], 6, (real *)&c->P);
    variation_transport(K, t.single || x->second, (const six *)Vp, (const six *)ap, c);
    if (t.single) {
      EACH(k, 0, K) c[k].Y = six_times(2.0, c[k].P1);
      continue;
    }
    /* Y = ad(V_parent + V) S */
    gather(from[2], n, V);
    for (size_t j = 0; j < n; j++) V[j] += Vp[j];
    EACH(k, 0, K) {
      six s = six_ad(((const six *)V)[0], c[k].S);
      EACH(h, 1, k) s = six_add(s, six_ad(((const six *)V)[h], c[k - h].S));
      c[k].Y = s;
    }
  }
}
ENTRY_FUNCTION void freedoms_columns(const variation *x) {
  WITH_ORDER(K, x->K, columns_of_order(x, K));
}

/* A, B, M, T, Z of all columns, from the composites */
INLINE void carry_of_order(const variation *x, const int K) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  const size_t n = (size_t)K + 1, rows = (size_t)x->rows;
  real *M = (real *)w->gather, *Md = M + 10 * rows, *P = Md + 10 * rows, *W = P + 6 * rows,
       *N = W + 6 * rows;
  const carried all = {(const inertia10 *)M, (const inertia10 *)Md, (const six *)P, (const six *)W,
                       x->moving ? (const six *)N : NULL};
  for (int b = 0, at = 0; b * LANES < m->nv; b++) {
    const lane_links t = links_of(m, b, &at);
    const double *from[5][LANES];
    for (int s = 0; s < LANES; s++) {
      const int i = t.link[s];
      from[0][s] = numbers_of(Ms_of(w, i));
      from[1][s] = numbers_of(Md_of(w, i));
      from[2][s] = numbers_of(Ps_of(w, i));
      from[3][s] = numbers_of(Ws_of(w, i));
      from[4][s] = numbers_of(Ns_of(w, i));
    }
    gather(from[0], 10 * n, M);
    gather(from[1], 10 * n, Md);
    gather(from[2], 6 * n, P);
    gather(from[3], 6 * n, W);
    if (x->moving) gather(from[4], 36 * n, N);
    variation_wrench_by_phi(K, all, block_of(x, b));
    variation_wrenches_by_dv(K, all, block_of(x, b));
    variation_covectors(K, all, block_of(x, b));
  }
}
ENTRY_FUNCTION void freedoms_carry(const variation *x) {
  WITH_ORDER(K, x->K, carry_of_order(x, K));
}

#ifndef JN_BAKED
/* squared magnitude of all columns: the sum of the squares of their numbers */
ENTRY_FUNCTION double freedoms_magnitude(const variation *x) {
  enum { SUMS = 6 };
  const int n = x->moving ? JN_SIZE_column_jet : 6 * JN_Z;
  real s[SUMS] = {{0}};
  double sum = 0;
  for (int b = 0; b * LANES < x->m->nv; b++)
    for (int k = 0; k <= x->K; k++) {
      const real *c = (const real *)(block_of(x, b) + k);
      for (int j = 0; j < n; j += SUMS)
        for (int h = 0; h < SUMS; h++) s[h] += c[j + h] * c[j + h];
    }
  s[0] = ((s[0] + s[1]) + (s[2] + s[3])) + (s[4] + s[5]);
  for (int h = 0; h < LANES; h++) sum += s[0][h];
  return sum;
}
#endif

/* Rows of matrices. Row d of A, B, M: the columns of the ancestors of d and of its own joint from
 * X, P', P in lanes and U, T of the row (by motion), those of its subtree from A, B, M in lanes and S
 * of the row (by wrenches).
 * All others are zero. Dofs are in depth-first order: e < d is an ancestor of d if its subtree ends
 * after d. */
typedef struct row_space {
  const variation *x;
  int blocks;
  real *end;             /* of each dof: one past the last dof of its subtree; 0 beyond nv */
  double *reach;         /* of each block: the largest of these */
  solve_pack *A, *B, *M; /* jets of the row, [K+1][blocks] each */
  real *line;            /* scratch: one row of a matrix, [blocks] */
  int several[2];        /* the links with several dofs are among these, from..to-1 */
  int spatial;           /* spatial representation */
} row_space;

/* the dofs of a block, the first of which is j */
static inline real dofs_from(int j) {
  real t = {0};
  for (int s = 0; s < LANES; s++) LANE(t, s) = s;
  return t + (double)j;
}

/* E of the links with several dofs with the component of v in lanes, from the columns of w->Ev */
static inline void rows_transpose_maps(const variation *x, const jn_link *l) {
  for (int c = 0; c < l->nv; c++)
    for (int k = 0; k < x->K; k++)
      for (int e = 0; e < 8; e++)
        Et_of(x->w, l->iv + c)[8 * k + e] = e < l->nv ? Ev_of(x->w, l->iv + e)[6 * k + c] : 0;
}

static inline row_space rows_begin(const variation *x) {
  const jn_model *m = x->m;
  const int blocks = (m->nv + LANES - 1) / LANES;
  real *at = (real *)(void *)x->w->row, *jets = at + 2 * blocks;
  const size_t jet = (size_t)blocks * (size_t)x->rows;
  row_space r = {.x = x,
                 .blocks = blocks,
                 .end = at,
                 .reach = (double *)(at + blocks),
                 .A = (solve_pack *)jets,
                 .B = (solve_pack *)(jets + jet),
                 .M = (solve_pack *)(jets + 2 * jet),
                 .line = jets + 3 * jet,
                 .spatial = x->data->settings.representation == JN_SPATIAL};
  double *end = (double *)r.end;
  for (int j = m->nv; j < blocks * LANES; j++) end[j] = 0;
  for (int b = 0; b < blocks; b++) r.reach[b] = 0;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const double stop = dofs_end(m, i);
    for (int j = l->iv; j < l->iv + l->nv; j++) {
      end[j] = stop;
      if (stop > r.reach[j / LANES]) r.reach[j / LANES] = stop;
    }
    if (l->nv < 2 || x->second) continue;
    rows_transpose_maps(x, l);
    if (!r.several[1]) r.several[0] = i;
    r.several[1] = i + 1;
  }
  return r;
}

/* U = M, T and S of one order of a row, the same in all lanes */
typedef struct row_parts {
  six U, T, S;
} row_parts;

INLINE six row_six(const row_space *r, int d, int h, jn_part part) {
  const double *c = column_at(r->x, d, h) + 6 * part * LANES;
  return (six){v3_make(real_of(c[0]), real_of(c[LANES]), real_of(c[2 * LANES])),
               v3_make(real_of(c[3 * LANES]), real_of(c[4 * LANES]), real_of(c[5 * LANES]))};
}
INLINE row_parts row_parts_of(const row_space *r, int d, int h) {
  return (row_parts){row_six(r, d, h, JN_M), row_six(r, d, h, JN_T), row_six(r, d, h, JN_S)};
}
INLINE real row_dot_angular(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE real row_dot(six a, six b) { return row_dot_angular(a.w, b.w) + row_dot_angular(a.v, b.v); }

/* A, B, M of one row in the columns of one block */
typedef struct row_values {
  real A, B, M;
} row_values;

/* one term of row_by_motion, order h of the row with order k - h of the columns */
INLINE row_values row_motion_term(const row_space *r, const row_parts *row, int d, int h,
                                  const column_jet *e) {
  row_values t = {.A = row_dot(row->U, e->X) + row_dot_angular(row->T.w, e->P1.w),
                  .B = row_dot(row->U, e->Y) + row_dot_angular(row->T.w, e->S.w),
                  .M = row_dot(row->U, e->S)};
  if (r->x->moving) t.A += column_dot(column_at(r->x, d, h), JN_Z, e->P);
  return t;
}
/* Order k of row d for columns c of ancestors of d and of its own joint:
 *   A = U.X + T.P' + Z.P,   B = U.Y + T.S,   M = U.S      first: order 0 of the row */
INLINE row_values row_by_motion(const row_space *r, const row_parts *first, int d, int k,
                                const column_jet *c) {
  row_values t = row_motion_term(r, first, d, 0, &c[k]);
  EACH(h, 1, k) {
    const row_parts row = row_parts_of(r, d, h);
    const row_values s = row_motion_term(r, &row, d, h, &c[k - h]);
    t.A += s.A, t.B += s.B, t.M += s.M;
  }
  return t;
}
/* The same for columns of the subtree, from their wrenches:  A = S.A,   B = S.B,   M = S.M */
INLINE row_values row_by_wrench(const row_space *r, const row_parts *first, int d, int k,
                                const column_jet *c) {
  row_values t = {row_dot(first->S, c[k].A), row_dot(first->S, c[k].B), row_dot(first->S, c[k].M)};
  EACH(h, 1, k) {
    const six S = row_six(r, d, h, JN_S);
    t.A += row_dot(S, c[k - h].A);
    t.B += row_dot(S, c[k - h].B);
    t.M += row_dot(S, c[k - h].M);
  }
  return t;
}

INLINE void row_store(const row_space *r, int b, int k, row_values t, lane_mask mask) {
  const int at = k * r->blocks + b;
  r->A[at] = masked(t.A, mask), r->B[at] = masked(t.B, mask), r->M[at] = masked(t.M, mask);
}
/* s in the lanes of `some`, t in those of `others`, else 0 */
INLINE void row_store_both(const row_space *r, int b, int k, row_values s, lane_mask some,
                           row_values t, lane_mask others) {
  const int at = k * r->blocks + b;
  r->A[at] = joined(masked(s.A, some), masked(t.A, others));
  r->B[at] = joined(masked(s.B, some), masked(t.B, others));
  r->M[at] = joined(masked(s.M, some), masked(t.M, others));
}
INLINE void row_zero(const row_space *r, int b, int from, int to) {
  const solve_pack zero = {0};
  EACH(k, from, to) {
    const int at = k * r->blocks + b;
    r->A[at] = zero, r->B[at] = zero, r->M[at] = zero;
  }
}

/* A, B, M of orders from..to of row d, a dof of link i. Order 0 of the row stays in registers. Columns
 * before `split` are computed by motion, the others by wrenches. In spatial representation the screws
 * of a free joint do not vary with its own displacement, so that its own columns are like those of
 * the subtree. */
INLINE void row_jets(const row_space *r, int i, int d, int from, int to) {
  const variation *x = r->x;
  const jn_link *l = &x->m->link[i];
  const int own = x->own && link_is_free(l), split = own && r->spatial ? l->iv : l->iv + l->nv,
            end = dofs_end(x->m, i);
  const real row = real_of(d), over = real_of(end);
  const row_parts first = row_parts_of(r, d, 0);
  int b = 0;
  for (; (b + 1) * LANES <= split; b++) {
    if (r->reach[b] > d) {
      const lane_mask mask = r->end[b] > row;
      EACH(k, from, to) row_store(r, b, k, row_by_motion(r, &first, d, k, block_of(x, b)), mask);
    } else {
      row_zero(r, b, from, to);
    }
  }
  real at = dofs_from(b * LANES);
  if (b * LANES < split) { /* both in one block */
    const column_jet *c = block_of(x, b);
    const lane_mask below = (at < real_of(split)) & (r->end[b] > row),
                    above = (at >= real_of(split)) & (at < over);
    EACH(k, from, to) {
      const row_values t = row_by_motion(r, &first, d, k, c);
      if (split < end)
        row_store_both(r, b, k, t, below, row_by_wrench(r, &first, d, k, c), above);
      else
        row_store(r, b, k, t, below);
    }
    b++, at += (double)LANES;
  }
  for (; b * LANES < end; b++, at += (double)LANES)
    EACH(k, from, to) row_store(r, b, k, row_by_wrench(r, &first, d, k, block_of(x, b)), at < over);
  for (; b < r->blocks; b++) row_zero(r, b, from, to);
  /* a free joint in hybrid or mixed representation */
  for (int e = 0; e < l->nv && own && !r->spatial; e++)
    for (int k = from; k <= to; k++)
      ((double *)(r->A + k * r->blocks))[l->iv + e] += Ow_of(x->w, d)[6 * k + e];
}

/* Whether row d may be stored whole: its last block may have more lanes than columns, which belong to
 * the next row, yet to be written. */
INLINE int row_is_whole(const row_space *r, int d) {
  return d < r->x->m->nv - 1 || r->x->m->nv % LANES == 0;
}
/* Order 0 of all rows: A, B, M are the results, and a row is computed where it belongs (NULL: not
 * wanted). */
APART void rows_in_place(const variation *x, double *A, double *B, double *M) {
  const jn_model *m = x->m;
  const row_space scratch = rows_begin(x);
  const size_t nv = (size_t)m->nv, bytes = sizeof(double) * nv;
  const int damping = x->data->settings.damping;
  row_space r = scratch;
  for (int i = 0; i < m->nlink; i++)
    for (int d = m->link[i].iv; d < m->link[i].iv + m->link[i].nv; d++) {
      const size_t row = (size_t)d * nv;
      const int whole = row_is_whole(&r, d);
      r.A = whole && A ? (solve_pack *)(void *)(A + row) : scratch.A;
      r.B = whole && B ? (solve_pack *)(void *)(B + row) : scratch.B;
      r.M = whole && M ? (solve_pack *)(void *)(M + row) : scratch.M;
      row_jets(&r, i, d, 0, 0);
      if (!whole && A) memcpy(A + row, r.A, bytes);
      if (!whole && B) memcpy(B + row, r.B, bytes);
      if (!whole && M) memcpy(M + row, r.M, bytes);
      if (B && damping) B[row + (size_t)d] += m->link[i].damping;
      if (M) M[row + (size_t)d] += m->link[i].armature;
    }
}

/* order k of the jet of column c */
INLINE double jet_number(const row_space *r, const solve_pack *jet, int k, int c) {
  return ((const double *)(jet + k * r->blocks))[c];
}

/* out: the columns of link l with several dofs,
 *   f (B_(k-j) + j M_(k-j+1) + sum_(n=j+1..k) E_(n-j-1) A_(k-n)/n) */
INLINE void row_fold(const row_space *r, const jn_link *l, int k, int j, double f, double *out) {
  solve_pack sum[8 / LANES];
  for (int g = 0; g < 8 / LANES; g++) sum[g] = (solve_pack){0};
  EACH(n, j + 1, k)
  for (int c = 0; c < l->nv; c++) {
    const double t = jet_number(r, r->A, k - n, l->iv + c) * (1.0 / n);
    const double *E = Et_of(r->x->w, l->iv + c) + 8 * (n - j - 1);
    for (int g = 0; g < 8 / LANES; g++)
      sum[g] += t * *(const solve_pack *)(const void *)(E + g * LANES);
  }
  for (int e = 0; e < l->nv; e++) {
    double t = jet_number(r, r->B, k - j, l->iv + e) + ((const double *)(const void *)sum)[e];
    if (j > 0) t += j * jet_number(r, r->M, k - j + 1, l->iv + e);
    out[l->iv + e] = f * t;
  }
}

/* The blocks of row d that are stored whole; the columns that remain of the last row are stored by
 * row_rest. */
INLINE int row_blocks(const row_space *r, int d) {
  return row_is_whole(r, d) ? r->blocks : r->x->m->nv / LANES;
}
static inline void row_rest(const row_space *r, int blocks, const real *t, double *out) {
  for (int c = blocks * LANES; c < r->x->m->nv; c++) out[c] = LANE(*t, c - blocks * LANES);
}
/* out[nv] = f times row d of a jet, order k */
INLINE void row_put(const row_space *r, int d, const solve_pack *jet, int k, double f,
                    double *out) {
  const int blocks = row_blocks(r, d);
  const solve_pack *t = jet + k * r->blocks;
  for (int b = 0; b < blocks; b++) *(solve_pack *)(void *)(out + b * LANES) = f * t[b];
  if (blocks == r->blocks) return;
  const real last = f * t[blocks];
  row_rest(r, blocks, &last, out);
}

/* block b of row_line */
INLINE real row_entries(const row_space *r, int b, int k, int j, double f) {
  const int n = r->blocks;
  real t = {0};
  if (j > 0) t = r->M[(k - j + 1) * n + b];
  if (j <= k) t = j > 0 ? r->B[(k - j) * n + b] + (double)j * t : r->B[(k - j) * n + b];
  if (j < k) t = f * (t + (1.0 / (j + 1)) * r->A[(k - j - 1) * n + b]);
  return t;
}
/* out[nv] = row d, a dof of link i, of
 *   d tau^(k) / d v^(j) = k!/j! (A_(k-j-1)/(j+1) + B_(k-j) + j M_(k-j+1)),   f = k!/j!
 * for columns of joints with one dof, row_fold for the others. j = k+1: the mass matrix. */
INLINE void row_line(const row_space *r, int i, int d, int k, int j, double f, double *out) {
  const variation *x = r->x;
  const jn_link *l = &x->m->link[i];
  const int n = r->blocks, blocks = row_blocks(r, d), end = dofs_end(x->m, i);
  for (int b = 0; b < blocks; b++)
    *(solve_pack *)(void *)(out + b * LANES) = row_entries(r, b, k, j, f);
  if (blocks < n) {
    const real last = row_entries(r, blocks, k, j, f);
    row_rest(r, blocks, &last, out);
  }
  for (int s = r->several[0]; s < r->several[1] && j < k; s++) {
    const jn_link *a = &x->m->link[s];
    const int above = s <= i && dofs_end(x->m, s) > d;
    if (a->nv > 1 && (above || (s > i && a->iv < end))) row_fold(r, a, k, j, f, out);
  }
  if (j > k) out[d] += l->armature;
  if (j == k && x->data->settings.damping) out[d] += l->damping;
}

/* 0 where all numbers of a row are finite, else NaN */
static inline double row_finite(const row_space *r, const double *row) {
  double t = 0;
  for (int c = 0; c < r->x->m->nv; c++) t += 0.0 * row[c];
  return t;
}

/* All orders: dq, dv of jn_inverse_partials (NULL: not wanted). `write` = 0 only checks that all
 * entries are finite. */
INLINE int matrices_of_inverse(const variation *x, const int K, double *dq, double *dv, int write) {
  const jn_model *m = x->m;
  const row_space r = rows_begin(x);
  const size_t nv = (size_t)m->nv, size = nv * nv;
  double finite = 0, *line = (double *)r.line;
  for (int i = 0; i < m->nlink; i++)
    for (int d = m->link[i].iv; d < m->link[i].iv + m->link[i].nv; d++) {
      const size_t row = (size_t)d * nv;
      double factorial = 1;
      row_jets(&r, i, d, 0, K);
      EACH(k, 0, K) {
        if (k > 1) factorial *= k;
        if (dq) row_put(&r, d, r.A, k, factorial, write ? dq + (size_t)k * size + row : line);
        if (dq && !write) finite += row_finite(&r, line);
        if (!dv) continue;
        double f = 1, *block = dv + (size_t)k * ((size_t)K + 2) * size + row;
        EACH_DOWN(j, 0, k + 1) {
          row_line(&r, i, d, k, j, f, write ? block + (size_t)j * size : line);
          if (!write) finite += row_finite(&r, line);
          if (j <= k) f *= j;
        }
        for (int j = k + 2; j <= K + 1 && write; j++)
          memset(block + (size_t)j * size, 0, sizeof(double) * nv);
      }
    }
  return finite == 0.0;
}
ENTRY_FUNCTION int freedoms_fill(const variation *x, double *dq, double *dv, int write) {
  const size_t size = (size_t)x->m->nv * (size_t)x->m->nv;
  if (!write) return matrices_of_inverse(x, x->K, dq, dv, 0);
  if (x->K > 0) WITH_ORDER(K, x->K, return matrices_of_inverse(x, K, dq, dv, 1));
  rows_in_place(x, dq, dv, dv ? dv + size : NULL);
  return 1;
}

/* Order k alone, along a direction: A, B, M of the folded columns. */
static inline void put_related(const row_space *r, const solve_pack *line, const jn_block_at *o,
                               int i, int d) {
  const jn_model *m = r->x->m;
  const double *from = (const double *)line;
  if (!o->at) return;
  double *out = o->at + (size_t)d * o->row;
  for (int a = i; a >= 0; a = m->link[a].parent)
    for (int c = m->link[a].iv; c < m->link[a].iv + m->link[a].nv; c++)
      out[(size_t)c * o->column] = from[c];
  for (int c = m->link[i].iv + m->link[i].nv; c < dofs_end(m, i); c++)
    out[(size_t)c * o->column] = from[c];
}
ENTRY_FUNCTION void freedoms_order(const variation *x, int k, const jn_blocks *o) {
  const jn_model *m = x->m;
  const row_space r = rows_begin(x);
  for (int i = 0; i < m->nlink; i++)
    for (int d = m->link[i].iv; d < m->link[i].iv + m->link[i].nv; d++) {
      row_jets(&r, i, d, k, k);
      put_related(&r, r.A + k * r.blocks, &o->dq, i, d);
      put_related(&r, r.B + k * r.blocks, &o->dv, i, d);
      put_related(&r, r.M + k * r.blocks, &o->M, i, d);
    }
}

/* Forward dynamics (forward_partials.c): rows of R_k += T_kj Z_j. */

/* G packs of columns at[] of out += sum_n t[list[n]] Z[list[n]], row by row of Z, nv numbers each */
INLINE void product_tile(size_t nv, const int *list, int count, const double *t, const double *Z,
                         const size_t *at, double *out, const int G) {
  solve_pack sum[8];
  for (int g = 0; g < G; g++) sum[g] = *(solve_pack *)(void *)(out + at[g]);
  for (int n = 0; n < count; n++) {
    const double *z = Z + (size_t)list[n] * nv, f = t[list[n]];
    for (int g = 0; g < G; g++) sum[g] += f * *(const solve_pack *)(const void *)(z + at[g]);
  }
  for (int g = 0; g < G; g++) *(solve_pack *)(void *)(out + at[g]) = sum[g];
}
/* out[nv] += t Z */
static inline void add_product(int nv, const int *list, int count, const double *t, const double *Z,
                               double *out) {
  size_t at[8];
  if (nv < LANES) {
    for (int n = 0; n < count; n++)
      for (int c = 0; c < nv; c++) out[c] += t[list[n]] * Z[(size_t)list[n] * (size_t)nv + c];
    return;
  }
  const int packs = (nv + LANES - 1) / LANES, tiles = (packs + 7) / 8;
  for (int n = 0, b = 0; n < tiles; n++) {
    const int G = (packs - b) / (tiles - n);
    /* the last pack overlaps its neighbour, which is in the same tile */
    for (int g = 0; g < G; g++, b++)
      at[g] = (size_t)((b + 1) * LANES <= nv ? b * LANES : nv - LANES);
#define CASE(n)                                              \
  case n:                                                    \
    product_tile((size_t)nv, list, count, t, Z, at, out, n); \
    break;
    switch (G) { CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) }
#undef CASE
  }
}

/* columns of row i that are not zero; returns their number */
static inline int row_columns(const jn_model *m, int i, int *list) {
  int n = 0;
  for (int a = i; a >= 0; a = m->link[a].parent)
    for (int e = 0; e < m->link[a].nv; e++) list[n++] = m->link[a].iv + e;
  for (int e = m->link[i].iv + m->link[i].nv; e < dofs_end(m, i); e++) list[n++] = e;
  return n;
}

/* Order k > 0 of forward dynamics before M^-1: T_k and the sum of T_kj Z_j, j = 1..k. */
INLINE void matrices_of_forward(const variation *x, const int k, const jn_forward_columns *out) {
  const jn_model *m = x->m;
  const row_space r = rows_begin(x);
  const size_t nv = (size_t)m->nv, size = nv * nv, n = (size_t)out->orders;
  double factorial = 1;
  int list[JN_DENSE_DOFS];
  for (int j = 2; j <= k; j++) factorial *= j;
  for (int i = 0; i < m->nlink; i++) {
    const int count = row_columns(m, i, list);
    for (int d = m->link[i].iv; d < m->link[i].iv + m->link[i].nv; d++) {
      const size_t at = (size_t)k * size + (size_t)d * nv;
      double *dq = out->dq ? out->dq + at : NULL, *dv = out->dv ? out->dv + at : NULL, f = 1;
      row_jets(&r, i, d, 0, k);
      if (dq) row_put(&r, d, r.A, k, factorial, dq);
      if (dv) row_line(&r, i, d, k, 0, factorial, dv);
      for (int j = k; j > 0; j--) {
        const size_t z = (size_t)j - 1;
        double *t = (double *)r.line;
        row_line(&r, i, d, k, j, f, t);
        if (dq) add_product(m->nv, list, count, t, out->dq + z * size, dq);
        if (dv) add_product(m->nv, list, count, t, out->dv + z * size, dv);
        for (size_t h = 0; h < (size_t)j && out->dtau; h++)
          add_product(m->nv, list, count, t, out->dtau + (z * n + h) * size,
                      out->dtau + ((size_t)k * n + h) * size + (size_t)d * nv);
        f *= j;
      }
    }
  }
}
ENTRY_FUNCTION void freedoms_forward(const variation *x, const jn_forward_columns *out) {
  if (x->K == 0)
    rows_in_place(x, out->dq, out->dv, out->H);
  else
    WITH_ORDER(K, x->K, matrices_of_forward(x, K, out));
}

#endif
