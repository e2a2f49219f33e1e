/* xml.h (private): one pass over the elements of an XML text, with the limits of limits.h.
 *
 * The text is not trusted. A document type, and so every entity, is refused. Depth, attributes,
 * names and the length of a tag are limited, and so is the memory that expat takes. */
#ifndef JOUNCE_SRC_XML_H
#define JOUNCE_SRC_XML_H

#include <expat.h>
#include <jounce/base.h>
#include <stdarg.h>
#include <stdint.h>

enum { JN_XML_FIRST_SLOTS = 64 }; /* of a hash table of names; it doubles when it is half full */

typedef struct xml_reader {
  /* set before jn_xml_read */
  const jn_allocator *hooks;
  const char *file; /* in messages */
  jn_error *error;  /* may be NULL */
  int most_depth;   /* elements nested deeper are refused */
  int depth;        /* of the current element; its value at the start is that of the whole text */
  void *context;
  void (*start)(void *context, const char *element, const char **attributes);
  void (*end)(void *context);
  void (*text)(void *context, const char *text, int length); /* characters; NULL: ignored */
  /* set by jn_xml_read */
  jn_status status;
  int declaration_line; /* of <?xml ...?>, where it is not at the start of the text; 0: it is */
  size_t given;         /* bytes given to expat */
  XML_Parser parser;
  uint64_t *names; /* [slots] hashes of the names of elements and attributes; 0: free */
  size_t slots;
  size_t name_count;
  uint64_t first_names[JN_XML_FIRST_SLOTS];
} xml_reader;

/* Calls `start` and `end` for each element, until one of them fails. The reader must be zero apart
 * from what the caller sets. */
jn_status jn_xml_read(xml_reader *x, const char *text, size_t size);

int jn_xml_line(const xml_reader *x); /* of the current element */

/* Records the first failure; reading stops. */
void jn_xml_stop(xml_reader *x, jn_status status);
void jn_xml_fail_list(xml_reader *x, jn_status status, int line, const char *format, va_list list);
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void jn_xml_fail(xml_reader *x, jn_status status, int line, const char *format, ...);

/* The name of the root element, cut to the room of `name`; empty when the text has none. */
jn_status jn_xml_root_name(const char *text, size_t size, char *name, size_t room);

/* The value of an attribute; NULL: absent. */
const char *jn_xml_attribute(const char *const *attributes, const char *name);

/* FNV-1a, continued from `hash`; start with jn_xml_hash_start */
static const uint64_t jn_xml_hash_start = 14695981039346656037u;
uint64_t jn_xml_hash(uint64_t hash, const char *text);

#endif
