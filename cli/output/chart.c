/* chart.c: panels and values of a chart. */
#include "output/chart.h"

#include <stdio.h>
#include <string.h>

/* The n-th column of a figure and a group (-1: of all); for n = -1 their number. */
static int scan(const chart *c, int figure, int group, int n) {
  int found = 0;
  for (int i = 1; c && i < c->columns; i++) {
    if (c->figure_of[i] != figure) continue;
    if (group >= 0 && c->group_of[i] != group && c->group_of[i] != CHART_SHARED) continue;
    if (found++ == n) return i;
  }
  return found;
}

/* Has a figure columns of this group, beside those that all groups share? */
static int has_group(const chart *c, int figure, int group) {
  for (int i = 1; i < c->columns; i++)
    if (c->figure_of[i] == figure && c->group_of[i] == group) return 1;
  return 0;
}

/* Has a figure many columns, of two groups or more? */
static int is_grouped(const chart *c, int figure) {
  int groups = 0;
  if (!c->group_of || c->overlay || scan(c, figure, -1, -1) <= CHART_ALONE) return 0;
  for (int g = 0; g < c->groups; g++) groups += has_group(c, figure, g);
  return groups > 1;
}

int chart_panel_at(const chart *c, int n, chart_panel *out) {
  for (int figure = 0; figure < c->figures; figure++) {
    const int grouped = is_grouped(c, figure);
    for (int g = grouped ? 0 : -1; g < (grouped ? c->groups : 0); g++) {
      if (grouped && !has_group(c, figure, g)) continue;
      const int count = scan(c, figure, g, -1), parts = (count + CHART_CURVES - 1) / CHART_CURVES;
      if (n < parts) {
        const int first = (int)((long)count * n / parts);
        *out = (chart_panel){.figure = figure, .part = n, .parts = parts, .group = g};
        out->first = first, out->count = (int)((long)count * (n + 1) / parts) - first;
        if (parts == 1) out->over = scan(c->overlay, figure, -1, -1);
        return 1;
      }
      n -= parts;
    }
  }
  return 0;
}

int chart_panel_column(const chart *c, const chart_panel *panel, int i) {
  if (i < panel->count) return scan(c, panel->figure, panel->group, panel->first + i);
  return c->columns + scan(c->overlay, panel->figure, -1, i - panel->count);
}

double chart_value(const chart *c, int row, int column) {
  const chart *table = column < c->columns ? c : c->overlay;
  if (column >= c->columns) column -= c->columns;
  size_t n = (size_t)row * (size_t)(c->every ? c->every : 1);
  return table->values[n * (size_t)table->columns + (size_t)column];
}

const char *chart_label(const chart *c, int column) {
  if (column >= c->columns) return chart_label(c->overlay, column - c->columns);
  return c->labels ? c->labels[column] : c->names[column];
}

void chart_panel_title(const chart *c, const chart_panel *panel, char *title, size_t size) {
  const char *group = panel->group >= 0 ? c->group[panel->group] : "";
  char part[32] = "";
  if (panel->parts > 1) snprintf(part, sizeof part, " (%d of %d)", panel->part + 1, panel->parts);
  snprintf(title, size, "%s%s%s%s", c->figure[panel->figure].title, group[0] ? ": " : "", group,
           part);
}

int chart_is_limit(const chart *c, int column) {
  const char *name = c->names[column], *end = name + strlen(name);
  return end - name > 7 && (strcmp(end - 7, ":+limit") == 0 || strcmp(end - 7, ":-limit") == 0);
}

double chart_drawn(const chart *c, const chart_panel *panel, int column, int row) {
  double start = c->figure[panel->figure].from_start ? chart_value(c, 0, column) : 0;
  return chart_value(c, row, column) - start;
}

int chart_every(int rows, int columns) {
  const double numbers = (double)rows * columns;
  return numbers > CHART_NUMBERS ? (int)(numbers / CHART_NUMBERS) + 1 : 1;
}

chart chart_thin(const chart *c, int n) {
  chart thin = *c;
  if (n < 2) return thin;
  thin.every = n * (c->every ? c->every : 1);
  thin.rows = (c->rows - 1) / n + 1;
  return thin;
}
