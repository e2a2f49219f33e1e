/* names.h (private): tables of names for look-up. */
#ifndef JOUNCE_BASE_NAMES_H
#define JOUNCE_BASE_NAMES_H

typedef struct jn_name {
  const char *name; /* not NULL */
  int index;
} jn_name;

/* By name, then by index. Heap sort: no allocation, no recursion. */
void jn_names_sort(jn_name *table, int n);
/* The index of the first entry with that name in a sorted table; -1: none, or name is NULL. */
int jn_names_find(const jn_name *table, int n, const char *name);

#endif
