// Problem: keep all cores busy with few hand-offs, for one device with large kernels and for many
// devices with small ones.
// Idea: one lock guards the queue of ready tasks and the offers. A worker whose kernel has several
// tiles offers them; a worker without a task takes tiles of any offer. Tiles take at least 20 us,
// so that a lock per tile costs nothing.
// Invariant: an offer is withdrawn before its owner returns, and its owner returns after the last
// tile that others took. Sleeping workers are woken when a task becomes ready or tiles are offered.
// Cost: O(1) per task and tile, O(workers) to look for an offer.
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

typedef struct Offer {
  WorkerTile tile;
  const void *arg;
  uint32_t next, n, running;  // tiles not taken: next … n - 1; running: taken by others
} Offer;

struct Worker {
  Workers *all;
  uint32_t index;
  pthread_t thread;
  bool started;
  void *scratch, *scratch_block;
  Offer offer;
};

struct Workers {
  uint32_t n;
  pthread_mutex_t lock;
  pthread_cond_t wake, helped;
  Worker *workers;
  // Under the lock:
  WorkerTask task;
  void *arg;
  uint32_t *queue;  // a ring of n_tasks
  uint32_t n_tasks, first, count;
  uint32_t active;    // workers in a turn
  uint32_t n_offers;  // workers whose offer has tiles
  uint32_t asleep;
  uint64_t run;  // number of the run
  bool finished, stuck, quitting;
  atomic_uint hints;  // changes when there may be something to do
  WorkerWatch watch;
  void *watch_user;
};

uint32_t workers_count(const Workers *w) { return w->n; }
void *worker_scratch(const Worker *worker) { return worker->scratch; }
bool worker_is_caller(const Worker *worker) { return worker->index == 0; }
uint32_t worker_index(const Worker *worker) { return worker->index; }

void workers_watch(Workers *w, WorkerWatch watch, void *user) {
  pthread_mutex_lock(&w->lock);
  w->watch = watch;
  w->watch_user = user;
  pthread_mutex_unlock(&w->lock);
}

static void wake_some(Workers *w) {
  atomic_fetch_add_explicit(&w->hints, 1, memory_order_relaxed);
  if (w->asleep) pthread_cond_broadcast(&w->wake);
}

void workers_ready(Workers *w, uint32_t task) {
  pthread_mutex_lock(&w->lock);
  w->queue[(w->first + w->count++) % w->n_tasks] = task;
  wake_some(w);
  pthread_mutex_unlock(&w->lock);
}

void workers_finish(Workers *w) {
  pthread_mutex_lock(&w->lock);
  w->finished = true;
  wake_some(w);
  pthread_mutex_unlock(&w->lock);
}

// Takes a tile of an offer; the lock is held.
static bool take_tile(Offer *offer, Workers *w, uint32_t *out_tile) {
  if (offer->next >= offer->n) return false;
  *out_tile = offer->next++;
  if (offer->next == offer->n) w->n_offers--;
  return true;
}

void worker_tiles(Worker *worker, uint32_t n, WorkerTile tile, const void *arg) {
  Workers *w = worker->all;
  if (n == 1 || w->n == 1) {
    for (uint32_t i = 0; i < n; i++) tile(arg, i, worker->scratch);
    return;
  }
  Offer *offer = &worker->offer;
  pthread_mutex_lock(&w->lock);
  *offer = (Offer){.tile = tile, .arg = arg, .n = n};
  w->n_offers++;
  wake_some(w);
  uint32_t i;
  while (take_tile(offer, w, &i)) {
    pthread_mutex_unlock(&w->lock);
    tile(arg, i, worker->scratch);
    pthread_mutex_lock(&w->lock);
  }
  while (offer->running) pthread_cond_wait(&w->helped, &w->lock);
  pthread_mutex_unlock(&w->lock);
}

// Computes tiles of another worker until its offer is empty; the lock is held before and after.
static bool help(Worker *worker) {
  Workers *w = worker->all;
  if (!w->n_offers) return false;
  for (uint32_t k = 1; k < w->n; k++) {
    Offer *offer = &w->workers[(worker->index + k) % w->n].offer;
    uint32_t tile;
    if (!take_tile(offer, w, &tile)) continue;
    offer->running++;
    double start = w->watch ? clock_seconds() : 0;
    do {
      WorkerTile run = offer->tile;
      const void *arg = offer->arg;
      pthread_mutex_unlock(&w->lock);
      run(arg, tile, worker->scratch);
      pthread_mutex_lock(&w->lock);
    } while (take_tile(offer, w, &tile));
    if (w->watch)
      w->watch(w->watch_user, worker->index, (worker->index + k) % w->n, start, clock_seconds());
    if (--offer->running == 0) pthread_cond_broadcast(&w->helped);
    return true;
  }
  return false;
}

// The lock is held before and after. Returns when the run has ended.
static void work(Worker *worker) {
  Workers *w = worker->all;
  uint32_t spins = 0;
  while (!w->quitting) {
    if (w->count && !w->finished) {
      uint32_t task = w->queue[w->first];
      w->first = (w->first + 1) % w->n_tasks;
      w->count--;
      w->active++;
      pthread_mutex_unlock(&w->lock);
      w->task(w->arg, task, worker);
      pthread_mutex_lock(&w->lock);
      w->active--;
      spins = 0;
      continue;
    }
    if (help(worker)) {
      spins = 0;
      continue;
    }
    if (w->active == 0) {
      if (!w->finished) w->stuck = w->finished = true;
      wake_some(w);
      return;
    }
    if (spins < SPINS) {
      unsigned hints = atomic_load_explicit(&w->hints, memory_order_relaxed);
      pthread_mutex_unlock(&w->lock);
      while (++spins < SPINS && atomic_load_explicit(&w->hints, memory_order_relaxed) == hints) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
      }
      pthread_mutex_lock(&w->lock);
      continue;
    }
    w->asleep++;
    pthread_cond_wait(&w->wake, &w->lock);
    w->asleep--;
  }
}

static void *worker_main(void *arg) {
  Worker *worker = arg;
  Workers *w = worker->all;
  pthread_mutex_lock(&w->lock);
  uint64_t run = 0;
  for (;;) {
    while (!w->quitting && (w->run == run || w->finished)) {
      if (w->finished) run = w->run;
      w->asleep++;
      pthread_cond_wait(&w->wake, &w->lock);
      w->asleep--;
    }
    if (w->quitting) break;
    run = w->run;
    work(worker);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

bool workers_run(Workers *w, uint32_t n, WorkerTask task, void *arg) {
  pthread_mutex_lock(&w->lock);
  for (uint32_t i = 0; i < n; i++) w->queue[i] = i;
  w->task = task;
  w->arg = arg;
  w->first = 0;
  w->count = n;
  w->finished = w->stuck = false;
  w->run++;
  if (n > 1) wake_some(w);  // one task: the first offer of tiles wakes them
  work(&w->workers[0]);
  bool ended = !w->stuck;
  w->count = 0;
  pthread_mutex_unlock(&w->lock);
  return ended;
}

Status *workers_new(uint32_t n, uint32_t n_tasks, size_t scratch_bytes, Workers **out) {
  *out = NULL;
  Workers *w = mem_alloc(sizeof *w);
  if (!w) return status_no_memory();
  *w = (Workers){.n = n ? n : pool_cores(), .n_tasks = n_tasks ? n_tasks : 1, .finished = true};
  atomic_init(&w->hints, 0);
  w->workers = mem_alloc(w->n * sizeof *w->workers);
  w->queue = mem_alloc(w->n_tasks * sizeof *w->queue);
  if (!w->workers || !w->queue || pthread_mutex_init(&w->lock, NULL)) {
    mem_free(w->workers);
    mem_free(w->queue);
    mem_free(w);
    return status_no_memory();
  }
  pthread_cond_init(&w->wake, NULL);
  pthread_cond_init(&w->helped, NULL);
  bool memory = true;
  for (uint32_t i = 0; i < w->n; i++) {
    Worker *worker = &w->workers[i];
    *worker = (Worker){.all = w, .index = i};
    worker->scratch_block = mem_alloc(scratch_bytes + SCRATCH_ALIGN);
    uintptr_t at = (uintptr_t)worker->scratch_block;
    worker->scratch = (void *)((at + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN);
    memory &= worker->scratch_block != NULL;
  }
  // Without a thread the others do its work.
  for (uint32_t i = 1; memory && i < w->n; i++)
    w->workers[i].started =
        pthread_create(&w->workers[i].thread, NULL, worker_main, &w->workers[i]) == 0;
  if (!memory) {
    workers_free(w);
    return status_no_memory();
  }
  *out = w;
  return NULL;
}

void workers_free(Workers *w) {
  if (!w) return;
  pthread_mutex_lock(&w->lock);
  w->quitting = true;
  pthread_cond_broadcast(&w->wake);
  pthread_mutex_unlock(&w->lock);
  for (uint32_t i = 0; i < w->n; i++) {
    if (w->workers[i].started) pthread_join(w->workers[i].thread, NULL);
    mem_free(w->workers[i].scratch_block);
  }
  pthread_cond_destroy(&w->wake);
  pthread_cond_destroy(&w->helped);
  pthread_mutex_destroy(&w->lock);
  mem_free(w->workers);
  mem_free(w->queue);
  mem_free(w);
}
