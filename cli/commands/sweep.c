/* sweep.c: sweep: one computation for many samples of uncertain parameters.
 *
 * Processes share nothing but the folder: each computes the shards that are its own, and the one that
 * finds all of them there reduces. mpirun and srun say by the environment which part is whose; no MPI
 * library is needed, and a process that is killed leaves nothing half done. */
#include "commands.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/file.h"
#include "memory.h"
#include "job/reader.h"
#include "job/sweep.h"

/* Parts. */

/* rank and number of processes from the environment of mpirun (Open MPI, MPICH) and srun */
static void find_ranks(sweep_command *x) {
  static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                         {"PMI_RANK", "PMI_SIZE"},
                                         {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  x->part = 0;
  x->parts = x->ranks = 1;
  for (int i = 0; i < COUNT(names); i++) {
    const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
    const int r = rank ? atoi(rank) : -1, n = size ? atoi(size) : 0;
    if (r < 0 || n < 2 || r >= n) continue;
    x->part = r;
    x->parts = x->ranks = n;
    return;
  }
}

static int find_part(sweep_command *x) {
  int i = 0, n = 0, used = 0;
  find_ranks(x);
  if (!x->shard) return CLI_DONE;
  if (sscanf(x->shard, "%9d/%9d%n", &i, &n, &used) != 2 || x->shard[used] || i < 1 || i > n)
    return cli_bad_usage("sweep: --shard: i/n with i from 1 to n expected, found '%s'", x->shard);
  /* the parts of the processes lie within part i */
  x->part = (i - 1) + n * x->part;
  x->parts *= n;
  return CLI_DONE;
}

static int check(cli_job *job) {
  sweep_command *x = (sweep_command *)job;
  if (x->sample_given &&
      (!(x->sample >= 0) || x->sample != floor(x->sample) || x->sample > JN_MAX_SWEEP_SAMPLES))
    return cli_bad_usage("sweep: --sample: a whole number expected, found %.9g", x->sample);
  if (x->robot && !x->sample_given)
    return cli_bad_usage("sweep: --robot FILE is the robot of a sample: give --sample N");
  if (x->report && strcmp(x->report, "-") == 0)
    return cli_bad_usage("sweep: --report needs a file name");
  return find_part(x);
}

/* Results. */

void sweep_cells(const sweep_command *x, cli_cells *cells) {
  const jn_sweep_info *f = jn_sweep_about(x->sweep);
  cli_cells_begin(cells, "Parameters and results",
                  "name mean deviation 5~% 50~% 95~% least largest "
                  "at~sample");
  for (int i = 0; i < f->columns - 1; i++) {
    const jn_sweep_column *c = &x->result->column[i];
    char name[CELL];
    snprintf(name, sizeof name, "%.*s", CELL - 1, cli_clean_cut(f->names[i], CELL - 1).text);
    for (char *blank; (blank = strchr(name, ' '));) *blank = '~';
    cli_cells_add(cells, "%s %.6g %.3g %.6g %.6g %.6g %.6g %.6g %llu", name, c->mean, c->deviation,
                  c->quantile[1], c->quantile[3], c->quantile[5], c->least, c->largest,
                  (unsigned long long)c->at_largest);
  }
}

const char *sweep_worst(sweep_command *x) {
  const jn_sweep_info *f = jn_sweep_about(x->sweep);
  const jn_sweep_result *r = x->result;
  char text[1024];
  snprintf(text, sizeof text, "worst %s: %.6g in sample %llu", cli_clean(f->names[r->worst]).text,
           r->worst_row[r->worst], (unsigned long long)r->worst_sample);
  for (int i = 0; i < f->parameters; i++)
    cli_append(text, sizeof text, "%s %s = %.6g", i ? "," : ":", cli_clean(f->names[i]).text,
               r->worst_row[i]);
  return cli_take_text(&x->job.result.memory, "%s", text);
}

static void write_text(FILE *file, sweep_command *x) {
  const jn_sweep_info *f = jn_sweep_about(x->sweep);
  const jn_sweep_result *r = x->result;
  cli_cells cells;
  fprintf(file, "%s: %s of %llu samples, ", cli_job_name(&x->job).text, f->run,
          (unsigned long long)r->samples);
  if (r->failed) fprintf(file, "%llu of them failed, ", (unsigned long long)r->failed);
  fprintf(file, "%d shards in %s", f->shards, cli_clean(x->folder).text);
  if (x->seconds > 0)
    fprintf(file, "; computed in %.*f s on %d thread%s", x->seconds < 100 ? 2 : 0, x->seconds,
            x->threads, x->threads == 1 ? "" : "s");
  fputc('\n', file);
  sweep_cells(x, &cells);
  cli_cells_text(file, &cells);
  cli_cells_free(&cells);
  fprintf(file, "%s\n", sweep_worst(x));
}

static void warn_failed(const sweep_command *x) {
  const jn_sweep_result *r = x->result;
  if (r->failed)
    cli_error(
        "sweep: %llu of %llu samples failed, the first is %llu: %s; the statistics leave them out "
        "(--sample %llu --robot FILE writes that robot: 'jounce %s' with it shows the cause)",
        (unsigned long long)r->failed, (unsigned long long)r->samples,
        (unsigned long long)r->first_failed, jn_status_text(r->first_status),
        (unsigned long long)r->first_failed, jn_sweep_about(x->sweep)->run);
}

/* the file of the folder as it is */
static int copy_result(const sweep_command *x, FILE *file) {
  char path[JN_FILE_PATH], *text = NULL;
  size_t size = 0;
  jn_error error = {0};
  snprintf(path, sizeof path, "%s/result.json", x->folder);
  jn_status status = cli_read_file(path, &text, &size, &error);
  if (!status) fwrite(text, 1, size, file);
  if (!status) fputc('\n', file);
  free(text);
  return status ? cli_fail(status, &error, path) : CLI_DONE;
}

static int write_result(sweep_command *x) {
  cli_output out;
  int code = cli_output_open(&out, &x->job.output, "sweep", CLI_TO_NPY);
  if (code) return code;
  if (out.format == CLI_JSON) {
    code = copy_result(x, out.file);
  } else if (out.format == CLI_TABLE) {
    write_text(out.file, x);
  } else {
    cli_cells cells;
    sweep_cells(x, &cells);
    cli_cells_csv(out.file, &cells);
    cli_cells_free(&cells);
  }
  return cli_output_end(&out, code);
}

/* Whether the shards of all processes are there. */
static int is_complete(const sweep_command *x) {
  const int shards = jn_sweep_about(x->sweep)->shards;
  for (int i = 0; i < shards; i++)
    if (!jn_sweep_is_done(x->sweep, x->folder, i, 0)) return 0;
  return 1;
}

static int reduce(sweep_command *x) {
  jn_error error = {0};
  jn_status status = jn_sweep_reduce(x->sweep, x->folder, NULL, &x->result, &error);
  if (status == JN_ERR_STATE)
    return cli_bad_input("sweep: %s: compute them again with --resume", error.message);
  if (status) return cli_fail(status, &error, x->folder);
  warn_failed(x);
  if (x->result->failed == x->result->samples)
    return cli_bad_input("sweep: no sample succeeded; see %s/result.json", x->folder);
  int code = write_result(x);
  return code || !x->report ? code : sweep_page(x);
}

/* Of several processes that find all shards, one at a time goes on, and only the first reduces. */
static int reduce_alone(sweep_command *x) {
  char path[JN_FILE_PATH];
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  snprintf(path, sizeof path, "%s/sweep.json", x->folder);
  const int manifest = open(path, O_RDWR);
  if (manifest >= 0) fcntl(manifest, F_SETLKW, &lock);
  snprintf(path, sizeof path, "%s/result.json", x->folder);
  const int code = access(path, F_OK) == 0 ? CLI_DONE : reduce(x);
  if (manifest >= 0) close(manifest);
  return code;
}

/* The command. */

static const char *default_folder(sweep_command *x) {
  const char *path = x->job.trajectory_path, *ending = strrchr(path, '.');
  const int length =
      ending && strcmp(ending, ".json") == 0 ? (int)(ending - path) : (int)strlen(path);
  return cli_take_text(&x->job.result.memory, "%.*s.sweep", length, path);
}

/* A folder that has shards already is only used when that was meant. */
static int begin(sweep_command *x) {
  char path[JN_FILE_PATH];
  jn_error error = {0};
  snprintf(path, sizeof path, "%s/sweep.json", x->folder);
  const int there = access(path, F_OK) == 0;
  if (there && !x->resume && !x->merge && x->parts == 1)
    return cli_bad_input(
        "sweep: %s already holds a sweep: give --resume to continue, --merge to reduce what is "
        "there, or another --folder",
        x->folder);
  if (!there && x->merge)
    return cli_bad_input("sweep: --merge: there is no sweep in %s", x->folder);
  jn_status status = jn_sweep_begin(x->sweep, x->folder, &error);
  return status ? cli_fail(status, &error, x->folder) : CLI_DONE;
}

static int compute(sweep_command *x) {
  int code = begin(x);
  if (!code && x->report) code = cli_file_check(x->report);
  if (!code && !x->merge) code = sweep_compute(x);
  if (code) return code;
  if (x->merge || x->parts == 1) return reduce(x);
  return is_complete(x) ? reduce_alone(x) : CLI_DONE;
}

/* One sample: its row, and its robot as a file. */
static int show_sample(sweep_command *x) {
  const jn_sweep_info *f = jn_sweep_about(x->sweep);
  const uint64_t sample = (uint64_t)x->sample;
  jn_error error = {0};
  jn_sweep_worker *worker = NULL;
  double *row = cli_take_numbers(&x->job.result.memory, (size_t)f->columns, 1, 1);
  if (!row) return CLI_BAD_INPUT;
  if (x->sample >= (double)f->samples)
    return cli_bad_usage("sweep: --sample: the last sample is %llu",
                         (unsigned long long)f->samples - 1);
  jn_status status = jn_sweep_worker_new(x->sweep, NULL, &worker, &error);
  if (!status && x->robot) status = jn_sweep_sample(worker, sample, x->robot, NULL, &error);
  if (!status) status = jn_sweep_evaluate(worker, sample, 1, row, NULL, NULL, NULL);
  jn_sweep_worker_free(worker);
  if (status) return cli_fail(status, &error, "sweep");
  const jn_status failed = (jn_status)row[f->columns - 1];
  if (failed)
    return cli_bad_input("sweep: sample %.0f fails: %s (%s)", x->sample, jn_status_text(failed),
                         x->robot
                             ? "the command itself shows the cause, with the robot of --robot"
                             : "--robot FILE writes its robot: the command itself shows the cause");
  cli_output out;
  int code = cli_output_open(&out, &x->job.output, "sweep", CLI_TO_NPY | CLI_TO_CSV);
  if (code) return code;
  cli_json_begin(&out, '{');
  cli_json_fields(&out, &(cli_field)NUMBER_FIELD("sample", x->sample), 1);
  for (int i = 0; i < f->columns - 1; i++) {
    if (out.format == CLI_JSON)
      cli_json_fields(&out, &(cli_field)NUMBER_FIELD(f->names[i], row[i]), 1);
    else
      fprintf(out.file, "%-24s %.9g\n", cli_clean(f->names[i]).text, row[i]);
  }
  cli_json_end(&out);
  return cli_output_close(&out);
}

static int run_sweep(cli_job *job) {
  sweep_command *x = (sweep_command *)job;
  const jn_build_options build = cli_job_build(job);
  jn_error error = {0};
  if (job->open && jn_model_constraint_count(job->model))
    return cli_bad_usage(
        "sweep: --open: a sweep keeps the constraints of %s: use a model file "
        "without them",
        job->model_path);
  jn_status status =
      jn_sweep_load(job->trajectory_path, job->spec, &build, NULL, &x->sweep, &error);
  int code = status ? cli_fail(status, &error, job->trajectory_path) : CLI_DONE;
  if (!x->folder) x->folder = default_folder(x);
  if (!code) code = x->sample_given ? show_sample(x) : compute(x);
  jn_sweep_result_free(x->result);
  jn_sweep_free(x->sweep);
  return code;
}

int cli_sweep(int argc, char **argv) {
  sweep_command x = {.job = CLI_JOB_DEFAULT};
  x.job.with_trajectory = x.job.closes = 1;
  x.job.second = "JOB is missing: a file (.json) that says what to compute";
  const cli_option table[] = {CLI_MODEL_OPTIONS(&x.job),
                              CLI_OUTPUT_OPTIONS(&x.job),
                              CLI_OPT_TEXT("folder", &x.folder),
                              CLI_OPT_INT("threads", &x.threads, 1, JN_MAX_THREADS),
                              CLI_OPT_FLAG("resume", &x.resume, 1),
                              CLI_OPT_FLAG("merge", &x.merge, 1),
                              CLI_OPT_TEXT("shard", &x.shard),
                              CLI_OPT_NUMBER("sample", &x.sample, &x.sample_given),
                              CLI_OPT_OUTPUT("robot", &x.robot),
                              CLI_OPT_OUTPUT("report", &x.report)};
  return cli_job_run(&x.job, table, COUNT(table), argc, argv, check, run_sweep);
}
