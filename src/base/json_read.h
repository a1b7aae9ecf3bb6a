// Parses JSON text to a tree in an arena.
//
//   const JsonValue *links = json_get(machine, "links");
//   for (uint32_t i = 0; i < links->count; i++) use(&links->items[i]);
#ifndef TESSERA_BASE_JSON_READ_H
#define TESSERA_BASE_JSON_READ_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

typedef enum JsonKind {
  JSON_NULL,
  JSON_BOOL,
  JSON_NUMBER,
  JSON_STRING,
  JSON_ARRAY,
  JSON_OBJECT,
} JsonKind;

typedef struct JsonValue {
  JsonKind kind;
  bool truth;
  double number;
  const char *string;  // NUL-terminated UTF-8, escapes decoded
  uint32_t count;      // number of items
  const struct JsonValue *items;
  const char *const *keys;  // of an object, in text order
  uint32_t line;            // first line, from 1
} JsonValue;

// Parses a text that is one value. INVALID_ARGUMENT has the line and what was expected. At most 64
// levels deep. O(text).
Status *json_read(Str text, Arena *arena, const JsonValue **out) MUST_USE;

// The index of the first key of an object that is not in the list (NULL at its end) or is there
// twice; the count of the object's keys if there is none. O(keys · list).
uint32_t json_find_unknown(const JsonValue *object, const char *const *keys);
// A number without a fraction, from 0 to UINT32_MAX - 1.
bool json_is_uint(const JsonValue *value);

// A member of an object; NULL if it is no object or has no such key.
const JsonValue *json_get(const JsonValue *object, const char *key);

#endif
