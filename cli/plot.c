/* plot.c: gnuplot as a child process. */
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs gnuplot in a folder (NULL: here) with standard error into `log` and nothing on standard
 * output. Returns its exit status, 127 when there is none. */
static int gnuplot(const char *folder, char *const *arguments, int log) {
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return 127;
  if (child == 0) {
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || (folder && chdir(folder))) _exit(126);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(log >= 0 ? log : nothing, STDERR_FILENO);
    execvp("gnuplot", arguments);
    _exit(127);
  }
  int status;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

int plot_available(void) {
  char name[] = "gnuplot", version[] = "--version";
  char *arguments[] = {name, version, NULL};
  return gnuplot(NULL, arguments, -1) == 0;
}

void plot_begin(FILE *script, const char *figure, int width, int height) {
  static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                        "#e69f00", "#56b4e9", "#000000", "#7f7f7f"};
  fputs("# draws with: gnuplot -d -e \"format='svg'\" SCRIPT, in the folder above\n", script);
  fputs("if (!exists('format')) format = 'svg'\n", script);
  fputs("set encoding utf8\nset datafile separator ','\nset datafile missing NaN\n", script);
  fprintf(script,
          "if (format eq 'png') {\n"
          "  set terminal pngcairo enhanced size %d,%d font 'DejaVu Sans,18' linewidth 2\n"
          "} else {\n"
          "  set terminal svg enhanced size %d,%d dynamic font 'DejaVu Sans, Helvetica, sans-serif,"
          "12' name '%s' background '#ffffff' linewidth 1\n}\n",
          2 * width, 2 * height, width, height, figure);
  fprintf(script, "set output 'figures/%s.' . format\n", figure);
  for (int i = 0; i < 8; i++) fprintf(script, "c%d = '%s'\n", i + 1, colours[i]);
  fputs(
      "set border 3 linecolor rgb '#49525e' linewidth 0.8\n"
      "set tics nomirror out scale 0.5 textcolor rgb '#1d2530'\n"
      "set grid linecolor rgb '#dfe3e8' linewidth 0.6 linetype 1\n"
      "set key samplen 2.2 spacing 1.1\n",
      script);
}

/* The first line of what gnuplot complained about. */
static void first_line(int log, char *reason, size_t size) {
  char text[1024];
  ssize_t n = pread(log, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    if (line[strspn(line, " \t^")] == '\0') continue;
    snprintf(reason, size, "%s", line);
    return;
  }
}

int plot_run(const char *folder, const char *script, char *reason, size_t size) {
  char name[] = "gnuplot", plain[] = "-d", execute[] = "-e", file[256];
  char formats[2][24] = {"format='svg'", "format='png'"};
  int drawn = 0;
  snprintf(file, sizeof file, "%s", script);
  for (int i = 0; i < 2; i++) {
    FILE *log = tmpfile();
    char *arguments[] = {name, plain, execute, formats[i], file, NULL};
    int status = gnuplot(folder, arguments, log ? fileno(log) : -1);
    if (i == 0) drawn = status == 0;
    if (i == 0 && status != 0) {
      snprintf(reason, size, "gnuplot failed with exit status %d", status);
      if (log) first_line(fileno(log), reason, size);
    }
    if (log) fclose(log);
  }
  return drawn;
}
