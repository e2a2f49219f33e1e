/* freedoms.h (core): the matrices of partial derivatives, one degree of freedom (dof) per lane
 * (partials.h). The dofs of a subtree are consecutive, so both a row and a column against its
 * subtree are runs of lanes. */
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
#else
#define GATHER(p, n) ((real){p[0][n], p[1][n]})
#endif

/* reals per order that are gathered below: M, M', P, W, S, N */
static_assert((10 + 10 + 6 + 6 + 6 + 36) * LANES <= 75 * JN_MAX_LANES, "gather in data.h");

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
  return t;
}

/* to[i] = number i of every lane's array, i < n */
static inline void gather(const double *const *from, size_t n, real *to) {
  for (size_t i = 0; i < n; i++) to[i] = GATHER(from, i);
}

/* unused lanes repeat the last dof: P of orders 0..last */
static inline void freedoms_pad(const variation *x, int last) {
  for (int j = x->m->nv; j % LANES; j++)
    for (int k = 0; k <= last; k++)
      for (int n = 0; n < 6; n++)
        column_at(x, j, k)[n * LANES] = column_at(x, x->m->nv - 1, k)[n * LANES];
}

/* P, P', X of all columns, for velocities held in the body */
ENTRY_FUNCTION void freedoms_columns(const variation *x) {
  const jn_model *m = x->m;
  const size_t n = 6 * ((size_t)x->K + 1), rows = (size_t)x->rows;
  const jn_vec3 g = x->data->settings.gravity;
  /* the world: twist 0, acceleration minus gravity (0, -g) */
  double *rest = x->w->gather, *fall = rest + 8 * rows;
  real *V = (real *)(fall + 8 * rows), *a = V + 6 * rows;
  memset(rest, 0, sizeof(double) * 16 * rows);
  freedoms_pad(x, x->second ? x->K : 0);
  fall[3] = -g.x, fall[4] = -g.y, fall[5] = -g.z;
  for (int b = 0, at = 0; b * LANES < m->nv; b++) {
    const lane_links t = links_of(m, b, &at);
    const double *twist[LANES], *acceleration[LANES];
    for (int s = 0; s < LANES; s++) {
      const int p = m->link[t.link[s]].parent;
      twist[s] = p < 0 ? rest : Vs_of(x->w, p)->x;
      acceleration[s] = p < 0 ? fall : As_of(x->w, p)->x;
    }
    gather(twist, n, V);
    gather(acceleration, n, a);
    variation_transport(x->K, x->second, (const six *)V, (const six *)a, block_of(x, b));
  }
}

/* A, B, M, U, T, Z, Y of all columns, from the composites */
ENTRY_FUNCTION void freedoms_carry(const variation *x) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  const size_t n = (size_t)x->K + 1, rows = (size_t)x->rows;
  real *M = (real *)w->gather, *Md = M + 10 * rows, *P = Md + 10 * rows, *W = P + 6 * rows,
       *S = W + 6 * rows, *N = S + 6 * rows;
  const carried all = {(const inertia10 *)M, (const inertia10 *)Md, (const six *)P, (const six *)W,
                       x->moving ? (const six *)N : NULL};
  for (int b = 0, at = 0; b * LANES < m->nv; b++) {
    const lane_links t = links_of(m, b, &at);
    const double *from[6][LANES];
    for (int s = 0; s < LANES; s++) {
      const int i = t.link[s];
      from[0][s] = Ms_of(w, i)->x;
      from[1][s] = Md_of(w, i)->x;
      from[2][s] = Ps_of(w, i)->x;
      from[3][s] = Ws_of(w, i)->x;
      from[4][s] = S_of(w, t.freedom[s])->x;
      from[5][s] = Ns_of(w, i)->x;
    }
    gather(from[0], 10 * n, M);
    gather(from[1], 10 * n, Md);
    gather(from[2], 6 * n, P);
    gather(from[3], 6 * n, W);
    gather(from[4], 6 * n, S);
    if (x->moving) gather(from[5], 36 * n, N);
    variation_wrenches(x->K, all, block_of(x, b));
    variation_covectors(x->K, t.single, all, (const six *)S, block_of(x, b));
  }
}

/* One order: d tau / d q, d tau / d v, M. */

/* writes lanes from..to-1 to entries (i, j + lane), or (i + lane, j) */
static inline void put_lanes(double *out, size_t step, int from, int to, real value) {
  double t[LANES];
  if (step == 1 && from == 0 && to == LANES) {
    *(solve_pack *)(void *)out = value;
    return;
  }
  memcpy(t, &value, sizeof t);
  for (int s = from; s < to; s++) out[(size_t)s * step] = t[s];
}
static inline void put_row(const jn_block_at *o, int i, int j, int from, int to, real value) {
  if (o->at)
    put_lanes(o->at + (size_t)i * o->row + (size_t)j * o->column, o->column, from, to, value);
}
static inline void put_column(const jn_block_at *o, int i, int j, int from, int to, real value) {
  if (o->at) put_lanes(o->at + (size_t)i * o->row + (size_t)j * o->column, o->row, from, to, value);
}

/* Dof d of link i against the lanes of block b: as a row (above the diagonal) and as a column
 * (below). */
typedef struct entries {
  real above[3], below[3];
} entries;

static inline entries freedoms_entries(const variation *x, int k, int d, int b) {
  entries e = {0};
  const column_jet *c = block_of(x, b);
  for (int h = 0; h <= k; h++) {
    const double *S = S_of(x->w, d)[h].x, *D, *Sd;
    const column_jet *p = &c[k - h], *r = &c[h];
    D = column_at(x, d, k - h);
    Sd = S_of(x->w, d)[k - h].x;
    e.above[0] += six_dot_plain(S, 1, p->A);
    e.above[1] += six_dot_plain(S, 1, p->B);
    e.above[2] += six_dot_plain(S, 1, p->M);
    e.below[0] += column_dot(D, JN_X, r->U) + column_dot(D, JN_P1, r->T);
    if (x->moving) e.below[0] += column_dot(D, JN_P, r->Z);
    e.below[1] += column_dot(D, JN_Y, r->U) + six_dot_plain(Sd, 1, r->T);
    e.below[2] += six_dot_plain(Sd, 1, r->U);
  }
  return e;
}

/* armature, damping, and the own rows of free joints in other representations than body */
static inline void freedoms_own(const variation *x, const jn_link *l, int k, int d, int b,
                                entries *e) {
  const int j = b * LANES, own = l->iv + l->nv;
  for (int row = l->iv > j ? l->iv : j; row < own && row < j + LANES; row++) {
    const int s = row - j;
    if (link_is_free(l) && x->own) e->below[0][s] += Ow_of(x->w, row)[6 * k + (d - l->iv)];
    if (row != d || k) continue;
    e->below[2][s] += l->armature;
    if (x->data->settings.damping) e->below[1][s] += l->damping;
  }
}

INLINE int matrices_of_order(const variation *x, int k, const jn_blocks *o, int write) {
  const jn_model *m = x->m;
  real bad = {0};
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const int own = l->iv + l->nv, end = dofs_end(m, i);
    for (int d = l->iv; d < own; d++)
      for (int b = l->iv / LANES, j = b * LANES; j < end; b++, j += LANES) {
        entries e = freedoms_entries(x, k, d, b);
        const int first = l->iv > j ? l->iv - j : 0, to = end - j < LANES ? end - j : LANES;
        int past = own > j ? own - j : 0;
        if (past > to) past = to;
        if (first < past && (l->armature != 0 || l->damping != 0 || x->own))
          freedoms_own(x, l, k, d, b, &e);
        if (!write) {
          for (int s = 0; s < LANES; s++)
            for (int n = 0; n < 3 && s >= first && s < to; n++)
              bad[s] += 0.0 * e.below[n][s] + (s < past ? 0.0 : 0.0 * e.above[n][s]);
          continue;
        }
        put_row(&o->dq, d, j, past, to, e.above[0]);
        put_row(&o->dv, d, j, past, to, e.above[1]);
        put_row(&o->M, d, j, past, to, e.above[2]);
        put_column(&o->dq, j, d, first, to, e.below[0]);
        put_column(&o->dv, j, d, first, to, e.below[1]);
        put_column(&o->M, j, d, first, past, e.below[2]);
        put_column(&o->M, j, d, past, to, e.above[2]);
      }
  }
  for (int s = 0; s < LANES; s++) sum += bad[s];
  return sum == 0.0;
}
/* order 0 is compiled with constant arguments */
ENTRY_FUNCTION int freedoms_order(const variation *x, int k, const jn_blocks *out, int write) {
  return k == 0 && write ? matrices_of_order(x, 0, out, 1) : matrices_of_order(x, k, out, write);
}

/* All orders. */

/* output matrices, whether to write them, and otherwise the sum of 0 times all values */
typedef struct target {
  double *dq, *dv;
  int write;
  real finite;
  const jn_forward_columns *forward; /* NULL: write the matrices; else multiply with them */
} target;

/* rows, columns and addresses of the entries of the lanes */
typedef struct places {
  size_t at[LANES];
  int from, to;   /* lanes in use */
  int run;        /* one row, consecutive columns; else one column, row[] */
  int own;        /* lane of the diagonal; -1: none */
  int row[LANES]; /* run: row[0] only */
  int column;     /* of lane 0 */
} places;

static inline void put(target *t, double *out, const places *p, real value) {
  if (!out) return;
  if (!t->write) {
    for (int s = p->from; s < p->to; s++) t->finite[s] += 0.0 * value[s];
  } else if (p->run) {
    put_lanes(out + p->at[0], 1, p->from, p->to, value);
  } else {
    double v[LANES];
    memcpy(v, &value, sizeof v);
    for (int s = p->from; s < p->to; s++) out[p->at[s]] = v[s];
  }
}

/* Forward dynamics (forward_partials.c): R_k += T_kj Z_j for the entries T_kj = value. */

/* R += value Z, Z and R [nv x nv] */
static inline void add_product(const places *p, real value, size_t nv, const double *Z, double *R) {
  double t[LANES];
  memcpy(t, &value, sizeof t);
  if (p->run) {
    const double *z = Z + (size_t)p->column * nv;
    double *r = R + (size_t)p->row[0] * nv;
    size_t c = 0;
    for (; c + LANES <= nv; c += LANES) {
      solve_pack sum = *(solve_pack *)(void *)(r + c);
      for (int s = p->from; s < p->to; s++)
        sum += t[s] * *(const solve_pack *)(const void *)(z + (size_t)s * nv + c);
      *(solve_pack *)(void *)(r + c) = sum;
    }
    for (; c < nv; c++)
      for (int s = p->from; s < p->to; s++) r[c] += t[s] * z[(size_t)s * nv + c];
    return;
  }
  const double *z = Z + (size_t)p->column * nv;
  for (int s = p->from; s < p->to; s++) {
    double *r = R + (size_t)p->row[s] * nv;
    size_t c = 0;
    for (; c + LANES <= nv; c += LANES)
      *(solve_pack *)(void *)(r + c) += t[s] * *(const solve_pack *)(const void *)(z + c);
    for (; c < nv; c++) r[c] += t[s] * z[c];
  }
}

static inline void add_at(double *out, const places *p, real value) {
  if (!out) return;
  for (int s = p->from; s < p->to; s++) out[p->run ? p->at[0] + (size_t)s : p->at[s]] += value[s];
}

/* T_kj times the known columns by q, v and tau */
static inline void multiply(const variation *x, const jn_forward_columns *f, int j, const places *p,
                            real value) {
  const size_t nv = (size_t)x->m->nv, size = nv * nv, k = (size_t)x->K, z = (size_t)j - 1,
               n = (size_t)f->orders;
  if (f->dq) add_product(p, value, nv, f->dq + z * size, f->dq + k * size);
  if (f->dv) add_product(p, value, nv, f->dv + z * size, f->dv + k * size);
  for (size_t i = 0; i < (size_t)j && f->dtau; i++)
    add_product(p, value, nv, f->dtau + (z * n + i) * size, f->dtau + (k * n + i) * size);
}

/* abm: jets a, b, m of column c at abm + 3 (K+1) c; zero for a negative index */
static inline real jet_at(const real *x, int k) {
  const real zero = {0};
  return k < 0 ? zero : x[k];
}

/* sum_m E_(m-j-1) (A_(k-m)/m + B_(k-m+1) + (m-1) M_(k-m+2)), summed over the columns of a link;
 * E = 1 for one dof (l = NULL) */
static inline real by_velocity(const variation *x, const jn_link *l, int d, const real *abm, int k,
                               int j) {
  int K = x->K;
  real sum = {0};
  for (int m = j + 1; m <= k + 2 && (l || m == j + 1); m++)
    for (int c = 0; c < (l ? l->nv : 1); c++) {
      const real *a = abm + 3 * (K + 1) * c, *b = a + K + 1, *M = b + K + 1;
      real t = jet_at(a, k - m) * (1.0 / m) + jet_at(b, k - m + 1);
      if (m > 1) t += (m - 1.0) * jet_at(M, k - m + 2);
      if (l) t *= Ev_of(x->w, (l->iv + d))[6 * (m - j - 1) + c];
      sum += t;
    }
  return sum;
}

/* scatter of order K alone for forward dynamics: T_Kj Z_j is added to order K */
static inline void scatter_forward(const variation *x, const jn_link *l, int d, const real *abm,
                                   const jn_link *diagonal, const places *p, const target *t) {
  const jn_forward_columns *f = t->forward;
  const int k = x->K;
  const size_t size = (size_t)x->m->nv * (size_t)x->m->nv;
  double factorial = 1, scale = 1;
  for (int j = 2; j <= k; j++) factorial *= j;
  if (f->dq) add_at(f->dq + (size_t)k * size, p, factorial * abm[3 * (k + 1) * d + k]);
  if (k == 0) {
    real top = l ? by_velocity(x, l, d, abm, 0, 1) : abm[2 * (k + 1)];
    if (diagonal && p->own >= 0) top[p->own] += diagonal->armature;
    add_at(f->H, p, top);
  }
  for (int j = k; j >= 0; j--) {
    real value = scale * by_velocity(x, l, d, abm, k, j);
    if (diagonal && p->own >= 0 && j == k && x->data->settings.damping)
      value[p->own] += diagonal->damping;
    if (j)
      multiply(x, f, j, p, value);
    else if (f->dv)
      add_at(f->dv + (size_t)k * size, p, value);
    scale *= j;
  }
}

/* Column d of a link l with several dofs, or of a single dof (NULL): Taylor coefficients become
 * derivatives, times k!/j!. `diagonal`: the link whose diagonal the entries may meet. */
static inline void scatter(const variation *x, const jn_link *l, int d, const real *abm,
                           const jn_link *diagonal, const places *p, target *t) {
  const int K = x->K;
  const size_t size = (size_t)x->m->nv * (size_t)x->m->nv;
  double factorial = 1;
  if (t->forward) {
    scatter_forward(x, l, d, abm, diagonal, p, t);
    return;
  }
  real top = l ? by_velocity(x, l, d, abm, 0, 1) : abm[2 * (K + 1)];
  if (diagonal && p->own >= 0) top[p->own] += diagonal->armature;
  for (int k = 0; k <= K; k++) {
    if (k > 1) factorial *= k;
    put(t, t->dq ? t->dq + (size_t)k * size : NULL, p, factorial * abm[3 * (K + 1) * d + k]);
    if (!t->dv) continue;
    /* j = k+1: the mass matrix */
    double f = 1, *block = t->dv + (size_t)k * ((size_t)K + 2) * size;
    put(t, block + ((size_t)k + 1) * size, p, top);
    for (int j = k; j >= 0; j--) {
      real value = f * by_velocity(x, l, d, abm, k, j);
      if (diagonal && p->own >= 0 && j == k && x->data->settings.damping)
        value[p->own] += diagonal->damping;
      put(t, block + (size_t)j * size, p, value);
      f *= j;
    }
  }
}

/* Row d against the columns of block b that belong to joints with one dof. */
static inline void fill_above(const variation *x, int d, int b, int from, int to, target *t) {
  const int n = x->K + 1;
  const size_t nv = (size_t)x->m->nv;
  const double *S = S_of(x->w, d)->x;
  const column_jet *c = block_of(x, b);
  real *abm = (real *)x->w->gather;
  for (int k = 0; k < n; k++) {
    real A = {0}, B = {0}, M = {0};
    for (int h = 0; h <= k; h++) {
      A += six_dot_plain(S + 6 * h, 1, c[k - h].A);
      B += six_dot_plain(S + 6 * h, 1, c[k - h].B);
      M += six_dot_plain(S + 6 * h, 1, c[k - h].M);
    }
    abm[k] = A, abm[n + k] = B, abm[2 * n + k] = M;
  }
  const places p = {{(size_t)d * nv + (size_t)(b * LANES)}, from, to, 1, -1, {d}, b * LANES};
  scatter(x, NULL, 0, abm, NULL, &p, t);
}

/* Rows of block b against the columns of link i, their own link or an ancestor. */
static inline void fill_below(const variation *x, int i, int b, int from, int to, target *t) {
  const jn_link *l = &x->m->link[i];
  const int n = x->K + 1;
  const size_t nv = (size_t)x->m->nv;
  const column_jet *r = block_of(x, b);
  for (int e = 0; e < l->nv; e++) {
    real *abm = (real *)x->w->gather + 3 * n * e;
    for (int k = 0; k < n; k++) {
      real A = {0}, B = {0}, M = {0};
      for (int h = 0; h <= k; h++) {
        const double *D = column_at(x, l->iv + e, k - h);
        A += column_dot(D, JN_X, r[h].U) + column_dot(D, JN_P1, r[h].T);
        if (x->moving) A += column_dot(D, JN_P, r[h].Z);
        B += 2.0 * column_dot(D, JN_P1, r[h].U) + column_dot(D, JN_P, r[h].T);
        M += column_dot(D, JN_P, r[h].U);
      }
      for (int s = from; s < to && x->own && link_is_free(l); s++)
        if (b * LANES + s < l->iv + l->nv) A[s] += Ow_of(x->w, (b * LANES + s))[6 * k + e];
      abm[k] = A, abm[n + k] = B, abm[2 * n + k] = M;
    }
  }
  for (int e = 0; e < l->nv; e++) {
    const int own = l->iv + e - b * LANES;
    places p = {{0}, from, to, 0, own >= from && own < to ? own : -1, {0}, l->iv + e};
    for (int s = from; s < to; s++) {
      p.row[s] = b * LANES + s;
      p.at[s] = (size_t)p.row[s] * nv + (size_t)(l->iv + e);
    }
    scatter(x, l->nv > 1 ? l : NULL, e, (real *)x->w->gather, l, &p, t);
  }
}

/* Rows of the ancestors of link i, in lanes, against its columns; link i has several dofs. */
static inline void fill_several(const variation *x, int i, target *t) {
  const jn_model *m = x->m;
  const jn_link *l = &m->link[i];
  const int n = x->K + 1;
  const size_t nv = (size_t)m->nv;
  real *abm = (real *)x->w->gather, *S = abm + 18 * n;
  const double *from[LANES];
  int row[LANES], count = 0;
  for (int a = l->parent, d = a < 0 ? 0 : m->link[a].nv; a >= 0;) {
    if (d) row[count++] = m->link[a].iv + --d;
    while (a >= 0 && !d) a = m->link[a].parent, d = a < 0 ? 0 : m->link[a].nv;
    if (count < LANES && a >= 0) continue;
    if (!count) break;
    for (int s = 0; s < LANES; s++) from[s] = S_of(x->w, row[s < count ? s : 0])->x;
    gather(from, 6 * (size_t)n, S);
    for (int e = 0; e < l->nv; e++) {
      real *o = abm + 3 * n * e;
      for (int k = 0; k < n; k++) {
        real A = {0}, B = {0}, M = {0};
        for (int h = 0; h <= k; h++) {
          const double *c = column_at(x, l->iv + e, k - h);
          const six s = ((const six *)S)[h];
          A += column_dot(c, JN_A, s), B += column_dot(c, JN_B, s), M += column_dot(c, JN_M, s);
        }
        o[k] = A, o[n + k] = B, o[2 * n + k] = M;
      }
    }
    for (int e = 0; e < l->nv; e++) {
      places p = {{0}, 0, count, 0, -1, {0}, l->iv + e};
      for (int s = 0; s < count; s++) {
        p.row[s] = row[s];
        p.at[s] = (size_t)row[s] * nv + (size_t)(l->iv + e);
      }
      scatter(x, l, e, abm, NULL, &p, t);
    }
    count = 0;
  }
}

/* the run of lanes of block b, starting at `from`, that belong to joints with one dof */
static inline int single_run(const jn_model *m, int b, int *at, int *from, int to) {
  int s;
  for (s = *from; s < to; s++) {
    while (m->link[*at].iv + m->link[*at].nv <= b * LANES + s) ++*at;
    if (m->link[*at].nv > 1) {
      if (s > *from) break;
      ++*from;
    }
  }
  return s;
}

static inline void fill_all(const variation *x, target *t) {
  const jn_model *m = x->m;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const int own = l->iv + l->nv, end = dofs_end(m, i);
    int at = i;
    if (l->nv > 1) fill_several(x, i, t);
    for (int b = l->iv / LANES, j = b * LANES; l->nv && j < end; b++, j += LANES) {
      const int first = l->iv > j ? l->iv - j : 0, to = end - j < LANES ? end - j : LANES;
      fill_below(x, i, b, first, to, t);
      for (int from = own > j ? own - j : 0; from < to;) {
        const int stop = single_run(m, b, &at, &from, to);
        for (int d = l->iv; d < own && from < stop; d++) fill_above(x, d, b, from, stop, t);
        from = stop;
      }
    }
  }
}

ENTRY_FUNCTION int freedoms_fill(const variation *x, double *dq, double *dv, int write) {
  target t = {dq, dv, write, {0}, NULL};
  double sum = 0;
  fill_all(x, &t);
  for (int s = 0; s < LANES; s++) sum += t.finite[s];
  return sum == 0.0;
}

/* Order K of forward dynamics before M^-1: adds T_K and the sum of T_Kj Z_j, j = 1..K. */
ENTRY_FUNCTION void freedoms_forward(const variation *x, const jn_forward_columns *out) {
  target t = {.forward = out};
  fill_all(x, &t);
}

#endif
