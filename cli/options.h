/* options.h: table-driven parsing of arguments. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

typedef enum cli_option_kind {
  CLI_FLAG,   /* no value; *(int *)target = low */
  CLI_INT,    /* *(int *)target, within low..high */
  CLI_NUMBER, /* *(double *)target, finite */
  CLI_VECTOR, /* (double *)target, three numbers "x,y,z" */
  CLI_TEXT,   /* *(const char **)target */
  CLI_INPUT,  /* the same, the name of a file to read; "-": standard input */
  CLI_OUTPUT, /* the same, the name of a file to write */
  CLI_CHOICE, /* *(int *)target = index into choices */
  CLI_LIST    /* *(cli_list *)target: the value is added */
} cli_option_kind;

/* Values of an option that may be repeated, NULL-terminated. */
enum { CLI_MOST_VALUES = 100 };
typedef struct cli_list {
  const char *items[CLI_MOST_VALUES + 1];
  int count;
} cli_list;

typedef struct cli_option {
  const char *name; /* with its dashes */
  cli_option_kind kind;
  void *target;
  int low, high;              /* CLI_INT: range; CLI_FLAG: low is what to store */
  const char *const *choices; /* CLI_CHOICE: names, NULL-terminated */
  int *given;                 /* set to 1 when the option occurs; may be NULL */
} cli_option;

/* Number of elements of an array. */
#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* Rows of a table; `name` is a literal without the dashes. */
#define CLI_OPT_FLAG(name, target, value) \
  { "--" name, CLI_FLAG, target, value, value, 0, 0 }
#define CLI_OPT_SHORT(letter, target, value) \
  { "-" letter, CLI_FLAG, target, value, value, 0, 0 }
#define CLI_OPT_INT(name, target, low, high) \
  { "--" name, CLI_INT, target, low, high, 0, 0 }
#define CLI_OPT_NUMBER(name, target, given) \
  { "--" name, CLI_NUMBER, target, 0, 0, 0, given }
#define CLI_OPT_VECTOR(name, target, given) \
  { "--" name, CLI_VECTOR, target, 0, 0, 0, given }
#define CLI_OPT_TEXT(name, target) \
  { "--" name, CLI_TEXT, target, 0, 0, 0, 0 }
#define CLI_OPT_INPUT(name, target) \
  { "--" name, CLI_INPUT, target, 0, 0, 0, 0 }
#define CLI_OPT_OUTPUT(name, target) \
  { "--" name, CLI_OUTPUT, target, 0, 0, 0, 0 }
#define CLI_OPT_LIST(name, target) \
  { "--" name, CLI_LIST, target, 0, 0, 0, 0 }
#define CLI_OPT_CHOICE(name, target, choices) \
  { "--" name, CLI_CHOICE, target, 0, 0, choices, 0 }

/* Reads argv[1..]; argv[0] is the command's name. Options are `--name value`, `--name=value` or,
 * for a flag, `--name` or `-n`, in any place; `--` ends them. `name:=value` is `--arg name:=value`
 * where there is such an option. An option with a value may be given once, unless it is a list. Up to `most` other arguments go to `positional`. A file to write must not be one to
 * read, positional arguments included, under any name (links); nor may two be the same. Returns the
 * number of positional arguments, or -1 after a message. */
int cli_parse(const cli_option *table, int count, int argc, char **argv, const char **positional,
              int most);
/* SHA-256 of the version, the options but outputs, and the files read by the last cli_parse, if it had --resume; "". */
const char *cli_run_key(void);
/* Refuses an output of the table that is the file `input`, which `what` describes. Returns an exit
 * status. */
int cli_keep_input(const cli_option *table, int count, const char *command, const char *input,
                   const char *what);

#endif
