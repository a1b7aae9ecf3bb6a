// A local program from its text alone: how global arguments are sharded over its devices, and how
// its results are joined. So `tessera run` needs nothing but the output of `tessera partition`.
#ifndef TESSERA_PIPELINE_PARTITIONED_H
#define TESSERA_PIPELINE_PARTITIONED_H

#include "partition/tiles.h"

typedef struct Partitioned {
  uint32_t n_devices;             // 0: partition has not written this program
  uint32_t replicas, partitions;  // the grid of processes: device k is process k
  uint32_t n_args, n_results;
  const Edge *args, *results;  // in the arena
  ShardingTable *table;
} Partitioned;

// Reads the attributes that partition_write puts on the module and the function. Call
// partitioned_deinit in any case. INVALID_ARGUMENT if the attributes contradict each other.
Status *partitioned_read(const Program *local, OpId function, Guard *guard, Arena *arena,
                         Partitioned *out) MUST_USE;
void partitioned_deinit(Partitioned *p);  // {0} is fine

// Are the devices replicas of one partition (--replica-count) instead of partitions?
bool partitioned_by_replica(const Program *local, uint32_t n_devices);

// The shards of all arguments for n devices from `first` on, device by device, into out[n_devices ×
// n_args], owned. Padding is zero.
void partitioned_shard(const Partitioned *p, uint32_t first, uint32_t n, Literal *const *global,
                       Literal **out);
// The global results, owned, from shards[n_devices × n_results]. *out_unequal: NULL, or a sentence
// if devices hold different values of one element; in the arena.
void partitioned_join(const Partitioned *p, Literal *const *shards, Arena *arena, Literal **out,
                      const char **out_unequal);

#endif
