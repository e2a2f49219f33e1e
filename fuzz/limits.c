/* limits.c: fuzz target for files of limits (--limits of the program). */
#include <math.h>
#include <string.h>

#include "cli/job/limits.h"
#include "mutate.h"
#include "robot.h"

MUTATES(1);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size < 1) return 0;
  cli_job job = {.command = "limits", .model_path = "robot"};
  job.model = (jn_model *)(uintptr_t)robot_of(bytes[0] & 1);
  arena();
  const cli_limits_given given = {.file = file_of_bytes(bytes + 1, size - 1)};
  jn_limit_range *range = NULL;
  const int status = cli_limits_read(&given, &job, &range);
  PROMISE(status >= 0 && status <= 2);
  for (int i = 0; !status && i < jn_limit_rows(job.model) * JN_LIMIT_KINDS; i++)
    PROMISE(range[i].low <= range[i].high);
  cli_release(&job.result.memory);
  input_end();
  return 0;
}
