// A context and a sharding table for tests, released with the guard.
#ifndef TESSERA_SHARDING_TABLE_FIXTURE_H
#define TESSERA_SHARDING_TABLE_FIXTURE_H

#include "base/diag.h"
#include "sharding/sharding.h"

typedef struct Fixture {
  Context *context;
  ShardingTable *table;
  Diag diag;
  Source source;
  Arena arena;
  StrBuf text;
  GuardCleanup cleanup;
} Fixture;

static inline void fixture_close(void *object) {
  Fixture *f = object;
  strbuf_deinit(&f->text);
  arena_deinit(&f->arena);
  diag_deinit(&f->diag);
  sharding_table_free(f->table);
  context_free(f->context);
}

static inline void fixture_open(Fixture *f, Guard *guard) {
  *f = (Fixture){.source = {.path = "<test>", .text = "", .size = 0}};
  diag_init(&f->diag, guard, &f->source);
  arena_init(&f->arena, guard);
  strbuf_init(&f->text, guard);
  f->cleanup = (GuardCleanup){fixture_close, f, NULL};
  guard_push(guard, &f->cleanup);
  f->context = context_new(guard);
  f->table = sharding_table_new(f->context, guard);
}

static inline void fixture_done(Fixture *f, Guard *guard) {
  guard_pop(guard, &f->cleanup);
  fixture_close(f);
}

#endif
