/* demo.c: the command `jounce demo`: its options, the table of demonstrations, progress. */
#include "demo.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "report.h"

typedef struct demo_entry {
  const char *name;
  const char *summary; /* one line of the help page names it too */
  int (*run)(const demo_options *options);
  const char *page; /* complete in itself: what --report asks for; NULL: run() writes the report */
} demo_entry;

static const demo_entry demos[] = {
    {"study", "an aerial manipulator: round trip and cost of dynamics of order 0..5", demo_study,
     NULL},
    {"jacobians", "comprehensive motion: Jacobians and N-CMTMs of a human-like robot",
     demo_jacobians, "jacobians.html"},
    {"linearization", "A and B of a floating robot against differences on the group",
     demo_linearization, "linearization.html"},
    {"integrators", "work against precision of all integrators", demo_integrators, NULL},
};

const char cli_demo_help[] =
    "usage: jounce demo [NAME] [options]\n\n"
    "NAME is one of:\n"
    "  study                  (default) the aerial manipulator of Ali et al. 2026, section 7, on\n"
    "                         the built-in robot 'tilthex': a motion of 30 s through inverse\n"
    "                         dynamics of order 5 and back through forward dynamics; the cost of\n"
    "                         a call against order and bodies, beside the published figures;\n"
    "                         writes index.html. About 20 s. Exit status 3: the relative residual\n"
    "                         in force exceeds 1e-10\n"
    "  jacobians              tables I to III and figure 6 of Samy et al. 2021 on a human-like\n"
    "                         robot of 37 degrees of freedom; writes jacobians.html. Exit status\n"
    "                         3: a relative residual above 1e-11\n"
    "  linearization          section 5 of Bos et al. 2022: a floating robot with nine joints, "
    "its\n"
    "                         exact linearisation against differences, errors beside the "
    "published\n"
    "                         ones, error against step; writes linearization.html. Exit status 3:\n"
    "                         an error above 1e-8\n"
    "  integrators            what each integrator costs at an accuracy, on a tumbling aerial\n"
    "                         manipulator and a double pendulum; no page. Exit status 3: taylor\n"
    "                         costs more than a third of rkmk54 at an error of 1e-10\n\n"
    "Each prints tables and writes CSV files in data/ and figures as SVG and PNG in figures/ (if\n"
    "gnuplot is installed: apt-get install gnuplot-nox); the pages named above open without a\n"
    "network. Each exits with status 3 when its own check fails.\n\n"
    "  --output DIR           folder to write to, made if missing; default 'jounce-demo'\n"
    "  --report FILE          also one HTML page that holds figures and numbers; interactive for "
    "the\n"
    "                         study; not for integrators\n"
    "  --quick                fewer steps and shorter measurements, a few seconds\n"
    "  --no-plots             no figures\n"
    "  --format NAME          text (default) or json: the summary on standard output\n\n"
    "example:\n"
    "  jounce demo --quick --output jounce-demo\n";

double demo_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* the line on standard error */
static struct {
  int width; /* of what stands there */
  double last;
} shown;

void demo_progress(double done, const char *what) {
  const double now = demo_seconds();
  if (isatty(STDERR_FILENO)) {
    char line[160];
    int width = snprintf(line, sizeof line, "[%3d %%] %s", (int)(100 * done), what);
    fprintf(stderr, "\r%-*s", shown.width, line);
    fflush(stderr);
    shown.width = width;
  } else if (shown.last == 0) {
    shown.last = now;
  } else if (now - shown.last > 5) {
    fprintf(stderr, "[%3d %%] %s\n", (int)(100 * done), what);
    shown.last = now;
  }
}

void demo_progress_end(void) {
  if (shown.width) fprintf(stderr, "\r%*s\r", shown.width, "");
  shown.width = 0;
  shown.last = 0;
}

FILE *demo_create(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  if (!file) cli_error("%s: cannot be written: %s", path, strerror(errno));
  return file;
}

int demo_close(FILE *file, const char *folder, const char *name) {
  int failed = ferror(file) != 0;
  if (fclose(file)) failed = 1;
  if (failed) cli_error("%s/%s: writing failed", folder, name);
  return failed ? CLI_BAD_INPUT : CLI_DONE;
}

/* A folder and those above it. */
static int make_folder(const char *path) {
  char part[4096];
  size_t n = strlen(path);
  if (n == 0 || n > sizeof part - 64) {
    cli_error("demo: --output: the name of a folder expected");
    return CLI_BAD_USAGE;
  }
  for (size_t i = 1; i <= n; i++) {
    if (path[i] != '/' && path[i] != '\0') continue;
    memcpy(part, path, i);
    part[i] = '\0';
    struct stat about;
    if (mkdir(part, 0777) == 0 || (stat(part, &about) == 0 && S_ISDIR(about.st_mode))) continue;
    cli_error("%s: the folder cannot be made: %s", part, strerror(errno));
    return CLI_BAD_INPUT;
  }
  return CLI_DONE;
}

static int make_folders(const char *output) {
  static const char *const below[] = {"", "/data", "/figures"};
  for (int i = 0; i < COUNT(below); i++) {
    char path[8192];
    snprintf(path, sizeof path, "%s%s", output, below[i]);
    int code = make_folder(path);
    if (code) return code;
  }
  return CLI_DONE;
}

static const char *demo_name(const void *context, int index) {
  (void)context;
  return demos[index].name;
}

static const demo_entry *find_demo(const char *name) {
  for (int i = 0; i < COUNT(demos); i++) {
    if (strcmp(demos[i].name, name) == 0) return &demos[i];
  }
  char hint[512];
  cli_words words = {demo_name, NULL, COUNT(demos)};
  cli_error("demo: '%s' is no demonstration%s", name, cli_suggest(name, words, hint, sizeof hint));
  return NULL;
}

/* The page of a demonstration under another name. */
static int copy_page(const char *folder, const char *page, const char *to) {
  char from[8192], block[65536];
  snprintf(from, sizeof from, "%s/%s", folder, page);
  FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
  size_t n;
  int failed = !in || !out;
  while (!failed && (n = fread(block, 1, sizeof block, in)) > 0)
    failed = fwrite(block, 1, n, out) != n;
  if (in && (ferror(in) || fclose(in))) failed = 1;
  if (out && fclose(out)) failed = 1;
  if (failed) cli_error("%s: cannot be written: %s", to, strerror(errno));
  return failed ? CLI_BAD_INPUT : CLI_DONE;
}

int cli_demo(int argc, char **argv) {
  demo_options options = {"jounce-demo", 0, 0, CLI_TABLE, NULL};
  const cli_option table[] = {CLI_OPT_TEXT("output", &options.output),
                              CLI_OPT_TEXT("report", &options.report),
                              CLI_OPT_FLAG("quick", &options.quick, 1),
                              CLI_OPT_FLAG("no-plots", &options.no_plots, 1),
                              CLI_OPT_CHOICE("format", &options.format, cli_format_names),
                              CLI_OPT_FLAG("text", &options.format, CLI_TABLE)};
  const char *name = demos[0].name;
  if (cli_parse(table, COUNT(table), argc, argv, &name, 1) < 0) return CLI_BAD_USAGE;
  const demo_entry *demo = find_demo(name);
  if (!demo) return CLI_BAD_USAGE;
  if (options.format != CLI_TABLE && options.format != CLI_JSON) {
    cli_error("demo: --format %s is not offered here (see 'jounce demo --help')",
              cli_format_names[options.format]);
    return CLI_BAD_USAGE;
  }
  if (options.report && demo->run != demo_study && !demo->page) {
    cli_error("demo: '%s' has no page for --report", name);
    return CLI_BAD_USAGE;
  }
  int code = options.report ? report_check_path(options.report) : CLI_DONE;
  if (!code) code = make_folders(options.output);
  if (code) return code;
  code = demo->run(&options);
  if (options.report && demo->page && (code == CLI_DONE || code == CLI_CHECK_FAILED)) {
    int copied = copy_page(options.output, demo->page, options.report);
    if (copied) code = copied;
  }
  return code;
}
