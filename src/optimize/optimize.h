// Makes local programs cheaper: fewer and smaller collectives, no repeated and no unused work.
#ifndef TESSERA_OPTIMIZE_OPTIMIZE_H
#define TESSERA_OPTIMIZE_OPTIMIZE_H

#include "base/diag.h"
#include "cost/compute.h"
#include "cost/network.h"
#include "ir/program.h"
#include "sharding/sharding.h"

typedef enum PassId {
#define PASS(name, ...) PASS_##name,
#include "optimize/passes.def"
#undef PASS
  PASS_COUNT
} PassId;

typedef struct OptimizeOptions {
  const Mesh *mesh;    // the program's devices; NULL: one axis of n_devices
  uint32_t n_devices;  // without a mesh; 0 = unknown: passes that need it do nothing
  ShardingTable
      *table;  // reads `tessera.sharding`; NULL: an argument that has it varies along all axes
  const Network *network;  // NULL = network_default
  const Compute *compute;  // NULL = compute_default
  // Arguments without `tessera.sharding` are replicated, as in the results of partition_program. If
  // false, that holds only in functions that have the attribute on some argument or result.
  bool edges_are_annotated;
  const char *passes;   // "share,dead": only these, each once, in this order; NULL = all
  bool rings;           // run pass `matmul`: overlapped rings where they are faster
  double bucket_bytes;  // largest combined collective; 0 = 32 MiB
  double paced_bytes;   // smallest result of an all_gather that pass `paced` delays; 0 = 64 KiB
  // The form of collectives that the program's consumer needs, such as "single": a list of the
  // passes with WHEN_FORM in passes.def, or "xla" for all of them. They run last, also if `passes`
  // does not name them. "combined" or NULL: none of them.
  const char *collectives;
  struct Trades *trades;  // choices of passes, given and made (optimize/trades.h); NULL: by rule
} OptimizeOptions;

typedef struct OptimizeStats {
  uint32_t iterations;
  uint32_t changes[PASS_COUNT];  // rewrites of each pass
} OptimizeStats;

const char *pass_name(PassId pass);     // "share"
const char *pass_summary(PassId pass);  // what it does

// INVALID_ARGUMENT, with the list of forms, if OptimizeOptions.collectives does not accept the
// list.
Status *optimize_check_collectives(const char *list) MUST_USE;

// Rewrites a verified local program (StableHLO with collectives) in place. Values stay equal, of
// floats up to the order of sums. Nothing moves across an optimization_barrier; side effects keep
// their order. INVALID_ARGUMENT for an unknown pass or form. Near O(program).
Status *optimize_program(Program *local, const OptimizeOptions *options, Guard *guard, Diag *diag,
                         OptimizeStats *out) MUST_USE;

#endif
