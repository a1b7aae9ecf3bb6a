// A JSON writer on StrBuf: one flag tells whether a comma is due. O(text).
#include "base/json.h"

#include <inttypes.h>
#include <math.h>

static void before_value(Json *json) {
  if (json->comma) strbuf_putc(json->out, ',');
  json->comma = true;
}

void json_open(Json *json, char bracket) {
  before_value(json);
  strbuf_putc(json->out, bracket);
  json->comma = false;
}

void json_close(Json *json, char bracket) {
  strbuf_putc(json->out, bracket);
  json->comma = true;
}

// Length of the well-formed UTF-8 sequence at s (at most n bytes); 0 if there is none.
static size_t utf8_length(const unsigned char *s, size_t n) {
  if (s[0] < 0x80) return 1;
  size_t need = s[0] >= 0xC2 && s[0] < 0xE0   ? 2
                : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                              : 0;
  if (need == 0 || need > n) return 0;
  for (size_t i = 1; i < need; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  if (s[0] == 0xE0 && s[1] < 0xA0) return 0;   // overlong
  if (s[0] == 0xED && s[1] >= 0xA0) return 0;  // surrogate
  if (s[0] == 0xF0 && s[1] < 0x90) return 0;
  if (s[0] == 0xF4 && s[1] >= 0x90) return 0;
  return need;
}

static void put_quoted(StrBuf *out, Str text) {
  strbuf_putc(out, '"');
  for (size_t i = 0; i < text.n;) {
    unsigned char c = (unsigned char)text.s[i];
    size_t length = utf8_length((const unsigned char *)text.s + i, text.n - i);
    if (length == 0) {
      strbuf_puts(out, "\xEF\xBF\xBD");
      length = 1;
    } else if (c == '"' || c == '\\') {
      strbuf_putc(out, '\\');
      strbuf_putc(out, (char)c);
    } else if (c == '\n') {
      strbuf_puts(out, "\\n");
    } else if (c < 0x20 || c == 0x7F) {
      strbuf_printf(out, "\\u%04x", c);
    } else {
      strbuf_put(out, text.s + i, length);
    }
    i += length;
  }
  strbuf_putc(out, '"');
}

void json_key(Json *json, const char *key) {
  before_value(json);
  put_quoted(json->out, str_of(key));
  strbuf_putc(json->out, ':');
  json->comma = false;
}

void json_str(Json *json, Str text) {
  before_value(json);
  put_quoted(json->out, text);
}

void json_string(Json *json, const char *text) { json_str(json, str_of(text)); }

void json_raw(Json *json, Str text) {
  before_value(json);
  strbuf_put_str(json->out, text);
}

void json_int(Json *json, int64_t value) {
  before_value(json);
  strbuf_printf(json->out, "%" PRId64, value);
}

void json_uint(Json *json, uint64_t value) {
  char digits[20];  // without printf: files have a hundred thousand numbers
  size_t at = sizeof digits;
  do {
    digits[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  before_value(json);
  strbuf_put(json->out, digits + at, sizeof digits - at);
}

void json_double(Json *json, double value) {
  if (!isfinite(value)) {
    json_null(json);
    return;
  }
  before_value(json);
  strbuf_printf(json->out, "%.17g", value);
}

void json_bool(Json *json, bool value) {
  before_value(json);
  strbuf_puts(json->out, value ? "true" : "false");
}

void json_null(Json *json) {
  before_value(json);
  strbuf_puts(json->out, "null");
}

void json_newline(Json *json) {
  strbuf_putc(json->out, '\n');
  json->comma = false;
}

void json_break(Json *json, uint32_t indent) {
  if (json->comma) strbuf_putc(json->out, ',');
  json->comma = false;
  strbuf_putc(json->out, '\n');
  for (uint32_t i = 0; i < indent; i++) strbuf_putc(json->out, ' ');
}
