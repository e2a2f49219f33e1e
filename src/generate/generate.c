/* generate.c: the texts of one robot: the core's headers, the robot's constants, its functions. */
#include "generate/generate.h"

#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "base/numbers.h"
#include "generate/schedule.h"
#include "model/arrays.h"

static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_identifier(const char *s) {
  if (!is_letter(*s)) return 0;
  while (is_letter(*s) || is_digit(*s)) s++;
  return *s == 0;
}

/* an identifier from the model's name */
static void make_name(const char *from, char *out) {
  size_t n = 0;
  if (!is_letter(*from)) out[n++] = 'm';
  for (; *from && n < JN_MAX_GENERATE_NAME; from++)
    out[n++] = is_letter(*from) || is_digit(*from) ? *from : '_';
  out[n] = 0;
}

jn_status jn_generate_check(const jn_model *model, const jn_generate_options *set, jn_job *job,
                            jn_error *error) {
  if (!model || !set) return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "generate: no model");
  memset(job, 0, sizeof *job);
  job->m = model;
  job->set = *set;
  if (set->name && (!is_identifier(set->name) || strlen(set->name) > JN_MAX_GENERATE_NAME))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "generate: the name '%s' is not a C identifier of at most %d characters",
                   set->name, JN_MAX_GENERATE_NAME);
  if (set->name)
    snprintf(job->name, sizeof job->name, "%s", set->name);
  else
    make_name(jn_model_name(model), job->name);
  if (!set->inverse && !set->forward && !set->kinematics && !set->mass && !set->partials &&
      !set->forward_partials)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "generate: no operation is asked for");
  if (set->inverse >> (JN_MAX_GENERATE_INVERSE + 1) ||
      set->forward >> (JN_MAX_GENERATE_FORWARD + 1) ||
      set->kinematics >> (JN_MAX_GENERATE_KINEMATICS + 1) ||
      (set->partials | set->forward_partials) >> (JN_MAX_GENERATE_PARTIALS + 1))
    return jn_fail(
        error, JN_ERR_ARGUMENT, NULL, 0,
        "generate: orders go to %d for inverse dynamics, to %d for forward dynamics, to %d for "
        "kinematics and to %d for partial derivatives",
        JN_MAX_GENERATE_INVERSE, JN_MAX_GENERATE_FORWARD, JN_MAX_GENERATE_KINEMATICS,
        JN_MAX_GENERATE_PARTIALS);
  job->lanes = set->lanes ? set->lanes : 1;
  if (job->lanes != 1 && job->lanes != 4 && job->lanes != 8)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "generate: lanes can be 1, 4 or 8");
  if (jn_job_partials(job) && job->lanes > 1)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "generate: partial derivatives are of one state: leave out --lanes, or generate "
                   "them by themselves");
  if (jn_job_partials(job) && model->tree)
    return jn_fail(
        error, JN_ERR_COUPLED, NULL, 0,
        "generate: partial derivatives are generated for models without mimic joints: "
        "make the joints independent, or call jn_inverse_partials and jn_forward_partials");
  if (set->forward_partials && model->nv > JN_DENSE_DOFS)
    return jn_fail(error, JN_ERR_LIMIT, NULL, 0,
                   "generate: derivatives of forward dynamics are generated for at most %d degrees "
                   "of freedom",
                   JN_DENSE_DOFS);
  if ((unsigned)set->scalar > JN_SCALAR_FLOAT || (unsigned)set->signature > JN_SIGNATURE_ACADOS)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "generate: no such scalar or signature");
  if (set->signature && (job->lanes > 1 || set->scalar))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "generate: functions for CasADi and acados have one lane and double precision");
  if ((int)set->representation < JN_SPATIAL || (int)set->representation > JN_MIXED)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "generate: no such representation");
  const double model_gravity[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
  memcpy(job->gravity, set->gravity ? set->gravity : model_gravity, sizeof job->gravity);
  if (!jn_all_finite(job->gravity, 3))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "generate: gravity is not finite");
  if (model->ncut)
    return jn_fail(error, JN_ERR_MODEL, NULL, 0,
                   "generate: the model has %d constraints; code is generated for trees (--open "
                   "leaves the constraints out)",
                   model->ncut);
  if (!model->nv)
    return jn_fail(error, JN_ERR_MODEL, NULL, 0, "generate: the model has no degrees of freedom");
  if (model->nlink > JN_MAX_GENERATE_LINKS)
    return jn_fail(error, JN_ERR_LIMIT, NULL, 0,
                   "generate: the model has %d moving links, code is generated for up to %d",
                   model->nlink, JN_MAX_GENERATE_LINKS);
  job->fixed = model->link[0].nv == 0;
  if (model->tree) job->m = model->tree, job->own = model;
  return JN_OK;
}

static int is(const jn_core_file *f, const char *name) { return strcmp(f->name, name) == 0; }

/* One header without its includes, except what a scalar needs of the system. `static inline` becomes
 * INLINE, so that constants reach everything. */
static void put_core(jn_text *t, const jn_core_file *file) {
  static const char word[] = "static inline ", instead[] = "INLINE ";
  jn_text_format(t, "\n/* %s */\n", file->name);
  for (const char *line = file->text; *line;) {
    const char *end = strchr(line, '\n');
    if (!end) end = line + strlen(line);
    const int system = strncmp(line, "#include <", 10) == 0 && strncmp(line + 10, "math", 4) != 0;
    if (strncmp(line, "#include", 8) != 0 || (system && strncmp(file->name, "scalar/", 7) == 0)) {
      if (strncmp(line, word, sizeof word - 1) == 0) {
        jn_text_put(t, instead);
        line += sizeof word - 1;
      }
      jn_text_append(t, line, (size_t)(end - line) + (*end == '\n'));
    }
    line = *end ? end + 1 : end;
  }
}

void jn_generate_header(jn_text *t, const char *name) {
  for (const jn_core_file *f = jn_core_files; f->name; f++)
    if (is(f, name)) put_core(t, f);
}

/* Is the header part of the text? One state: numbers, or vectors in registers; several: packs. */
static int is_needed(const jn_job *job, const jn_core_file *f) {
  const int pack = job->lanes > 1;
  if (is(f, "scalar/lanes.h") || is(f, "scalar/double.h")) return !pack && !job->dual;
  if (is(f, "scalar/pack.h")) return pack;
  if (is(f, "core/algebra/inertia10.h") || is(f, "model/arrays.h") || is(f, "core/work.h"))
    return jn_job_partials(job);
  if (is(f, "scalar/dual.h") || is(f, "core/body/baked_dual.h")) return job->dual;
  return 1;
}

/* Low orders: numbers are faster than vectors. Not so where gcc converts the twists of a free joint: it
 * has too few registers for so many numbers. */
static void put_low_orders(jn_text *t, const jn_job *job) {
  const int by_compiler = converts(job) && (job->set.inverse >> 2 | job->set.forward);
  if (by_compiler) jn_text_put(t, "#ifdef __clang__\n");
  jn_text_put(t, "#define JN_PLAIN 1 /* numbers, not vectors, are faster at low orders */\n");
  if (by_compiler) jn_text_put(t, "#endif\n");
}

void jn_generate_core(jn_text *t, const jn_job *job) {
  const unsigned high = job->set.inverse >> 3 | job->set.forward >> 1 | job->set.kinematics >> 1;
  const int one = job->lanes == 1 && !job->dual;
  jn_text_put(t, "#define JN_BAKED 1\n");
  if (job->set.generic) jn_text_put(t, "#define JN_GENERIC 1\n");
  if (job->dual) jn_text_put(t, "#define JN_DUAL 1\n");
  if (job->looped) jn_text_put(t, "#define JN_LOOPED 1\n");
  if (jn_job_partials(job))
    jn_text_put(t, "#define JN_PARTIALS 1\n#define ENTRY_FUNCTION INLINE\n");
  if (job->set.forward_partials) jn_text_put(t, "#define JN_FORWARD_PARTIALS 1\n");
  if (job->lanes > 1)
    jn_text_format(t, "#define LANES %d\n", job->lanes);
  else if (jn_job_partials(job))
    jn_text_put(t, "#define JN_PLAIN 1 /* the partial derivatives are written in numbers */\n");
  else if (!high)
    put_low_orders(t, job);
  for (const jn_core_file *f = jn_core_files; f->name; f++) {
    if (!is_needed(job, f)) continue;
    if (one && is(f, "scalar/lanes.h")) jn_text_put(t, "#ifdef JN_VECTORS\n");
    if (one && is(f, "scalar/double.h")) jn_text_put(t, "#else\n");
    put_core(t, f);
    if (one && is(f, "scalar/plain.h")) jn_text_put(t, "#endif\n");
    if (is(f, "scalar/preamble.h"))
      jn_text_format(t, "enum { JN_SPATIAL = %d, JN_BODY = %d, JN_HYBRID = %d, JN_MIXED = %d };\n",
                     JN_SPATIAL, JN_BODY, JN_HYBRID, JN_MIXED);
    if (is(f, "model/arrays.h")) jn_generate_partials_types(t);
    if (is(f, "core/body/baked.h")) break; /* what follows is of roll-outs */
  }
}

void jn_generate_dynamics_kernel(jn_text *t, const jn_job *job, int r, int forward) {
  const char *op = forward ? "fd" : "id", *out = forward ? "a" : "tau";
  jn_text_format(
      t,
      "#ifdef __CUDACC__\n"
      "extern \"C\" __global__ void %s_%s%d_kernel(size_t n, const double *q, const double "
      "*v%s,\n    double *%s, int *without) {\n",
      job->name, op, r, forward ? ", const double *tau" : "", out);
  jn_text_format(t,
                 "  const size_t s = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "  if (s >= n) return;\n"
                 "  const int bad = %s_%s%d_at(q + s, v + s%s, %s + s, n);\n"
                 "  if (bad) write_nan(%d * %s, %s + s, n);\n"
                 "  if (without) without[s] = bad;\n"
                 "}\n#endif\n",
                 job->name, op, r, forward ? ", tau + s" : "", out, r + 1, job->own ? "NY" : "NV",
                 out);
}

/* the public function of an operation, and its kernel */
static void put_entry(jn_text *t, const jn_job *job, const jn_operation *o) {
  const int casadi = job->set.signature != JN_SIGNATURE_PLAIN;
  jn_generate_operation(t, job, o);
  jn_text_format(t, "\n%sint %s_%s%s(", casadi ? "static " : "", job->name, o->name,
                 casadi ? "_plain" : "");
  jn_generate_arguments(t, job, o, 1);
  jn_text_format(t, ") {\n  return %s_%s_at(", job->name, o->name);
  jn_generate_arguments(t, job, o, 0);
  jn_text_put(t, ", LANES);\n}\n");
  if (casadi) jn_generate_casadi(t, job, o, 0);
  if (job->lanes == 1 && !casadi && !jn_job_partials(job) && o->kind <= JN_GENERATE_FORWARD)
    jn_generate_dynamics_kernel(t, job, o->order, o->kind == JN_GENERATE_FORWARD);
}

/* Straight code of all links would take too long to compile, or to be fetched: in units of the products
 * of a link's convolutions. */
static int is_large(const jn_job *job, const jn_operation *o) {
  const int r = o->order, products = (r + 1) * (r + 2);
  const int of[] = {
      [JN_GENERATE_INVERSE] = products, [JN_GENERATE_FORWARD] = 4 * products,
      [JN_GENERATE_MASS] = 8,           [JN_GENERATE_KINEMATICS] = products,
      [JN_GENERATE_PARTIALS] = 0,       [JN_GENERATE_FORWARD_PARTIALS] = 4 * products};
  return of[o->kind] * job->m->nlink > 1200;
}

/* Inlined into one function, numbers of several lanes and orders are more than gcc keeps in registers. */
static int is_separate(const jn_job *job, const jn_operation *o) {
  return job->lanes > 1 && !job->own && o->kind == JN_GENERATE_FORWARD && o->order >= 4 &&
         !is_large(job, o);
}

static void put_source(jn_text *t, const jn_job *job) {
  jn_text_format(
      t,
      "/* %s.c: dynamics of one robot, generated by jounce %s: the text of its core with\n"
      " * the robot's constants. See %s.h. */\n"
      "#ifndef __CUDACC_RTC__\n#include \"%s.h\"\n#endif\n\n",
      job->name, JN_VERSION, job->name, job->name);
  if (job->set.scalar == JN_SCALAR_FLOAT) jn_text_put(t, "#define JN_FLOAT 1\n");
  jn_generate_core(t, job);
  jn_text_put(t, "\n/* the robot */\n");
  jn_generate_links(t, job);
  if (job->own) jn_generate_coupled_start(t, job);
  if (jn_job_partials(job)) jn_generate_partials_start(t, job);
  jn_operation list[JN_MAX_OPERATIONS];
  const int count = jn_generate_operations(job, list);
  const char *part = "INLINE";
  for (int i = 0; i < count; i++) {
    jn_job own = *job;
    own.separate = own.depth_first = is_separate(job, &list[i]);
    const char *kind = is_large(job, &list[i]) ? "SHARED" : own.separate ? "SEPARATE" : "INLINE";
    if (strcmp(kind, part) != 0) jn_text_format(t, "\n#undef PART\n#define PART %s\n", kind);
    part = kind;
    put_entry(t, &own, &list[i]);
  }
  if (job->set.scalar == JN_SCALAR_FLOAT) jn_generate_single(t);
}

static void put_arrays(jn_text *t, const jn_array *a, int n) {
  for (int i = 0; i < n; i++)
    if (a[i].rows > 1)
      jn_text_format(t, "%s%s[%d x %d]", i ? ", " : "", a[i].name, a[i].rows, a[i].count);
    else
      jn_text_format(t, "%s%s[%d]", i ? ", " : "", a[i].name, a[i].count);
}
static void put_declaration(jn_text *t, const jn_job *job, const jn_operation *o) {
  jn_text_format(t, "/* %s\n * ", o->what);
  put_arrays(t, o->in, o->nin);
  jn_text_put(t, " -> ");
  put_arrays(t, o->out, o->nout);
  const int count = jn_generate_count(job, o);
  const size_t stack = jn_generate_stack(job, o);
  if (count)
    jn_text_format(t, "\n * up to %d multiplications and additions a state, and sines", count);
  if (stack) jn_text_format(t, "; arrays of up to %lu bytes on the stack", (unsigned long)stack);
  jn_text_put(t, " */\n");
  if (job->set.signature != JN_SIGNATURE_PLAIN) {
    jn_generate_casadi(t, job, o, 1);
    return;
  }
  jn_text_format(t, "int %s_%s(", job->name, o->name);
  jn_generate_arguments(t, job, o, 1);
  jn_text_put(t, ");\n");
}

/* What the text is best compiled with. A product with zero is zero. Of one state, vectors made of loops
 * keep numbers in memory that fit into registers; -march=native, for some processors, moves them to
 * integer registers and back (-mtune=generic does not). */
static const char *flags_of(const jn_job *job) {
  return job->lanes > 1 ? "-O3 -fno-signed-zeros -ffinite-math-only -Wno-psabi"
                        : "-O3 -fno-signed-zeros -ffinite-math-only -fno-tree-vectorize "
                          "-fno-tree-slp-vectorize -Wno-psabi";
}

/* a table of the joints: where their numbers begin, or what they follow */
static void put_joints(jn_text *t, const jn_model *m) {
  jn_text_format(t, ".\n *\n *   joint                             q from  v from\n");
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[i];
    if (!j->nv && j->leader < 0) continue;
    jn_text_put(t, " *   ");
    const size_t before = t->length;
    jn_text_name(t, j->name);
    while (!t->failed && t->length < before + 33) jn_text_put(t, " ");
    if (j->nv) {
      jn_text_format(t, " %6d  %6d\n", j->iq, j->iv);
      continue;
    }
    jn_text_put(t, " q = ");
    jn_text_number(t, j->offset);
    if (j->leader != i) {
      jn_text_put(t, " + ");
      jn_text_number(t, j->ratio);
      jn_text_put(t, " q of ");
      jn_text_name(t, m->joint[j->leader].name);
    }
    jn_text_put(t, "\n");
  }
}

static void put_header(jn_text *t, const jn_job *job) {
  const jn_model *m = jn_job_model(job);
  static const char *const representations[] = {"spatial", "body", "hybrid", "mixed"};
  jn_text_format(t, "/* %s.h: dynamics of the robot '", job->name);
  jn_text_name(t, jn_model_name(m));
  jn_text_format(t, "', generated by jounce %s.\n *\n", JN_VERSION);
  jn_text_put(
      t,
      " * q, v, tau are arrays, order-major: row k of v and tau is their k-th time derivative.\n"
      " * Functions return 0, or 1 if there is no result: a number is not finite, an angle is\n"
      " * beyond ");
  jn_text_format(t, "%s, or the dynamics are singular. They allocate nothing, do not branch on\n",
                 job->set.scalar == JN_SCALAR_FLOAT ? "1e4" : "1e6");
  jn_text_put(t, " * values and always do the same work.\n");
  jn_text_format(
      t,
      " *   cc -march=native -mtune=generic %s -c %s.c\n"
      " * is fastest; with -ffp-contract=off -DSTRICT besides (x86: and -mno-fma) the bits are\n"
      " * those of jounce's strict settings.\n",
      flags_of(job), job->name);
  if (job->lanes > 1)
    jn_text_format(
        t,
        " * %d states in a call: number i of state l is at i * %d + l in every array, and bit l\n"
        " * of what is returned belongs to state l.\n",
        job->lanes, job->lanes);
  jn_text_format(t, " * Twists and wrenches of free joints: %s representation. Gravity: ",
                 representations[job->set.representation]);
  jn_text_numbers(t, job->gravity, 3);
  put_joints(t, m);
  if (job->set.kinematics) {
    jn_text_put(t, " *\n *   link: number in pose and twist\n");
    for (int f = 0; f < m->nframe; f++) {
      jn_text_format(t, " *   %3d  ", f);
      jn_text_name(t, m->frame[f].name);
      jn_text_put(t, "\n");
    }
  }
  jn_text_format(t,
                 " */\n#ifndef %s_H\n#define %s_H\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                 "#define %s_NQ %d /* length of q */\n#define %s_NV %d /* length of v, v', tau */\n"
                 "#define %s_LANES %d /* states in a call */\n\n",
                 job->name, job->name, job->name, m->nq, job->name, m->nv, job->name, job->lanes);
  jn_operation list[JN_MAX_OPERATIONS];
  const int count = jn_generate_operations(job, list);
  for (int i = 0; i < count; i++) put_declaration(t, job, &list[i]);
  jn_text_put(t, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

static void put_cmake(jn_text *t, const jn_job *job) {
  const char *n = job->name;
  jn_text_format(t,
                 "# generated by jounce %s\ncmake_minimum_required(VERSION 3.13)\nproject(%s C)\n"
                 "option(STRICT \"the same bits on every machine: no fused multiply-add\" OFF)\n"
                 "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n"
                 "set(CMAKE_C_STANDARD 11)\n"
                 "add_library(%s STATIC %s.c)\n"
                 "target_include_directories(%s PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n",
                 JN_VERSION, n, n, n, n);
  jn_text_format(t,
                 "target_compile_options(%s PRIVATE %s)\n"
                 "if(STRICT)\n  target_compile_options(%s PRIVATE -ffp-contract=off -DSTRICT)\n"
                 "else()\n  target_compile_options(%s PRIVATE -ffp-contract=fast)\nendif()\n"
                 "add_executable(%s_test %s_test.c)\n"
                 "target_link_libraries(%s_test PRIVATE %s m)\n"
                 "if(STRICT)\n  target_compile_definitions(%s_test PRIVATE STRICT)\nendif()\n"
                 "enable_testing()\nadd_test(NAME %s_test COMMAND %s_test)\n",
                 n, flags_of(job), n, n, n, n, n, n, n, n, n);
}

jn_status jn_generate(const jn_model *model, const jn_generate_options *options,
                      const jn_allocator *allocator, jn_generated *out, jn_error *error) {
  jn_job job;
  if (!out) return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "generate: no place for the result");
  memset(out, 0, sizeof *out);
  jn_status status = jn_generate_check(model, options, &job, error);
  if (status) return status;
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  jn_text source = {.hooks = hooks}, header = source, test = source, cmake = source;
  put_source(&source, &job);
  put_header(&header, &job);
  put_cmake(&cmake, &job);
  status = jn_generate_test(&test, &job);
  if (status)
    jn_fail(error, status, NULL, 0, "generate: the reference values of the test: %s",
            jn_status_text(status));
  if (!status && (source.failed || header.failed || test.failed || cmake.failed))
    status = jn_fail(error, JN_ERR_MEMORY, NULL, 0, "generate: out of memory");
  if (status) {
    jn_text_drop(&source);
    jn_text_drop(&header);
    jn_text_drop(&test);
    jn_text_drop(&cmake);
    return status;
  }
  *out = (jn_generated){.source = source.bytes,
                        .header = header.bytes,
                        .test = test.bytes,
                        .cmake = cmake.bytes,
                        .allocator = hooks};
  memcpy(out->name, job.name, sizeof out->name);
  return JN_OK;
}

void jn_generated_free(jn_generated *g) {
  if (!g) return;
  if (g->source) {
    jn_block_free(&g->allocator, g->source);
    jn_block_free(&g->allocator, g->header);
    jn_block_free(&g->allocator, g->test);
    jn_block_free(&g->allocator, g->cmake);
  }
  memset(g, 0, sizeof *g);
}
