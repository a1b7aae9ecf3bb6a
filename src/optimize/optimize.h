// Local programs made cheaper: fewer and smaller collectives, no work twice, no work in vain.
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
  const Mesh *mesh;        // the program's devices; NULL: n_devices in a row
  uint32_t n_devices;      // without a mesh; 0 = not known, and nothing is done that depends on it
  ShardingTable *table;    // reads `tessera.sharding`; NULL: such an argument differs everywhere
  const Network *network;  // NULL = network_default
  const Compute *compute;  // NULL = compute_default
  // Arguments without `tessera.sharding` are the same on all devices, as partition_program means
  // it. Otherwise that is believed only of a function that has the attribute somewhere.
  bool edges_are_said;
  const char *passes;   // "share,dead": these only, each once, in this order; NULL = all
  bool rings;           // also contractions as rings, where that pays
  double bucket_bytes;  // most that is exchanged at once by combining; 0 = 32 MiB
  double
      paced_bytes;  // least result of a gather for which the form `paced` is worth it; 0 = 64 KiB
  // The form of collectives that the consumer of the program needs, "single": passes of
  // passes.def with WHEN_FORM, "xla" for all of them. They run last, also if `passes` does not
  // name them. "combined" or NULL: none of them.
  const char *collectives;
  struct Trades *trades;  // choices of passes, given and made (optimize/trades.h); NULL: by rule
} OptimizeOptions;

typedef struct OptimizeStats {
  uint32_t rounds;
  uint32_t changes[PASS_COUNT];  // rewrites of each pass
} OptimizeStats;

const char *pass_name(PassId pass);     // "share"
const char *pass_summary(PassId pass);  // what it does

// Rewrites a verified local program in place, as partition_program gives it: plain StableHLO with
// collectives that all devices run. Values stay what they are, of floats up
// to the order of sums. Nothing moves across an optimization_barrier, side effects stay as they
// are. INVALID_ARGUMENT for a pass or a form there is not. Near O(program).
// INVALID_ARGUMENT, with the forms there are, for a list that OptimizeOptions.collectives does not
// take.
Status *optimize_check_collectives(const char *list) MUST_USE;

Status *optimize_program(Program *local, const OptimizeOptions *options, Guard *guard, Diag *diag,
                         OptimizeStats *out) MUST_USE;

#endif
