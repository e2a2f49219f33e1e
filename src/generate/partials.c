/* partials.c: derivatives of inverse and forward dynamics in generated code: the text of core/derivatives with one
 * degree of freedom at a time, the links as a table, and working memory of a fixed size. */
#include <string.h>

#include "generate/generate.h"
#include "model/arrays.h"

static const char types[] =
    "\n/* what the partial derivatives know of a model and of a call */\n"
    "#define WITH_ORDER(K, order, ...) \\\n"
    "  do {                            \\\n"
    "    const int K = (order);        \\\n"
    "    __VA_ARGS__;                  \\\n"
    "  } while (0)\n"
    "typedef struct jn_vec3 {\n  double x, y, z;\n} jn_vec3;\n"
    "typedef struct jn_settings {\n  int representation, damping;\n  jn_vec3 gravity;\n} "
    "jn_settings;\n"
    "typedef struct jn_model {\n  int nlink, nv, nangle, nfree, nother;\n  const jn_link *link;\n"
    "  const int *angle_link, *free_link, *other_link, *dof_parent, *dof_end;\n} jn_model;\n"
    "typedef struct jn_data {\n  jn_settings settings;\n  jn_vec3 base;\n  jn_work w;\n} jn_data;\n"
    "typedef struct jn_external jn_external;\n"
    "typedef double solve_pack;\n"
    "#define WORK_float(name, element, stride) WORK_ACCESSOR(name, element, stride)\n"
    "static inline int link_is_free(const jn_link *l) { return l->nv == 6; }\n";

void jn_generate_partials_types(jn_text *t) { jn_text_put(t, types); }

/* the arrays of the working memory that the text uses (model/arrays.h) */
static const char *const used[] = {"q",  "v",  "io",  "reference", "angle",  "X",     "jet",
                                   "E",  "R",  "P",   "G",         "O",      "S",     "Vs",
                                   "As", "Ms", "Md",  "Ps",        "Ws",     "Pc",    "pc",
                                   "Ev", "Et", "row", "Ow",        "gather", "frame", "Su"};
/* with derivatives of forward dynamics: the factors of M */
static const char *const used_forward[] = {"mass"};
/* those it names but does not use without applied wrenches */
static const char *const named[] = {"Yd", "Ns"};

static int is_among(const char *const *list, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(list[i], name) == 0) return 1;
  return 0;
}

static void put_list(jn_text *t, const char *name, const int *x, int n) {
  jn_text_format(t, "static const int %s[] = {", name);
  for (int i = 0; i < n; i++) jn_text_format(t, "%s%d", i ? ", " : "", x[i]);
  jn_text_put(t, n ? "};\n" : "0};\n");
}

static const char driver[] =
    "\n/* the columns and what they carry, of all orders 0..K: as jn_variation_all */\n"
    "INLINE void partials_of(jn_data *data, const int K, variation *x) {\n"
    "  memset(x, 0, sizeof *x);\n"
    "  x->m = &robot, x->data = data, x->w = &data->w, x->rows = data->w.rows, x->K = K;\n"
    "  x->width = 1, x->own = REP != (int)JN_BODY && robot.nfree > 0, x->matrices = 1;\n"
    "  boundary_about_origin(&robot, &data->w);\n"
    "  variation_motion(x);\n"
    "  freedoms_links(x);\n"
    "  freedoms_columns(x);\n"
    "  variation_columns(x);\n"
    "  variation_composites(x, 1);\n"
    "  freedoms_carry(x);\n"
    "  if (needs_own_rows(x)) variation_own_rows(x);\n"
    "}\n";
/* as jn_inverse_partials, and as jn_forward_partials: returns 0 where M is not positive */
static const char inverse_driver[] =
    "INLINE void inverse_partials(jn_data *data, const int K, double *dq, double *dv) {\n"
    "  variation x;\n"
    "  partials_of(data, K, &x);\n"
    "  freedoms_fill(&x, dq, dv, 1);\n"
    "}\n";
static const char forward_driver[] =
    "INLINE int forward_partials(jn_data *data, const int K, double *dq, double *dv, double "
    "*dtau) {\n"
    "  variation x;\n"
    "  const jn_forward_columns out = {K + 1, dq, dv, dtau, data->w.mass};\n"
    "  partials_of(data, K, &x);\n"
    "  return forward_matrices(&x, &out);\n"
    "}\n";

void jn_generate_partials_start(jn_text *t, const jn_job *job) {
  static const char *const headers[] = {
      "core/boundary.h",
      "core/poses.h",
      "core/spatial/spatial.h",
      "core/spatial/composite.h",
      "core/derivatives/partials.h",
      "core/derivatives/variation.h",
      "core/derivatives/motion.h",
      "core/derivatives/mass_factor.h",
      "core/derivatives/freedoms.h",
  };
  const jn_model *m = job->m;
  /* loops over links and orders: the compiler unrolls what pays */
  jn_text_put(
      t,
      "\n#undef EACH\n#define EACH(k, from, to) for (int k = from; k <= to; k++)\n"
      "#undef EACH_DOWN\n#define EACH_DOWN(k, from, to) for (int k = to; k >= from; k--)\n");
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) jn_generate_header(t, headers[i]);
  if (job->set.forward_partials) jn_generate_header(t, "core/derivatives/forward_matrices.h");
  jn_text_put(t, "\nstatic const jn_link links[] = {\n    ");
  for (int i = 0; i < m->nlink; i++) {
    if (i) jn_text_put(t, ",\n    ");
    jn_generate_link(t, &m->link[i], m->link[i].parent);
  }
  jn_text_put(t, "};\n");
  put_list(t, "angle_link", m->angle_link, m->nangle);
  put_list(t, "free_link", m->free_link, m->nfree);
  put_list(t, "other_link", m->other_link, m->nother);
  put_list(t, "dof_parent", m->dof_parent, m->nv);
  put_list(t, "dof_end", m->dof_end, m->nv);
  jn_text_format(t,
                 "static const jn_model robot = {%d, %d, %d, %d, %d, links, angle_link, free_link, "
                 "other_link, dof_parent, dof_end};\n",
                 m->nlink, m->nv, m->nangle, m->nfree, m->nother);
  jn_text_put(t, driver);
  if (job->set.partials) jn_text_put(t, inverse_driver);
  if (job->set.forward_partials) jn_text_put(t, forward_driver);
}

static size_t put_array(jn_text *t, const char *name, size_t at, size_t count, int forward) {
  const int is_used = is_among(used, sizeof used / sizeof *used, name) ||
                      (forward && is_among(used_forward, 1, name));
  if (!is_used && !is_among(named, sizeof named / sizeof *named, name)) return 0;
  if (t) jn_text_format(t, "  data.w.%s = room + %lu;\n", name, (unsigned long)at);
  return is_used ? count : 0;
}
/* the arrays one after another; returns how many numbers they have */
static size_t put_arrays(jn_text *t, const jn_model *m, int order, int forward) {
  const size_t rows = (size_t)order + 2, nq = (size_t)m->nq, nv = (size_t)m->nv, nx = (size_t)m->nx,
               nlink = (size_t)m->nlink, ncut = 0, nrow = 0, coupled = 0;
  size_t at = 0;
#define PLACE(name, element, stride, count) \
  at += put_array(t, #name, at, JN_SIZE_##element * (size_t)(count), forward);
#define jn_coupled_room(m, order) 0
#undef JN_MAX_LANES
#define JN_MAX_LANES 2 /* scratch of one lane: the static_assert in freedoms.h */
  JN_WORK_PACK(PLACE)
  JN_WORK_SINGLE(PLACE)
#undef PLACE
  return at;
}

/* the working memory and the settings of a call */
static void put_data(jn_text *t, const jn_job *job, int r, int forward) {
  const jn_model *m = job->m;
  jn_text_format(t,
                 "  enum { R = %d };\n"
                 "  double room[%lu];\n"
                 "  jn_data data;\n"
                 "  real checked = {0};\n"
                 "  memset(&data, 0, sizeof data);\n",
                 r, (unsigned long)put_arrays(NULL, m, r, forward));
  jn_text_put(t,
              "  data.settings.representation = REP, data.settings.damping = DAMPING;\n"
              "  data.settings.gravity.x = ");
  jn_text_number(t, job->gravity[0]);
  jn_text_put(t, ", data.settings.gravity.y = ");
  jn_text_number(t, job->gravity[1]);
  jn_text_put(t, ", data.settings.gravity.z = ");
  jn_text_number(t, job->gravity[2]);
  jn_text_put(t, ";\n  data.w.rows = R + 2, data.w.nv = NV;\n");
  put_arrays(t, m, r, forward);
  jn_text_put(t, "  read_numbers(NQ, q_in, stride, data.w.q, &checked);\n");
}
static void put_checked(jn_text *t, const char *count, const char *array) {
  jn_text_format(t,
                 "  NO_UNROLL for (int i = 0; i < %s * NV * NV; i++) checked += SMALL * %s[i];\n",
                 count, array);
}

void jn_generate_partials(jn_text *t, const jn_job *job, int r) {
  jn_text_format(t,
                 "\n/* derivatives of inverse dynamics of order %d */\n"
                 "INLINE int %s_did%d_at(const double *q_in, const double *v_in, double *dq, "
                 "double *dv,\n    size_t stride) {\n",
                 r, job->name, r);
  put_data(t, job, r, 0);
  jn_text_put(t,
              "  read_numbers((R + 2) * NV, v_in, stride, data.w.io, &checked);\n"
              "  scale_rows(0, R + 1, NV, data.w.io, 1);\n"
              "  inverse_partials(&data, R, dq, dv);\n");
  put_checked(t, "(R + 1)", "dq");
  put_checked(t, "(R + 1) * (R + 2)", "dv");
  jn_text_put(t, "  return states_without_result(~0, checked);\n}\n");
}

/* along the motion of forward dynamics, whose function is there or comes before */
void jn_generate_forward_partials(jn_text *t, const jn_job *job, int r) {
  if (!(job->set.forward >> r & 1)) jn_generate_forward(t, job, r);
  jn_text_format(t,
                 "\n/* derivatives of forward dynamics of order %d */\n"
                 "INLINE int %s_dfd%d_at(const double *q_in, const double *v_in, const double "
                 "*tau_in,\n    double *dq, double *dv, double *dtau, size_t stride) {\n",
                 r, job->name, r);
  put_data(t, job, r, 1);
  jn_text_format(t,
                 "  read_numbers(NV, v_in, stride, data.w.io, &checked);\n"
                 "  const int bad = %s_fd%d_at(q_in, v_in, tau_in, data.w.io + NV, stride);\n"
                 "  scale_rows(0, R + 1, NV, data.w.io, 1);\n"
                 "  const int positive = forward_partials(&data, R, dq, dv, dtau);\n",
                 job->name, r);
  put_checked(t, "(R + 1)", "dq");
  put_checked(t, "(R + 1)", "dv");
  put_checked(t, "(R + 1) * (R + 1)", "dtau");
  jn_text_put(t, "  return bad | states_without_result(-positive, checked);\n}\n");
}
