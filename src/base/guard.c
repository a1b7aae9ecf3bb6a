// guard_run: setjmp once, run the body, turn a throw into its status (like Lua's protected call).
#include "base/guard.h"

#include <assert.h>
#include <setjmp.h>

struct Guard {
  jmp_buf target;
  Status *thrown;
  GuardCleanup *cleanups;
  const Progress *progress;
};

Status *guard_run(Status *(*body)(Guard *guard, void *arg), void *arg) {
  Guard guard;
  guard.thrown = NULL;
  guard.cleanups = NULL;
  guard.progress = NULL;
  if (setjmp(guard.target) == 0) return body(&guard, arg);
  return guard.thrown;
}

void guard_throw(Guard *guard, Status *status) {
  assert(guard && "an arena that can run out stands under a guard");
  guard->thrown = status ? status : status_no_memory();
  // Before the jump: cleanups and their objects may be in the frames that it discards.
  while (guard->cleanups) {
    GuardCleanup *cleanup = guard->cleanups;
    guard->cleanups = cleanup->next;
    cleanup->release(cleanup->object);
  }
  longjmp(guard->target, 1);
}

void guard_push(Guard *guard, GuardCleanup *cleanup) {
  cleanup->next = guard->cleanups;
  guard->cleanups = cleanup;
}

void guard_pop(Guard *guard, GuardCleanup *cleanup) {
  assert(guard->cleanups == cleanup && "cleanups are popped in reverse order");
  guard->cleanups = cleanup->next;
}

void guard_set_progress(Guard *guard, const Progress *progress) { guard->progress = progress; }

const Progress *guard_progress(const Guard *guard) { return guard ? guard->progress : NULL; }

void guard_tell(const Guard *guard, const char *stage, uint64_t done, uint64_t total) {
  if (guard && guard->progress) guard->progress->tell(guard->progress->user, stage, done, total);
}
