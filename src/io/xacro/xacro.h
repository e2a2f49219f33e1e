/* xacro.h (private): the reader of xacro, the macro language of URDF.
 *
 *   xacro.c             elements: properties, macros, blocks, conditions, includes
 *   xacro_text.c        scopes, and the text of attributes: ${...}, $(...)
 *   xacro_expression.c  expressions in the style of Python, parsed and evaluated in one pass
 *   xacro_operators.c   arithmetic, comparisons, items and slices of values
 *   xacro_functions.c   functions and methods of expressions
 *   xacro_value.c       values, and their texts as Python writes them
 *   xacro_yaml.c        load_yaml, by libyaml
 *   xacro_file.c        packages and files
 *   xacro_write.c       the expanded URDF as a text, and as a spec
 *
 * All memory is in one arena of at most JN_MAX_XACRO_HEAP bytes, released at the end. Recursion is
 * limited by JN_MAX_XACRO_DEPTH: a level takes up to 0.3 KiB of stack, all of them less than 0.3 MiB.
 * Work is limited by JN_MAX_XACRO_WORK. A function that fails records the first failure in `status`;
 * the others then return at once. */
#ifndef JOUNCE_SRC_XACRO_H
#define JOUNCE_SRC_XACRO_H

#include <jounce/io.h>
#include <stdint.h>

#include "io/file.h"
#include "io/xml_tree.h"

#define XACRO_ADVICE "expand the file with ROS's xacro first (xacro FILE > robot.urdf)"

/* ---- values */

typedef enum xacro_kind {
  XACRO_NONE,
  XACRO_BOOL,
  XACRO_INT,
  XACRO_FLOAT,
  XACRO_TEXT,
  XACRO_LIST,
  XACRO_TUPLE,
  XACRO_DICT,
  XACRO_SCOPE,    /* a namespace: <include ns="..."> */
  XACRO_MODULE,   /* math, python, xacro */
  XACRO_FUNCTION, /* of jn_xacro_find_function */
  XACRO_BLOCK     /* elements: a parameter *name or **name */
} xacro_kind;

typedef struct xacro_list xacro_list;
typedef struct xacro_dict xacro_dict;
typedef struct xacro_scope xacro_scope;

typedef struct xacro_value {
  xacro_kind kind;
  union {
    int64_t whole; /* bool, int, function, module */
    double number;
    const char *text;
    xacro_list *list; /* list, tuple: shared, as in Python */
    xacro_dict *dict;
    xacro_scope *scope;
    const xml_node *block;
  } as;
} xacro_value;

struct xacro_list {
  xacro_value *items;
  int count, room;
};
struct xacro_dict {
  xacro_list keys, values;
};

/* ---- scopes */

/* A call of a macro or an include, innermost first. */
typedef struct xacro_call xacro_call;
struct xacro_call {
  const xacro_call *up;
  const char *macro; /* NULL: an include */
  int file, line;
};

typedef struct xacro_symbol xacro_symbol;
struct xacro_symbol {
  xacro_symbol *next;
  const char *name; /* of a block with its stars */
  xacro_value value;
  int is_lazy;        /* the value is a text to be evaluated at its first use */
  int is_open;        /* that is under way */
  const xml_node *at; /* where it was defined */
};

typedef struct xacro_parameter {
  const char *name; /* of a block with its stars */
  int forwards;     /* ^: the property of the same name in the calling scope */
  const char *text; /* default value; NULL: none */
} xacro_parameter;

typedef struct xacro_macro xacro_macro;
struct xacro_macro {
  xacro_macro *next;
  const char *name;
  const xml_node *element;
  xacro_parameter *parameters;
  int parameter_count;
};

struct xacro_scope {
  xacro_scope *parent; /* NULL: the outermost */
  int is_namespace;    /* its macros are not looked up in the parent */
  xacro_symbol *symbols;
  xacro_macro *macros;
};

/* ---- the reader */

typedef struct xacro_file {
  const char *name; /* path of the file */
  unsigned long long device, inode;
  xml_node *root; /* NULL: not XML, or not read */
} xacro_file;

typedef struct xacro {
  jn_allocator hooks;
  jn_error *error;
  jn_status status;
  xml_tree tree; /* all elements; its arena holds everything else as well */
  size_t heap;   /* bytes taken from the arena, without those of source elements */
  int64_t work;
  int depth, include_depth;
  xacro_scope *top;
  xacro_symbol *arguments; /* <xacro:arg>, values are texts */
  const xml_node *at;      /* the element that is expanded */
  const char *expression;  /* that is evaluated; NULL: none */
  const xacro_call *call;  /* innermost */
  int file;                /* that is expanded: relative paths start from its folder */
  xacro_file files[JN_MAX_INCLUDES + 1];
  int file_count;
  size_t bytes;     /* of all files */
  jn_folders tops;  /* only files below are opened: packages, the own folder */
  xml_node *output; /* the expanded root */
} xacro;

/* Records the first failure, with the place of the element, the expression and the calls. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void jn_xacro_fail(xacro *x, jn_status status, const char *format, ...);

/* Counts work, and a level of recursion; 0: too much, which is then a failure. */
int jn_xacro_work(xacro *x, int64_t amount);
/* The same for looking through a text: a step for every 64 bytes. */
int jn_xacro_scan(xacro *x, const char *text);
int jn_xacro_enter(xacro *x);
void jn_xacro_leave(xacro *x);

/* Memory of the arena, zero; NULL after a failure. */
void *jn_xacro_new(xacro *x, size_t bytes);
const char *jn_xacro_copy(xacro *x, const char *text, size_t length);

/* A text that grows. */
typedef struct xacro_buffer {
  char *text;
  size_t used, room;
} xacro_buffer;
void jn_xacro_append(xacro *x, xacro_buffer *b, const char *text, size_t length);
const char *jn_xacro_text(xacro *x, xacro_buffer *b); /* "" when it is empty */

/* ---- values */

static inline xacro_value jn_xacro_none(void) { return (xacro_value){.kind = XACRO_NONE}; }
static inline xacro_value jn_xacro_bool(int is) {
  return (xacro_value){.kind = XACRO_BOOL, .as.whole = is != 0};
}
static inline xacro_value jn_xacro_whole(int64_t n) {
  return (xacro_value){.kind = XACRO_INT, .as.whole = n};
}
static inline xacro_value jn_xacro_number(double d) {
  return (xacro_value){.kind = XACRO_FLOAT, .as.number = d};
}
static inline xacro_value jn_xacro_string(const char *text) {
  return (xacro_value){.kind = XACRO_TEXT, .as.text = text};
}

const char *jn_xacro_kind_name(xacro_kind kind);
xacro_value jn_xacro_list_new(xacro *x, xacro_kind kind); /* list or tuple */
xacro_value jn_xacro_dict_new(xacro *x);
void jn_xacro_push(xacro *x, xacro_list *list, xacro_value value);
void jn_xacro_put(xacro *x, xacro_dict *dict, xacro_value key, xacro_value value);
/* NULL: none */
const xacro_value *jn_xacro_get(xacro *x, const xacro_dict *dict, xacro_value key);

int jn_xacro_is_true(xacro_value v);
int jn_xacro_is_equal(xacro *x, xacro_value a, xacro_value b);
/* < 0, 0, > 0; fails when they have no order */
int jn_xacro_compare(xacro *x, xacro_value a, xacro_value b);
/* Is it a number? Then *out is it. */
int jn_xacro_as_number(xacro_value v, double *out);
/* str(v); `quoted`: repr(v) */
const char *jn_xacro_str(xacro *x, xacro_value v);
void jn_xacro_write(xacro *x, xacro_buffer *b, xacro_value v, int quoted);
/* The number or truth value that a text is, as int() and float() of Python read it, or else the
 * text itself, without quotes around it. */
xacro_value jn_xacro_literal(xacro *x, xacro_value v);
int jn_xacro_read_int(const char *text, int64_t *out);
int jn_xacro_read_float(xacro *x, const char *text, double *out);
/* The items of a list, tuple, keys of a dict, or characters of a text; fails for others. */
xacro_list *jn_xacro_items(xacro *x, xacro_value v);

/* ---- texts and expressions */

/* A text with ${...} and $(...) evaluated: a value if it is one expression, else a text. */
xacro_value jn_xacro_eval(xacro *x, xacro_scope *s, const char *text);
const char *jn_xacro_eval_str(xacro *x, xacro_scope *s, const char *text);
/* A condition: true, false, or a number. */
int jn_xacro_condition(xacro *x, xacro_scope *s, const char *text);
/* An expression of Python. */
xacro_value jn_xacro_expression(xacro *x, xacro_scope *s, const char *text);

/* ---- operators: of values that are there; a failure is recorded */

/* op: + - * / // % */
xacro_value jn_xacro_arithmetic(xacro *x, const char *op, xacro_value a, xacro_value b);
/* op: == != < <= > >= in, not in, is, is not */
int jn_xacro_relation(xacro *x, const char *op, xacro_value a, xacro_value b);
/* v[key], v[from:to] (none: from the start, to the end), v.name */
xacro_value jn_xacro_item(xacro *x, xacro_value v, xacro_value key);
xacro_value jn_xacro_slice(xacro *x, xacro_value v, xacro_value from, xacro_value to);
xacro_value jn_xacro_attribute(xacro *x, xacro_value v, const char *name);

/* The symbol, evaluated; NULL: none. */
xacro_symbol *jn_xacro_find(xacro *x, xacro_scope *s, const char *name);
/* Defines a symbol of a scope; a text that is a number becomes one. */
void jn_xacro_define(xacro *x, xacro_scope *s, const char *name, xacro_value value, int is_lazy);
/* The same with the value as it is. */
void jn_xacro_bind(xacro *x, xacro_scope *s, const char *name, xacro_value value, int is_lazy);
xacro_scope *jn_xacro_scope_new(xacro *x, xacro_scope *parent, int is_namespace);
/* NULL: none */
xacro_symbol *jn_xacro_argument(xacro *x, const char *name);

/* ---- functions */

/* A name that every expression knows (module NULL), or that of a module. 0: none. */
int jn_xacro_find_function(const char *module, const char *name, xacro_value *out);
/* `names`: of keyword arguments, NULL for the others */
xacro_value jn_xacro_apply(xacro *x, xacro_value function, const xacro_list *arguments,
                           const char *const *names);
xacro_value jn_xacro_method(xacro *x, xacro_value subject, const char *name,
                            const xacro_list *arguments);
int jn_xacro_is_method(xacro_value subject, const char *name);
xacro_value jn_xacro_power(xacro *x, xacro_value a, xacro_value b);
xacro_value jn_xacro_format(xacro *x, const char *format, xacro_value arguments);

/* ---- files */

/* The folders of options (may be NULL) and that of the file `path` (NULL: none). */
void jn_xacro_folders(xacro *x, const jn_load_options *options, const char *path);
/* $(find NAME): the real path of the package, or package://NAME */
const char *jn_xacro_package(xacro *x, const char *name);
/* The path of a file that is named relative to the file that is expanded. */
const char *jn_xacro_path(xacro *x, const char *name);
/* Opens a file. 0 after a failure, or where it does not exist and `optional`. */
int jn_xacro_open(xacro *x, const char *what, const char *name, int optional, jn_named_file *found);
/* Reads it: the number of the file; its text is a block of hooks. */
int jn_xacro_read(xacro *x, jn_named_file *found, char **text, size_t *size);
/* The value of a file of YAML, and of a text, whose file has this number in messages. */
xacro_value jn_xacro_yaml(xacro *x, const char *name);
xacro_value jn_xacro_yaml_text(xacro *x, int file, const char *text, size_t size);

/* ---- the whole */

/* Expands the text of the file `path` (NULL: a text in memory), which is called `name`. Fills
 * `output`; the caller frees the arena (jn_xacro_free). */
jn_status jn_xacro_run(xacro *x, const char *text, size_t size, const char *name, const char *path,
                       const jn_load_options *options);
void jn_xacro_free(xacro *x);

#endif
