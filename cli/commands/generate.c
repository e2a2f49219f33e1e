/* generate.c: generate: standalone C for one robot. */
#include "commands.h"

#include <jounce/generate.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "output/file.h"
#include "job/job.h"
#include "output/names.h"

typedef struct generate_job {
  cli_job job;
  const char *inverse, *forward, *kinematics, *partials, *forward_partials, *name;
  int representation, lanes, mass, scalar, signature;
} generate_job;

static const char *const lane_names[] = {"1", "4", "8", NULL};
static const char *const scalar_names[] = {"double", "float", NULL};
static const char *const signature_names[] = {"plain", "casadi", "acados", NULL};

/* "2", "0,2" or "0-5": a bit for each order; 0 after a message */
static unsigned orders_of(const char *option, const char *text, int most) {
  unsigned orders = 0;
  const char *s = text;
  for (;;) {
    int from = *s - '0', to = from;
    if (from < 0 || from > 9) break;
    s++;
    if (*s == '-') {
      to = s[1] - '0';
      if (to < from || to > 9) break;
      s += 2;
    }
    if (to > most) break;
    for (int r = from; r <= to; r++) orders |= 1u << r;
    if (!*s) return orders;
    if (*s != ',') break;
    s++;
  }
  cli_error("generate: --%s %s: orders from 0 to %d expected, as in 2 or 0,2 or 0-%d", option, text,
            most, most);
  return 0;
}

static int check_generate(cli_job *job) {
  const generate_job *g = (const generate_job *)(const void *)job;
  if (!job->output.path)
    return cli_bad_usage("generate: --output FOLDER expected: where the files are written");
  if (!g->inverse && !g->forward && !g->kinematics && !g->mass && !g->partials &&
      !g->forward_partials)
    return cli_bad_usage(
        "generate: nothing to generate: give --id ORDER, --fd ORDER, --partials ORDER, "
        "--forward-partials ORDER, --kinematics ORDER or --mass");
  if (g->partials && !orders_of("partials", g->partials, JN_MAX_GENERATE_PARTIALS))
    return CLI_BAD_USAGE;
  if (g->forward_partials &&
      !orders_of("forward-partials", g->forward_partials, JN_MAX_GENERATE_PARTIALS))
    return CLI_BAD_USAGE;
  if (g->kinematics && !orders_of("kinematics", g->kinematics, JN_MAX_GENERATE_KINEMATICS))
    return CLI_BAD_USAGE;
  if (g->inverse && !orders_of("id", g->inverse, JN_MAX_GENERATE_INVERSE)) return CLI_BAD_USAGE;
  if (g->forward && !orders_of("fd", g->forward, JN_MAX_GENERATE_FORWARD)) return CLI_BAD_USAGE;
  return CLI_DONE;
}

static int write_file(const char *folder, const char *name, const char *end, const char *text) {
  char path[JN_MAX_PATH];
  jn_file file;
  if (snprintf(path, sizeof path, "%s/%s%s", folder, name, end) >= (int)sizeof path)
    return cli_bad_input("generate: the name of the folder is too long");
  FILE *stream = cli_file_open(&file, path);
  if (!stream) return CLI_BAD_INPUT;
  fputs(text, stream);
  return cli_file_commit(&file);
}

static int run_generate(cli_job *job) {
  const generate_job *g = (const generate_job *)(const void *)job;
  const char *folder = job->output.path;
  jn_error error = {0};
  jn_generated text;
  const jn_generate_options options = {
      .name = g->name,
      .inverse = g->inverse ? orders_of("id", g->inverse, JN_MAX_GENERATE_INVERSE) : 0,
      .forward = g->forward ? orders_of("fd", g->forward, JN_MAX_GENERATE_FORWARD) : 0,
      .kinematics =
          g->kinematics ? orders_of("kinematics", g->kinematics, JN_MAX_GENERATE_KINEMATICS) : 0,
      .partials = g->partials ? orders_of("partials", g->partials, JN_MAX_GENERATE_PARTIALS) : 0,
      .forward_partials = g->forward_partials ? orders_of("forward-partials", g->forward_partials,
                                                          JN_MAX_GENERATE_PARTIALS)
                                              : 0,
      .mass = g->mass,
      .scalar = (jn_scalar)g->scalar,
      .signature = (jn_signature)g->signature,
      .lanes = (int[]){1, 4, 8}[g->lanes],
      .representation = (jn_representation)g->representation,
      .damping = job->damping,
      .gravity = job->gravity_given ? job->gravity : NULL};
  jn_status status = jn_generate(job->model, &options, NULL, &text, &error);
  if (status) return cli_fail(status, &error, NULL);
  mkdir(folder, 0777);
  int code = write_file(folder, text.name, ".c", text.source);
  if (!code) code = write_file(folder, text.name, ".h", text.header);
  if (!code) code = write_file(folder, text.name, "_test.c", text.test);
  if (!code) code = write_file(folder, "CMakeLists", ".txt", text.cmake);
  if (!code && !job->quiet)
    fprintf(stderr, "%s/%s.c, %s.h, %s_test.c, CMakeLists.txt\n", cli_clean(folder).text, text.name,
            text.name, text.name);
  jn_generated_free(&text);
  return code;
}

int cli_generate(int argc, char **argv) {
  generate_job g = {.job = {.output = CLI_OUTPUT_DEFAULT, .closes = 1}};
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&g.job),
      CLI_OPT_TEXT("id", &g.inverse),
      CLI_OPT_TEXT("fd", &g.forward),
      CLI_OPT_TEXT("kinematics", &g.kinematics),
      CLI_OPT_TEXT("partials", &g.partials),
      CLI_OPT_TEXT("forward-partials", &g.forward_partials),
      CLI_OPT_FLAG("mass", &g.mass, 1),
      CLI_OPT_CHOICE("scalar", &g.scalar, scalar_names),
      CLI_OPT_CHOICE("signature", &g.signature, signature_names),
      CLI_OPT_TEXT("name", &g.name),
      CLI_OPT_CHOICE("lanes", &g.lanes, lane_names),
      CLI_OPT_CHOICE("representation", &g.representation, cli_representation_names),
      CLI_OPT_VECTOR("gravity", g.job.gravity, &g.job.gravity_given),
      CLI_DAMPING_OPTION(&g.job),
      CLI_OPT_OUTPUT("output", &g.job.output.path)};
  return cli_job_run(&g.job, table, COUNT(table), argc, argv, check_generate, run_generate);
}
