/* demo.c: the command `jounce demo`: options, progress, and the steps of the study. */
#include "demo/demo.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "output/message.h"
#include "options.h"
#include "output/progress.h"
#include "output/report.h"

const char cli_demo_help[] =
    "usage: jounce demo [study] [options]\n\n"
    "Runs the aerial-manipulator study of Ali et al. 2026, section 7, on the built-in robot\n"
    "'tilthex': a motion of 30 s through inverse dynamics of order 5 and back through forward\n"
    "dynamics, and the time per call against order and number of bodies, compared with the\n"
    "published times. Takes about 20 s.\n\n"
    "Prints tables. Writes index.html (opens without a network), CSV files to data/, and figures\n"
    "as SVG and PNG to figures/ (needs gnuplot: apt-get install gnuplot-nox). Exit status 3: the\n"
    "relative force residual exceeds 1e-10.\n\n"
    "  --output DIR           output folder, created if missing; default 'jounce-demo'\n"
    "  --report FILE          also write one HTML page with interactive figures and all numbers\n"
    "  --quick                fewer steps and shorter measurements; takes a few seconds\n"
    "  --no-plots             draw no figures\n"
    "  --format NAME          format of the summary: text (default) or json\n\n"
    "The studies of Jacobians, linearisation and integrators are programs in examples/.\n\n"
    "example:\n"
    "  jounce demo --quick --output jounce-demo\n";

/* The name of the processor, or "this machine". */
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

/* Writes a table or cells to data/NAME. */
static int write_file(const study *s, const char *name, const jn_table *table,
                      const cli_cells *cells) {
  char path[4096];
  const cli_output_options options = {.format = CLI_CSV, .path = path};
  cli_output out;
  snprintf(path, sizeof path, "%s/data/%s", s->options.output, name);
  int code = cli_output_open(&out, &options, "demo", 0);
  if (code) return code;
  if (table) jn_table_print(table, JN_TABLE_CSV, out.file);
  if (cells) cli_cells_csv(out.file, cells);
  return cli_output_close(&out);
}

static int write_all(study *s) {
  const cli_output_options options = {.format = s->options.format};
  cli_output out;
  int code = study_tables(s);
  for (int i = 0; i < STUDY_SERIES && !code; i++)
    code = write_file(s, study_series_names[i], s->round.series[i].sheet.table, NULL);
  for (int i = TABLES_SHOWN; i < STUDY_TABLES && !code; i++)
    code = write_file(s, study_table_names[i], NULL, &s->tables[i]);
  if (!code) code = study_write_pages(s);
  cli_progress_end();
  if (!code) code = cli_output_open(&out, &options, "demo", 0);
  if (code) return code;
  if (out.format == CLI_JSON)
    study_write_json(&out, s);
  else
    study_write_text(out.file, s);
  return cli_output_close(&out);
}

static int run(const demo_options *options) {
  study *s = calloc(1, sizeof *s);
  if (!s) return cli_bad_input("%s", jn_status_text(JN_ERR_MEMORY));
  s->options = *options;
  name_processor(s->processor, sizeof s->processor);
  int code = study_run_round(options->quick, &s->round);
  if (!code) code = study_run_cost(options->quick, &s->cost);
  if (!code) code = study_run_baseline(options->quick, &s->baseline);
  if (!code) code = write_all(s);
  cli_progress_end();
  if (!code && !(s->round.worst <= STUDY_LIMIT)) {
    cli_error("demo: the relative force residual is %.2g; expected at most %.0e", s->round.worst,
              STUDY_LIMIT);
    code = CLI_CHECK_FAILED;
  }
  for (int i = 0; i < STUDY_TABLES; i++) cli_cells_free(&s->tables[i]);
  for (int i = 0; i < STUDY_SERIES; i++) cli_sheet_free(&s->round.series[i].sheet);
  free(s->cost.points);
  free(s);
  return code;
}

int cli_demo(int argc, char **argv) {
  static const char *const names[] = {"study", NULL};
  demo_options options = {"jounce-demo", 0, 0, CLI_TABLE, NULL};
  const cli_option table[] = {CLI_OPT_TEXT("output", &options.output),
                              CLI_OPT_OUTPUT("report", &options.report),
                              CLI_OPT_FLAG("quick", &options.quick, 1),
                              CLI_OPT_FLAG("no-plots", &options.no_plots, 1),
                              CLI_OPT_CHOICE("format", &options.format, cli_format_names),
                              CLI_OPT_FLAG("text", &options.format, CLI_TABLE)};
  const char *name = names[0];
  if (cli_parse(table, COUNT(table), argc, argv, &name, 1) < 0) return CLI_BAD_USAGE;
  if (strcmp(name, names[0]) != 0) {
    char hint[512];
    return cli_bad_usage("demo: '%s' is not a known demo%s", name,
                         cli_suggest(name, cli_words_of(names), hint, sizeof hint));
  }
  if (options.format != CLI_TABLE && options.format != CLI_JSON)
    return cli_bad_usage("demo: --format %s is not offered here (see 'jounce demo --help')",
                         cli_format_names[options.format]);
  int code = options.report ? cli_file_check(options.report) : CLI_DONE;
  if (!code) code = plot_folders("demo: --output", options.output);
  return code ? code : run(&options);
}
