// One op whose factors are split over mesh axes: which factors can be split, and the shardings of
// operands and results that follow. The partitioner (partition/choose.c) and the planner
// (plan/strategies.c) ask here, so that a planned split is one that the partitioner writes.
//
//   dot_general [i,k]x[k,j]->[i,j], i: "data", k: "model"
//   ->  operands [{"data"},{"model"}] and [{"model"},{}], result [{"data"},{}] unreduced {"model"}
#ifndef TESSERA_STRATEGY_SPLITTER_H
#define TESSERA_STRATEGY_SPLITTER_H

#include "cost/price.h"
#include "ops/localize.h"

typedef struct Splitter {
  const Program *p;
  Builder *builder;  // its table, mesh, manual axes and scratch arena
  OpId op;
  const FactorMap *m;
  const OpDef *def;
  bool blocks;  // no strided shards
  // Partial sums that pass through the op: their unreduced axes (none: they are reduced before the
  // op), the reducers of operands and of results, and per operand whether it is one.
  AxisList carried;
  Combine carried_in, carried_out;
  bool *partial;
} Splitter;

void splitter_init(Splitter *s, Builder *builder, OpId op, const FactorMap *m);

// False: values of the type stay replicated, and so do ops on them.
bool splitter_is_movable(const Context *context, Type type);
// Can the op be copied with local types if this factor is split? Other factors need a `splits`
// column of the op.
bool splitter_needs_no_column(const Factor *factor);
// Can the factor be split at all? The op's `splits` column may still remove the split. O(tensors).
bool splitter_can_split(const Splitter *s, uint32_t factor);
// Can the op run on strided shards? `splits` and `localize` columns assume contiguous tiles, unless
// the op's `strides` column says otherwise.
bool splitter_takes_strides(const Splitter *s);
// Does a factor, a carried partial sum or a manual computation use the axis, or part of it?
bool splitter_is_taken(const Splitter *s, const FactorSplit *splits, AxisRef axis);
// The longest prefix of the axes of which none is taken. A prefix: the axes of a dimension are
// major to minor, and a tile over a minor axis alone is another tile.
AxisList splitter_free_axes(const Splitter *s, const FactorSplit *splits, AxisList axes);
// From proposed splits to legal ones, and to the shardings of operands and results (0 =
// replicated). O(factors + tensors · rank).
void splitter_derive(const Splitter *s, Localizer *cx, Sharding *in_as, Sharding *out_as);
// The op's own communication (halos, permutes of its `localize` column), in `steps` messages.
// Columns count bytes for all axes together, so the slowest link of the axes in question prices
// them: those of factors that need a column, else all.
Price splitter_own_price(const Localizer *cx, const Network *network, uint32_t steps, Arena *arena);

#endif
