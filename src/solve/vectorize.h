// For the few loops in which the solver spends its time.
#ifndef TESSERA_SOLVE_VECTORIZE_H
#define TESSERA_SOLVE_VECTORIZE_H

// gcc vectorizes at -O2 only if it is sure to gain.
#if defined(__GNUC__) && !defined(__clang__)
#define VECTORIZE __attribute__((optimize("O3")))
#else
#define VECTORIZE
#endif

// Also compiled for AVX2, which the loader chooses. For loops that treat each element alone: their
// results do not depend on the width.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define VECTORIZE_WIDE __attribute__((optimize("O3"), target_clones("avx2", "default")))
#else
#define VECTORIZE_WIDE VECTORIZE
#endif

#endif
