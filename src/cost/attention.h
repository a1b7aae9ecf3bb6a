// Attention whose scores are never stored: programs write softmax(q k) v as contractions and
// elementwise ops, and fused kernels (FlashAttention, splash attention) run them as one. Finds what
// such a kernel would run. Decides nothing.
#ifndef TESSERA_COST_ATTENTION_H
#define TESSERA_COST_ATTENTION_H

#include "cost/fusion.h"

// Arrays are indexed by value or op.
typedef struct Attention {
  bool *hidden;    // of a root: scores, which exist only inside of a kernel
  bool *inside;    // an elementwise op or reduction of scores: hidden behind the contractions
  double *work;    // of a contraction of a kernel: its FLOPs are to be multiplied by this; 0: none
  uint32_t count;  // of kernels: forward and backward are one unless layers are rematerialized
} Attention;

// A kernel is found at an exponential whose values come from contractions with batching dimensions,
// go to contractions, are reduced (the softmax), and go nowhere else: no collective, no result.
// Scores under a mask of constants count half: kernels skip blocks that a causal mask hides. A
// backward kernel computes the scores again; if the program does not, one contraction is added.
// O(program).
void attention_find(const Program *p, const Fusion *fusion, Arena *arena, Attention *out);

#endif
