// StrBuf: doubling buffer; the last byte is always room for the NUL.
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"

enum { FLUSH_BYTES = 1 << 20 };

static void reserve(StrBuf *buf, size_t more) {
  size_t need;
  if (!size_add(buf->used, more, &need) || !size_add(need, 1, &need))
    guard_throw(buf->guard, status_no_memory());
  if (need <= buf->capacity) return;
  size_t capacity = buf->capacity ? buf->capacity * 2 : 256;
  if (capacity < need) capacity = need;
  char *data = mem_realloc(buf->data, capacity);
  if (!data) guard_throw(buf->guard, status_no_memory());
  buf->data = data;
  buf->capacity = capacity;
}

// Asked only when the buffer has to grow, so a buffer with a flush stays near FLUSH_BYTES.
static void hand_on_when_full(StrBuf *buf) {
  if (buf->flush && buf->used >= FLUSH_BYTES) strbuf_flush(buf);
}

void strbuf_init(StrBuf *buf, Guard *guard) { *buf = (StrBuf){.guard = guard}; }

void strbuf_deinit(StrBuf *buf) {
  mem_free(buf->data);
  *buf = (StrBuf){.guard = buf->guard};
}

void strbuf_put_slow(StrBuf *buf, const char *s, size_t n) {
  hand_on_when_full(buf);
  reserve(buf, n);
  if (n) memcpy(buf->data + buf->used, s, n);
  buf->used += n;
  buf->data[buf->used] = '\0';
}

void strbuf_put_int(StrBuf *buf, long long value) {
  char digits[24];
  char *at = digits + sizeof digits;
  unsigned long long left =
      value < 0 ? 0ULL - (unsigned long long)value : (unsigned long long)value;
  do {
    *--at = (char)('0' + left % 10);
    left /= 10;
  } while (left);
  if (value < 0) *--at = '-';
  strbuf_put(buf, at, (size_t)(digits + sizeof digits - at));
}

void strbuf_printf(StrBuf *buf, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  if (n > 0) {
    reserve(buf, (size_t)n);
    vsnprintf(buf->data + buf->used, (size_t)n + 1, fmt, again);
    buf->used += (size_t)n;
  }
  va_end(again);
  hand_on_when_full(buf);
}

void strbuf_flush(StrBuf *buf) {
  if (!buf->flush || !buf->used) return;
  Status *status = buf->flush(buf->to, buf->data, buf->used);
  buf->used = 0;
  buf->data[0] = '\0';
  if (status) guard_throw(buf->guard, status);
}
