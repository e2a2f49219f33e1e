/* table.c: fuzz target for CSV, NPY and NPZ; the first byte selects the format. */
#include <jounce/table.h>
#include <math.h>
#include <string.h>

#include "target.h"
#include "mutate.h"

MUTATES(1);

/* A table that was read can be written, and reads back with the same bits. Some through a file. */
static void write_and_read(const jn_table *table, jn_table_format format, int is_file) {
  static const char *const names[3] = {"t.csv", "t.npy", "t.npz"};
  char *written = NULL;
  size_t length = 0;
  jn_table *again = NULL;
  jn_error error;
  FILE *file = open_memstream(&written, &length);
  PROMISE(file != NULL);
  jn_status status = jn_table_print(table, format, file);
  fclose(file);
  if (status == JN_OK && table->rows > 0 && table->columns > 0) {
    status = jn_table_parse(format, written, length, "written", arena(), &again, &error);
    PROMISE(status == JN_OK && again->rows == table->rows && again->columns == table->columns);
    PROMISE(memcmp(again->values, table->values,
                   sizeof(double) * (size_t)table->rows * (size_t)table->columns) == 0);
    jn_table_free(again);
  }
  free(written);
  if (!is_file || jn_table_save(table, own_file(names[format]), &error) != JN_OK) return;
  again = NULL;
  jn_table_load(own_file(names[format]), arena(), &again, &error);
  jn_table_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  jn_table *table = NULL;
  jn_error error;
  if (size < 1) return 0;
  error.status = JN_OK, error.message[0] = '\0';
  char *text = arena()->allocate(size, NULL);
  memcpy(text, bytes + 1, size - 1);
  const jn_table_format format = (jn_table_format)(bytes[0] % 3);
  jn_status status = jn_table_parse(format, text, size - 1, "input", arena(), &table, &error);
  arena()->release(text, NULL);
  PROMISE((status == JN_OK) == (table != NULL));
  PROMISE(status == JN_OK || (error.status == status && error.message[0] != '\0'));
  if (!table) {
    input_end();
    return 0;
  }
  for (size_t i = 0; i < (size_t)table->rows * (size_t)table->columns; i++)
    PROMISE(isfinite(table->values[i]));
  const uint32_t hash = hash_of(bytes, size);
  if (hash % 8 == 0) write_and_read(table, format, hash / 8 % 64 == 0);
  jn_table_free(table);
  input_end();
  return 0;
}
