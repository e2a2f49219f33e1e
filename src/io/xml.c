/* xml.c: reads XML by expat, within the limits of limits.h. */
#include "io/xml.h"

#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"

enum { XML_PIECE = 64 * 1024 }; /* least number of bytes given to expat at once */

#define MARKUP_TOO_LONG "a single tag or comment is longer than %d KiB: shorten it"

int jn_xml_line(const xml_reader *x) { return (int)XML_GetCurrentLineNumber(x->parser); }

/* expat stops at the next event */
void jn_xml_stop(xml_reader *x, jn_status status) {
  x->status = status;
  XML_StopParser(x->parser, XML_FALSE);
}

void jn_xml_fail_list(xml_reader *x, jn_status status, int line, const char *format, va_list list) {
  if (x->status == JN_OK)
    jn_xml_stop(x, jn_fail_list(x->error, status, x->file, line, format, list));
}

void jn_xml_fail(xml_reader *x, jn_status status, int line, const char *format, ...) {
  va_list list;
  va_start(list, format);
  jn_xml_fail_list(x, status, line, format, list);
  va_end(list);
}

const char *jn_xml_attribute(const char *const *attributes, const char *name) {
  for (; attributes[0] != NULL; attributes += 2)
    if (strcmp(attributes[0], name) == 0) return attributes[1];
  return NULL;
}

uint64_t jn_xml_hash(uint64_t hash, const char *text) {
  for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return hash;
}

/* The slot that holds `hash`, or the free one where it belongs. */
static size_t slot_of(const uint64_t *names, size_t slots, uint64_t hash) {
  size_t slot = (size_t)(hash ^ hash >> 32) % slots;
  while (names[slot] != 0 && names[slot] != hash) slot = (slot + 1) % slots;
  return slot;
}

/* Doubles the table of names. Returns 0 if memory is missing. */
static int double_names(xml_reader *x) {
  const size_t slots = 2 * x->slots;
  uint64_t *names = jn_block_new(x->hooks, slots, sizeof *names);
  if (names == NULL) return 0;
  for (size_t i = 0; i < x->slots; i++)
    if (x->names[i] != 0) names[slot_of(names, slots, x->names[i])] = x->names[i];
  if (x->names != x->first_names) jn_block_free(x->hooks, x->names);
  x->names = names;
  x->slots = slots;
  return 1;
}

/* Expat stores every different name, so their number is limited. */
static int is_name_accepted(xml_reader *x, const char *name) {
  const uint64_t hash =
      jn_xml_hash(jn_xml_hash_start, name) | 1; /* not 0, which marks a free slot */
  size_t slot = slot_of(x->names, x->slots, hash);
  if (x->names[slot] == hash) return 1;
  if (x->name_count == JN_MAX_XML_NAMES) {
    jn_xml_fail(x, JN_ERR_LIMIT, jn_xml_line(x),
                "more than %d different names of elements and attributes", JN_MAX_XML_NAMES);
    return 0;
  }
  x->names[slot] = hash;
  if (2 * ++x->name_count < x->slots || double_names(x)) return 1; /* a free slot ends a search */
  jn_xml_fail(x, JN_ERR_MEMORY, jn_xml_line(x), "out of memory");
  return 0;
}

static int are_names_accepted(xml_reader *x, const char *element, const char **attributes) {
  if (!is_name_accepted(x, element)) return 0;
  for (; attributes[0] != NULL; attributes += 2)
    if (!is_name_accepted(x, attributes[0])) return 0;
  return 1;
}

/* Is the markup of the current event (a tag, comment or instruction) within the limit? */
static int is_short(xml_reader *x) {
  if (XML_GetCurrentByteCount(x->parser) <= JN_MAX_XML_MARKUP) return 1;
  jn_xml_fail(x, JN_ERR_LIMIT, jn_xml_line(x), MARKUP_TOO_LONG, JN_MAX_XML_MARKUP / 1024);
  return 0;
}

static void XMLCALL on_comment(void *context, const char *text) {
  (void)text;
  is_short(context);
}

static void XMLCALL on_instruction(void *context, const char *target, const char *text) {
  (void)target, (void)text;
  is_short(context);
}

static void XMLCALL on_start(void *context, const char *element, const char **attributes) {
  xml_reader *x = context;
  x->depth++;
  if (!is_short(x)) return;
  if (x->depth > x->most_depth) {
    jn_xml_fail(x, JN_ERR_LIMIT, jn_xml_line(x), "elements are nested deeper than %d",
                x->most_depth);
    return;
  }
  if (XML_GetSpecifiedAttributeCount(x->parser) > 2 * JN_MAX_XML_ATTRIBUTES) {
    jn_xml_fail(x, JN_ERR_LIMIT, jn_xml_line(x), "<%.60s> has more than %d attributes", element,
                JN_MAX_XML_ATTRIBUTES);
    return;
  }
  if (are_names_accepted(x, element, attributes)) x->start(x->context, element, attributes);
}

static void XMLCALL on_end(void *context, const char *element) {
  (void)element;
  xml_reader *x = context;
  if (x->status != JN_OK) return;
  x->end(x->context);
  x->depth--;
}

static void XMLCALL on_text(void *context, const char *text, int length) {
  xml_reader *x = context;
  if (x->status == JN_OK) x->text(x->context, text, length);
}

static void XMLCALL on_doctype(void *context, const char *name, const char *system,
                               const char *public, int has_internal) {
  (void)name, (void)system, (void)public, (void)has_internal;
  xml_reader *x = context;
  jn_xml_fail(x, JN_ERR_SYNTAX, jn_xml_line(x),
              "a document type (<!DOCTYPE ...>, and with it entities) is not accepted: remove it");
}

static jn_status xml_failure(xml_reader *x, const char *text, size_t size) {
  enum XML_Error code = XML_GetErrorCode(x->parser);
  if (code == XML_ERROR_NO_MEMORY)
    return jn_fail(x->error, JN_ERR_MEMORY, x->file, jn_xml_line(x), "out of memory");
  size_t i = 0;
  while (i < size && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t')) i++;
  if (i == size)
    return jn_fail(x->error, JN_ERR_SYNTAX, x->file, jn_xml_line(x), "the file is empty");
  if (text[i] == '{')
    return jn_fail(x->error, JN_ERR_SYNTAX, x->file, jn_xml_line(x),
                   "this is not XML: a native model (JSON) needs the ending .json");
  return jn_fail(x->error, JN_ERR_SYNTAX, x->file, jn_xml_line(x), "XML, column %d: %s",
                 (int)XML_GetCurrentColumnNumber(x->parser) + 1, XML_ErrorString(code));
}

/* Expat keeps a copy of markup that is not complete yet. It is given the text in pieces, until that
 * copy exceeds the limit. Each piece at least doubles the copy: expat may defer parsing of smaller
 * pieces, and parsing the same markup again and again would take quadratic time. Returns 0 if expat
 * refuses the text. */
static int feed(xml_reader *x, const char *text, size_t size, int is_last) {
  size_t given = 0, kept = 0;
  do {
    size_t piece = kept > XML_PIECE ? kept : XML_PIECE, room = JN_MAX_XML_MARKUP + 1 - kept;
    if (piece > room) piece = room; /* one byte over the limit is enough to detect it */
    if (piece > size - given) piece = size - given;
    enum XML_Status ok = XML_Parse(x->parser, text + given, (int)piece,
                                   is_last && given + piece == size ? XML_TRUE : XML_FALSE);
    given += piece;
    x->given += piece;
    if (x->status != JN_OK) return 1;
    if (ok != XML_STATUS_OK) return 0;
    /* of the current markup; -1, none, becomes the largest number */
    const size_t start = (size_t)XML_GetCurrentByteIndex(x->parser);
    kept = start < x->given ? x->given - start : 0;
    if (kept > JN_MAX_XML_MARKUP)
      jn_xml_fail(x, JN_ERR_LIMIT, jn_xml_line(x), MARKUP_TOO_LONG, JN_MAX_XML_MARKUP / 1024);
  } while (given < size && x->status == JN_OK);
  return 1;
}

/* ---- a declaration <?xml ...?> after white space or comments, where XML does not allow it */

enum { DECLARATION = 256 }; /* bytes of a longest one */

typedef struct span {
  size_t begin, end; /* equal: none */
} span;

static int starts_at(const char *text, size_t size, size_t at, const char *word) {
  return size - at >= strlen(word) && memcmp(text + at, word, strlen(word)) == 0;
}

static int is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

static span find_declaration(const char *text, size_t size) {
  const size_t first = starts_at(text, size, 0, "\xEF\xBB\xBF") ? 3 : 0; /* byte order mark */
  size_t i = first;
  while (i < size) {
    if (is_blank(text[i])) {
      i++;
    } else if (starts_at(text, size, i, "<!--")) {
      for (i += 4; i < size && !starts_at(text, size, i, "-->"); i++) continue;
      i = i < size ? i + 3 : size;
    } else {
      break;
    }
  }
  if (i == first || !starts_at(text, size, i, "<?xml") || i + 5 >= size || !is_blank(text[i + 5]))
    return (span){0, 0};
  for (size_t end = i + 5; end < size && end < i + DECLARATION; end++)
    if (starts_at(text, size, end, "?>")) return (span){i, end + 2};
  return (span){0, 0};
}

/* The encoding that a declaration names; empty: none. */
static void read_encoding(const char *text, span s, char encoding[64]) {
  static const char key[] = "encoding";
  size_t i = s.begin, n = 0;
  while (i < s.end && !starts_at(text, s.end, i, key)) i++;
  for (i += sizeof key - 1; i < s.end && (is_blank(text[i]) || text[i] == '='); i++) continue;
  const char quote = i < s.end ? text[i] : '\0';
  for (i++; i < s.end && text[i] != quote && n < 63; i++) encoding[n++] = text[i];
  encoding[i < s.end && (quote == '"' || quote == '\'') && text[i] == quote ? n : 0] = '\0';
}

/* Parses the text; a misplaced declaration is replaced by white space. */
static jn_status parse(xml_reader *x, const char *text, size_t size) {
  const span s = find_declaration(text, size);
  const size_t length = s.end - s.begin;
  char blanks[DECLARATION + 2], encoding[64];
  int ok = 1;
  if (length > 0) {
    x->declaration_line = 1;
    for (size_t i = 0; i < s.begin; i++) x->declaration_line += text[i] == '\n';
    for (size_t i = 0; i < length; i++) blanks[i] = text[s.begin + i] == '\n' ? '\n' : ' ';
    read_encoding(text, s, encoding);
    if (encoding[0] != '\0' && XML_SetEncoding(x->parser, encoding) == XML_STATUS_ERROR)
      return jn_fail(x->error, JN_ERR_MEMORY, x->file, 0, "out of memory");
    ok = feed(x, text, s.begin, 0);
    if (ok && x->status == JN_OK) ok = feed(x, blanks, length, 0);
  }
  if (ok && x->status == JN_OK) ok = feed(x, text + s.end, size - s.end, 1);
  return ok ? x->status : xml_failure(x, text, size);
}

jn_status jn_xml_read(xml_reader *x, const char *text, size_t size) {
  x->parser = XML_ParserCreate(NULL);
  if (x->parser == NULL) return jn_fail(x->error, JN_ERR_MEMORY, x->file, 0, "out of memory");
  x->names = x->first_names;
  x->slots = JN_XML_FIRST_SLOTS;
  XML_SetUserData(x->parser, x);
  XML_SetElementHandler(x->parser, on_start, on_end);
  XML_SetCommentHandler(x->parser, on_comment);
  if (x->text != NULL) XML_SetCharacterDataHandler(x->parser, on_text);
  XML_SetProcessingInstructionHandler(x->parser, on_instruction);
  XML_SetStartDoctypeDeclHandler(x->parser, on_doctype);
  jn_status status = parse(x, text, size);
  XML_ParserFree(x->parser);
  x->parser = NULL;
  if (x->names != x->first_names) jn_block_free(x->hooks, x->names);
  return status;
}

/* ---- the root element */

typedef struct root {
  XML_Parser parser;
  char *name;
  size_t room;
} root;

static void XMLCALL on_root(void *context, const char *element, const char **attributes) {
  (void)attributes;
  root *r = context;
  snprintf(r->name, r->room, "%s", element);
  XML_StopParser(r->parser, XML_FALSE);
}

jn_status jn_xml_root_name(const char *text, size_t size, char *name, size_t room) {
  root r = {XML_ParserCreate(NULL), name, room};
  name[0] = '\0';
  if (r.parser == NULL) return JN_ERR_MEMORY;
  XML_SetUserData(r.parser, &r);
  XML_SetStartElementHandler(r.parser, on_root);
  enum XML_Status ok = XML_STATUS_OK;
  for (size_t given = find_declaration(text, size).end, piece; given < size && ok == XML_STATUS_OK;
       given += piece) {
    piece = size - given < XML_PIECE ? size - given : XML_PIECE;
    if (given > JN_MAX_XML_MARKUP) break; /* a document so long before its root has none */
    ok = XML_Parse(r.parser, text + given, (int)piece, XML_FALSE);
  }
  int lacks_memory = XML_GetErrorCode(r.parser) == XML_ERROR_NO_MEMORY;
  XML_ParserFree(r.parser);
  return lacks_memory ? JN_ERR_MEMORY : JN_OK;
}
