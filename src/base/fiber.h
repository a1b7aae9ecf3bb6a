// Cooperative tasks on one thread: one runs at a time, until it waits or ends. Tasks run in FIFO
// order, so runs are deterministic. A waiting task holds its stack and nothing else: no thread is
// blocked, and 16,384 waiting tasks take 16,384 stacks of a few touched pages each.
#ifndef TESSERA_BASE_FIBER_H
#define TESSERA_BASE_FIBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct Fibers Fibers;

// One task. A throw must not leave it: the body has its own guard_run.
typedef Status *(*FiberBody)(Fibers *fibers, void *arg, uint32_t index);
// Called when every unfinished task waits; returns the reason (never NULL).
typedef Status *(*FiberStuck)(void *arg);

// Runs n tasks to completion on the calling thread. Returns the first error, or the status of
// `stuck`. After an error waiting tasks are woken with false and should return soon; tasks not
// begun are skipped. Tasks may call fibers_run themselves. `stack_bytes` is address space per task;
// the stack of a finished task is reused.
Status *fibers_run(uint32_t n, size_t stack_bytes, FiberBody body, FiberStuck stuck,
                   void *arg) MUST_USE;

// Lets other tasks run until this task is woken (true), or the run is ending (false: return).
bool fiber_wait(Fibers *fibers, uint32_t self);
// Makes a waiting task runnable (otherwise a no-op); it runs in its turn.
void fiber_wake(Fibers *fibers, uint32_t index);

// Bytes of its stack that the running task `self` uses now, in pages.
size_t fiber_stack_used(const Fibers *fibers, uint32_t self);

#endif
