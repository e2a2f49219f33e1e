/* demo_study.c: the study from start to end. */
#include "demo.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"

/* The processor's name where the system tells it. */
static void name_processor(char *out, size_t size) {
  char line[512];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(out, size, "this machine");
  while (file && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    colon += strspn(colon, ": \t");
    colon[strcspn(colon, "\n")] = '\0';
    snprintf(out, size, "%s", colon);
    break;
  }
  if (file) fclose(file);
}

static int measure(study *s) {
  int code = study_run_round(s->options.quick, &s->round);
  if (code == CLI_DONE) code = study_run_cost(s->options.quick, &s->cost);
  return code;
}

static int write_all(study *s, const sheet *sheets) {
  int code = study_write_csv(s);
  if (code == CLI_DONE) {
    demo_progress(0.92, "figures");
    code = study_draw(s);
  }
  if (code == CLI_DONE) code = study_write_page(s, sheets);
  if (code == CLI_DONE && s->options.report) code = study_write_report(s, sheets);
  demo_progress_end();
  if (code) return code;
  if (s->options.format == CLI_JSON) return study_write_json(s);
  study_write_text(stdout, s, sheets);
  if (fflush(stdout) == 0 && !ferror(stdout)) return CLI_DONE;
  cli_error("standard output: writing failed");
  return CLI_BAD_INPUT;
}

int demo_study(const demo_options *options) {
  study *s = calloc(1, sizeof *s);
  sheet sheets[STUDY_SHEETS];
  if (!s) {
    cli_error("%s", jn_status_text(JN_ERR_MEMORY));
    return CLI_BAD_INPUT;
  }
  const double start = demo_seconds();
  memset(sheets, 0, sizeof sheets);
  s->options = *options;
  name_processor(s->processor, sizeof s->processor);
  int code = measure(s);
  s->seconds = demo_seconds() - start;
  if (code == CLI_DONE) code = study_sheets(s, sheets);
  if (code == CLI_DONE) code = write_all(s, sheets);
  demo_progress_end();
  if (code == CLI_DONE && !(s->round.worst <= STUDY_LIMIT)) {
    cli_error("demo: the relative residual in force is %.2g; at most %.0e expected", s->round.worst,
              STUDY_LIMIT);
    code = CLI_CHECK_FAILED;
  }
  for (int i = 0; i < STUDY_SHEETS; i++) sheet_free(&sheets[i]);
  study_round_free(&s->round);
  free(s);
  return code;
}
