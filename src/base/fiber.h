// Cooperative tasks: many, of which one runs at a time, until it waits, yields to none, or ends.
// The order is fixed (first come, first served), so a run is the same every time. Each stands on a
// thread of its own, which sanitizers and debuggers understand; a baton decides whose turn it is.
#ifndef TESSERA_BASE_FIBER_H
#define TESSERA_BASE_FIBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct Fibers Fibers;

// One task. A throw must not leave it: it stands under a guard_run of its own.
typedef Status *(*FiberBody)(Fibers *fibers, void *arg, uint32_t index);
// Called when every unfinished task waits: says why (never NULL). Runs with the baton, so it may
// look at everything.
typedef Status *(*FiberStuck)(void *arg);

// Runs n tasks to their end. The first error, or what `stuck` says, is the result; after it, tasks
// that wait are woken with false and are expected to return soon, and tasks not yet begun are not.
Status *fibers_run(uint32_t n, size_t stack_bytes, FiberBody body, FiberStuck stuck,
                   void *arg) MUST_USE;

// Gives the baton away until somebody wakes this task: true. False: the run is ending, return.
bool fiber_wait(Fibers *fibers, uint32_t self);
// Marks a waiting task runnable (a no-op otherwise); it runs when its turn comes. Only with the
// baton.
void fiber_wake(Fibers *fibers, uint32_t index);

#endif
