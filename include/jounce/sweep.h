/* sweep.h: one computation for many samples of uncertain parameters, on many threads, processes and
 * machines.
 *
 * A job (JSON, docs/sweep.md) names the parameters, their distributions and what is computed: inverse
 * or forward dynamics, forces along a trajectory, its limits, a simulation, the fastest motion. Row i
 * of the result depends on the job, the robot and i alone, bit for bit: the random numbers are a
 * function of (seed, i, parameter). So any thread, process or machine may compute any range of rows.
 *
 *   row      parameters, results, "status" (jn_status; 0: success, else the results are NaN)
 *   band     of every n-th sample: forces and their rates at the instants of the motion
 *   shard    a range of rows in a file, with its bands and a checksum
 *   folder   all shards of a job, its manifest and, at the end, the reduced result
 *
 * Needs the loaders. Files are written to another name and renamed: they are complete or absent. */
#ifndef JOUNCE_SWEEP_H
#define JOUNCE_SWEEP_H

#include <jounce/io.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jn_sweep jn_sweep;

/* Reads a job for a robot; the spec is not needed afterwards. jn_sweep_parse: from memory, `name`
 * stands for the file in messages, and trajectories that the job names are files in its folder or
 * below. `build` and `allocator` may be NULL. The model is built once with the fixed parameters.
 *   JN_ERR_SYNTAX    an unknown key (with the nearest known one), a parameter that the robot lacks,
 *                    or a run that does not keep the constraints of the model (retime, a controller)
 *   JN_ERR_LIMIT     more samples, shards, parameters or instants than limits.h allows
 *   JN_ERR_MODEL     the model cannot be built
 *   others           of the files that it names */
JN_API jn_status jn_sweep_load(const char *path, const jn_spec *spec, const jn_build_options *build,
                               const jn_allocator *allocator, jn_sweep **out, jn_error *error);
JN_API jn_status jn_sweep_parse(const char *text, size_t size, const char *name,
                                const jn_spec *spec, const jn_build_options *build,
                                const jn_allocator *allocator, jn_sweep **out, jn_error *error);
JN_API void jn_sweep_free(jn_sweep *sweep);

/* What a job is. Pointers are valid as long as the sweep. */
typedef struct jn_sweep_info {
  const char *run;                  /* "id", "fd", "traj", "limits", "simulate", "retime" */
  const char *engine;               /* instruction set; "strict": the same bits on every machine */
  uint64_t samples;                 /* rows */
  int columns;                      /* of a row */
  int parameters;                   /* the first columns */
  const char *const *names;         /* [columns] */
  int channels, instants;           /* of the bands; 0: none */
  const char *const *channel_names; /* [channels] */
  const double *times; /* [instants], s; shares of the motion, 0 to 1, if `durations` */
  int durations;       /* 1: they are not the same in all samples */
  uint64_t band_every; /* samples 0, n, 2n, ... have a band */
  uint64_t shard_rows; /* of every shard but the last */
  int shards;
  uint64_t bytes; /* of all shards */
} jn_sweep_info;
JN_API const jn_sweep_info *jn_sweep_about(const jn_sweep *sweep); /* NULL: sweep is NULL */

/* Working memory of one thread. */
typedef struct jn_sweep_worker jn_sweep_worker;
JN_API jn_status jn_sweep_worker_new(const jn_sweep *sweep, const jn_allocator *allocator,
                                     jn_sweep_worker **out, jn_error *error);
JN_API void jn_sweep_worker_free(jn_sweep_worker *worker);

/* Called with the number of samples done since the last call; returns 1 to stop. */
typedef int jn_sweep_progress(void *context, uint64_t samples);

/* rows[count x columns] of the samples first ... first + count - 1, and bands[n x channels x
 * instants] of those among them that have one (may be NULL). A sample that fails has its status in
 * its row, the call goes on. `progress` may be NULL. Allocates where the model, a simulation or
 * the fastest motion is made for each sample.
 *   JN_ERR_ARGUMENT   an argument is NULL, or there are no such samples
 *   JN_ERR_MEMORY     out of memory, which is not a property of a sample
 *   JN_ERR_STATE      stopped by progress */
JN_API jn_status jn_sweep_evaluate(jn_sweep_worker *worker, uint64_t first, uint64_t count,
                                   double *rows, double *bands, jn_sweep_progress *progress,
                                   void *context);

/* Folders. jn_sweep_begin makes the folder and its manifest, sweep.json, or checks the one that is
 * there: JN_ERR_STATE if it belongs to another job, robot, version or instruction set. */
JN_API jn_status jn_sweep_begin(const jn_sweep *sweep, const char *folder, jn_error *error);
/* 1: the shard is there and belongs to this sweep. `verify`: and its files have the bytes that the
 * checksums say; they are read. */
JN_API int jn_sweep_is_done(const jn_sweep *sweep, const char *folder, int shard, int verify);
/* Computes a shard and writes shard-NNNNNN.npy, bands-NNNNNN.npy and, last, shard-NNNNNN.json with
 * their SHA-256. JN_ERR_FILE: a full disk, a folder that cannot be written to. */
JN_API jn_status jn_sweep_shard(jn_sweep_worker *worker, const char *folder, int shard,
                                jn_sweep_progress *progress, void *context, jn_error *error);

/* Statistics of a column over the samples that succeeded. Quantiles are those of numpy.quantile
 * (linear between neighbours). */
enum { JN_SWEEP_QUANTILES = 7 };
typedef struct jn_sweep_column {
  double mean, deviation;              /* sqrt(sum (x - mean)^2 / n) */
  double quantile[JN_SWEEP_QUANTILES]; /* 1, 5, 25, 50, 75, 95, 99 % */
  double least, largest;
  uint64_t at_least, at_largest; /* the first samples that have them */
} jn_sweep_column;

typedef struct jn_sweep_result {
  uint64_t samples, failed, first_failed;
  jn_status first_status;  /* of sample first_failed */
  jn_sweep_column *column; /* [columns], without "status" */
  int bins;
  uint64_t *histogram; /* [columns x bins], even between least and largest */
  uint64_t band_samples;
  double *band; /* [channels x instants x JN_SWEEP_QUANTILES] */
  int worst;    /* the column that the job judges by; worst case: its largest |value| */
  uint64_t worst_sample;
  double *worst_row; /* [columns] */
  jn_allocator hooks;
} jn_sweep_result;

/* Reduces all shards in the order of the samples and writes result.json into the folder: the same
 * bits whoever computed the shards. Quantiles are exact, found by counting in six passes over the
 * files; memory does not grow with the samples. Removes temporary files that killed processes left.
 *   JN_ERR_STATE      a shard is missing or damaged; `error` says which and how many */
JN_API jn_status jn_sweep_reduce(const jn_sweep *sweep, const char *folder,
                                 const jn_allocator *allocator, jn_sweep_result **out,
                                 jn_error *error);
JN_API void jn_sweep_result_free(jn_sweep_result *result);

/* The robot of a sample as a native model file, and its parameters: values[parameters]. `path` or
 * `values` may be NULL. */
JN_API jn_status jn_sweep_sample(jn_sweep_worker *worker, uint64_t sample, const char *path,
                                 double *values, jn_error *error);

#ifdef __cplusplus
}
#endif
#endif
