/* page.c: what the pages of commands have in common. */
#include "page/page.h"

#include <string.h>

#include "io/file.h"
#include "page/limbs.h"
#include "page/scene.h"

int cli_check_pictures(const char *command, const char *plot, const char *report) {
  const char *ending = report ? jn_file_ending(report) : NULL;
  if (ending && jn_same_ending(ending, ".pdf"))
    return cli_bad_usage(
        "%s: --report writes one HTML page, no PDF: give %.*s.html, open it and print it to a "
        "file, or: "
        "chromium --headless --print-to-pdf=%s %.*s.html",
        command, (int)(ending - report), report, report, (int)(ending - report), report);
  int code = plot ? cli_file_check(plot) : CLI_DONE;
  return code || !report ? code : cli_file_check(report);
}

/* The command line, quoted where the shell needs it. */
static void write_command(FILE *page, const cli_job *job) {
  static const char safe[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  char one[2] = {0};
  fputs("<code>jounce", page);
  for (int i = 0; i < job->argc; i++) {
    const char *text = job->argv[i];
    const int plain = text[0] && text[strspn(text, safe)] == '\0';
    fputs(plain ? " " : " '", page);
    for (; *text; text++) {
      one[0] = *text;
      report_text(page, *text == '\'' ? "'\\''" : one);
    }
    if (!plain) fputc('\'', page);
  }
  fputs("</code>", page);
}

static void write_facts(FILE *page, const cli_job *job, const cli_page *about) {
  const jn_model *m = job->model;
  char text[256];
  fputs("<dl class=\"facts\">\n", page);
  snprintf(text, sizeof text, ", %d bodies, %d degrees of freedom, %.6g kg", jn_model_body_count(m),
           jn_model_nv(m), jn_model_mass(m));
  report_fact(page, "Model", jn_model_name(m), text);
  report_fact(page, "File", job->model_path, "");
  if (about->facts) about->facts(page, about->context);
  fputs("<dt>Command</dt><dd>", page);
  write_command(page, job);
  fputs("</dd>\n</dl>\n", page);
}

static int draw(cli_job *job, const char *plot, chart c) {
  int code = cli_chart_limbs(&c, job);
  return code ? code : chart_draw(&c, job->command, plot);
}

int cli_page_write(cli_job *job, const char *plot, const char *report, const chart *c,
                   const cli_page *about) {
  char title[1024];
  int code = plot && c ? draw(job, plot, *c) : CLI_DONE;
  if (code || !report) return code;
  snprintf(title, sizeof title, "%s of %s", about->title, cli_job_name(job).text);
  jn_file file;
  FILE *page = report_open(&file, report, title, "Computed by jounce " JN_VERSION ".");
  if (!page) return CLI_BAD_INPUT;
  report_cards_begin(page);
  for (int i = 0; about->cards && about->cards[i]; i += 2)
    report_card(page, about->cards[i], about->cards[i + 1]);
  report_cards_end(page);
  fputs(c ? "<div class=\"split\">\n" : "<div>\n", page);
  code = cli_scene_write(page, job, about->replay, about->q);
  if (c) {
    fputs("<div class=\"figures\">\n", page);
    report_chart(page, c, about->download);
    fputs("</div>\n", page);
  }
  fputs("</div>\n<h2>What this is</h2>\n", page);
  write_facts(page, job, about);
  if (about->below) about->below(page, about->context);
  if (!code) return report_close_scene(&file);
  cli_file_discard(&file);
  return code;
}
