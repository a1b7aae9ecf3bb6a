// The decide stage: walks every local function in program order and decides op by op. Writes
// nothing.
//
// Problem. Values have shardings, annotated or inferred; ops have none. For each op: how it runs on
// shards, in which shardings it needs its operands, and from which copies these come.
//
// Idea. Greedy, with one step of lookahead. The walk tracks the copies that each value has
// (copies.c). For each op it chooses axes per factor by price (choose.c), decides on copies of the
// operands in the shardings that follow, and notes the copies that the op makes (decide_op.c).
// Control flow keeps its structure (decide_flow.c).
//
//   %2 = dot_general %0, %1      reshard  c3 = c2 of %1   [{"data"}, {}] -> replicated
//                                split    c4 = %2 on (c1, c3)   factors i: "data", j: -, k: -
//
// Invariant. A decision names copies that earlier decisions make, so that writing them in order
// needs no other state. The global program is not changed.
//
// Cost. O(ops in all inlined calls · choices per op).
#include <string.h>

#include "partition/single_device.h"
#include "partition/walk.h"

Decision *walk_decide(Partition *t, DecisionKind kind, OpId op, uint32_t n_in, uint32_t n_out) {
  CopyId *copies = ARENA_ARRAY(&t->arena, CopyId, (size_t)n_in + n_out + 1);
  Decision d = {.kind = kind,
                .op = op,
                .instance = t->instance,
                .visit = t->visit,
                .origin = t->local.origin,
                .loc = t->local.loc,
                .in = copies,
                .out = copies + n_in,
                .n_in = n_in,
                .n_out = n_out,
                .manual = t->local.manual,
                .is_manual = t->manual > 0};
  VEC_PUSH(&t->arena, &t->decisions, d);
  return &t->decisions.items[t->decisions.count - 1];
}

Status *walk_capture(Partition *t, OpId op, const FoundCopy **out, uint32_t *out_n) {
  if (!op_at(t->p, op)->n_regions) return NULL;
  VEC(FoundCopy) captured = {0};
  for (OpId o = op_walk_next(t->p, op, op); o; o = op_walk_next(t->p, o, op))
    for (uint32_t i = 0; i < op_at(t->p, o)->n_operands; i++) {
      ValueId v = op_operand(t->p, o, i);
      if (!t->copies[v]) continue;
      FoundCopy copy = {.value = v};
      TRY(walk_get(t, v, 0, &copy.copy));
      VEC_PUSH(&t->arena, &captured, copy);
    }
  *out = captured.items;
  *out_n = captured.count;
  return NULL;
}

Status *walk_unimplemented(Partition *t, OpId op, const char *what) {
  diag_error(t->diag, op_at(t->p, op)->pos, "'%s' op %s: this cannot be partitioned",
             op_name(t->p, op), what);
  FAIL(UNIMPLEMENTED, "'%s' op %s: this cannot be partitioned", op_name(t->p, op), what);
}

// ---- ops ----

// Has every group of the collective one replica? Then it returns its operands.
static bool has_groups_of_one(const Partition *t, OpId op) {
  Attr groups = op_attr(t->p, op, "replica_groups");
  if (!groups || attr_info(t->context, groups)->kind != ATTR_DENSE) return false;
  const TypeInfo *type = type_info(t->context, attr_info(t->context, groups)->type);
  const Op *o = op_at(t->p, op);
  bool same = type->rank == 2 && type->dims[1] == 1 && o->n_operands == o->n_results;
  for (uint32_t i = 0; same && i < o->n_results; i++)
    same = op_operand_type(t->p, op, i) == op_result_type(t->p, op, i);
  return same;
}

// A collective outside of manual computations communicates between replicas of the program. There
// is one replica, so results are the operands.
static Status *decide_collective(Partition *t, OpId op) {
  if (!has_groups_of_one(t, op))
    return walk_unimplemented(
        t, op, "communicates between replicas, and a local program has only one replica");
  for (uint32_t i = 0; i < op_at(t->p, op)->n_results; i++) {
    const Copy *copy = t->copies[op_operand(t->p, op, i)];
    TRY(walk_finish(t, op_result(t->p, op, i), copy->id, copy->sharding));
  }
  return NULL;
}

// The same value with another sharding. sdy's collectives name the collectives to use; reshard
// chooses its own.
static Status *decide_same(Partition *t, OpId op) {
  const Copy *copy = t->copies[op_operand(t->p, op, 0)];
  return walk_finish(t, op_result(t->p, op, 0), copy->id, copy->sharding);
}

// Outside of manual computations the program is that of one device, with id 0.
static Status *decide_device_id(Partition *t, OpId op) {
  ValueId v = op_result(t->p, op, 0);
  Decision *d = walk_decide(t, DECISION_DEVICE_ID, op, 0, 1);
  CopyId made = decision_out(d)[0] = walk_new_copy(t, v, 0, 0);
  return walk_finish(t, v, made, 0);
}

bool walk_only_annotates(uint16_t code) { return op_row(code)->traits & TRAIT_SHARDING; }

// One op. The order of the questions matters: a manual computation may contain collectives, and a
// single device may compute control flow.
static Status *decide_op(Partition *t, OpId op) {
  const Op *o = op_at(t->p, op);
  const OpRow *row = op_row(o->code);
  Flow flow = row->def ? row->def->flow : FLOW_NONE;
  t->local.origin = op;
  t->local.loc = o->loc;
  if (t->n_walked++ % PROGRESS_EVERY == 0)
    guard_tell(t->guard, "deciding ops", t->n_walked - 1, t->n_walked > t->n_ops ? 0 : t->n_ops);
  if (walk_only_annotates(o->code)) return o->n_results ? decide_same(t, op) : NULL;
  switch (o->code) {
  case OP_interpreter_run_parallel:
    return walk_unimplemented(t, op, "runs functions on a grid of its own");
  case OP_partition_id:
  case OP_replica_id:
    if (t->manual) break;
    return decide_device_id(t, op);
  default: break;
  }
  if (flow == FLOW_BODY) return walk_body(t, op);
  if (row->traits & TRAIT_COLLECTIVE && !t->manual) return decide_collective(t, op);
  // Compares replicated values on every device.
  if (op_is_check(t->p, op)) return walk_replicated_op(t, op);
  bool done;
  TRY(walk_on_device(t, op, &done));
  if (done) return NULL;
  if (flow) return walk_flow(t, op, flow);
  OpId callee = op_callee(t->p, &t->functions, op);
  if (callee && region_block(t->p, op_region(t->p, callee, 0))) return walk_call(t, op, callee);
  if (op_has_effects(t->p, op)) return walk_effects(t, op);
  return walk_split_op(t, op);
}

// Bounds the recursion: functions in manual computations are inlined, however deep they call each
// other.
enum { MOST_BLOCKS = 1024 };

Status *walk_block(Partition *t, BlockId block) {
  if (t->depth++ == MOST_BLOCKS)
    FAIL(RESOURCE_EXHAUSTED, "regions and calls stand more than %d deep inside each other",
         MOST_BLOCKS);
  for (OpId op = block_at(t->p, block)->first; op; op = op_at(t->p, op)->next) {
    if (op_row(op_at(t->p, op)->code)->traits & TRAIT_TERMINATOR) break;
    ArenaMark mark = arena_mark(&t->scratch);
    t->clock++;
    TRY(decide_op(t, op));
    arena_rewind(&t->scratch, mark);
  }
  t->depth--;
  return NULL;
}

// ---- functions ----

// The shardings of arguments and results, outside (the caller's) and inside the function. The two
// differ if the annotation's mesh has the devices in another order than the function's mesh.
typedef struct Edges {
  Sharding *outside, *inside;
} Edges;

// Reads both sides of an argument or result. They are equal in functions that the program calls. If
// no reshard leads from one to the other, the value is replicated.
static Status *read_edge(Partition *t, PlaceId place, Type type, Sharding *outside,
                         Sharding *inside) {
  *outside = *inside = walk_place_sharding(t, place);
  if (!*inside || t->graph->instances[t->instance].call) return NULL;
  Sharding outer = walk_place_outside(t, place);
  if (outer == *inside) return NULL;
  ReshardPlan plan;
  Status *status = reshard_plan(t->table, t->network, outer, *inside, type, &t->scratch, &plan);
  *outside = status ? 0 : outer;
  if (status) *inside = 0;
  if (!status || status_code(status) != UNIMPLEMENTED) return status;
  status_free(status);
  return NULL;
}

static CopyId decide_edge(Partition *t, ValueId v, CopyId from, Sharding has, Sharding to) {
  CopyId copy = walk_decide_reshard(t, v, from, has, to);
  t->decisions.items[t->decisions.count - 1].is_edge = true;
  return copy;
}

// Reshards arguments from the caller's sharding to the function's own.
static Status *enter_edges(Partition *t, BlockId source, uint32_t n, Edges edges) {
  for (uint32_t i = 0; i < n; i++) {
    if (edges.outside[i] == edges.inside[i]) continue;
    ValueId v = block_arg(t->p, source, i);
    CopyId copy = decide_edge(t, v, t->copies[v]->id, edges.outside[i], edges.inside[i]);
    walk_set(t, v, copy, edges.inside[i]);
  }
  return NULL;
}

static Status *decide_return(Partition *t, OpId op, Edges edges) {
  uint32_t n = op_at(t->p, op)->n_operands;
  CopyId *in = ARENA_ARRAY(&t->scratch, CopyId, n + 1);
  t->local.origin = op;
  for (uint32_t i = 0; i < n; i++)
    TRY(walk_get(t, op_operand(t->p, op, i), edges.inside[i], &in[i]));
  for (uint32_t i = 0; i < n; i++)
    if (edges.outside[i] != edges.inside[i])
      in[i] = decide_edge(t, op_operand(t->p, op, i), in[i], edges.inside[i], edges.outside[i]);
  Decision *d = walk_decide(t, DECISION_END, op, n, 0);
  memcpy(decision_in(d), in, n * sizeof *in);
  return NULL;
}

static Status *decide_function(Partition *t, OpId function) {
  BlockId source = region_block(t->p, op_region(t->p, function, 0));
  if (!source) return NULL;
  t->instance = graph_instance_of(t->graph, function);
  if (!t->instance) return NULL;
  walk_use_mesh(t, t->instance);
  const TypeInfo *type =
      type_info(t->context, attr_info(t->context, op_attr(t->p, function, "function_type"))->type);
  uint32_t n_args = type->n_inputs;
  Edges edges = {ARENA_ARRAY(&t->arena, Sharding, type->n_items + 1),
                 ARENA_ARRAY(&t->scratch, Sharding, type->n_items + 1)};
  for (uint32_t i = 0; i < type->n_items; i++) {
    PlaceId place = i < n_args ? graph_place(t->graph, t->instance, block_arg(t->p, source, i))
                               : graph_result_place(t->graph, t->instance, i - n_args);
    TRY(read_edge(t, place, type->items[i], &edges.outside[i], &edges.inside[i]));
  }
  FunctionDecision *made = ARENA_NEW(&t->arena, FunctionDecision);
  *made = (FunctionDecision){t->mesh, t->network, edges.outside};
  Decision *d = walk_decide(t, DECISION_FUNCTION, function, 0, n_args);
  d->function = made;
  for (uint32_t i = 0; i < n_args; i++) {
    ValueId v = block_arg(t->p, source, i);
    CopyId arg = walk_new_copy(t, v, edges.outside[i], 0);
    decision_out(d)[i] = arg;
    walk_set(t, v, arg, edges.outside[i]);
  }
  t->effect_at = NO_DEVICE;
  TRY(enter_edges(t, source, n_args, edges));
  TRY(walk_block(t, source));
  OpId last = block_at(t->p, source)->last;
  Edges results = {edges.outside + n_args, edges.inside + n_args};
  if (last) return decide_return(t, last, results);
  walk_decide(t, DECISION_END, 0, 0, 0);
  return NULL;
}

Status *walk_functions(Partition *t) {
  BlockId top = region_block(t->p, op_region(t->p, t->p->root, 0));
  given_begin(t);
  for (OpId o = block_at(t->p, top)->first; o; o = op_at(t->p, o)->next) {
    if (!(op_row(op_at(t->p, o)->code)->traits & TRAIT_FUNCTION) || !walk_is_local(t, o)) continue;
    ArenaMark mark = arena_mark(&t->scratch);
    TRY(decide_function(t, o));
    walk_rewind(t, 0);
    arena_rewind(&t->scratch, mark);
  }
  return given_check_used(t);
}
