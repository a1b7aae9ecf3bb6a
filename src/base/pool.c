// Threads take the next index under one lock until none is left. Stacks are 16 MiB, since tasks
// recurse on the nesting of programs.
#define _GNU_SOURCE  // sched_getaffinity
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { STACK_BYTES = 16 << 20 };

typedef struct Pool {
  pthread_mutex_t lock;  // guards next
  size_t next, n;
  PoolTask task;
  void *arg;
} Pool;

static void *work(void *arg) {
  Pool *pool = arg;
  for (;;) {
    pthread_mutex_lock(&pool->lock);
    size_t index = pool->next < pool->n ? pool->next++ : pool->n;
    pthread_mutex_unlock(&pool->lock);
    if (index == pool->n) return NULL;
    pool->task(pool->arg, index);
  }
}

unsigned pool_online(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : (unsigned)n;
}

unsigned pool_cpus(uint64_t out[POOL_CPU_WORDS]) {
  cpu_set_t set;
  unsigned n = 0;
  memset(out, 0, POOL_CPU_WORDS * sizeof *out);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  for (unsigned i = 0; i < POOL_CPU_WORDS * 64 && i < CPU_SETSIZE; i++) {
    if (!CPU_ISSET(i, &set)) continue;
    out[i / 64] |= (uint64_t)1 << i % 64;
    n++;
  }
  return n;
}

unsigned pool_cores(void) {
  uint64_t cpus[POOL_CPU_WORDS];
  unsigned n = pool_cpus(cpus);
  return n ? n : pool_online();
}

Status *pool_run(unsigned workers, size_t n, PoolTask task, void *arg) {
  if (workers == 0) workers = pool_cores();
  if (workers > n) workers = (unsigned)n;
  if (workers <= 1) {
    for (size_t i = 0; i < n; i++) task(arg, i);
    return NULL;
  }
  pthread_t *threads = mem_alloc(workers * sizeof *threads);
  if (!threads) return status_no_memory();
  Pool pool = {.n = n, .task = task, .arg = arg};
  pthread_mutex_init(&pool.lock, NULL);
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, STACK_BYTES);
  unsigned started = 0;
  while (started < workers && pthread_create(&threads[started], &attr, work, &pool) == 0) started++;
  pthread_attr_destroy(&attr);
  if (started == 0) work(&pool);  // no thread could be started: run the tasks here
  for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
  pthread_mutex_destroy(&pool.lock);
  mem_free(threads);
  return NULL;
}
