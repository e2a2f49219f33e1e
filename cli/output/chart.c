/* chart.c: panels and values of a chart. */
#include "output/chart.h"

#include <stddef.h>

/* The n-th column of a figure; for n = -1 their number. */
static int scan(const chart *c, int figure, int n) {
  int found = 0;
  for (int i = 1; c && i < c->columns; i++) {
    if (c->figure_of[i] != figure) continue;
    if (found++ == n) return i;
  }
  return found;
}

int chart_panel_at(const chart *c, int n, chart_panel *out) {
  for (int figure = 0; figure < c->figures; figure++) {
    int count = scan(c, figure, -1), parts = (count + CHART_CURVES - 1) / CHART_CURVES;
    if (n < parts) {
      int first = (int)((long)count * n / parts);
      *out = (chart_panel){.figure = figure, .part = n, .parts = parts, .first = first};
      out->count = (int)((long)count * (n + 1) / parts) - first;
      if (parts == 1) out->over = scan(c->overlay, figure, -1);
      return 1;
    }
    n -= parts;
  }
  return 0;
}

int chart_panel_column(const chart *c, const chart_panel *panel, int i) {
  if (i < panel->count) return scan(c, panel->figure, panel->first + i);
  return c->columns + scan(c->overlay, panel->figure, i - panel->count);
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
