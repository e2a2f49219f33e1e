/* names.c: tables of names for look-up. */
#include "base/names.h"

#include <stddef.h>
#include <string.h>

static int before(const jn_name *a, const jn_name *b) {
  const int c = strcmp(a->name, b->name);
  return c < 0 || (c == 0 && a->index < b->index);
}
static void swap(jn_name *a, jn_name *b) {
  const jn_name t = *a;
  *a = *b;
  *b = t;
}

static void sift(jn_name *a, int root, int n) {
  for (int child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && before(&a[child], &a[child + 1])) child++;
    if (!before(&a[root], &a[child])) return;
    swap(&a[root], &a[child]);
  }
}

void jn_names_sort(jn_name *table, int n) {
  for (int i = n / 2 - 1; i >= 0; i--) sift(table, i, n);
  for (int end = n - 1; end > 0; end--) {
    swap(&table[0], &table[end]);
    sift(table, 0, end);
  }
}

int jn_names_find(const jn_name *table, int n, const char *name) {
  if (name == NULL) return -1;
  int low = 0, high = n;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (strcmp(table[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n && strcmp(table[low].name, name) == 0 ? table[low].index : -1;
}
