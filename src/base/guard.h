// The tree's one setjmp: arena exhaustion and other failures deep inside a stage unwind to
// guard_run and become a Status. What must be released on that way is put on the guard's cleanup
// list.
#ifndef TESSERA_BASE_GUARD_H
#define TESSERA_BASE_GUARD_H

#include <stdint.h>

#include "base/status.h"

typedef struct Guard Guard;
typedef struct GuardCleanup GuardCleanup;

// A node in the guard's list, owned by whoever pushes it (usually on the stack or inside the
// object).
struct GuardCleanup {
  void (*release)(void *object);
  void *object;
  GuardCleanup *next;
};

// Runs body(guard, arg). Gives its status, or the one it was thrown. On a throw the cleanups that
// are still pushed run, last pushed first; on a normal return none is left or they are simply
// dropped.
Status *guard_run(Status *(*body)(Guard *guard, void *arg), void *arg) MUST_USE;

// Unwinds to guard_run with `status` (owned by the guard from here on).
_Noreturn void guard_throw(Guard *guard, Status *status);

void guard_push(Guard *guard, GuardCleanup *cleanup);
void guard_pop(Guard *guard,
               GuardCleanup *cleanup);  // must be the last one pushed; does not release

// ---- progress ----

// Who is told how far a long call is: the stage in words, how much of it is done, of how much (0:
// not known). Stages tell at their beginning and about every 256 ops, on the calling thread, or
// in evaluate on one of its fibers.
typedef struct Progress {
  void (*tell)(void *user, const char *stage, uint64_t done, uint64_t total);
  void *user;
} Progress;

enum { PROGRESS_EVERY = 256 };  // a power of two

// Borrowed until guard_run is back; NULL: nobody. A guard begins with nobody.
void guard_set_progress(Guard *guard, const Progress *progress);
const Progress *guard_progress(const Guard *guard);  // NULL for a guard that is NULL
void guard_tell(const Guard *guard, const char *stage, uint64_t done, uint64_t total);

#endif
