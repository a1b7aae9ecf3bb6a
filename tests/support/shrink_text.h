// For tests: makes the text of a failing program smaller, edit by edit (support/shrink_program.h),
// as long as it still fails.
#ifndef TESSERA_TESTS_SUPPORT_SHRINK_TEXT_H
#define TESSERA_TESTS_SUPPORT_SHRINK_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "parse/parse.h"
#include "parse/print.h"

#include "shrink_program.h"

// Does the program with this text still fail?
typedef bool (*StillFails)(const char *text, void *user);

// A program as text, on the heap. Changes the program: unused ops are dropped.
static inline char *shrink_print(Program *p, Guard *guard) {
  StrBuf out;
  strbuf_init(&out, guard);
  shrink_close(p);
  program_print(p, &(PrintOptions){0}, &out);
  char *text = malloc(out.used + 1);
  memcpy(text, out.data, out.used);
  text[out.used] = 0;
  strbuf_deinit(&out);
  return text;
}

typedef struct ShrinkEdit {
  const char *text;
  ShrinkKind kind;
  uint32_t index;
  char *edited;  // NULL: there is no such edit
  Context *context;
  Program *program;
  Diag diag;
  Arena arena;
} ShrinkEdit;

static inline void shrink_close_edit(void *object) {
  ShrinkEdit *e = object;
  program_free(e->program);
  diag_deinit(&e->diag);
  arena_deinit(&e->arena);
  context_free(e->context);
}

static inline Status *shrink_run_edit(Guard *guard, void *arg) {
  ShrinkEdit *e = arg;
  Source source = {.path = "<shrunk>", .text = e->text, .size = strlen(e->text)};
  arena_init(&e->arena, guard);
  diag_init(&e->diag, guard, &source);
  GuardCleanup cleanup = {shrink_close_edit, e, NULL};
  guard_push(guard, &cleanup);
  e->context = context_new(guard);
  Status *status = program_parse(e->context, guard, &source, 0, source.size, &(ParseOptions){0},
                                 &e->diag, &e->program);
  if (!status && !program_verify(e->program, &e->diag)) status = diag_status(&e->diag);
  if (!status && shrink_step(e->program, &e->arena, e->kind, e->index))
    e->edited = shrink_print(e->program, guard);
  guard_pop(guard, &cleanup);
  shrink_close_edit(e);
  return status;
}

// Fewer lines, or as many and shorter.
static inline bool shrink_is_smaller(const char *text, const char *than) {
  size_t n = 0, m = 0;
  for (const char *c = text; *c; c++) n += *c == '\n';
  for (const char *c = than; *c; c++) m += *c == '\n';
  return n < m || (n == m && strlen(text) < strlen(than));
}

// One edit that the failure survives replaces *text. Returns whether there was an edit.
static inline bool shrink_try(char **text, ShrinkKind kind, uint32_t index, StillFails fails,
                              void *user, bool *out_good) {
  ShrinkEdit *e = calloc(1, sizeof *e);
  e->text = *text;
  e->kind = kind;
  e->index = index;
  Status *status = guard_run(shrink_run_edit, e);
  char *edited = e->edited;
  bool there = edited && strcmp(edited, *text) != 0;
  *out_good = !status && there && shrink_is_smaller(edited, *text) && fails(edited, user);
  if (*out_good) {
    free(*text);
    *text = edited;
  } else {
    free(edited);
  }
  status_free(status);
  free(e);
  return there;
}

// *text is on the heap and is replaced.
static inline void shrink_text(char **text, StillFails fails, void *user) {
  for (bool again = true; again;) {
    again = false;
    for (ShrinkKind kind = 0; kind < SHRINK_KINDS; kind++)
      for (uint32_t index = 0, misses = 0; misses < 40; index++) {
        bool good;
        bool there = shrink_try(text, kind, index, fails, user, &good);
        if (good) again = true, index--;
        misses = there ? 0 : misses + 1;
      }
  }
}

#endif
