/* fake_driver.h: what a test knows of the driver of fake_driver.c. */
#ifndef TEST_FAKE_DRIVER_H
#define TEST_FAKE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef struct fake_driver {
  int devices;
  long calls, fails_at; /* of functions that can fail, counted from 1; the one that does */
  /* not given back */
  int contexts, current, modules, blocks, programs;
  int pending; /* copies that nobody waited for */
  size_t threads, text_size;
  void *stream;
  void (*kernel)(void **arguments);
  char kernel_name[256], options[512];
  int mute;        /* errors have no text */
  const char *log; /* of the compiler; NULL: one of a warning and an error */
  int no_log;      /* its size cannot be found */
} fake_driver;

#endif
