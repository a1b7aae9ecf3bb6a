// What hostile-input tests do with a text: every segment is read, verified, printed both ways, and
// what was printed is read again. Everything owned is on the guard's list, so that a throw anywhere
// leaks nothing.
#ifndef TESSERA_TESTS_SUPPORT_WHOLE_H
#define TESSERA_TESTS_SUPPORT_WHOLE_H

#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"

typedef struct Whole {
  Source source;
  bool allow_unregistered;
  size_t n_read, n_verified, n_changed;  // segments; changed: what was printed reads differently
} Whole;

static inline void whole_release_context(void *object) { context_free(object); }
static inline void whole_release_diag(void *object) { diag_deinit(object); }
static inline void whole_release_buffer(void *object) { strbuf_deinit(object); }
static inline void whole_release_program(void *object) { program_free(*(Program **)object); }

// Reads [begin, end) of the source; *out_hash is 0 if it cannot be read. With `printed` the program
// is also verified and written there, generic or pretty.
static inline Status *whole_segment(Context *context, Guard *guard, Whole *whole,
                                    const Source *source, size_t begin, size_t end, StrBuf *printed,
                                    bool generic, uint64_t *out_hash) {
  Diag diag;
  diag_init(&diag, guard, source);
  GuardCleanup free_diag = {.release = whole_release_diag, .object = &diag};
  guard_push(guard, &free_diag);
  Program *program = NULL;
  GuardCleanup free_program = {.release = whole_release_program, .object = &program};
  guard_push(guard, &free_program);
  ParseOptions options = {.allow_unregistered = whole->allow_unregistered};
  *out_hash = 0;
  Status *status = program_parse(context, guard, source, begin, end, &options, &diag, &program);
  if (!status) {
    *out_hash = program_hash(program);
    whole->n_read++;
    if (printed && program_verify(program, &diag)) {
      whole->n_verified++;
      PrintOptions print = {.generic = generic};
      program_print(program, &print, printed);
    }
    program_free(program);
    program = NULL;
  }
  guard_pop(guard, &free_program);
  guard_pop(guard, &free_diag);
  diag_deinit(&diag);
  // Wrong programs are the point of these tests; only exhaustion is news.
  if (status && status_code(status) != RESOURCE_EXHAUSTED) {
    status_free(status);
    status = NULL;
  }
  return status;
}

// The body for guard_run; arg is a Whole.
static inline Status *whole_run(Guard *guard, void *arg) {
  Whole *whole = arg;
  Status *status = NULL;
  Context *context = context_new(guard);
  GuardCleanup free_context = {.release = whole_release_context, .object = context};
  guard_push(guard, &free_context);
  size_t begin = 0, end = 0;
  while (!status && source_next_segment(&whole->source, &begin, &end)) {
    for (int generic = 0; generic < 2 && !status; generic++) {
      StrBuf printed;
      strbuf_init(&printed, guard);
      GuardCleanup free_buffer = {.release = whole_release_buffer, .object = &printed};
      guard_push(guard, &free_buffer);
      uint64_t first = 0, again = 0;
      status = whole_segment(context, guard, whole, &whole->source, begin, end, &printed, generic,
                             &first);
      if (!status && printed.used) {
        Source source = {.path = "printed", .text = printed.data, .size = printed.used};
        status = whole_segment(context, guard, whole, &source, 0, source.size, NULL, false, &again);
        if (!status && first != again) whole->n_changed++;
      }
      guard_pop(guard, &free_buffer);
      strbuf_deinit(&printed);
    }
  }
  guard_pop(guard, &free_context);
  context_free(context);
  return status;
}

#endif
