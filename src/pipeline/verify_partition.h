// Does the local program compute the same as the global program? An engine runs both on the
// same data, random or given: one on one device, the other on all. Each device's results are
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
  double tolerance;     // of floats; 0 = from verify_tolerances, per result
  // Fills in the global arguments, owned by the heap; NULL = random ones.
  Status *(*arguments)(void *to, LiteralHeap *heap, uint32_t n, Literal **out);
  void *to;
  ScatterRule scatter;  // of both programs
  bool compiled;        // the compiled engine runs both (pipeline/engine.h), not the evaluator
} VerifyOptions;

typedef struct Verified {
  uint32_t n_devices, n_results;
  bool agree;
  double tolerance;               // largest used; 0 = everything was compared exactly
  double worst;                   // largest |got - want| / (1 + |want|) of floats
  bool rounded;                   // beyond the tolerance, but reassociation explains it
  uint64_t n_floats, not_finite;  // elements of the global results
  const char *where;              // a sentence on the first difference, in the arena; NULL if none
} Verified;

// local: the result of partitioning `global`, in the same context, for `mesh`. In `global`,
// partition_id of ops with a single-device sharding becomes a constant. Random data are small
// integers and halves; padding is poisoned. A global program that does not run is an error. If the
// local program does not run although the global one does, or gives other values, out->agree is
// false. If floats differ by more than the tolerance, the global program runs again with
// reassociated sums: elements that this moves may differ, too. Not if the options have a tolerance.
// O(evaluating both).
Status *verify_partition(Program *global, Program *local, ShardingTable *table, MeshId mesh,
                         const VerifyOptions *options, Guard *guard, Arena *arena,
                         Verified *out) MUST_USE;

#endif
