// Copies past the caches, for results that are larger than them: no line is read before it is
// written.
#ifndef TESSERA_EXECUTE_KERNELS_STREAM_H
#define TESSERA_EXECUTE_KERNELS_STREAM_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// `to` and `from` do not overlap. Other threads see the bytes after they have synchronized with
// this one.
static inline void stream_copy(void *to, const void *from, size_t bytes) {
#if defined(__SSE2__)
  char *t = to;
  const char *f = from;
  size_t head = (0 - (uintptr_t)t) & 63;
  if (head > bytes) head = bytes;
  memcpy(t, f, head);
  size_t at = head;
  for (; at + 64 <= bytes; at += 64)
    for (size_t k = 0; k < 64; k += 16)
      _mm_stream_si128((__m128i *)(void *)(t + at + k),
                       _mm_loadu_si128((const __m128i *)(const void *)(f + at + k)));
  memcpy(t + at, f + at, bytes - at);
  _mm_sfence();
#else
  memcpy(to, from, bytes);
#endif
}

#endif
