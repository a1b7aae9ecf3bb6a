// On random programs (TESSERA_SEED): every axis of every place has a chain, every link of it is a
// legal step by itself, every chain begins at an annotation, and every conflict at the fixpoint has
// a reason. On a hand-written program: the text.
#include "explain/why.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "parse/parse.h"
#include "sharding/sharding_fixture.h"

// ---- a world ----

typedef struct World {
  Guard *guard;
  Arena arena;
  Context *context;
  Source source;
  Diag diag;
  Program *program;
  ShardingTable *table;
  Propagation *p;
  Why *why;
} World;

static void world_deinit(void *world) {
  World *w = world;
  why_free(w->why);
  propagation_free(w->p);
  sharding_table_free(w->table);
  program_free(w->program);
  context_free(w->context);
  diag_deinit(&w->diag);
  arena_deinit(&w->arena);
}

static void show_diag(World *w) {
  StrBuf text;
  strbuf_init(&text, w->guard);
  diag_render(&w->diag, &text, false);
  if (text.used) fprintf(stderr, "%s", text.data);
  strbuf_deinit(&text);
}

// Parses, verifies, propagates and explains. The text must outlive the world.
static Status *world_init(World *w, Guard *guard, const char *text,
                          const PropagateOptions *options) {
  *w = (World){.guard = guard,
               .source = {.path = "dir/model.mlir", .text = text, .size = strlen(text)}};
  arena_init(&w->arena, guard);
  diag_init(&w->diag, guard, &w->source);
  w->context = context_new(guard);
  Status *status = program_parse(w->context, guard, &w->source, 0, w->source.size,
                                 &(ParseOptions){0}, &w->diag, &w->program);
  if (!status && !program_verify(w->program, &w->diag)) status = diag_status(&w->diag);
  w->table = sharding_table_new(w->context, guard);
  if (!status) status = propagation_new(w->program, w->table, options, guard, &w->diag, &w->p);
  if (!status) status = propagation_read(w->p, &w->diag);
  if (status) {
    show_diag(w);
    return status;
  }
  propagation_run(w->p);
  w->why = why_new(w->p, NULL, guard);
  return NULL;
}

// ---- hand-written programs ----

static const char by_hand[] =
    "#loc1 = loc(\"params['w']\")\n"
    "#user = loc(callsite(\"/lib/python3/site-packages/flax/linear.py\":7:1 at "
    "\"train_of_why.py\":41:8))\n"
    "module {\n"
    "  sdy.mesh @mesh = <[\"data\"=2, \"model\"=4]>\n"
    "  func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, "
    "{?}]>},\n"
    "      %w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"model\"}]>} "
    "loc(#loc1),\n"
    "      %b: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {\"model\", ?}]>})\n"
    "      -> tensor<8x8xf32> {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
    "tensor<16x32xf32>) -> tensor<8x32xf32> loc(#user)\n"
    "    %1 = func.call @silu(%0) : (tensor<8x32xf32>) -> tensor<8x32xf32>\n"
    "    %2 = func.call @silu(%1) : (tensor<8x32xf32>) -> tensor<8x32xf32>\n"
    "    %3 = stablehlo.dot_general %2, %b, contracting_dims = [1] x [0] : (tensor<8x32xf32>, "
    "tensor<32x8xf32>) -> tensor<8x8xf32>\n"
    "    return %3 : tensor<8x8xf32>\n"
    "  }\n"
    "  func.func private @silu(%a: tensor<8x32xf32>) -> tensor<8x32xf32> {\n"
    "    %0 = stablehlo.logistic %a : tensor<8x32xf32>\n"
    "    %1:2 = stablehlo.optimization_barrier %0, %a : tensor<8x32xf32>, tensor<8x32xf32>\n"
    "    %2 = stablehlo.multiply %1#0, %1#1 : tensor<8x32xf32>\n"
    "    return %2 : tensor<8x32xf32>\n"
    "  }\n"
    "}\n";

// Explanations of all places of a name.
static const char *explain(World *w, const char *name) {
  const PlaceId *places;
  uint32_t n;
  StrBuf text;
  strbuf_init(&text, w->guard);
  Status *status = why_find(w->why, str_of(name), &w->arena, &places, &n);
  for (uint32_t i = 0; !status && i < n; i++) why_print_place(w->why, places[i], &text);
  if (status) strbuf_puts(&text, status_message(status));
  status_free(status);
  const char *copy = arena_printf(&w->arena, "%s", text.data);
  strbuf_deinit(&text);
  return copy;
}

static uint32_t n_found(World *w, const char *name) {
  const PlaceId *places;
  uint32_t n = 0;
  status_free(why_find(w->why, str_of(name), &w->arena, &places, &n));
  return n;
}

static Status *hand_round(Guard *guard, void *arg) {
  (void)arg;
  World w;
  TRY(world_init(&w, guard, by_hand, &(PropagateOptions){0}));
  why_free(w.why);
  w.why = why_new(w.p, &(WhyOptions){.sources = true, .most_hops = 4}, guard);
  assert_string_equal(
      explain(&w, "%3"),
      "%3 : tensor<8x8xf32>  <@mesh, [{\"data\", ?}, {\"model\", ?}]>\n"
      "  dim 0 \"data\": from dim 0 of %x, annotated at dir/model.mlir:5:19, through\n"
      "    dot_general at dir/model.mlir:9 (train_of_why.py:41): dim 0 of %x -> dim 0 of %0\n"
      "      | y = layer(x)\n"
      "    call at dir/model.mlir:10: dim 0 of %0 -> dim 0 of @silu:%a\n"
      "    ... 6 more ops ...\n"
      "    call at dir/model.mlir:11: dim 0 of @silu:%2 -> dim 0 of %2\n"
      "    dot_general at dir/model.mlir:12: dim 0 of %2 -> dim 0 of %3\n"
      "  dim 1 \"model\": from dim 1 of %b, annotated at dir/model.mlir:7:7, through\n"
      "    dot_general at dir/model.mlir:12: dim 1 of %b -> dim 1 of %3\n");
  assert_string_equal(
      explain(&w, "%b"),
      "%b : tensor<32x8xf32>  <@mesh, [{?}, {\"model\", ?}]>\n"
      "  dim 0 did not take \"model\", which dim 1 of %2 has (dot_general at dir/model.mlir:12): "
      "the axis already shards another dimension of this value\n"
      "      blocked by \"model\" on dim 1 of %b, annotated at dir/model.mlir:7:7\n"
      "  dim 1 \"model\": annotated at dir/model.mlir:7:7\n");
  assert_string_equal(explain(&w, "params.w"),
                      "%w 'params.w' : tensor<16x32xf32>  <@mesh, [{}, {\"model\"}]>\n"
                      "  dim 0: no axes: no op that defines or uses this value offers one\n"
                      "  dim 1 \"model\": annotated at dir/model.mlir:6:7\n");
  assert_string_equal(explain(&w, "train_of_why.py:41"), explain(&w, "%0"));
  assert_string_equal(explain(&w, "model.mlir:12"), explain(&w, "%3"));
  assert_string_equal(explain(&w, "model.mlir:17"), explain(&w, "@silu:%1"));
  assert_int_equal(n_found(&w, "@silu:%1"), 4);  // two results, two calls
  assert_int_equal(n_found(&w, "@silu:%1#1"), 2);
  assert_int_equal(n_found(&w, "%1#1"), 2);  // only @silu has it
  assert_int_equal(n_found(&w, "model.mlir:5"), 3);
  assert_int_equal(n_found(&w, "result0"), 1);
  assert_non_null(strstr(explain(&w, "result0"),
                         "return at dir/model.mlir:13: dim 1 of %3 -> dim 1 of result0\n"));
  assert_non_null(strstr(explain(&w, "%99"), "no value is called '%99'"));
  assert_non_null(strstr(explain(&w, "nowhere.py:3"), "no value is called 'nowhere.py:3'"));
  world_deinit(&w);
  return NULL;
}

// Runs in a directory that has the Python file named by the program.
static void test_by_hand(void **state) {
  (void)state;
  char folder[] = "/tmp/why_testXXXXXX";
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  FILE *file = fopen("train_of_why.py", "w");
  assert_non_null(file);
  for (int i = 1; i < 41; i++) fprintf(file, "# %d\n", i);
  fprintf(file, "    y = layer(x)\n");
  fclose(file);
  Status *status = guard_run(hand_round, NULL);
  remove("train_of_why.py");
  assert_int_equal(chdir("/"), 0);
  remove(folder);
  if (status) fail_msg("%s", status_message(status));
}

// ---- random programs ----

enum { SHAPES = 4, MOST_VALUES = 24 };
static const char *const shapes[SHAPES] = {"8x8", "64", "8", "4x2x8"};
static const uint32_t ranks[SHAPES] = {2, 1, 1, 3};

typedef struct Text {
  StrBuf out;
  Dice dice;
  uint32_t next;
  uint32_t values[SHAPES][MOST_VALUES];
  uint32_t n[SHAPES];
} Text;

static uint32_t pick(Text *t, uint32_t shape) {
  return t->values[shape][dice_roll(&t->dice, t->n[shape])];
}

static uint32_t define(Text *t, uint32_t shape) {
  if (t->n[shape] < MOST_VALUES) t->values[shape][t->n[shape]++] = t->next;
  return t->next++;
}

// <@mesh, [{…}, …]> with axes of x=2, y=4, z=2 or sub-axes of y.
static void put_sharding(Text *t, uint32_t rank) {
  static const char *const axes[] = {"\"x\"", "\"y\"", "\"z\"", "\"y\":(1)2", "\"y\":(2)2"};
  uint32_t used = 0, priority = dice_roll(&t->dice, 4) == 0;
  strbuf_puts(&t->out, "<@mesh, [");
  for (uint32_t d = 0; d < rank; d++) {
    strbuf_puts(&t->out, d ? ", {" : "{");
    bool any = false;
    for (uint32_t i = 0; i < 5; i++) {
      uint32_t k = dice_roll(&t->dice, 5);
      uint32_t bits = (uint32_t[]){1, 6, 8, 2, 4}[k];
      if (dice_roll(&t->dice, 4) || (used & bits)) continue;
      // Adjacent "y":(1)2 and "y":(2)2 in one dimension must be written as "y".
      if (k >= 3 && any) continue;
      used |= bits;
      strbuf_printf(&t->out, "%s%s", any ? ", " : "", axes[k]);
      any = true;
      if (k >= 3) break;
    }
    bool open = dice_roll(&t->dice, 4) != 0;
    if (open) strbuf_puts(&t->out, any ? ", ?" : "?");
    strbuf_putc(&t->out, '}');
    if (priority && (open || any)) strbuf_printf(&t->out, "p%u", dice_roll(&t->dice, 3));
  }
  strbuf_putc(&t->out, ']');
  if (!(used & 8) && dice_roll(&t->dice, 6) == 0) strbuf_puts(&t->out, ", replicated={\"z\"}");
  strbuf_putc(&t->out, '>');
}

static void put_pointwise(Text *t) {
  uint32_t s = dice_roll(&t->dice, SHAPES), a = pick(t, s), b = pick(t, s);
  strbuf_printf(&t->out, "    %%v%u = stablehlo.add %%v%u, %%v%u : tensor<%sxf32>\n", define(t, s),
                a, b, shapes[s]);
}

static void put_dot(Text *t) {
  uint32_t a = pick(t, 0), b = pick(t, 0);
  strbuf_printf(&t->out,
                "    %%v%u = stablehlo.dot_general %%v%u, %%v%u, contracting_dims = [%u] x [%u] : "
                "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n",
                define(t, 0), a, b, dice_roll(&t->dice, 2), dice_roll(&t->dice, 2));
}

static void put_unary(Text *t) {
  static const struct {
    uint32_t from, to;
    const char *head, *tail;
  } rows[] = {
      {0, 0, "stablehlo.transpose", ", dims = [1, 0]"},
      {0, 1, "stablehlo.reshape", ""},
      {1, 0, "stablehlo.reshape", ""},
      {0, 3, "stablehlo.reshape", ""},
      {3, 0, "stablehlo.reshape", ""},
      {3, 1, "stablehlo.reshape", ""},
      {2, 0, "stablehlo.broadcast_in_dim", ", dims = [0]"},
      {2, 0, "stablehlo.broadcast_in_dim", ", dims = [1]"},
      {0, 0, "stablehlo.reverse", ", dims = [0]"},
      {3, 3, "stablehlo.transpose", ", dims = [0, 1, 2]"},
  };
  uint32_t k = dice_roll(&t->dice, sizeof rows / sizeof *rows), a = pick(t, rows[k].from);
  strbuf_printf(&t->out, "    %%v%u = %s %%v%u%s : (tensor<%sxf32>) -> tensor<%sxf32>\n",
                define(t, rows[k].to), rows[k].head, a, rows[k].tail, shapes[rows[k].from],
                shapes[rows[k].to]);
}

static void put_reduce(Text *t) {
  uint32_t a = pick(t, 0);
  strbuf_printf(&t->out,
                "    %%v%u = stablehlo.reduce(%%v%u init: %%zero) applies stablehlo.add across "
                "dimensions = [%u] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>\n",
                define(t, 2), a, dice_roll(&t->dice, 2));
}

static void put_sdy(Text *t) {
  uint32_t s = dice_roll(&t->dice, SHAPES), a = pick(t, s);
  if (dice_roll(&t->dice, 3)) {
    strbuf_printf(&t->out, "    %%v%u = sdy.sharding_constraint %%v%u ", define(t, s), a);
    put_sharding(t, ranks[s]);
    strbuf_printf(&t->out, " : tensor<%sxf32>\n", shapes[s]);
  } else {
    static const char *const ways[] = {"NONE", "FORWARD", "BACKWARD"};
    strbuf_printf(
        &t->out,
        "    %%v%u = sdy.propagation_barrier %%v%u allowed_direction=%s : tensor<%sxf32>\n",
        define(t, s), a, ways[dice_roll(&t->dice, 3)], shapes[s]);
  }
}

static void put_flow(Text *t, bool calls) {
  uint32_t a = pick(t, 0), b = pick(t, 0), kind = dice_roll(&t->dice, calls ? 3 : 2);
  if (kind == 2) {
    strbuf_printf(&t->out,
                  "    %%v%u = func.call @f(%%v%u, %%v%u) : (tensor<8x8xf32>, tensor<8x8xf32>) -> "
                  "tensor<8x8xf32>\n",
                  define(t, 0), a, b);
  } else if (kind == 1) {
    strbuf_printf(&t->out, "    %%v%u = stablehlo.optimization_barrier %%v%u : tensor<8x8xf32>\n",
                  define(t, 0), a);
  } else {
    uint32_t v = t->next;
    t->next += 3;
    strbuf_printf(&t->out,
                  "    %%v%u:2 = stablehlo.while(%%i%u = %%v%u, %%j%u = %%n) : tensor<8x8xf32>, "
                  "tensor<i32>\n"
                  "    cond {\n"
                  "      %%c%u = stablehlo.compare LT, %%j%u, %%n : (tensor<i32>, tensor<i32>) -> "
                  "tensor<i1>\n"
                  "      stablehlo.return %%c%u : tensor<i1>\n"
                  "    } do {\n"
                  "      %%d%u = stablehlo.multiply %%i%u, %%v%u : tensor<8x8xf32>\n"
                  "      stablehlo.return %%d%u, %%j%u : tensor<8x8xf32>, tensor<i32>\n"
                  "    }\n"
                  "    %%v%u = stablehlo.negate %%v%u#0 : tensor<8x8xf32>\n",
                  v, v, a, v, v, v, v, v, v, b, v, v, v + 1, v);
    if (t->n[0] < MOST_VALUES) t->values[0][t->n[0]++] = v + 1;
  }
}

static void put_body(Text *t, uint32_t ops, bool calls) {
  strbuf_puts(&t->out, "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
                       "    %n = stablehlo.constant dense<3> : tensor<i32>\n");
  strbuf_printf(&t->out, "    %%v%u = stablehlo.constant dense<1.0> : tensor<8x8xf32>\n",
                define(t, 0));
  for (uint32_t i = 0; i < ops; i++) switch (dice_roll(&t->dice, 8)) {
    case 0:
    case 1: put_pointwise(t); break;
    case 2: put_dot(t); break;
    case 3:
    case 4: put_unary(t); break;
    case 5: put_reduce(t); break;
    case 6: put_sdy(t); break;
    default: put_flow(t, calls);
    }
}

static void put_function(Text *t, const char *name, uint32_t ops, bool calls, bool annotated) {
  t->next = 0;
  for (uint32_t s = 0; s < SHAPES; s++) t->n[s] = 0;
  strbuf_printf(&t->out, "  func.func %s(", name);
  uint32_t n_args = annotated ? 6 : 2;
  for (uint32_t i = 0; i < n_args; i++) {
    uint32_t s = i < 2 ? 0 : i - 2;
    strbuf_printf(&t->out, "%s%%v%u: tensor<%sxf32>", i ? ", " : "", define(t, s), shapes[s]);
    if (!annotated || dice_roll(&t->dice, 3) == 0) continue;
    strbuf_puts(&t->out, " {sdy.sharding = #sdy.sharding");
    put_sharding(t, ranks[s]);
    strbuf_putc(&t->out, '}');
  }
  strbuf_puts(&t->out, ") -> tensor<8x8xf32> {\n");
  if (!annotated) {  // every shape has a value
    strbuf_printf(&t->out,
                  "    %%v%u = stablehlo.reshape %%v0 : (tensor<8x8xf32>) -> tensor<64xf32>\n",
                  define(t, 1));
    strbuf_printf(&t->out, "    %%v%u = stablehlo.iota dim = 0 : tensor<8xf32>\n", define(t, 2));
    strbuf_printf(&t->out, "    %%v%u = stablehlo.iota dim = 0 : tensor<4x2x8xf32>\n",
                  define(t, 3));
  }
  put_body(t, ops, calls);
  strbuf_printf(&t->out, "    return %%v%u : tensor<8x8xf32>\n  }\n", pick(t, 0));
}

static void put_program(Text *t) {
  strbuf_puts(&t->out, "module {\n  sdy.mesh @mesh = <[\"x\"=2, \"y\"=4, \"z\"=2]>\n");
  put_function(t, "@main", 4 + dice_roll(&t->dice, 16), true, true);
  put_function(t, "private @f", 1 + dice_roll(&t->dice, 4), false, false);
  strbuf_puts(&t->out, "}\n");
}

// ---- replaying ----

static AxisList dim_axes(World *w, Sharding s, uint32_t d) {
  const ShardingInfo *info = sharding_info(w->table, s);
  return d < info->rank ? sharding_dim_axes(info, d) : (AxisList){NULL, 0};
}

static bool has_axis(World *w, Sharding s, uint32_t d, AxisRef axis) {
  return axes_contain_ref(dim_axes(w, s, d), axis);
}

// The sharding without the axis.
static Sharding cut_before(World *w, Sharding s, AxisRef axis) {
  const ShardingInfo *info = sharding_info(w->table, s);
  for (uint32_t d = 0; d < info->rank; d++) {
    AxisList axes = dim_axes(w, s, d);
    if (!axes_overlap_ref(axes, axis)) continue;
    AxisRef *v = ARENA_ARRAY(&w->arena, AxisRef, axes.n + 1);
    AxisList rest = {v, 0};
    for (bool all = true; all && rest.n < axes.n;) {
      if (!axis_prefix_without(axes.v[rest.n], axis, &v[rest.n])) break;
      all = v[rest.n].size == axes.v[rest.n].size;
      rest.n++;
    }
    s = sharding_with_open(w->table, sharding_with_axes(w->table, s, d, rest), d, true);
    info = sharding_info(w->table, s);
  }
  return s;
}

// Replays one link: only the source has the axis, everything else is unchanged.
static void replay(World *w, uint32_t i) {
  const Graph *g = propagation_graph(w->p);
  const Piece *piece = why_piece(w->why, i);
  const Event *event = propagation_event(w->p, piece->event);
  const FactorMap *map = node_map(g, event->node);
  const PlaceId *tensors = node_tensors(g, event->node);
  uint32_t n = factor_map_n_tensors(map);
  uint32_t from_dim, to_dim;
  assert_int_equal(tensors[piece->to], event->place);
  assert_true(factor_map_find(map, piece->from, piece->factor, &from_dim, NULL));
  assert_true(factor_map_find(map, piece->to, piece->factor, &to_dim, NULL));
  assert_int_equal(to_dim, piece->dim);
  if (piece->cause == PIECE_STEP) {
    const Piece *source = why_piece(w->why, piece->source);
    assert_true(source->event < piece->event);
    assert_int_equal(source->dim, from_dim);
    assert_int_equal(why_piece_place(w->why, piece->source), tensors[piece->from]);
    assert_true(axis_contains(source->axis, piece->axis));
    assert_int_equal(piece->hops, source->hops + 1);
    assert_int_equal(piece->origin, source->origin);
  }
  Sharding *in = ARENA_ARRAY(&w->arena, Sharding, n), *out = ARENA_ARRAY(&w->arena, Sharding, n);
  uint32_t view = g->nodes[event->node].view;
  for (uint32_t t = 0; t < n; t++) {
    if (!tensors[t]) continue;
    in[t] = propagation_before(w->p, tensors[t], piece->event);
    if (tensors[t] != tensors[piece->from] && in[t]) in[t] = cut_before(w, in[t], piece->axis);
    if (view && t == map->n_operands) in[t] = view_seen(g, view, in[t], &w->arena);
  }
  ProjectMode mode = propagation_mode(w->p, event->node, event->op_priority, event->aggressive);
  bool changed = project_step(w->table, map, mode, in, out, &w->arena);
  Sharding got = out[piece->to];
  if (view && piece->to == map->n_operands) got = view_stored(g, view, got, &w->arena);
  if (changed && has_axis(w, got, piece->dim, piece->axis)) return;
  StrBuf text;
  strbuf_init(&text, w->guard);
  why_print_place(w->why, event->place, &text);
  for (uint32_t t = 0; t < n; t++) {
    strbuf_printf(&text, "\ntensor %u: ", t);
    if (in[t]) sharding_print(w->table, in[t], &text);
    strbuf_puts(&text, " -> ");
    if (out[t]) sharding_print(w->table, out[t], &text);
  }
  fail_msg("event %u does not replay: factor %u from %u to %u, op %s, priority %u %s\n%s\n%s",
           piece->event, piece->factor, piece->from, piece->to,
           op_name(w->program, g->nodes[event->node].op), event->op_priority,
           event->aggressive ? "aggressive" : "basic", text.data, w->source.text);
}

static void check_piece(World *w, uint32_t i) {
  const Piece *piece = why_piece(w->why, i);
  const Event *event = propagation_event(w->p, piece->event);
  assert_int_not_equal(piece->cause, PIECE_UNKNOWN);
  assert_true(has_axis(w, event->after, piece->dim, piece->axis));
  if (event->cause == CAUSE_NODE) {
    replay(w, i);
  } else {
    const Given *given = propagation_given(w->p, event->place);
    assert_int_equal(piece->cause, PIECE_GIVEN);
    assert_non_null(given);
    assert_true(has_axis(w, given->sharding, piece->dim, piece->axis));
  }
}

// Follows the chain of every axis of the place to its origin.
static void check_place(World *w, PlaceId place) {
  const ShardingInfo *info = sharding_info(w->table, propagation_get(w->p, place));
  const uint32_t *pieces;
  uint32_t n = why_pieces(w->why, place, &w->arena, &pieces), at = 0;
  for (uint32_t d = 0; d < info->rank; d++) {
    int64_t size = 1;
    for (; at < n && why_piece(w->why, pieces[at])->dim == d; at++) {
      const Piece *piece = why_piece(w->why, pieces[at]);
      assert_int_equal(why_piece_place(w->why, pieces[at]), place);
      assert_true(axes_contain_ref(sharding_dim_axes(info, d), piece->axis));
      size *= piece->axis.size;
      uint32_t hops = 0, i = pieces[at];
      for (; why_piece(w->why, i)->source != WHY_NONE; i = why_piece(w->why, i)->source) hops++;
      assert_int_equal(i, piece->origin);
      assert_int_equal(hops, piece->hops);
      assert_int_equal(why_piece(w->why, i)->cause, PIECE_GIVEN);
    }
    assert_int_equal(size, axes_size(sharding_dim_axes(info, d)));
  }
  assert_int_equal(at, n);
}

// The conflict has a reason, and its blocker exists.
static void check_conflict(World *w, const Conflict *c) {
  const PlaceId *tensors = node_tensors(propagation_graph(w->p), c->node);
  bool own =
      c->reason == CONFLICT_USED || c->reason == CONFLICT_OTHER || c->reason == CONFLICT_ORDER;
  if (own) assert_int_not_equal(c->blocker, WHY_NONE);
  if (own) assert_int_equal(why_piece_place(w->why, c->blocker), tensors[c->lacks]);
  assert_true((c->blocker == WHY_NONE) == (c->won == WON_NONE));
  if (c->reason != CONFLICT_UNKNOWN) return;
  StrBuf text;
  strbuf_init(&text, w->guard);
  why_print_place(w->why, tensors[c->lacks], &text);
  fail_msg("a disagreement without a reason: %s\n%s", text.data, w->source.text);
}

static void check_conflicts(World *w) {
  const Graph *g = propagation_graph(w->p);
  for (NodeId node = 1; node < g->n_nodes; node++) {
    Conflicts conflicts = {0};
    why_node_conflicts(w->why, node, &w->arena, &conflicts);
    for (uint32_t i = 0; i < conflicts.count; i++) check_conflict(w, &conflicts.items[i]);
  }
}

typedef struct Round {
  uint64_t salt;
  const char *text;
} Round;

static Status *replay_round(Guard *guard, void *arg) {
  Round *round = arg;
  static const PropagateOptions kinds[] = {{0},
                                           {.strategy = STRATEGY_OP_PRIORITY},
                                           {.strategy = STRATEGY_AGGRESSIVE},
                                           {.strategy = STRATEGY_BASIC}};
  World w;
  TRY(world_init(&w, guard, round->text, &kinds[round->salt % 4]));
  const Graph *g = propagation_graph(w.p);
  for (PlaceId place = 1; place < g->n_places; place++) {
    const uint32_t *list;
    uint32_t count = why_pieces(w.why, place, &w.arena, &list);
    for (uint32_t i = 0; i < count; i++) check_piece(&w, list[i]);
    check_place(&w, place);
  }
  check_conflicts(&w);
  StrBuf text;
  strbuf_init(&text, guard);
  why_json_all(w.why, &text);
  strbuf_deinit(&text);
  world_deinit(&w);
  return NULL;
}

static Status *make_text(Guard *guard, void *arg) {
  Round *round = arg;
  Text t = {.dice = dice_new(round->salt)};
  strbuf_init(&t.out, guard);
  put_program(&t);
  round->text = t.out.data;
  return NULL;
}

static void test_replay(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 400; i++) {
    Round round = {.salt = i};
    assert_null(guard_run(make_text, &round));
    if (getenv("WHY_SHOW") && strtoull(getenv("WHY_SHOW"), NULL, 10) == i)
      fprintf(stderr, "%s", round.text);
    Status *status = guard_run(replay_round, &round);
    if (status) fail_msg("round %d: %s\n%s", (int)i, status_message(status), round.text);
    free((void *)(uintptr_t)round.text);
  }
}

// Manual axes come from the op's own attributes, not from a value.
static const char manual[] =
    "module {\n"
    "  sdy.mesh @mesh = <[\"a\"=2, \"b\"=2]>\n"
    "  func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
    "    %0 = stablehlo.negate %x : tensor<8x8xf32>\n"
    "    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{\"a\", ?}, {\"b\", ?}]>] "
    "out_shardings=[<@mesh, [{\"a\", ?}, {?}]>] manual_axes={\"a\"} (%arg: tensor<4x8xf32>) {\n"
    "      %2 = stablehlo.negate %arg : tensor<4x8xf32>\n"
    "      sdy.return %2 : tensor<4x8xf32>\n"
    "    } : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "    return %1 : tensor<8x8xf32>\n"
    "  }\n"
    "}\n";

static Status *manual_round(Guard *guard, void *arg) {
  (void)arg;
  World w;
  TRY(world_init(&w, guard, manual, &(PropagateOptions){0}));
  assert_string_equal(
      explain(&w, "%0"),
      "%0 : tensor<8x8xf32>  <@mesh, [{\"a\", ?}, {\"b\", ?}]>\n"
      "  dim 0 \"a\": manual in manual_computation at dir/model.mlir:5\n"
      "  dim 1 \"b\": from dim 1 of %arg, annotated at dir/model.mlir:5:142, through\n"
      "    manual_computation at dir/model.mlir:5: dim 1 of %arg -> dim 1 of %0\n");
  assert_non_null(strstr(explain(&w, "%1"),
                         "  dim 0 \"a\": annotated at dir/model.mlir:5:10\n"
                         "  dim 1 \"b\": from dim 1 of %arg, annotated at dir/model.mlir:5:142, "
                         "through\n"
                         "    negate at dir/model.mlir:6: dim 1 of %arg -> dim 1 of %2\n"));
  const Graph *g = propagation_graph(w.p);
  for (PlaceId place = 1; place < g->n_places; place++) {
    const uint32_t *list;
    uint32_t n = why_pieces(w.why, place, &w.arena, &list);
    for (uint32_t i = 0; i < n; i++) check_piece(&w, list[i]);
  }
  world_deinit(&w);
  return NULL;
}

static void test_manual(void **state) {
  (void)state;
  Status *status = guard_run(manual_round, NULL);
  if (status) fail_msg("%s", status_message(status));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_manual),
                                     cmocka_unit_test(test_replay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
