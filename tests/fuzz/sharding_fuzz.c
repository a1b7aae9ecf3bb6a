// libFuzzer target of GSPMD's strings: any bytes are read without a crash; what reads is written
// and read back the same; what has a mesh becomes axes with the same tiles, and back.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "interop/gspmd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Run {
  Context *context;
  ShardingTable *table;
  Arena arena;
  StrBuf text, again;
} Run;

static void run_close(void *object) {
  Run *run = object;
  strbuf_deinit(&run->text);
  strbuf_deinit(&run->again);
  arena_deinit(&run->arena);
  sharding_table_free(run->table);
  context_free(run->context);
}

static void fail(const Run *run, const char *what) {
  fprintf(stderr, "%s: %s\n", what, run->text.data ? run->text.data : "");
  abort();
}

static void check_text(Run *run, const GspmdSharding *g) {
  GspmdSharding back;
  gspmd_print(g, &run->text);
  if (gspmd_parse(&run->arena, (Str){run->text.data, run->text.used}, &back))
    fail(run, "does not read back");
  gspmd_print(&back, &run->again);
  if (run->text.used != run->again.used || memcmp(run->text.data, run->again.data, run->text.used))
    fail(run, "reads back as another");
}

static void check_tiles(Run *run, const GspmdSharding *g) {
  const Mesh *mesh;
  Sharding one, two;
  GspmdSharding back;
  Status *status = gspmd_find_mesh(run->context, &run->arena, 0, 0, 1, &g, &mesh);
  if (status) {
    if (status_code(status) != UNIMPLEMENTED) fail(run, status_message(status));
    status_free(status);
    return;
  }
  uint32_t rank = g->kind == GSPMD_TILED ? g->n_dims - g->n_subgroups : 2;
  MeshId id = sharding_mesh_add(run->table, mesh);
  if (gspmd_to_sharding(run->table, &run->arena, g, id, rank, &one)) fail(run, "no axes");
  if (gspmd_from_sharding(run->table, &run->arena, one, &back)) fail(run, "no way back");
  if (gspmd_to_sharding(run->table, &run->arena, &back, id, rank, &two)) fail(run, "no return");
  if (!sharding_same_tiles(run->table, one, two)) fail(run, "other tiles");
}

static Status *body(Guard *guard, void *arg) {
  Str text = *(const Str *)arg;
  Run run = {0};
  GuardCleanup cleanup = {run_close, &run, NULL};
  strbuf_init(&run.text, guard);
  strbuf_init(&run.again, guard);
  arena_init(&run.arena, guard);
  guard_push(guard, &cleanup);
  run.context = context_new(guard);
  run.table = sharding_table_new(run.context, guard);
  GspmdSharding g;
  Status *status = gspmd_parse(&run.arena, text, &g);
  if (!status) {
    check_text(&run, &g);
    if (g.kind != GSPMD_TUPLE)
      check_tiles(&run, &g);
    else
      for (uint32_t i = 0; i < g.n_items; i++)
        if (g.items[i].n_devices <= 4096) check_tiles(&run, &g.items[i]);
  }
  status_free(status);
  guard_pop(guard, &cleanup);
  run_close(&run);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Str text = {(const char *)data, size};
  status_free(guard_run(body, &text));
  return 0;
}
