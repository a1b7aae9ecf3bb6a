// What ASan and TSan cannot see by themselves: memory that is divided by our own code, and accesses
// of code that they have not instrumented. All of it is nothing in other builds.
#ifndef TESSERA_BASE_SANITIZE_H
#define TESSERA_BASE_SANITIZE_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZE_ADDRESS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZE_ADDRESS 1
#endif
#endif
#ifndef SANITIZE_ADDRESS
#define SANITIZE_ADDRESS 0
#endif

#if defined(__SANITIZE_THREAD__)
#define SANITIZE_THREAD 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZE_THREAD 1
#endif
#endif
#ifndef SANITIZE_THREAD
#define SANITIZE_THREAD 0
#endif

// Tests draw fewer cases in these builds: bits are compared in the others.
#define SANITIZED (SANITIZE_ADDRESS || SANITIZE_THREAD)

#if SANITIZE_ADDRESS
#include <sanitizer/asan_interface.h>
#endif
#if SANITIZE_THREAD
// TSan's runtime exports them, without a header.
void __tsan_read_range(void *at, unsigned long bytes);
void __tsan_write_range(void *at, unsigned long bytes);
#endif

// Every access to the bytes is an error from now on. Shadow memory counts in 8 bytes: `at` must be
// a multiple of that.
static inline void sanitize_hide(const void *at, size_t bytes) {
#if SANITIZE_ADDRESS
  if (bytes) __asan_poison_memory_region(at, bytes);
#else
  (void)at, (void)bytes;
#endif
}
// The bytes may be used again.
static inline void sanitize_show(const void *at, size_t bytes) {
#if SANITIZE_ADDRESS
  if (bytes) __asan_unpoison_memory_region(at, bytes);
#else
  (void)at, (void)bytes;
#endif
}

// This thread reads or writes the bytes, in code that TSan has not instrumented.
static inline void sanitize_read(const void *at, size_t bytes) {
#if SANITIZE_THREAD
  if (bytes) __tsan_read_range((void *)(size_t)at, bytes);
#else
  (void)at, (void)bytes;
#endif
}
static inline void sanitize_write(void *at, size_t bytes) {
#if SANITIZE_THREAD
  if (bytes) __tsan_write_range(at, bytes);
#else
  (void)at, (void)bytes;
#endif
}

#endif
