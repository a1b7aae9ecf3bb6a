// What the verbs share that make another program of each one in a file.
#ifndef TESSERA_CLI_REWRITE_H
#define TESSERA_CLI_REWRITE_H

#include "base/guard.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "parse/print.h"

typedef struct Rewrite {
  const char *verb;
  const char *output;  // NULL: standard output
  PrintOptions print;
  const Source *source;
  StrBuf out;  // of all segments
  // the segment at hand
  size_t begin, end;
  uint32_t index;
  Session session;
  int code;  // EXIT_BAD until it is said otherwise
  CliProgress progress;
} Rewrite;

// Calls segment(guard, job) for each segment of the file, then release(job); both find it in r.
// Then what they put into r->out goes where it is to: a file is written whole or not at all.
// Gives the worst code.
int rewrite_file(Rewrite *r, const char *path, Status *(*segment)(Guard *guard, void *job),
                 void (*release)(void *job), void *job);
// Compiles the segment at hand into r->session as far as the request says, and prints diagnostics,
// warnings too. *out_good is false if these say what is wrong; the status is for everything else.
// `then`, if not NULL, runs after that, before diagnostics are printed.
Status *rewrite_compile(Rewrite *r, Guard *guard, const CompileRequest *request,
                        Status *(*then)(void *job), void *job, Compiled *out,
                        bool *out_good) MUST_USE;
// The program at hand, after what is there.
void rewrite_put(Rewrite *r);

#endif
