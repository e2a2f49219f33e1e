/* show.c: show: a page with the robot in 3D and a slider for every joint. */
#include "commands.h"

#include <math.h>
#include <string.h>

#include "job/closure.h"
#include "output/names.h"
#include "page/page.h"

typedef struct request {
  cli_job job;
  const char *output;
} request;

static void limit_cell(FILE *page, double x) {
  if (isfinite(x))
    fprintf(page, "<td>%.6g</td>", x);
  else
    fputs("<td>&ndash;</td>", page);
}

/* The joints with their limits, for reading. */
static void joint_table(FILE *page, const void *context) {
  const jn_model *m = ((const cli_job *)context)->model;
  fputs(
      "<h2>Joints</h2>\n<div class=\"table\"><table><thead><tr><th>joint</th><th>type</th>"
      "<th>body</th><th>parent</th><th>mass [kg]</th><th>lower</th><th>upper</th><th>unit</th>"
      "<th>velocity [/s]</th><th>force</th><th>its unit</th></tr></thead><tbody>\n",
      page);
  for (int i = 0; i < jn_model_body_count(m); i++) {
    const jn_joint *j = jn_model_joint(m, i);
    const jn_body *b = jn_model_body(m, i);
    const int length = j->nv > 0 && cli_is_length(j->type, 0);
    fputs("<tr><th scope=\"row\">", page);
    report_text(page, cli_joint_name(m, i));
    fprintf(page, "</th><td>%s</td><td>", jn_joint_type_name(j->type));
    report_text(page, b->name);
    fputs("</td><td>", page);
    report_text(page, b->parent < 0 ? "world" : jn_model_body(m, b->parent)->name);
    fprintf(page, "</td><td>%.6g</td>", b->inertia.m);
    limit_cell(page, j->limits.lower);
    limit_cell(page, j->limits.upper);
    fprintf(page, "<td>%s</td>", length ? "m" : "rad");
    limit_cell(page, j->limits.velocity);
    limit_cell(page, j->limits.effort);
    fprintf(page, "<td>%s</td></tr>\n", length ? "N" : "N m");
  }
  fputs("</tbody></table></div>\n", page);
}

static void facts(FILE *page, const void *context) {
  const cli_job *job = context;
  if (job->state_path) report_fact(page, "State", job->state_path, "");
  if (jn_model_constraint_count(job->model))
    report_fact(page, "Loops", "the sliders move the tree alone: constraints are not kept", "");
}

/* The file of the page: the name of the model with other characters than letters, digits, '.', '-'
 * and '_' left out. */
static const char *default_name(cli_job *job) {
  char name[128];
  size_t n = 0;
  for (const char *at = jn_model_name(job->model); *at && n < sizeof name - 1; at++)
    if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
        (n && strchr(".-_", *at)))
      name[n++] = *at;
  name[n] = '\0';
  return cli_take_text(&job->result.memory, "%s_show.html", n ? name : "robot");
}

static int run_show(cli_job *job) {
  request *x = (request *)job;
  const jn_model *m = job->model;
  const cli_need need = {0, 0, 0, 0, 0, 1, 0};
  int code = cli_job_state(job, &need, 0);
  if (code) return code;
  const char *file = x->output ? x->output : default_name(job);
  cli_memory *memory = &job->result.memory;
  const char *cards[] = {cli_take_text(memory, "%d", jn_model_nv(m)),
                         cli_take_text(memory, "degrees of freedom%s",
                                       jn_model_is_floating(m) ? ", floating base" : ""),
                         cli_take_text(memory, "%d", jn_model_body_count(m)),
                         "bodies",
                         cli_take_text(memory, "%.4g kg", jn_model_mass(m)),
                         "mass",
                         NULL};
  const cli_page page = {.title = "Joints and shape",
                         .cards = cards,
                         .q = job->state.q,
                         .facts = facts,
                         .below = joint_table,
                         .context = job};
  code = cli_check_pictures("show", NULL, file);
  if (!code) code = cli_page_write(job, NULL, file, NULL, &page);
  if (!code && !job->quiet) fprintf(stderr, "written: %s\n", cli_clean(file).text);
  return code;
}

int cli_show(int argc, char **argv) {
  request x = {.job = CLI_JOB_DEFAULT};
  cli_job *job = &x.job;
  job->closes = 1;
  const cli_option table[] = {CLI_MODEL_OPTIONS(job), CLI_OPT_INPUT("state", &job->state_path),
                              CLI_OPT_OUTPUT("output", &x.output)};
  return cli_job_run(job, table, COUNT(table), argc, argv, NULL, run_show);
}
