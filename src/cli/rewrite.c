#include "cli/rewrite.h"

#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"

static Status *put_out(Guard *guard, void *arg) {
  Rewrite *r = arg;
  r->out.guard = guard;
  if (r->output) return file_write(r->output, r->out.data ? r->out.data : "", r->out.used);
  strbuf_flush(&r->out);
  return NULL;
}

int rewrite_file(Rewrite *r, const char *path, Status *(*segment)(Guard *guard, void *job),
                 void (*release)(void *job), void *job) {
  Source source;
  char *text = cli_read_program(path, &source);
  if (!text) return EXIT_BAD;
  strbuf_init(&r->out, NULL);
  if (!r->output) r->out.flush = cli_flush;
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
    segment_deinit(&r->seg);
  }
  Status *status = code != EXIT_BAD || !r->output ? guard_run(put_out, r) : NULL;
  if (status) code = cli_fail(status);
  strbuf_deinit(&r->out);
  mem_free(text);
  return code;
}

Status *rewrite_load(Rewrite *r, Guard *guard, bool *out_good) {
  r->out.guard = guard;
  cli_progress_use(&r->progress, guard);
  TRY(segment_load(&r->seg, guard, r->source, r->begin, r->end, &(ParseOptions){0}, true));
  cli_progress_clear(&r->progress);
  if (!r->seg.valid) segment_report(&r->seg, guard);
  *out_good = r->seg.valid;
  return NULL;
}

void rewrite_put(Rewrite *r) {
  if (r->index) strbuf_puts(&r->out, "// -----\n");
  program_print(r->seg.program, &r->print, &r->out);
}

void rewrite_report(const Rewrite *r, const Propagated *result, Guard *guard) {
  if (r->seg.diag.list.count) segment_report(&r->seg, guard);
  StrBuf text;
  strbuf_init(&text, guard);
  GuardCleanup cleanup = {.release = cli_release_text, .object = &text};
  guard_push(guard, &cleanup);
  propagated_render(result, &text, cli_colour());
  if (text.used) fwrite(text.data, 1, text.used, stderr);
  guard_pop(guard, &cleanup);
  strbuf_deinit(&text);
}

bool rewrite_told(const Rewrite *r, const Propagated *result) {
  return r->seg.diag.errors != 0 || propagated_has_errors(result);
}
