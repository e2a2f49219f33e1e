/* against.c: `jounce bench --against`: the same rows of an earlier run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "job/job.h"
#include "output/message.h"
#include "job/reader.h"

/* 1: member `key` of a row, where it has one, is `text` */
static int is(const jn_json *row, const char *key, const char *text) {
  const jn_json v = jn_json_member(row, key);
  return !v.value || !strcmp(json_string_value(v.value) ? json_string_value(v.value) : "", text);
}

static void take(const jn_json *row, bench_sample *list, int n) {
  double ns = 0, order = -1;
  const jn_json time = jn_json_member(row, "ns"), r = jn_json_member(row, "order");
  if (!jn_json_number(&time, &ns) || !jn_json_number(&r, &order)) return;
  if (!(ns > 0)) {
    jn_refuse(&time, "a time above 0 expected");
    return;
  }
  for (bench_sample *s = list; s < list + n; s++)
    if (s->order == order && is(row, "model", s->model) && is(row, "algorithm", s->algorithm) &&
        is(row, "formulation", s->formulation) && is(row, "representation", s->representation) &&
        is(row, "mode", s->mode))
      s->before = ns;
}

int bench_against(const char *path, bench_sample *list, int n) {
  jn_error error = {0};
  char *text = NULL, *object = NULL;
  size_t size;
  jn_json_text json = {.status = cli_read_file(path, &text, &size, &error)};
  /* the reader takes one object: {"rows":[...]}, on the lines of the file */
  if (!json.status && !(object = malloc(size + 16))) json.status = JN_ERR_MEMORY;
  if (!json.status) {
    const size_t head = (size_t)sprintf(object, "{\"rows\":");
    memcpy(object + head, text, size);
    object[head + size] = '}';
    jn_json_open(&json, object, head + size + 1, path, NULL, &error);
  }
  if (!json.status) {
    const jn_json root = jn_json_root(&json), rows = jn_json_member(&root, "rows");
    for (jn_json row = jn_json_first(&rows); row.value; row = jn_json_next(&row))
      take(&row, list, n);
  }
  const jn_status status = json.status;
  jn_json_close(&json);
  free(object);
  free(text);
  if (status) return cli_fail(status, &error, "a file of `jounce bench --format json` is expected");
  for (int i = 0; i < n; i++)
    if (list[i].before > 0) return 0;
  return cli_bad_input("bench: --against: %s has none of the rows measured", path);
}
