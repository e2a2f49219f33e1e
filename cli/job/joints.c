/* joints.c: the joints that --joints names, and lists of degrees of freedom. */
#include "job/joints.h"

#include <string.h>

#include "output/names.h"

int cli_matches(const char *pattern, const char *name) {
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
          cli_matches(name, cli_joint_name(job->model, i)))
        (*shown)[i] = 1, found++;
    if (!found)
      return cli_bad_input("%s: --joints: %s has no joint '%s' that moves%s", job->command,
                           job->model_path, name,
                           cli_suggest(name, cli_joint_words(job->model), hint, sizeof hint));
  }
  return CLI_DONE;
}

int cli_dofs_find(cli_job *job, const char *option, const char *list, unsigned char *found) {
  char hint[1024], *rest = NULL;
  const char *const *dofs = cli_job_dofs(job);
  const int nv = jn_model_nv(job->model);
  char *text = cli_take(&job->result.memory, strlen(list) + 1, 1);
  if (!text || !dofs) return CLI_BAD_INPUT;
  strcpy(text, list);
  for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    int count = 0;
    for (int i = 0; i < nv; i++)
      if (cli_matches(name, dofs[i])) found[i] = 1, count++;
    if (!count)
      return cli_bad_input("%s: %s: %s has no degree of freedom '%s'%s", job->command, option,
                           job->model_path, name,
                           cli_suggest(name, cli_words_of(dofs), hint, sizeof hint));
  }
  return CLI_DONE;
}
