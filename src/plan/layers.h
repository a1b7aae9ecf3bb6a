// The repeated layers of an entry function, and which layers of the forward pass, the backward pass
// and the update belong together.
#ifndef TESSERA_PLAN_LAYERS_H
#define TESSERA_PLAN_LAYERS_H

#include "ir/program.h"
#include "plan/ties.h"

// A stretch of n · period ops whose op i equals op i - period. Its window w, ops begin + w · period
// …, is layer label + step · w. A backward pass has step -1.
typedef struct LayerRun {
  uint32_t begin, period, n;
  int64_t label;
  int step;
} LayerRun;

typedef struct Layers {
  const OpId *ops;  // of the entry function, without its terminator
  uint32_t n_ops;
  const TieOp *ties;     // per op: which of `uses` are its own,
  const ValueId *uses;   // values from outside that it reads, also in its regions
  const uint32_t *made;  // per use: 1 + the number of the op that makes it; 0: an argument
  const LayerRun *runs;  // that do not overlap, and whose layers correspond
  uint32_t n_runs;       // 0: no layers repeat
  int64_t first, end;    // labels of layers that all runs have
} Layers;

// O(ops · candidates for the period).
void layers_find(const Program *p, OpId entry, Arena *arena, Layers *out);

#endif
