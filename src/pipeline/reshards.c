// Problem. explicit_reshards writes the partitioner's decisions as sdy ops: unreduced shardings,
// sdy.reshard, sdy collectives. XLA's importer reads sharding constraints only. It ignores
// shardings of ops, and it propagates backward through constraints.
//
// Idea. Each reshard becomes a constraint. Unreduced axes are removed: XLA sees the reduced value.
// A value that must keep the sharding that its op gives is pinned: a constraint follows its op, and
// all users read the constraint.
//
//   %2 = dot_general %0, %1 {unreduced={"x"}}     %2 = dot_general %0, %1
//   %3 = sdy.all_reduce {"x"} %2                  %3 = sdy.sharding_constraint %2 <@m, [{}, {}]>
//
// Invariant. Constraints change no value. Bodies of manual computations stay as they are.
//
// Cost. O(program).
#include "pipeline/reshards.h"

#include "ops/op.h"
#include "partition/explicit_reshards.h"
#include "partition/sdy_collectives.h"
#include "annotate/annotation.h"
#include "interop/gspmd_export.h"
#include "annotate/program_mesh.h"

typedef struct Job {
  Program *p;
  ShardingTable *table;
  MeshId mesh;
  uint32_t n_values;  // before pins were added
  bool *pinned;       // per value
} Job;

static bool changes_sharding(const Program *p, OpId op) {
  uint16_t code = op_at(p, op)->code;
  return code == OP_sdy_reshard || sdy_is_collective(code);
}

static Attr made_sharding(const Program *p, OpId op) {
  Attr sharding = op_attr(p, op, "sharding");
  return sharding ? sharding : op_attr(p, op, "out_sharding");
}

static bool is_partial(const Program *p, Attr sharding) {
  return attr_info(p->context, attr_get(p->context, sharding, "unreduced"))->count > 0;
}

// Is the value a constant, iota, or a broadcast of a scalar? XLA rematerializes these.
static bool is_rematerialized(const Program *p, ValueId v) {
  OpId op = value_def(p, v);
  if (!op) return false;
  uint32_t traits = op_traits(p, op);
  bool rematerialized = traits & TRAIT_PURE && traits & (TRAIT_CONSTANT | TRAIT_EXPANDS);
  for (uint32_t i = 0; rematerialized && i < op_at(p, op)->n_operands; i++)
    rematerialized = type_info(p->context, op_operand_type(p, op, i))->rank == 0;
  return rematerialized;
}

// The sharding that a value has, without unreduced axes; replicated if it has no annotation. A
// block argument of a loop has that of the carry. 0 if no attribute can express it.
static Attr sharding_now(const Job *j, ValueId v) {
  const Program *p = j->p;
  const Value *value = value_at(p, v);
  Attr attr = annotation_get(p, v);
  if (!attr && value->is_arg) {
    OpId owner = region_at(p, block_at(p, value->def)->region)->op;
    uint32_t i = v - block_at(p, value->def)->args;
    if (op_flow(p, owner) != FLOW_LOOP || i >= op_at(p, owner)->n_results) return 0;
    attr = annotation_get(p, op_result(p, owner, i));
  }
  if (attr) return annotation_with_unreduced(p->context, attr, 0);
  uint32_t rank = type_info(p->context, value_type(p, v))->rank;
  Status *status =
      sharding_to_attr(j->table, sharding_make_replicated(j->table, j->mesh, rank), &attr);
  if (status) attr = 0;
  status_free(status);
  return attr;
}

// Inserts a constraint with the value's own sharding behind it, and makes all users read the
// constraint. Function arguments need none: XLA reads their shardings. At most once per value.
static void pin(Job *j, ValueId v) {
  Program *p = j->p;
  OpId def = value_def(p, v);
  BlockId block = def ? op_at(p, def)->block : value_at(p, v)->def;
  OpId at = def ? def : block_at(p, block)->first;
  OpId owner = def ? 0 : region_at(p, block_at(p, block)->region)->op;
  const TypeInfo *type = type_info(p->context, value_type(p, v));
  if (v >= j->n_values || j->pinned[v] || type->kind != TYPE_TENSOR || !type->rank) return;
  j->pinned[v] = true;
  if (owner && op_traits(p, owner) & TRAIT_FUNCTION) return;
  Attr sharding = sharding_now(j, v);
  if (!sharding) return;
  OpId constraint = op_create_identity(p, OP_sdy_sharding_constraint, v,
                                       attr_dict_with(p->context, 0, "sharding", sharding), at);
  if (def)
    op_insert_after(p, constraint, def);
  else
    op_insert_before(p, constraint, at);
  ValueId pinned = op_result(p, constraint, 0);
  for (OperandId use = value_at(p, v)->first_use, next; use; use = next) {
    next = operand_at(p, use)->next_use;
    if (operand_at(p, use)->user != constraint) operand_set(p, use, pinned);
  }
}

// Replaces an sdy.reshard or sdy collective by a constraint. Removes it inside manual computations,
// for rematerialized values, and if it only reduces: then the reduced value is pinned instead.
static void write_change(Job *j, OpId op, bool manual) {
  Program *p = j->p;
  ValueId v = op_operand(p, op, 0);
  Attr to = annotation_with_unreduced(p->context, made_sharding(p, op), 0);
  bool same = to == sharding_now(j, v);
  if (manual || is_rematerialized(p, v) || same) {
    value_replace_uses(p, op_result(p, op, 0), v);
    op_erase(p, op);
    if (same && !manual) pin(j, v);
    return;
  }
  op_at(p, op)->code = OP_sdy_sharding_constraint;
  op_at(p, op)->attrs = attr_dict_with(p->context, 0, "sharding", to);
  pin(j, v);
}

// Is the value a partial sum that no user reduces? XLA moves the reduction behind the users by
// itself, unless a constraint is in between.
static bool stays_partial(const Program *p, ValueId v) {
  if (!is_partial(p, annotation_get(p, v))) return false;
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use)
    if (changes_sharding(p, operand_at(p, use)->user)) return false;
  return true;
}

// Removes unreduced axes of the results, and pins them. Elementwise ops, calls and control flow
// follow their operands in XLA and need no pin.
static void write_op(Job *j, OpId op) {
  Program *p = j->p;
  bool follows = op_traits(p, op) & (TRAIT_ELEMENTWISE | TRAIT_CALL) || op_flow(p, op);
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
    ValueId v = op_result(p, op, i);
    bool partial = stays_partial(p, v);
    Attr sharding = annotation_own(p, v);
    if (is_partial(p, sharding))
      annotation_set(p, v, annotation_with_unreduced(p->context, sharding, 0));
    if (!follows && !partial && !is_rematerialized(p, v)) pin(j, v);
  }
}

static bool is_inside(const Program *p, OpId op, OpId around) {
  while (op && op != around) op = op_parent(p, op);
  return op != 0;
}

static void write_for_xla(Job *j, Arena *arena) {
  Program *p = j->p;
  j->n_values = p->values.count;
  j->pinned = ARENA_ARRAY(arena, bool, j->n_values);
  uint32_t n_ops = p->ops.count;
  OpId manual = 0;
  for (OpId op = op_walk_next(p, p->root, p->root), next; op; op = next) {
    next = op_walk_next(p, op, p->root);
    if (op >= n_ops) continue;  // a pin
    if (manual && !is_inside(p, op, manual)) manual = 0;
    if (!manual && op_attr(p, op, "manual_axes")) manual = op;
    if (changes_sharding(p, op))
      write_change(j, op, manual);
    else if (!(op_traits(p, op) & TRAIT_FUNCTION) && !manual)
      write_op(j, op);
  }
}

static Status *write_reshards(Job *j, const PartitionOptions *options, Arena *arena, Guard *guard,
                              Diag *diag) {
  TRY(explicit_reshards(j->p, j->table, options, guard, diag));
  if (j->mesh) write_for_xla(j, arena);
  return NULL;
}

static void release_arena(void *arena) { arena_deinit(arena); }

Status *reshards_write(Program *program, ShardingTable *table, const PartitionOptions *options,
                       Guard *guard, Diag *diag) {
  Arena arena;
  arena_init(&arena, guard);
  GuardCleanup cleanup = {release_arena, &arena, NULL};
  guard_push(guard, &cleanup);
  Job j = {.p = program, .table = table, .mesh = program_mesh_first(program, table)};
  Status *status = write_reshards(&j, options, &arena, guard, diag);
  guard_pop(guard, &cleanup);
  arena_deinit(&arena);
  return status;
}
