/* commands_model.c: models, info and lint. */
#include "commands.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "table.h"
#include "tree.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

static void write_models(cli_output *out) {
  if (out->format == CLI_CSV) fputs("name,about\n", out->file);
  if (out->format == CLI_JSON) {
    cli_json_begin(out, '{');
    cli_json_key(out, "models");
    cli_json_begin(out, '[');
  }
  for (int i = 0; jn_builtin_name(i); i++) {
    const char *name = jn_builtin_name(i), *about = jn_builtin_about(i);
    if (out->format == CLI_JSON) {
      cli_json_begin(out, '{');
      cli_json_key(out, "name");
      cli_json_text(out, name);
      cli_json_key(out, "about");
      cli_json_text(out, about);
      cli_json_end(out);
    } else if (out->format == CLI_CSV) {
      cli_csv_text(out, name);
      fputc(',', out->file);
      cli_csv_text(out, about);
      fputc('\n', out->file);
    } else {
      fprintf(out->file, "%-16s %s\n", name, about);
    }
  }
  if (out->format == CLI_JSON) {
    cli_json_end(out);
    cli_json_end(out);
  }
}

int cli_models(int argc, char **argv) {
  cli_job job = CLI_JOB_DEFAULT;
  const cli_option table[] = {CLI_OUTPUT_OPTIONS(&job)};
  if (cli_parse(table, COUNT(table), argc, argv, NULL, 0) < 0) return CLI_BAD_USAGE;
  cli_output out;
  int code = cli_output_open(&out, &job.output, "models", 1u << CLI_NPY);
  if (code) return code;
  write_models(&out);
  return cli_output_close(&out);
}

/* {"lower", ...}: those that exist */
static void write_limits(cli_output *out, const jn_limits *limits) {
  const char *const keys[] = {"lower",        "upper", "velocity",   "effort",
                              "acceleration", "jerk",  "effort_rate"};
  const double values[] = {limits->lower,        limits->upper, limits->velocity,   limits->effort,
                           limits->acceleration, limits->jerk,  limits->effort_rate};
  cli_json_begin(out, '{');
  for (int i = 0; i < 7; i++) {
    if (!isfinite(values[i])) continue;
    cli_json_key(out, keys[i]);
    cli_json_number(out, values[i]);
  }
  cli_json_end(out);
}

static void write_joint(cli_output *out, const jn_model *model, int i) {
  const jn_joint *joint = jn_model_joint(model, i);
  const jn_body *body = jn_model_body(model, i);
  const char *const keys[] = {"pitch", "armature", "damping", "friction"};
  const double values[] = {joint->pitch, joint->armature, joint->damping, joint->friction};
  cli_json_begin(out, '{');
  cli_json_key(out, "name");
  cli_json_text(out, joint->name);
  cli_json_key(out, "type");
  cli_json_text(out, jn_joint_type_name(joint->type));
  cli_json_key(out, "parent");
  cli_json_text(out, body->parent < 0 ? NULL : jn_model_body(model, body->parent)->name);
  cli_json_key(out, "child");
  cli_json_text(out, body->name);
  cli_json_key(out, "nq");
  cli_json_int(out, joint->nq);
  cli_json_key(out, "nv");
  cli_json_int(out, joint->nv);
  for (int k = 0; k < 4; k++) {
    if (values[k] == 0) continue;
    cli_json_key(out, keys[k]);
    cli_json_number(out, values[k]);
  }
  cli_json_key(out, "limits");
  write_limits(out, &joint->limits);
  cli_json_end(out);
}

/* Links, or the named frames that are no links. */
static void write_frames(cli_output *out, const jn_model *model, int links) {
  cli_json_begin(out, '[');
  for (int i = 0; i < jn_model_frame_count(model); i++) {
    const jn_frame *frame = jn_model_frame(model, i);
    if ((frame->is_link != 0) != links) continue;
    cli_json_begin(out, '{');
    cli_json_key(out, "name");
    cli_json_text(out, frame->name);
    cli_json_key(out, "body");
    cli_json_text(out, frame->body < 0 ? NULL : jn_model_body(model, frame->body)->name);
    if (links) {
      cli_json_key(out, "mass");
      cli_json_number(out, frame->mass);
    }
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void write_info_json(cli_output *out, const jn_model *model) {
  jn_vec3 g = jn_model_gravity(model);
  double gravity[3] = {g.x, g.y, g.z};
  cli_json_begin(out, '{');
  cli_json_key(out, "name");
  cli_json_text(out, jn_model_name(model));
  cli_json_key(out, "mass");
  cli_json_number(out, jn_model_mass(model));
  cli_json_key(out, "moving_mass");
  cli_json_number(out, jn_model_moving_mass(model));
  cli_json_key(out, "bodies");
  cli_json_int(out, jn_model_body_count(model));
  cli_json_key(out, "dofs");
  cli_json_int(out, jn_model_nv(model));
  cli_json_key(out, "nq");
  cli_json_int(out, jn_model_nq(model));
  cli_json_key(out, "floating");
  cli_json_bool(out, jn_model_is_floating(model));
  cli_json_key(out, "gravity");
  cli_json_row(out, 3, gravity, 1);
  cli_json_key(out, "links");
  write_frames(out, model, 1);
  cli_json_key(out, "joints");
  cli_json_begin(out, '[');
  for (int i = 0; i < jn_model_body_count(model); i++) write_joint(out, model, i);
  cli_json_end(out);
  cli_json_key(out, "frames");
  write_frames(out, model, 0);
  cli_json_end(out);
}

static void write_info_csv(cli_output *out, const jn_model *model) {
  fputs("joint,type,parent,child,nv,mass\n", out->file);
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *joint = jn_model_joint(model, i);
    const jn_body *body = jn_model_body(model, i);
    cli_csv_text(out, joint->name);
    fprintf(out->file, ",%s,", jn_joint_type_name(joint->type));
    cli_csv_text(out, body->parent < 0 ? "" : jn_model_body(model, body->parent)->name);
    fputc(',', out->file);
    cli_csv_text(out, body->name);
    fprintf(out->file, ",%d,", joint->nv);
    cli_write_number(out, body->inertia.m);
    fputc('\n', out->file);
  }
}

static int run_info(cli_job *job, const cli_option *table, int count, int argc, char **argv) {
  int code = cli_job_begin(job, table, count, argc, argv);
  if (code || (code = cli_job_model(job))) return code;
  cli_output out;
  if ((code = cli_output_open(&out, &job->output, "info", 1u << CLI_NPY))) return code;
  if (out.format == CLI_JSON) {
    write_info_json(&out, job->model);
  } else if (out.format == CLI_CSV) {
    write_info_csv(&out, job->model);
  } else {
    code = cli_tree(&out, job->model);
  }
  int closed = cli_output_close(&out);
  return code ? code : closed;
}

int cli_info(int argc, char **argv) {
  cli_job job = CLI_JOB_DEFAULT;
  const cli_option table[] = {CLI_MODEL_OPTIONS(&job), CLI_OUTPUT_OPTIONS(&job)};
  int code = run_info(&job, table, COUNT(table), argc, argv);
  cli_job_end(&job);
  return code;
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
  if (out->format == CLI_JSON) {
    cli_json_begin(out, '{');
    cli_json_key(out, "severity");
    cli_json_text(out, severity);
    cli_json_key(out, "line");
    cli_json_int(out, finding.line);
    cli_json_key(out, "text");
    cli_json_text(out, finding.text);
    cli_json_end(out);
  } else if (out->format == CLI_CSV) {
    fprintf(out->file, "%s,%d,", severity, finding.line);
    cli_csv_text(out, finding.text);
    fputc('\n', out->file);
  } else {
    fputs(file, out->file);
    if (finding.line > 0) fprintf(out->file, ":%d", finding.line);
    fprintf(out->file, ": %s: ", severity);
    for (const char *c = finding.text; *c; c++) {
      fputc(iscntrl((unsigned char)*c) ? '?' : *c, out->file);
    }
    fputc('\n', out->file);
  }
}

/* --strict refuses what lint warns of: an inertia that no rigid body has. */
static jn_finding graded(const cli_job *job, jn_finding finding) {
  static const char end[] = "(triangle inequality)";
  size_t n = strlen(finding.text);
  if (job->strict && finding.severity == JN_WARNING && n >= sizeof end - 1 &&
      strcmp(finding.text + n - (sizeof end - 1), end) == 0) {
    finding.severity = JN_SERIOUS;
  }
  return finding;
}

/* Writes all findings; returns 3 when there is one of weight. */
static int write_findings(const cli_job *job, const jn_spec *spec) {
  int counts[3] = {0, 0, 0};
  cli_output out;
  int code = cli_output_open(&out, &job->output, "lint", 1u << CLI_NPY);
  if (code) return code;
  if (out.format == CLI_CSV) fputs("severity,line,text\n", out.file);
  if (out.format == CLI_JSON) {
    cli_json_begin(&out, '{');
    cli_json_key(&out, "file");
    cli_json_text(&out, job->model_path);
    cli_json_key(&out, "findings");
    cli_json_begin(&out, '[');
  }
  for (int i = 0; i < jn_spec_finding_count(spec); i++) {
    jn_finding finding = graded(job, jn_spec_finding(spec, i));
    counts[finding.severity]++;
    write_finding(&out, job->model_path, finding);
  }
  if (out.format == CLI_JSON) {
    const char *const keys[] = {"notes", "warnings", "serious"};
    cli_json_end(&out);
    for (int i = 2; i >= 0; i--) {
      cli_json_key(&out, keys[i]);
      cli_json_int(&out, counts[i]);
    }
    cli_json_end(&out);
  } else if (out.format == CLI_TABLE) {
    fprintf(out.file, "%s: %d serious, %d %s, %d %s\n", job->model_path, counts[2], counts[1],
            counts[1] == 1 ? "warning" : "warnings", counts[0], counts[0] == 1 ? "note" : "notes");
  }
  code = cli_output_close(&out);
  return code ? code : counts[1] + counts[2] > 0 ? CLI_CHECK_FAILED : CLI_DONE;
}

static int has_serious(const cli_job *job, const jn_spec *spec) {
  for (int i = 0; i < jn_spec_finding_count(spec); i++)
    if (graded(job, jn_spec_finding(spec, i)).severity == JN_SERIOUS) return 1;
  return 0;
}

static int run_lint(cli_job *job, jn_spec **spec) {
  jn_error error = {0};
  jn_status status = jn_spec_load(job->model_path, NULL, spec, &error);
  if (status) {
    cli_error("%s", error.message[0] ? error.message : jn_status_text(status));
    return CLI_BAD_INPUT;
  }
  status = jn_spec_lint(*spec);

  /* what keeps it from becoming a model is a finding too, unless the reason is already among them
   */
  jn_root root = job->fixed ? JN_ROOT_FIXED : job->floating ? JN_ROOT_FLOATING : JN_ROOT_AS_GIVEN;
  jn_build_options options = {root, job->strict};
  memset(&error, 0, sizeof error);
  if ((!status || status == JN_ERR_LIMIT) &&
      jn_model_build(*spec, &options, NULL, &job->model, &error) && !has_serious(job, *spec)) {
    const char *file = error.file[0] ? error.file : job->model_path;
    status = jn_spec_add_finding(*spec, JN_SERIOUS, error.line, bare_message(&error, file));
  }
  if (status && status != JN_ERR_LIMIT) { /* at the limit the last finding says so */
    cli_error("%s: %s", job->model_path, jn_status_text(status));
    return CLI_BAD_INPUT;
  }
  return write_findings(job, *spec);
}

int cli_lint(int argc, char **argv) {
  cli_job job = CLI_JOB_DEFAULT;
  const cli_option table[] = {CLI_MODEL_OPTIONS(&job), CLI_OUTPUT_OPTIONS(&job)};
  jn_spec *spec = NULL;
  int code = cli_job_begin(&job, table, COUNT(table), argc, argv);
  if (!code) code = run_lint(&job, &spec);
  jn_spec_free(spec);
  cli_job_end(&job);
  return code;
}
