// One global program to the program that each device runs: the same ops on parts of the tensors,
// with collectives where parts must meet. (Decision D5: a bundle, all of it in the text.)
#ifndef TESSERA_PARTITION_PARTITION_H
#define TESSERA_PARTITION_PARTITION_H

#include "cost/machine.h"
#include "ir/program.h"
#include "ops/custom_rules.h"
#include "sharding/sharding.h"

struct Localizer;      // ops/localize.h
struct RedundantList;  // partition/redundant.h

typedef struct PartitionOptions {
  const Network *network;  // NULL = network_default
  const Machine *machine;  // says the network of each mesh instead, and the devices' speed; or NULL
  bool poison;             // padding that nothing may read is NaN, or the least integer: for tests
  bool why;                // locations of what exchanges say why (reason.h)
  struct RedundantList *redundant;  // to be filled, its arena set (redundant.h); NULL = not asked
  CustomRules *call_rules;          // of custom calls, beside those of the program; NULL = none
  bool blocks;                      // no tiles in strides: for text, which has no words for them
  // Told of every op written for tiles, with how its factors are split: for tests. May be NULL.
  void (*on_split)(void *user, const struct Localizer *cx);
  void *user;
} PartitionOptions;

// Rewrites a verified program whose values carry sdy shardings (none = replicated, open dimensions
// are taken as they are) in place: functions get local types, `tessera.global` and
// `tessera.sharding` on arguments and results say what the parts are of, meshes and sharding ops
// go. An op that cannot be split along a dimension gets it whole. Functions
// that do not call each other may be on different meshes. *out_mesh is that of @main, else the
// largest; 0 if nothing is sharded. UNIMPLEMENTED, with its place in diag: collectives between
// copies of the whole program, side effects with results that are no tensors. O(program).
Status *partition_program(Program *program, ShardingTable *table, const PartitionOptions *options,
                          Guard *guard, Diag *diag, MeshId *out_mesh) MUST_USE;

#endif
