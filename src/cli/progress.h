// A line on the terminal while something takes long: `tessera: partition: deciding ops: 12345 of
// 60000 (3 s)`. Only if standard error is a terminal, after two seconds, and gone when it is done.
#ifndef TESSERA_CLI_PROGRESS_H
#define TESSERA_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/guard.h"

typedef struct CliProgress {
  const char *verb, *stage;  // of the line that was last written
  bool on, visible;
  double since, shown;  // when the verb began, and the line was last written
  double patience;      // seconds before the first line
  Progress hook;
} CliProgress;

// TESSERA_PROGRESS=SECONDS sets the patience; TESSERA_PROGRESS=off shows none.
void cli_progress_init(CliProgress *progress, const char *verb);
// What the guard is told is shown; `progress` must outlive it.
void cli_progress_use(CliProgress *progress, Guard *guard);
// As the hook does; one thread at a time.
void cli_progress_tell(CliProgress *progress, const char *stage, uint64_t done, uint64_t total);
// Erases the line, before anything else is printed. {0} is fine.
void cli_progress_clear(CliProgress *progress);

#endif
