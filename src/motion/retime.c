/* retime.c: the fastest clock along a path: options, the path, memory. */
#include "motion/retime.h"

#include <jounce/rotors.h>
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "motion/clock_cost.h"

/* of the path: its relative accuracy, relative to the largest of all joints, absolute */
static const double at_rest = 1e-6, jump_of_joint = 1e-5, jump_of_path = 1e-7, jump_at_all = 1e-12;
static const double spare_speed =
    1.2e-3; /* found faster by so much where speeds at the ends are given */
jn_retime_options jn_retime_options_default(void) {
  return (jn_retime_options){.speed = {HUGE_VAL, HUGE_VAL}, .tolerance = 1e-5};
}

/* Limits. */

static jn_status check_options(const jn_model *model, const jn_retime_options *o, jn_error *error) {
  const int given = o->ends == JN_ENDS_GIVEN;
  for (int i = 0; i < 2; i++)
    if (!(o->speed[i] > 0) && !(given && o->speed[i] == 0))
      return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                     "the speed at an end must be positive, found %.6g", o->speed[i]);
  if (given && o->objective != JN_OBJECTIVE_TIME)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "given speeds at the ends need the objective time");
  const int integral =
      o->objective == JN_OBJECTIVE_EFFORT || o->objective == JN_OBJECTIVE_EFFORT_RATE;
  if ((int)o->objective < 0 || o->objective > JN_OBJECTIVE_MIXED ||
      (o->objective == JN_OBJECTIVE_MIXED && !(o->weight > 0 && o->weight < HUGE_VAL)))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "unknown objective, or a mixed one without a positive weight");
  if (!(o->duration >= 0) || (integral && !(o->duration > 0)))
    return jn_fail(
        error, JN_ERR_ARGUMENT, NULL, 0,
        integral && o->duration == 0
            ? "this objective needs a duration: without one a slower motion always costs less"
            : "the duration must not be negative");
  if (o->tools < 0 || (o->tools && !o->tool))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "tools is negative, or tool is NULL");
  for (int i = 0; i < o->tools; i++)
    if (o->tool[i].frame < 0 || o->tool[i].frame >= jn_model_frame_count(model) ||
        !(o->tool[i].speed > 0))
      return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                     "tool %d: a frame of the model and a positive speed expected", i);
  return JN_OK;
}

static jn_status check_ranges(const retiming *x) {
  for (int i = 0; i < x->rows * JN_LIMIT_KINDS; i++) {
    const int row = i / JN_LIMIT_KINDS, kind = i % JN_LIMIT_KINDS;
    const jn_limit_range *r = &x->range[i];
    if (kind == JN_LIMIT_POSITION || kind == JN_LIMIT_EFFORT || (r->low <= 0 && r->high >= 0))
      continue;
    return jn_fail(x->error, JN_ERR_ARGUMENT, NULL, 0,
                   "%s of '%s': the limits %.6g and %.6g exclude zero, the value at rest",
                   jn_limit_quantity(x->model, row, (jn_limit_kind)kind),
                   jn_limit_name(x->model, row).text, r->low, r->high);
  }
  return JN_OK;
}

/* The path. */

/* q and v, v', v'' (derivatives by u) at u */
static jn_status path_at(retiming *x, double u) {
  return jn_trajectory_at(x->path, u, 1, x->representation, x->q, x->v);
}

/* Largest |v|, |v'| of every degree of freedom: x->size [2 x nv]. */
static jn_status measure(retiming *x) {
  const double start = jn_trajectory_start(x->path), length = jn_trajectory_end(x->path) - start;
  memset(x->size, 0, 2 * (size_t)x->nv * sizeof *x->size);
  for (int n = 0; n <= 64; n++) {
    jn_status status = path_at(x, n == 64 ? start + length : start + length * n / 64);
    if (status) return status;
    for (int i = 0; i < 2 * x->nv; i++) x->size[i] = fmax(x->size[i], fabs(x->v[i]));
  }
  return JN_OK;
}

/* The number of derivatives that vanish at u: 0, 1, or 2 and more. */
static jn_status contact(retiming *x, double u, int *zeros) {
  jn_status status = path_at(x, u);
  *zeros = 2;
  for (int i = 2 * x->nv - 1; i >= 0 && !status; i--)
    if (fabs(x->v[i]) > at_rest * x->size[i] && x->size[i] > 0) *zeros = i / x->nv;
  return status;
}

jn_status jn_retime_reclock(retiming *x, int count, const double *rows) {
  jn_trajectory *made = NULL;
  const jn_status status = jn_trajectory_clocked(x->path, count, rows, &x->hooks, &made, x->error);
  if (status) return status;
  jn_trajectory_free(x->own);
  x->path = x->own = made;
  x->rate[0] *= rows[2];
  x->rate[1] *= rows[5 * (count - 1) + 2];
  return JN_OK;
}

/* The path with a start and an end that are at rest. With q ~ u^k at an end, k = 3 suits limits of
 * rates and k = 2 limits of forces. A path that moves there is run through by p(s), p ~ s^e:
 * polynomials p(s) = 1 - P(1 - s) from 0 to 1 with exponents e at 0 and f at 1. */
static jn_status rest_ends(retiming *x) {
  static const double table[3][3][6] = {
      /* p', p'', p''' at 0, then at 1; [e-1][f-1] */
      {{1, 0, 0, 1, 0, 0}, {1.5, 0, -3, 0, -3, -3}, {2, 0, -12, 0, 0, 12}},
      {{0, 3, -3, 1.5, 0, -3}, {0, 6, -12, 0, -6, -12}, {0, 12, -48, 0, 0, 24}},
      {{0, 0, 12, 2, 0, -12}, {0, 0, 24, 0, -12, -48}, {0, 0, 60, 0, 0, 60}}};
  const double start = jn_trajectory_start(x->path), end = jn_trajectory_end(x->path),
               length = end - start;
  int zeros[2], e[2];
  if (x->options.ends == JN_ENDS_FREE) return JN_OK;
  for (int side = 0; side < 2; side++) {
    e[side] = 1;
    if (x->options.ends == JN_ENDS_GIVEN && x->options.speed[side] > 0) continue;
    jn_status status = contact(x, side ? end : start, &zeros[side]);
    if (status) return status;
    const int want = x->options.without_rates ? 1 : 2;
    e[side] = zeros[side] >= want ? 1 : zeros[side] == 1 ? 2 : want + 1;
  }
  if (e[0] == 1 && e[1] == 1) return JN_OK;
  const double *p = table[e[0] - 1][e[1] - 1];
  const double row[10] = {start, start, p[0], p[1] / length, p[2] / (length * length),
                          end,   end,   p[3], p[4] / length, p[5] / (length * length)};
  return jn_retime_reclock(x, 2, row);
}

double jn_retime_given_time(const retiming *x, double u) {
  double low = jn_trajectory_start(x->given), high = jn_trajectory_end(x->given), wanted, at;
  if (x->path == x->given || jn_trajectory_clock(x->path, u, 0, &wanted)) return u;
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);
    if (jn_trajectory_clock(x->given, middle, 0, &at)) return u;
    *(at < wanted ? &low : &high) = middle;
  }
  return high;
}

/* Velocity and acceleration must not jump. */
static jn_status check_jumps(retiming *x) {
  const double start = jn_trajectory_start(x->path), end = jn_trajectory_end(x->path);
  const int nv = x->nv;
  double *left = x->tau, largest[2] = {0, 0}; /* 2 nv; of all degrees of freedom: what is noise */
  for (int i = 0; i < 2 * nv; i++) largest[i / nv] = fmax(largest[i / nv], x->size[i]);
  for (double u = jn_trajectory_next_break(x->path, start); u < end;
       u = jn_trajectory_next_break(x->path, u)) {
    jn_status status = path_at(x, u - JN_BEFORE * (fabs(u) + end - start));
    if (!status) memcpy(left, x->v, 2 * (size_t)nv * sizeof *left);
    if (!status) status = path_at(x, u);
    if (status) return status;
    for (int i = 0; i < 2 * nv; i++)
      if (fabs(x->v[i] - left[i]) >
          jump_of_joint * x->size[i] + jump_of_path * largest[i / nv] + jump_at_all)
        return jn_fail(x->error, JN_ERR_ARGUMENT, NULL, 0,
                       "the %s of '%s' jumps at t = %.6g of the path: the motion would have to "
                       "stop there; use a path with a continuous second derivative (minimum of "
                       "derivative 2 or more, splines of degree 3 or more), or split it there",
                       i < nv ? "velocity" : "acceleration", jn_limit_name(x->model, i % nv).text,
                       jn_retime_given_time(x, u));
  }
  return JN_OK;
}

/* Both sides of the breaks of the path; of very many, as many as fit. */
jn_status jn_retime_list_breaks(retiming *x) {
  enum { MOST = 20000 };
  const double end = jn_trajectory_end(x->path);
  x->start = jn_trajectory_start(x->path);
  jn_block_free(&x->hooks, x->breaks);
  x->breaks = NULL;
  for (int pass = 0; pass < 2; pass++) {
    int n = 0;
    for (double u = jn_trajectory_next_break(x->path, x->start); u < end && n < MOST;
         u = jn_trajectory_next_break(x->path, u), n += 2)
      if (pass) x->breaks[n] = u - JN_BEFORE * (fabs(u) + end - x->start), x->breaks[n + 1] = u;
    x->break_count = n;
    if (pass || !n) break;
    if (!(x->breaks = jn_block_new(&x->hooks, (size_t)n, sizeof *x->breaks))) return JN_ERR_MEMORY;
  }
  return JN_OK;
}

/* Memory. */

double jn_retime_point(const retiming *x, int i) {
  const int beyond = i - x->p.points, quarter = i - x->p.stride, cell = 1 + quarter / 2;
  if (quarter >= 0) return x->start + x->p.h * (cell + (quarter % 2 ? 0.75 : 0.25));
  return beyond < 0 ? jn_clock_point(&x->p, x->start, i) : x->beyond[beyond];
}

/* The quarters whose rows may not be interpolated: a break of the path is among the points that would be
 * used. Their number. */
static int mark_exact(retiming *x) {
  const int N = x->p.cells;
  const double h = (jn_trajectory_end(x->path) - x->start) / N;
  int count = 0;
  for (int i = 0; i < x->quarters && x->all_exact; i++)
    x->exact[i] = x->p.points + x->break_count + count++;
  for (int i = 0; i < x->break_count; i += 2) {
    const int at = (int)((x->breaks[i] - x->start) / h);
    for (int cell = at - 1; cell <= at + 1; cell++)
      for (int side = 0; side < 2; side++) {
        const int quarter = 2 * (cell - 1) + side;
        if (quarter < 0 || quarter >= x->quarters || x->exact[quarter]) continue;
        x->exact[quarter] = x->p.points + x->break_count + count++;
      }
  }
  return count;
}

/* What the grid does not change. */
static jn_status place(retiming *x) {
  const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
  x->coordinate = jn_block_new(&x->hooks, nv + 1, sizeof *x->coordinate);
  const size_t rotors = (size_t)x->rotors;
  x->numbers = jn_block_new(
      &x->hooks,
      JN_RETIME_STATES * (3 * nq + (3 + 9 + 6) * nv + 6 * rotors) + 6 * rotors + 3 * nv + 1,
      sizeof(double));
  if (!x->coordinate || !x->numbers) return JN_ERR_MEMORY;
  double *at = x->numbers;
  x->q = at, at += JN_RETIME_STATES * 3 * nq;
  x->v = at, at += JN_RETIME_STATES * 3 * nv;
  x->w = at, at += JN_RETIME_STATES * 9 * nv;
  x->tau = at, at += JN_RETIME_STATES * 6 * nv;
  x->thrust = at, at += JN_RETIME_STATES * 6 * rotors;
  x->P = at, at += 6 * rotors;
  if (rotors) jn_rotor_allocation(x->model, NULL, x->P, NULL);
  x->size = at, at += 2 * nv;
  x->damping = at;
  for (int i = 0; i < jn_model_body_count(x->model); i++) {
    const jn_joint *j = jn_model_joint(x->model, i);
    for (int c = 0; c < j->nv; c++) {
      x->coordinate[j->iv + c] = j->nq == j->nv ? j->iq + c : -1;
      x->damping[j->iv + c] = jn_data_settings(x->data)->damping ? j->damping : 0;
    }
  }
  for (size_t i = 0; i < nv; i++) x->p.damped |= x->damping[i] > 0;
  jn_status status = jn_batch_new(x->model, 1, 1, &x->hooks, &x->batch);
  if (status) return status;
  *jn_batch_settings(x->batch) = *jn_data_settings(x->data);
  jn_batch_settings(x->batch)->formulation = JN_FORM_BODY;
  jn_batch_settings(x->batch)->damping = 0; /* it is added to the rows */
  return JN_OK;
}

/* Room for the numbers of a grid: table, what is tightened, arrays of the solver and its active rows. Of a
 * small grid, where they are a larger part, twice, for a solve that goes on from another. */
static void reserve(retiming *x, int cells, size_t rows) {
  const size_t points = (size_t)jn_clock_points(cells), table = 4 * rows, tight = rows,
               solver = points < 2048 ? 2 * (50 + 4 * rows) : 50 + 2 * rows;
  jn_pool_reserve(x->pool, sizeof(double) * points * (table + tight + solver));
}

static jn_status place_grid(retiming *x, int cells, int fine) {
  jn_clock_problem *p = &x->p;
  const size_t rows = 5 * (size_t)x->rows + 2;
  p->cells = cells;
  p->points = jn_clock_points(cells);
  reserve(x, cells > x->finest ? cells : x->finest, rows);
  x->quarters = fine ? 2 * (cells - 2) : 0;
  x->exact = jn_block_new(&x->scratch, (size_t)x->quarters, sizeof *x->exact);
  if (!x->exact) return JN_ERR_MEMORY;
  x->all = p->points + (fine ? x->break_count + mark_exact(x) : 0);
  p->stride = (x->all + 7) / 8 * 8;
  x->row = jn_block_new(&x->scratch, rows, sizeof *x->row);
  x->active = jn_block_new(&x->scratch, rows * (size_t)jn_clock_chunks(p->points), 1);
  x->unsure = jn_block_new(&x->scratch, (size_t)cells, 1);
  if (!x->row || !x->active || !x->unsure) return JN_ERR_MEMORY;
  jn_retime_list_rows(x);
  const size_t stride = (size_t)p->stride, second = (size_t)p->second * stride,
               third = (size_t)p->third * stride, knots = (size_t)p->cells + 1,
               places = stride + (size_t)x->quarters;
  x->chunks = jn_clock_chunks(x->all);
  const size_t peaks = (rows + 1) * (size_t)x->chunks;
  const int of_damping = p->damped ? 1 : 0;
  const size_t cost =
      x->options.objective == JN_OBJECTIVE_TIME ? 0 : JN_COST_FORMS * JN_COST_NUMBERS * stride;
  x->table = jn_block_raw(&x->scratch,
                          (3 + (size_t)of_damping) * second + (4 + 2 * (size_t)of_damping) * third +
                              2 * rows + 2 * stride + 5 * places + 7 * knots + peaks + cost +
                              (size_t)(x->all - p->points),
                          sizeof(double));
  if (!x->table) return JN_ERR_MEMORY;
  double *at = x->table;
  double **const of_second[] = {&p->s0, &p->s1, &p->sg, &p->sd};
  double **const of_third[] = {&p->r0, &p->r1, &p->r2, &p->rg, &p->d0, &p->d1};
  double **const of_points[] = {&p->cap, &x->use},
                 **const of_places[] = {&x->cap, &x->b, &x->b1, &x->b2, &x->root};
  for (int i = 0; i < 3 + of_damping; i++) *of_second[i] = at, at += second;
  for (int i = 0; i < 4 + 2 * of_damping; i++) *of_third[i] = at, at += third;
  for (int i = 0; i < 2; i++) *of_points[i] = at, at += stride;
  for (int i = 0; i < 5; i++) *of_places[i] = at, at += places;
  p->high = at, at += rows;
  p->low = at, at += rows;
  x->solution.c = at, at += knots;
  x->clock = at, at += 5 * knots;
  x->fast = at, at += knots;
  x->peak = at, at += peaks;
  x->beyond = at, at += x->all - p->points;
  x->cost = cost ? at : NULL;
  if (cost) memset(x->cost, 0, cost * sizeof *x->cost);
  /* the rows are filled later; after the last point a motion that uses nothing */
  for (size_t i = 0; i < places; i++) x->b[i] = 1, x->b1[i] = x->b2[i] = x->cap[i] = 0;
  for (size_t i = (size_t)x->all; i < stride; i++) x->cap[i] = JN_NO_CAP, p->cap[i] = 1;
  p->time = 1, p->cost = NULL, p->deadline = HUGE_VAL;
  return JN_OK;
}

void jn_retime_release_grid(retiming *x) {
  jn_block_free(&x->scratch, x->row);
  jn_block_free(&x->scratch, x->active);
  jn_block_free(&x->scratch, x->unsure);
  jn_block_free(&x->scratch, x->exact);
  jn_clock_forget(&x->solution);
  jn_block_free(&x->scratch, x->table);
  jn_block_free(&x->scratch, x->tight);
  x->row = NULL;
  x->active = x->unsure = NULL;
  x->exact = NULL;
  x->table = x->tight = NULL;
  x->p.active = NULL;
}

void jn_retime_release(retiming *x) {
  jn_retime_release_grid(x);
  if (x->pool) jn_pool_free(x->pool);
  jn_block_free(&x->hooks, x->pool);
  jn_block_free(&x->hooks, x->coordinate);
  jn_block_free(&x->hooks, x->breaks);
  jn_block_free(&x->hooks, x->excess);
  jn_block_free(&x->hooks, x->numbers);
  jn_batch_free(x->batch);
  jn_trajectory_free(x->own);
}

jn_status jn_retime_grid(retiming *x, int cells, int fine, const double *c, int from) {
  jn_retime_release_grid(x);
  jn_status status = place_grid(x, cells, fine);
  if (status) return status;
  x->breach.remedy = NULL;
  x->room = 1;
  x->doubt = 0;
  x->p.h = (jn_trajectory_end(x->path) - x->start) / cells;
  for (int i = 0; fine && i < x->break_count; i++) x->beyond[i] = x->breaks[i];
  for (int i = 0; i < x->quarters; i++)
    if (x->exact[i]) x->beyond[x->exact[i] - x->p.points] = jn_retime_point(x, x->p.stride + i);
  if (c) {
    memcpy(x->solution.c, c, (size_t)(from + 1) * sizeof *c);
    for (int n = from; n < cells; n *= 2) jn_clock_halve(x->solution.c, n + 1);
    jn_clock_values(&x->p, x->solution.c, x->b, x->b1, x->b2);
  }
  return jn_retime_fill_rows(x, c != NULL);
}

jn_status jn_retime_begin(retiming *x) {
  x->pool = jn_block_new(&x->hooks, 1, sizeof *x->pool);
  if (!x->pool) return JN_ERR_MEMORY;
  x->pool->below = x->hooks;
  x->scratch = jn_pool_hooks(x->pool);
  x->passes = jn_clock_passes_choose();
  x->given = x->path;
  x->rate[0] = x->rate[1] = 1;
  x->lead = 1 + spare_speed;
  jn_status status = place(x);
  if (!status) status = measure(x);
  double moves = 0;
  for (int i = 0; i < x->nv && !status; i++) moves = fmax(moves, x->size[i]);
  if (!status && !(moves > 0))
    return jn_fail(x->error, JN_ERR_ARGUMENT, NULL, 0, "the path does not move");
  if (!status) status = rest_ends(x);
  if (!status) status = measure(x);
  if (!status) status = jn_retime_even_path(x);
  if (!status && x->own) status = measure(x);
  if (!status) status = check_jumps(x);
  return status ? status : jn_retime_list_breaks(x);
}

static jn_status run(retiming *x, jn_trajectory **out, jn_retime_report *report) {
  jn_status status = jn_limit_ranges_check(x->model, x->range, x->error);
  if (!status) status = check_ranges(x);
  if (!status) status = jn_retime_begin(x);
  if (!status) status = jn_retime_rounds(x, out, report);
  if (status && x->error && !x->error->message[0])
    jn_fail(x->error, status, NULL, 0, "%s", jn_status_text(status));
  return status;
}

jn_status jn_retime(const jn_model *model, jn_data *data, const jn_trajectory *path,
                    const jn_limit_range *range, const jn_retime_options *options,
                    const jn_allocator *allocator, jn_trajectory **out, jn_retime_report *report,
                    jn_error *error) {
  const jn_retime_options o = options ? *options : jn_retime_options_default();
  jn_error own = {0};
  if (o.intervals > JN_MAX_INTERVALS)
    return jn_fail(error, JN_ERR_LIMIT, NULL, 0, "at most %d intervals", JN_MAX_INTERVALS);
  if (!model || !data || !path || !range || !out || (o.intervals != 0 && o.intervals < 16) ||
      !(o.tolerance > 0) || !(o.tolerance < 1) || (int)o.ends < 0 || o.ends > JN_ENDS_GIVEN)
    return jn_fail(
        error, JN_ERR_ARGUMENT, NULL, 0,
        "an argument is NULL or out of range: 0 or 16 to %d intervals, tolerance between 0 "
        "and 1",
        JN_MAX_INTERVALS);
  const jn_status refused = check_options(model, &o, error);
  if (refused) return refused;
  if (jn_data_order(data) < 1)
    return jn_fail(error, JN_ERR_ORDER, NULL, 0, "data of order 1 needed");
  retiming x = {.model = model, .data = data, .path = path, .range = range, .options = o};
  x.error = &own;
  x.hooks = jn_allocator_or_default(allocator);
  x.nv = jn_model_nv(model);
  x.nq = jn_model_nq(model);
  x.rows = jn_limit_rows(model);
  x.rotors = jn_limit_rotors(model, range) ? jn_model_rotor_count(model) : 0;
  x.representation = jn_data_settings(data)->representation;
  jn_retime_report made = {0};
  jn_trajectory *motion = NULL;
  jn_status status = run(&x, &motion, &made);
  jn_retime_release(&x);
  if (status) {
    if (error) *error = own;
    return status;
  }
  *out = motion;
  if (report) *report = made;
  return JN_OK;
}
