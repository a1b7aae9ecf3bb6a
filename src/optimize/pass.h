// What passes share: the program at hand, and where it runs.
#ifndef TESSERA_OPTIMIZE_PASS_H
#define TESSERA_OPTIMIZE_PASS_H

#include "build/build.h"
#include "tensor/literal.h"
#include "ops/op.h"
#include "optimize/optimize.h"
#include "optimize/trades.h"

typedef struct DeviceTables DeviceTables;  // optimize/known.c
typedef struct GroupTable GroupTable;      // optimize/collective.h

typedef struct Optimizer {
  Program *p;
  Context *context;
  Guard *guard;
  const Network *network;
  Compute compute;
  ShardingTable *table;  // NULL = none
  const Mesh *mesh;      // NULL: n_devices in a row
  uint32_t n_devices;    // 0 = not known
  bool edges_are_said;
  double bucket_bytes, paced_bytes;
  bool single;       // each collective has one operand: none are combined
  bool typed;        // operands and results of sums have one type: those of others are not combined
  Arena arena;       // as long as the program is being optimized
  Arena scratch;     // of the pass at hand
  LiteralHeap heap;  // of values known beforehand
  DeviceTables *devices;  // NULL until asked for; in the arena
  GroupTable *groups;
  Trades *trades;  // NULL: choices are by rule
} Optimizer;

// Builders of passes: between rounded_join and rounded_split a sum of 16-bit floats is one op.
static inline Builder rewrite_like(Program *p, OpId before, OpId model) {
  Builder b = build_like(p, before, model);
  b.joined = true;
  return b;
}
static inline Builder rewrite_before(Program *p, OpId before) {
  return rewrite_like(p, before, before);
}

// Each takes a verified program, leaves a verified one and gives the number of its rewrites.
#define PASS(name, ...) uint32_t pass_##name(Optimizer *o);
#include "optimize/passes.def"
#undef PASS

#endif
