// StrBuf is a doubling buffer; its last byte is reserved for the NUL.
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"

static bool is_one_of(char c, const char *blanks) { return c && strchr(blanks, c); }

Str str_trim(Str s, const char *blanks) {
  while (s.n && is_one_of(s.s[0], blanks)) s.s++, s.n--;
  while (s.n && is_one_of(s.s[s.n - 1], blanks)) s.n--;
  return s;
}

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

// Called only when the buffer must grow, so a buffer with a flush stays near FLUSH_BYTES.
static void hand_on_when_full(StrBuf *buf) {
  if (buf->flush && buf->used >= FLUSH_BYTES) strbuf_flush(buf);
}

void strbuf_init(StrBuf *buf, Guard *guard) { *buf = (StrBuf){.guard = guard}; }

void strbuf_deinit(StrBuf *buf) {
  mem_free(buf->data);
  *buf = (StrBuf){.guard = buf->guard};
}

void strbuf_release(void *buf) { strbuf_deinit(buf); }

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

static inline uint32_t least_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Damerau-Levenshtein distance (optimal string alignment) by dynamic programming. Three rows
// suffice, since a swap looks back two.
uint32_t str_distance(Str a, Str b, uint32_t most) {
  enum { LONGEST = 64 };
  uint32_t rows[3][LONGEST + 1];  // rows i - 2, i - 1 and i, modulo 3
  size_t apart = a.n > b.n ? a.n - b.n : b.n - a.n;
  if (a.n > LONGEST || b.n > LONGEST || apart > most) return most + 1;
  for (uint32_t j = 0; j <= b.n; j++) rows[0][j] = j;
  for (uint32_t i = 1; i <= a.n; i++) {
    uint32_t *row = rows[i % 3];
    const uint32_t *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
    row[0] = i;
    for (uint32_t j = 1; j <= b.n; j++) {
      uint32_t best = above[j - 1] + (a.s[i - 1] != b.s[j - 1]);
      best = least_of(best, least_of(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a.s[i - 1] == b.s[j - 2] && a.s[i - 2] == b.s[j - 1])
        best = least_of(best, second[j - 2] + 1);
      row[j] = best;
    }
  }
  return least_of(rows[a.n % 3][b.n], most + 1);
}
