// The only setjmp of the tree: out-of-memory and other failures deep inside a stage unwind to
// guard_run and become a Status. Resources to release on unwinding are on the guard's cleanup list.
#ifndef TESSERA_BASE_GUARD_H
#define TESSERA_BASE_GUARD_H

#include <stdint.h>

#include "base/status.h"

typedef struct Guard Guard;
typedef struct GuardCleanup GuardCleanup;

// A node of the cleanup list, owned by the code that pushes it (usually on the stack or inside the
// object).
struct GuardCleanup {
  void (*release)(void *object);
  void *object;
  GuardCleanup *next;
};

// Runs body(guard, arg) and returns its status, or the thrown one. A throw runs the cleanups that
// are still pushed, last pushed first. A normal return drops them.
Status *guard_run(Status *(*body)(Guard *guard, void *arg), void *arg) MUST_USE;

// Unwinds to guard_run with `status`, which the guard then owns.
_Noreturn void guard_throw(Guard *guard, Status *status);

void guard_push(Guard *guard, GuardCleanup *cleanup);
void guard_pop(Guard *guard,
               GuardCleanup *cleanup);  // must be the last one pushed; does not release

// ---- progress ----

// Receives the progress of a long call: stage name, amount done, total (0: unknown). Stages report
// at their beginning and about every 256 ops, on the calling thread, or in evaluate on one of its
// fibers.
typedef struct Progress {
  void (*tell)(void *user, const char *stage, uint64_t done, uint64_t total);
  void *user;
} Progress;

enum { PROGRESS_EVERY = 256 };  // a power of two

// Borrowed until guard_run returns; NULL: none, the initial state.
void guard_set_progress(Guard *guard, const Progress *progress);
const Progress *guard_progress(const Guard *guard);  // NULL for a NULL guard
void guard_tell(const Guard *guard, const char *stage, uint64_t done, uint64_t total);

#endif
