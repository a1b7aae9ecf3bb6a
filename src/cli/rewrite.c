// All segments are collected before a file is written, so an error leaves no half-written file.
// Output to stdout is flushed as it grows.
#include "cli/rewrite.h"

#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"

static Status *put_out(Guard *guard, void *arg) {
  Rewrite *r = arg;
  r->out.guard = guard;
  if (!cli_is_stdout(r->output))
    return file_write(r->output, r->out.data ? r->out.data : "", r->out.used);
  strbuf_flush(&r->out);
  return NULL;
}

int rewrite_file(Rewrite *r, const char *path, Status *(*segment)(Guard *guard, void *job),
                 void (*release)(void *job), void *job) {
  Source source;
  char *text = cli_read_program(path, &source);
  if (!text) return EXIT_BAD;
  strbuf_init(&r->out, NULL);
  if (cli_is_stdout(r->output)) r->out.flush = cli_flush;
  r->source = &source;
  cli_progress_init(&r->progress, r->verb);
  int code = EXIT_OK;
  for (; source_next_segment(&source, &r->begin, &r->end); r->index++) {
    r->code = EXIT_BAD;
    Status *status = guard_run(segment, job);
    cli_progress_clear(&r->progress);
    if (status) r->code = cli_fail(status);
    if (r->code > code) code = r->code;
    if (release) release(job);
    session_deinit(&r->session);
  }
  bool writes = code != EXIT_BAD || cli_is_stdout(r->output);
  Status *status = writes ? guard_run(put_out, r) : NULL;
  if (status) code = cli_fail(status);
  strbuf_deinit(&r->out);
  mem_free(text);
  return code;
}

Status *rewrite_compile(Rewrite *r, Guard *guard, const CompileRequest *request,
                        Status *(*then)(void *job), void *job, Compiled *out, bool *out_good) {
  r->out.guard = guard;
  session_init(&r->session, guard, r->source, r->progress.on ? &r->progress.hook : NULL);
  CompileRequest of_segment = *request;
  of_segment.begin = r->begin;
  of_segment.end = r->end;
  Status *status = compile(&r->session, &of_segment, out);
  cli_progress_clear(&r->progress);
  if (!status && then) status = then(job);
  cli_progress_clear(&r->progress);
  *out_good = !status;
  if (status && !session_has_errors(&r->session)) return status;
  status_free(status);
  cli_report(&r->session, guard);
  return NULL;
}

void rewrite_put(Rewrite *r) {
  if (r->index) strbuf_puts(&r->out, "// -----\n");
  program_print(r->session.program, &r->print, &r->out);
}
