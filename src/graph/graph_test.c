// Places, nodes and instances of small programs. In the texts ' stands for ".
#include "graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "annotate/program_mesh.h"
#include "ops/infer.h"
#include "parse/parse.h"

typedef struct Case {
  char text[4096];
  GraphOptions options;
  Source source;
  Context *context;
  ShardingTable *table;
  Program *p;
  Diag diag;
  Graph g;
  Arena scratch;
  void (*check)(struct Case *c);
  Status *status;
} Case;

static void close_case(Case *c) {
  if (!c->status) graph_deinit(&c->g);
  program_free(c->p);
  diag_deinit(&c->diag);
  sharding_table_free(c->table);
  arena_deinit(&c->scratch);
  context_free(c->context);
  status_free(c->status);
}

static Status *open_case(Guard *guard, void *arg) {
  Case *c = arg;
  arena_init(&c->scratch, guard);
  c->context = context_new(guard);
  c->table = sharding_table_new(c->context, guard);
  diag_init(&c->diag, guard, &c->source);
  TRY(program_parse(c->context, guard, &c->source, 0, c->source.size, &(ParseOptions){0}, &c->diag,
                    &c->p));
  if (!program_verify(c->p, &c->diag)) return diag_status(&c->diag);
  TRY(program_meshes_read(c->p, c->table));
  TRY(graph_build(c->p, c->table, &c->options, guard, &c->diag, &c->g));
  c->check(c);
  return NULL;
}

static void run(Case *c, const char *text, void (*check)(Case *c)) {
  size_t n = strlen(text);
  assert_true(n < sizeof c->text);
  for (size_t i = 0; i <= n; i++) c->text[i] = text[i] == '\'' ? '"' : text[i];
  c->source = (Source){.path = "test.mlir", .text = c->text, .size = n};
  c->check = check;
  c->status = guard_run(open_case, c);
}

static void check_graph(const char *text, void (*check)(Case *c)) {
  Case c = {.check = NULL};
  run(&c, text, check);
  if (c.status) fail_msg("%s", status_message(c.status));
  close_case(&c);
}

// ---- finding ----

// The n-th op of a kind, in program order.
static OpId nth(const Case *c, uint16_t code, uint32_t n) {
  for (OpId o = c->p->root; o; o = op_walk_next(c->p, o, c->p->root))
    if (op_at(c->p, o)->code == code && !n--) return o;
  fail_msg("the program has too few of these ops");
  return 0;
}

static PlaceId result_place(const Case *c, InstanceId instance, OpId op, uint32_t i) {
  return graph_place(&c->g, instance, op_result(c->p, op, i));
}

static ValueId arg(const Case *c, OpId op, uint32_t region, uint32_t i) {
  return block_arg(c->p, region_block(c->p, op_region(c->p, op, region)), i);
}

static NodeId node_of(const Case *c, OpId op, NodeKind kind, uint32_t n) {
  for (NodeId i = 1; i < c->g.n_nodes; i++)
    if (c->g.nodes[i].op == op && c->g.nodes[i].kind == kind && !n--) return i;
  fail_msg("the op has too few nodes of this kind");
  return 0;
}

static bool is_adjacent(const Graph *g, PlaceId place, NodeId node) {
  for (uint32_t i = g->adjacent_first[place]; i < g->adjacent_first[place + 1]; i++)
    if (g->adjacent[i] == node) return true;
  return false;
}

// ---- ops ----

static void check_ops(Case *c) {
  const Graph *g = &c->g;
  OpId function = nth(c, OP_func_func, 0), add = nth(c, OP_add, 0), size = nth(c, OP_constant, 0);
  InstanceId main_id = graph_instance_of(g, function);
  assert_int_equal(main_id, 1);
  assert_int_equal(g->n_instances, 2);
  assert_int_equal(g->instances[1].call, 0);
  PlaceId a = graph_place(g, 1, arg(c, function, 0, 0)),
          b = graph_place(g, 1, arg(c, function, 0, 1)), sum = result_place(c, 1, add, 0),
          out = graph_result_place(g, 1, 0);
  assert_true(a && b && sum && out && a != b && b != sum && sum != out);
  assert_int_equal(result_place(c, 1, size, 0), 0);  // rank 0
  NodeId node = node_of(c, add, NODE_OP, 0);
  const PlaceId *tensors = node_tensors(g, node);
  assert_true(tensors[0] == a && tensors[1] == b && tensors[2] == sum);
  assert_int_equal(node_map(g, node)->n_factors, 2);
  assert_int_equal(g->places[sum].def, node);
  assert_int_equal(g->places[a].def, 0);
  assert_true(is_adjacent(g, a, node) && is_adjacent(g, sum, node) && !is_adjacent(g, out, node));
  // A node ties what a root returns to its result. Equal ops share a map.
  NodeId end = node_of(c, function, NODE_RETURN, 0);
  assert_true(is_adjacent(g, out, end));
  assert_int_equal(g->nodes[node_of(c, nth(c, OP_add, 1), NODE_OP, 0)].map, g->nodes[node].map);
  assert_int_not_equal(g->nodes[node_of(c, nth(c, OP_tanh, 0), NODE_OP, 0)].map,
                       g->nodes[node].map);
}

static void test_ops(void **state) {
  (void)state;
  check_graph("func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {\n"
              "  %n = stablehlo.constant dense<1> : tensor<i32>\n"
              "  %0 = stablehlo.add %a, %b : tensor<4x8xf32>\n"
              "  %1 = stablehlo.tanh %0 : tensor<4x8xf32>\n"
              "  %2 = stablehlo.add %1, %b : tensor<4x8xf32>\n"
              "  return %2 : tensor<4x8xf32>\n"
              "}\n",
              check_ops);
}

// ---- loops ----

// Result i, argument i of the condition and argument i of the body are one place.
static void check_loop(Case *c) {
  const Graph *g = &c->g;
  OpId loop = nth(c, OP_while, 0), function = nth(c, OP_func_func, 0);
  PlaceId carry = result_place(c, 1, loop, 1);
  assert_true(carry);
  assert_int_equal(graph_place(g, 1, arg(c, loop, 0, 1)), carry);
  assert_int_equal(graph_place(g, 1, arg(c, loop, 1, 1)), carry);
  PlaceId first = graph_place(g, 1, arg(c, function, 0, 0)),
          next = result_place(c, 1, nth(c, OP_tanh, 0), 0);
  assert_true(first != carry && next != carry);
  NodeId edge = node_of(c, loop, NODE_EDGE, 0);
  assert_true(is_adjacent(g, first, edge) && is_adjacent(g, next, edge) &&
              is_adjacent(g, carry, edge));
  uint32_t last = factor_map_n_tensors(node_map(g, edge)) - 1;
  assert_int_equal(node_tensors(g, edge)[last], carry);  // sources, then the target
}

static void test_loop(void **state) {
  (void)state;
  check_graph("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
              "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
              "  %0:2 = stablehlo.while(%i = %z, %v = %a) : tensor<i32>, tensor<4xf32>\n"
              "  cond {\n"
              "    %t = stablehlo.compare LT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
              "    stablehlo.return %t : tensor<i1>\n"
              "  } do {\n"
              "    %1 = stablehlo.tanh %v : tensor<4xf32>\n"
              "    stablehlo.return %i, %1 : tensor<i32>, tensor<4xf32>\n"
              "  }\n"
              "  return %0#1 : tensor<4xf32>\n"
              "}\n",
              check_loop);
}

// ---- instances ----

#define CALLS                                                                                      \
  "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"                                        \
  "  %0 = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"                                   \
  "  %1 = func.call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>\n"                                   \
  "  %2 = func.call @f(%1) : (tensor<4xf32>) -> tensor<4xf32>\n"                                   \
  "  return %2 : tensor<4xf32>\n"                                                                  \
  "}\n"                                                                                            \
  "func.func private @f(%u: tensor<4xf32>) -> tensor<4xf32> {\n"                                   \
  "  %0 = stablehlo.tanh %u : tensor<4xf32>\n"                                                     \
  "  return %0 : tensor<4xf32>\n"                                                                  \
  "}\n"

static void check_instances(Case *c) {
  const Graph *g = &c->g;
  OpId f = nth(c, OP_func_func, 1), tanh = nth(c, OP_tanh, 0);
  assert_false(g->shared_instances);
  assert_int_equal(g->n_instances, 5);  // [0], main and three calls
  assert_int_equal(graph_instance_of(g, f), 2);
  for (InstanceId i = 2; i < 5; i++) {
    assert_int_equal(g->instances[i].function, f);
    assert_int_equal(g->instances[i].call, nth(c, OP_func_call, i - 2));
    assert_int_equal(g->instances[i].caller, 1);
    // The call's result is the instance's result.
    assert_int_equal(result_place(c, 1, g->instances[i].call, 0), graph_result_place(g, i, 0));
  }
  assert_int_not_equal(result_place(c, 2, tanh, 0), result_place(c, 3, tanh, 0));
}

static void check_shared(Case *c) {
  const Graph *g = &c->g;
  OpId tanh = nth(c, OP_tanh, 0);
  assert_true(g->shared_instances);
  assert_true(g->n_instances < 5);
  InstanceId last = g->n_instances - 1;
  // Calls beyond the limit have one result place.
  assert_int_equal(result_place(c, 1, nth(c, OP_func_call, 2), 0), graph_result_place(g, last, 0));
  assert_int_equal(result_place(c, 1, nth(c, OP_func_call, 1), 0), graph_result_place(g, last, 0));
  assert_true(result_place(c, last, tanh, 0));
}

static void test_instances(void **state) {
  (void)state;
  check_graph(CALLS, check_instances);
  Case c = {.options = {.most_ops = 1}};
  run(&c, CALLS, check_shared);
  if (c.status) fail_msg("%s", status_message(c.status));
  close_case(&c);
}

// ---- groups ----

static void check_group(Case *c) {
  OpId function = nth(c, OP_func_func, 0);
  PlaceId a = graph_place(&c->g, 1, arg(c, function, 0, 0)),
          b = graph_place(&c->g, 1, arg(c, function, 0, 1));
  assert_int_equal(a, result_place(c, 1, nth(c, OP_tanh, 0), 0));
  assert_int_not_equal(a, b);
  assert_int_equal(c->g.places[a].value, arg(c, function, 0, 0));  // the first in program order
}

static void test_group(void **state) {
  (void)state;
  check_graph("func.func @main(%a: tensor<4xf32>, %b: tensor<4x2xf32>) -> tensor<4xf32> {\n"
              "  %0 = stablehlo.tanh %a : tensor<4xf32>\n"
              "  sdy.sharding_group %a group_id=7 : tensor<4xf32>\n"
              "  sdy.sharding_group %0 group_id=7 : tensor<4xf32>\n"
              "  sdy.sharding_group %b group_id=8 : tensor<4x2xf32>\n"
              "  return %0 : tensor<4xf32>\n"
              "}\n",
              check_group);
  Case c = {.check = NULL};
  run(&c,
      "func.func @main(%a: tensor<4xf32>, %b: tensor<4x2xf32>) -> tensor<4xf32> {\n"
      "  sdy.sharding_group %a group_id=7 : tensor<4xf32>\n"
      "  sdy.sharding_group %b group_id=7 : tensor<4x2xf32>\n"
      "  return %a : tensor<4xf32>\n"
      "}\n",
      NULL);
  assert_int_equal(status_code(c.status), INVALID_ARGUMENT);
  assert_int_equal(c.diag.errors, 1);
  close_case(&c);
}

// ---- constants ----

// The first use has the constant's own place, the second a copy of the expression.
static void check_constants(Case *c) {
  const Graph *g = &c->g;
  OpId constant = nth(c, OP_constant, 0), negate = nth(c, OP_negate, 0);
  OperandId first = op_at(c->p, nth(c, OP_add, 0))->operands + 1,
            second = op_at(c->p, nth(c, OP_add, 1))->operands + 1;
  PlaceId own = result_place(c, 1, negate, 0);
  assert_int_equal(graph_use_place(g, 1, first), own);
  PlaceId copy = graph_use_place(g, 1, second);
  assert_true(copy && copy != own);
  assert_int_equal(g->instances[1].n_constants, 1);
  const ConstantUse *use = &g->splits[g->instances[1].constants];
  assert_int_equal(use->use, second);
  assert_int_equal(use->place, copy);
  assert_int_equal(use->n_values, 2);  // the constant and its negation
  for (uint32_t i = 0; i < 2; i++) {
    const SplitValue *value = &g->split_values[use->values + i];
    bool made =
        value->value == op_result(c->p, constant, 0) || value->value == op_result(c->p, negate, 0);
    assert_true(made && value->place != result_place(c, 1, constant, 0) && value->place != own);
  }
}

static void check_unsplit(Case *c) {
  OperandId second = op_at(c->p, nth(c, OP_add, 1))->operands + 1;
  assert_int_equal(graph_use_place(&c->g, 1, second), result_place(c, 1, nth(c, OP_negate, 0), 0));
}

static void test_constants(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
      "  %c = stablehlo.constant dense<1.0> : tensor<4xf32>\n"
      "  %n = stablehlo.negate %c : tensor<4xf32>\n"
      "  %0 = stablehlo.add %a, %n : tensor<4xf32>\n"
      "  %1 = stablehlo.add %0, %n : tensor<4xf32>\n"
      "  return %0, %1 : tensor<4xf32>, tensor<4xf32>\n"
      "}\n";
  check_graph(text, check_constants);
  Case c = {.options = {.explicit_only = true}};
  run(&c, text, check_unsplit);
  assert_null(c.status);
  close_case(&c);
}

// ---- manual computations ----

static Sharding read_sharding(Case *c, MeshId mesh, const char *first, const char *second) {
  const char *names[] = {first, second};
  AxisRef refs[2];
  ShardFactor factors[2] = {0};
  DimSharding dims[2];
  const Mesh *on = sharding_mesh(c->table, mesh);
  for (uint32_t d = 0; d < 2; d++) {
    if (names[d]) {
      refs[d] = axis_full(on, mesh_find_axis(on, name_of(c->context, names[d])));
      factors[d].axes = (AxisList){&refs[d], 1};
    }
    dims[d] = (DimSharding){&factors[d], 1, false, PRIORITY_NONE};
  }
  return sharding_intern(c->table, &(ShardingInfo){.mesh = mesh, .rank = 2, .dims = dims});
}

static void check_axes(const Case *c, Sharding s, uint32_t d, uint32_t n) {
  assert_int_equal(sharding_dim_axes(sharding_info(c->table, s), d).n, n);
}

// The body's argument has no manual axes, its source has them: each side is seen through a view.
static void check_views(Case *c) {
  const Graph *g = &c->g;
  OpId manual = nth(c, OP_sdy_manual_computation, 0);
  NodeId enter = 0, leave = 0;
  for (NodeId i = 1; i < g->n_nodes; i++) {
    if (!g->nodes[i].view) continue;
    if (g->views[g->nodes[i].view].argument)
      enter = i;
    else
      leave = i;
  }
  assert_true(enter && leave);
  assert_int_equal(g->nodes[enter].op, manual);
  PlaceId inside = graph_place(g, 1, arg(c, manual, 0, 0)), outside = result_place(c, 1, manual, 0);
  assert_true(is_adjacent(g, inside, enter) && is_adjacent(g, outside, leave));
  assert_int_equal(g->views[g->nodes[enter].view].manual.n, 1);
  Sharding free = read_sharding(c, 1, NULL, "y"), both = read_sharding(c, 1, "x", "y");
  Sharding seen = view_seen(g, g->nodes[enter].view, free, &c->scratch);
  check_axes(c, seen, 0, 1), check_axes(c, seen, 1, 1);
  Sharding stored = view_stored(g, g->nodes[enter].view, both, &c->scratch);
  check_axes(c, stored, 0, 0), check_axes(c, stored, 1, 1);
  seen = view_seen(g, g->nodes[leave].view, both, &c->scratch);
  check_axes(c, seen, 0, 0), check_axes(c, seen, 1, 1);
  stored = view_stored(g, g->nodes[leave].view, free, &c->scratch);
  check_axes(c, stored, 0, 1), check_axes(c, stored, 1, 1);
}

static void test_views(void **state) {
  (void)state;
  check_graph("sdy.mesh @m = <['x'=2, 'y'=2]>\n"
              "func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
              "  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{'x'}, {?}]>] "
              "out_shardings=[<@m, [{'x'}, {?}]>] manual_axes={'x'} (%b: tensor<2x4xf32>) {\n"
              "    %1 = stablehlo.tanh %b : tensor<2x4xf32>\n"
              "    sdy.return %1 : tensor<2x4xf32>\n"
              "  } : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
              "  return %0 : tensor<4x4xf32>\n"
              "}\n",
              check_views);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ops),       cmocka_unit_test(test_loop),
      cmocka_unit_test(test_instances), cmocka_unit_test(test_group),
      cmocka_unit_test(test_constants), cmocka_unit_test(test_views)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
