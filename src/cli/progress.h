// A progress line on the terminal: `tessera: partition: deciding ops: 12345 of 60000 (3 s)`. Shown
// after two seconds if stderr is a terminal, and erased at the end.
#ifndef TESSERA_CLI_PROGRESS_H
#define TESSERA_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/guard.h"

typedef struct CliProgress {
  const char *verb, *stage;  // stage: of the last line written
  bool on, visible;
  double since, shown;  // times: start of the verb, last line written
  double patience;      // seconds until the first line
  Progress hook;
} CliProgress;

// TESSERA_PROGRESS=SECONDS sets the patience; TESSERA_PROGRESS=off disables it.
void cli_progress_init(CliProgress *progress, const char *verb);
// Shows what is reported to the guard. `progress` must outlive the guard.
void cli_progress_use(CliProgress *progress, Guard *guard);
// Reports progress like the hook; one thread at a time.
void cli_progress_tell(CliProgress *progress, const char *stage, uint64_t done, uint64_t total);
// Erases the line; call it before printing anything else. {0} is fine.
void cli_progress_clear(CliProgress *progress);

#endif
