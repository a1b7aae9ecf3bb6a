// The state that all passes share: the program, its devices, memory.
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
  const Mesh *mesh;      // NULL: one axis of n_devices
  uint32_t n_devices;    // 0 = unknown
  bool edges_are_annotated;
  double bucket_bytes, paced_bytes;
  bool single;       // form `single` is requested, so `bucket` combines nothing
  bool typed;        // form `typed` is requested, so `bucket` combines operands of one type only
  Arena arena;       // lives until optimize_program returns
  Arena scratch;     // of the current pass
  LiteralHeap heap;  // literals of known.c
  DeviceTables *devices;  // NULL until first used; in the arena
  GroupTable *groups;
  Trades *trades;  // NULL: choices are by rule
} Optimizer;

// Builders for passes. Between rounded_join and rounded_split a sum of 16-bit floats is one op, and
// `joined` makes builders emit it so.
static inline Builder rewrite_like(Program *p, OpId before, OpId model) {
  Builder b = build_like(p, before, model);
  b.joined = true;
  return b;
}
static inline Builder rewrite_before(Program *p, OpId before) {
  return rewrite_like(p, before, before);
}

// Each takes a verified program, leaves a verified one and returns the number of its rewrites.
#define PASS(name, ...) uint32_t pass_##name(Optimizer *o);
#include "optimize/passes.def"
#undef PASS

#endif
