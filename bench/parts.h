// Parts of a bench: by name, or all of them; anything else is a file.
#ifndef TESSERA_BENCH_PARTS_H
#define TESSERA_BENCH_PARTS_H

#include <stdio.h>
#include <string.h>

#include "base/guard.h"

typedef struct BenchPart {
  const char *name;
  Status *(*run)(Guard *guard, bool *out_kept);  // kept: what it promises
} BenchPart;

typedef struct BenchJob {
  const BenchPart *parts;  // up to one without a name
  Status *(*file)(Guard *guard, const char *path);
  const char *what;  // NULL: all parts
  bool kept;
} BenchJob;

static inline Status *bench_run(Guard *guard, void *arg) {
  BenchJob *job = arg;
  bool found = false;
  for (const BenchPart *part = job->parts; part->name; part++) {
    if (job->what && strcmp(job->what, part->name) != 0) continue;
    bool kept = false;
    TRY(part->run(guard, &kept));
    job->kept = job->kept && kept;
    found = true;
  }
  return found ? NULL : job->file(guard, job->what);
}

// For main: 0 if every promise is kept, 1 if not, 2 after an error.
static inline int bench_main(int argc, char **argv, const BenchPart *parts,
                             Status *(*file)(Guard *guard, const char *path)) {
  BenchJob job = {.parts = parts, .file = file, .what = argc > 1 ? argv[1] : NULL, .kept = true};
  Status *status = guard_run(bench_run, &job);
  if (status) fprintf(stderr, "%s: %s\n", argv[0], status_message(status));
  bool failed = status != NULL;
  status_free(status);
  return failed ? 2 : job.kept ? 0 : 1;
}

#endif
