/* joints.c: the joints that --joints names. */
#include "job/joints.h"

#include <string.h>

#include "output/names.h"

/* Does the pattern, in which '*' stands for any text, describe the whole name? */
static int matches(const char *pattern, const char *name) {
  const char *star = NULL, *from = name;
  while (*name) {
    if (*pattern == '*')
      star = pattern++, from = name;
    else if (*pattern == *name)
      pattern++, name++;
    else if (star)
      pattern = star + 1, name = ++from;
    else
      return 0;
  }
  return pattern[strspn(pattern, "*")] == '\0';
}

int cli_joints_find(cli_job *job, unsigned char **shown) {
  char hint[1024], *rest = NULL;
  *shown = NULL;
  if (!job->joints) return CLI_DONE;
  const int n = jn_model_body_count(job->model);
  char *text = cli_take(&job->result.memory, strlen(job->joints) + 1, 1);
  *shown = cli_take(&job->result.memory, (size_t)n, 1);
  if (!text || !*shown) return CLI_BAD_INPUT;
  strcpy(text, job->joints);
  for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    int found = 0;
    for (int i = 0; i < n; i++)
      if ((jn_model_joint(job->model, i)->nv > 0 || jn_model_joint(job->model, i)->leader >= 0) &&
          matches(name, cli_joint_name(job->model, i)))
        (*shown)[i] = 1, found++;
    if (!found)
      return cli_bad_input("%s: --joints: %s has no joint '%s' that moves%s", job->command,
                           job->model_path, name,
                           cli_suggest(name, cli_joint_words(job->model), hint, sizeof hint));
  }
  return CLI_DONE;
}
