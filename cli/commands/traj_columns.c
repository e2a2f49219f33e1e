/* traj_columns.c: columns and figures of the command traj. */
#include "commands/traj.h"

#include <string.h>

#include "job/closure.h"
#include "job/joints.h"
#include "output/names.h"

/* "joint velocity", in units/s^power */
static int add_figure(traj *x, const char *what, const char *of, const char *unit, int power) {
  cli_memory *m = &x->path.job.result.memory;
  const char *per = power > 1 ? cli_take_text(m, "/s^%d", power) : power == 1 ? "/s" : "";
  x->figure[x->figures] =
      (chart_figure){cli_take_text(m, "%s%s", what, of), cli_take_text(m, "%s%s", unit, per), 0};
  return x->figures++;
}

static const char *order_word(traj *x, int k) {
  static const char *const words[] = {"", "velocity", "acceleration", "jerk", "snap"};
  return k < COUNT(words) ? words[k]
                          : cli_take_text(&x->path.job.result.memory, "derivative %d", k);
}

/* Joints that follow others have q, v, v', ... and tau, tau', ... = 0. */
int traj_follower_width(const traj *x) { return 2 * x->order + 4; }
static int follower_columns(const traj *x) {
  const jn_model *model = x->path.job.model;
  int n = 0;
  for (int i = 0; i < jn_model_body_count(model); i++) n += jn_model_joint(model, i)->leader >= 0;
  return n * traj_follower_width(x);
}

/* Columns of number `at` of all followers: derivative k of q, or of tau. */
static void name_followers(traj *x, int at, const char *prefix, int k, int plain, int slide) {
  const jn_model *model = x->path.job.model;
  char full[JN_MAX_NAME + 40];
  for (int i = 0, first = x->follower_column; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (j->leader < 0) continue;
    cli_derivative_name(j->name, k, full, sizeof full);
    cli_sheet_column(&x->sheet, first + at, cli_is_length(j->type, 0) ? slide : plain, "%s%s",
                     prefix, full);
    first += traj_follower_width(x);
  }
}

/* Columns of v^(k) or of tau^(k). Figures: `plain` and `slide` for angles and lengths of joints
 * without a rotation, `turn` and `move` for the angular and linear components of the others. */
static void name_row(traj *x, int first, const char *prefix, int k, int motion, int plain,
                     int slide, int turn, int move) {
  const jn_model *model = x->path.job.model;
  char full[JN_MAX_NAME + 40];
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    for (int c = 0; c < j->nv; c++) {
      int simple = j->nq == j->nv;
      cli_derivative_name(cli_dof_name(model, j->iv + c).text, motion && simple ? k + 1 : k, full,
                          sizeof full);
      cli_sheet_column(&x->sheet, first + j->iv + c,
                       !simple                     ? c < 3 ? turn : move
                       : cli_is_length(j->type, c) ? slide
                                                   : plain,
                       "%s%s", prefix, full);
    }
  }
  name_followers(x, motion ? 1 + k : x->order + 3 + k, prefix, motion ? k + 1 : k, plain, slide);
}

int traj_force_columns(const traj *x) {
  return x->lambda ? jn_model_constraint_rows(x->path.job.model) * (x->order + 1) : 0;
}

static void name_constraints(traj *x, int at) {
  const jn_model *model = x->path.job.model;
  char name[JN_MAX_NAME + 16];
  for (int k = 0; k <= x->order; k++) {
    const int figure = add_figure(x, "constraint force", k ? " rate" : "", "N or N m", k);
    for (int i = 0; i < jn_model_constraint_count(model); i++) {
      const jn_constraint *c = jn_model_constraint(model, i);
      for (int r = 0; r < c->rows; r++) {
        snprintf(name, sizeof name, "%s:%d", c->name, r);
        char full[JN_MAX_NAME + 40];
        cli_derivative_name(name, k, full, sizeof full);
        cli_sheet_column(&x->sheet, at++, figure, "lambda:%s", full);
      }
    }
  }
}

int traj_reaction_columns(const traj *x) {
  return x->observer.reactions_given ? 6 * jn_model_body_count(x->path.job.model) * (x->order + 1)
                                     : 0;
}

static void name_reactions(traj *x, int at) {
  const jn_model *model = x->path.job.model;
  char name[JN_MAX_NAME + 16], full[JN_MAX_NAME + 40];
  for (int k = 0; k <= x->order; k++) {
    const char *rate = k == 0 ? "" : k == 1 ? " rate" : " derivative";
    const int torque = add_figure(x, "reaction torque", rate, "N m", k),
              force = add_figure(x, "reaction force", rate, "N", k);
    for (int i = 0; i < jn_model_body_count(model); i++)
      for (int c = 0; c < 6; c++) {
        snprintf(name, sizeof name, "%s:%s", cli_joint_name(model, i), cli_wrench_components[c]);
        cli_derivative_name(name, k, full, sizeof full);
        cli_sheet_column(&x->sheet, at++, c < 3 ? torque : force, "W:%s", full);
      }
  }
}

static void name_columns(traj *x) {
  const jn_model *model = x->path.job.model;
  const int nv = jn_model_nv(model);
  int at = 1 + jn_model_nq(model);
  char name[JN_MAX_NAME + 16];
  int angle = add_figure(x, "joint position", "", "rad", 0);
  int slide = add_figure(x, "joint position", " (prismatic)", "m", 0);
  int turn = add_figure(x, "orientation (quaternion)", "", "", 0);
  cli_path_columns(&x->sheet, model, angle, slide, turn, add_figure(x, "position", "", "m", 0));
  name_followers(x, 0, "", 0, angle, slide);
  for (int k = 0; k <= x->order + 1; k++, at += nv) {
    const char *what = order_word(x, k + 1);
    const char *sliding = cli_take_text(&x->path.job.result.memory, "%s (prismatic)", what);
    int joint = add_figure(x, "joint ", what, "rad", k + 1);
    slide = add_figure(x, "joint ", sliding, "m", k + 1);
    int angular = add_figure(x, "angular ", what, "rad", k + 1);
    name_row(x, at, "", k, 1, joint, slide, angular, add_figure(x, "linear ", what, "m", k + 1));
  }
  for (int k = 0; k <= x->order; k++, at += nv) {
    const char *rate = k == 0 ? "" : k == 1 ? " rate" : " derivative";
    int joint = add_figure(x, "joint torque", rate, "N m", k);
    slide = add_figure(x, "joint force", rate, "N", k);
    int torque = add_figure(x, "torque", rate, "N m", k);
    name_row(x, at, "tau:", k, 0, joint, slide, torque, add_figure(x, "force", rate, "N", k));
  }
  cli_sheet_column(&x->sheet, at++, add_figure(x, "power", "", "W", 0), "power");
  /* bands of the columns so far, without power */
  const int banded = at - 2;
  for (int i = 1; x->bands && i <= banded; i++)
    cli_sheet_column(&x->sheet, at++, -1, "band:%s", x->sheet.names[i]);
  if (x->lambda) name_constraints(x, at);
  at += traj_force_columns(x);
  if (x->observer.reactions_given) name_reactions(x, at);
  at += traj_reaction_columns(x);
  /* links */
  static const char *const quat[] = {"qw", "qx", "qy", "qz"}, *const xyz[] = {"x", "y", "z"},
                           *const w[] = {"wx", "wy", "wz"};
  int path = x->frames ? add_figure(x, "link position", "", "m", 0) : 0;
  int first = x->figures;
  for (int k = 0; x->frames && k <= x->order + 1; k++)
    add_figure(x, "link ", order_word(x, k + 1), "m", k + 1);
  for (int f = 0; f < x->frames; f++) {
    const char *link = jn_model_frame(model, x->frame[f])->name;
    for (int k = 0; k <= x->order + 1; k++)
      for (int c = 0; c < 3; c++) {
        cli_derivative_name(xyz[c], k, name, sizeof name);
        cli_sheet_column(&x->sheet, at++, k ? first + k - 1 : path, "%s:%s", link, name);
      }
    for (int c = 0; c < 4; c++) cli_sheet_column(&x->sheet, at++, -1, "%s:%s", link, quat[c]);
    for (int k = 0; k <= x->order; k++)
      for (int c = 0; c < 3; c++) {
        cli_derivative_name(w[c], k, name, sizeof name);
        cli_sheet_column(&x->sheet, at++, -1, "%s:%s", link, name);
      }
  }
}

int traj_link_columns(const traj *x) { return 3 * (x->order + 2) + 4 + 3 * (x->order + 1); }

int traj_find_links(traj *x) {
  if (!x->links) return CLI_DONE;
  cli_memory *m = &x->path.job.result.memory;
  char *rest = NULL, *text = cli_take(m, strlen(x->links), 1);
  x->frame = cli_take(m, strlen(x->links) / 2 + 1, sizeof *x->frame);
  if (!text || !x->frame) return CLI_BAD_INPUT;
  strcpy(text, x->links);
  for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
    if ((x->frame[x->frames++] = cli_job_link(&x->path.job, name)) < 0) return CLI_BAD_INPUT;
  return CLI_DONE;
}

/* Marks the columns of q, v, tau, their bands and reactions of joints that --joints leaves out; they
 * are computed, but neither written nor drawn. */
static int leave_out(traj *x) {
  const jn_model *model = x->path.job.model;
  const int nq = jn_model_nq(model), nv = jn_model_nv(model), rows = 2 * x->order + 3,
            motion = nq + nv * rows;
  unsigned char *shown, *out;
  int code = cli_joints_find(&x->path.job, &shown);
  if (code || !shown) return code;
  x->stream.left_out = out =
      cli_take(&x->path.job.result.memory, (size_t)x->sheet.table->columns, 1);
  if (!out) return CLI_BAD_INPUT;
  const int bands = 2 + motion, reactions = bands + (x->bands ? motion : 0) + traj_force_columns(x);
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (shown[i]) continue;
    for (int b = 0; b <= x->bands; b++) {
      unsigned char *at = out + (b ? bands : 1);
      memset(at + j->iq, 1, (size_t)j->nq);
      for (int k = 0; k < rows; k++) memset(at + nq + k * nv + j->iv, 1, (size_t)j->nv);
    }
    for (int k = 0; k <= x->order && x->observer.reactions_given; k++)
      memset(out + reactions + 6 * (k * jn_model_body_count(model) + i), 1, 6);
  }
  for (int i = 0, at = x->follower_column; i < jn_model_body_count(model); i++) {
    if (jn_model_joint(model, i)->leader < 0) continue;
    if (!shown[i]) memset(out + at, 1, (size_t)traj_follower_width(x));
    at += traj_follower_width(x);
  }
  for (int i = 0; i < x->sheet.table->columns; i++)
    if (out[i]) x->sheet.figure_of[i] = -1;
  return CLI_DONE;
}

int traj_make_columns(traj *x) {
  const cli_path *p = &x->path;
  int nq = jn_model_nq(p->job.model), nv = jn_model_nv(p->job.model);
  int rows = 2 * x->order + 3, most = 12 + 14 * (x->order + 2);
  cli_memory *m = &x->path.job.result.memory;
  x->figure = cli_take(m, (size_t)most, sizeof *x->figure);
  x->v = cli_take_numbers(m, (size_t)x->order + 2, (size_t)nv, 1);
  x->tau = cli_take_numbers(m, (size_t)x->order + 1, (size_t)nv, 1);
  x->point = cli_take_numbers(m, (size_t)x->order + 1, 6, 1);
  if (m->failed) return CLI_BAD_INPUT;
  if (cli_is_closed(&p->job)) {
    if (!x->ik) x->last = cli_take_numbers(m, (size_t)nq, 1, 1);
    x->lambda = cli_take_numbers(m, (size_t)x->order + 1,
                                 (size_t)jn_model_constraint_rows(p->job.model), 1);
    if (m->failed) return CLI_BAD_INPUT;
    if (!x->ik) {
      if (cli_path_close(&x->path)) return CLI_BAD_INPUT;
      memcpy(x->last, p->closed.q, (size_t)nq * sizeof *x->last);
    }
  }
  double columns =
      2.0 + nq + (double)nv * rows + traj_force_columns(x) +
      (double)x->frames * traj_link_columns(x) +
      6.0 * x->observer.reactions_given * jn_model_body_count(p->job.model) * (x->order + 1);
  if (x->bands) columns += nq + (double)nv * rows;
  x->follower_column = columns < JN_MAX_COLUMNS ? (int)columns : 0;
  columns += follower_columns(x);
  if (columns > JN_MAX_COLUMNS)
    return cli_bad_input("traj: %.0f columns needed, at most %d", columns, JN_MAX_COLUMNS);
  int code = cli_sheet_new(&x->sheet, 1, (int)columns, x->figure, 0);
  if (code) return code;
  name_columns(x);
  x->sheet.figures = x->figures;
  return leave_out(x);
}
