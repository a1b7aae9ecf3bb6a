// Loops compiled for several instruction sets of x86, chosen at run time.
//
// The build targets baseline x86-64. A loop that is worth more is written once, as an always_inline
// body, and compiled for AVX-512, AVX2 and the baseline. No variant contracts or reassociates, so
// all give the same bits. Files that use this are compiled with -O3 (Makefile).
#ifndef TESSERA_TENSOR_VECTORIZE_H
#define TESSERA_TENSOR_VECTORIZE_H

#define VECTOR_BODY static inline __attribute__((always_inline))

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#if defined(__clang__)
#define VECTOR_512 "avx512f,avx512bw,avx512dq,avx512vl,avx2"
#else
#define VECTOR_512 "avx512f,avx512bw,avx512dq,avx512vl,avx2,prefer-vector-width=512"
#endif
// Defines `static void name params`, which calls name##_body.
#define VECTOR_CLONES(name, params, args)                                                          \
  __attribute__((target(VECTOR_512))) static void name##_512 params { name##_body args; }          \
  __attribute__((target("avx2"))) static void name##_256 params { name##_body args; }              \
  static void name##_128 params { name##_body args; }                                              \
  static void name params {                                                                        \
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&                \
        __builtin_cpu_supports("avx512dq"))                                                        \
      name##_512 args;                                                                             \
    else if (__builtin_cpu_supports("avx2"))                                                       \
      name##_256 args;                                                                             \
    else                                                                                           \
      name##_128 args;                                                                             \
  }
#else
#define VECTOR_CLONES(name, params, args)                                                          \
  static void name params { name##_body args; }
#endif

#endif
