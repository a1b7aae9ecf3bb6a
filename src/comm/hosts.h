// Where the ranks of a job run, and how ranks on one host share its processors.
#ifndef TESSERA_COMM_HOSTS_H
#define TESSERA_COMM_HOSTS_H

#include "base/pool.h"
#include "comm/comm.h"

// One rank; without padding, since it is sent.
typedef struct RankPlace {
  char host[64];
  uint64_t cpus[POOL_CPU_WORDS];  // that it may use
  uint32_t n_online;              // of the host
  uint32_t pid;
} RankPlace;

// The places of all ranks, by rank. Collective.
Status *hosts_share(Comm *comm, RankPlace *out) MUST_USE;
// Threads for a rank: its share of the processors that it may use. At least 1.
uint32_t hosts_workers(uint32_t n, const RankPlace *places, uint32_t rank);
// The launcher has bound the rank to one processor, and its host has some that no rank uses.
bool hosts_is_confined(uint32_t n, const RankPlace *places, uint32_t rank);

#endif
