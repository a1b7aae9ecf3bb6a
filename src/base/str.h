// String views and an output buffer.
#ifndef TESSERA_BASE_STR_H
#define TESSERA_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/guard.h"

typedef struct Str {
  const char *s;  // not NUL-terminated
  size_t n;
} Str;

static inline Str str_of(const char *s) { return (Str){s, strlen(s)}; }
static inline bool str_equal(Str a, Str b) {
  return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}
static inline bool str_is(Str a, const char *s) { return str_equal(a, str_of(s)); }
static inline bool str_starts(Str a, const char *prefix) {
  size_t n = strlen(prefix);
  return a.n >= n && memcmp(a.s, prefix, n) == 0;
}

// The text without blanks at both ends.
Str str_trim(Str s, const char *blanks);
// Edit distance from a to b: changes, insertions, deletions and swaps of neighbours. Returns
// `most` + 1 if it is above `most`, or a text is too long for a name. O(|a| · |b|).
uint32_t str_distance(Str a, Str b, uint32_t most);

// An output buffer. Grows on the heap; with `flush` it is flushed when it holds a megabyte.
typedef struct StrBuf {
  Guard *guard;  // out-of-memory and flush errors are thrown there
  char *data;    // NUL-terminated after every call
  size_t used, capacity;
  Status *(*flush)(void *to, const char *data, size_t n);
  void *to;
} StrBuf;

void strbuf_init(StrBuf *buf, Guard *guard);
void strbuf_deinit(StrBuf *buf);
void strbuf_release(void *buf);  // for a GuardCleanup
void strbuf_put_slow(StrBuf *buf, const char *s, size_t n);
static inline void strbuf_put(StrBuf *buf, const char *s, size_t n) {
  if (buf->capacity - buf->used <= n) {
    strbuf_put_slow(buf, s, n);
    return;
  }
  if (n) memcpy(buf->data + buf->used, s, n);
  buf->used += n;
  buf->data[buf->used] = '\0';
}
static inline void strbuf_putc(StrBuf *buf, char c) { strbuf_put(buf, &c, 1); }
static inline void strbuf_puts(StrBuf *buf, const char *s) { strbuf_put(buf, s, strlen(s)); }
static inline void strbuf_put_str(StrBuf *buf, Str s) { strbuf_put(buf, s.s, s.n); }
void strbuf_put_int(StrBuf *buf, long long value);
void strbuf_printf(StrBuf *buf, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_flush(StrBuf *buf);  // flushes the rest, if there is a flush function

#endif
