// A processor that several ranks of a host may use counts as a fraction for each of them. So ranks
// that are bound to different processors use their own, and ranks that are not bound share evenly.
// O(ranks x processors).
#include "comm/hosts.h"

#include <string.h>
#include <unistd.h>

Status *hosts_share(Comm *comm, RankPlace *out) {
  RankPlace mine = {.n_online = pool_online(), .pid = (uint32_t)getpid()};
  if (gethostname(mine.host, sizeof mine.host - 1) != 0) memcpy(mine.host, "?", 2);
  pool_cpus(mine.cpus);
  return comm_share(comm, &mine, sizeof mine, out);
}

static bool same_host(const RankPlace *a, const RankPlace *b) {
  return strncmp(a->host, b->host, sizeof a->host) == 0;
}

static bool has(const RankPlace *place, uint32_t cpu) {
  return place->cpus[cpu / 64] >> cpu % 64 & 1;
}

// Ranks on the host of `rank` that may use the processor.
static uint32_t users(uint32_t n, const RankPlace *places, uint32_t rank, uint32_t cpu) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++)
    count += same_host(&places[i], &places[rank]) && has(&places[i], cpu);
  return count;
}

uint32_t hosts_workers(uint32_t n, const RankPlace *places, uint32_t rank) {
  double share = 0;
  for (uint32_t cpu = 0; cpu < POOL_CPU_WORDS * 64; cpu++)
    if (has(&places[rank], cpu)) share += 1.0 / users(n, places, rank, cpu);
  uint32_t whole = (uint32_t)(share + 1e-6);
  return whole ? whole : 1;
}

bool hosts_is_confined(uint32_t n, const RankPlace *places, uint32_t rank) {
  uint32_t own = 0, used = 0;
  for (uint32_t cpu = 0; cpu < POOL_CPU_WORDS * 64; cpu++) {
    own += has(&places[rank], cpu);
    used += users(n, places, rank, cpu) > 0;
  }
  return own == 1 && used < places[rank].n_online;
}
