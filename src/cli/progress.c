// Every report reads the clock; stages report rarely enough. The line is rewritten when the stage
// changes, else at most ten times a second. Stage names are string constants.
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

static const double interval = 0.1;  // seconds between two lines

static void tell(void *user, const char *stage, uint64_t done, uint64_t total) {
  cli_progress_tell(user, stage, done, total);
}

void cli_progress_init(CliProgress *p, const char *verb) {
  const char *term = getenv("TERM"), *setting = getenv("TESSERA_PROGRESS");
  bool off = setting && strcmp(setting, "off") == 0;
  *p = (CliProgress){.verb = verb,
                     .on = !off && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0,
                     .since = clock_seconds(),
                     .patience = setting && *setting ? strtod(setting, NULL) : 2,
                     .hook = {tell, p}};
}

void cli_progress_use(CliProgress *p, Guard *guard) {
  if (p->on) guard_set_progress(guard, &p->hook);
}

void cli_progress_tell(CliProgress *p, const char *stage, uint64_t done, uint64_t total) {
  if (!p->on) return;
  double now = clock_seconds();
  bool same = p->visible && p->stage && strcmp(p->stage, stage) == 0;
  if (now - p->since < p->patience || (same && now - p->shown < interval)) return;
  fprintf(stderr, "\r\033[Ktessera: %s: %s: %" PRIu64, p->verb, stage, done);
  if (total) fprintf(stderr, " of %" PRIu64, total);
  fprintf(stderr, " (%.0f s)", now - p->since);
  fflush(stderr);
  p->visible = true;
  p->stage = stage;
  p->shown = now;
}

void cli_progress_clear(CliProgress *p) {
  if (!p->visible) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  p->visible = false;
}
