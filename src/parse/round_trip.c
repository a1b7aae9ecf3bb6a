// parse∘print must be the identity on programs, print∘parse on printed text. Each parse has a
// context of its own, so that only the text is shared. O(text).
#include "parse/round_trip.h"

#include "parse/print.h"

// A parsed text, released with the guard.
typedef struct Copy {
  Context *context;
  Program *program;
  Diag diag;
  Source source;
  StrBuf text;  // the text that the program was parsed from
  GuardCleanup cleanup;
} Copy;

static void copy_release(void *object) {
  Copy *copy = object;
  program_free(copy->program);
  context_free(copy->context);
  diag_deinit(&copy->diag);
  strbuf_deinit(&copy->text);
}

static void copy_init(Copy *copy, Guard *guard) {
  *copy = (Copy){.cleanup = {copy_release, copy, NULL}};
  strbuf_init(&copy->text, guard);
  diag_init(&copy->diag, guard, &copy->source);
  guard_push(guard, &copy->cleanup);
  copy->context = context_new(guard);
}

static void copy_deinit(Copy *copy, Guard *guard) {
  guard_pop(guard, &copy->cleanup);
  copy_release(copy);
}

static Status *copy_read(Copy *copy, Guard *guard) {
  copy->source = (Source){.path = "<printed>", .text = copy->text.data, .size = copy->text.used};
  ParseOptions options = {.allow_unregistered = true};
  return program_parse(copy->context, guard, &copy->source, 0, copy->source.size, &options,
                       &copy->diag, &copy->program);
}

// Prints `program`, parses it into the copy, and compares the programs and the copy's text.
static Status *compare(const Program *program, const PrintOptions *print, Guard *guard, Copy *copy,
                       StrBuf *again) {
  const char *form = print->generic ? "generic" : "pretty";
  program_print(program, print, &copy->text);
  Status *status = copy_read(copy, guard);
  if (status) return status;
  if (program_hash(copy->program) != program_hash(program))
    FAIL(INTERNAL, "the %s text reads as another program", form);
  program_print(copy->program, print, again);
  if (again->used != copy->text.used || memcmp(again->data, copy->text.data, again->used) != 0)
    FAIL(INTERNAL, "the %s text is printed differently once it has been read", form);
  return NULL;
}

static Status *round_trip(const Program *program, const PrintOptions *print, Guard *guard) {
  Copy copy;
  StrBuf again;
  copy_init(&copy, guard);
  strbuf_init(&again, guard);
  GuardCleanup cleanup = {strbuf_release, &again, NULL};
  guard_push(guard, &cleanup);
  Status *status = compare(program, print, guard, &copy, &again);
  guard_pop(guard, &cleanup);
  strbuf_deinit(&again);
  copy_deinit(&copy, guard);
  return status;
}

Status *program_round_trip(const Program *program, Guard *guard) {
  TRY(round_trip(program, &(PrintOptions){.locations = true}, guard));
  TRY(round_trip(program, &(PrintOptions){0}, guard));
  TRY(round_trip(program, &(PrintOptions){.generic = true}, guard));
  return NULL;
}
