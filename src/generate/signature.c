/* signature.c: functions with the interface of CasADi's external functions:
 *   int F(const double **arg, double **res, long long *iw, double *w, int mem)
 * and what describes them: F_n_in, F_name_in, F_sparsity_in, F_work, ... Arrays are dense matrices of
 * `count` x `rows`, column by column: the same numbers in the same places. acados calls the same
 * functions with other integers (external_function_casadi in its external_function_generic.h):
 *   int F(const double **arg, double **res, int *iw, double *w, void *mem) */
#include <stdio.h>
#include <string.h>

#include "generate/generate.h"

static void put_names(jn_text *t, const char *f, const char *end, const jn_array *a, int n) {
  jn_text_format(t, "const char *%s_name_%s(casadi_int i) {\n  switch (i) {\n", f, end);
  for (int i = 0; i < n; i++) jn_text_format(t, "    case %d: return \"%s\";\n", i, a[i].name);
  jn_text_put(t, "    default: return 0;\n  }\n}\n");
}
/* dense: number of rows, of columns, 1 */
static void put_sparsity(jn_text *t, const char *f, const char *end, const jn_array *a, int n) {
  jn_text_format(t, "const casadi_int *%s_sparsity_%s(casadi_int i) {\n", f, end);
  jn_text_format(t, "  static const casadi_int dense[][3] = {");
  for (int i = 0; i < n; i++)
    jn_text_format(t, "%s{%d, %d, 1}", i ? ", " : "", a[i].count, a[i].rows);
  jn_text_format(t, "};\n  return i >= 0 && i < %d ? dense[i] : 0;\n}\n", n);
}

static void put_declarations(jn_text *t, const char *f) {
  jn_text_format(
      t,
      "int %s(const double **arg, double **res, casadi_int *iw, double *w, casadi_mem mem);\n"
      "casadi_int %s_n_in(void);\ncasadi_int %s_n_out(void);\n"
      "const char *%s_name_in(casadi_int i);\nconst char *%s_name_out(casadi_int i);\n"
      "const casadi_int *%s_sparsity_in(casadi_int i);\n",
      f, f, f, f, f, f);
  jn_text_format(
      t,
      "const casadi_int *%s_sparsity_out(casadi_int i);\n"
      "int %s_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int "
      "*sz_w);\n"
      "int %s_alloc_mem(void);\nint %s_init_mem(int mem);\nvoid %s_free_mem(int mem);\n"
      "int %s_checkout(void);\nvoid %s_release(int mem);\n"
      "void %s_incref(void);\nvoid %s_decref(void);\n\n",
      f, f, f, f, f, f, f, f, f);
}

/* arguments that are not given are zero, results that are not wanted are dropped */
static void put_call(jn_text *t, const jn_operation *o, const char *f, const char *plain) {
  jn_text_format(
      t,
      "int %s(const double **arg, double **res, casadi_int *iw, double *w, casadi_mem mem) {\n"
      "  static const double zero[] = {",
      f);
  int most = 1;
  for (int i = 0; i < o->nin; i++)
    if (o->in[i].rows * o->in[i].count > most) most = o->in[i].rows * o->in[i].count;
  for (int i = 0; i < most; i++) jn_text_put(t, i ? ", 0" : "0");
  jn_text_put(t, "};\n  (void)iw, (void)mem;\n");
  int at = 0;
  for (int i = 0; i < o->nout; i++) {
    jn_text_format(t, "  double *out%d = res[%d] ? res[%d] : w + %d;\n", i, i, i, at);
    at += o->out[i].rows * o->out[i].count;
  }
  jn_text_format(t, "  return %s(", plain);
  for (int i = 0; i < o->nin; i++) jn_text_format(t, "arg[%d] ? arg[%d] : zero, ", i, i);
  for (int i = 0; i < o->nout; i++) jn_text_format(t, "%sout%d", i ? ", " : "", i);
  jn_text_put(t, ");\n}\n");
  jn_text_format(
      t,
      "int %s_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int "
      "*sz_w) {\n"
      "  if (sz_arg) *sz_arg = %d;\n  if (sz_res) *sz_res = %d;\n"
      "  if (sz_iw) *sz_iw = 0;\n  if (sz_w) *sz_w = %d;\n  return 0;\n}\n",
      f, o->nin, o->nout, at);
}

static void put_functions(jn_text *t, const jn_job *job, const jn_operation *o, int header) {
  char f[2 * JN_MAX_GENERATE_NAME], plain[2 * JN_MAX_GENERATE_NAME];
  snprintf(f, sizeof f, "%s_%s", job->name, o->name);
  snprintf(plain, sizeof plain, "%s_%s_plain", job->name, o->name);
  if (header) {
    put_declarations(t, f);
    return;
  }
  jn_text_put(t, "\n");
  put_call(t, o, f, plain);
  jn_text_format(
      t, "casadi_int %s_n_in(void) { return %d; }\ncasadi_int %s_n_out(void) { return %d; }\n", f,
      o->nin, f, o->nout);
  put_names(t, f, "in", o->in, o->nin);
  put_names(t, f, "out", o->out, o->nout);
  put_sparsity(t, f, "in", o->in, o->nin);
  put_sparsity(t, f, "out", o->out, o->nout);
  jn_text_format(t,
                 "int %s_alloc_mem(void) { return 0; }\n"
                 "int %s_init_mem(int mem) { return (void)mem, 0; }\n"
                 "void %s_free_mem(int mem) { (void)mem; }\n"
                 "int %s_checkout(void) { return 0; }\n"
                 "void %s_release(int mem) { (void)mem; }\n"
                 "void %s_incref(void) {}\nvoid %s_decref(void) {}\n",
                 f, f, f, f, f, f, f);
}

/* casadi_int, casadi_mem: the integers and the last argument of who calls */
void jn_generate_casadi(jn_text *t, const jn_job *job, const jn_operation *o, int header) {
  const int acados = job->set.signature == JN_SIGNATURE_ACADOS;
  jn_text part = {.hooks = t->hooks};
  put_functions(&part, job, o, header);
  t->failed |= part.failed;
  const char *from = part.bytes;
  for (const char *at; from && (at = strstr(from, "casadi_")); from = at + 10) {
    jn_text_append(t, from, (size_t)(at - from));
    if (at[7] == 'i')
      jn_text_put(t, acados ? "int" : "long long");
    else
      jn_text_put(t, acados ? "void *" : "int");
  }
  if (from) jn_text_put(t, from);
  jn_text_drop(&part);
}
