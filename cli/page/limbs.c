/* limbs.c: limbs and limits of the joints of a chart. */
#include "page/limbs.h"

#include <ctype.h>
#include <jounce/motion_limits.h>
#include <math.h>
#include <string.h>

enum { BODIES_MOST = 2000 }; /* of larger models columns are not grouped */

/* A limb is a chain of bodies from a branch of the tree to its end, or to the next branch where two or
 * more chains of two or more bodies begin. limb[i]: its first body. */
static void find_limbs(const jn_model *model, int n, int *limb, int *below, int *branches) {
  for (int i = 0; i < n; i++) below[i] = 1, branches[i] = 0;
  for (int i = n - 1, p; i > 0; i--)
    if ((p = jn_model_body(model, i)->parent) >= 0) below[p] += below[i];
  for (int i = 1, p; i < n; i++)
    if ((p = jn_model_body(model, i)->parent) >= 0) branches[p] += below[i] > 1;
  for (int i = 0; i < n; i++) {
    const int p = jn_model_body(model, i)->parent;
    const int begins =
        p < 0 || (p == 0 && jn_model_joint(model, 0)->nv != 1) || (branches[p] > 1 && below[i] > 1);
    limb[i] = begins ? i : limb[p];
  }
}

/* What the names of a limb's joints have in common ("left_arm"), else, or if `whole`, the first and the
 * last. */
static const char *limb_name(cli_memory *m, const jn_model *model, int n, const int *limb,
                             int which, int whole) {
  const char *first = NULL, *last = NULL;
  size_t common = 0;
  for (int i = 0; i < n; i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (limb[i] != which || j->nv == 0) continue;
    if (!first) first = j->name, common = strlen(first);
    last = j->name;
    while (strncmp(first, last, common) != 0) common--;
  }
  if (!first) return "";
  if (first == last) return first;
  size_t word = common, inner = 0;
  while (word && !isalnum((unsigned char)first[word - 1])) word--;
  if (word > 6 && strncmp(first + word - 6, "_joint", 6) == 0) word -= 6; /* "panda_joint1" */
  for (size_t i = 0; i < word; i++) inner += !isalnum((unsigned char)first[i]);
  const int plain = word == 5 && strncmp(first, "joint", 5) == 0;
  if (!whole && (inner || (word > 1 && word < common && !plain)))
    return cli_take_text(m, "%.*s", (int)word, first);
  return cli_take_text(m, "%s ... %s", first, last);
}

/* The joint of a column: "tau:elbow'" belongs to "elbow", "base:qw" to "base"; -1: none. */
static int joint_of(const jn_model *model, const char *column) {
  char bare[1024];
  snprintf(bare, sizeof bare, "%s", column);
  char *high = strstr(bare, "^(");
  if (high) *high = '\0';
  for (size_t n = strlen(bare); n && bare[n - 1] == '\''; n--) bare[n - 1] = '\0';
  for (char *at = bare; at; at = strchr(at, ':'), at = at ? at + 1 : NULL) {
    char *colon = strchr(at, ':');
    int joint = jn_model_find_joint(model, at);
    if (joint < 0 && colon) {
      *colon = '\0', joint = jn_model_find_joint(model, at), *colon = ':';
      if (joint >= 0 && jn_model_joint(model, joint)->nv < 2) joint = -1;
    }
    if (joint >= 0) return joint;
  }
  return -1;
}

/* The quantity of a figure; JN_LIMIT_KINDS: none with limits. */
static jn_limit_kind kind_of(const char *title) {
  static const struct {
    const char *title;
    jn_limit_kind kind;
  } known[] = {{"joint position", JN_LIMIT_POSITION},
               {"joint angle", JN_LIMIT_POSITION},
               {"joint displacement", JN_LIMIT_POSITION},
               {"joint velocity", JN_LIMIT_VELOCITY},
               {"joint rate", JN_LIMIT_VELOCITY},
               {"joint acceleration", JN_LIMIT_ACCELERATION},
               {"joint jerk", JN_LIMIT_JERK},
               {"joint torque", JN_LIMIT_EFFORT},
               {"joint force", JN_LIMIT_EFFORT},
               {"joint torque rate", JN_LIMIT_EFFORT_RATE},
               {"joint force rate", JN_LIMIT_EFFORT_RATE}};
  const char *end = strstr(title, " (prismatic)");
  const size_t n = end ? (size_t)(end - title) : strlen(title);
  for (int i = 0; i < COUNT(known); i++)
    if (strlen(known[i].title) == n && strncmp(known[i].title, title, n) == 0) return known[i].kind;
  return JN_LIMIT_KINDS;
}

int cli_chart_limbs(chart *c, cli_job *job) {
  const jn_model *model = job->model;
  const int n = jn_model_body_count(model);
  cli_memory *m = &job->result.memory;
  if (!model || n > BODIES_MOST) return CLI_DONE;
  const size_t bodies = (size_t)n, columns = (size_t)c->columns;
  int *limb = cli_take(m, bodies, sizeof *limb), *below = cli_take(m, bodies, sizeof *below),
      *branches = cli_take(m, bodies, sizeof *branches),
      *group_of = cli_take(m, columns, sizeof *group_of), groups = 1, again = 0;
  const char **group = cli_take(m, bodies + 1, sizeof *group),
             **label = cli_take(m, columns, sizeof *label);
  double *limit = cli_take_numbers(m, columns, 2, 1);
  jn_limit_range *range = cli_take(m, (size_t)jn_limit_rows(model) * JN_LIMIT_KINDS, sizeof *range);
  if (!limb || !below || !branches || !group_of || !group || !label || !limit || !range)
    return CLI_BAD_INPUT;
  if (jn_model_limits(model, range)) return CLI_DONE;
  find_limbs(model, n, limb, below, branches);
  group[0] = ""; /* what belongs to no joint */
  for (int i = 0; i < n; i++)
    below[i] = limb[i] == i ? groups++ : below[limb[i]]; /* the group of a body */
  for (int i = 0; i < n; i++) {
    if (limb[i] != i) continue;
    group[below[i]] = limb_name(m, model, n, limb, i, 0);
    int same = 0; /* two limbs: no common name is the name of either */
    for (int k = 1; k < below[i]; k++) same |= strcmp(group[k], group[below[i]]) == 0;
    if (same) again = 1;
  }
  for (int i = 0; i < n && again; i++)
    if (limb[i] == i) group[below[i]] = limb_name(m, model, n, limb, i, 1);
  for (int i = 0; i < c->columns; i++) {
    const int joint = joint_of(model, c->names[i]);
    const jn_limit_kind kind =
        c->figure_of[i] >= 0 ? kind_of(c->figure[c->figure_of[i]].title) : JN_LIMIT_KINDS;
    group_of[i] = joint >= 0 ? below[joint] : chart_is_limit(c, i) ? CHART_SHARED : 0;
    limit[2 * i] = -HUGE_VAL, limit[2 * i + 1] = HUGE_VAL;
    label[i] = c->names[i];
    if (joint >= 0 && jn_model_joint(model, joint)->nv == 1)
      label[i] = jn_model_joint(model, joint)->name; /* the title says of what */
    if (joint < 0 || jn_model_joint(model, joint)->nv != 1 || kind == JN_LIMIT_KINDS) continue;
    const jn_limit_range *r = &range[jn_model_joint(model, joint)->iv * JN_LIMIT_KINDS + (int)kind];
    limit[2 * i] = r->low, limit[2 * i + 1] = r->high;
  }
  if (!c->labels) c->labels = label;
  c->group_of = group_of, c->group = group, c->groups = groups, c->limit = limit;
  return CLI_DONE;
}
