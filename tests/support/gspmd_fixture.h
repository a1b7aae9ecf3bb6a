// For the tests of GSPMD's way in and out: a text becomes a program, the program a text.
#ifndef TESSERA_TESTS_GSPMD_FIXTURE_H
#define TESSERA_TESTS_GSPMD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"
#include "sharding/sharding.h"

typedef struct Fixture {
  Context *context;
  ShardingTable *table;
  Program *program;
  Source source;
  Diag diag;
  StrBuf text;
  Arena arena;
  GuardCleanup cleanup;
} Fixture;

static inline void fixture_close(void *object) {
  Fixture *f = object;
  program_free(f->program);
  strbuf_deinit(&f->text);
  diag_deinit(&f->diag);
  arena_deinit(&f->arena);
  sharding_table_free(f->table);
  context_free(f->context);
}

static inline void fixture_open(Fixture *f, Guard *guard, const char *text) {
  *f = (Fixture){.source = {.path = "test", .text = text, .size = strlen(text)}};
  strbuf_init(&f->text, guard);
  arena_init(&f->arena, guard);
  diag_init(&f->diag, guard, &f->source);
  f->cleanup = (GuardCleanup){fixture_close, f, NULL};
  guard_push(guard, &f->cleanup);
  f->context = context_new(guard);
  f->table = sharding_table_new(f->context, guard);
  Status *status = program_parse(f->context, guard, &f->source, 0, f->source.size,
                                 &(ParseOptions){0}, &f->diag, &f->program);
  if (status) fail_msg("%s: %s", status_message(status), text);
}

static inline void fixture_done(Fixture *f, Guard *guard) {
  guard_pop(guard, &f->cleanup);
  fixture_close(f);
}

// The program, found sound, as text.
static inline const char *fixture_text(Fixture *f) {
  const char *wrong = program_check(f->program);
  if (wrong) fail_msg("%s", wrong);
  f->text.used = 0;
  program_print(f->program, &(PrintOptions){0}, &f->text);
  if (!program_verify(f->program, &f->diag))
    fail_msg("%s\n%s", f->diag.list.items[0].message, f->text.data);
  return f->text.data;
}

// Each line of `lines` stands somewhere behind the one before it; `!x`: x stands nowhere.
static inline void expect_lines(const char *text, const char *lines) {
  const char *at = text;
  while (*lines) {
    size_t n = strcspn(lines, "\n");
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)n, lines);
    const char *found = strstr(line[0] == '!' ? text : at, line[0] == '!' ? line + 1 : line);
    if (line[0] == '!' ? found != NULL : found == NULL)
      fail_msg("not as expected: %s\nin\n%s", line, text);
    if (line[0] != '!') at = found + strlen(line);
    lines += n + (lines[n] == '\n');
  }
}

#endif
