// Independent tasks on a few threads. Tasks share nothing; each writes its result at its own index.
#ifndef TESSERA_BASE_POOL_H
#define TESSERA_BASE_POOL_H

#include <stddef.h>

#include "base/status.h"

typedef void (*PoolTask)(void *arg, size_t index);

// Runs task(arg, i) for all i < n on at most `workers` threads (0 = one per core), in order of i as
// threads become free. Returns when all are done. With one worker everything runs on the calling
// thread.
Status *pool_run(unsigned workers, size_t n, PoolTask task, void *arg) MUST_USE;

unsigned pool_cores(void);  // processors that are online, at least 1

#endif
