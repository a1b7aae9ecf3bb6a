// Shared by the verbs that write a program for each program (segment) of a file.
#ifndef TESSERA_CLI_REWRITE_H
#define TESSERA_CLI_REWRITE_H

#include "base/guard.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "parse/print.h"

typedef struct Rewrite {
  const char *verb;
  const char *output;  // a file; see cli_is_stdout
  PrintOptions print;
  const Source *source;
  StrBuf out;  // of all segments
  // the current segment
  size_t begin, end;
  uint32_t index;
  Session session;
  int code;  // EXIT_BAD until the segment succeeds
  CliProgress progress;
} Rewrite;

// Calls segment(guard, job), then release(job), for each segment of the file. Then writes r->out to
// its destination; a file is written completely or not at all. Returns the worst exit code.
int rewrite_file(Rewrite *r, const char *path, Status *(*segment)(Guard *guard, void *job),
                 void (*release)(void *job), void *job);
// Compiles the current segment into r->session as far as the request says, and prints diagnostics.
// *out_good is false if they contain errors; the status is for all other errors. `then`, if not
// NULL, runs after compiling, before diagnostics are printed.
Status *rewrite_compile(Rewrite *r, Guard *guard, const CompileRequest *request,
                        Status *(*then)(void *job), void *job, Compiled *out,
                        bool *out_good) MUST_USE;
// Appends the current program to r->out.
void rewrite_put(Rewrite *r);

#endif
