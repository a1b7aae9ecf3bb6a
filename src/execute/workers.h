// Workers: threads that run tasks, and help each other with the tiles of long ones. Runs of several
// `Workers` may be in flight at the same time: they share the threads.
//
// A task is a device's turn: it runs until the device waits or ends. Workers take tasks from one
// queue. While a task runs a kernel of several tiles, idle workers compute tiles too. No worker
// ever blocks inside a task. An idle worker spins for a short time and then sleeps.
#ifndef TESSERA_EXECUTE_WORKERS_H
#define TESSERA_EXECUTE_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct Workers Workers;
typedef struct Worker Worker;

// A task's turn. It may make other tasks ready.
typedef void (*WorkerTask)(void *arg, uint32_t task, Worker *worker);
// One tile; scratch is the worker's.
typedef void (*WorkerTile)(const void *arg, uint32_t tile, void *scratch);

// n threads, of which the caller of workers_run is one; 0: one per core. All Workers of n threads
// share n - 1 threads, which start with the first and end with the last of them. Each thread has
// scratch memory. n_tasks: the most tasks of a run.
Status *workers_new(uint32_t n, uint32_t n_tasks, size_t scratch_bytes, Workers **out) MUST_USE;
void workers_free(Workers *workers);  // NULL is fine
uint32_t workers_count(const Workers *workers);

// One run at a time. Runs until workers_finish is called, or no task is ready and none is running
// (a deadlock: then false is returned). Tasks 0 … n - 1 are ready at first.
bool workers_run(Workers *workers, uint32_t n, WorkerTask task, void *arg);
// Makes a task ready again. Any thread may call it, also before the task's turn has ended only if
// that turn will not touch the task's state any more.
void workers_ready(Workers *workers, uint32_t task);
// Ends workers_run when the running turns have ended.
void workers_finish(Workers *workers);

// Called by a worker that has nothing to do, one at a time, until workers_finish; then a run
// without ready tasks is no deadlock. idle: no task was running or ready; turns: the number begun
// so far.
typedef void (*WorkerPoll)(void *arg, bool idle, uint64_t turns);
// For the next runs; NULL: none.
void workers_poll(Workers *workers, WorkerPoll poll, void *arg);

// Runs all tiles, with the help of idle workers. Returns when all are done.
void worker_tiles(Worker *worker, uint32_t n, WorkerTile tile, const void *arg);
void *worker_scratch(const Worker *worker);
// The worker is the thread that called workers_run.
bool worker_is_caller(const Worker *worker);
uint32_t worker_index(const Worker *worker);  // 0: the caller; others below workers_count

// Called by a worker that has computed tiles of another one's offer, before the owner goes on.
typedef void (*WorkerWatch)(void *user, uint32_t worker, uint32_t owner, double start, double end);
// Of the worker's offers from now on; NULL: none. A turn that sets it also ends it.
void worker_watch(Worker *worker, WorkerWatch watch, void *user);

#endif
