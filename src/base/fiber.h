// Cooperative tasks on one thread: many, of which one runs at a time, until it waits or ends. The
// order is fixed (first come, first served), so a run is the same every time. A task that waits
// keeps its stack and nothing else: no thread is blocked, and 16,384 waiting tasks are 16,384
// stacks of a few touched pages each.
#ifndef TESSERA_BASE_FIBER_H
#define TESSERA_BASE_FIBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct Fibers Fibers;

// One task. A throw must not leave it: it stands under a guard_run of its own.
typedef Status *(*FiberBody)(Fibers *fibers, void *arg, uint32_t index);
// Called when every unfinished task waits: says why (never NULL).
typedef Status *(*FiberStuck)(void *arg);

// Runs n tasks to their end on the calling thread. The first error, or what `stuck` says, is the
// result; after it, tasks that wait are woken with false and are expected to return soon, and tasks
// not yet begun are not. Tasks may call fibers_run themselves. `stack_bytes` is address space per
// task; a finished task's stack serves the next one that begins.
Status *fibers_run(uint32_t n, size_t stack_bytes, FiberBody body, FiberStuck stuck,
                   void *arg) MUST_USE;

// Lets others run until somebody wakes this task: true. False: the run is ending, return.
bool fiber_wait(Fibers *fibers, uint32_t self);
// Marks a waiting task runnable (a no-op otherwise); it runs when its turn comes.
void fiber_wake(Fibers *fibers, uint32_t index);

// Bytes of its stack that the running task `self` uses at this point, in whole pages.
size_t fiber_stack_used(const Fibers *fibers, uint32_t self);

#endif
