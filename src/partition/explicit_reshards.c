// Writes sdy.reshard and sdy.all_reduce ops where the decisions (decisions.h) reshard.
//
// Idea. Decisions have the shardings of operands and results of each op that runs on shards. Other
// ops have replicated ones; control flow has its annotated ones. One walk tracks the sharding that
// each value has (Writer.now) and inserts a reshard before an op that needs another.
//
// Invariant. Afterwards each op's operands have the shardings that the op needs, and its results
// are annotated with those that it gives. An op in several instances has one text: the last
// decision counts.
//
// Cost. O(program); equal reshards in one block are written once.
#include "partition/explicit_reshards.h"

#include "ops/functions.h"
#include "ops/localize.h"
#include "partition/decisions.h"
#include "partition/partition.h"
#include "partition/sdy_collectives.h"
#include "annotate/annotation.h"
#include "annotate/program_mesh.h"

typedef struct OpShardings {
  const Sharding *in, *out;  // NULL: replicated
} OpShardings;

// A reshard that was written for a value.
typedef struct Made {
  Sharding sharding;
  BlockId block;
  ValueId value;
  const struct Made *next;
} Made;

typedef struct Writer {
  Program *p;
  ShardingTable *table;
  Context *context;
  Arena arena;
  OpShardings *decided;  // per op
  Sharding *now;         // per value: the sharding that it has; 0 = replicated
  const Made **made;     // per value: its reshards
  SymbolTable functions;
  Partition *partition;  // has the shardings of `decided`
} Writer;

static void release(void *writer) {
  partition_free(((Writer *)writer)->partition);
  symbols_deinit(&((Writer *)writer)->functions);
  arena_deinit(&((Writer *)writer)->arena);
}

// ---- decisions ----

static void read_decisions(Writer *w, const Partition *partition) {
  w->decided = ARENA_ARRAY(&w->arena, OpShardings, w->p->ops.count + 1);
  for (uint32_t i = 0; i < partition_n_decisions(partition); i++) {
    const Decision *d = partition_decision(partition, i);
    if (d->kind == DECISION_SPLIT || d->kind == DECISION_REMATERIALIZE)
      w->decided[d->op] = (OpShardings){d->split->cx.in_as, d->split->cx.out_as};
  }
}

// ---- shardings ----

// An annotation in the form that decisions have: axes of dimensions and unreduced axes, all
// dimensions closed; 0 if it has no axes.
static Status *read_sharding(Writer *w, Attr attr, Type type, Sharding *out) {
  *out = 0;
  if (!attr || !type_is_tensor(w->context, type)) return NULL;
  Sharding sharding;
  TRY(sharding_from_attr(w->table, attr, type, &sharding));
  const ShardingInfo *info = sharding_info(w->table, sharding);
  if (sharding_is_maximal(w->table, sharding)) return NULL;
  DimSharding *dims = ARENA_ARRAY(&w->arena, DimSharding, info->rank + 1);
  bool any = info->unreduced.n > 0;
  for (uint32_t d = 0; d < info->rank; d++) {
    dims[d] = (DimSharding){info->dims[d].factors, info->dims[d].n_factors, false, PRIORITY_NONE};
    any |= sharding_tiles(info, d) > 1;
  }
  ShardingInfo made = {.mesh = info->mesh,
                       .rank = info->rank,
                       .dims = dims,
                       .unreduced = info->unreduced,
                       .reducer = info->reducer};
  if (any) *out = sharding_intern(w->table, &made);
  return NULL;
}

static Status *annotated(Writer *w, ValueId v, Sharding *out) {
  return read_sharding(w, annotation_get(w->p, v), value_type(w->p, v), out);
}

// A sharding as an attribute; a replicated one is on the mesh of the other.
static Status *to_attr(Writer *w, Sharding sharding, Sharding other, Attr *out) {
  const ShardingInfo *info = sharding_info(w->table, other);
  if (!sharding) sharding = sharding_make_replicated(w->table, info->mesh, info->rank);
  return sharding_to_attr(w->table, sharding, out);
}

// ---- ops ----

// Is the reshard an all_reduce: same tiles, fewer unreduced axes? *out_axes: the reduced ones.
static bool is_reduction(Writer *w, Sharding from, Sharding to, AxisList *out_axes) {
  const ShardingInfo *a = sharding_info(w->table, from), *b = sharding_info(w->table, to);
  bool same = a->unreduced.n > 0;
  for (uint32_t d = 0; d < a->rank; d++) {
    AxisList none = {NULL, 0};
    same = same && axes_equal(sharding_dim_axes(a, d), to ? sharding_dim_axes(b, d) : none);
  }
  *out_axes = axes_subtract(&w->arena, a->unreduced, b->unreduced);
  return same && axes_subtract(&w->arena, b->unreduced, a->unreduced).n == 0 && out_axes->n;
}

static Status *write_reshard(Writer *w, OpId before, ValueId v, Sharding to, ValueId *out) {
  Context *c = w->context;
  Sharding from = w->now[v];
  AxisList axes;
  bool reduces = is_reduction(w, from, to, &axes);
  Attr attr, reduced = 0;
  TRY(to_attr(w, to, from, &attr));
  if (reduces) {
    NamedAttr field = {name_of(c, "axes"),
                       sharding_axes_to_attr(w->table, sharding_info(w->table, from)->mesh, axes)};
    reduced = attr_struct(c, "sdy.axis_ref_list", 1, &field);
  }
  NamedAttr fields[] = {{name_of(c, reduces ? "out_sharding" : "sharding"), attr},
                        {name_of(c, "reduction_axes"), reduced}};
  Type type = value_type(w->p, v);
  OpSpec spec = {.code = reduces ? OP_sdy_all_reduce : OP_sdy_reshard,
                 .n_operands = 1,
                 .operands = &v,
                 .n_results = 1,
                 .result_types = &type,
                 .attrs = attr_dict(c, reduces ? 2 : 1, fields),
                 .pos = POS_NONE,
                 .origin = before};
  OpId op = op_create(w->p, &spec);
  op_insert_before(w->p, op, before);
  *out = op_result(w->p, op, 0);
  return NULL;
}

// Reshards operand i of the op to the sharding that it needs.
static Status *reshard_operand(Writer *w, OpId op, uint32_t i, Sharding needed) {
  ValueId v = op_operand(w->p, op, i), value = 0;
  if (w->now[v] == needed || !type_is_tensor(w->context, value_type(w->p, v))) return NULL;
  BlockId block = op_at(w->p, op)->block;
  for (const Made *m = w->made[v]; m && !value; m = m->next)
    if (m->sharding == needed && m->block == block) value = m->value;
  if (!value) {
    TRY(write_reshard(w, op, v, needed, &value));
    Made *made = ARENA_NEW(&w->arena, Made);
    *made = (Made){needed, block, value, w->made[v]};
    w->made[v] = made;
  }
  operand_set(w->p, op_at(w->p, op)->operands + i, value);
  return NULL;
}

// Annotates result i of the op with the sharding that the op gives it.
static Status *annotate_result(Writer *w, OpId op, uint32_t i, Sharding sharding) {
  ValueId v = op_result(w->p, op, i);
  Attr old = annotation_own(w->p, v), attr = 0;
  w->now[v] = sharding;
  if (!sharding && !old) return NULL;
  if (sharding) {
    TRY(sharding_to_attr(w->table, sharding, &attr));
  } else {
    Sharding was;
    TRY(sharding_from_attr(w->table, old, value_type(w->p, v), &was));
    if (sharding_is_maximal(w->table, was)) return NULL;
    TRY(to_attr(w, 0, was, &attr));
  }
  annotation_set(w->p, v, attr);
  return NULL;
}

static Status *visit_op(Writer *w, OpId op) {
  const OpShardings *d = &w->decided[op];
  for (uint32_t i = 0; i < op_at(w->p, op)->n_operands; i++)
    TRY(reshard_operand(w, op, i, d->in ? d->in[i] : 0));
  for (uint32_t i = 0; i < op_at(w->p, op)->n_results; i++)
    TRY(annotate_result(w, op, i, d->out ? d->out[i] : 0));
  return NULL;
}

// Entry i of a list of shardings on the op (in_shardings).
static Status *listed(Writer *w, OpId op, const char *name, uint32_t i, Type type, Sharding *out) {
  Attr list = attr_get(w->context, op_attr(w->p, op, name), "shardings");
  const AttrInfo *items = attr_info(w->context, list);
  return read_sharding(w, i < items->count ? items->items[i] : 0, type, out);
}

// Operands and body arguments of control flow have the shardings of the results that they carry; a
// manual or named computation has lists of its own. Other operands are replicated.
static Status *visit_flow(Writer *w, OpId op, Flow flow) {
  uint32_t n = op_at(w->p, op)->n_operands, n_results = op_at(w->p, op)->n_results;
  for (uint32_t i = 0; i < n_results; i++)
    TRY(annotated(w, op_result(w->p, op, i), &w->now[op_result(w->p, op, i)]));
  bool carries = flow == FLOW_LOOP || flow == FLOW_EACH;
  for (uint32_t i = 0; i < n; i++) {
    Sharding needed = carries && i < n_results ? w->now[op_result(w->p, op, i)] : 0;
    if (flow == FLOW_BODY)
      TRY(listed(w, op, "in_shardings", i, op_operand_type(w->p, op, i), &needed));
    TRY(reshard_operand(w, op, i, needed));
  }
  for (uint32_t r = 0; r < op_at(w->p, op)->n_regions; r++) {
    BlockId block = region_block(w->p, op_region(w->p, op, r));
    for (uint32_t i = 0; block && i < block_at(w->p, block)->n_args; i++) {
      ValueId v = block_arg(w->p, block, i);
      if (carries && i < n_results)
        w->now[v] = w->now[op_result(w->p, op, i)];
      else
        TRY(annotated(w, v, &w->now[v]));
    }
  }
  return NULL;
}

typedef struct ManualAxes {
  const Context *context;
  AttrInfo names;
} ManualAxes;

static bool is_free(void *user, Name name, Attr axis) {
  (void)axis;
  const ManualAxes *manual = user;
  for (uint32_t i = 0; i < manual->names.count; i++)
    if (attr_as_name(manual->context, manual->names.items[i]) == name) return false;
  return true;
}

// The sharding that the op around a block requires of operand i of the block's terminator: that of
// its result, without the manual axes in a manual computation. A loop's condition is replicated.
static Status *required(Writer *w, OpId owner, OpId op, uint32_t i, Sharding *out) {
  const OpRow *row = op_row(op_at(w->p, owner)->code);
  Type type = op_operand_type(w->p, op, i);
  Flow flow = row->def ? row->def->flow : FLOW_NONE;
  *out = 0;
  if (row->traits & TRAIT_FUNCTION)
    return read_sharding(w, annotation_get_result(w->p, owner, i), type, out);
  RegionId region = block_at(w->p, op_at(w->p, op)->block)->region;
  bool last = region + 1 == op_at(w->p, owner)->regions + op_at(w->p, owner)->n_regions;
  if (flow == FLOW_LOOP && !last) return NULL;  // its condition
  if (i >= op_at(w->p, owner)->n_results) return NULL;
  Attr sharding = annotation_own(w->p, op_result(w->p, owner, i));
  Attr axes = attr_get(w->context, op_attr(w->p, owner, "manual_axes"), "axes");
  if (sharding && axes) {
    ManualAxes manual = {w->context, *attr_info(w->context, axes)};
    sharding = annotation_filter(w->context, sharding, is_free, &manual);
  }
  return read_sharding(w, sharding, type, out);
}

static Status *visit_terminator(Writer *w, OpId op) {
  OpId owner = op_parent(w->p, op);
  for (uint32_t i = 0; i < op_at(w->p, op)->n_operands; i++) {
    Sharding needed;
    TRY(required(w, owner, op, i, &needed));
    TRY(reshard_operand(w, op, i, needed));
  }
  return NULL;
}

// A call's operands and results have the shardings that the function's arguments and results have.
static Status *visit_call(Writer *w, OpId op, OpId callee) {
  BlockId block = region_block(w->p, op_region(w->p, callee, 0));
  for (uint32_t i = 0; i < op_at(w->p, op)->n_operands; i++) {
    Sharding needed;
    TRY(annotated(w, block_arg(w->p, block, i), &needed));
    TRY(reshard_operand(w, op, i, needed));
  }
  for (uint32_t i = 0; i < op_at(w->p, op)->n_results; i++) {
    Sharding made;
    TRY(read_sharding(w, annotation_get_result(w->p, callee, i), op_result_type(w->p, op, i),
                      &made));
    TRY(annotate_result(w, op, i, made));
  }
  return NULL;
}

static Status *visit_function(Writer *w, OpId op) {
  BlockId block = region_block(w->p, op_region(w->p, op, 0));
  for (uint32_t i = 0; block && i < block_at(w->p, block)->n_args; i++)
    TRY(annotated(w, block_arg(w->p, block, i), &w->now[block_arg(w->p, block, i)]));
  return NULL;
}

// Is the op an annotation of its operand (sdy.reshard, sdy collectives, constraints)? Then it is
// removed, and decided again.
static bool is_same_value(uint16_t code) {
  const OpRow *row = op_row(code);
  return row->traits & TRAIT_SHARDING && !(row->traits & TRAIT_EDGE) && row->results;
}

// *out_enters: the ops in its regions must be visited, too.
static Status *visit(Writer *w, OpId op, bool *out_enters) {
  uint16_t code = op_at(w->p, op)->code;
  const OpRow *row = op_row(code);
  Flow flow = row->def ? row->def->flow : FLOW_NONE;
  *out_enters = true;
  if (row->traits & TRAIT_FUNCTION) return visit_function(w, op);
  if (op == w->p->root || row->traits & TRAIT_SYMBOL ||
      (row->traits & TRAIT_SHARDING && !row->results))
    return NULL;
  if (row->traits & TRAIT_TERMINATOR) return visit_terminator(w, op);
  if (flow) return visit_flow(w, op, flow);
  *out_enters = false;
  OpId callee = op_callee(w->p, &w->functions, op);
  if (callee && region_block(w->p, op_region(w->p, callee, 0))) return visit_call(w, op, callee);
  return visit_op(w, op);
}

static Status *write(Writer *w) {
  for (OpId op = w->p->root, next; op; op = next) {
    bool enters = false;
    if (is_same_value(op_at(w->p, op)->code)) {
      next = op_walk_over(w->p, op, w->p->root);
      value_replace_uses(w->p, op_result(w->p, op, 0), op_operand(w->p, op, 0));
      op_erase(w->p, op);
      continue;
    }
    TRY(visit(w, op, &enters));
    next = enters ? op_walk_next(w->p, op, w->p->root) : op_walk_over(w->p, op, w->p->root);
  }
  return NULL;
}

static Status *run(Writer *w, const PartitionOptions *given, Guard *guard, Diag *diag) {
  PartitionOptions options = {.call_rules = given ? given->call_rules : NULL,
                              .machine = given ? given->machine : NULL,
                              .decisions = given ? given->decisions : (Str){NULL, 0},
                              .blocks = true};
  TRY(program_meshes_read(w->p, w->table));
  symbols_init(&w->functions, w->p, w->p->root, guard);
  TRY(partition_decide(w->p, w->table, &options, guard, diag, &w->partition));
  read_decisions(w, w->partition);
  w->now = ARENA_ARRAY(&w->arena, Sharding, w->p->values.count + 1);
  w->made = ARENA_ARRAY(&w->arena, const Made *, w->p->values.count + 1);
  return write(w);
}

Status *explicit_reshards(Program *program, ShardingTable *table, const PartitionOptions *options,
                          Guard *guard, Diag *diag) {
  Writer w = {.p = program, .table = table, .context = program->context};
  arena_init(&w.arena, guard);
  GuardCleanup cleanup = {release, &w, NULL};
  guard_push(guard, &cleanup);
  Status *status = run(&w, options, guard, diag);
  guard_pop(guard, &cleanup);
  release(&w);
  return status;
}
