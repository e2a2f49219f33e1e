/* fake_load.h: loads the driver of fake_driver.c, for a test. */
#ifndef TEST_FAKE_LOAD_H
#define TEST_FAKE_LOAD_H

#include <dlfcn.h>

#include "gpu/fake_driver.h"
#include "helpers/check.h"
#include "helpers/files.h"

/* A folder for the test, and the driver: a library that is loaded already is found by its name,
 * libcuda.so.1. 0: done. */
static inline int fake_driver_load(void **state, fake_driver **fake) {
  if (make_folder(state)) return 1;
  void *library = dlopen(TEST_FAKE_DRIVER, RTLD_NOW);
  if (!library) print_error("%s\n", dlerror());
  *fake = library ? dlsym(library, "fake") : NULL;
  return *fake == NULL;
}

#endif
