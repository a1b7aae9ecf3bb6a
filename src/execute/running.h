// What each thread runs, so that a trap can be attributed to a kernel.
#ifndef TESSERA_EXECUTE_RUNNING_H
#define TESSERA_EXECUTE_RUNNING_H

#include "execute/executable.h"

// On the stack of a device's turn. Threads that compute tiles of its kernels refer to it too.
typedef struct RunNote {
  const Executable *exe;
  const Instr *instr;  // NULL: none yet
  uint32_t device;
} RunNote;

// The note of this thread; NULL: none.
extern _Thread_local const RunNote *run_note;

#endif
