// Does the local program do what the global one does? Both are run by the evaluator on the same
// data, random or given, one on one device, the other on all, and each device's results are
// compared.
#ifndef TESSERA_PIPELINE_VERIFY_PARTITION_H
#define TESSERA_PIPELINE_VERIFY_PARTITION_H

#include "ir/program.h"
#include "tensor/literal.h"
#include "ops/eval.h"
#include "sharding/sharding.h"

typedef struct VerifyOptions {
  uint64_t seed;
  uint64_t most_steps;  // ops executed, per program; 0 = no limit
  size_t most_bytes;    // of values alive at once; 0 = no limit
  const char *entry;    // the function; NULL = main
  bool positive;        // data from 0 on: second moments, variances
  double tolerance;     // of floats; 0 = what verify_tolerances says of the result
  // The whole program's arguments, owned by the heap, instead of random ones; NULL: random.
  Status *(*arguments)(void *to, LiteralHeap *heap, uint32_t n, Literal **out);
  void *to;
  ScatterRule scatter;  // by which both programs run
} VerifyOptions;

typedef struct Verified {
  uint32_t n_devices, n_results;
  bool agree;
  double tolerance;               // largest used; 0 = everything was compared exactly
  double worst;                   // largest |got - want| / (1 + |want|) of floats
  bool rounded;                   // farther off than the tolerance, as rounding explains
  uint64_t n_floats, not_finite;  // of the whole results
  const char *where;              // the first difference in words, in the arena; NULL if all agree
} Verified;

// `local` is what partition_program made of `global`, in the same context; `mesh` as it said.
// partition_id of ops with a single-device sharding becomes a constant in `global`, too. Data
// are small integers and halves; padding is poison. A whole program that cannot be run is an error;
// a local one that cannot though the whole can, or gives other values, has out->agree false. Where
// floats are farther off than the tolerance, the whole program is run again with its sums in other
// brackets, as devices put them: elements that this moves may be off as well (not if the options
// say a tolerance). O(evaluating both).
Status *verify_partition(Program *global, Program *local, ShardingTable *table, MeshId mesh,
                         const VerifyOptions *options, Guard *guard, Arena *arena,
                         Verified *out) MUST_USE;

#endif
