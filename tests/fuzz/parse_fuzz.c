// libFuzzer target of the reader: any bytes are read without a crash, and what reads and verifies
// survives printing in both forms.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  abort();
}

static void take_round(Program *p, Guard *guard, Diag *diag) {
  const char *broken = program_check(p);
  if (broken) fail("the program is inconsistent", broken);
  bool verified = program_verify(p, diag);
  Status *status = verified ? program_round_trip(p, guard) : NULL;
  if (status && status_code(status) != RESOURCE_EXHAUSTED)
    fail("round trip", status_message(status));
  status_free(status);
}

static Status *read_segment(Guard *guard, const Source *source, size_t begin, size_t end) {
  Context *context = context_new(guard);
  GuardCleanup context_cleanup = {context_release, context, NULL};
  guard_push(guard, &context_cleanup);
  Diag diag;
  diag_init(&diag, guard, source);
  GuardCleanup diag_cleanup = {diag_release, &diag, NULL};
  guard_push(guard, &diag_cleanup);
  ParseOptions options = {.allow_unregistered = true, .max_depth = 64};
  Program *p = NULL;
  Status *status = program_parse(context, guard, source, begin, end, &options, &diag, &p);
  if (!status) {
    GuardCleanup program_cleanup = {program_release, p, NULL};
    guard_push(guard, &program_cleanup);
    take_round(p, guard, &diag);
    guard_pop(guard, &program_cleanup);
  } else if (!diag.errors) {
    fail("a failure without a message", status_message(status));
  }
  status_free(status);
  program_free(p);
  guard_pop(guard, &diag_cleanup);
  guard_pop(guard, &context_cleanup);
  diag_deinit(&diag);
  context_free(context);
  return NULL;
}

static Status *read_all(Guard *guard, void *arg) {
  const Source *source = arg;
  size_t begin = 0, end = 0;
  while (source_next_segment(source, &begin, &end)) TRY(read_segment(guard, source, begin, end));
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Source source = {.path = "<fuzz>", .text = (const char *)data, .size = size};
  Status *status = guard_run(read_all, &source);
  status_free(status);
  return 0;
}
