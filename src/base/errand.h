// Work on a thread of its own whose errands the calling thread runs: for callbacks into other
// languages, which need the stack and the thread of whoever called.
#ifndef TESSERA_BASE_ERRAND_H
#define TESSERA_BASE_ERRAND_H

#include "base/status.h"

typedef struct Errands Errands;

// Runs body(errands, arg) on a new thread and meanwhile, on the calling one, the errands it and the
// threads it makes ask for; gives what body gives. RESOURCE_EXHAUSTED if no thread can be made.
Status *errands_run(Status *(*body)(Errands *errands, void *arg), void *arg) MUST_USE;

// Has run(arg) called on the thread that called errands_run, and waits for its end. From any
// thread; one errand at a time, in the order they are asked for. A throw must not leave it.
void errand(Errands *errands, void (*run)(void *arg), void *arg);

#endif
