// Runs work on a new thread, and its callbacks ("errands") on the calling thread: callbacks into
// other languages need the caller's thread and stack.
#ifndef TESSERA_BASE_ERRAND_H
#define TESSERA_BASE_ERRAND_H

#include "base/status.h"

typedef struct Errands Errands;

// Runs body(errands, arg) on a new thread. Meanwhile the calling thread runs the errands that the
// body and its threads request. Returns body's status. RESOURCE_EXHAUSTED without a thread.
Status *errands_run(Status *(*body)(Errands *errands, void *arg), void *arg) MUST_USE;

// Runs run(arg) on the thread that called errands_run, and waits for its end. May be called from
// any thread; errands run one at a time, in order of request. A throw must not leave run.
void errand(Errands *errands, void (*run)(void *arg), void *arg);

#endif
