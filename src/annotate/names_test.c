// A layout is exact: after propagation every dimension of a name has its axes and no others. And
// running out of memory anywhere leaks nothing.
#include "annotate/names.h"
#include "propagate/propagate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "ops/infer.h"
#include "parse/parse.h"

// An attention layer with a residual; the keys are first in the contraction.
static const char program_text[] =
    "module @m {\n"
    "  sdy.mesh @mesh = <[\"data\"=2, \"model\"=4]>\n"
    "  func.func @main(%x: tensor<4x8x16xf32>, %wq: tensor<16x4x6xf32>, %wk: tensor<16x4x6xf32>, "
    "%wo: tensor<4x6x16xf32> {tessera.dims = \"heads, size, hidden\"}) -> tensor<4x8x16xf32> {\n"
    "    %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<4x8x16xf32>, "
    "tensor<16x4x6xf32>) -> tensor<4x8x4x6xf32>\n"
    "    %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<4x8x16xf32>, "
    "tensor<16x4x6xf32>) -> tensor<4x8x4x6xf32>\n"
    "    %s = stablehlo.dot_general %k, %q, batching_dims = [0, 2] x [0, 2], contracting_dims = "
    "[3] x [3] : (tensor<4x8x4x6xf32>, tensor<4x8x4x6xf32>) -> tensor<4x4x8x8xf32>\n"
    "    %t = stablehlo.transpose %s, dims = [0, 1, 3, 2] : (tensor<4x4x8x8xf32>) -> "
    "tensor<4x4x8x8xf32>\n"
    "    %p = func.call @square(%t) : (tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>\n"
    "    %o = stablehlo.dot_general %p, %k, batching_dims = [0, 1] x [0, 2], contracting_dims = "
    "[3] x [1] : (tensor<4x4x8x8xf32>, tensor<4x8x4x6xf32>) -> tensor<4x4x8x6xf32>\n"
    "    %y = stablehlo.dot_general %o, %wo, contracting_dims = [1, 3] x [0, 1] : "
    "(tensor<4x4x8x6xf32>, tensor<4x6x16xf32>) -> tensor<4x8x16xf32>\n"
    "    %z = stablehlo.add %x, %y : tensor<4x8x16xf32>\n"
    "    return %z : tensor<4x8x16xf32>\n"
    "  }\n"
    "  func.func private @square(%x: tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32> {\n"
    "    %0 = stablehlo.multiply %x, %x : tensor<4x4x8x8xf32>\n"
    "    return %0 : tensor<4x4x8x8xf32>\n"
    "  }\n"
    "}\n";

static const char side_text[] = "x: batch, length, hidden\n%o: batch, ..., size # of a head\n";

typedef struct World {
  Source source, side, layout;
  Context *context;
  Program *program;
  ShardingTable *table;
  Propagation *propagation;
  Arena arena;
  Diag diag, side_diag, layout_diag;
  Names names;
  bool good;
} World;

static Status *run(Guard *guard, void *arg) {
  World *w = arg;
  diag_init(&w->diag, guard, &w->source);
  diag_init(&w->side_diag, guard, &w->side);
  diag_init(&w->layout_diag, guard, &w->layout);
  arena_init(&w->arena, guard);
  w->context = context_new(guard);
  ParseOptions options = {0};
  TRY(program_parse(w->context, guard, &w->source, 0, w->source.size, &options, &w->diag,
                    &w->program));
  if (!program_verify(w->program, &w->diag)) return diag_status(&w->diag);
  w->table = sharding_table_new(w->context, guard);
  TRY(propagation_new(w->program, w->table, &(PropagateOptions){0}, guard, &w->diag,
                      &w->propagation));
  w->good = names_build(propagation_graph(w->propagation), &w->arena, &w->diag, &w->side_diag,
                        &w->names) &&
            names_layout(&w->names, sharding_mesh_find(w->table, name_of(w->context, "mesh")),
                         propagation_givens(w->propagation), &w->layout_diag, &w->diag);
  if (w->good) propagation_run(w->propagation);
  return NULL;
}

static void world_start(World *w, const char *layout) {
  *w = (World){.source = {.path = "program", .text = program_text, .size = strlen(program_text)},
               .side = {.path = "side", .text = side_text, .size = strlen(side_text)},
               .layout = {.path = "layout", .text = layout, .size = strlen(layout)}};
}

static void world_end(World *w) {
  propagation_free(w->propagation);
  sharding_table_free(w->table);
  program_free(w->program);
  context_free(w->context);
  arena_deinit(&w->arena);
  if (w->diag.source) diag_deinit(&w->diag);
  if (w->side_diag.source) diag_deinit(&w->side_diag);
  if (w->layout_diag.source) diag_deinit(&w->layout_diag);
}

// The axes of a name in the layout, as "data+model"; empty if it is not in it.
static Str wanted(const char *layout, Str name) {
  for (const char *at = layout; at && *at;) {
    size_t n = strcspn(at, ":");
    const char *axes = at + n + 1;
    if (n == name.n && memcmp(at, name.s, n) == 0) return (Str){axes, strcspn(axes, ",")};
    at = strchr(axes, ',');
    if (at) at++;
  }
  return (Str){0};
}

static void check_layout(const char *layout) {
  World w;
  world_start(&w, layout);
  assert_null(guard_run(run, &w));
  assert_true(w.good);
  const Graph *g = propagation_graph(w.propagation);
  const Mesh *mesh =
      sharding_mesh(w.table, sharding_mesh_find(w.table, name_of(w.context, "mesh")));
  uint32_t cut = 0;
  for (PlaceId place = 1; place < g->n_places; place++) {
    const ShardingInfo *info = sharding_info(w.table, propagation_get(w.propagation, place));
    uint32_t rank = type_info(w.context, g->places[place].type)->rank;
    for (uint32_t d = 0; d < rank; d++) {
      Str axes = wanted(layout, names_text(&w.names, names_class(&w.names, place, d)));
      if (!axes.n) continue;
      char have[64] = "";
      AxisList list = info->rank ? sharding_dim_axes(info, d) : (AxisList){0};
      for (uint32_t i = 0; i < list.n; i++) {
        if (i) strcat(have, "+");
        strcat(have, name_text(w.context, mesh->axes[list.v[i].axis].name));
      }
      assert_true(str_is(axes, have));
      cut++;
    }
  }
  assert_true(cut > 3);
  NodeId node;
  assert_true(propagation_is_fixpoint(w.propagation, &node));
  world_end(&w);
}

static void layouts(void **state) {
  (void)state;
  check_layout("batch:data");
  check_layout("batch:data,heads:model");
  check_layout("length:data+model");
  check_layout("hidden:model,length':data");
  check_layout("length:data,length':model");
  check_layout("heads:model+data");
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  World w;
  world_start(&w, "batch:data,heads:model,length':data+model");  // invalid: two dims of the scores
  mem_fail_at(0);
  assert_null(guard_run(run, &w));
  uint64_t allocations = mem_fail_at(0);
  assert_false(w.good);
  world_end(&w);
  for (uint64_t k = 1; k <= allocations; k++) {
    world_start(&w, "batch:data,heads:model,length':data+model");
    mem_fail_at(k);
    Status *status = guard_run(run, &w);
    mem_fail_at(0);
    assert_int_equal(status_code(status), RESOURCE_EXHAUSTED);
    status_free(status);
    world_end(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layouts),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
