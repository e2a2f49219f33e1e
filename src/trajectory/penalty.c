/* penalty.c: penalised splines: evaluation, one penalty, local penalties. */
#include "trajectory/penalty.h"

#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/elementary.h"

static const double widest_cutoff = 8, least_cutoff = 0.1;
static const double rest_weight = 1e4; /* of a row of rest, relative to the samples of a cell */
static const double least_sum = 1e-3;  /* in the logarithm of an imbalance */
static const double no_change = 1e-12; /* of an imbalance: it gives no slope */
/* range of a product of penalties before its logarithm is taken */
static const double least_product = 1e-60, most_product = 1e60;

/* Rows x^(k) = 0 at the ends, k = 1, 2, 3, heavy against the samples of a cell. */
static void rest_rows(smoother *m) {
  const uniform *u = m->u;
  const double per_cell = rest_weight * m->s->weight / u->cells;
  for (int e = 0; e < 2; e++)
    for (int k = 1; k <= 3 && k < u->degree && m->s->rest[e]; k++) {
      const int r = m->rest_rows++;
      jn_uniform_basis(u, e, k, m->rest[r]);
      m->rest_weight[r] = per_cell;
      for (int i = 0; i < 2 * k; i++) m->rest_weight[r] *= u->h;
    }
}
static int rest_at(const smoother *m, int row) {
  const int at_start = m->s->rest[0] && row < (m->s->rest[1] ? m->rest_rows / 2 : m->rest_rows);
  return at_start ? 0 : m->u->cells - 1;
}

jn_status jn_smoother_new(jn_trajectory *T, const samples *s, const uniform *u, int p,
                          const smoother *like, smoother **out) {
  const size_t K = (size_t)u->controls, w = (size_t)u->degree + 1, n = (size_t)s->numbers;
  const size_t nodes = K / 8 + 2, doubles = K * (4 + w + 3 * n) + 6 * nodes;
  const size_t band = jn_variance_doubles(u->degree, u->cells);
  if (jn_afford(T, doubles + band, sizeof(double), 2.0 * s->count * (double)(w * n)))
    return JN_ERR_LIMIT;
  smoother *m = jn_block_new(&T->hooks, 1, sizeof *m);
  double *x = jn_block_new(&T->hooks, doubles, sizeof *x);
  double *V = jn_block_new(&T->hooks, band, sizeof *x);
  if (!m || !x || !V) {
    jn_block_free(&T->hooks, x);
    jn_block_free(&T->hooks, V);
    jn_block_free(&T->hooks, m);
    jn_repay(T, (doubles + band) * sizeof *x);
    return JN_ERR_MEMORY;
  }
  m->T = T;
  m->doubles = doubles;
  m->V = V;
  m->s = s;
  m->u = u;
  m->p = p;
  m->rows = u->controls - p;
  m->lambda = x;
  m->Dc2 = m->lambda + K;
  m->v = m->Dc2 + K;
  m->change = m->v + K;
  m->L = m->change + K;
  m->c = m->L + K * w;
  m->base = m->c + K * n;
  m->right = m->base + K * n;
  m->node = m->right + K * n;
  m->room = m->node + nodes;
  m->difference[0] = p % 2 ? -1 : 1;
  for (int a = 1; a <= p; a++) m->difference[a] = -m->difference[a - 1] * (p - a + 1) / a;
  rest_rows(m);
  if (like) {
    memcpy(m->right, like->right, K * n * sizeof *m->right);
    m->base_squares = like->base_squares;
  } else {
    jn_smoother_rebase(m);
  }
  *out = m;
  return JN_OK;
}

void jn_smoother_free(jn_trajectory *T, smoother *m) {
  if (!m) return;
  const size_t band = m->V ? jn_variance_doubles(m->u->degree, m->u->cells) : 0;
  jn_repay(T, (m->doubles + band) * sizeof(double));
  jn_block_free(&T->hooks, m->lambda);
  jn_block_free(&T->hooks, m->V);
  jn_block_free(&T->hooks, m);
}

void jn_smoother_rebase(smoother *m) {
  const size_t K = (size_t)m->u->controls;
  double products = 0;
  memcpy(m->base, m->c, K * (size_t)m->s->numbers * sizeof *m->c);
  memset(m->right, 0, K * (size_t)m->s->numbers * sizeof *m->right);
  m->base_squares = 0;
  for (int n = 0; n < m->s->numbers; n++) {
    double product;
    m->base_squares +=
        jn_uniform_residual(m->u, m->s, m->s->y + (size_t)n * (size_t)m->s->count,
                            m->base + (size_t)n * K, NULL, m->right + (size_t)n * K, &product);
    products += product;
  }
  m->correlation = m->base_squares > 0 ? products / m->base_squares : 0;
}

/* A += D^T diag(lambda) D */
static void add_penalty(const smoother *m, double *A) {
  const int p = m->p, w = m->u->degree + 1;
  double square[WIDEST * WIDEST];
  for (int a = 0; a <= p; a++)
    for (int c = a; c <= p; c++) square[a * w + c - a] = m->difference[a] * m->difference[c];
  for (int k = 0; k < m->rows; k++) {
    double *at = A + (size_t)k * (size_t)w;
    const double lambda = m->lambda[k];
    for (int a = 0; a <= p; a++)
      for (int c = 0; c <= p - a; c++) at[a * w + c] += lambda * square[a * w + c];
  }
}

static void add_rest(const smoother *m, double *A) {
  const int w = m->u->degree + 1;
  for (int r = 0; r < m->rest_rows; r++) {
    const double *b = m->rest[r];
    double *at = A + (size_t)rest_at(m, r) * (size_t)w;
    for (int a = 0; a < w; a++)
      for (int c = a; c < w; c++) at[a * w + c - a] += m->rest_weight[r] * b[a] * b[c];
  }
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* change = A^-1 (B^T W (y - B base) - D^T diag(lambda) D base), c = base + change; the sum of
 * squares of the residuals is base_squares - 2 change.right + change.(B^T W B) change */
static void solve_number(smoother *m, int n) {
  const int K = m->u->controls, w = m->u->degree + 1, p = m->p;
  const double *base = m->base + (size_t)n * (size_t)K, *right = m->right + (size_t)n * (size_t)K;
  double *c = m->c + (size_t)n * (size_t)K, *z = m->change;
  memcpy(z, right, (size_t)K * sizeof *z);
  for (int k = 0; k < m->rows; k++) {
    const double d = m->lambda[k] * dot(p + 1, m->difference, base + k);
    for (int a = 0; a <= p; a++) z[k + a] -= d * m->difference[a];
  }
  for (int r = 0; r < m->rest_rows; r++) {
    const int at = rest_at(m, r);
    const double e = m->rest_weight[r] * dot(w, m->rest[r], base + at);
    for (int a = 0; a < w; a++) z[at + a] -= e * m->rest[r][a];
  }
  jn_uniform_solve(K, m->u->degree, m->L, z);
  for (int k = 0; k < K; k++) c[k] = base[k] + z[k];
  m->squares += jn_uniform_form(K, m->u->degree, m->u->gram, z, z) - 2 * dot(K, z, right);
  for (int r = 0; r < m->rest_rows; r++) {
    const double e = dot(w, m->rest[r], c + rest_at(m, r));
    m->squares += m->rest_weight[r] * e * e;
  }
  for (int k = 0; k < m->rows; k++) {
    const double d = dot(p + 1, m->difference, c + k);
    m->Dc2[k] += d * d;
  }
}

/* C: the p polynomials without a penalty, normalised as Legendre polynomials */
static double unpenalised(const smoother *m) {
  const double log_weight = jn_log(m->s->weight), log_cells = jn_log(m->u->cells);
  double C = 0, log_ratio = 0; /* ln j! - ln (2j)! */
  for (int j = 0; j < m->p; j++) {
    if (j > 0) log_ratio += jn_log(j) - jn_log(2.0 * j * (2 * j - 1));
    C += log_weight + 2 * j * log_cells + 2 * log_ratio - jn_log(2 * j + 1);
  }
  return C;
}

/* A factorisation or an inverse. What is missing is noticed before the next smoother is made. */
static void spend_operations(const smoother *m) {
  const double w = m->u->degree + 1;
  m->T->operations -= 2 * m->u->controls * w * w;
}

int jn_smoother_evaluate(smoother *m) {
  const samples *s = m->s;
  const int K = m->u->controls, d = m->u->degree, numbers = s->numbers;
  const double nu = (double)numbers * (s->used + m->rest_rows - m->p);
  double log_det, log_lambda = 0, log_weights = s->log_weights, product = 1;
  spend_operations(m);
  memcpy(m->L, m->u->gram, (size_t)K * (size_t)(d + 1) * sizeof *m->L);
  add_penalty(m, m->L);
  add_rest(m, m->L);
  if (!jn_uniform_factor(K, d, m->L, &log_det)) return 0;
  m->squares = m->base_squares;
  memset(m->Dc2, 0, (size_t)m->rows * sizeof *m->Dc2);
  for (int n = 0; n < numbers; n++) solve_number(m, n);
  m->pen = m->squares;
  for (int k = 0; k < m->rows; k++) {
    m->pen += m->lambda[k] * m->Dc2[k];
    product *= m->lambda[k];
    if (product > least_product && product < most_product && k + 1 < m->rows) continue;
    log_lambda += jn_log(product);
    product = 1;
  }
  for (int r = 0; r < m->rest_rows; r++) log_weights += jn_log(m->rest_weight[r]);
  if (!(m->pen > 0)) m->pen = JN_ABOVE_ZERO;
  m->sigma2 = s->known > 0 ? s->known : fmax(m->pen / nu, s->least);
  m->criterion = nu * jn_log(m->sigma2) + m->pen / m->sigma2 +
                 numbers * (log_det - log_lambda - log_weights - unpenalised(m)) +
                 m->p * s->log_size;
  return 1;
}

void jn_smoother_inverse(smoother *m) {
  const int K = m->u->controls, w = m->u->degree + 1, p = m->p;
  spend_operations(m);
  jn_uniform_inverse(K, m->u->degree, m->L, m->V);
  for (int k = 0; k < m->rows; k++) {
    const double *V = m->V + (size_t)k * (size_t)w;
    double sum = 0;
    for (int a = 0; a <= p; a++) {
      double row = m->difference[a] * V[a * w];
      for (int c = a + 1; c <= p; c++) row += 2 * m->difference[c] * V[a * w + c - a];
      sum += m->difference[a] * row;
    }
    m->v[k] = sum;
  }
  m->edf = 0;
  for (int k = 0; k < K; k++) {
    const double *V = m->V + (size_t)k * (size_t)w, *G = m->u->gram + (size_t)k * (size_t)w;
    double sum = 0;
    for (int i = 1; i < w; i++) sum += V[i] * G[i];
    m->edf += V[0] * G[0] + 2 * sum;
  }
}

double jn_smoother_variance(const smoother *m, int j, const double *a, const double *b) {
  return jn_uniform_block(m->u->degree, m->V + (size_t)j * (size_t)(m->u->degree + 1), a, b);
}

/* One penalty. */

double jn_smoother_cutoff(const smoother *m) {
  double least = HUGE_VAL;
  for (int k = 0; k < m->rows; k++) least = fmin(least, m->lambda[k]);
  return jn_pow(m->s->weight / m->u->cells / least, 0.5 / m->p);
}

double jn_smoother_lambda(const smoother *m, double cutoff) {
  return m->s->weight / m->u->cells * jn_pow(cutoff, -2.0 * m->p);
}

static int try_one(smoother *m, double log_lambda) {
  const double lambda = jn_exp(log_lambda);
  for (int k = 0; k < m->rows; k++) m->lambda[k] = lambda;
  return jn_smoother_evaluate(m);
}

/* ln(E/Q), E = sum 1 - lambda v, Q = sum lambda (D c)^2/sigma^2: zero at an extremum of the
 * criterion, positive where lambda should grow */
static double imbalance(smoother *m) {
  double E = 0, Q = 0;
  jn_smoother_inverse(m);
  for (int k = 0; k < m->rows; k++) {
    E += 1 - m->lambda[k] * m->v[k];
    Q += m->lambda[k] * m->Dc2[k];
  }
  Q /= m->sigma2;
  return jn_log(fmax(m->s->numbers * E, least_sum)) - jn_log(fmax(Q, least_sum));
}

/* The penalty with the least criterion of a few cut-offs; ln lambda, or HUGE_VAL: none. */
static double coarse_search(smoother *m) {
  static const double grid[] = {0.2, 0.5, 1, 1.7, 2.6, 4};
  double best = HUGE_VAL, x = HUGE_VAL;
  for (size_t i = 0; i < sizeof grid / sizeof *grid; i++) {
    const double at = jn_log(jn_smoother_lambda(m, grid[i]));
    if (!try_one(m, at) || !(m->criterion < best)) continue;
    best = m->criterion;
    x = at;
  }
  return x;
}

int jn_smoother_coarse(smoother *m) {
  const double x = coarse_search(m);
  m->nodes = 0;
  return x < HUGE_VAL && try_one(m, x);
}

int jn_smoother_one(smoother *m, double start) {
  const double low = jn_log(jn_smoother_lambda(m, widest_cutoff)),
               high = jn_log(jn_smoother_lambda(m, least_cutoff));
  double x = start > 0 ? jn_log(jn_smoother_lambda(m, start)) : coarse_search(m);
  x = fmax(low, fmin(high, x));
  /* secant steps, each at most 2 p, towards the root of the imbalance */
  double before = 0, slope = -0.5, from = 0;
  int found = 0, good = 0;
  for (int i = 0; i < 12; i++) {
    if (!(good = try_one(m, x))) {
      if (x >= high) break;
      x += m->p;
      continue;
    }
    const double f = imbalance(m);
    if (found && x != before && fabs(f - from) > no_change) slope = (f - from) / (x - before);
    if (!(slope < -0.05)) slope = -0.5;
    found = 1;
    before = x;
    from = f;
    double step = fmax(fmin(-f / slope, 2 * m->p), -2 * m->p);
    double next = fmax(low, fmin(high, x + step));
    if (fabs(next - x) < 0.2) break;
    x = next;
  }
  m->nodes = 0;
  if (found && !good && (good = try_one(m, before))) jn_smoother_inverse(m);
  return good;
}

/* Local penalties. */

/* Where row k lies between the nodes: *l and *l + 1, *f of the way. */
static void place(const smoother *m, int k, int *l, double *f) {
  double x = (k + 0.5) / m->rows * m->nodes - 0.5;
  x = fmax(0, fmin(x, m->nodes - 1));
  *l = (int)x;
  if (*l > m->nodes - 2) *l = m->nodes > 1 ? m->nodes - 2 : 0;
  *f = x - *l;
}

static void set_lambda(smoother *m) {
  for (int k = 0; k < m->rows; k++) {
    int l;
    double f;
    place(m, k, &l, &f);
    const int r = l + 1 < m->nodes ? l + 1 : l;
    m->lambda[k] = jn_exp(m->node[l] * (1 - f) + m->node[r] * f);
  }
}

/* Generalised Fellner-Schall step with a prior of weight one that ties a node to its neighbours.
 * Returns the largest change. */
static double step_nodes(smoother *m, double *E, double *Q, double *next) {
  double most = 0;
  memset(E, 0, (size_t)m->nodes * sizeof *E);
  memset(Q, 0, (size_t)m->nodes * sizeof *Q);
  for (int k = 0; k < m->rows; k++) {
    int l;
    double f;
    place(m, k, &l, &f);
    const int r = l + 1 < m->nodes ? l + 1 : l;
    const double e = m->s->numbers * fmax(0, fmin(1, 1 - m->lambda[k] * m->v[k])),
                 q = m->lambda[k] * m->Dc2[k] / m->sigma2;
    E[l] += e * (1 - f), E[r] += e * f;
    Q[l] += q * (1 - f), Q[r] += q * f;
  }
  for (int i = 0; i < m->nodes; i++) {
    const double mean = 0.5 * (m->node[i > 0 ? i - 1 : 0] + m->node[i + 1 < m->nodes ? i + 1 : i]);
    const double tie = jn_exp(fmax(-20, fmin(20, m->node[i] - mean)));
    double step = jn_log((E[i] + 1) / (Q[i] + tie));
    step = fmax(-2, fmin(2, step));
    next[i] = fmax(m->middle - 16, fmin(m->middle + 16, m->node[i] + step));
    most = fmax(most, fabs(step));
  }
  return most;
}

int jn_smoother_local(smoother *m, int rounds) {
  if (!m->nodes) {
    double each = floor(16 / jn_smoother_cutoff(m) + 0.5);
    each = fmax(8, fmin(32, each));
    m->nodes = (int)floor(m->rows / each + 0.5);
    if (m->nodes < 1) m->nodes = 1;
    m->middle = jn_log(m->lambda[0]);
    for (int i = 0; i < m->nodes; i++) m->node[i] = m->middle;
  }
  double *E = m->room, *Q = E + m->nodes, *next = Q + m->nodes, *best = next + m->nodes;
  const size_t size = (size_t)m->nodes * sizeof *best;
  double least = HUGE_VAL;
  for (int i = 0; i < rounds; i++) {
    set_lambda(m);
    if (!jn_smoother_evaluate(m)) break;
    jn_smoother_inverse(m);
    if (m->criterion < least) {
      least = m->criterion;
      memcpy(best, m->node, size);
    }
    const double change = step_nodes(m, E, Q, next);
    memcpy(m->node, next, size);
    if (change < 0.03) break;
  }
  if (least == HUGE_VAL) return 0;
  memcpy(m->node, best, size);
  set_lambda(m);
  jn_smoother_evaluate(m);
  jn_smoother_inverse(m);
  return 1;
}

/* Where a derivative jumps, the differences of the control values are larger than the penalties
 * expect,
 *
 *   Q = sum lambda (D c)^2/sigma^2 > E = sum 1 - lambda v     over the rows around a cell
 *
 * and so is the error. The likelihood chooses the lowest order of differences for such motions; for
 * smooth ones a higher one, and there Q/E is the factor of the variance. */
void jn_smoother_spread(smoother *m, int jumps) {
  enum { REACH = 2 };
  const double gain = jumps ? 5 : 1, least = 0.2;
  double *factor = m->V + (size_t)m->u->controls * (size_t)(m->u->degree + 1);
  for (int j = 0; j < m->u->cells; j++) {
    /* the middle of row k, over control values k .. k + p, is that of cell k - (degree - p)/2 */
    const int middle = j + (m->u->degree - m->p) / 2;
    double Q = least, E = least;
    for (int k = middle - REACH; k <= middle + REACH; k++) {
      if (k < 0 || k >= m->rows) continue;
      Q += m->lambda[k] * m->Dc2[k] / m->sigma2;
      E += m->s->numbers * fmax(0, fmin(1, 1 - m->lambda[k] * m->v[k]));
    }
    factor[j] = fmax(1, gain * Q / E);
  }
}
