// Propagation on random programs, meshes and annotations (support/random_program.h), with every
// strategy: what must hold whatever it decides.
//   - a fixpoint: no step at any node changes anything
//   - every sharding is sound (no axis twice), keeps what was given, and has no axis that no
//     annotation around has
//   - the same again, and the same with the module's functions in another order
//   - push gives a fixpoint that is just as sound; pop restores every sharding
//   - one annotation pushed gives what it gives at the start
//   - what is written into the program reads back, and propagating that finds nothing more
// TESSERA_SEED gives other programs; a failing one is printed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"
#include "propagate/write.h"

#include "../support/random_program.h"
#include "../support/sample_program.h"

enum { PROGRAMS = 150, SAMPLES = 4 };

static const PropagateOptions strategies[] = {
    {.strategy = STRATEGY_USER_PRIORITY},
    {.strategy = STRATEGY_OP_PRIORITY},
    {.strategy = STRATEGY_AGGRESSIVE},
    {.strategy = STRATEGY_BASIC},
    {.strategy = STRATEGY_USER_PRIORITY, .steps = STEPS_AGGRESSIVE},
    {.strategy = STRATEGY_OP_PRIORITY, .steps = STEPS_BASIC},
};
enum { N_STRATEGIES = sizeof strategies / sizeof strategies[0] };

// One reading of a program with its propagation.
typedef struct Run {
  Source source;
  Context *context;
  Diag diag;
  Program *program;
  ShardingTable *table;
  Propagation *p;
} Run;

typedef struct Case {
  uint64_t seed;
  uint16_t code;     // of a sample; 0: a random program
  Program *program;  // the sample
  Arena arena;
  StrBuf texts[2];  // functions in order, and the other way round
  RandomProgram random;
  Context *context;  // of the random program
  ShardingTable *table;
  Run runs[3];
  StrBuf results[3];
  StrBuf written;
  Run again;                     // of what was written
  uint32_t n_refused, n_single;  // annotations at odds; compared with a push
} Case;

// ---- what must hold ----

// was: what it should have kept; 0 = nothing.
static Status *bad(const Run *run, PlaceId place, Sharding was, const char *what) {
  const Graph *g = propagation_graph(run->p);
  StrBuf text;
  strbuf_init(&text, run->program->guard);
  sharding_print(run->table, propagation_get(run->p, place), &text);
  if (was) {
    strbuf_puts(&text, ", from ");
    sharding_print(run->table, was, &text);
  }
  ValueId v = g->places[place].value;
  Name name = v ? value_at(run->program, v)->name : 0;
  Status *status =
      status_new(INTERNAL, __FILE__, __LINE__, "place %u (%%%s): %s: %s", place,
                 name ? name_text(run->context, name) : "?", what, text.data ? text.data : "");
  strbuf_deinit(&text);
  return status;
}

// By content: a symbol is only a name.
static bool same_mesh(const Run *run, MeshId a, MeshId b) {
  return a == b ||
         (a && b && mesh_equal(sharding_mesh(run->table, a), sharding_mesh(run->table, b)));
}

// What was given is a beginning of what is there; closed dimensions are as they were.
static Status *check_given(const Run *run, PlaceId place, Sharding given_id, Sharding now_id) {
  const ShardingInfo *given = sharding_info(run->table, given_id);
  const ShardingInfo *now = sharding_info(run->table, now_id);
  if (!given_id) return NULL;
  const Mesh *mesh = sharding_mesh(run->table, given->mesh);
  if (mesh && mesh->n_axes == 0 && !mesh->maximal) return NULL;  // taken for any mesh
  if (!same_mesh(run, given->mesh, now->mesh)) return bad(run, place, given_id, "another mesh");
  if (given->rank != now->rank) return bad(run, place, given_id, "another rank than given");
  if (!axes_equal(given->replicated, now->replicated))
    return bad(run, place, given_id, "replicated axes");
  if (!axes_equal(given->unreduced, now->unreduced))
    return bad(run, place, given_id, "unreduced axes");
  for (uint32_t d = 0; d < given->rank; d++) {
    AxisList was = sharding_dim_axes(given, d), is = sharding_dim_axes(now, d);
    if (!axes_is_prefix(was, is)) return bad(run, place, given_id, "given axes are not kept");
    if (!given->dims[d].open && !axes_equal(was, is))
      return bad(run, place, given_id, "a closed dimension");
    if (given->dims[d].open != now->dims[d].open)
      return bad(run, place, given_id, "open became closed");
  }
  return NULL;
}

static uint32_t root_of(uint32_t *parents, uint32_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

// Which places are connected by nodes at all: axes come from nowhere else.
static uint32_t *components(Case *x, const Graph *g) {
  uint32_t *parents = ARENA_ARRAY(&x->arena, uint32_t, g->n_places);
  for (uint32_t i = 0; i < g->n_places; i++) parents[i] = i;
  for (NodeId n = 1; n < g->n_nodes; n++) {
    const PlaceId *tensors = node_tensors(g, n);
    uint32_t count = factor_map_n_tensors(node_map(g, n)), first = 0;
    for (uint32_t i = 0; i < count; i++) {
      if (!tensors[i]) continue;
      if (first) parents[root_of(parents, tensors[i])] = root_of(parents, first);
      first = tensors[i];
    }
  }
  for (uint32_t i = 0; i < g->n_places; i++) parents[i] = root_of(parents, i);
  return parents;
}

// Every axis that somebody gave to one of the places that are connected, as it was given.
typedef struct GivenAxis {
  MeshId mesh;
  uint32_t component;
  AxisRef axis;
} GivenAxis;

typedef struct GivenAxes {
  VEC(GivenAxis) list;
} GivenAxes;

static void add_given(Case *x, const Run *run, uint32_t component, Sharding sharding,
                      GivenAxes *out) {
  const ShardingInfo *info = sharding_info(run->table, sharding);
  for (uint32_t d = 0; d < info->rank; d++) {
    AxisList axes = sharding_dim_axes(info, d);
    for (uint32_t i = 0; i < axes.n; i++) {
      GivenAxis given = {info->mesh, component, axes.v[i]};
      VEC_PUSH(&x->arena, &out->list, given);
    }
  }
}

static bool was_given(Case *x, const Run *run, const GivenAxes *given, MeshId mesh,
                      uint32_t component, AxisRef axis) {
  AxisList left = {&axis, 1};
  for (uint32_t i = 0; left.n && i < given->list.count; i++) {
    const GivenAxis *g = &given->list.items[i];
    if (g->component == component && same_mesh(run, g->mesh, mesh))
      left = axis_equal(g->axis, axis) ? (AxisList){NULL, 0}
                                       : axes_subtract(&x->arena, left, (AxisList){&g->axis, 1});
  }
  return left.n == 0;
}

// extra: a sharding that was pushed at a place.
static Status *check_sources(Case *x, const Run *run, PlaceId extra_place, Sharding extra) {
  const Graph *g = propagation_graph(run->p);
  ArenaMark mark = arena_mark(&x->arena);
  uint32_t *component = components(x, g);
  GivenAxes all = {0};
  for (PlaceId place = 1; place < g->n_places; place++) {
    const Given *given = propagation_given(run->p, place);
    if (given) add_given(x, run, component[place], given->sharding, &all);
  }
  if (extra) add_given(x, run, component[extra_place], extra, &all);
  // Borders of manual computations are annotations too: their axes may stand on either side.
  for (NodeId n = 1; n < g->n_nodes; n++) {
    const PlaceId *tensors = node_tensors(g, n);
    if (g->nodes[n].view && tensors[0])
      add_given(x, run, component[tensors[0]], g->views[g->nodes[n].view].outer, &all);
  }
  for (PlaceId place = 1; place < g->n_places; place++) {
    const ShardingInfo *info = sharding_info(run->table, propagation_get(run->p, place));
    for (uint32_t d = 0; d < info->rank; d++) {
      AxisList axes = sharding_dim_axes(info, d);
      for (uint32_t i = 0; i < axes.n; i++)
        if (!was_given(x, run, &all, info->mesh, component[place], axes.v[i]))
          return bad(run, place, 0, "an axis that nobody gave");
    }
  }
  arena_rewind(&x->arena, mark);
  return NULL;
}

static Status *check_state(Case *x, const Run *run, PlaceId extra_place, Sharding extra) {
  const Graph *g = propagation_graph(run->p);
  NodeId node = 0;
  if (!propagation_is_fixpoint(run->p, &node))
    FAIL(INTERNAL, "no fixpoint: a step at node %u (%s) changes something", node,
         op_row(op_at(run->program, g->nodes[node].op)->code)->name);
  for (PlaceId place = 1; place < g->n_places; place++) {
    Sharding now = propagation_get(run->p, place);
    if (now) TRY(sharding_check_id(run->table, now, g->places[place].type));
    const Given *given = propagation_given(run->p, place);
    if (given) TRY(check_given(run, place, given->sharding, now));
  }
  TRY(check_given(run, extra_place, extra, extra ? propagation_get(run->p, extra_place) : 0));
  return check_sources(x, run, extra_place, extra);
}

// ---- comparing ----

// "main", "main/3:f0": the function and the calls that lead to it, by their place in the caller.
static void put_instance(const Run *run, InstanceId instance, StrBuf *out) {
  const Instance *i = &propagation_graph(run->p)->instances[instance];
  const Program *p = run->program;
  if (i->caller) {
    put_instance(run, i->caller, out);
    OpId caller = propagation_graph(run->p)->instances[i->caller].function;
    uint32_t k = 0;
    for (OpId o = caller; o && o != i->call; o = op_walk_next(p, o, caller)) k++;
    strbuf_printf(out, "/%u:", k);
  }
  strbuf_puts(out, name_text(run->context,
                             attr_as_name(run->context, op_attr(p, i->function, "sym_name"))));
}

static int compare_lines(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Every instance's values and their shardings, sorted by instance.
static void put_results(Case *x, const Run *run, StrBuf *out) {
  const Graph *g = propagation_graph(run->p);
  const Program *p = run->program;
  ArenaMark mark = arena_mark(&x->arena);
  const char **lines = ARENA_ARRAY(&x->arena, const char *, g->n_instances + 1);
  StrBuf line;
  strbuf_init(&line, p->guard);
  for (InstanceId i = 1; i < g->n_instances; i++) {
    line.used = 0;
    put_instance(run, i, &line);
    OpId function = g->instances[i].function;
    strbuf_puts(&line, "\n");
    for (OpId o = function; o; o = op_walk_next(p, o, function)) {
      for (uint32_t k = 0; k < op_at(p, o)->n_regions; k++) {
        BlockId block = region_block(p, op_region(p, o, k));
        for (uint32_t a = 0; block && a < block_at(p, block)->n_args; a++) {
          sharding_print(run->table,
                         propagation_get(run->p, graph_place(g, i, block_arg(p, block, a))), &line);
          strbuf_puts(&line, "\n");
        }
      }
      for (uint32_t k = 0; k < op_at(p, o)->n_results; k++) {
        sharding_print(run->table, propagation_get(run->p, graph_place(g, i, op_result(p, o, k))),
                       &line);
        strbuf_printf(&line, " %s\n", op_row(op_at(p, o)->code)->name);
      }
    }
    for (uint32_t k = 0; k < g->instances[i].n_results; k++) {
      sharding_print(run->table, propagation_get(run->p, graph_result_place(g, i, k)), &line);
      strbuf_puts(&line, "\n");
    }
    lines[i - 1] = arena_printf(&x->arena, "%s", line.data);
  }
  qsort(lines, g->n_instances - 1, sizeof *lines, compare_lines);
  for (InstanceId i = 0; i + 1 < g->n_instances; i++) strbuf_puts(out, lines[i]);
  strbuf_deinit(&line);
  arena_rewind(&x->arena, mark);
}

// ---- running ----

static Status *start(Run *run, Guard *guard, const StrBuf *text, const PropagateOptions *options) {
  run->source = (Source){.path = "<random>", .text = text->data, .size = text->used};
  run->context = context_new(guard);
  diag_init(&run->diag, guard, &run->source);
  TRY(program_parse(run->context, guard, &run->source, 0, text->used, &(ParseOptions){0},
                    &run->diag, &run->program));
  if (!program_verify(run->program, &run->diag)) return diag_status(&run->diag);
  run->table = sharding_table_new(run->context, guard);
  return propagation_new(run->program, run->table, options, guard, &run->diag, &run->p);
}

static void finish(Run *run) {
  propagation_free(run->p);
  sharding_table_free(run->table);
  program_free(run->program);
  if (run->diag.source) diag_deinit(&run->diag);
  context_free(run->context);
  *run = (Run){0};
}

// Inside a manual computation its axes are not to be had.
static bool in_manual(const Run *run, PlaceId place) {
  const Program *p = run->program;
  ValueId v = propagation_graph(run->p)->places[place].value;
  if (!v) return false;
  const Value *value = value_at(p, v);
  OpId op =
      value->is_arg ? region_at(p, block_at(p, value->def)->region)->op : op_parent(p, value->def);
  for (; op; op = op_parent(p, op))
    if (op_at(p, op)->code == OP_sdy_manual_computation) return true;
  return false;
}

// What place has with one more axis (or part of one) at the end of an open dimension; 0 if that
// cannot be.
static Sharding one_more(Case *x, const Run *run, PlaceId place, Dice *dice) {
  const Graph *g = propagation_graph(run->p);
  uint32_t rank = type_info(run->context, g->places[place].type)->rank;
  Sharding now = propagation_get(run->p, place);
  MeshId mesh_id = sharding_info(run->table, now)->mesh;
  if (!mesh_id) mesh_id = sharding_mesh_find(run->table, name_of(run->context, "mesh"));
  const Mesh *mesh = sharding_mesh(run->table, mesh_id);
  if (!mesh || mesh->maximal || !rank || in_manual(run, place)) return 0;
  if (!now) now = sharding_make_open(run->table, mesh_id, rank);
  const ShardingInfo *info = sharding_info(run->table, now);
  uint32_t d = dice_roll(dice, rank);
  AxisList unused = axes_complement(&x->arena, mesh, sharding_used_axes(info, &x->arena));
  if (!info->dims[d].open || !unused.n) return 0;
  AxisRef more = unused.v[dice_roll(dice, unused.n)];
  AxisList axes = axes_concat(&x->arena, sharding_dim_axes(info, d), (AxisList){&more, 1});
  return sharding_with_axes(run->table, now, d, axes);
}

static Status *check_pushes(Case *x, Run *run, Dice *dice) {
  const Graph *g = propagation_graph(run->p);
  ArenaMark start_mark = arena_mark(&x->arena);
  enum { DEPTH = 3 };
  Sharding *before[DEPTH];
  uint32_t marks[DEPTH], events[DEPTH], depth = 0;
  for (int attempt = 0; attempt < 12 && depth < DEPTH && g->n_places > 1; attempt++) {
    PlaceId place = 1 + dice_roll(dice, g->n_places - 1);
    Sharding wanted = one_more(x, run, place, dice);
    if (!wanted) continue;
    before[depth] = ARENA_ARRAY(&x->arena, Sharding, g->n_places);
    for (PlaceId i = 1; i < g->n_places; i++) before[depth][i] = propagation_get(run->p, i);
    events[depth] = propagation_n_events(run->p);
    TRY(propagation_push(run->p, place, wanted, &marks[depth]));
    NodeId node;
    if (!propagation_is_fixpoint(run->p, &node)) FAIL(INTERNAL, "no fixpoint after a push");
    if (depth == 0) TRY(check_state(x, run, place, wanted));
    for (PlaceId i = 1; i < g->n_places; i++)
      if (before[depth][i]) TRY(check_given(run, i, before[depth][i], propagation_get(run->p, i)));
    depth++;
  }
  while (depth--) {
    propagation_pop(run->p, marks[depth]);
    if (propagation_n_events(run->p) != events[depth]) FAIL(INTERNAL, "pop leaves events");
    for (PlaceId i = 1; i < g->n_places; i++)
      if (propagation_get(run->p, i) != before[depth][i])
        return bad(run, i, before[depth][i], "pop does not restore it");
  }
  NodeId node;
  if (!propagation_is_fixpoint(run->p, &node)) FAIL(INTERNAL, "no fixpoint after pop");
  arena_rewind(&x->arena, start_mark);
  return NULL;
}

// Dimensions that are split together, whatever the way there: is there an op that has two of them?
// Then it must choose, and the order of steps may matter.
static bool has_choice(Case *x, const Graph *g, PlaceId place, uint32_t dim) {
  uint32_t n = 0;
  uint32_t *dims = ARENA_ARRAY(&x->arena, uint32_t, g->n_places + 1);
  for (PlaceId i = 1; i < g->n_places; i++) {
    dims[i] = n;
    n += type_info(g->program->context, g->places[i].type)->rank;
  }
  uint32_t n_dims = n;
  for (NodeId i = 1; i < g->n_nodes; i++) n += node_map(g, i)->n_factors;
  uint32_t *parents = ARENA_ARRAY(&x->arena, uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++) parents[i] = i;
  for (NodeId i = 1, first = n_dims; i < g->n_nodes; first += node_map(g, i++)->n_factors) {
    const FactorMap *map = node_map(g, i);
    for (uint32_t t = 0; t < factor_map_n_tensors(map); t++)
      for (uint32_t d = 0; node_tensors(g, i)[t] && d < factor_map_rank(map, t); d++) {
        FactorList list = factor_map_dim(map, t, d);
        for (uint32_t k = 0; k < list.n; k++)
          parents[root_of(parents, first + list.v[k])] =
              root_of(parents, dims[node_tensors(g, i)[t]] + d);
      }
  }
  uint32_t chosen = root_of(parents, dims[place] + dim);
  for (NodeId i = 1, first = n_dims; i < g->n_nodes; first += node_map(g, i++)->n_factors) {
    uint32_t count = 0;
    for (uint32_t f = 0; f < node_map(g, i)->n_factors; f++)
      count += root_of(parents, first + f) == chosen;
    if (count > 1) return true;
  }
  return false;
}

// Nothing given, then one annotation pushed: as if it had been there at the start, where there is
// nothing to choose.
static Status *check_single(Case *x, Guard *guard, const PropagateOptions *options, Dice *dice) {
  for (int i = 0; i < 2; i++) TRY(start(&x->runs[i], guard, &x->texts[0], options));
  Run *pushed = &x->runs[0], *given = &x->runs[1];
  const Graph *g = propagation_graph(pushed->p);
  propagation_run(pushed->p);
  // The borders of manual computations speak even if nothing is read.
  if (g->n_places < 2 || propagation_n_events(pushed->p)) return NULL;
  PlaceId place = 1 + dice_roll(dice, g->n_places - 1);
  Dice same = *dice;
  Sharding wanted = one_more(x, pushed, place, dice), again = one_more(x, given, place, &same);
  if (!wanted) return NULL;
  const ShardingInfo *info = sharding_info(pushed->table, wanted);
  for (uint32_t d = 0; d < info->rank; d++)
    if (sharding_dim_axes(info, d).n && has_choice(x, g, place, d)) return NULL;
  uint32_t mark;
  TRY(propagation_push(pushed->p, place, wanted, &mark));
  givens_give(propagation_givens(given->p),
              &(Given){.place = place, .sharding = again, .pos = POS_NONE});
  propagation_run(given->p);
  for (int i = 0; i < 2; i++) put_results(x, &x->runs[i], &x->results[i]);
  x->n_single++;
  if (strcmp(x->results[0].data, x->results[1].data) != 0)
    FAIL(INTERNAL, "pushed on %u, not what the annotation gives:\n%s--- given\n%s", place,
         x->results[0].data, x->results[1].data);
  return NULL;
}

// What is written into the program says it all: it reads, and propagating it finds nothing more.
static Status *check_written(Case *x, Guard *guard, Run *run, const PropagateOptions *options) {
  TRY(propagation_write(run->p, run->program, &(WriteOptions){0}, &run->diag));
  const char *why = program_check(run->program);
  if (why) FAIL(INTERNAL, "after writing: %s", why);
  program_print(run->program, &(PrintOptions){0}, &x->written);
  TRY(start(&x->again, guard, &x->written, options));
  if (program_hash(run->program) != program_hash(x->again.program))
    FAIL(INTERNAL, "what is written reads as another program:\n%s", x->written.data);
  TRY(propagation_read(x->again.p, &x->again.diag));
  propagation_run(x->again.p);
  for (uint32_t i = 0; i < propagation_n_events(x->again.p); i++) {
    const Event *event = propagation_event(x->again.p, i);
    if (event->cause == CAUSE_NODE && event->before)
      return bad(&x->again, event->place, event->before, "more than was written");
  }
  return NULL;
}

static void clear(Case *x) {
  finish(&x->again);
  x->written.used = 0;
  for (int i = 0; i < 3; i++) {
    finish(&x->runs[i]);
    x->results[i].used = 0;
    if (x->results[i].data) x->results[i].data[0] = '\0';
  }
}

static Status *open_case(Case *x, Guard *guard) {
  arena_init(&x->arena, guard);
  for (int i = 0; i < 3; i++) strbuf_init(&x->results[i], guard);
  for (int i = 0; i < 2; i++) strbuf_init(&x->texts[i], guard);
  strbuf_init(&x->written, guard);
  x->context = context_new(guard);
  x->table = sharding_table_new(x->context, guard);
  return NULL;
}

static Status *check_program(Guard *guard, void *arg) {
  Case *x = arg;
  TRY(open_case(x, guard));
  random_program(&x->random, x->table, guard, x->seed);
  for (int i = 0; i < 2; i++) random_program_text(&x->random, i, &x->texts[i]);
  Dice dice = x->random.dice;
  for (int s = 0; s < N_STRATEGIES; s++) {
    for (int i = 0; i < 3; i++) {  // as it is, again, in another order
      Run *run = &x->runs[i];
      TRY(start(run, guard, &x->texts[i == 2], &strategies[s]));
      Status *status = propagation_read(run->p, &run->diag);
      if (status && (strstr(status_message(status), "conflicting shardings") ||
                     strstr(status_message(status), "is manual here"))) {
        status_free(status);
        x->n_refused = 1;
        return NULL;
      }
      TRY(status);
      propagation_run(run->p);
      if (i == 0) TRY(check_state(x, run, 0, 0));
      put_results(x, run, &x->results[i]);
      if (strcmp(x->results[i].data, x->results[0].data) != 0)
        FAIL(INTERNAL, "%s, strategy %d:\n%s--- first\n%s",
             i == 1 ? "not the same again" : "not the same in another order of functions", s,
             x->results[i].data, x->results[0].data);
    }
    TRY(check_pushes(x, &x->runs[0], &dice));
    TRY(check_written(x, guard, &x->runs[1], &strategies[s]));
    clear(x);
    TRY(check_single(x, guard, &strategies[s], &dice));
    clear(x);
  }
  return NULL;
}

// One op alone, with shardings given to some of its operands and results.
static Status *check_sample(Guard *guard, void *arg) {
  Case *x = arg;
  TRY(open_case(x, guard));
  sample_program(x->context, guard, &x->arena, x->code, x->seed, &x->program);
  program_print(x->program, &(PrintOptions){0}, &x->texts[0]);
  Dice dice = dice_new(x->seed);
  Run *run = &x->runs[0];
  TRY(start(run, guard, &x->texts[0], &strategies[dice_roll(&dice, N_STRATEGIES)]));
  const Mesh *mesh = random_mesh(run->context, &dice, name_of(run->context, "mesh"));
  MeshId id = sharding_mesh_add(run->table, mesh);
  const Graph *g = propagation_graph(run->p);
  for (PlaceId place = 1; place < g->n_places; place++) {
    uint32_t rank = type_info(run->context, g->places[place].type)->rank;
    if (rank > 4 || dice_roll(&dice, 2)) continue;
    Sharding said = random_sharding(run->table, id, rank, (RandomOptions){.open = true}, &dice);
    givens_give(propagation_givens(run->p),
                &(Given){.place = place, .sharding = said, .pos = POS_NONE});
  }
  propagation_run(run->p);
  TRY(check_state(x, run, 0, 0));
  return check_pushes(x, run, &dice);
}

typedef struct Tally {
  uint32_t refused, single;
} Tally;

static bool try_case(uint16_t code, uint64_t seed, Tally *tally) {
  Case *x = calloc(1, sizeof *x);
  if (!x) return false;
  x->code = code;
  x->seed = seed;
  Status *status = guard_run(code ? check_sample : check_program, x);
  if (status)
    fprintf(stderr, "%s %llu: %s\n%s\n", code ? op_row(code)->name : "program",
            (unsigned long long)seed, status_message(status),
            x->texts[0].data ? x->texts[0].data : "");
  bool good = !status;
  status_free(status);
  tally->refused += x->n_refused;
  tally->single += x->n_single;
  clear(x);
  random_program_deinit(&x->random);
  program_free(x->program);
  sharding_table_free(x->table);
  context_free(x->context);
  for (int i = 0; i < 3; i++) strbuf_deinit(&x->results[i]);
  for (int i = 0; i < 2; i++) strbuf_deinit(&x->texts[i]);
  strbuf_deinit(&x->written);
  arena_deinit(&x->arena);
  free(x);
  return good;
}

static void test_random_programs(void **state) {
  (void)state;
  uint32_t failed = 0;
  Tally tally = {0};
  for (uint64_t i = 0; i < PROGRAMS && failed < 3; i++) failed += !try_case(0, 1000 + i, &tally);
  printf("%d random programs (%u with annotations at odds), %d strategies; %u pushes compared\n",
         PROGRAMS, tally.refused, N_STRATEGIES, tally.single);
  assert_true(tally.refused < PROGRAMS / 4 && tally.single > PROGRAMS);
  assert_int_equal(failed, 0);
}

static void test_samples(void **state) {
  (void)state;
  uint32_t failed = 0, ops = 0;
  Tally tally = {0};
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT && failed < 5; code++) {
    if (!op_row(code)->def || !op_row(code)->def->sample) continue;
    ops++;
    for (uint64_t i = 0; i < SAMPLES; i++)
      failed += !try_case(code, (uint64_t)code * 1000 + i, &tally);
  }
  printf("%u ops, %d instances each\n", ops, SAMPLES);
  assert_true(ops > 100);
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs),
                                     cmocka_unit_test(test_samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
