/* load_limits.c: the cost of reading a file: peak heap relative to its size, processor time per
 * megabyte and how both grow, stack relative to depth; on the corpus and on hostile files. Also
 * both sides of limits of limits.h that no other test covers.
 *
 *   load_limits [--full]     prints a line for the scorecard */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include <jounce/generate.h>
#include <jounce/table.h>
#include <jounce/trajectory.h>

#include "failing_malloc.h"
#include "helpers/archive.h"
#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/tree.h"

enum { URDF, JSON, CSV, NPZ, MOTION, MJCF, XACRO, STACK = 1 << 20, PAINT = 0xa5, REPEAT = 5 };

static int full;
static double worst_heap, worst_seconds, worst_ratio;
static const char *heap_name = "", *seconds_name = "", *ratio_name = "";
static long files;

static jn_model *moving; /* of the descriptions */

static jn_status read_text(int format, const char *text, size_t size) {
  jn_spec *spec = NULL;
  jn_table *table = NULL;
  jn_model *model = NULL;
  jn_status status;
  if (format == CSV || format == NPZ) {
    status = jn_table_parse(format == CSV ? JN_TABLE_CSV : JN_TABLE_NPZ, text, size, "text", NULL,
                            &table, NULL);
    jn_table_free(table);
    return status;
  }
  if (format == MOTION) {
    jn_trajectory *T = NULL;
    status = jn_trajectory_parse(text, size, "text", moving, NULL, NULL, NULL, &T, NULL);
    jn_trajectory_free(T);
    return status;
  }
  parser *parse = format == URDF    ? jn_spec_parse_urdf
                  : format == MJCF  ? jn_spec_parse_mjcf
                  : format == XACRO ? jn_spec_parse_xacro
                                    : jn_spec_parse_json;
  status = parse(text, size, "text", NULL, &spec, NULL);
  if (status == JN_OK) status = jn_model_build(spec, NULL, NULL, &model, NULL);
  jn_model_free(model);
  jn_spec_free(spec);
  return status;
}

/* ---- heap */

#ifndef MALLOC_NOT_COUNTED
/* An element of MJCF can be a link and a joint, however short it is: 2 KiB each are allowed. */
static double allowed_for_elements(int format, const char *text, size_t size) {
  int count = 0;
  for (size_t i = 0; i < size && format == MJCF && count < JN_MAX_XML_ELEMENTS; i++)
    count += text[i] == '<' && i + 1 < size && text[i + 1] != '/';
  return 2048.0 * count;
}
#endif

static void check_heap(const char *name, int format, const char *text, size_t size) {
#ifndef MALLOC_NOT_COUNTED
  const long live = malloc_state.live, bytes = malloc_state.bytes;
  malloc_state.peak = bytes;
  read_text(format, text, size);
  if (malloc_state.live != live) fail_msg("%s: %ld blocks lost", name, malloc_state.live - live);
  double peak = (double)(malloc_state.peak - bytes) - allowed_for_elements(format, text, size),
         factor = (peak - (1 << 20)) / (double)size, most = 32.0 * (double)size + (1 << 20);
  if (format == MOTION)
    most += (strstr(text, "\"fit\"") ? JN_MAX_FIT_FACTOR : JN_MAX_MOTION_FACTOR) * (double)size +
            JN_MAX_MOTION_HEAP;
  else if (format == XACRO) /* a short text can stand for a long one */
    most += 1.25 * JN_MAX_XACRO_HEAP;
  else if (factor > worst_heap)
    worst_heap = factor, heap_name = name;
  if (peak > most) fail_msg("%s: %.0f bytes for %zu", name, peak, size);
#else
  (void)name;
  read_text(format, text, size);
#endif
  files++;
}

static void visit(const char *path) {
  struct stat about;
  size_t size;
  if (stat(path, &about) || S_ISDIR(about.st_mode)) {
    walk_folder(path, visit);
    return;
  }
  const char *dot = strrchr(path, '.');
  int format = strstr(path, "/mjcf/") != NULL                                 ? MJCF
               : strstr(path, "/xacro/") != NULL                              ? XACRO
               : strstr(path, "/urdf/") || (dot && strcmp(dot, ".urdf") == 0) ? URDF
               : strstr(path, "/json/") || (dot && strcmp(dot, ".json") == 0) ? JSON
                                                                              : -1;
  if (format < 0) return;
  char *text = slurp(path, &size);
  if (size) check_heap("the corpus", format, text, size);
  free(text);
}

static void heap_of_the_corpus(void **state) {
  (void)state;
  visit(TEST_DATA "/broken");
  visit(TEST_DATA "/odd");
  visit(TEST_CORPUS);
  assert_true(files > 200);
}

/* ---- hostile files of n parts */

static void text_repeat(growing_text *t, const char *part, int n) {
  const size_t length = strlen(part);
  t->room = t->used + length * (size_t)n + 1;
  t->text = realloc(t->text, t->room);
  if (!t->text) fail_msg("out of memory");
  for (int i = 0; i < n; i++, t->used += length) memcpy(t->text + t->used, part, length);
  t->text[t->used] = '\0';
}

static growing_text deep_xml(int n) {
  growing_text t = {0};
  append(&t, "<robot>");
  text_repeat(&t, "<a>", n);
  return t;
}
static growing_text wide_xml(int n) {
  growing_text t = {0};
  append(&t, "<robot>");
  text_repeat(&t, "<a></a>", n);
  append(&t, "</robot>");
  return t;
}
static growing_text links(int n) {
  growing_text t = {0};
  append(&t, "<robot>");
  for (int i = 0; i < n; i++) append(&t, "<link name='l%d'/>", i);
  append(&t, "</robot>");
  return t;
}
static growing_text chain(int n) {
  growing_text t = {0};
  append(&t, "<robot><link name='l0'/>");
  for (int i = 1; i < n; i++)
    append(&t,
           "<link name='l%d'/><joint name='j%d' type='revolute'><parent link='l%d'/>"
           "<child link='l%d'/></joint>",
           i, i, i - 1, i);
  append(&t, "</robot>");
  return t;
}
static growing_text attributes(int n) {
  growing_text t = {0};
  append(&t, "<robot><link ");
  for (int i = 0; i < n; i++) append(&t, "a%d='' ", i);
  append(&t, "/></robot>");
  return t;
}
static growing_text token(int n) {
  growing_text t = {0};
  append(&t, "<robot><link name='");
  text_repeat(&t, "x", n);
  append(&t, "'/></robot>");
  return t;
}
static growing_text remark(int n) {
  growing_text t = {0};
  append(&t, "<robot>");
  text_repeat(&t, "<!-- -->", n);
  append(&t, "</robot>");
  return t;
}
static growing_text mjcf_bodies(int n) {
  growing_text t = {0};
  append(&t, "<mujoco><worldbody>");
  for (int i = 0; i < n; i++) append(&t, "<body><joint/><geom size='1'/></body>");
  append(&t, "</worldbody></mujoco>");
  return t;
}
static growing_text mjcf_short(int n) {
  growing_text t = {0};
  append(&t, "<mujoco><worldbody>");
  text_repeat(&t, "<body/>", n);
  append(&t, "</worldbody></mujoco>");
  return t;
}
static growing_text mjcf_geoms(int n) {
  growing_text t = {0};
  append(&t, "<mujoco><worldbody><body>");
  text_repeat(&t, "<geom size='1' zaxis='1 2 3'/>", n);
  append(&t, "</body></worldbody></mujoco>");
  return t;
}
static growing_text mjcf_nested(int n) {
  growing_text t = {0};
  append(&t, "<mujoco><worldbody>");
  text_repeat(&t, "<body>", n);
  return t;
}
static growing_text mjcf_attributes(int n) {
  growing_text t = {0};
  append(&t, "<mujoco><worldbody><body>");
  text_repeat(&t, "<site pso='' nmae='' x=''/>", n);
  append(&t, "</body></worldbody></mujoco>");
  return t;
}
static growing_text mjcf_equalities(int n) {
  growing_text t = {0};
  append(&t, "<mujoco><worldbody>");
  for (int i = 0; i < n; i++) append(&t, "<body><joint name='j%d'/></body>", i);
  append(&t, "</worldbody><equality>");
  for (int i = 1; i < n; i++) append(&t, "<joint joint1='j%d' joint2='j%d'/>", i, i - 1);
  append(&t, "</equality></mujoco>");
  return t;
}
static growing_text deep_json(int n) {
  growing_text t = {0};
  text_repeat(&t, "[", n);
  return t;
}
static growing_text bodies(int n) {
  growing_text t = {0};
  append(&t, "{\"bodies\": [{\"name\": \"b0\"}");
  for (int i = 1; i < n; i++)
    append(&t,
           ",{\"name\":\"b%d\",\"parent\":\"b%d\",\"joint\":{\"name\":\"j%d\",\"type\":\"fixed\"}}",
           i, i - 1, i);
  append(&t, "]}");
  return t;
}
static growing_text numbers(int n) {
  growing_text t = {0};
  append(&t, "{\"bodies\": [], \"comment\": [0");
  text_repeat(&t, ",1.5", n);
  append(&t, "]}");
  return t;
}
static growing_text keys(int n) {
  growing_text t = {0};
  append(&t, "{\"bodies\": []");
  for (int i = 0; i < n; i++) append(&t, ",\"k%d\":0", i);
  append(&t, "}");
  return t;
}
static growing_text string(int n) {
  growing_text t = {0};
  append(&t, "{\"bodies\": [{\"name\": \"");
  text_repeat(&t, "x", n);
  append(&t, "\"}]}");
  return t;
}
static growing_text rows(int n) {
  growing_text t = {0};
  append(&t, "t,a,b\n");
  text_repeat(&t, "1,2.5,-3e-7\n", n);
  return t;
}

static const struct {
  const char *name;
  int format, quick, full; /* parts */
  growing_text (*make)(int n);
} shapes[] = {{"nested elements", URDF, 100000, 1000000, deep_xml},
              {"elements side by side", URDF, 100000, 1000000, wide_xml},
              {"links", URDF, 20000, 1000000, links},
              {"a chain of links", URDF, 10000, 250000, chain},
              {"attributes", URDF, 20000, 200000, attributes},
              {"one token", URDF, 500000, 20000000, token},
              {"remarks", URDF, 100000, 1000000, remark},
              {"MJCF bodies", MJCF, 10000, 33000, mjcf_bodies},
              {"empty MJCF bodies", MJCF, 20000, 99000, mjcf_short},
              {"MJCF geoms", MJCF, 20000, 99000, mjcf_geoms},
              {"nested MJCF bodies", MJCF, 100000, 1000000, mjcf_nested},
              {"MJCF attributes", MJCF, 10000, 99000, mjcf_attributes},
              {"MJCF equalities", MJCF, 10000, 33000, mjcf_equalities},
              {"nested lists", JSON, 100000, 1000000, deep_json},
              {"bodies", JSON, 10000, 400000, bodies},
              {"numbers", JSON, 100000, 2000000, numbers},
              {"keys", JSON, 20000, 500000, keys},
              {"one string", JSON, 500000, 20000000, string},
              {"rows of a table", CSV, 50000, 1000000, rows}};

/* times are those of the program that users run: not under a sanitizer, nor where lines are counted */
#if defined(__SANITIZE_ADDRESS__) || defined(JN_COUNTED)
#define TIMED 0
#else
#define TIMED 1
#endif

/* of t(2n)/t(n). Times of small files are inaccurate: the quick run only distinguishes linear from
 * quadratic. */
static double most_growth(void) { return full ? 2.3 : 3; }

static double seconds_of(int format, const growing_text *t) {
  struct timespec a, b;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
  read_text(format, t->text, t->used);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

/* Processor time, the least of some runs. A busy machine makes runs longer, never shorter: while
 * the ratio is above that of linear time, both are measured again. t(2n)/t(n) is the mean of two doublings, because the
 * tables inside a parser also double at some point. */
static void hostile_files_cost_little(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(shapes); i++) {
    const int n = full ? shapes[i].full : shapes[i].quick;
    growing_text part = shapes[i].make(n / 4), whole = shapes[i].make(n);
    check_heap(shapes[i].name, shapes[i].format, whole.text, whole.used);
    double a = HUGE_VAL, b = HUGE_VAL, ratio = HUGE_VAL;
    for (int k = 0; k < 8 * REPEAT && (k < 2 || ratio > (k < REPEAT ? 2.05 : 2.2)); k++) {
      a = fmin(a, seconds_of(shapes[i].format, &part));
      b = fmin(b, seconds_of(shapes[i].format, &whole));
      /* refused at once, or too short to measure */
      ratio = b < 1e-3 ? 0 : sqrt(b / a);
    }
    const double speed = b / ((double)whole.used / 1e6);
    if (speed > worst_seconds) worst_seconds = speed, seconds_name = shapes[i].name;
    if (ratio > worst_ratio) worst_ratio = ratio, ratio_name = shapes[i].name;
    print_message("           %-22s %9zu bytes  %.4f s a megabyte  t(2n)/t(n) = %.2f\n",
                  shapes[i].name, whole.used, speed, ratio);
    if (!(ratio <= most_growth()) && TIMED)
      fail_msg("%s: t(2n)/t(n) = %.2f", shapes[i].name, ratio);
    if (!(speed <= 1) && TIMED) fail_msg("%s: %.2f s a megabyte", shapes[i].name, speed);
    free(part.text), free(whole.text);
  }
}

/* ---- tables and motions that ask for much: peak heap, and nothing without end */

static void put_little(char *at, size_t x, int bytes) {
  for (int i = 0; i < bytes; i++) at[i] = (char)(x >> (8 * i) & 0xff);
}

/* An archive of one array of 8 kB, under n names. */
static growing_text shared_array(int n) {
  static char array[128 + 8192] =
      "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': "
      "False, 'shape': (1024,), }";
  growing_text t = {0};
  const size_t local = 30 + 6 + sizeof array;
  t.room = t.used = local + (size_t)n * 52 + 22;
  char *at = t.text = calloc(1, t.room);
  memcpy(at, "PK\3\4", 4);
  put_little(at + 18, sizeof array, 4), put_little(at + 22, sizeof array, 4);
  put_little(at + 26, 6, 2);
  memcpy(at + 30, "a0.npy", 6), memcpy(at + 36, array, sizeof array);
  at += local;
  for (int i = 0; i < n; i++, at += 52) {
    memcpy(at, "PK\1\2", 4);
    put_little(at + 16, crc_of(array, sizeof array), 4);
    put_little(at + 20, sizeof array, 4), put_little(at + 24, sizeof array, 4);
    put_little(at + 28, 6, 2);
    for (int k = 0, x = i; k < 6; k++, x /= 10) at[46 + k] = (char)('0' + x % 10);
  }
  memcpy(at, "PK\5\6", 4);
  put_little(at + 10, (size_t)n, 2);
  put_little(at + 16, local, 4);
  return t;
}

static growing_text values(const char *kind, int n, int with_times) {
  growing_text t = {0};
  append(&t, "{\"joints\": {\"joint1\": {%s, \"values\": [0", kind);
  text_repeat(&t, ",1", n - 1);
  if (with_times) append(&t, "], \"times\": [0");
  for (int i = 1; with_times && i < n; i++) append(&t, ",%d", i);
  append(&t, "]}}}");
  return t;
}
static growing_text steep_spline(int n) {
  return values("\"kind\": \"bspline\", \"degree\": 31, \"start\": 0, \"end\": 1", n, 0);
}
static growing_text steep_fit(int n) {
  return values("\"kind\": \"fit\", \"degree\": 31, \"pieces\": 100000", n, 1);
}
static growing_text steep_minimum(int n) {
  return values("\"kind\": \"minimum\", \"derivative\": 16", n, 1);
}
static growing_text wide_heading(int n) {
  growing_text t = {0};
  text_repeat(&t, "a,", n);
  append(&t, "a\n1\n");
  return t;
}

static void tables_and_motions_cost_what_their_bytes_allow(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int format, n;
    growing_text (*make)(int n);
  } cases[] = {{"one array of many names", NPZ, 9999, shared_array},
               {"columns without rows", CSV, 9000, wide_heading},
               {"a spline of degree 31", MOTION, 850000, steep_spline},
               {"a fit of degree 31", MOTION, 200000, steep_fit},
               {"minimum derivative 16", MOTION, 200000, steep_minimum}};
  assert_ok(jn_model_load("pendulum", NULL, NULL, &moving, NULL));
  for (size_t i = 0; i < COUNT(cases); i++) {
    growing_text t = cases[i].make(cases[i].n);
    check_heap(cases[i].name, cases[i].format, t.text, t.used);
    assert_true(read_text(cases[i].format, t.text, t.used) != JN_OK);
    free(t.text);
  }
  /* JN_MAX_MOTION_WORK and JN_MAX_MOTION_RATE bound the operations of a motion; JN_MAX_TABLE_FACTOR
   * and JN_MAX_TABLE_HEAP the memory of a table. Small ones of the same kind are read. */
  growing_text few = steep_spline(100), one = shared_array(1);
  assert_ok(read_text(MOTION, few.text, few.used));
  assert_ok(read_text(NPZ, one.text, one.used));
  free(few.text), free(one.text);
  jn_model_free(moving);
}

/* ---- stack */

typedef struct reading {
  int format;
  growing_text text;
} reading;

static void *read_it(void *context) {
  reading *r = context;
  read_text(r->format, r->text.text, r->text.used);
  return NULL;
}

static size_t stack_of(int format, growing_text text) {
  unsigned char *stack =
      mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  reading r = {format, text};
  pthread_t thread;
  pthread_attr_t how;
  assert_true(stack != MAP_FAILED);
  memset(stack, PAINT, STACK);
  pthread_attr_init(&how);
  assert_int_equal(pthread_attr_setstack(&how, stack, STACK), 0);
  assert_int_equal(pthread_create(&thread, &how, read_it, &r), 0);
  pthread_join(thread, NULL);
  size_t clean = 0;
  while (clean < STACK && stack[clean] == PAINT) clean++;
  munmap(stack, STACK);
  free(text.text);
  return STACK - clean;
}

static void the_stack_does_not_grow_with_depth(void **state) {
  (void)state;
#ifdef MALLOC_NOT_COUNTED
  skip(); /* sanitizers have larger stack frames */
#endif
  for (int k = 0; k < 3; k++) {
    growing_text (*make)(int) = k == 0 ? deep_xml : k == 1 ? deep_json : chain;
    const int format = k == 1 ? JSON : URDF, few = 1000, many = full && k < 2 ? 1000000 : 20000;
    stack_of(format, make(few));
    size_t a = stack_of(format, make(few)), b = stack_of(format, make(many));
    print_message("           %zu bytes of stack at depth %d, %zu at %d\n", a, few, b, many);
    assert_true(b <= a + 256);
  }
}

/* ---- limits that no other test covers */

static void limits_of_motions_hold_on_both_sides(void **state) {
  (void)state;
  jn_spec *spec = random_spec(3, 1, JN_JOINT_SPHERICAL, TYPE(REVOLUTE));
  jn_model *ball = build(spec);
  jn_spec *other = random_spec(3, 1, JN_JOINT_REVOLUTE, TYPE(REVOLUTE));
  jn_model *arm = build(other);
  enum { MANY = JN_MAX_ROTATIONS + 1 };
  double *c = doubles(JN_MAX_DEGREE + 2), *times = doubles(MANY), *q = doubles(4 * MANY),
         *knots = doubles(200);
  for (int i = 0; i < MANY; i++) times[i] = i, q[4 * i] = 1;
  for (int over = 0; over < 2; over++) {
    jn_trajectory *t = NULL;
    jn_status status = jn_trajectory_polynomial(arm, 0, 1, JN_MAX_DEGREE + over, c, NULL, &t, NULL);
    assert_int_equal(status == JN_OK, !over);
    jn_trajectory_free(t);
    t = NULL;
    const int degree = JN_MAX_SPLINE + over, count = degree + 1;
    double *x = doubles((size_t)count);
    status = jn_bspline_knots(0, 1, degree, count, knots);
    if (status == JN_OK)
      status = jn_trajectory_bspline(arm, degree, count, knots, x, NULL, &t, NULL);
    assert_int_equal(status == JN_OK, !over);
    free(x);
    jn_trajectory_free(t);
    t = NULL;
    status = jn_trajectory_half_cosine(ball, JN_MAX_ROTATIONS + over, times, q, NULL, &t, NULL);
    assert_int_equal(status == JN_OK, !over);
    jn_trajectory_free(t);
  }
  free(c), free(times), free(q), free(knots);
  jn_model_free(ball), jn_model_free(arm);
  jn_spec_free(spec), jn_spec_free(other);
}

static void frames_are_limited(void **state) {
  (void)state;
  if (!full) skip();
  jn_spec *spec = NULL;
  assert_ok(jn_spec_new("frames", NULL, &spec));
  for (int i = 0; i < JN_MAX_FRAMES; i++) {
    jn_frame_desc f = {"f", "l", jn_pose_identity(), 0};
    assert_ok(jn_spec_add_frame(spec, &f));
  }
  jn_frame_desc f = {"f", "l", jn_pose_identity(), 0};
  assert_status(jn_spec_add_frame(spec, &f), JN_ERR_LIMIT);
  jn_spec_free(spec);
}

static jn_status generated(const char *builtin, jn_generate_options o) {
  jn_generated out = {0};
  jn_model *model = NULL;
  jn_spec *spec = NULL;
  assert_ok(jn_spec_builtin(builtin, NULL, &spec, NULL));
  assert_ok(jn_model_build(spec, NULL, NULL, &model, NULL));
  const jn_status status = jn_generate(model, &o, NULL, &out, NULL);
  jn_generated_free(&out);
  jn_model_free(model);
  jn_spec_free(spec);
  return status;
}

static void generated_code_is_limited(void **state) {
  (void)state;
  char name[JN_MAX_GENERATE_NAME + 2], chain[32];
  memset(name, 'n', sizeof name), name[JN_MAX_GENERATE_NAME + 1] = '\0';
  assert_int_not_equal(generated("pendulum", (jn_generate_options){.name = name, .inverse = 1}),
                       JN_OK);
  name[JN_MAX_GENERATE_NAME] = '\0';
  assert_ok(generated("pendulum", (jn_generate_options){.name = name, .inverse = 1}));
  assert_ok(generated("pendulum", (jn_generate_options){.inverse = 1u << JN_MAX_GENERATE_INVERSE}));
  assert_int_not_equal(
      generated("pendulum", (jn_generate_options){.inverse = 2u << JN_MAX_GENERATE_INVERSE}),
      JN_OK);
  assert_ok(generated("pendulum", (jn_generate_options){.forward = 1u << JN_MAX_GENERATE_FORWARD}));
  assert_int_not_equal(
      generated("pendulum", (jn_generate_options){.forward = 2u << JN_MAX_GENERATE_FORWARD}),
      JN_OK);
  assert_ok(
      generated("pendulum", (jn_generate_options){.kinematics = 1u << JN_MAX_GENERATE_KINEMATICS}));
  assert_int_not_equal(
      generated("pendulum", (jn_generate_options){.kinematics = 2u << JN_MAX_GENERATE_KINEMATICS}),
      JN_OK);
  assert_ok(
      generated("pendulum", (jn_generate_options){.partials = 1u << JN_MAX_GENERATE_PARTIALS}));
  assert_int_not_equal(
      generated("pendulum", (jn_generate_options){.partials = 2u << JN_MAX_GENERATE_PARTIALS}),
      JN_OK);
  snprintf(chain, sizeof chain, "chain:%d", JN_MAX_GENERATE_LINKS);
  assert_ok(generated(chain, (jn_generate_options){.inverse = 1}));
  snprintf(chain, sizeof chain, "chain:%d", JN_MAX_GENERATE_LINKS + 1);
  assert_int_not_equal(generated(chain, (jn_generate_options){.inverse = 1}), JN_OK);
}

static void long_messages_are_cut(void **state) {
  (void)state;
  char name[JN_MAX_NAME + 1], path[2 * JN_MAX_PATH], text[2000];
  jn_spec *spec = NULL;
  jn_error error;
  memset(name, 'n', sizeof name), name[JN_MAX_NAME] = '\0';
  memset(path, 'p', sizeof path), path[sizeof path - 1] = '\0';
  snprintf(text, sizeof text,
           "<robot><link name='%s'/><joint name='%s' type='%s'><parent link='%s'/></joint></robot>",
           name, name, name, name);
  memset(&error, 1, sizeof error);
  assert_status(jn_spec_parse_urdf(text, strlen(text), path, NULL, &spec, &error), JN_ERR_SYNTAX);
  assert_true(strnlen(error.message, JN_MAX_MESSAGE) < JN_MAX_MESSAGE);
  assert_true(strnlen(error.file, JN_MAX_PATH) < JN_MAX_PATH);
}

/* every limit is a name that some test mentions */
static char *all_tests;

static void gather(const char *path) {
  const char *dot = strrchr(path, '.');
  if (!dot || strcmp(dot, ".c") != 0) return;
  char *text = slurp(path, NULL);
  all_tests = realloc(all_tests, strlen(all_tests) + strlen(text) + 1);
  strcat(all_tests, text);
  free(text);
}

static void every_limit_has_a_test(void **state) {
  (void)state;
  char *header = slurp(TEST_INCLUDE "/jounce/limits.h", NULL);
  int limits = 0;
  all_tests = calloc(1, 1);
  walk_folder(TEST_DATA "/..", gather);
  for (char *at = header; (at = strstr(at, "#define JN_MAX_")) != NULL;) {
    char name[64];
    at += strlen("#define ");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
    if (!strstr(all_tests, name)) fail_msg("no test mentions %s", name);
    limits++;
  }
  assert_true(limits > 15);
  free(header), free(all_tests);
}

int main(int argc, char **argv) {
  full = argc > 1 && strcmp(argv[1], "--full") == 0;
  /* freed memory stays with the program: page faults of new memory are not measured */
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heap_of_the_corpus),
      cmocka_unit_test(hostile_files_cost_little),
      cmocka_unit_test(tables_and_motions_cost_what_their_bytes_allow),
      cmocka_unit_test(the_stack_does_not_grow_with_depth),
      cmocka_unit_test(limits_of_motions_hold_on_both_sides),
      cmocka_unit_test(frames_are_limited),
      cmocka_unit_test(generated_code_is_limited),
      cmocka_unit_test(long_messages_are_cut),
      cmocka_unit_test(every_limit_has_a_test),
  };
  const int failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
  printf(
      "score {\"line\": 10, \"measured\": \"memory %.1f x the file; %.3f s/MB; twice the file "
      "takes "
      "%.2f x the time; the stack does not grow\", \"detail\": \"worst of memory: %s; of time: %s; "
      "of growth: %s\", \"target\": \"<= 32 x + 1 MiB; <= 1 s/MB; <= %g x; stack independent of "
      "depth\", \"pass\": %s}\n",
      worst_heap, worst_seconds, worst_ratio, heap_name, seconds_name, ratio_name, most_growth(),
      failed ? "false" : "true");
  return failed;
}
