// Partitioning: from the global program to the local program, which has the same ops on shards, and
// collectives. (Design decision D5: a bundle, all of it in the text.)
//
//   partition_decide    makes all choices, as data; the program is not changed (D18)
//   partition_write     writes the local program that the decisions describe
#ifndef TESSERA_PARTITION_PARTITION_H
#define TESSERA_PARTITION_PARTITION_H

#include "cost/machine.h"
#include "ir/program.h"
#include "ops/custom_rules.h"
#include "sharding/sharding.h"

struct JsonValue;      // base/json_read.h
struct Decision;       // partition/decisions.h
struct CopyInfo;       // partition/decisions.h
struct Localizer;      // ops/localize.h
struct RedundantList;  // partition/redundant.h
struct ReshardMemo;    // reshard/memo.h

typedef struct PartitionOptions {
  const Network *network;    // NULL = network_default
  struct ReshardMemo *memo;  // reshards of earlier partitions (reshard/memo.h); NULL: own ones
  const Machine *machine;    // instead: the network of each mesh, and the devices' speed; or NULL
  bool seconds_decide;       // choices have no penalty for bytes (Tuning.bytes_weight_latencies)
  bool poison;               // padding is NaN, or the least integer: for tests
  bool why;                  // locations of collectives have their reasons (explain/reason.h)
  struct RedundantList
      *redundant;           // gets rows; its arena is set (redundant.h); NULL: not requested
  CustomRules *call_rules;  // of custom calls, beside those of the program; NULL = none
  // For decisions in sdy's text: no strided shards, and partition_id stays as it is.
  bool blocks;
  Str decisions;          // from outside, as JSON (docs/partition-decisions.md); empty: none
  StrBuf *out_decisions;  // gets the members of a JSON object: all decisions; NULL: not requested
  // Called for every op that is written on shards, with its axes per factor: for tests. May be
  // NULL.
  void (*on_split)(void *user, const struct Localizer *cx);
  void *user;
} PartitionOptions;

typedef struct Partition Partition;

// Decides how to partition a verified program whose values have sdy shardings (none = replicated;
// open dimensions count as closed). Changes nothing but partition_id ops of single-device
// shardings, which become constants. Everything in options is borrowed until partition_free.
// UNIMPLEMENTED, with the location in diag: collectives between replicas of the program, side
// effects with results that are no tensors. INVALID_ARGUMENT, with the op's location: a decision in
// options->decisions that is refused. O(program).
Status *partition_decide(Program *program, ShardingTable *table, const PartitionOptions *options,
                         Guard *guard, Diag *diag, Partition **out) MUST_USE;
// Rewrites the program in place: functions get local types, `tessera.global` and `tessera.sharding`
// describe sharded arguments and results, meshes and sharding ops are removed. Functions that do
// not call each other may be on different meshes. *out_mesh is the mesh of @main; without @main,
// the largest mesh; 0 if nothing is sharded. Once per Partition. O(local program).
Status *partition_write(Partition *partition, MeshId *out_mesh) MUST_USE;
void partition_free(Partition *partition);  // NULL is fine

// The decisions, in the order in which they are written (partition/decisions.h).
uint32_t partition_n_decisions(const Partition *partition);
const struct Decision *partition_decision(const Partition *partition, uint32_t i);
const struct CopyInfo *partition_copy(const Partition *partition, uint32_t copy);

// Numbers of ops of the global program in the JSON form, from 1; 0 if there are none.
uint32_t partition_number(const Partition *partition, OpId op);
OpId partition_numbered(const Partition *partition, uint32_t number);
Pos partition_numbered_pos(const Partition *partition, uint32_t number);  // also after writing

// The object with the decisions in a file's JSON: the file's, or its member "decisions" if the file
// is a plan (docs/plan.md).
const struct JsonValue *partition_decisions_of(const struct JsonValue *file);

// Both stages.
Status *partition_program(Program *program, ShardingTable *table, const PartitionOptions *options,
                          Guard *guard, Diag *diag, MeshId *out_mesh) MUST_USE;

#endif
