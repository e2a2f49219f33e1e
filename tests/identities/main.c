/* main.c: runs the identities, laws that must hold for every robot, and their negative controls.
 *
 *   identities [--quick | --full | --laws] [--only N] [--cases N] [--seed S]
 *
 * The same program linked to a library with planted faults (identities_faulty, see faults.txt)
 * runs the controls: with fault N, identity N must fail. A case that fails is made smaller and
 * written as a model and a state, which `jounce id` reads. Those in tests/data/regressions are
 * run first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "identities/identities.h"
#include "identities/regression.h"

extern int jn_fault __attribute__((weak));
extern const unsigned char jn_planted[64] __attribute__((weak));

enum { COUNT_ALL = 46 };
static const identity *table[COUNT_ALL + 1];

static void fill_table(void) {
  const identity *const groups[] = {identities_exact, identities_trees,      identities_laws,
                                    identities_rates, identities_quantities, identities_outputs,
                                    identities_other};
  for (size_t g = 0; g < COUNT(groups); g++)
    for (const identity *i = groups[g]; i->run; i++) table[i->number] = i;
}

/* The parameters of a case. */
typedef struct recipe {
  uint64_t seed;
  int bodies, order;
  int digits; /* of the state; 0: all */
} recipe;

static const jn_joint_type bases[] = {JN_JOINT_FREE,      JN_JOINT_FIXED,      JN_JOINT_REVOLUTE,
                                      JN_JOINT_FREE,      JN_JOINT_PLANAR,     JN_JOINT_HELICAL,
                                      JN_JOINT_FIXED,     JN_JOINT_SPHERICAL,  JN_JOINT_PRISMATIC,
                                      JN_JOINT_UNIVERSAL, JN_JOINT_CYLINDRICAL};

static recipe recipe_of(const identity *id, uint64_t seed) {
  rng g = rng_new(seed ^ (uint64_t)id->number << 32);
  recipe c = {seed, 1 + rng_below(&g, id->bodies), 0, 0};
  c.order = id->lowest + rng_below(&g, id->highest - id->lowest + 1);
  return c;
}

static double rounded(double x, int digits) {
  char text[40];
  snprintf(text, sizeof text, "%.*g", digits, x);
  return strtod(text, NULL);
}

static subject subject_of(const identity *id, recipe c) {
  subject s;
  memset(&s, 0, sizeof s);
  jn_joint_type base = id->base >= 0 ? (jn_joint_type)id->base : bases[c.seed % COUNT(bases)];
  if (id->base < 0 && !(id->types & 1u << base) && base != JN_JOINT_FIXED && base != JN_JOINT_FREE)
    base = JN_JOINT_FIXED;
  s.seed = c.seed;
  s.random = rng_new(c.seed ^ 0xFACE);
  s.r = robot_new(random_spec(c.seed, c.bodies, base, id->types), c.order, c.seed,
                  c.seed % 3 ? 1.5 : 4);
  if (!c.digits) return s;
  for (int i = 0; i < s.r.nbody; i++) {
    const jn_joint *j = jn_model_joint(s.r.model, i);
    int ball = j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_FREE;
    for (int d = ball ? 4 : 0; d < j->nq; d++)
      s.r.q[j->iq + d] = rounded(s.r.q[j->iq + d], c.digits);
  }
  for (size_t i = 0; i < s.r.n + (size_t)s.r.nv; i++) s.r.v[i] = rounded(s.r.v[i], c.digits);
  return s;
}

static subject run_case(const identity *id, recipe c) {
  subject s = subject_of(id, c);
  check_seed(c.seed);
  if (s.r.nv) id->run(&s);
  return s;
}

static int is_red(const identity *id, recipe c) {
  subject s = run_case(id, c);
  int red = s.worst > 1;
  robot_free(&s.r);
  return red;
}

/* Fewer bodies, lower order, rounder numbers, as long as it still fails. */
static recipe shrink(const identity *id, recipe c) {
  for (int changed = 1; changed;) {
    recipe t = c;
    changed = 0;
    for (t.bodies = 1; t.bodies < c.bodies && !changed; t.bodies++)
      if (is_red(id, t)) c = t, changed = 1;
    t = c;
    for (t.order = id->lowest; t.order < c.order && !changed; t.order++)
      if (is_red(id, t)) c = t, changed = 1;
    t = c;
    for (t.digits = 1; t.digits < (c.digits ? c.digits : 6) && !changed; t.digits++)
      if (is_red(id, t)) c = t, changed = 1;
  }
  return c;
}

static void report(const identity *id, const subject *s, recipe c) {
  printf("FAILS %2d %s: %s: %.3g, at most %.3g is accepted (seed %llu, %d bodies, order %d)\n",
         id->number, id->name, s->what, s->error, s->bound, (unsigned long long)c.seed, c.bodies,
         c.order);
  recipe small = shrink(id, c);
  subject t = run_case(id, small);
  subject fresh = subject_of(id, small);
  char name[64];
  snprintf(name, sizeof name, "identity%d_%llu", id->number, (unsigned long long)c.seed);
  printf(
      "   smallest: %d bodies, order %d, %d digits: %s: %.3g; written as %s.json and "
      "%s.state.json\n",
      small.bodies, small.order, small.digits, t.what, t.error, name, name);
  regression_write(name, &fresh.r);
  robot_free(&t.r), robot_free(&fresh.r);
}

/* One identity on many cases; returns whether it holds. */
static int run_identity(const identity *id, int cases, uint64_t seed, long *checks) {
  double worst = 0;
  int failures = 0;
  long count = 0;
  char what[64] = "";
  for (int n = 0; n < cases && failures < 3; n++) {
    recipe c = recipe_of(id, seed + (uint64_t)n);
    subject s = run_case(id, c);
    count += s.checks;
    if (s.worst > worst) {
      worst = s.worst;
      snprintf(what, sizeof what, "%s", s.what);
    }
    if (s.worst > 1) failures++, report(id, &s, c);
    robot_free(&s.r);
  }
  printf("%2d %c %-36s %9ld checks, worst %8.2g of its bound (%s)%s\n", id->number, id->kind,
         id->name, count, worst, what, failures ? "  FAILS" : "");
  fflush(stdout);
  *checks += count;
  return failures == 0 && count > 0;
}

/* Runs every identity that applies to the robot on a state from a file. */
static int replay(const char *name, robot *r, long *checks) {
  int good = 1;
  unsigned types = 0;
  for (int i = 1; i < r->nbody; i++) types |= 1u << jn_model_joint(r->model, i)->type;
  for (int n = 1; n <= COUNT_ALL; n++) {
    const identity *id = table[n];
    jn_joint_type base = jn_model_joint(r->model, 0)->type;
    if (!id || (types & ~id->types) || (id->base >= 0 && base != (jn_joint_type)id->base) ||
        r->order < id->lowest)
      continue;
    subject s;
    memset(&s, 0, sizeof s);
    s.r = *r, s.seed = 1, s.random = rng_new(1);
    id->run(&s);
    *r = s.r;
    *checks += s.checks;
    if (s.worst > 1) {
      printf("FAILS %2d %s on %s: %s: %.3g, at most %.3g\n", n, id->name, name, s.what, s.error,
             s.bound);
      good = 0;
    }
  }
  return good;
}

/* ---- controls ---- */

/* In a child process, since a fault may end the program. 1: the identity failed, as it must. */
static int control(const identity *id, uint64_t seed) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(3);
    jn_fault = id->number;
    for (uint64_t n = 0; n < 40; n++)
      if (is_red(id, recipe_of(id, seed + n))) _exit(1);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 0;
  /* a failed check inside the helpers also ends with a status; a crash does not count */
  return WIFEXITED(status) && WEXITSTATUS(status) != 0;
}

static int run_controls(uint64_t seed, int only) {
  int red = 0, all = 0;
  for (int n = 1; n <= COUNT_ALL; n++) {
    if (!table[n] || (only && only != n)) continue;
    all++;
    int planted = jn_planted[n], failed = planted && control(table[n], seed);
    red += failed;
    printf("%2d %-36s %s\n", n, table[n]->name,
           !planted ? "NO FAULT PLANTED: its text is not in the sources any more (faults.txt)"
           : failed ? "fails with its fault, as it must"
                    : "HOLDS IN SPITE OF ITS FAULT");
  }
  printf("controls %d of %d\n", red, all);
  return red;
}

/* the program with faults is in the same folder */
static int red_controls(const char *self) {
  char line[4096];
  int red = 0, all = 0;
  const char *slash = strrchr(self, '/');
  snprintf(line, sizeof line, "%.*sidentities_faulty --controls",
           slash ? (int)(slash - self) + 1 : 0, self);
  FILE *pipe = popen(line, "r");
  if (!pipe) return 0;
  while (fgets(line, sizeof line, pipe)) {
    if (sscanf(line, "controls %d of %d", &red, &all) != 2 && strstr(line, "as it must") == NULL)
      fputs(line, stdout);
  }
  pclose(pipe);
  return red;
}

static void usage(void) {
  fputs(
      "usage: identities [--quick | --full | --laws] [--only N] [--cases N] [--seed S]\n"
      "       identities_faulty [--controls | --fault N ...]\n",
      stderr);
  exit(2);
}

int main(int argc, char **argv) {
  int cases = 12, only = 0, controls = 0, full = 0, laws = 0;
  uint64_t seed = 1;
  long checks = 0;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--quick"))
      cases = 12;
    else if (!strcmp(argv[i], "--full"))
      cases = 1200, full = 1;
    else if (!strcmp(argv[i], "--laws")) /* without the controls */
      laws = 1;
    else if (!strcmp(argv[i], "--controls"))
      controls = 1;
    else if (!strcmp(argv[i], "--fault") && &jn_fault)
      jn_fault = atoi(value), i++;
    else if (!strcmp(argv[i], "--only"))
      only = atoi(value), i++;
    else if (!strcmp(argv[i], "--cases"))
      cases = atoi(value), i++;
    else if (!strcmp(argv[i], "--seed"))
      seed = strtoull(value, NULL, 10), i++;
    else
      usage();
  }
  if (cases < 1 || only < 0 || only > COUNT_ALL) usage();
  fill_table();
  if (controls) {
    if (!&jn_fault) return fputs("this library has no faults: use identities_faulty\n", stderr), 2;
    return run_controls(seed, only) == (only ? 1 : COUNT_ALL) ? 0 : 3;
  }
  int holding = 0, families = 0, replayed = 0;
  int good = regressions_replay(replay, &checks, &replayed);
  printf("seed %llu, %d regression files\n", (unsigned long long)seed, replayed);
  for (int n = 1; n <= COUNT_ALL; n++) {
    if (!table[n] || (only && only != n)) continue;
    families++;
    holding += run_identity(table[n], table[n]->number == 33 ? 1 : cases, seed, &checks);
  }
  good &= holding == families && families > 0;
  if (only || laws) return good ? 0 : 3;
  int red = red_controls(argv[0]);
  int pass = good && families == COUNT_ALL && red == COUNT_ALL && (!full || checks >= 10000000);
  printf(
      "score {\"line\": 3, \"measured\": \"%d of %d families hold, %.3g checks, %d of %d controls "
      "fail as they must\", \"target\": \"%d of %d; >= 1e7 checks in the full run; %d of %d "
      "controls\", \"pass\": %s, \"checks\": %ld, \"controls\": %d, \"seed\": %llu}\n",
      holding, COUNT_ALL, (double)checks, red, COUNT_ALL, COUNT_ALL, COUNT_ALL, COUNT_ALL,
      COUNT_ALL, pass ? "true" : "false", checks, red, (unsigned long long)seed);
  return pass ? 0 : 3;
}
