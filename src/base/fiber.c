// A baton under one mutex: `turn` names the task that may run, each task sleeps on its own
// condition until it is named. Runnable tasks stand in a ring in the order they became so; passing
// the baton is O(1).
#include "base/fiber.h"

#include <pthread.h>

#include "base/mem.h"

typedef enum FiberState { FIBER_READY, FIBER_RUNNING, FIBER_WAITING, FIBER_DONE } FiberState;

typedef struct Fiber {
  Fibers *set;
  uint32_t index;
  FiberState state;
  pthread_t thread;
  pthread_cond_t named;
} Fiber;

#define NOBODY UINT32_MAX

struct Fibers {
  pthread_mutex_t lock;  // guards all below
  pthread_cond_t finished;
  Fiber *items;
  uint32_t n, turn, n_done;
  uint32_t *ring, ring_first, ring_count;
  bool ending;
  Status *status;  // the first error
  FiberBody body;
  FiberStuck stuck;
  void *arg;
};

static void push_ready(Fibers *f, uint32_t index) {
  f->items[index].state = FIBER_READY;
  f->ring[(f->ring_first + f->ring_count++) % f->n] = index;
}

// Names the next task to run. Called with the lock, by whoever gives the baton up.
static void pass_baton(Fibers *f) {
  if (f->ring_count == 0 && f->n_done < f->n) {
    // Everybody waits for somebody else. The report is made once; then all are woken to leave.
    if (!f->ending) f->status = f->stuck(f->arg);
    f->ending = true;
    for (uint32_t i = 0; i < f->n; i++)
      if (f->items[i].state == FIBER_WAITING) push_ready(f, i);
  }
  if (f->ring_count == 0) {
    f->turn = NOBODY;
    pthread_cond_signal(&f->finished);
    return;
  }
  f->turn = f->ring[f->ring_first];
  f->ring_first = (f->ring_first + 1) % f->n;
  f->ring_count--;
  pthread_cond_signal(&f->items[f->turn].named);
}

static void await_turn(Fibers *f, Fiber *fiber) {
  while (f->turn != fiber->index) pthread_cond_wait(&fiber->named, &f->lock);
  fiber->state = FIBER_RUNNING;
}

static void *fiber_main(void *arg) {
  Fiber *fiber = arg;
  Fibers *f = fiber->set;
  pthread_mutex_lock(&f->lock);
  await_turn(f, fiber);
  if (!f->ending) {
    pthread_mutex_unlock(&f->lock);
    Status *status = f->body(f, f->arg, fiber->index);
    pthread_mutex_lock(&f->lock);
    if (status && !f->ending) {
      f->status = status;
      f->ending = true;
      for (uint32_t i = 0; i < f->n; i++)
        if (f->items[i].state == FIBER_WAITING) push_ready(f, i);
    } else {
      status_free(status);
    }
  }
  fiber->state = FIBER_DONE;
  f->n_done++;
  pass_baton(f);
  pthread_mutex_unlock(&f->lock);
  return NULL;
}

bool fiber_wait(Fibers *f, uint32_t self) {
  pthread_mutex_lock(&f->lock);
  bool go_on = !f->ending;
  if (go_on) {
    f->items[self].state = FIBER_WAITING;
    pass_baton(f);
    await_turn(f, &f->items[self]);
    go_on = !f->ending;
  }
  pthread_mutex_unlock(&f->lock);
  return go_on;
}

void fiber_wake(Fibers *f, uint32_t index) {
  pthread_mutex_lock(&f->lock);
  if (f->items[index].state == FIBER_WAITING) push_ready(f, index);
  pthread_mutex_unlock(&f->lock);
}

Status *fibers_run(uint32_t n, size_t stack_bytes, FiberBody body, FiberStuck stuck, void *arg) {
  if (n == 0) return NULL;
  Fibers f = {.n = n, .turn = NOBODY, .body = body, .stuck = stuck, .arg = arg};
  f.items = mem_alloc(n * sizeof *f.items);
  f.ring = mem_alloc(n * sizeof *f.ring);
  if (!f.items || !f.ring) {
    mem_free(f.items);
    mem_free(f.ring);
    return status_no_memory();
  }
  pthread_mutex_init(&f.lock, NULL);
  pthread_cond_init(&f.finished, NULL);
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, stack_bytes);
  pthread_mutex_lock(&f.lock);
  uint32_t started = 0;
  for (; started < n; started++) {
    Fiber *fiber = &f.items[started];
    *fiber = (Fiber){.set = &f, .index = started};
    pthread_cond_init(&fiber->named, NULL);
    if (pthread_create(&fiber->thread, &attr, fiber_main, fiber) != 0) {
      pthread_cond_destroy(&fiber->named);
      break;
    }
    push_ready(&f, started);
  }
  pthread_attr_destroy(&attr);
  if (started < n) {
    f.ending = true;
    f.status = status_new(RESOURCE_EXHAUSTED, __FILE__, __LINE__,
                          "no room for %u tasks at once: thread %u could not be made", n, started);
    f.n_done = n - started;
  }
  pass_baton(&f);
  while (f.n_done < n) pthread_cond_wait(&f.finished, &f.lock);
  pthread_mutex_unlock(&f.lock);
  for (uint32_t i = 0; i < started; i++) {
    pthread_join(f.items[i].thread, NULL);
    pthread_cond_destroy(&f.items[i].named);
  }
  pthread_mutex_destroy(&f.lock);
  pthread_cond_destroy(&f.finished);
  mem_free(f.items);
  mem_free(f.ring);
  return f.status;
}
