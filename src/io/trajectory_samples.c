/* trajectory_samples.c: makes a trajectory from a table of samples. */
#include <string.h>

#include "io/trajectory_reader.h"

const char *jn_reader_joint(const jn_model *model, int joint) {
  const jn_joint *j = jn_model_joint(model, joint);
  return joint == 0 && j->type == JN_JOINT_FREE ? "base" : j->name;
}

jn_status jn_coordinate_name(const jn_model *model, int iq, char *text) {
  static const char *const pose[] = {"qw", "qx", "qy", "qz", "x", "y", "z"};
  static const char *const plain[JN_JOINT_TYPE_COUNT][3] = {[JN_JOINT_CYLINDRICAL] = {"d", "a"},
                                                            [JN_JOINT_PLANAR] = {"x", "y", "a"},
                                                            [JN_JOINT_UNIVERSAL] = {"a1", "a2"}};
  if (!model || !text || iq < 0 || iq >= jn_model_nq(model)) return JN_ERR_ARGUMENT;
  int i = 0;
  while (iq >= jn_model_joint(model, i)->iq + jn_model_joint(model, i)->nq) i++;
  const jn_joint *j = jn_model_joint(model, i);
  const int c = iq - j->iq;
  const char *part = j->nq != j->nv ? pose[c] : plain[j->type][c] ? plain[j->type][c] : "";
  snprintf(text, JN_MAX_NAME + 16, "%.*s%s%s", JN_MAX_NAME, jn_reader_joint(model, i),
           *part ? ":" : "", part);
  return JN_OK;
}

jn_fit_report jn_reader_report(const reader *r, int iq) {
  double *member[JN_REPORT_MEMBERS] = {NULL};
  jn_fit_report x;
  if (r->report) memcpy(member, r->report, sizeof *r->report);
  for (int i = 0; i < JN_REPORT_MEMBERS; i++)
    if (member[i]) member[i] += iq;
  memcpy(&x, member, sizeof x);
  return x;
}

static int is_named(const jn_table *t) {
  int named = 0;
  for (int i = 0; i < t->columns; i++) named |= t->names[i][0] != '\0';
  return named;
}

/* column of coordinate q[iq]; -1: none */
static int column_of(const jn_table *t, const jn_model *model, int iq, int time) {
  char name[JN_MAX_NAME + 16];
  if (!is_named(t)) return 1 + iq;
  jn_coordinate_name(model, iq, name);
  int column = jn_table_find(t, name);
  if (column < 0) {
    snprintf(name, sizeof name, "q:%d", iq);
    column = jn_table_find(t, name);
  }
  return column == time ? -1 : column;
}

/* The column of t. A table without column names has t and all of q, in their order. */
static int time_column(reader *r, const jn_table *t) {
  if (!is_named(t)) {
    if (t->columns != 1 + r->T->nq)
      jn_reader_fail(r, JN_ERR_SYNTAX,
                     "columns without names: %d expected, t and the %d numbers of q, found %d",
                     1 + r->T->nq, r->T->nq, t->columns);
    return 0;
  }
  int time = jn_table_find(t, "t");
  if (time < 0) time = jn_table_find(t, "time");
  if (time < 0) jn_reader_fail(r, JN_ERR_SYNTAX, "no column 't' or 'time'");
  return time;
}

/* Joint by joint, because with the option `hold` joints without columns stay at home. */
void jn_reader_samples(reader *r, const jn_table *t) {
  int time = time_column(r, t), taken = 0;
  double *times = jn_reader_room(r, (size_t)t->rows);
  if (r->status) return;
  for (int i = 0; i < t->rows; i++)
    times[i] = t->values[(size_t)i * (size_t)t->columns + (size_t)time];
  for (int k = 0; k < r->T->joints && !r->status; k++) {
    const jn_joint *j = &r->T->joint[k];
    int column[7], found = 0, missing = 0;
    char name[JN_MAX_NAME + 16] = "";
    for (int c = 0; c < j->nq; c++) {
      column[c] = column_of(t, r->model, j->iq + c, time);
      found += column[c] >= 0;
      if (column[c] < 0 && !missing++) jn_coordinate_name(r->model, j->iq + c, name);
    }
    if (j->nv == 0 || (missing && !found && r->fit.hold)) continue;
    if (missing)
      jn_reader_fail(
          r, JN_ERR_SYNTAX, "no column '%s'%s", name,
          found ? "" : " (option hold, --hold in the program: such joints stay at home)");
    double *q = jn_reader_room(r, (size_t)t->rows * (size_t)j->nq);
    jn_error error = {0};
    for (int i = 0; q && i < t->rows; i++)
      for (int c = 0; c < j->nq; c++)
        q[i * j->nq + c] = t->values[(size_t)i * (size_t)t->columns + (size_t)column[c]];
    jn_fit_report report = jn_reader_report(r, j->iq);
    if (!r->status) {
      snprintf(r->subject, sizeof r->subject, "'%.*s': ", JN_MAX_NAME,
               jn_reader_joint(r->model, k));
      jn_reader_check(r, jn_add_fit(r->T, k, k + 1, t->rows, times, q, &r->fit, &report, &error),
                      &error);
      r->subject[0] = '\0';
    }
    if (q) jn_block_free(&r->T->hooks, r->block[--r->blocks]);
    taken++;
  }
  if (!taken) jn_reader_fail(r, JN_ERR_SYNTAX, "no column belongs to a joint of this model");
  jn_reader_release(r);
}
