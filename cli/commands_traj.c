/* commands_traj.c: traj: motion and forces along a trajectory. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include <jounce/kinematics.h>

#include "path.h"
#include "table.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

const char cli_traj_help[] =
    "usage: jounce traj MODEL TRAJ [--order R] [options]\n\n"
    "Motion and forces along a trajectory: q, its derivatives to order R+2, the forces that make\n"
    "it and their derivatives to order R (order 1: torque rates), exact at every order; power;\n"
    "with --link the position, velocity, ... and turning of links. Columns: 't', the numbers of\n"
    "q, \"elbow'\" its rate, \"tau:elbow\" its force, \"tau:elbow'\" the rate of "
    "that.\n\n" CLI_PATH_HELP
    "  --order R              of the forces' derivatives, default 1\n"
    "  --samples N            rows of the table, evenly in time; default 201\n"
    "  --link NAME,...        links or frames to follow: world position and its derivatives,\n"
    "                         quaternion, angular velocity in world axes\n" CLI_PATH_HELP_END
    "  --format NAME          json, csv, npy, npz or text; default json, on a terminal text: the\n"
    "                         least and the largest of every column\n\n"
    "example:\n"
    "  echo '{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 0.8, 2],\n"
    "    \"joints\": {\"joint1\": [0, 1, 0.5], \"joint2\": [0, -0.5, 1]}}' > reach.json\n"
    "  jounce traj double_pendulum reach.json --order 2 --text\n"
    "  jounce traj double_pendulum reach.json --format csv --samples 5\n";

typedef struct traj {
  cli_path path;
  const char *links;
  int order, frames, *frame;
  /* figures: their texts live here */
  chart_figure *figure;
  char (*title)[64], (*unit)[32];
  int figures;
  cli_sheet sheet;
  double *v, *tau, *point;
} traj;

/* Figures. */

static int add_figure(traj *x, const char *title, const char *unit, int power) {
  int i = x->figures++;
  snprintf(x->title[i], sizeof x->title[i], "%s", title);
  if (power > 1)
    snprintf(x->unit[i], sizeof x->unit[i], "%s/s^%d", unit, power);
  else
    snprintf(x->unit[i], sizeof x->unit[i], "%s%s", unit, power == 1 ? "/s" : "");
  x->figure[i] = (chart_figure){x->title[i], x->unit[i], 0};
  return i;
}

static const char *order_word(int k, char *room, size_t size) {
  static const char *const words[] = {"", "velocity", "acceleration", "jerk", "snap"};
  if (k < COUNT(words)) return words[k];
  snprintf(room, size, "derivative %d", k);
  return room;
}

/* Columns. */

/* Every joint's numbers of v^(k), or of tau^(k); plain joints and those that turn apart. */
static void name_row(traj *x, int first, const char *prefix, int k, int motion, int plain, int turn,
                     int move) {
  const jn_model *model = x->path.job.model;
  char name[JN_MAX_NAME + 16], full[JN_MAX_NAME + 40];
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    for (int c = 0; c < j->nv; c++) {
      int simple = j->nq == j->nv;
      cli_dof_name(model, i, c, name, sizeof name);
      cli_derivative_name(name, motion && simple ? k + 1 : k, full, sizeof full);
      cli_sheet_column(&x->sheet, first + j->iv + c,
                       simple  ? plain
                       : c < 3 ? turn
                               : move,
                       "%s%s", prefix, full);
    }
  }
}

static void name_columns(traj *x) {
  const jn_model *model = x->path.job.model;
  int nq = jn_model_nq(model), nv = jn_model_nv(model), at = 1;
  const char *motion = cli_joint_unit(model, 0), *force = cli_joint_unit(model, 1);
  char name[JN_MAX_NAME + 16], word[64], text[96];
  int angle = add_figure(x, "joint position", motion, 0);
  int turn = add_figure(x, "orientation (quaternion)", "", 0);
  int place = add_figure(x, "position", "m", 0);
  cli_sheet_column(&x->sheet, 0, -1, "t");
  for (int i = 0; i < nq; i++, at++) {
    int component, figure = angle;
    jn_coordinate_name(model, i, name);
    for (int j = 0; j < jn_model_body_count(model); j++) {
      const jn_joint *joint = jn_model_joint(model, j);
      component = i - joint->iq;
      if (component >= 0 && component < joint->nq && joint->nq != joint->nv)
        figure = component < 4 ? turn : place;
    }
    cli_sheet_column(&x->sheet, at, figure, "%s", name);
  }
  for (int k = 0; k <= x->order + 1; k++, at += nv) {
    const char *what = order_word(k + 1, word, sizeof word);
    snprintf(text, sizeof text, "joint %s", what);
    int joint = add_figure(x, text, motion, k + 1);
    snprintf(text, sizeof text, "angular %s", what);
    int angular = add_figure(x, text, "rad", k + 1);
    snprintf(text, sizeof text, "linear %s", what);
    name_row(x, at, "", k, 1, joint, angular, add_figure(x, text, "m", k + 1));
  }
  for (int k = 0; k <= x->order; k++, at += nv) {
    const char *rate = k == 0 ? "" : k == 1 ? " rate" : " derivative";
    snprintf(text, sizeof text, "joint torque%s", rate);
    int joint = add_figure(x, text, force, k);
    snprintf(text, sizeof text, "torque%s", rate);
    int torque = add_figure(x, text, "N m", k);
    snprintf(text, sizeof text, "force%s", rate);
    name_row(x, at, "tau:", k, 0, joint, torque, add_figure(x, text, "N", k));
  }
  cli_sheet_column(&x->sheet, at++, add_figure(x, "power", "W", 0), "power");
  /* links */
  static const char *const quat[] = {"qw", "qx", "qy", "qz"}, *const xyz[] = {"x", "y", "z"},
                           *const w[] = {"wx", "wy", "wz"};
  int path = x->frames ? add_figure(x, "link position", "m", 0) : 0;
  int first = x->figures;
  for (int k = 0; x->frames && k <= x->order + 1; k++) {
    snprintf(text, sizeof text, "link %s", order_word(k + 1, word, sizeof word));
    add_figure(x, text, "m", k + 1);
  }
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

static int link_columns(const traj *x) { return 3 * (x->order + 2) + 4 + 3 * (x->order + 1); }

static int find_links(traj *x) {
  if (!x->links) return CLI_DONE;
  char *text = strdup(x->links), *rest = NULL;
  x->frame = malloc((strlen(x->links) / 2 + 1) * sizeof *x->frame);
  if (!text || !x->frame) {
    free(text);
    cli_error("traj: out of memory");
    return CLI_BAD_INPUT;
  }
  for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    int frame = cli_job_link(&x->path.job, name);
    if (frame < 0) {
      free(text);
      return CLI_BAD_INPUT;
    }
    x->frame[x->frames++] = frame;
  }
  free(text);
  return CLI_DONE;
}

/* Numbers. */

static jn_status fill_links(traj *x, const double *q, double *at) {
  const jn_model *model = x->path.job.model;
  jn_data *data = x->path.job.data;
  if (!x->frames) return JN_OK;
  jn_status status = jn_kinematics(model, data, x->order + 1, q, x->v);
  for (int f = 0; f < x->frames && !status; f++, at += link_columns(x)) {
    jn_pose C;
    status = jn_point_motion(model, data, x->frame[f], jn_v3(0, 0, 0), x->order, at);
    if (!status) status = jn_frame_pose(model, data, x->frame[f], &C);
    if (!status) status = jn_frame_twist(model, data, x->frame[f], JN_HYBRID, x->order, x->point);
    if (status) return status;
    double *to = at + 3 * (x->order + 2);
    jn_quat r = jn_quat_from_m3(C.R);
    *to++ = r.w, *to++ = r.x, *to++ = r.y, *to++ = r.z;
    for (int k = 0; k <= x->order; k++, to += 3) memcpy(to, x->point + 6 * k, 3 * sizeof *to);
  }
  return status;
}

static jn_status fill_row(traj *x, int n) {
  const cli_path *p = &x->path;
  size_t nq = (size_t)jn_model_nq(p->job.model), nv = (size_t)jn_model_nv(p->job.model);
  size_t motion = nv * (size_t)(x->order + 2), force = nv * (size_t)(x->order + 1);
  double *row = cli_sheet_row(&x->sheet, n), *q = row + 1, *power = q + nq + motion + force;
  row[0] = cli_path_time(p, n);
  jn_status status = jn_trajectory_at(p->trajectory, row[0], x->order,
                                      (jn_representation)p->representation, q, x->v);
  if (!status)
    status = jn_inverse_dynamics(p->job.model, p->job.data, x->order, q, x->v, NULL, x->tau);
  if (status) return status;
  memcpy(q + nq, x->v, motion * sizeof *x->v);
  memcpy(q + nq + motion, x->tau, force * sizeof *x->tau);
  for (size_t i = 0; i < nv; i++) *power += x->tau[i] * x->v[i];
  return fill_links(x, q, power + 1);
}

static int compute(traj *x) {
  const cli_path *p = &x->path;
  int nq = jn_model_nq(p->job.model), nv = jn_model_nv(p->job.model);
  int rows = 2 * x->order + 3, most = 8 + 6 * (x->order + 2) + (x->order + 2);
  x->figure = calloc((size_t)most, sizeof *x->figure);
  x->title = calloc((size_t)most, sizeof *x->title);
  x->unit = calloc((size_t)most, sizeof *x->unit);
  x->v = cli_room((size_t)x->order + 2, (size_t)nv, 1);
  x->tau = cli_room((size_t)x->order + 1, (size_t)nv, 1);
  x->point = cli_room((size_t)x->order + 1, 6, 1);
  if (!x->figure || !x->title || !x->unit || !x->v || !x->tau || !x->point) return CLI_BAD_INPUT;
  double columns = 2.0 + nq + (double)nv * rows + (double)x->frames * link_columns(x);
  if (columns > JN_MAX_COLUMNS) {
    cli_error("traj: %.0f columns, more than %d", columns, JN_MAX_COLUMNS);
    return CLI_BAD_INPUT;
  }
  int code = cli_sheet_new(&x->sheet, p->samples, (int)columns, x->figure, 0);
  if (code) return code;
  name_columns(x);
  x->sheet.figures = x->figures;
  for (int n = 0; n < p->samples; n++)
    if ((code = cli_job_status(&p->job, fill_row(x, n)))) return code;
  return CLI_DONE;
}

static int write_traj(const traj *x) {
  cli_output out;
  int code = cli_output_open(&out, &x->path.job.output, "traj", CLI_WITH_NPZ);
  if (code) return code;
  if (out.format == CLI_JSON) {
    cli_json_begin(&out, '{');
    cli_path_json(&out, &x->path);
    cli_json_key(&out, "order");
    cli_json_int(&out, x->order);
    cli_sheet_json(&out, &x->sheet);
    cli_json_end(&out);
  } else if (out.format == CLI_TABLE) {
    cli_path_text(out.file, &x->path);
    cli_sheet_text(&out, &x->sheet);
  } else {
    code = cli_sheet_print(&out, &x->sheet);
  }
  int closed = cli_output_close(&out);
  return code ? code : closed;
}

/* The largest of a row of tau^(k) over all times, with its name. */
static void largest(const traj *x, int k, char *number, char *text, size_t size) {
  const jn_model *model = x->path.job.model;
  int nv = jn_model_nv(model);
  int first = 1 + jn_model_nq(model) + nv * (x->order + 2 + k), at = first, row = 0;
  double most = 0;
  for (int n = 0; n < x->path.samples; n++)
    for (int c = first; c < first + nv; c++) {
      double y = cli_sheet_row(&x->sheet, n)[c];
      if (y > most || -y > most) most = y < 0 ? -y : y, at = c, row = n;
    }
  snprintf(number, size, "%.4g %s", most, x->sheet.figure[x->sheet.figure_of[at]].unit);
  snprintf(text, size, "largest %s, at %.4g s", cli_clean(x->sheet.names[at]).text,
           cli_sheet_row(&x->sheet, row)[0]);
}

static int show(const traj *x) {
  char room[4][384], duration[32];
  const char *cards[7] = {duration, "duration of the motion", room[0], room[1], NULL, NULL, NULL};
  snprintf(duration, sizeof duration, "%.4g s", x->path.end - x->path.start);
  largest(x, 0, room[0], room[1], sizeof room[0]);
  if (x->order > 0) {
    largest(x, 1, room[2], room[3], sizeof room[0]);
    cards[4] = room[2], cards[5] = room[3];
  }
  return cli_path_show(&x->path, &x->sheet, "Motion and forces", cards);
}

int cli_traj(int argc, char **argv) {
  traj x = {.path = CLI_PATH_DEFAULT, .order = 1};
  x.path.fit = jn_fit_default();
  const cli_option table[] = {CLI_PATH_OPTIONS(&x.path), CLI_FORMULATION_OPTION(&x.path.job),
                              CLI_OPT_INT("order", &x.order, 0, 100),
                              CLI_OPT_TEXT("link", &x.links)};
  int code = cli_path_begin(&x.path, table, COUNT(table), argc, argv, &x.order);
  if (!code) code = find_links(&x);
  if (!code) code = compute(&x);
  if (!code) code = write_traj(&x);
  if (!code) code = show(&x);
  cli_sheet_free(&x.sheet);
  free(x.figure);
  free(x.title);
  free(x.unit);
  free(x.v);
  free(x.tau);
  free(x.point);
  free(x.frame);
  cli_path_end(&x.path);
  return code;
}
