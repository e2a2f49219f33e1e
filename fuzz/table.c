/* table.c: fuzz target for CSV, NPY and NPZ; the first byte selects the format. */
#include <jounce/table.h>
#include <math.h>
#include <string.h>

#include "target.h"
#include "mutate.h"

MUTATES(1);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  jn_table *table = NULL;
  jn_error error;
  if (size < 1) return 0;
  memset(&error, 0, sizeof error);
  char *text = malloc(size);
  PROMISE(text != NULL);
  memcpy(text, bytes + 1, size - 1);
  const jn_table_format format = (jn_table_format)(bytes[0] % 3);
  jn_status status = jn_table_parse(format, text, size - 1, "input", NULL, &table, &error);
  free(text);
  PROMISE((status == JN_OK) == (table != NULL));
  PROMISE(status == JN_OK || (error.status == status && error.message[0] != '\0'));
  if (!table) return 0;
  for (size_t i = 0; i < (size_t)table->rows * (size_t)table->columns; i++)
    PROMISE(isfinite(table->values[i]));
  /* a table that was read can be written, and reads back with the same bits */
  char *written = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&written, &length);
  PROMISE(file != NULL);
  status = jn_table_print(table, format, file);
  fclose(file);
  if (status == JN_OK && table->rows > 0 && table->columns > 0) {
    jn_table *again = NULL;
    status = jn_table_parse(format, written, length, "written", NULL, &again, &error);
    PROMISE(status == JN_OK && again->rows == table->rows && again->columns == table->columns);
    PROMISE(memcmp(again->values, table->values,
                   sizeof(double) * (size_t)table->rows * (size_t)table->columns) == 0);
    jn_table_free(again);
  }
  free(written);
  /* some through a file */
  static const char *const names[3] = {"t.csv", "t.npy", "t.npz"};
  if (size % 16 == 0 && jn_table_save(table, own_file(names[format]), &error) == JN_OK) {
    jn_table *again = NULL;
    jn_table_load(own_file(names[format]), NULL, &again, &error);
    jn_table_free(again);
  }
  jn_table_free(table);
  return 0;
}
