// A local program as its text says it is one: how global arguments are sharded over its devices and
// its results joined. `tessera run`, and whoever else runs the output of `tessera partition`, needs
// nothing but the text.
#ifndef TESSERA_PIPELINE_PARTITIONED_H
#define TESSERA_PIPELINE_PARTITIONED_H

#include "partition/tiles.h"

typedef struct Partitioned {
  uint32_t n_devices;             // 0: partition has not written this program
  uint32_t replicas, partitions;  // the grid that it runs on: device k is process k
  uint32_t n_args, n_results;
  const Edge *args, *results;  // in the arena
  ShardingTable *table;
} Partitioned;

// Reads what partition_program wrote on the module and the function. Deinit after it, whatever
// happened. INVALID_ARGUMENT where the text contradicts itself.
Status *partitioned_read(const Program *local, OpId function, Guard *guard, Arena *arena,
                         Partitioned *out) MUST_USE;
void partitioned_deinit(Partitioned *p);  // {0} is fine

// The same devices as replicas of one partition (--replica-count) instead of partitions.
bool partitioned_by_replica(const Program *local, uint32_t n_devices);

// The shards of all arguments, device by device, into out[n_devices × n_args], owned. Padding is
// zero.
void partitioned_shard(const Partitioned *p, Literal *const *whole, Literal **out);
// The global results, owned, of those of all devices in order. *out_unequal: NULL, or that devices
// hold different values of one element, in words; in the arena.
void partitioned_join(const Partitioned *p, Literal *const *parts, Arena *arena, Literal **out,
                      const char **out_unequal);

#endif
