/* model.c: models, info and lint. */
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "output/names.h"
#include "output/tree.h"

int cli_models(int argc, char **argv) {
  cli_job job = CLI_JOB_DEFAULT;
  const cli_option table[] = {CLI_OUTPUT_OPTIONS(&job)};
  if (cli_parse(table, COUNT(table), argc, argv, NULL, 0) < 0) return CLI_BAD_USAGE;
  cli_output out;
  int code = cli_output_open(&out, &job.output, "models", 1u << CLI_NPY);
  if (code) return code;
  cli_json_begin(&out, '{');
  cli_records(&out, "models", "name,about");
  for (int i = 0; jn_builtin_name(i); i++) {
    const char *name = jn_builtin_name(i), *about = jn_builtin_about(i);
    const cli_field fields[] = {TEXT_FIELD("name", name), TEXT_FIELD("about", about)};
    if (out.format == CLI_TABLE)
      fprintf(out.file, "%-16s %s\n", name, about);
    else
      cli_record(&out, fields, COUNT(fields));
  }
  cli_json_end(&out);
  cli_json_end(&out);
  return cli_output_close(&out);
}

static const char *parent_name(const jn_model *model, int body) {
  int parent = jn_model_body(model, body)->parent;
  return parent < 0 ? NULL : jn_model_body(model, parent)->name;
}

static void write_joint(cli_output *out, const jn_model *model, int i, const jn_joint_desc *mimic) {
  const jn_joint *j = jn_model_joint(model, i);
  const jn_limits *l = &j->limits;
  const cli_field fields[] = {TEXT_FIELD("name", j->name),
                              TEXT_FIELD("type", jn_joint_type_name(j->type)),
                              TEXT_FIELD("parent", parent_name(model, i)),
                              TEXT_FIELD("child", jn_model_body(model, i)->name),
                              NUMBER_FIELD("nq", j->nq),
                              NUMBER_FIELD("nv", j->nv)};
  const cli_field not_zero[] = {
      NUMBER_FIELD("pitch", j->pitch), NUMBER_FIELD("armature", j->armature),
      NUMBER_FIELD("damping", j->damping), NUMBER_FIELD("friction", j->friction)};
  const cli_field limits[] = {NUMBER_FIELD("lower", l->lower),
                              NUMBER_FIELD("upper", l->upper),
                              NUMBER_FIELD("velocity", l->velocity),
                              NUMBER_FIELD("effort", l->effort),
                              NUMBER_FIELD("acceleration", l->acceleration),
                              NUMBER_FIELD("jerk", l->jerk),
                              NUMBER_FIELD("effort_rate", l->effort_rate)};
  cli_json_begin(out, '{');
  cli_json_fields(out, fields, COUNT(fields));
  for (int k = 0; k < COUNT(not_zero); k++)
    if (not_zero[k].number != 0) cli_json_fields(out, &not_zero[k], 1);
  if (j->passive) {
    cli_json_key(out, "passive");
    cli_json_bool(out, 1);
  }
  cli_json_key(out, "limits");
  cli_json_begin(out, '{');
  for (int k = 0; k < COUNT(limits); k++)
    if (isfinite(limits[k].number)) cli_json_fields(out, &limits[k], 1);
  cli_json_end(out);
  if (mimic) {
    const cli_field follows[] = {TEXT_FIELD("joint", mimic->mimic),
                                 NUMBER_FIELD("multiplier", mimic->mimic_multiplier),
                                 NUMBER_FIELD("offset", mimic->mimic_offset)};
    cli_json_key(out, "mimic");
    cli_json_begin(out, '{');
    cli_json_fields(out, follows, COUNT(follows));
    cli_json_end(out);
  }
  cli_json_end(out);
}

/* Links, or the named frames that are not links. */
static void write_frames(cli_output *out, const jn_model *model, int links) {
  cli_records(out, links ? "links" : "frames", "");
  for (int i = 0; i < jn_model_frame_count(model); i++) {
    const jn_frame *f = jn_model_frame(model, i);
    const cli_field fields[] = {
        TEXT_FIELD("name", f->name),
        TEXT_FIELD("body", f->body < 0 ? NULL : jn_model_body(model, f->body)->name),
        NUMBER_FIELD("mass", f->mass)};
    if ((f->is_link != 0) == links) cli_record(out, fields, links ? 3 : 2);
  }
  cli_json_end(out);
}

static void write_rotors(cli_output *out, const jn_model *model) {
  if (!jn_model_rotor_count(model)) return;
  cli_records(out, "rotors", "");
  for (int i = 0; i < jn_model_rotor_count(model); i++) {
    const jn_rotor *r = jn_model_rotor(model, i);
    const jn_rotor_limits *l = &r->limits;
    const cli_field fields[] = {
        TEXT_FIELD("name", r->name),
        NUMBER_FIELD("c_f", r->c_f),
        NUMBER_FIELD("c_d", r->c_d),
        NUMBER_FIELD("spin", r->spin),
        NUMBER_FIELD("lower", r->lower),
        MAYBE_FIELD("upper", isfinite(r->upper), r->upper),
        MAYBE_FIELD("thrust_rate", isfinite(l->thrust_rate), l->thrust_rate)};
    cli_record(out, fields, COUNT(fields));
  }
  cli_json_end(out);
}

static void write_info_json(cli_output *out, const jn_model *model,
                            const jn_joint_desc *const *mimic) {
  jn_vec3 g = jn_model_gravity(model);
  const cli_field fields[] = {TEXT_FIELD("name", jn_model_name(model)),
                              NUMBER_FIELD("mass", jn_model_mass(model)),
                              NUMBER_FIELD("moving_mass", jn_model_moving_mass(model)),
                              NUMBER_FIELD("bodies", jn_model_body_count(model)),
                              NUMBER_FIELD("dofs", jn_model_nv(model)),
                              NUMBER_FIELD("nq", jn_model_nq(model)),
                              BOOL_FIELD("floating", jn_model_is_floating(model))};
  cli_json_begin(out, '{');
  cli_json_fields(out, fields, COUNT(fields));
  cli_json_key(out, "gravity");
  cli_json_row(out, 3, (const double[]){g.x, g.y, g.z}, 1);
  write_frames(out, model, 1);
  cli_records(out, "joints", "");
  for (int i = 0; i < jn_model_body_count(model); i++) write_joint(out, model, i, mimic[i]);
  cli_json_end(out);
  write_frames(out, model, 0);
  if (jn_model_constraint_count(model)) cli_records(out, "constraints", "");
  for (int i = 0; i < jn_model_constraint_count(model); i++) {
    const jn_constraint *c = jn_model_constraint(model, i);
    const cli_field constraint[] = {TEXT_FIELD("name", c->name),
                                    TEXT_FIELD("type", jn_constraint_type_name(c->type)),
                                    NUMBER_FIELD("rows", c->rows)};
    cli_record(out, constraint, COUNT(constraint));
  }
  if (jn_model_constraint_count(model)) cli_json_end(out);
  write_rotors(out, model);
  cli_json_end(out);
}

/* an empty field for what is not limited */
static cli_field limit_field(double x) {
  return isfinite(x) ? (cli_field)NUMBER_FIELD("", x) : (cli_field)TEXT_FIELD("", NULL);
}

static void write_info_csv(cli_output *out, const jn_model *model,
                           const jn_joint_desc *const *mimic) {
  cli_records(out, NULL,
              "joint,type,parent,child,nv,mass,lower,upper,velocity,effort,armature,mimic");
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *joint = jn_model_joint(model, i);
    const jn_body *body = jn_model_body(model, i);
    const cli_field fields[] = {TEXT_FIELD("joint", joint->name),
                                TEXT_FIELD("type", jn_joint_type_name(joint->type)),
                                TEXT_FIELD("parent", parent_name(model, i)),
                                TEXT_FIELD("child", body->name),
                                NUMBER_FIELD("nv", joint->nv),
                                NUMBER_FIELD("mass", body->inertia.m),
                                limit_field(joint->limits.lower),
                                limit_field(joint->limits.upper),
                                limit_field(joint->limits.velocity),
                                limit_field(joint->limits.effort),
                                NUMBER_FIELD("armature", joint->armature),
                                TEXT_FIELD("mimic", mimic[i] ? mimic[i]->mimic : NULL)};
    cli_record(out, fields, COUNT(fields));
  }
}

static int run_info(cli_job *job) {
  cli_output out;
  int code = cli_output_open(&out, &job->output, "info", 1u << CLI_NPY);
  if (code) return code;
  const jn_joint_desc **mimic = cli_mimics(job->model, job->spec);
  if (!mimic) code = CLI_BAD_INPUT;
  if (mimic && out.format == CLI_JSON) write_info_json(&out, job->model, mimic);
  if (mimic && out.format == CLI_CSV) write_info_csv(&out, job->model, mimic);
  free(mimic);
  if (out.format == CLI_TABLE) code = cli_tree(&out, job->model, job->spec);
  return cli_output_end(&out, code);
}

int cli_info(int argc, char **argv) {
  cli_job job = CLI_JOB_DEFAULT;
  job.closes = 1;
  const cli_option table[] = {CLI_MODEL_OPTIONS(&job), CLI_OUTPUT_OPTIONS(&job)};
  return cli_job_run(&job, table, COUNT(table), argc, argv, NULL, run_info);
}

static const char *const severity_names[] = {"note", "warning", "serious"};

/* A message without the "file:line: " it may start with. */
static const char *bare_message(const jn_error *error, const char *file) {
  const char *text = error->message;
  char start[JN_MAX_PATH + 32];
  snprintf(start, sizeof start, "%s:%d: ", file, error->line);
  if (strncmp(text, start, strlen(start)) == 0) return text + strlen(start);
  snprintf(start, sizeof start, "%s: ", file);
  return strncmp(text, start, strlen(start)) == 0 ? text + strlen(start) : text;
}

static void write_finding(cli_output *out, const char *file, jn_finding finding) {
  const char *severity = severity_names[finding.severity];
  const cli_field fields[] = {TEXT_FIELD("severity", severity), NUMBER_FIELD("line", finding.line),
                              TEXT_FIELD("text", finding.text)};
  if (out->format != CLI_TABLE) {
    cli_record(out, fields, COUNT(fields));
    return;
  }
  cli_write_clean(out->file, file);
  if (finding.line > 0) fprintf(out->file, ":%d", finding.line);
  fprintf(out->file, ": %s: %s\n", severity, finding.text);
}

/* Writes all findings; returns CLI_CHECK_FAILED when there is a warning or worse. */
static int write_findings(const cli_job *job, const jn_spec *spec) {
  int counts[3] = {0, 0, 0};
  cli_output out;
  int code = cli_output_open(&out, &job->output, "lint", 1u << CLI_NPY);
  if (code) return code;
  cli_json_begin(&out, '{');
  cli_json_fields(&out, &(cli_field)TEXT_FIELD("file", job->model_path), 1);
  cli_records(&out, "findings", "severity,line,text");
  for (int i = 0; i < jn_spec_finding_count(spec); i++) {
    jn_finding finding = jn_spec_finding(spec, i);
    counts[finding.severity]++;
    write_finding(&out, job->model_path, finding);
  }
  const cli_field found[] = {NUMBER_FIELD("serious", counts[2]),
                             NUMBER_FIELD("warnings", counts[1]), NUMBER_FIELD("notes", counts[0])};
  cli_json_end(&out);
  cli_json_fields(&out, found, COUNT(found));
  cli_json_end(&out);
  if (out.format == CLI_TABLE) cli_write_clean(out.file, job->model_path);
  if (out.format == CLI_TABLE)
    fprintf(out.file, ": %d serious, %d %s, %d %s\n", counts[2], counts[1],
            counts[1] == 1 ? "warning" : "warnings", counts[0], counts[0] == 1 ? "note" : "notes");
  code = cli_output_close(&out);
  return code ? code : counts[1] + counts[2] > 0 ? CLI_CHECK_FAILED : CLI_DONE;
}

static int has_serious(const jn_spec *spec) {
  for (int i = 0; i < jn_spec_finding_count(spec); i++)
    if (jn_spec_finding(spec, i).severity == JN_SERIOUS) return 1;
  return 0;
}

static int run_lint(cli_job *job) {
  jn_build_options options = cli_job_build(job);
  jn_error error = {0};
  int code = cli_job_spec(job, job->model_path, &job->spec);
  if (code) return code;
  jn_status status = jn_spec_lint_for(job->spec, &options);

  /* the reason why the model cannot be built is a finding, too, unless there is a serious one */
  memset(&error, 0, sizeof error);
  if ((!status || status == JN_ERR_LIMIT) &&
      jn_model_build(job->spec, &options, NULL, &job->model, &error) && !has_serious(job->spec)) {
    const char *file = error.file[0] ? error.file : job->model_path;
    status = jn_spec_add_finding(job->spec, JN_SERIOUS, error.line, bare_message(&error, file));
  }
  if (status && status != JN_ERR_LIMIT) { /* JN_ERR_LIMIT: the last finding says so */
    return cli_bad_input("%s: %s", job->model_path, jn_status_text(status));
  }
  return write_findings(job, job->spec);
}

int cli_lint(int argc, char **argv) {
  cli_job job = CLI_JOB_DEFAULT;
  const cli_option table[] = {CLI_MODEL_OPTIONS(&job), CLI_OUTPUT_OPTIONS(&job)};
  int code = cli_job_begin(&job, table, COUNT(table), argc, argv);
  if (!code) code = run_lint(&job);
  cli_job_end(&job);
  return code;
}
