// All ways to run an op on the mesh: every assignment of mesh axes to its factors that the op can
// run with, and partial sums that pass through it. Also all shardings that a value may be held in.
//
//   dot_general [i,k]x[k,j], mesh "x"=4, "y"=2      x -> i, j, k or none; y likewise: 16 strategies
//   add of two partial sums over "y"                y -> dimension 0, 1, none, or carried
//   reshape [4,8] -> [32]                           x -> the 8: the result is strided, nothing
//   moves add of [32], and a reshape merges 4 x 8         x -> the 8 of the 32 as well
//
// A list of shardings has one entry per strategy. Lists are interned: ops of equal code, attributes
// and types share their strategies, and a matrix of prices between two lists is computed once.
#ifndef TESSERA_PLAN_STRATEGIES_H
#define TESSERA_PLAN_STRATEGIES_H

#include "base/idmap.h"
#include "base/vec.h"
#include "ops/custom_rules.h"
#include "strategy/splitter.h"

enum { STRATEGIES_MOST_AXES = 6 };  // of a mesh

typedef uint32_t ListId;  // 0 = none

typedef struct ShardingList {
  const Sharding *v;
  uint32_t n;
} ShardingList;

typedef struct OpStrategy {
  const AxisList *axes;  // per factor
  // One factor may be split in strides: it is strides[0].size x strides[1].size, each with its
  // axes.
  const ShardFactor *strides;  // two; NULL = none
  uint32_t stride_factor;
  bool strided;      // dimensions of several factors may be strided
  AxisList carried;  // axes of partial sums that pass through
  uint32_t partial;  // bit i: operand i is one of them
  double work;       // fraction of the op's FLOPs that a device computes
  Price own;         // communication inside of the op
} OpStrategy;

typedef struct StrategySet {
  FactorMap map;
  uint32_t n, cut;  // cut: strategies left out, beyond the limit
  const OpStrategy *items;
  const ListId *in, *out;  // per operand and result
} StrategySet;

// The axes that are assigned: those of the mesh, one of which may be divided into two sub-axes.
typedef struct AxisDivision {
  AxisRef axes[STRATEGIES_MOST_AXES];
  uint32_t n;
  uint32_t divided;  // the first of the two sub-axes; n: none
} AxisDivision;

// A dimension of size outer · inner that a reshape of the program merges or divides.
typedef struct StridePattern {
  int64_t outer, inner;
} StridePattern;

typedef struct HeldList {
  Type type;
  bool carried;
  ListId list;
} HeldList;

typedef struct Strategies {
  Program *p;
  ShardingTable *table;
  MeshId mesh;
  const Network *network;
  CustomRules *call_rules;  // of custom calls; NULL = none
  uint32_t most;            // strategies per op
  uint32_t least_uneven;    // elements per device of a factor that is split unevenly
  Guard *guard;
  Arena arena, scratch;
  Builder builder;
  VEC(ShardingList) lists;  // [0] unused
  VEC(StrategySet) sets;    // [0]: of ops that run on replicated operands only
  VEC(uint64_t) keys;       // of the sets
  VEC(StridePattern) patterns;
  VEC(AxisDivision) divisions;  // [0]: the mesh's axes; none if the mesh has too many
  VEC(HeldList) held;           // of strategies_held and strategies_carried; [0] unused
  IdMap list_ids, set_ids, held_ids;
} Strategies;

void strategies_init(Strategies *s, Program *p, ShardingTable *table, MeshId mesh,
                     const Network *network, Guard *guard);
void strategies_release(void *s);  // for a GuardCleanup

static inline ShardingList strategies_list(const Strategies *s, ListId list) {
  return s->lists.items[list];
}
ListId strategies_intern(Strategies *s, const Sharding *shardings, uint32_t n);

// One axis of the mesh may be divided into two sub-axes: dimensions of 2 and 4 share an axis of 8.
// Before the first list is made. O(1).
void strategies_divide_axes(Strategies *s);
// Finds the dimensions that reshapes merge, so that ops between them may be strided. Before the
// first strategies_of_op; without it there are strided reshapes only. O(program).
void strategies_find_patterns(Strategies *s);
// The strategies of an op: an index of s->sets; 0 if it runs on replicated operands only. O(1) if
// an equal op came before, else O(strategies · tensors · rank).
uint32_t strategies_of_op(Strategies *s, OpId op);
// The shardings that a value of the type may be held in at the program's borders: axes that divide
// its dimensions. The first is 0, replicated.
ListId strategies_held(Strategies *s, Type type);
// The same for a loop carry to which the body only adds: also partial sums, which are reduced
// behind the loop.
ListId strategies_carried(Strategies *s, Type type);

#endif
