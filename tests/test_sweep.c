/* test_sweep.c: rows depend on the sample alone, parameters do what their names say, statistics are
 * those of a sorted list, damage is found, jobs that make no sense are refused. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "helpers/files.h"
#include "helpers/sweeps.h"
#include "sweep/random.h"

static double *rows_of(const jn_sweep *s, uint64_t first, uint64_t count) {
  jn_sweep_worker *w = NULL;
  double *rows = doubles((size_t)count * (size_t)jn_sweep_about(s)->columns);
  assert_ok(jn_sweep_worker_new(s, NULL, &w, NULL));
  assert_ok(jn_sweep_evaluate(w, first, count, rows, NULL, NULL, NULL));
  jn_sweep_worker_free(w);
  return rows;
}

/* Numbers. */

static void check_hash(const char *text, int repeat, const char *want) {
  jn_sha256 h;
  char digest[SHA256_TEXT];
  jn_sha256_begin(&h);
  for (int i = 0; i < repeat; i++) jn_sha256_add(&h, text, strlen(text));
  jn_sha256_end(&h, digest);
  assert_string_equal(digest, want);
}

static void sha256_is_that_of_the_standard(void **state) {
  (void)state;
  check_hash("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  check_hash("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  check_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
             "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  check_hash("aaaaaaaaaa", 100000,
             "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* the known answers of Random123, kat_vectors */
static void philox_is_that_of_its_authors(void **state) {
  (void)state;
  static const uint64_t cases[3][10] = {
      {0, 0, 0, 0, 0, 0, 0x16554d9eca36314cu, 0xdb20fe9d672d0fdcu, 0xd7e772cee186176bu,
       0x7e68b68aec7ba23bu},
      {~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0,
       0x87b092c3013fe90bu, 0x438c3c67be8d0224u, 0x9cc7d7c69cd777b6u, 0xa09caebf594f0ba0u},
      {0x243f6a8885a308d3u, 0x13198a2e03707344u, 0xa4093822299f31d0u, 0x082efa98ec4e6c89u,
       0x452821e638d01377u, 0xbe5466cf34e90c6cu, 0xa528f45403e61d95u, 0x38c72dbd566e9788u,
       0xa5a1610e72fd18b5u, 0x57bd43b5e52b7fe6u}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    uint64_t out[4];
    jn_philox(cases[i], cases[i] + 4, out);
    assert_memory_equal(out, cases[i] + 6, sizeof out);
  }
}

static void normal_quantiles_invert_erfc(void **state) {
  (void)state;
  double worst = 0;
  for (int i = 1; i < 4000; i++) {
    const double p = i < 2000 ? i / 2000.0 : pow(10, -(i - 1999) / 125.0);
    const double x = jn_normal_quantile(p), back = 0.5 * erfc(-x / sqrt(2));
    /* a relative error e of x changes p by x phi(x) e */
    const double slope = fabs(x) * exp(-x * x / 2) / sqrt(2 * M_PI) + p;
    worst = fmax(worst, fabs(back - p) / slope);
    assert_true(p >= 0.5 || x <= 0);
  }
  check_residual("normal quantile", worst, 20 * U);
}

/* Kolmogorov-Smirnov, and neighbours in the sample and in the dimension are independent */
static void random_numbers_are_uniform(void **state) {
  (void)state;
  enum { N = 100000, BINS = 1000 };
  for (unsigned d = 0; d < 6; d++) {
    int bin[BINS] = {0};
    double next = 0, beside = 0, mean = 0;
    for (uint64_t i = 0; i < N; i++) {
      const double u = jn_sweep_uniform(7, i, d);
      assert_true(u > 0 && u < 1);
      bin[(int)(u * BINS)]++;
      mean += u;
      next += (u - 0.5) * (jn_sweep_uniform(7, i + 1, d) - 0.5);
      beside += (u - 0.5) * (jn_sweep_uniform(7, i, d + 1) - 0.5);
    }
    double chi = 0;
    for (int k = 0; k < BINS; k++) chi += pow(bin[k] - N / (double)BINS, 2) / (N / (double)BINS);
    /* five standard deviations of each statistic */
    check_residual("chi^2 of 999 degrees", fabs(chi - 999), 5 * sqrt(2 * 999.0));
    check_residual("mean", fabs(mean / N - 0.5), 5 / sqrt(12.0 * N));
    check_residual("correlation with the next sample", fabs(next / N) * 12, 5 / sqrt((double)N));
    check_residual("correlation with the next parameter", fabs(beside / N) * 12,
                   5 / sqrt((double)N));
  }
}

/* Rows. */

static const char fd_job[] =
    "{\"run\": \"fd\", \"order\": 1, \"samples\": 300, \"seed\": 3, \"vary\": {"
    "\"q:base:wx\": {\"normal\": [0, 1]}, \"q:q2\": {\"uniform\": [-1, 1]}, "
    "\"v:q3\": {\"normal\": [0, 2]}, \"tau':q4\": {\"choice\": [1, 2, 5]}}}";
static const char model_job[] =
    "{\"run\": \"simulate\", \"time\": 0.2, \"samples\": 40, \"seed\": 3, \"instants\": 5, "
    "\"vary\": {"
    "\"payload:B4\": {\"uniform\": [0, 0.3]}, \"v:q3\": {\"normal\": [0, 2]}}}";

static void a_row_depends_on_its_sample_alone(void **state) {
  (void)state;
  const char *const jobs[] = {fd_job, model_job};
  for (size_t j = 0; j < COUNT(jobs); j++) {
    jn_spec *spec = robot_spec("tilthex");
    jn_sweep *s = open_sweep(spec, jobs[j]);
    const uint64_t n = jn_sweep_about(s)->samples;
    const size_t columns = (size_t)jn_sweep_about(s)->columns;
    double *all = rows_of(s, 0, n);
    assert_true(isfinite(largest(all, (size_t)n * columns)));
    /* backwards, in pieces of other sizes, by one worker that has done others before */
    jn_sweep_worker *w = NULL;
    assert_ok(jn_sweep_worker_new(s, NULL, &w, NULL));
    double *piece = doubles(7 * columns);
    for (uint64_t first = n; first > 0;) {
      const uint64_t size = 1 + first / 3 % 7, count = first < size ? first : size;
      first -= count;
      assert_ok(jn_sweep_evaluate(w, first, count, piece, NULL, NULL, NULL));
      assert_true(same_bits(piece, all + first * columns, (size_t)count * columns));
    }
    assert_status(jn_sweep_evaluate(w, n, 1, piece, NULL, NULL, NULL), JN_ERR_ARGUMENT);
    jn_sweep_worker_free(w);
    free(piece);
    free(all);
    jn_sweep_free(s);
    jn_spec_free(spec);
  }
}

/* The inertia of a link with a point mass, by hand: about the new centre of mass
 *   I + m (|d|^2 1 - d d^T) with d = c - c', and the same of the load. */
static void load_by_hand(jn_link_desc *link, double mass, const double at[3]) {
  const double m[2] = {link->mass, mass},
               c[2][3] = {{link->com.x, link->com.y, link->com.z}, {at[0], at[1], at[2]}};
  double com[3];
  for (int k = 0; k < 3; k++) com[k] = (m[0] * c[0][k] + m[1] * c[1][k]) / (m[0] + m[1]);
  for (int b = 0; b < 2; b++) {
    double d[3], square = 0;
    for (int k = 0; k < 3; k++) d[k] = c[b][k] - com[k], square += d[k] * d[k];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) link->inertia.m[i][j] += m[b] * ((i == j) * square - d[i] * d[j]);
  }
  link->mass = m[0] + m[1];
  link->com = jn_v3(com[0], com[1], com[2]);
}

/* every parameter of the robot, against a description edited by hand and a single call */
static void parameters_do_what_their_names_say(void **state) {
  (void)state;
  static const char job[] =
      "{\"run\": \"id\", \"order\": 1, \"samples\": 20, \"damping\": true, \"set\": "
      "{\"gravity:x\": 2, "
      "\"v:base:vz\": 0.3}, \"vary\": {\"mass:B2\": {\"uniform\": [0.5, 1]}, "
      "\"scale:B3\": {\"uniform\": [0.5, 1.5]}, \"com:B5:y\": {\"normal\": [0, 0.02]}, "
      "\"inertia:B6:xy\": {\"uniform\": [0, 0.0005]}, \"payload:B4\": {\"uniform\": [0, 0.5]}, "
      "\"payload:B4:z\": {\"uniform\": [-0.2, 0]}, \"gravity:z\": {\"uniform\": [-10, -9]}, "
      "\"damping:q3\": {\"uniform\": [0, 1]}, \"armature:q7\": {\"uniform\": [0, 0.1]}, "
      "\"q:q2\": {\"uniform\": [-1, 1]}, \"v:q3\": {\"uniform\": [-1, 1]}, "
      "\"v'':q5\": {\"uniform\": [-1, 1]}}}";
  jn_spec *spec = robot_spec("tilthex");
  jn_sweep *s = open_sweep(spec, job);
  const int columns = jn_sweep_about(s)->columns, parameters = jn_sweep_about(s)->parameters;
  double *rows = rows_of(s, 0, 20), worst = 0;
  assert_int_equal(parameters, 12);
  for (int i = 0; i < 20; i++) {
    const double *x = rows + i * columns;
    jn_spec *edited = robot_spec("tilthex");
    jn_model *model = NULL;
    jn_data *data = NULL;
    jn_spec_link(edited, jn_spec_find_link(edited, "B2"))->mass = x[0];
    jn_link_desc *B3 = jn_spec_link(edited, jn_spec_find_link(edited, "B3")),
                 *B6 = jn_spec_link(edited, jn_spec_find_link(edited, "B6"));
    B3->mass *= x[1];
    for (int k = 0; k < 9; k++) B3->inertia.m[k / 3][k % 3] *= x[1];
    jn_spec_link(edited, jn_spec_find_link(edited, "B5"))->com.y = x[2];
    B6->inertia.m[0][1] = B6->inertia.m[1][0] = x[3];
    load_by_hand(jn_spec_link(edited, jn_spec_find_link(edited, "B4")), x[4],
                 (const double[3]){0, 0, x[5]});
    assert_ok(jn_spec_set_gravity(edited, jn_v3(2, 0, x[6])));
    jn_spec_joint(edited, jn_spec_find_joint(edited, "q3"))->damping = x[7];
    jn_spec_joint(edited, jn_spec_find_joint(edited, "q7"))->armature = x[8];
    assert_ok(jn_model_build(edited, NULL, NULL, &model, NULL));
    assert_ok(jn_data_new(model, 1, NULL, &data));
    jn_data_settings(data)->damping = 1;
    double q[20], v[36] = {0}, tau[24];
    jn_model_home(model, q);
    q[7] = x[9];
    v[5] = 0.3;
    v[7] = x[10];
    v[24 + 9] = x[11];
    assert_ok(jn_inverse_dynamics(model, data, 1, q, v, NULL, tau));
    worst = fmax(worst, largest_difference(tau, x + parameters, 24) / largest(tau, 24));
    assert_true(x[columns - 1] == 0);
    jn_data_free(data);
    jn_model_free(model);
    jn_spec_free(edited);
  }
  check_residual("edited by hand", worst, 50 * U);
  free(rows);
  jn_sweep_free(s);
  jn_spec_free(spec);
}

static void grids_have_every_point_once(void **state) {
  (void)state;
  jn_spec *spec = robot_spec("double_pendulum");
  jn_sweep *s =
      open_sweep(spec,
                 "{\"run\": \"id\", \"samples\": 3, \"vary\": {"
                 "\"q:joint1\": {\"grid\": [-1, 1, 5]}, \"q:joint2\": {\"uniform\": [0, 1]}, "
                 "\"v:joint1\": {\"values\": [2, 4, 8, 16]}}}");
  assert_int_equal(jn_sweep_about(s)->samples, 60);
  const int columns = jn_sweep_about(s)->columns;
  double *rows = rows_of(s, 0, 60);
  for (int i = 0; i < 60; i++) {
    assert_true(rows[i * columns] == -1 + 0.5 * (i / 12));
    assert_true(rows[i * columns + 2] == 2 << (i / 3 % 4));
    for (int k = 0; k < i; k++) assert_true(rows[i * columns + 1] != rows[k * columns + 1]);
  }
  free(rows);
  jn_sweep_free(s);
  jn_spec_free(spec);
}

/* a sample that fails has its status and no numbers, and the others are as if it were not there */
static void failures_are_samples(void **state) {
  (void)state;
  jn_spec *spec = robot_spec("double_pendulum");
  jn_sweep *s =
      open_sweep(spec, "{\"run\": \"fd\", \"vary\": {\"mass:link1\": {\"values\": [1, -3, 2]}}}");
  double *rows = rows_of(s, 0, 3);
  assert_true(rows[3] == 0 && rows[11] == 0);
  assert_true(rows[7] == JN_ERR_MODEL && isnan(rows[5]) && isnan(rows[6]));
  assert_true(isfinite(rows[1]) && isfinite(rows[9]));
  free(rows);
  jn_sweep_free(s);
  jn_spec_free(spec);
}

/* Folders. */

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void compute_all(const jn_sweep *s, const char *folder) {
  jn_sweep_worker *w = NULL;
  assert_ok(jn_sweep_begin(s, folder, NULL));
  assert_ok(jn_sweep_worker_new(s, NULL, &w, NULL));
  for (int i = jn_sweep_about(s)->shards - 1; i >= 0; i--) {
    assert_false(jn_sweep_is_done(s, folder, i, 0));
    assert_ok(jn_sweep_shard(w, folder, i, NULL, NULL, NULL));
    assert_true(jn_sweep_is_done(s, folder, i, 1));
  }
  jn_sweep_worker_free(w);
}

static void statistics_are_those_of_a_sorted_list(void **state) {
  (void)state;
  static const double levels[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
  char folder[300];
  jn_spec *spec = robot_spec("tilthex");
  jn_sweep *s = open_sweep(spec, fd_job);
  const jn_sweep_info *f = jn_sweep_about(s);
  const int n = (int)f->samples;
  jn_sweep_result *r = NULL;
  double *rows = rows_of(s, 0, f->samples), *x = doubles((size_t)n), mean_error = 0;
  snprintf(folder, sizeof folder, "%s", temporary("statistics"));
  assert_status(jn_sweep_reduce(s, folder, NULL, &r, NULL), JN_ERR_STATE);
  compute_all(s, folder);
  assert_ok(jn_sweep_reduce(s, folder, NULL, &r, NULL));
  assert_int_equal(r->samples, n);
  assert_int_equal(r->failed, 0);
  for (int c = 0; c < f->columns - 1; c++) {
    double mean = 0, square = 0;
    uint64_t counted = 0;
    for (int i = 0; i < n; i++) x[i] = rows[i * f->columns + c], mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++) square += (x[i] - mean) * (x[i] - mean);
    qsort(x, (size_t)n, sizeof *x, compare);
    const double size = fmax(fabs(x[0]), fabs(x[n - 1])) + 1e-300;
    mean_error = fmax(mean_error, fabs(r->column[c].mean - mean) / size);
    mean_error = fmax(mean_error, fabs(r->column[c].deviation - sqrt(square / n)) / size);
    assert_true(r->column[c].least == x[0] && r->column[c].largest == x[n - 1]);
    assert_true(rows[(int)r->column[c].at_largest * f->columns + c] == x[n - 1]);
    for (size_t k = 0; k < COUNT(levels); k++) {
      const double at = levels[k] * (n - 1), low = x[(int)floor(at)], high = x[(int)ceil(at)];
      const double t = at - floor(at), want = low + t * (high - low);
      check_residual("quantile", fabs(r->column[c].quantile[k] - want) / size, 2 * U);
    }
    for (int k = 0; k < r->bins; k++) counted += r->histogram[c * r->bins + k];
    assert_int_equal(counted, n);
  }
  check_residual("mean and deviation", mean_error, 100 * U);
  assert_true(
      same_bits(r->worst_row, rows + (int)r->worst_sample * f->columns, (size_t)f->columns));
  jn_sweep_result_free(r);
  free(rows);
  free(x);
  jn_sweep_free(s);
  jn_spec_free(spec);
}

static void damage_and_other_jobs_are_found(void **state) {
  (void)state;
  char folder[300], path[400];
  jn_error error = {0};
  jn_spec *spec = robot_spec("tilthex"), *other = robot_spec("humanoid");
  jn_sweep *s = open_sweep(spec, model_job), *t;
  jn_sweep_result *r = NULL;
  snprintf(folder, sizeof folder, "%s", temporary("damage"));
  compute_all(s, folder);
  assert_ok(jn_sweep_begin(s, folder, &error));
  /* one bit of one file */
  snprintf(path, sizeof path, "%s/bands-000003.npy", folder);
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, 500, SEEK_SET);
  const int c = fgetc(file);
  fseek(file, 500, SEEK_SET);
  fputc(c ^ 1, file);
  fclose(file);
  assert_true(jn_sweep_is_done(s, folder, 3, 0));
  assert_false(jn_sweep_is_done(s, folder, 3, 1));
  assert_status(jn_sweep_reduce(s, folder, NULL, &r, &error), JN_ERR_STATE);
  assert_non_null(
      strstr(error.message, "1 of 40 shards are missing or damaged, the first is number 3"));
  /* another robot, seed, strict setting */
  static const char *const jobs[] = {
      "{\"run\": \"id\", \"samples\": 2, \"vary\": {\"q:q3\": {\"uniform\": [0, 1]}}}", NULL};
  t = open_sweep(spec, jobs[0]);
  assert_status(jn_sweep_begin(t, folder, &error), JN_ERR_STATE);
  assert_non_null(strstr(error.message, "another run"));
  assert_false(jn_sweep_is_done(t, folder, 0, 0));
  jn_sweep_free(t);
  jn_spec_link(spec, 2)->mass *= 1 + 4 * U;
  t = open_sweep(spec, model_job);
  assert_status(jn_sweep_begin(t, folder, &error), JN_ERR_STATE);
  assert_non_null(strstr(error.message, "another robot"));
  jn_sweep_free(t);
  jn_sweep_free(s);
  jn_spec_free(spec);
  jn_spec_free(other);
}

static int stop_at_once(void *context, uint64_t samples) {
  *(uint64_t *)context += samples;
  return 1;
}

static void progress_stops(void **state) {
  (void)state;
  jn_spec *spec = robot_spec("tilthex");
  jn_sweep *s = open_sweep(spec, fd_job);
  jn_sweep_worker *w = NULL;
  uint64_t done = 0;
  double *rows = doubles(300 * (size_t)jn_sweep_about(s)->columns);
  assert_ok(jn_sweep_worker_new(s, NULL, &w, NULL));
  assert_status(jn_sweep_evaluate(w, 0, 300, rows, NULL, stop_at_once, &done), JN_ERR_STATE);
  assert_true(done > 0 && done < 300);
  jn_sweep_worker_free(w);
  free(rows);
  jn_sweep_free(s);
  jn_spec_free(spec);
}

/* Refusals: the job, the status and a part of the message. */
static void jobs_that_make_no_sense_are_refused(void **state) {
  (void)state;
#define VARY "\"vary\": {\"q:joint1\": {\"uniform\": [0, 1]}}"
  static const struct {
    const char *job;
    jn_status status;
    const char *message;
  } cases[] = {
      {"{\"rum\": \"id\"}", JN_ERR_SYNTAX, "rum: unknown key; did you mean 'run'?"},
      {"{" VARY "}", JN_ERR_SYNTAX, "run: missing"},
      {"{\"run\": \"idd\", \"samples\": 2, " VARY "}", JN_ERR_SYNTAX, "did you mean 'id'?"},
      {"{\"run\": \"id\", \"samples\": 2}", JN_ERR_SYNTAX, "vary: missing"},
      {"{\"run\": \"id\", \"samples\": 2, \"vary\": {}}", JN_ERR_SYNTAX, "at least one"},
      {"{\"run\": \"id\", " VARY "}", JN_ERR_SYNTAX, "samples: missing"},
      {"{\"run\": \"id\", \"samples\": 0, " VARY "}", JN_ERR_LIMIT, "whole number of samples"},
      {"{\"run\": \"id\", \"samples\": 1.5, " VARY "}", JN_ERR_LIMIT, "whole number of samples"},
      {"{\"run\": \"id\", \"samples\": 2e12, " VARY "}", JN_ERR_LIMIT, "1e+12"},
      {"{\"run\": \"id\", \"samples\": 1e9, \"shard\": 10, " VARY "}", JN_ERR_LIMIT, "shards"},
      {"{\"run\": \"id\", \"samples\": 9, \"shard\": 9e6, " VARY "}", JN_ERR_LIMIT, "16 MiB"},
      {"{\"run\": \"id\", \"samples\": 2, \"vary\": {\"q:joint3\": {\"uniform\": [0, 1]}}}",
       JN_ERR_SYNTAX, "no degree of freedom 'joint3'; did you mean 'joint"},
      {"{\"run\": \"id\", \"samples\": 2, \"vary\": {\"mass:lnk1\": {\"uniform\": [0, 1]}}}",
       JN_ERR_SYNTAX, "no link 'lnk1'; did you mean 'link1'?"},
      {"{\"run\": \"id\", \"samples\": 2, \"vary\": {\"mas:link1\": {\"uniform\": [0, 1]}}}",
       JN_ERR_SYNTAX, "did you mean 'mass'?"},
      {"{\"run\": \"id\", \"samples\": 2, \"vary\": {\"q:joint1\": {\"uniform\": [1, 0]}}}",
       JN_ERR_SYNTAX, "above the second"},
      {"{\"run\": \"id\", \"samples\": 2, \"vary\": {\"q:joint1\": {\"normal\": [0, -1]}}}",
       JN_ERR_SYNTAX, "deviation"},
      {"{\"run\": \"id\", \"samples\": 2, \"vary\": {\"q:joint1\": 3}}", JN_ERR_SYNTAX, "\"set\""},
      {"{\"run\": \"id\", \"samples\": 2, \"set\": {\"q:joint1\": 3}, " VARY "}", JN_ERR_SYNTAX,
       "keep one"},
      {"{\"run\": \"id\", \"samples\": 2, \"vary\": {\"v''':joint1\": {\"uniform\": [0, 1]}}}",
       JN_ERR_SYNTAX, "see 'order'"},
      {"{\"run\": \"fd\", \"samples\": 2, \"vary\": {\"v':joint1\": {\"uniform\": [0, 1]}}}",
       JN_ERR_SYNTAX, "does not read so high a derivative"},
      {"{\"run\": \"id\", \"samples\": 2, \"vary\": {\"tau:joint1\": {\"uniform\": [0, 1]}}}",
       JN_ERR_SYNTAX, "no effect"},
      {"{\"run\": \"id\", \"samples\": 2, \"vary\": {\"damping:joint1\": {\"uniform\": [0, 1]}}}",
       JN_ERR_SYNTAX, "\"damping\": true"},
      {"{\"run\": \"id\", \"samples\": 2, \"vary\": {\"payload:link1:x\": {\"uniform\": [0, 1]}}}",
       JN_ERR_SYNTAX, "no mass"},
      {"{\"run\": \"id\", \"time\": 2, \"samples\": 2, " VARY "}", JN_ERR_SYNTAX, "only simulate"},
      {"{\"run\": \"simulate\", \"samples\": 2, " VARY "}", JN_ERR_SYNTAX, "time: missing"},
      {"{\"run\": \"simulate\", \"time\": 1, \"step\": 1e-9, \"samples\": 2, " VARY "}",
       JN_ERR_LIMIT, "1e6 steps"},
      {"{\"run\": \"simulate\", \"time\": 1, \"scheme\": \"rkmk4\", \"samples\": 2, " VARY "}",
       JN_ERR_ARGUMENT, "step"},
      {"{\"run\": \"traj\", \"samples\": 2, \"vary\": {\"mass:link1\": {\"uniform\": [1, 2]}}}",
       JN_ERR_SYNTAX, "trajectory: missing"},
      {"{\"run\": \"traj\", \"trajectory\": \"../../etc/passwd\", \"samples\": 2, \"vary\": "
       "{\"mass:link1\": {\"uniform\": [1, 2]}}}",
       JN_ERR_FILE, "only a file in the folder"},
      {"{\"run\": \"id\", \"worst\": \"tau:joint\", \"samples\": 2, " VARY "}", JN_ERR_SYNTAX,
       "did you mean 'tau:joint1'?"},
      {"{\"run\": \"id\", \"samples\": 2, \"seed\": -1, " VARY "}", JN_ERR_SYNTAX, "2^53"},
      {"{\"run\": \"id\", \"vary\": {\"q:joint1\": {\"grid\": [0, 1, 1e9]}, \"q:joint2\": "
       "{\"grid\": [0, 1, 1e9]}}}",
       JN_ERR_LIMIT, "1e+12"},
      {"[]", JN_ERR_SYNTAX, "object"},
      {"{\"run\": \"id\", \"samples\": 2, \"set\": {\"mass:link1\": -3}, " VARY "}", JN_ERR_MODEL,
       "mass"}};
#undef VARY
  jn_spec *spec = robot_spec("double_pendulum");
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_sweep *s = NULL;
    jn_error error = {0};
    const jn_status status =
        jn_sweep_parse(cases[i].job, strlen(cases[i].job), "job", spec, NULL, NULL, &s, &error);
    if (status != cases[i].status || !strstr(error.message, cases[i].message) || s)
      fail_msg("%s\n%s: %s", cases[i].job, jn_status_text(status), error.message);
  }
  jn_spec_free(spec);
}

/* The status of a job, and that its message names the limit. */
static jn_status parse_status(const char *robot, const char *job, const char *named) {
  jn_spec *spec = robot_spec(robot);
  jn_sweep *s = NULL;
  jn_error error = {0};
  const jn_status status = jn_sweep_parse(job, strlen(job), "job", spec, NULL, NULL, &s, &error);
  if (status && !strstr(error.message, named)) fail_msg("%s", error.message);
  jn_sweep_free(s);
  jn_spec_free(spec);
  return status;
}
static void limits_on_both_sides(void **state) {
  (void)state;
  char job[512], *many;
  for (int over = 0; over < 2; over++) {
    const jn_status want = over ? JN_ERR_LIMIT : JN_OK;
    snprintf(
        job, sizeof job,
        "{\"run\": \"id\", \"samples\": %.0f, \"vary\": {\"q:joint1\": {\"uniform\": [0, 1]}}}",
        JN_MAX_SWEEP_SAMPLES + over);
    /* so many samples need too many shards, but are no error by themselves */
    assert_status(parse_status("pendulum", job, over ? "1e+12" : "shards"), JN_ERR_LIMIT);
    snprintf(
        job, sizeof job,
        "{\"run\": \"id\", \"samples\": %d, \"shard\": 2, \"vary\": {\"q:joint1\": {\"uniform\": "
        "[0, 1]}}}",
        2 * JN_MAX_SWEEP_SHARDS + over);
    assert_status(parse_status("pendulum", job, "shards"), want);
    static const char *const keys[2] = {"instants", "bins"};
    const int most[2] = {JN_MAX_SWEEP_INSTANTS, JN_MAX_SWEEP_BINS};
    for (int i = 0; i < 2; i++) {
      snprintf(job, sizeof job,
               "{\"run\": \"simulate\", \"time\": 1, \"samples\": 2, \"%s\": %d, \"vary\": "
               "{\"q:joint1\": {\"uniform\": [0, 1]}}}",
               keys[i], most[i] + over);
      assert_true((parse_status("pendulum", job, keys[i]) == JN_OK) == !over);
    }
    const int count = JN_MAX_SWEEP_PARAMETERS + over;
    many = malloc(64 * (size_t)count + 128);
    int n = sprintf(many, "{\"run\": \"id\", \"samples\": 2, \"vary\": {");
    for (int i = 1; i <= count; i++)
      n += sprintf(many + n, "%s\"q:joint%d\": {\"uniform\": [0, 1]}", i > 1 ? ", " : "", i);
    sprintf(many + n, "}}");
    assert_status(parse_status("chain:1001", many, "parameters"), want);
    free(many);
  }
}

/* Columns are named in full, whatever the length of a joint's name. */
static void columns_have_the_whole_name_of_their_joint(void **state) {
  (void)state;
  char name[JN_MAX_NAME + 1], want[JN_MAX_NAME + 32], job[1024];
  jn_spec *spec;
  memset(name, 'x', JN_MAX_NAME), name[JN_MAX_NAME] = '\0';
  jn_link_desc link = jn_link_default("slider");
  link.mass = 1, link.inertia = (jn_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  jn_joint_desc joint = jn_joint_default(name, JN_JOINT_PRISMATIC, NULL, "slider");
  joint.limits.velocity = 1;
  assert_ok(jn_spec_new("long", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &link));
  assert_ok(jn_spec_add_joint(spec, &joint));
  snprintf(job, sizeof job,
           "{\"run\": \"limits\", \"samples\": 2, \"trajectory\": {\"kind\": \"minimum\", "
           "\"times\": [0, 1], \"joints\": {\"%s\": [0, 1]}}, "
           "\"vary\": {\"time_scale\": {\"uniform\": [1, 2]}}}",
           name);
  snprintf(want, sizeof want, "used velocity:%s", name);
  jn_sweep *s = open_sweep(spec, job);
  const jn_sweep_info *about = jn_sweep_about(s);
  int found = 0;
  for (int i = 0; i < about->columns; i++) found += strcmp(about->names[i], want) == 0;
  assert_int_equal(found, 1);
  jn_sweep_free(s);
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sha256_is_that_of_the_standard),
      cmocka_unit_test(philox_is_that_of_its_authors),
      cmocka_unit_test(normal_quantiles_invert_erfc),
      cmocka_unit_test(random_numbers_are_uniform),
      cmocka_unit_test(a_row_depends_on_its_sample_alone),
      cmocka_unit_test(parameters_do_what_their_names_say),
      cmocka_unit_test(grids_have_every_point_once),
      cmocka_unit_test(failures_are_samples),
      cmocka_unit_test(statistics_are_those_of_a_sorted_list),
      cmocka_unit_test(damage_and_other_jobs_are_found),
      cmocka_unit_test(progress_stops),
      cmocka_unit_test(jobs_that_make_no_sense_are_refused),
      cmocka_unit_test(limits_on_both_sides),
      cmocka_unit_test(columns_have_the_whole_name_of_their_joint),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
