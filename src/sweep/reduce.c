/* reduce.c: statistics of all shards.
 *
 * Sums are taken in the order of the samples. Order statistics are found by counting: a double is a
 * whole number of 64 bits in the same order; each pass over the files counts the next BITS bits of the
 * values that agree with the statistic so far. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/block.h"
#include "base/fail.h"
#include "base/vec.h"
#include "io/file.h"
#include "io/tables/npy.h"
#include "sweep/sweep.h"

enum { BITS = 11, BINS = 1 << BITS, PASSES = 6, RANKS = 2 * JN_SWEEP_QUANTILES };
static const double levels[JN_SWEEP_QUANTILES] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
enum { MOST_COUNTERS = 4 * 1024 * 1024 };

/* The order-preserving number of a double: bits of positive ones with the sign set, of negative ones
 * inverted. */
static uint64_t key_of(double x) {
  uint64_t bits;
  if (x == 0) x = 0; /* no negative zero */
  memcpy(&bits, &x, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}
static double value_of(uint64_t key) {
  double x;
  key = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
  memcpy(&x, &key, sizeof x);
  return x;
}

/* Rows of all files of a kind, one after another. */
typedef struct source {
  const jn_sweep *s;
  const char *folder, *kind;
  size_t columns;
  jn_error *error;
  double *rows; /* of the present shard */
  uint64_t count, first;
} source;

static double number_at(const char *bytes) {
  uint64_t x = 0;
  double y;
  for (int i = 7; i >= 0; i--) x = x << 8 | (unsigned char)bytes[i];
  memcpy(&y, &x, sizeof y);
  return y;
}

/* numbers of an NPY file of that many and no more */
static int read_numbers(FILE *file, double *x, size_t count) {
  char b[8192];
  if (fread(b, 1, NPY_HEADER, file) != NPY_HEADER) return 0;
  for (size_t i = 0, n; i < count; i += n) {
    n = count - i < sizeof b / 8 ? count - i : sizeof b / 8;
    if (fread(b, 8, n, file) != n) return 0;
    for (size_t k = 0; k < n; k++) x[i + k] = number_at(b + 8 * k);
  }
  return fgetc(file) == EOF;
}

/* Reads shard n; 0 rows if it has none of this kind. */
static jn_status read_shard(source *f, int n) {
  char path[SWEEP_PATH];
  uint64_t first, count;
  jn_sweep_range(f->s, n, &first, &count);
  if (f->kind[0] == 'b') {
    const uint64_t before = jn_sweep_bands_before(f->s, first);
    count = jn_sweep_bands_before(f->s, first + count) - before;
    first = before;
  }
  f->first = first;
  f->count = count;
  if (!count) return JN_OK;
  jn_sweep_path(f->folder, f->kind, n, ".npy", path);
  FILE *file = fopen(path, "rb");
  const int done = file && read_numbers(file, f->rows, (size_t)count * f->columns);
  if (file) fclose(file);
  return done ? JN_OK
              : jn_fail(f->error, JN_ERR_STATE, path, 0,
                        "the file was changed after it was written");
}

/* the rows are skipped whose last column, the status, is not zero; of a band, those that are NaN */
static int is_good(const source *f, const double *row) {
  return f->kind[0] == 'b' ? !isnan(row[0]) : row[f->columns - 1] == 0;
}

/* Order statistics of columns c0 ... c1 - 1 of `n` good rows: out[(c1 - c0) x RANKS]. Ranks are
 * floor and ceil of level (n - 1). */
typedef struct counting {
  uint64_t *prefix; /* [columns x RANKS]: the bits that are known */
  uint64_t *rank;   /* [columns x RANKS]: among those with that prefix */
  uint64_t *bin;    /* [columns x RANKS x BINS] */
} counting;

static int shift_of(int pass) { return 64 - BITS * (pass + 1) < 0 ? 0 : 64 - BITS * (pass + 1); }
static int bits_of(int pass) { return pass == PASSES - 1 ? 64 - BITS * (PASSES - 1) : BITS; }

static void count_row(const counting *c, int pass, const double *x, int columns) {
  const int shift = shift_of(pass), bits = bits_of(pass);
  for (int k = 0; k < columns; k++) {
    const uint64_t key = key_of(x[k]), high = pass ? key >> (shift + bits) : 0,
                   digit = key >> shift & (((uint64_t)1 << bits) - 1);
    const uint64_t *prefix = c->prefix + (size_t)k * RANKS;
    uint64_t *bin = c->bin + (size_t)k * RANKS * BINS;
    for (int r = 0; r < RANKS; r++)
      if (prefix[r] == high && (r == 0 || prefix[r - 1] != high)) bin[(size_t)r * BINS + digit]++;
  }
}

/* The next digit of every statistic. Equal prefixes, which are neighbours, share the first's bins. */
static void take_digits(const counting *c, int pass, int columns) {
  const int bits = bits_of(pass);
  for (int k = 0; k < columns; k++) {
    uint64_t *prefix = c->prefix + (size_t)k * RANKS, *rank = c->rank + (size_t)k * RANKS,
             old[RANKS];
    memcpy(old, prefix, sizeof old);
    for (int r = 0, from = 0; r < RANKS; r++) {
      if (r == 0 || old[r] != old[r - 1]) from = r;
      const uint64_t *bin = c->bin + ((size_t)k * RANKS + (size_t)from) * BINS;
      uint64_t digit = 0;
      while (digit < ((uint64_t)1 << bits) - 1 && rank[r] >= bin[digit]) rank[r] -= bin[digit++];
      prefix[r] = old[r] << bits | digit;
    }
  }
}

static jn_status count_pass(source *f, const counting *c, int pass, int first, int columns) {
  memset(c->bin, 0, sizeof *c->bin * (size_t)columns * RANKS * BINS);
  for (int n = 0; n < f->s->info.shards; n++) {
    jn_status status = read_shard(f, n);
    if (status) return status;
    for (uint64_t i = 0; i < f->count; i++) {
      const double *row = f->rows + i * f->columns;
      if (is_good(f, row)) count_row(c, pass, row + first, columns);
    }
  }
  take_digits(c, pass, columns);
  return JN_OK;
}

/* x between the neighbours, as numpy interpolates */
static double between(double a, double b, double t) {
  const double d = b - a;
  return t >= 0.5 ? b - d * (1 - t) : a + d * t;
}

static jn_status quantiles(source *f, uint64_t n, int first, int columns, counting *c,
                           double *out) {
  jn_status status = JN_OK;
  for (int k = 0; k < columns * RANKS; k++) {
    const double at = levels[k % RANKS / 2] * (double)(n - 1);
    c->prefix[k] = 0;
    c->rank[k] = (uint64_t)(k % 2 ? ceil(at) : floor(at));
  }
  for (int pass = 0; pass < PASSES && !status; pass++)
    status = count_pass(f, c, pass, first, columns);
  for (int k = 0; k < columns * JN_SWEEP_QUANTILES && !status; k++) {
    const double at = levels[k % JN_SWEEP_QUANTILES] * (double)(n - 1),
                 a = value_of(c->prefix[2 * k]), b = value_of(c->prefix[2 * k + 1]);
    out[k] = between(a, b, at - floor(at));
  }
  return status;
}

/* out[columns x JN_SWEEP_QUANTILES] of all columns, as many at a time as memory is meant for */
static jn_status all_quantiles(source *f, uint64_t n, int columns, double *out) {
  const jn_allocator *hooks = &f->s->hooks;
  const int most = MOST_COUNTERS / (RANKS * BINS), group = columns < most ? columns : most;
  counting c = {jn_block_new(hooks, (size_t)group * RANKS + 1, sizeof *c.prefix),
                jn_block_new(hooks, (size_t)group * RANKS + 1, sizeof *c.rank),
                jn_block_new(hooks, (size_t)group * RANKS * BINS + 1, sizeof *c.bin)};
  jn_status status = c.prefix && c.rank && c.bin ? JN_OK : JN_ERR_MEMORY;
  for (int first = 0; first < columns && n && !status; first += group) {
    const int some = columns - first < group ? columns - first : group;
    status = quantiles(f, n, first, some, &c, out + (size_t)first * JN_SWEEP_QUANTILES);
  }
  jn_block_free(hooks, c.prefix);
  jn_block_free(hooks, c.rank);
  jn_block_free(hooks, c.bin);
  return status;
}

/* Sums, extremes and histograms. */

/* sum += x, the rounding errors in *low (Neumaier) */
static void add(double *sum, double *low, double x) {
  const double t = *sum + x;
  *low += fabs(*sum) >= fabs(x) ? (*sum - t) + x : (x - t) + *sum;
  *sum = t;
}

static void take_row(const source *f, jn_sweep_result *r, uint64_t sample, const double *row,
                     double *low) {
  const int columns = (int)f->columns - 1, first = r->samples - r->failed == 0;
  if (!is_good(f, row)) {
    if (!r->failed) {
      r->first_failed = sample;
      r->first_status = (jn_status)row[columns];
    }
    r->failed++;
    return;
  }
  for (int i = 0; i < columns; i++) {
    jn_sweep_column *c = &r->column[i];
    add(&c->mean, &low[i], row[i]);
    if (first || row[i] < c->least) c->least = row[i], c->at_least = sample;
    if (first || row[i] > c->largest) c->largest = row[i], c->at_largest = sample;
  }
  if (first || fabs(row[r->worst]) > fabs(r->worst_row[r->worst])) {
    memcpy(r->worst_row, row, f->columns * sizeof *row);
    r->worst_sample = sample;
  }
}

static void take_square(const source *f, jn_sweep_result *r, const double *row, double *low) {
  if (!is_good(f, row)) return;
  for (int i = 0; i < (int)f->columns - 1; i++) {
    jn_sweep_column *c = &r->column[i];
    const double d = row[i] - c->mean, width = c->largest - c->least;
    const double at = width > 0 ? (row[i] - c->least) / width * r->bins : 0;
    const int bin = at < r->bins ? (int)at : r->bins - 1;
    add(&c->deviation, &low[i], d * d);
    r->histogram[(size_t)i * (size_t)r->bins + (size_t)bin]++;
  }
}

static jn_status sum(source *f, jn_sweep_result *r, double *low) {
  jn_status status = JN_OK;
  for (int pass = 0; pass < 2; pass++) {
    memset(low, 0, f->columns * sizeof *low);
    for (int n = 0; n < f->s->info.shards; n++) {
      if ((status = read_shard(f, n))) return status;
      for (uint64_t i = 0; i < f->count; i++) {
        const double *row = f->rows + i * f->columns;
        if (pass) {
          take_square(f, r, row, low);
        } else {
          take_row(f, r, f->first + i, row, low);
          r->samples++;
        }
      }
    }
    const double good = (double)(r->samples - r->failed);
    for (int i = 0; i < (int)f->columns - 1 && good > 0; i++) {
      jn_sweep_column *c = &r->column[i];
      if (pass)
        c->deviation = sqrt((c->deviation + low[i]) / good);
      else
        c->mean = (c->mean + low[i]) / good;
    }
  }
  return status;
}

static jn_status reduce_rows(const jn_sweep *s, const char *folder, double *rows,
                             jn_sweep_result *r, jn_error *error) {
  source f = {s, folder, "shard", (size_t)s->info.columns, error, rows, 0, 0};
  const int columns = s->info.columns - 1;
  double *out = jn_block_new(&s->hooks, (size_t)columns * JN_SWEEP_QUANTILES + 1, sizeof *out);
  jn_status status = out ? sum(&f, r, out) : JN_ERR_MEMORY;
  if (!status) status = all_quantiles(&f, r->samples - r->failed, columns, out);
  for (int i = 0; i < columns && !status; i++)
    memcpy(r->column[i].quantile, out + (size_t)i * JN_SWEEP_QUANTILES,
           sizeof r->column[i].quantile);
  jn_block_free(&s->hooks, out);
  return status;
}

static jn_status reduce_bands(const jn_sweep *s, const char *folder, double *rows,
                              jn_sweep_result *r, jn_error *error) {
  const int width = s->info.channels * s->info.instants;
  source f = {s, folder, "bands", (size_t)width, error, rows, 0, 0};
  if (!width) return JN_OK;
  for (int n = 0; n < s->info.shards; n++) {
    jn_status status = read_shard(&f, n);
    if (status) return status;
    for (uint64_t i = 0; i < f.count; i++)
      r->band_samples += (uint64_t)is_good(&f, rows + i * f.columns);
  }
  return all_quantiles(&f, r->band_samples, width, r->band);
}

/* The result. */

static jn_status new_result(const jn_sweep *s, const jn_allocator *hooks, jn_sweep_result **out) {
  const size_t columns = (size_t)s->info.columns,
               band = (size_t)s->info.channels * (size_t)s->info.instants;
  jn_sweep_result *r = jn_block_new(hooks, 1, sizeof *r);
  if (!r) return JN_ERR_MEMORY;
  r->hooks = *hooks;
  r->bins = s->bins;
  r->worst = s->worst;
  r->column = jn_block_new(hooks, columns, sizeof *r->column);
  r->histogram = jn_block_new(hooks, columns * (size_t)r->bins, sizeof *r->histogram);
  r->band = jn_block_new(hooks, band * JN_SWEEP_QUANTILES + 1, sizeof *r->band);
  r->worst_row = jn_block_new(hooks, columns, sizeof *r->worst_row);
  *out = r;
  return r->column && r->histogram && r->band && r->worst_row ? JN_OK : JN_ERR_MEMORY;
}

void jn_sweep_result_free(jn_sweep_result *r) {
  if (!r) return;
  const jn_allocator hooks = r->hooks;
  jn_block_free(&hooks, r->column);
  jn_block_free(&hooks, r->histogram);
  jn_block_free(&hooks, r->band);
  jn_block_free(&hooks, r->worst_row);
  jn_block_free(&hooks, r);
}

static json_t *column_json(const jn_sweep_result *r, int i) {
  const jn_sweep_column *c = &r->column[i];
  json_t *bins = json_array();
  for (int k = 0; k < r->bins; k++)
    bins = jn_sweep_append(
        bins, json_integer((json_int_t)r->histogram[(size_t)i * (size_t)r->bins + (size_t)k]));
  return json_pack("{s:f, s:f, s:o, s:f, s:I, s:f, s:I, s:o}", "mean", c->mean, "deviation",
                   c->deviation, "quantiles", jn_sweep_numbers(c->quantile, JN_SWEEP_QUANTILES, 1),
                   "least", c->least, "least_sample", (json_int_t)c->at_least, "largest",
                   c->largest, "largest_sample", (json_int_t)c->at_largest, "histogram", bins);
}

static json_t *bands_json(const jn_sweep *s, const jn_sweep_result *r) {
  const size_t instants = (size_t)s->info.instants;
  json_t *all = json_object();
  for (size_t c = 0; c < (size_t)s->info.channels; c++) {
    json_t *list = json_array();
    for (size_t q = 0; q < JN_SWEEP_QUANTILES; q++)
      list = jn_sweep_append(list, jn_sweep_numbers(r->band + c * instants * JN_SWEEP_QUANTILES + q,
                                                    instants, JN_SWEEP_QUANTILES));
    all = jn_sweep_member(all, s->info.channel_names[c], list);
  }
  return all;
}

static json_t *result_json(const jn_sweep *s, const jn_sweep_result *r) {
  const jn_sweep_info *f = &s->info;
  const int good = r->samples > r->failed;
  json_t *columns = json_object(), *worst = json_null(), *failed = json_null();
  for (int i = 0; i < f->columns - 1 && good; i++)
    columns = jn_sweep_member(columns, f->names[i], column_json(r, i));
  if (good) {
    json_t *parameters = json_object();
    for (int i = 0; i < f->parameters; i++)
      parameters = jn_sweep_member(parameters, f->names[i], json_real(r->worst_row[i]));
    worst = json_pack("{s:s, s:f, s:I, s:o}", "column", f->names[r->worst], "value",
                      r->worst_row[r->worst], "sample", (json_int_t)r->worst_sample, "parameters",
                      parameters);
  }
  if (r->failed)
    failed = json_pack("{s:I, s:s}", "sample", (json_int_t)r->first_failed, "status",
                       jn_status_text(r->first_status));
  json_t *out = json_pack(
      "{s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "sweep", s->manifest, "run", f->run, "samples",
      (json_int_t)r->samples, "failed", (json_int_t)r->failed, "first_failure", failed, "levels",
      jn_sweep_numbers(levels, JN_SWEEP_QUANTILES, 1), "worst", worst, "columns", columns);
  if (f->channels && r->band_samples) {
    out = jn_sweep_member(out, "band_samples", json_integer((json_int_t)r->band_samples));
    out = jn_sweep_member(out, "times", jn_sweep_numbers(f->times, (size_t)f->instants, 1));
    out = jn_sweep_member(out, "bands", bands_json(s, r));
  }
  return out;
}

static jn_status write_json(FILE *file, void *context) {
  return json_dumpf(context, file, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0 ? JN_OK
                                                                                  : JN_ERR_MEMORY;
}

static jn_status write_result(const jn_sweep *s, const char *folder, const jn_sweep_result *r,
                              jn_error *error) {
  char path[SWEEP_PATH];
  json_t *json = result_json(s, r);
  jn_sweep_path(folder, "result", -1, ".json", path);
  jn_status status = json ? jn_file_write(path, write_json, json, error)
                          : jn_fail(error, JN_ERR_MEMORY, path, 0, "out of memory");
  json_decref(json);
  return status;
}

/* Temporary files of processes that were killed: shard-000001.npy.123.0.tmp */
static void clean(const char *folder) {
  DIR *all = opendir(folder);
  char path[SWEEP_PATH + 300];
  for (struct dirent *e; all && (e = readdir(all));) {
    const size_t n = strlen(e->d_name);
    if (n < 5 || strcmp(e->d_name + n - 4, ".tmp") != 0 ||
        (strncmp(e->d_name, "shard-", 6) != 0 && strncmp(e->d_name, "bands-", 6) != 0))
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    unlink(path);
  }
  if (all) closedir(all);
}

static jn_status all_there(const jn_sweep *s, const char *folder, jn_error *error) {
  int missing = 0, first = -1;
  for (int n = 0; n < s->info.shards; n++) {
    if (jn_sweep_is_done(s, folder, n, 1)) continue;
    if (first < 0) first = n;
    missing++;
  }
  if (!missing) return JN_OK;
  return jn_fail(error, JN_ERR_STATE, folder, 0,
                 "%d of %d shards are missing or damaged, the first is number %d", missing,
                 s->info.shards, first);
}

jn_status jn_sweep_reduce(const jn_sweep *s, const char *folder, const jn_allocator *allocator,
                          jn_sweep_result **out, jn_error *error) {
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  jn_sweep_result *r = NULL;
  if (!s || !folder || !out)
    return jn_fail(error, JN_ERR_ARGUMENT, folder, 0, "sweep, folder or out is NULL");
  jn_status status = all_there(s, folder, error);
  if (status) return status;
  const size_t width = (size_t)s->info.channels * (size_t)s->info.instants,
               rows = (size_t)s->info.shard_rows * (size_t)s->info.columns,
               bands = ((size_t)(s->info.shard_rows / s->info.band_every) + 1) * width;
  double *room = jn_block_new(&hooks, (rows > bands ? rows : bands) + 1, sizeof *room);
  if (error) error->message[0] = '\0';
  status = room ? new_result(s, &hooks, &r) : JN_ERR_MEMORY;
  if (!status) status = reduce_rows(s, folder, room, r, error);
  if (!status) status = reduce_bands(s, folder, room, r, error);
  if (!status) status = write_result(s, folder, r, error);
  jn_block_free(&hooks, room);
  if (status) {
    if (error && !error->message[0])
      jn_fail(error, status, folder, 0, "%s", jn_status_text(status));
    jn_sweep_result_free(r);
    return status;
  }
  clean(folder);
  *out = r;
  return JN_OK;
}
