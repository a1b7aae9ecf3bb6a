// Problem: infer all shardings from a few annotations, in Shardy's order, fast enough to run inside
// a search.
//
// Idea: a worklist of nodes. A step reads the shardings of a node's places, asks project_step for
// the consequences, logs the changes and wakes the neighbours. Programs repeat their layers, so
// answers are cached by factor map, mode and shardings: nearly every step is one hash lookup,
// whatever the number of devices.
//
// Order, as in Shardy: user priorities; in each, op priorities; in each, basic or aggressive steps.
// Within a pass nodes are visited in program order, and nodes woken by a change before all nodes
// that still wait. A node at which a mode changed nothing is skipped in that mode until a neighbour
// changes (`rest`).
//
//   %x: ["a"]  →  step at %0 = add %x, %y  →  %0: ["a"], %y: ["a"]  →  wakes the nodes around
//
// A later priority and a push (search) start from a fixpoint, so they visit touched nodes only, in
// the same order as a complete run would.
//
// Invariant: a step only appends axes to open dimensions; popping the log restores the state
// exactly. Cost: O(steps). A place changes at most once per axis, so there are at most
// O(nodes · axes) steps.
#include "propagate/propagate.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/mem.h"
#include "base/vec.h"

#define NO_EVENT UINT32_MAX

typedef struct Propagation {
  Graph graph;
  ShardingTable *table;
  PropagateOptions options;
  Guard *guard;
  Arena arena;      // annotations and per-place arrays
  Arena scratch;    // of one step
  Sharding *state;  // per place
  uint32_t *last;   // per place: its last event
  Givens givens;
  uint64_t *written;     // per place: the last step that wrote it
  uint32_t *rest;        // per node: bit set of modes in which a step changes nothing
  bool *waiting;         // per node: on the stack or in `ahead`
  uint32_t *touched_at;  // per node: the last push that touched it
  uint32_t push;         // number of the current push; 0 = a complete run
  uint32_t pushes;       // number of pushes so far
  HEAPVEC(Event) events;
  HEAPVEC(NodeId) stack;
  HEAPVEC(NodeId) touched;       // nodes woken by the current push
  HEAPVEC(NodeId) ahead;         // waiting nodes after `swept`: a heap by program order
  NodeId swept;                  // position of the pass over touched nodes
  HEAPVEC(uint32_t) step_cache;  // cache of steps: map, mode, shardings before and after
  IdMap steps_by_key;
  HEAPVEC(Sharding) buffer;  // of one step: shardings before, after
  uint64_t steps;
  uint8_t op_priority;
  bool aggressive;
  int32_t user_priority;
  bool changed;
} Propagation;

// ---- life ----

static void release(void *object) {
  Propagation *p = object;
  graph_deinit(&p->graph);
  arena_deinit(&p->arena);
  arena_deinit(&p->scratch);
  HEAPVEC_FREE(&p->events);
  HEAPVEC_FREE(&p->stack);
  HEAPVEC_FREE(&p->touched);
  HEAPVEC_FREE(&p->ahead);
  HEAPVEC_FREE(&p->step_cache);
  HEAPVEC_FREE(&p->buffer);
  idmap_deinit(&p->steps_by_key);
  mem_free(p);
}

// Adds the program's sdy.mesh ops to the table.
static Status *add_meshes(Program *program, ShardingTable *table, Diag *diag) {
  for (OpId o = program->root; o; o = op_walk_next(program, o, program->root)) {
    if (op_at(program, o)->code != OP_sdy_mesh) continue;
    Name symbol = attr_as_name(program->context, op_attr(program, o, "sym_name"));
    const Mesh *mesh;
    Status *status = mesh_from_attr(program->context, op_attr(program, o, "mesh"), symbol, &mesh);
    if (status) {
      diag_error(diag, op_at(program, o)->pos, "%s", status_message(status));
      status_free(status);
      return diag_status(diag);
    }
    sharding_mesh_add(table, mesh);
  }
  return NULL;
}

Status *propagation_new(Program *program, ShardingTable *table, const PropagateOptions *options,
                        Guard *guard, Diag *diag, Propagation **out) {
  TRY(add_meshes(program, table, diag));
  Propagation *p = mem_alloc(sizeof *p);
  if (!p) guard_throw(guard, status_no_memory());
  *p = (Propagation){.table = table, .guard = guard, .options = *options};
  GuardCleanup cleanup = {release, p, NULL};
  guard_push(guard, &cleanup);
  Status *status = graph_build(program, table, &p->options.graph, guard, diag, &p->graph);
  if (status) {
    guard_pop(guard, &cleanup);
    release(p);
    return status;
  }
  arena_init(&p->arena, guard);
  arena_init(&p->scratch, guard);
  uint32_t n_places = p->graph.n_places, n_nodes = p->graph.n_nodes;
  p->state = ARENA_ARRAY(&p->arena, Sharding, n_places + 1);
  p->last = ARENA_ARRAY(&p->arena, uint32_t, n_places + 1);
  memset(p->last, 0xff, ((size_t)n_places + 1) * sizeof *p->last);
  givens_init(&p->givens, &p->graph, table, &p->arena);
  p->written = ARENA_ARRAY(&p->arena, uint64_t, n_places + 1);
  p->rest = ARENA_ARRAY(&p->arena, uint32_t, n_nodes + 1);
  p->waiting = ARENA_ARRAY(&p->arena, bool, n_nodes + 1);
  p->touched_at = ARENA_ARRAY(&p->arena, uint32_t, n_nodes + 1);
  HEAPVEC_PUSH(guard, &p->step_cache, 0);
  guard_pop(guard, &cleanup);
  *out = p;
  return NULL;
}

void propagation_free(Propagation *p) {
  if (p) release(p);
}

void propagation_guard(Propagation *p, Guard *guard) {
  p->guard = guard;
  arena_guard(&p->arena, guard);
  arena_guard(&p->scratch, guard);
  arena_guard(&p->graph.arena, guard);
  sharding_table_guard(p->table, guard);
  program_guard(p->graph.program, guard);
}

const Graph *propagation_graph(const Propagation *p) { return &p->graph; }
ShardingTable *propagation_table(const Propagation *p) { return p->table; }
const PropagateOptions *propagation_options(const Propagation *p) { return &p->options; }
Sharding propagation_get(const Propagation *p, PlaceId place) { return p->state[place]; }
Givens *propagation_givens(Propagation *p) { return &p->givens; }
const Given *propagation_given(const Propagation *p, PlaceId place) {
  return givens_at(&p->givens, place);
}
uint32_t propagation_n_events(const Propagation *p) { return p->events.count; }
const Event *propagation_event(const Propagation *p, uint32_t i) { return &p->events.items[i]; }
uint64_t propagation_steps(const Propagation *p) { return p->steps; }

Sharding propagation_before(const Propagation *p, PlaceId place, uint32_t i) {
  uint32_t at = p->last[place];
  Sharding sharding = p->state[place];
  while (at != NO_EVENT && at >= i) {
    sharding = p->events.items[at].before;
    at = p->events.items[at].previous;
  }
  return sharding;
}

// ---- modes ----

// The direction of an op that keeps shapes (elementwise, transpose, …). multi_use: also if operands
// have other uses.
static uint8_t pass_direction(const Node *node, bool multi_use) {
  if (!(node->traits & (TRAIT_ELEMENTWISE | TRAIT_PASSES | TRAIT_PASSES_FORWARD)) ||
      node->traits & TRAIT_EXPANDS)
    return DIRECTION_NONE;
  if (node->multi_use && !multi_use) return DIRECTION_NONE;
  return node->traits & TRAIT_PASSES_FORWARD ? DIRECTION_FORWARD : DIRECTION_BOTH;
}

// The additional direction of pass-through factors of any op from priority 2 on.
static uint8_t factor_direction(const Node *node, uint8_t op_priority) {
  bool expands = (node->traits & TRAIT_EXPANDS) != 0;
  bool copies = expands && !(node->traits & TRAIT_PASSES);
  uint8_t forward = expands && (copies || op_priority < 3) ? DIRECTION_NONE : DIRECTION_FORWARD;
  return op_priority >= 4 ? forward | DIRECTION_BACKWARD : forward;
}

// Each op priority allows everything that the previous ones do, and:
//   0  ops that keep shapes and whose operands have no other use    1  … with other uses
//   2  pass-through factors of any op, forward, except broadcasts   3  … broadcasts without copies
//   4  pass-through factors of any op, broadcasts backward only     5  all factors     6 everything
// Forward goes first (2 and 3, which Shardy does not have): otherwise sharded optimizer states
// (ZeRO) would spread through gradients into activations before the batch axis gets there.
ProjectMode propagation_mode(const Propagation *p, NodeId id, uint8_t op_priority,
                             bool aggressive) {
  const Node *node = &p->graph.nodes[id];
  ProjectMode mode = {.aggressive = aggressive,
                      .elementwise = (node->traits & TRAIT_ELEMENTWISE) != 0,
                      .by_cost = p->options.by_cost,
                      .conservative =
                          p->options.graph.factors.conservative && node->kind == NODE_OP};
  if (node->kind == NODE_BARRIER) {
    mode.pass = mode.other = node->direction & DIRECTION_BOTH;
    return mode;
  }
  if (node->kind != NODE_OP || op_priority + 1 >= OP_PRIORITIES) {
    mode.pass = mode.other = DIRECTION_BOTH;
    return mode;
  }
  uint8_t passes = pass_direction(node, op_priority >= 1);
  uint8_t any = passes | factor_direction(node, op_priority);
  mode.pass = op_priority >= (p->options.graph.explicit_only ? 4 : 2) ? any : passes;
  mode.other = op_priority >= 5 ? any : passes;
  return mode;
}

static uint32_t mode_bits(ProjectMode mode) {
  return mode.pass | (uint32_t)mode.other << 2 | (uint32_t)mode.aggressive << 4;
}

// ---- worklist and log ----

static bool node_before(const void *a, const void *b, const void *user) {
  (void)user;
  return *(const NodeId *)a < *(const NodeId *)b;
}

static const HeapOrder node_order = {sizeof(NodeId), node_before, NULL};

static void ahead_push(Propagation *p, NodeId n) {
  HEAPVEC_PUSH(p->guard, &p->ahead, n);
  heap_push(p->ahead.items, p->ahead.count, &node_order);
}

static NodeId ahead_pop(Propagation *p) {
  heap_pop(p->ahead.items, p->ahead.count, &node_order);
  return p->ahead.items[--p->ahead.count];
}

// In a complete run all later nodes wait already. In a push, a later node waits for its turn in
// `ahead`, so that both visit nodes in the same order.
static void push_node(Propagation *p, NodeId n) {
  if (p->waiting[n]) return;
  p->waiting[n] = true;
  if (p->push && n > p->swept)
    ahead_push(p, n);
  else
    HEAPVEC_PUSH(p->guard, &p->stack, n);
}

// Invalidates the node's rest; in a push, adds it to the touched nodes.
static void wake(Propagation *p, NodeId n) {
  p->rest[n] = 0;
  if (p->push && p->touched_at[n] != p->push) {
    p->touched_at[n] = p->push;
    HEAPVEC_PUSH(p->guard, &p->touched, n);
  }
}

// Writes a place's sharding to the state and the log.
static void record(Propagation *p, PlaceId place, Sharding after, NodeId node, Cause cause) {
  Event event = {.place = place,
                 .before = p->state[place],
                 .after = after,
                 .node = node,
                 .previous = p->last[place],
                 .cause = (uint8_t)cause,
                 .aggressive = p->aggressive,
                 .op_priority = p->op_priority,
                 .user_priority = p->user_priority};
  HEAPVEC_PUSH(p->guard, &p->events, event);
  p->last[place] = p->events.count - 1;
  p->state[place] = after;
  const Graph *g = &p->graph;
  for (uint32_t i = g->adjacent_first[place]; i < g->adjacent_first[place + 1]; i++)
    wake(p, g->adjacent[i]);
}

// Pushes the place's defining node, then its users from last to first, so that the first user is
// visited next. Returns are handled separately (run_returns).
static void push_around(Propagation *p, PlaceId place, NodeId but) {
  const Graph *g = &p->graph;
  NodeId def = g->places[place].def;
  if (def && def != but && g->nodes[def].kind != NODE_RETURN) push_node(p, def);
  for (uint32_t i = g->adjacent_first[place + 1]; i-- > g->adjacent_first[place];) {
    NodeId n = g->adjacent[i];
    if (n != but && n != def && g->nodes[n].kind != NODE_RETURN) push_node(p, n);
  }
}

// ---- steps ----

typedef struct Key {
  const Propagation *p;
  uint32_t map, mode, n;
  const Sharding *in;
} Key;

// A cache entry: map, mode << 1 | changed, shardings before, and shardings after if changed.
static bool step_equal(const void *owner, uint32_t id, const void *key) {
  const Propagation *p = owner;
  const Key *k = key;
  const uint32_t *a = p->step_cache.items + id;
  return a[0] == k->map && a[1] >> 1 == k->mode && memcmp(a + 2, k->in, k->n * sizeof *k->in) == 0;
}

// The step on buffer[0, n), result in buffer[n, 2n), from the cache or by project_step. True if
// something changed.
static bool cached_step(Propagation *p, const Node *node, ProjectMode mode, uint32_t n) {
  Sharding *in = p->buffer.items, *out = in + n;
  uint32_t bits =
      mode_bits(mode) | (uint32_t)mode.elementwise << 5 | (uint32_t)mode.conservative << 6;
  uint64_t hash = hash_mix(node->map, bits);
  for (uint32_t i = 0; i < n; i++) hash = hash_mix(hash, in[i]);
  Key key = {p, node->map, bits, n, in};
  uint32_t found = idmap_find(&p->steps_by_key, hash, step_equal, p, &key);
  if (found) {
    const uint32_t *a = p->step_cache.items + found;
    if (!(a[1] & 1)) return false;
    memcpy(out, a + 2 + n, n * sizeof *out);
    return true;
  }
  bool any = project_step(p->table, p->graph.maps[node->map], mode, in, out, &p->scratch);
  uint32_t id = p->step_cache.count;
  HEAPVEC_RESERVE(p->guard, &p->step_cache, id + 2 + 2 * n);
  uint32_t *a = p->step_cache.items + id;
  a[0] = node->map;
  a[1] = bits << 1 | any;
  memcpy(a + 2, in, n * sizeof *in);
  if (any) memcpy(a + 2 + n, out, n * sizeof *out);
  p->step_cache.count = id + 2 + (any ? 2 : 1) * n;
  idmap_add(&p->steps_by_key, p->guard, hash, id);
  return any;
}

// One step at a node. True if it changed a place.
static bool step(Propagation *p, NodeId id, bool wake_others) {
  const Graph *g = &p->graph;
  const Node *node = &g->nodes[id];
  ProjectMode mode = propagation_mode(p, id, p->op_priority, p->aggressive);
  uint32_t bit = 1u << mode_bits(mode);
  if (p->rest[id] & bit) return false;
  p->rest[id] |= bit;
  if (mode.pass == DIRECTION_NONE && mode.other == DIRECTION_NONE) return false;
  if (p->steps++ % PROGRESS_EVERY == 0) guard_tell(p->guard, "propagating steps", p->steps - 1, 0);
  uint32_t n = factor_map_n_tensors(g->maps[node->map]);
  const PlaceId *places = g->tensors + node->tensors;
  HEAPVEC_RESERVE(p->guard, &p->buffer, 2 * n);
  Sharding *in = p->buffer.items, any = 0;
  for (uint32_t i = 0; i < n; i++) any |= in[i] = p->state[places[i]];
  if (node->view) any |= in[n - 1] = view_seen(g, node->view, in[n - 1], &p->scratch);
  if (!any || !cached_step(p, node, mode, n)) return false;
  // A place that occurs several times in the node takes the last of its new shardings. The write
  // wakes the node again, and the next step adds what the other occurrences would.
  for (uint32_t i = n; i-- > 0;) {
    Sharding *after = &p->buffer.items[n + i];
    if (!places[i] || *after == p->buffer.items[i]) continue;
    if (p->written[places[i]] == p->steps)
      *after = p->buffer.items[i];
    else
      p->written[places[i]] = p->steps;
  }
  bool changed = false;
  for (uint32_t i = 0; i < n; i++) {
    Sharding after = p->buffer.items[n + i];
    if (after == p->buffer.items[i] || !places[i]) continue;
    if (node->view && i + 1 == n) after = view_stored(g, node->view, after, &p->scratch);
    if (after == p->state[places[i]]) continue;
    record(p, places[i], after, id, CAUSE_NODE);
    if (wake_others) push_around(p, places[i], id);
    changed = true;
  }
  p->changed |= changed;
  return changed;
}

// Steps at waiting nodes until none is left.
static void drain(Propagation *p) {
  while (p->stack.count || p->ahead.count) {
    NodeId n;
    if (p->stack.count)
      n = p->stack.items[--p->stack.count];
    else
      n = p->swept = ahead_pop(p);
    p->waiting[n] = false;
    step(p, n, true);
  }
}

static void run_returns(Propagation *p) {
  for (NodeId n = 1; n < p->graph.n_nodes; n++)
    if (p->graph.nodes[n].kind == NODE_RETURN) step(p, n, false);
}

// All nodes to the fixpoint in the current mode. Results of roots are updated before and after the
// others; if that changes a place, another pass follows.
static void run_all(Propagation *p) {
  run_returns(p);
  do {
    p->changed = false;
    for (NodeId n = p->graph.n_nodes; n-- > 1;)
      if (p->graph.nodes[n].kind != NODE_RETURN) push_node(p, n);
    drain(p);
    if (!p->changed) run_returns(p);
  } while (p->changed);
}

static int node_compare(const void *x, const void *y) {
  NodeId a = *(const NodeId *)x, b = *(const NodeId *)y;
  return (a > b) - (a < b);
}

static void run_touched_returns(Propagation *p) {
  const Node *nodes = p->graph.nodes;
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->touched.count; i++)
    n += nodes[p->touched.items[i]].kind == NODE_RETURN;
  if (n > 1) qsort(p->touched.items, p->touched.count, sizeof(NodeId), node_compare);
  for (uint32_t i = 0; n && i < p->touched.count; i++)
    if (nodes[p->touched.items[i]].kind == NODE_RETURN) step(p, p->touched.items[i], false);
}

// The same for the nodes that the current push or priority has touched.
static void run_touched(Propagation *p) {
  run_touched_returns(p);
  do {
    p->changed = false;
    p->swept = 0;
    for (uint32_t i = 0; i < p->touched.count; i++)
      if (p->graph.nodes[p->touched.items[i]].kind != NODE_RETURN)
        push_node(p, p->touched.items[i]);
    drain(p);
    if (!p->changed) run_touched_returns(p);
  } while (p->changed);
}

// Basic steps, aggressive steps, or both in this order.
static void run_strategies(Propagation *p) {
  Steps steps = p->options.strategy == STRATEGY_BASIC ? STEPS_BASIC : p->options.steps;
  for (uint32_t aggressive = 0; aggressive < 2; aggressive++) {
    if (aggressive ? steps == STEPS_BASIC : steps == STEPS_AGGRESSIVE) continue;
    p->aggressive = aggressive;
    if (p->push)
      run_touched(p);
    else
      run_all(p);
  }
}

static void run_op_priorities(Propagation *p) {
  bool levels = p->options.strategy <= STRATEGY_OP_PRIORITY;
  for (uint32_t level = levels ? 0 : OP_PRIORITIES - 1; level < OP_PRIORITIES; level++) {
    p->op_priority = (uint8_t)level;
    run_strategies(p);
  }
}

// ---- user priorities ----

static int32_t priority_of(const DimSharding *dim) { return dim->priority < 0 ? 0 : dim->priority; }

// An annotation before its later priorities become visible: their dimensions are closed and have no
// axes, and their axes are replicated, so that nothing else takes them.
static Sharding first_priority_only(Propagation *p, Sharding sharding) {
  const ShardingInfo *info = sharding_info(p->table, sharding);
  ArenaMark mark = arena_mark(&p->scratch);
  DimSharding *dims = ARENA_ARRAY(&p->scratch, DimSharding, info->rank + 1);
  ShardFactor *none = ARENA_NEW(&p->scratch, ShardFactor);
  uint32_t n = info->replicated.n;
  for (uint32_t d = 0; d < info->rank; d++)
    for (uint32_t f = 0; f < info->dims[d].n_factors; f++) n += info->dims[d].factors[f].axes.n;
  AxisRef *replicated = ARENA_ARRAY(&p->scratch, AxisRef, n + 1);
  n = 0;
  for (uint32_t i = 0; i < info->replicated.n; i++) replicated[n++] = info->replicated.v[i];
  for (uint32_t d = 0; d < info->rank; d++) {
    dims[d] = info->dims[d];
    dims[d].priority = PRIORITY_NONE;
    if (priority_of(&info->dims[d]) == 0) continue;
    for (uint32_t f = 0; f < info->dims[d].n_factors; f++)
      for (uint32_t i = 0; i < info->dims[d].factors[f].axes.n; i++)
        replicated[n++] = info->dims[d].factors[f].axes.v[i];
    dims[d] = (DimSharding){none, 1, false, PRIORITY_NONE};
  }
  ShardingInfo changed = *info;
  changed.dims = dims;
  changed.replicated = (AxisList){replicated, n};
  Sharding result = sharding_intern(p->table, &changed);
  arena_rewind(&p->scratch, mark);
  return result;
}

// The place's current sharding, with the dimensions of one priority as annotated.
static Sharding with_priority(Propagation *p, Sharding now, Sharding given, int32_t priority) {
  const ShardingInfo *info = sharding_info(p->table, now), *full = sharding_info(p->table, given);
  ArenaMark mark = arena_mark(&p->scratch);
  DimSharding *dims = ARENA_ARRAY(&p->scratch, DimSharding, info->rank + 1);
  AxisList replicated = info->replicated;
  for (uint32_t d = 0; d < info->rank; d++) {
    dims[d] = info->dims[d];
    if (d >= full->rank || priority_of(&full->dims[d]) != priority) continue;
    dims[d] = full->dims[d];
    dims[d].priority = PRIORITY_NONE;
    for (uint32_t f = 0; f < dims[d].n_factors; f++)
      replicated = axes_subtract(&p->scratch, replicated, dims[d].factors[f].axes);
  }
  ShardingInfo changed = *info;
  changed.dims = dims;
  changed.replicated = replicated;
  Sharding result = sharding_intern(p->table, &changed);
  arena_rewind(&p->scratch, mark);
  return result;
}

// A place with dimensions of a user priority above 0.
typedef struct Later {
  int32_t priority;
  PlaceId place;
} Later;

static int later_compare(const void *x, const void *y) {
  const Later *a = x, *b = y;
  if (a->priority != b->priority) return a->priority < b->priority ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

// Sorted by priority, then by place. A place may occur twice; the second time adds nothing.
static Later *list_later(Propagation *p, uint32_t *out_n) {
  VEC(Later) list = {0};
  for (PlaceId i = 1; i < p->graph.n_places; i++) {
    if (!p->givens.list[i]) continue;
    const ShardingInfo *info = sharding_info(p->table, p->givens.list[i]->sharding);
    for (uint32_t d = 0; d < info->rank; d++)
      if (info->dims[d].priority > 0)
        VEC_PUSH(&p->arena, &list, ((Later){info->dims[d].priority, i}));
  }
  if (list.count) qsort(list.items, list.count, sizeof *list.items, later_compare);
  *out_n = list.count;
  return list.items;
}

// Everything is at a fixpoint when a priority begins, so only touched nodes are visited.
static void run_later(Propagation *p) {
  uint32_t n;
  const Later *list = list_later(p, &n);
  for (uint32_t i = 0; i < n;) {
    p->user_priority = list[i].priority;
    p->push = ++p->pushes;
    p->touched.count = 0;
    for (; i < n && list[i].priority == p->user_priority; i++) {
      PlaceId place = list[i].place;
      Sharding sharding =
          with_priority(p, p->state[place], p->givens.list[place]->sharding, p->user_priority);
      if (sharding != p->state[place]) record(p, place, sharding, 0, CAUSE_PRIORITY);
    }
    if (p->touched.count) run_op_priorities(p);
  }
  p->push = 0;
}

void propagation_run(Propagation *p) {
  bool by_user = p->options.strategy == STRATEGY_USER_PRIORITY;
  p->push = 0;
  p->user_priority = 0;
  for (PlaceId i = 1; i < p->graph.n_places; i++) {
    if (!p->givens.list[i]) continue;
    Sharding sharding = p->givens.list[i]->sharding;
    if (by_user) sharding = first_priority_only(p, sharding);
    if (sharding != p->state[i]) record(p, i, sharding, 0, CAUSE_GIVEN);
  }
  if (p->options.strategy == STRATEGY_NONE) return;
  run_op_priorities(p);
  if (by_user) run_later(p);
}

// ---- search ----

static Status *check_extends(Propagation *p, PlaceId place, Sharding sharding) {
  if (!p->state[place]) return NULL;
  const ShardingInfo *old = sharding_info(p->table, p->state[place]);
  const ShardingInfo *new = sharding_info(p->table, sharding);
  const Mesh *before =
      sharding_mesh(p->table, old->mesh);  // AxisRef.axis is an index into the mesh's axes
  bool same_mesh = !before->n_axes || old->mesh == new->mesh ||
                   mesh_equal(before, sharding_mesh(p->table, new->mesh));
  bool extends = old->rank == new->rank &&same_mesh;
  for (uint32_t d = 0; extends && d < old->rank; d++)
    extends = axes_is_prefix(sharding_dim_axes(old, d), sharding_dim_axes(new, d));
  if (extends) return NULL;
  StrBuf text;
  strbuf_init(&text, p->guard);
  sharding_print(p->table, sharding, &text);
  strbuf_puts(&text, " does not extend ");
  sharding_print(p->table, p->state[place], &text);
  Status *status = status_new(FAILED_PRECONDITION, __FILE__, __LINE__, "%s", text.data);
  strbuf_deinit(&text);
  return status;
}

Status *propagation_push(Propagation *p, PlaceId place, Sharding sharding, uint32_t *out_mark) {
  TRY(check_extends(p, place, sharding));
  uint32_t mark = p->events.count;
  p->push = ++p->pushes;
  p->touched.count = 0;
  if (sharding != p->state[place]) record(p, place, sharding, 0, CAUSE_GIVEN);
  run_op_priorities(p);
  *out_mark = mark;
  return NULL;
}

void propagation_pop(Propagation *p, uint32_t mark) {
  const Graph *g = &p->graph;
  while (p->events.count > mark) {
    const Event *event = &p->events.items[--p->events.count];
    p->state[event->place] = event->before;
    p->last[event->place] = event->previous;
    for (uint32_t i = g->adjacent_first[event->place]; i < g->adjacent_first[event->place + 1]; i++)
      p->rest[g->adjacent[i]] = 0;
  }
}

bool propagation_is_fixpoint(Propagation *p, NodeId *out_node) {
  uint32_t events = p->events.count;
  p->op_priority = OP_PRIORITIES - 1;
  Steps steps = p->options.strategy == STRATEGY_BASIC ? STEPS_BASIC : p->options.steps;
  p->aggressive = steps != STEPS_BASIC;
  p->push = 0;
  bool rest = true;
  for (NodeId n = 1; rest && n < p->graph.n_nodes; n++) {
    p->rest[n] = 0;
    if (step(p, n, false)) {
      *out_node = n;
      rest = false;
    }
  }
  propagation_pop(p, events);
  return rest;
}
