// Problem: threads run one executable at the same time, and a thread that runs it alone pays
// nothing for that.
// Idea: each record has a flag, which a run sets by one atomic exchange. A run that finds the
// executable's flag set takes the lock, and a copy that is free, or makes one. Executables that
// cannot be copied have waiters instead.
// Invariant: a record is used by the run that set its flag. A waiter counts itself before it looks
// at the flag, and a leaving run clears the flag before it looks at the count: one of both sees the
// other. Cost: O(1); O(runs in flight) for runs at the same time.
#include "execute/flight.h"

#include "base/mem.h"

struct Flight {
  Executable pattern;  // the executable before its first run, for copies
  bool copies;         // runs at the same time have copies; else they take turns
  pthread_mutex_t lock;
  pthread_cond_t left;
  atomic_uint waiting;
  Executable *first;  // the copies; under the lock
};

// Whether nothing but the record changes in a run: kernels only, and no statistics.
static bool is_pure(const Executable *exe) {
  ExecuteNeed need;
  executable_need(exe, &need);
  return !exe->timed && !exe->options.traced && !need.n_eval && !need.n_collectives && !exe->ranks;
}

Status *flight_init(Executable *exe) {
  Flight *f = mem_alloc(sizeof *f);
  if (!f) return status_no_memory();
  *f = (Flight){.copies = is_pure(exe)};
  if (pthread_mutex_init(&f->lock, NULL)) {
    mem_free(f);
    return status_no_memory();
  }
  pthread_cond_init(&f->left, NULL);
  atomic_init(&f->waiting, 0);
  exe->flight = f;
  f->pattern = *exe;
  return NULL;
}

static void free_copy(Executable *copy) {
  workers_free(copy->workers);
  devices_free(copy);
  executable_free_aligned(copy);
  if (copy->has_lock) pthread_mutex_destroy(&copy->lock);
  arena_deinit(&copy->arena);
  mem_free(copy);
}

void flight_deinit(Executable *exe) {
  Flight *f = exe->flight;
  if (!f) return;
  for (Executable *copy = f->first, *next; copy; copy = next) {
    next = copy->next_copy;
    free_copy(copy);
  }
  pthread_cond_destroy(&f->left);
  pthread_mutex_destroy(&f->lock);
  mem_free(f);
  exe->flight = NULL;
}

static Status *fill_copy(Guard *guard, void *arg) {
  Executable *copy = arg;
  arena_guard(&copy->arena, guard);
  return executable_make_record(copy);
}

static Status *make_copy(const Flight *f, Executable **out) {
  Executable *copy = mem_alloc(sizeof *copy);
  if (!copy) return status_no_memory();
  *copy = f->pattern;
  copy->arg_data = NULL;
  copy->out_data = copy->aligned = NULL;
  copy->devices = NULL;
  copy->workers = NULL;
  copy->progress = NULL;
  copy->charged_bytes = 0;
  atomic_init(&copy->busy, true);
  arena_init(&copy->arena, NULL);
  copy->has_lock = pthread_mutex_init(&copy->lock, NULL) == 0;
  Status *status = copy->has_lock ? guard_run(fill_copy, copy) : status_no_memory();
  arena_guard(&copy->arena, NULL);
  if (status)
    free_copy(copy);
  else
    *out = copy;
  return status;
}

static Status *enter_copy(Executable *exe, Executable **out) {
  Flight *f = exe->flight;
  pthread_mutex_lock(&f->lock);
  Executable *copy = f->first;
  while (copy && atomic_exchange(&copy->busy, true)) copy = copy->next_copy;
  pthread_mutex_unlock(&f->lock);
  if (copy) return *out = copy, NULL;
  TRY(make_copy(f, &copy));
  pthread_mutex_lock(&f->lock);
  copy->next_copy = f->first;
  f->first = copy;
  pthread_mutex_unlock(&f->lock);
  *out = copy;
  return NULL;
}

Status *flight_enter(Executable *exe, Executable **out) {
  Flight *f = exe->flight;
  *out = exe;
  if (!atomic_exchange(&exe->busy, true)) return NULL;
  if (f->copies) return enter_copy(exe, out);
  pthread_mutex_lock(&f->lock);
  atomic_fetch_add(&f->waiting, 1);
  while (atomic_exchange(&exe->busy, true)) pthread_cond_wait(&f->left, &f->lock);
  atomic_fetch_sub(&f->waiting, 1);
  pthread_mutex_unlock(&f->lock);
  return NULL;
}

void flight_leave(Executable *record) {
  Flight *f = record->flight;
  atomic_store(&record->busy, false);
  if (f->copies || !atomic_load(&f->waiting)) return;
  pthread_mutex_lock(&f->lock);
  pthread_cond_signal(&f->left);
  pthread_mutex_unlock(&f->lock);
}
