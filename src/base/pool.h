// Independent tasks on a few threads. Tasks share nothing; each writes its result at its own index.
#ifndef TESSERA_BASE_POOL_H
#define TESSERA_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef void (*PoolTask)(void *arg, size_t index);

// Runs task(arg, i) for all i < n on at most `workers` threads (0 = one per core), in order of i as
// threads become free. Returns when all are done. With one worker everything runs on the calling
// thread.
Status *pool_run(unsigned workers, size_t n, PoolTask task, void *arg) MUST_USE;

unsigned pool_cores(void);   // processors that this process may use, at least 1
unsigned pool_online(void);  // processors of the host, at least 1
// The processors that this process may use, a bit each; their number, 0 if it is unknown.
enum { POOL_CPU_WORDS = 16 };
unsigned pool_cpus(uint64_t out[POOL_CPU_WORDS]);

#endif
