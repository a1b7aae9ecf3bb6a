// Recursive descent over RFC 8259. A string's bytes are copied once, with escapes decoded. O(text).
#include "base/json_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { MOST_DEPTH = 64, MOST_NUMBER = 400 };

typedef struct Reader {
  const char *at, *end;
  uint32_t line, depth;
  Arena *arena;
} Reader;

static void skip_space(Reader *r) {
  for (; r->at < r->end && memchr(" \t\r\n", *r->at, 4); r->at++) r->line += *r->at == '\n';
}

static bool take(Reader *r, char c) {
  skip_space(r);
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static Status *expected(const Reader *r, const char *what) {
  if (r->at == r->end) FAIL(INVALID_ARGUMENT, "line %u: the text ends, expected %s", r->line, what);
  FAIL(INVALID_ARGUMENT, "line %u: '%c', expected %s", r->line,
       *r->at >= ' ' && *r->at < 127 ? *r->at : '?', what);
}

// ---- strings ----

static bool read_hex(Reader *r, uint32_t *out) {
  *out = 0;
  if (r->end - r->at < 4) return false;
  for (uint32_t i = 0; i < 4; i++, r->at++) {
    static const char digits[] = "0123456789abcdef";
    const char *digit = memchr(digits, *r->at | 0x20, 16);
    if (!digit || *r->at < '0') return false;
    *out = *out * 16 + (uint32_t)(digit - digits);
  }
  return true;
}

static char *put_utf8(char *to, uint32_t c) {
  if (c < 0x80) {
    *to++ = (char)c;
  } else if (c < 0x800) {
    *to++ = (char)(0xc0 | c >> 6);
    *to++ = (char)(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    *to++ = (char)(0xe0 | c >> 12);
    *to++ = (char)(0x80 | (c >> 6 & 0x3f));
    *to++ = (char)(0x80 | (c & 0x3f));
  } else {
    *to++ = (char)(0xf0 | c >> 18);
    *to++ = (char)(0x80 | (c >> 12 & 0x3f));
    *to++ = (char)(0x80 | (c >> 6 & 0x3f));
    *to++ = (char)(0x80 | (c & 0x3f));
  }
  return to;
}

// Reads what follows \u: one character, or a surrogate pair.
static bool read_unicode(Reader *r, uint32_t *out) {
  uint32_t low;
  if (!read_hex(r, out) || *out == 0) return false;
  if (*out < 0xd800 || *out > 0xdfff) return true;
  if (*out > 0xdbff || r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u') return false;
  r->at += 2;
  if (!read_hex(r, &low) || low < 0xdc00 || low > 0xdfff) return false;
  *out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
  return true;
}

static Status *read_string(Reader *r, const char **out) {
  if (!take(r, '"')) return expected(r, "a string");
  const char *stop = r->at;
  while (stop < r->end && *stop != '"') stop += *stop == '\\' && stop + 1 < r->end ? 2 : 1;
  char *text = arena_alloc(r->arena, (size_t)(stop - r->at) + 1), *to = text;
  while (r->at < r->end && *r->at != '"') {
    if ((unsigned char)*r->at < ' ') return expected(r, "no control character in a string");
    if (*r->at != '\\') {
      *to++ = *r->at++;
      continue;
    }
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    r->at++;
    const char *escape = r->at < r->end ? memchr(from, *r->at, sizeof from - 1) : NULL;
    uint32_t c;
    if (escape) {
      *to++ = into[escape - from];
      r->at++;
    } else if (r->at < r->end && *r->at == 'u') {
      r->at++;
      if (!read_unicode(r, &c)) return expected(r, "four digits of a character");
      to = put_utf8(to, c);
    } else {
      return expected(r, "an escape");
    }
  }
  if (r->at == r->end) return expected(r, "the end of a string");
  r->at++;
  *to = 0;
  *out = text;
  return NULL;
}

// ---- values ----

static Status *read_value(Reader *r, JsonValue *out);

static Status *read_items(Reader *r, bool object, JsonValue *out) {
  VEC(JsonValue) items = {0};
  VEC(const char *) keys = {0};
  char close = object ? '}' : ']';
  if (!take(r, close)) {
    do {
      const char *key = NULL;
      JsonValue value;
      if (object) {
        TRY(read_string(r, &key));
        if (!take(r, ':')) return expected(r, "':'");
      }
      TRY(read_value(r, &value));
      VEC_PUSH(r->arena, &items, value);
      VEC_PUSH(r->arena, &keys, key);
    } while (take(r, ','));
    if (!take(r, close)) return expected(r, object ? "',' or '}'" : "',' or ']'");
  }
  out->items = items.items;
  out->count = items.count;
  out->keys = keys.items;
  return NULL;
}

// Reads a minus sign, digits without leading zeros, a fraction, an exponent.
static Status *read_number(Reader *r, JsonValue *out) {
  char text[MOST_NUMBER + 1];
  size_t n = 0;
  const char *begin = r->at;
  while (r->at < r->end && n < MOST_NUMBER && memchr("+-.0123456789eE", *r->at, 15))
    text[n++] = *r->at++;
  text[n] = 0;
  const char *digits = text + (*text == '-');
  char *stop = NULL;
  out->number = strtod(text, &stop);
  bool zeros = digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
  if (!n || *stop || digits[0] < '0' || digits[0] > '9' || zeros || stop[-1] == '.') {
    r->at = begin;
    return expected(r, "a value");
  }
  return NULL;
}

static bool take_word(Reader *r, const char *word) {
  size_t n = strlen(word);
  if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0) return false;
  r->at += n;
  return true;
}

static Status *read_value(Reader *r, JsonValue *out) {
  skip_space(r);
  *out = (JsonValue){.line = r->line};
  if (r->at == r->end) return expected(r, "a value");
  char c = *r->at;
  if (c == '{' || c == '[') {
    if (++r->depth > MOST_DEPTH) FAIL(INVALID_ARGUMENT, "line %u: too deeply nested", r->line);
    r->at++;
    out->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
    TRY(read_items(r, c == '{', out));
    r->depth--;
    return NULL;
  }
  if (c == '"') {
    out->kind = JSON_STRING;
    return read_string(r, &out->string);
  }
  if (take_word(r, "null")) return NULL;
  out->kind = JSON_BOOL;
  out->truth = take_word(r, "true");
  if (out->truth || take_word(r, "false")) return NULL;
  out->kind = JSON_NUMBER;
  return read_number(r, out);
}

Status *json_read(Str text, Arena *arena, const JsonValue **out) {
  Reader r = {text.s, text.s + text.n, 1, 0, arena};
  JsonValue *value = ARENA_NEW(arena, JsonValue);
  TRY(read_value(&r, value));
  skip_space(&r);
  if (r.at < r.end) return expected(&r, "the end");
  *out = value;
  return NULL;
}

const JsonValue *json_get(const JsonValue *object, const char *key) {
  for (uint32_t i = 0; object && object->kind == JSON_OBJECT && i < object->count; i++)
    if (strcmp(object->keys[i], key) == 0) return &object->items[i];
  return NULL;
}

uint32_t json_find_unknown(const JsonValue *object, const char *const *keys) {
  for (uint32_t i = 0; i < object->count; i++) {
    const char *const *k = keys;
    while (*k && strcmp(*k, object->keys[i]) != 0) k++;
    if (!*k || json_get(object, *k) != &object->items[i]) return i;
  }
  return object->count;
}

bool json_is_uint(const JsonValue *v) {
  return v->kind == JSON_NUMBER && v->number >= 0 && v->number < UINT32_MAX &&
         v->number == (double)(uint32_t)v->number;
}
