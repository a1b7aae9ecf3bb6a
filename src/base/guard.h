// The tree's one setjmp: arena exhaustion and other failures deep inside a stage unwind to
// guard_run and become a Status. What must be released on that way is put on the guard's cleanup
// list.
#ifndef TESSERA_BASE_GUARD_H
#define TESSERA_BASE_GUARD_H

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

#endif
