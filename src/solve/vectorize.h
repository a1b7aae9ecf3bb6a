// For the few loops in which the solver spends its time.
#ifndef TESSERA_SOLVE_VECTORIZE_H
#define TESSERA_SOLVE_VECTORIZE_H

// gcc vectorizes at -O2 only if it is sure to gain.
#if defined(__GNUC__) && !defined(__clang__)
#define VECTORIZE __attribute__((optimize("O3")))
#else
#define VECTORIZE
#endif

#endif
