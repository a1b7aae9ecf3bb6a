// Problem: keep all cores busy with few hand-offs, for one device with large kernels, for many
// devices with small ones, and for several runs at the same time.
// Idea: threads belong to a pool, which all `Workers` with the same number of threads share. One
// lock guards the queues of ready tasks of all runs, and the offers. A worker whose kernel has
// several tiles offers them; a worker without a task takes tiles of any offer. Tiles take at least
// 20 us, so that a lock per tile costs nothing. The thread that calls workers_run works for its own
// run; the pool's threads work for all. A run of one task is a call: it takes no lock until it
// offers tiles.
// Invariant: an offer is withdrawn before its owner returns, and its owner returns after the last
// tile that others took. Sleeping workers are woken when a task becomes ready, tiles are offered or
// a run ends. A worker runs a task or tile only if its scratch memory is large enough.
// Cost: O(1) per tile, O(runs in flight) per task.
#include "execute/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/pool.h"

enum { SPINS = 2000, SCRATCH_ALIGN = 64 };

typedef struct Pool Pool;

typedef struct Offer {
  WorkerTile tile;
  const void *arg;
  size_t scratch_bytes;
  uint32_t next, n, running;  // tiles not taken: next … n - 1; running: taken by others
  WorkerWatch watch;
  void *watch_user;
} Offer;

struct Worker {
  Pool *pool;
  Workers *caller_of;  // NULL: a thread of the pool
  pthread_t thread;
  bool started;
  void *scratch, *scratch_block;
  size_t scratch_bytes;
  Offer offer;
  Worker *next_offer;  // in Pool.offers
  uint32_t index;      // 0: the caller
  WorkerWatch watch;   // of the turn at hand; NULL: none
  void *watch_user;
};

// The threads that all runs share.
struct Pool {
  Pool *next;
  uint32_t n, references;  // n: with one caller; references: under `pools.lock`
  pthread_mutex_t lock;
  pthread_cond_t wake, helped;
  Worker *threads;  // n - 1
  // Under the lock:
  Workers *runs;         // in flight
  Worker *offers;        // that have tiles
  size_t scratch_bytes;  // the most that a run needs
  uint32_t asleep;
  bool quitting;
  atomic_uint hints;  // changes when there may be something to do
};

struct Workers {
  Pool *pool;
  Worker caller;
  uint32_t *queue;  // a ring of n_tasks
  uint32_t n_tasks;
  bool alone;  // the run has one task, and only its thread touches what is below
  // Else under the pool's lock:
  Workers *next;  // in Pool.runs
  WorkerTask task;
  void *arg;
  uint32_t first, count;
  uint32_t active;  // workers in a turn
  bool finished, stuck;
  WorkerPoll poll;  // NULL: none
  void *poll_arg;
  bool polling;    // a worker is in it, and counts as active
  uint64_t turns;  // begun
};

// The pools of this process: cores are the process's, not a program's. Guarded by the lock.
static struct {
  pthread_mutex_t lock;
  Pool *first;
} pools = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint32_t workers_count(const Workers *w) { return w->pool->n; }
void *worker_scratch(const Worker *worker) { return worker->scratch; }
bool worker_is_caller(const Worker *worker) { return worker->caller_of != NULL; }
uint32_t worker_index(const Worker *worker) { return worker->index; }

void worker_watch(Worker *worker, WorkerWatch watch, void *user) {
  worker->watch = watch;
  worker->watch_user = user;
}

static void wake_some(Pool *pool) {
  atomic_fetch_add_explicit(&pool->hints, 1, memory_order_relaxed);
  if (pool->asleep) pthread_cond_broadcast(&pool->wake);
}

void workers_ready(Workers *w, uint32_t task) {
  if (!w->alone) pthread_mutex_lock(&w->pool->lock);
  w->queue[(w->first + w->count++) % w->n_tasks] = task;
  if (w->alone) return;
  wake_some(w->pool);
  pthread_mutex_unlock(&w->pool->lock);
}

void workers_finish(Workers *w) {
  if (w->alone) {
    w->finished = true;
    return;
  }
  pthread_mutex_lock(&w->pool->lock);
  w->finished = true;
  wake_some(w->pool);
  pthread_mutex_unlock(&w->pool->lock);
}

// ---- scratch memory ----

static bool grow_scratch(Worker *worker, size_t bytes) {
  if (bytes <= worker->scratch_bytes && worker->scratch) return true;
  void *block = mem_alloc(bytes + SCRATCH_ALIGN);
  if (!block) return false;
  mem_free(worker->scratch_block);
  worker->scratch_block = block;
  uintptr_t at = (uintptr_t)block;
  worker->scratch = (void *)((at + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN);
  worker->scratch_bytes = bytes;
  return true;
}

// ---- tiles ----

static void withdraw(Pool *pool, Worker *owner) {
  Worker **at = &pool->offers;
  while (*at && *at != owner) at = &(*at)->next_offer;
  if (*at) *at = owner->next_offer;
}

// Takes a tile of an offer; the lock is held.
static bool take_tile(Pool *pool, Worker *owner, uint32_t *out_tile) {
  Offer *offer = &owner->offer;
  if (offer->next >= offer->n) return false;
  *out_tile = offer->next++;
  if (offer->next == offer->n) withdraw(pool, owner);
  return true;
}

void worker_tiles(Worker *worker, uint32_t n, WorkerTile tile, const void *arg) {
  Pool *pool = worker->pool;
  if (n == 1 || pool->n == 1) {
    for (uint32_t i = 0; i < n; i++) tile(arg, i, worker->scratch);
    return;
  }
  Offer *offer = &worker->offer;
  pthread_mutex_lock(&pool->lock);
  *offer = (Offer){.tile = tile,
                   .arg = arg,
                   .n = n,
                   .scratch_bytes = worker->scratch_bytes,
                   .watch = worker->watch,
                   .watch_user = worker->watch_user};
  worker->next_offer = pool->offers;
  pool->offers = worker;
  wake_some(pool);
  uint32_t i;
  while (take_tile(pool, worker, &i)) {
    pthread_mutex_unlock(&pool->lock);
    tile(arg, i, worker->scratch);
    pthread_mutex_lock(&pool->lock);
  }
  while (offer->running) pthread_cond_wait(&pool->helped, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}

// Computes tiles of another worker until its offer is empty; the lock is held before and after.
static bool help(Worker *worker) {
  Pool *pool = worker->pool;
  Worker *owner = pool->offers;
  while (owner && owner->offer.scratch_bytes > worker->scratch_bytes) owner = owner->next_offer;
  uint32_t tile;
  if (!owner || !take_tile(pool, owner, &tile)) return false;
  Offer *offer = &owner->offer;
  offer->running++;
  double start = offer->watch ? clock_seconds() : 0;
  do {
    WorkerTile run = offer->tile;
    const void *arg = offer->arg;
    pthread_mutex_unlock(&pool->lock);
    run(arg, tile, worker->scratch);
    pthread_mutex_lock(&pool->lock);
  } while (take_tile(pool, owner, &tile));
  if (offer->watch)
    offer->watch(offer->watch_user, worker->index, owner->index, start, clock_seconds());
  if (--offer->running == 0) pthread_cond_broadcast(&pool->helped);
  return true;
}

// ---- tasks ----

// Runs a ready task of the run; the lock is held before and after.
static bool run_task(Workers *w, Worker *worker) {
  if (!w->count || w->finished || worker->scratch_bytes < w->caller.scratch_bytes) return false;
  uint32_t task = w->queue[w->first];
  w->first = (w->first + 1) % w->n_tasks;
  w->count--;
  w->active++;
  w->turns++;
  pthread_mutex_unlock(&w->pool->lock);
  w->task(w->arg, task, worker);
  pthread_mutex_lock(&w->pool->lock);
  if (--w->active == 0) wake_some(w->pool);  // the caller may wait for it
  return true;
}

void workers_poll(Workers *w, WorkerPoll poll, void *arg) {
  w->poll = poll;
  w->poll_arg = arg;
}

// Looks for messages from outside; false if there are none, or another worker looks. The lock is
// held before and after.
static bool poll_once(Workers *w) {
  if (!w->poll || w->finished || w->polling) return false;
  bool idle = w->active == 0 && w->count == 0;
  uint64_t turns = w->turns;
  w->polling = true;
  w->active++;
  pthread_mutex_unlock(&w->pool->lock);
  w->poll(w->poll_arg, idle, turns);
  pthread_mutex_lock(&w->pool->lock);
  w->polling = false;
  if (--w->active == 0 && w->finished) wake_some(w->pool);  // the caller may wait for it
  return true;
}

// Spins for a short time, then sleeps; the lock is held before and after.
static void rest(Pool *pool, uint32_t *spins) {
  if (*spins < SPINS) {
    unsigned hints = atomic_load_explicit(&pool->hints, memory_order_relaxed);
    pthread_mutex_unlock(&pool->lock);
    while (++*spins < SPINS && atomic_load_explicit(&pool->hints, memory_order_relaxed) == hints) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    pthread_mutex_lock(&pool->lock);
    return;
  }
  pool->asleep++;
  pthread_cond_wait(&pool->wake, &pool->lock);
  pool->asleep--;
  *spins = 0;
}

// The caller works until its run has ended; the lock is held before and after.
static void work(Workers *w) {
  uint32_t spins = 0;
  for (;;) {
    if (run_task(w, &w->caller)) {
      spins = 0;
      continue;
    }
    if (poll_once(w)) continue;
    if (w->active == 0 && (w->finished || !w->count)) {
      w->stuck = !w->finished;
      return;
    }
    if (help(&w->caller))
      spins = 0;
    else
      rest(w->pool, &spins);
  }
}

static void *worker_main(void *arg) {
  Worker *worker = arg;
  Pool *pool = worker->pool;
  uint32_t spins = 0;
  pthread_mutex_lock(&pool->lock);
  while (!pool->quitting) {
    bool able = grow_scratch(worker, pool->scratch_bytes), busy = false, polled = false;
    for (Workers *w = pool->runs; w && able && !busy; w = w->next) busy = run_task(w, worker);
    if (!busy && able) busy = help(worker);
    // Every run, since its caller may sleep. A run stays in the list while the lock is held.
    for (Workers *w = pool->runs; w && (!busy || polled); w = w->next)
      if (poll_once(w)) busy = polled = true;
    if (busy)
      spins = 0;
    else
      rest(pool, &spins);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

// A run of one task on the calling thread.
static bool run_alone(Workers *w) {
  w->alone = true;
  w->first = 0;
  w->count = 1;
  w->queue[0] = 0;
  while (w->count && !w->finished) {
    w->count = 0;
    w->task(w->arg, 0, &w->caller);
  }
  w->alone = false;
  return w->finished;
}

bool workers_run(Workers *w, uint32_t n, WorkerTask task, void *arg) {
  Pool *pool = w->pool;
  w->task = task;
  w->arg = arg;
  w->finished = w->stuck = false;
  if (n == 1 && !w->poll) return run_alone(w);
  pthread_mutex_lock(&pool->lock);
  for (uint32_t i = 0; i < n; i++) w->queue[i] = i;
  w->first = 0;
  w->count = n;
  w->next = pool->runs;
  pool->runs = w;
  wake_some(pool);
  work(w);
  Workers **at = &pool->runs;
  while (*at != w) at = &(*at)->next;
  *at = w->next;
  w->count = 0;
  bool ended = !w->stuck;
  pthread_mutex_unlock(&pool->lock);
  return ended;
}

// ---- pools ----

static void pool_free(Pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->quitting = true;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  for (uint32_t i = 0; i + 1 < pool->n; i++) {
    if (pool->threads[i].started) pthread_join(pool->threads[i].thread, NULL);
    mem_free(pool->threads[i].scratch_block);
  }
  pthread_cond_destroy(&pool->wake);
  pthread_cond_destroy(&pool->helped);
  pthread_mutex_destroy(&pool->lock);
  mem_free(pool->threads);
  mem_free(pool);
}

static Pool *pool_new(uint32_t n) {
  Pool *pool = mem_alloc(sizeof *pool);
  if (!pool) return NULL;
  *pool = (Pool){.n = n};
  atomic_init(&pool->hints, 0);
  pool->threads = mem_alloc(n * sizeof *pool->threads);
  if (!pool->threads || pthread_mutex_init(&pool->lock, NULL)) {
    mem_free(pool->threads);
    mem_free(pool);
    return NULL;
  }
  pthread_cond_init(&pool->wake, NULL);
  pthread_cond_init(&pool->helped, NULL);
  for (uint32_t i = 0; i + 1 < n; i++) pool->threads[i] = (Worker){.pool = pool, .index = i + 1};
  // Without a thread the others do its work.
  for (uint32_t i = 0; i + 1 < n; i++)
    pool->threads[i].started =
        pthread_create(&pool->threads[i].thread, NULL, worker_main, &pool->threads[i]) == 0;
  return pool;
}

// The pool of n threads, for runs that need so much scratch memory; NULL: no memory.
static Pool *pool_acquire(uint32_t n, size_t scratch_bytes) {
  pthread_mutex_lock(&pools.lock);
  Pool *pool = pools.first;
  while (pool && pool->n != n) pool = pool->next;
  if (!pool) {
    pool = pool_new(n);
    if (pool) {
      pool->next = pools.first;
      pools.first = pool;
    }
  }
  if (pool) {
    pool->references++;
    pthread_mutex_lock(&pool->lock);
    if (scratch_bytes > pool->scratch_bytes) pool->scratch_bytes = scratch_bytes;
    wake_some(pool);  // threads grow theirs before the first run
    pthread_mutex_unlock(&pool->lock);
  }
  pthread_mutex_unlock(&pools.lock);
  return pool;
}

static void pool_release(Pool *pool) {
  pthread_mutex_lock(&pools.lock);
  bool last = --pool->references == 0;
  Pool **at = &pools.first;
  while (last && *at != pool) at = &(*at)->next;
  if (last) *at = pool->next;
  pthread_mutex_unlock(&pools.lock);
  if (last) pool_free(pool);
}

Status *workers_new(uint32_t n, uint32_t n_tasks, size_t scratch_bytes, Workers **out) {
  *out = NULL;
  Workers *w = mem_alloc(sizeof *w);
  if (!w) return status_no_memory();
  *w = (Workers){.n_tasks = n_tasks ? n_tasks : 1, .finished = true};
  w->queue = mem_alloc(w->n_tasks * sizeof *w->queue);
  if (w->queue && grow_scratch(&w->caller, scratch_bytes))
    w->pool = pool_acquire(n ? n : pool_cores(), scratch_bytes);
  if (!w->pool) {
    workers_free(w);
    return status_no_memory();
  }
  w->caller.pool = w->pool;
  w->caller.caller_of = w;
  *out = w;
  return NULL;
}

void workers_free(Workers *w) {
  if (!w) return;
  if (w->pool) pool_release(w->pool);
  mem_free(w->caller.scratch_block);
  mem_free(w->queue);
  mem_free(w);
}
