// Writes JSON text with commas and escapes.
//
//   Json json = {.out = &buf};
//   json_open(&json, '{'); json_key(&json, "file"); json_string(&json, path); json_close(&json,
//   '}');
#ifndef TESSERA_BASE_JSON_H
#define TESSERA_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

typedef struct Json {
  StrBuf *out;
  bool comma;  // a comma is due before the next value
} Json;

void json_open(Json *json, char bracket);   // '{' or '['
void json_close(Json *json, char bracket);  // '}' or ']'
void json_key(Json *json, const char *key);
void json_string(Json *json, const char *text);  // UTF-8; invalid bytes become U+FFFD
void json_str(Json *json, Str text);
void json_int(Json *json, int64_t value);
void json_uint(Json *json, uint64_t value);
void json_double(Json *json, double value);  // null if not finite
void json_bool(Json *json, bool value);
void json_null(Json *json);
void json_raw(Json *json, Str text);  // a value that is JSON already
void json_newline(Json *json);        // ends a line of JSON lines
// A line break before the next value, for text that people edit.
void json_break(Json *json, uint32_t indent);

#endif
