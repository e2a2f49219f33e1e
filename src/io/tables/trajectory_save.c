/* trajectory_save.c: writes a trajectory as a description of its pieces that loads bit for bit. */
#include <string.h>

#include "io/file.h"
#include "io/number.h"
#include "io/text.h"
#include "trajectory/trajectory.h"

typedef struct saving {
  const jn_trajectory *T;
  const jn_model *model;
  const char *path;
  jn_error *error;
  FILE *file;
  jn_status status;
} saving;

static void number(const saving *s, double x) {
  char digits[NUMBER_TEXT];
  fputs(jn_write_number(x, 17, digits), s->file);
}

static void numbers(const saving *s, int n, const double *x) {
  fputc('[', s->file);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", s->file);
    number(s, x[i]);
  }
  fputc(']', s->file);
}

static void string(saving *s, const char *text) {
  if (!jn_write_string(s->file, text) && !s->status)
    s->status = jn_fail(s->error, JN_ERR_MODEL, s->path, 0, "the name '%s' is not UTF-8", text);
}

/* The functions of one joint: its plain coordinates, then its rotation. */
typedef struct columns {
  const jn_motion *m;
  int plain, rotation;
} columns;

/* x[row][function] */
static void rows_of(const saving *s, columns of, const jn_spline *p, int rows, const double *x) {
  fputc('[', s->file);
  for (int k = 0; k < rows; k++) {
    const double *row = x + (size_t)k * (size_t)p->n;
    fputs(k ? ", [" : "[", s->file);
    for (int c = 0; c < of.plain + of.rotation; c++) {
      if (c) fputs(", ", s->file);
      number(s, row[c < of.plain ? of.m->first + c : of.m->rotation_first + c - of.plain]);
    }
    fputc(']', s->file);
  }
  fputc(']', s->file);
}
/* x[piece][row][function] */
static void table(const saving *s, const char *key, columns of, const jn_spline *p, int rows,
                  const double *x) {
  fprintf(s->file, ",\n    \"%s\": [", key);
  for (int i = 0; i < p->pieces; i++) {
    if (i) fputs(",\n      ", s->file);
    rows_of(s, of, p, rows, x + (size_t)i * (size_t)rows * (size_t)p->n);
  }
  fputc(']', s->file);
}

/* The bands of a fit are not saved: the file says that there were some. */
static int is_fitted(const jn_trajectory *T, const jn_joint *j) {
  int fitted = 0;
  for (int k = 0; k < j->nq; k++) fitted |= T->variance[j->iq + k].kind != JN_VARIANCE_ZERO;
  return fitted;
}

static void joint(const saving *s, int i) {
  const jn_joint *j = &s->T->joint[i];
  const jn_motion *m = &s->T->motion[i];
  const jn_spline *p = &s->T->spline[m->spline];
  const int has_rotation = m->rotation != JN_CURVE_NONE;
  const columns of = {.m = m,
                      .plain = has_rotation ? j->nv - 3 : j->nv,
                      .rotation = m->rotation == JN_CURVE_PRODUCT ? m->factors
                                  : has_rotation                  ? 4
                                                                  : 0};
  fputs(is_fitted(s->T, j) ? "{\"fitted\": true, " : "{", s->file);
  if (p->controls) {
    fprintf(s->file, "\"degree\": %d, \"knots\": ", p->degree);
    numbers(s, p->controls + p->degree + 1, p->knots);
    fputs(",\n    \"values\": ", s->file);
    rows_of(s, of, p, p->controls, p->c);
  } else {
    fputs("\"breaks\": ", s->file);
    numbers(s, p->pieces + 1, p->breaks);
    table(s, "coefficients", of, p, p->degree + 1, p->c);
  }
  if (p->terms) {
    fputs(",\n    \"origin\": ", s->file);
    numbers(s, p->pieces, p->origin);
    fputs(",\n    \"w\": [", s->file);
    for (int k = 0; k < p->pieces; k++) {
      if (k) fputs(", ", s->file);
      numbers(s, p->terms, p->w + (size_t)k * (size_t)p->terms);
    }
    fputc(']', s->file);
    table(s, "a", of, p, p->terms, p->a);
    table(s, "b", of, p, p->terms, p->b);
  }
  if (m->rotation == JN_CURVE_PRODUCT) {
    const double quat[4] = {m->R0.w, m->R0.x, m->R0.y, m->R0.z};
    fputs(",\n    \"quat\": ", s->file);
    numbers(s, 4, quat);
    fputs(",\n    \"axes\": [", s->file);
    for (int f = 0; f < m->factors; f++) {
      if (f) fputs(", ", s->file);
      numbers(s, 3, m->axes + 3 * f);
    }
    fputc(']', s->file);
  }
  fputc('}', s->file);
}

/* "clocks": a table of rows t, u, u', u'', u''' for each */
static void clocks(const saving *s) {
  if (!s->T->clocks) return;
  fputs(",\n \"clocks\": [", s->file);
  for (int i = 0; i < s->T->clocks; i++) {
    const jn_clock *c = &s->T->clock[i];
    fputs(i ? ",\n  [" : "[", s->file);
    for (int r = 0; r < c->count; r++) {
      if (r) fputs(",\n   ", s->file);
      numbers(s, 5, c->row + 5 * (size_t)r);
    }
    fputc(']', s->file);
  }
  fputc(']', s->file);
}

static jn_status save(FILE *file, void *context) {
  saving *s = context;
  const jn_trajectory *T = s->T;
  int first = jn_model_is_floating(s->model), written = 0;
  s->file = file;
  fputs("{\"kind\": \"pieces\", \"time_scale\": ", file);
  number(s, T->scale);
  clocks(s);
  if (first) {
    fputs(",\n \"base\": ", file);
    joint(s, 0);
  }
  fputs(",\n \"joints\": {", file);
  for (int i = first; i < T->joints; i++) {
    if (T->joint[i].nv == 0) continue;
    fputs(written++ ? ",\n  " : "\n  ", file);
    string(s, jn_model_joint(s->model, i)->name);
    fputs(": ", file);
    joint(s, i);
  }
  fputs("}}\n", file);
  return s->status;
}

static int is_of(const jn_trajectory *T, const jn_model *model) {
  return jn_model_nq(model) == T->nq && jn_model_nv(model) == T->nv &&
         jn_model_body_count(model) == T->joints;
}

jn_status jn_trajectory_save(const jn_trajectory *trajectory, const jn_model *model,
                             const char *path, jn_error *error) {
  if (!trajectory || !model || !path || !path[0])
    return jn_fail(error, JN_ERR_ARGUMENT, path, 0,
                   "the file name is missing, or trajectory or model is NULL");
  if (!is_of(trajectory, model))
    return jn_fail(error, JN_ERR_ARGUMENT, path, 0, "the trajectory belongs to another model");
  saving s = {trajectory, model, path, error, NULL, JN_OK};
  return jn_file_write(path, save, &s, error);
}

jn_status jn_trajectory_to_json(const jn_trajectory *trajectory, const jn_model *model,
                                const jn_allocator *allocator, char **out, jn_error *error) {
  if (!trajectory || !model || !out)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "trajectory, model or out is NULL");
  if (!is_of(trajectory, model))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "the trajectory belongs to another model");
  saving s = {trajectory, model, NULL, error, NULL, JN_OK};
  return jn_text_write(save, &s, allocator, out, error);
}
