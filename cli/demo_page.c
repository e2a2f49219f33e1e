/* demo_page.c: the study as one HTML page. */
#include "demo.h"

#include "message.h"
#include "page.h"
#include "report.h"

void study_page_cards(FILE *f, const study *s) {
  char number[64], text[256];
  double least, most;
  report_cards_begin(f);
  snprintf(number, sizeof number, "%.1e", s->round.worst);
  snprintf(text, sizeof text,
           "largest residual in force of the round trip, relative, orders 0 to 5: %s the limit of "
           "%.0e",
           s->round.worst <= STUDY_LIMIT ? "within" : "ABOVE", STUDY_LIMIT);
  report_card(f, number, text);

  study_bodies_range(&s->cost, &least, &most);
  snprintf(number, sizeof number, "%.2f to %.2f", least, most);
  snprintf(text, sizeof text,
           "exponent of the time of a call in the number of bodies, %d to %d (linear: 1)",
           s->cost.bodies[0][0][0][0].bodies, s->cost.bodies[0][0][0][s->cost.sizes - 1].bodies);
  report_card(f, number, text);

  study_orders_range(&s->cost, &least, &most);
  snprintf(number, sizeof number, "%.2f to %.2f", least, most);
  report_card(
      f, number,
      "exponent of the time of a call in r + 1, orders r = 2 to 10 at 101 bodies (quadratic: 2)");

  const double inverse = s->cost.paper[COST_INVERSE][JN_FORM_BODY][STUDY_ORDER].median;
  const double forward = s->cost.paper[COST_FORWARD][JN_FORM_BODY][STUDY_ORDER].median;
  snprintf(number, sizeof number, "%.1f and %.1f µs", inverse, forward);
  snprintf(text, sizeof text,
           "inverse and forward dynamics of order 5, 7 bodies, median here; published: %.1f and "
           "%.1f µs on another processor",
           study_paper_us[0][STUDY_ORDER], study_paper_us[1][STUDY_ORDER]);
  report_card(f, number, text);
  report_cards_end(f);
}

/* The inlined figure with a caption; nothing when it was not drawn. */
static void figure(FILE *f, const study *s, const char *name, const char *caption) {
  char path[8192];
  if (!s->figures) return;
  snprintf(path, sizeof path, "%s/figures/%s.svg", s->options.output, name);
  fputs("<figure>\n", f);
  page_svg(f, path);
  fputs("<figcaption>", f);
  fputs(caption, f);
  fprintf(f,
          " <a href=\"figures/%s.svg\">SVG</a>, <a href=\"figures/%s.png\">PNG</a></figcaption>\n"
          "</figure>\n",
          name, name);
}

static void downloads(FILE *f, const study *s) {
  static const char *const carried[][2] = {
      {"roundtrip.csv", "sizes, differences and residuals of the round trip by order"},
      {"cost.csv", "every measured point: minimum and median over rounds"},
      {"exponents.csv", "the fitted exponents"}};
  static const char *const beside[][2] = {
      {"motion.csv", "the reference: x, y, z, yaw, q2 ... q7, derivatives 0 to 7"},
      {"forces.csv",
       "inverse dynamics: base wrench nx ... fz (spatial), joint torques t2 ... t7, "
       "derivatives 0 to 5"},
      {"forward.csv", "forward dynamics: x, y, z, yaw, q2 ... q7, derivatives 2 to 7"}};
  char path[8192];
  fputs(
      "<h2>Numbers</h2>\n<p>CSV with 17 significant digits, SI units, radians. The ending of a "
      "column's name is the order of the time derivative.</p>\n<ul>\n",
      f);
  for (int i = 0; i < COUNT(carried); i++) {
    snprintf(path, sizeof path, "%s/data/%s", s->options.output, carried[i][0]);
    fputs("<li>", f);
    page_download(f, path, carried[i][0]);
    fprintf(f, ": %s</li>\n", carried[i][1]);
  }
  for (int i = 0; i < COUNT(beside); i++) {
    fprintf(f, "<li><a href=\"data/%s\" download>%s</a>: %s (file beside this page)</li>\n",
            beside[i][0], beside[i][0], beside[i][1]);
  }
  fputs("</ul>\n", f);
}

static void table(FILE *f, const sheet *s) {
  fputs("<h3>", f);
  page_text(f, s->title);
  fputs("</h3>\n", f);
  sheet_html(f, s);
}

static void round_section(FILE *f, const study *s, const sheet *sheets) {
  fputs(
      "<h2>The round trip</h2>\n"
      "<p>The base flies a circle of radius 1 m in 20 s while its yaw swings by 25° in 30 s and "
      "the six joints each follow half a cosine. Inverse dynamics turns the motion and its "
      "derivatives into base wrench and joint torques with their derivatives to order 5; forward "
      "dynamics, given only the state and those forces, must answer with the motion's "
      "derivatives.</p>\n",
      f);
  table(f, &sheets[STUDY_ROUND_SHEET]);
  fputs(
      "<p class=\"note\">That the motion comes back with fewer digits at higher orders is the "
      "problem's conditioning, not the algorithm's: light links turn small changes of force into "
      "large ones of motion. The residual in force, which is free of it, stays at rounding.</p>\n",
      f);
  figure(f, s, "motion",
         "<b>Motion.</b> Input of inverse dynamics (solid) and output of forward dynamics "
         "(dashed): row k shows the k-th time derivative; forward dynamics of order r answers with "
         "k = r + 2.");
  figure(
      f, s, "forces",
      "<b>Forces.</b> Output of inverse dynamics, and input of forward dynamics, r = 0 to 5 from "
      "top to bottom. The base wrench is spatial: about the world's origin, along its axes.");
}

static void cost_section(FILE *f, const study *s, const sheet *sheets) {
  fputs("<h2>The cost of a call</h2>\n<p>Measured on one core of: ", f);
  page_text(f, s->processor);
  fputs(". Trees of 5 arms on the flying base; random configuration and derivatives.</p>\n", f);
  figure(f, s, "cost",
         "<b>Cost.</b> Least time over rounds. (a), (b): body form, a line for each order r. (c), "
         "(d): both forms.");
  table(f, &sheets[STUDY_PAPER_SHEET]);
  table(f, &sheets[STUDY_BODIES_SHEET]);
  table(f, &sheets[STUDY_ORDERS_SHEET]);
}

int study_write_page(const study *s, const sheet *sheets) {
  FILE *f = demo_create(s->options.output, "index.html");
  if (!f) return CLI_BAD_INPUT;
  page_begin(f, "jounce: the aerial manipulator study");
  fputs(
      "<h1>An aerial manipulator and the time derivatives of its dynamics</h1>\n"
      "<p class=\"lead\">A hexarotor with two arms of three joints each, its inverse and forward "
      "dynamics with time derivatives to order 5, and what they cost: the study of Ali et al. "
      "2026, section 7, repeated with jounce " JN_VERSION ".",
      f);
  fprintf(f, " %d steps of %g s.</p>\n", s->round.steps, s->round.dt);
  study_page_cards(f, s);
  if (!s->figures) {
    fputs("<p><b>", f);
    page_text(f, s->figures_note);
    fputs("</b></p>\n", f);
  }
  round_section(f, s, sheets);
  cost_section(f, s, sheets);
  downloads(f, s);
  fprintf(f,
          "<p class=\"note\">Made by <code>jounce demo%s</code>. Figures can be redrawn with the "
          "scripts in <code>figures/</code>.</p>\n",
          s->options.quick ? " --quick" : "");
  page_end(f);
  return demo_close(f, s->options.output, "index.html");
}
