// What the verbs share that make another program of each one in a file.
#ifndef TESSERA_CLI_REWRITE_H
#define TESSERA_CLI_REWRITE_H

#include "base/guard.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "parse/print.h"
#include "pipeline/propagate.h"

typedef struct Rewrite {
  const char *verb;
  const char *output;  // NULL: standard output
  PrintOptions print;
  const Source *source;
  StrBuf out;  // of all segments
  // the segment at hand
  size_t begin, end;
  uint32_t index;
  Segment seg;
  int code;  // EXIT_BAD until it is said otherwise
  CliProgress progress;
} Rewrite;

// Calls segment(guard, job) for each segment of the file, then release(job); both find it in r.
// Then what they put into r->out goes where it is to: a file is written whole or not at all.
// Gives the worst code.
int rewrite_file(Rewrite *r, const char *path, Status *(*segment)(Guard *guard, void *job),
                 void (*release)(void *job), void *job);
// Reads and verifies the segment at hand. False: what is wrong was told.
Status *rewrite_load(Rewrite *r, Guard *guard, bool *out_good) MUST_USE;
// The program at hand, after what is there.
void rewrite_put(Rewrite *r);
// What propagation has to say of it, to stderr.
void rewrite_report(const Rewrite *r, const Propagated *result, Guard *guard);
// Is what a status says in the diagnostics already?
bool rewrite_told(const Rewrite *r, const Propagated *result);

#endif
