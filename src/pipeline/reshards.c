// What the partitioner decides is written by explicit_reshards, in sdy's words for compilers:
// values in parts, reshards, collectives. XLA's importer knows constraints only: it does not heed
// shardings of ops, and it propagates back through constraints. So each reshard becomes a
// constraint, sums are whole where they are settled, and what is to stay as its op makes it is
// pinned by a constraint right behind it.
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
  uint32_t n_values;  // there were before pins
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

// Made anew wherever it is wanted: of nothing but numbers.
static bool is_remade(const Program *p, ValueId v) {
  OpId op = value_def(p, v);
  if (!op) return false;
  uint32_t traits = op_traits(p, op);
  bool remade = traits & TRAIT_PURE && traits & (TRAIT_CONSTANT | TRAIT_EXPANDS);
  for (uint32_t i = 0; remade && i < op_at(p, op)->n_operands; i++)
    remade = type_info(p->context, op_operand_type(p, op, i))->rank == 0;
  return remade;
}

// What a value has, whole where nothing is said; 0 if sdy has no words for it. Block arguments of
// loops have what the loop carries.
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

static void pin(Job *j, ValueId v) {
  Program *p = j->p;
  OpId def = value_def(p, v);
  BlockId block = def ? op_at(p, def)->block : value_at(p, v)->def;
  OpId at = def ? def : block_at(p, block)->first;
  OpId owner = def ? 0 : region_at(p, block_at(p, block)->region)->op;
  const TypeInfo *type = type_info(p->context, value_type(p, v));
  if (v >= j->n_values || j->pinned[v] || type->kind != TYPE_TENSOR || !type->rank) return;
  j->pinned[v] = true;
  if (owner && op_traits(p, owner) & TRAIT_FUNCTION) return;  // its own sharding is heeded
  Attr sharding = sharding_now(j, v);
  if (!sharding) return;
  OpId constraint = op_create_identity(p, OP_sdy_sharding_constraint, v,
                                       attr_dict_with(p->context, 0, "sharding", sharding), at);
  if (def)
    op_insert_after(p, constraint, def);
  else
    op_insert_before(p, constraint, at);
  ValueId stays = op_result(p, constraint, 0);
  for (OperandId use = value_at(p, v)->first_use, next; use; use = next) {
    next = operand_at(p, use)->next_use;
    if (operand_at(p, use)->user != constraint) operand_set(p, use, stays);
  }
}

// Of what is made of numbers alone XLA makes what it needs, and inside of manual computations it is
// left to decide; a sum that is settled and nothing more is pinned where it is made.
static void write_change(Job *j, OpId op, bool manual) {
  Program *p = j->p;
  ValueId v = op_operand(p, op, 0);
  Attr to = annotation_with_unreduced(p->context, made_sharding(p, op), 0);
  bool same = to == sharding_now(j, v);
  if (manual || is_remade(p, v) || same) {
    value_replace_uses(p, op_result(p, op, 0), v);
    op_erase(p, op);
    if (same && !manual) pin(j, v);
    return;
  }
  op_at(p, op)->code = OP_sdy_sharding_constraint;
  op_at(p, op)->attrs = attr_dict_with(p->context, 0, "sharding", to);
  pin(j, v);
}

// Partial sums that all who take them add up further: XLA moves the sum behind that by itself, if
// nothing stands between.
static bool goes_on_in_parts(const Program *p, ValueId v) {
  if (!is_partial(p, annotation_get(p, v))) return false;
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use)
    if (changes_sharding(p, operand_at(p, use)->user)) return false;
  return true;
}

static void write_op(Job *j, OpId op) {
  Program *p = j->p;
  bool follows = op_traits(p, op) & (TRAIT_ELEMENTWISE | TRAIT_CALL) || op_flow(p, op);
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
    ValueId v = op_result(p, op, i);
    bool in_parts = goes_on_in_parts(p, v);
    Attr sharding = annotation_own(p, v);
    if (is_partial(p, sharding))
      annotation_put(p, v, annotation_with_unreduced(p->context, sharding, 0));
    if (!follows && !in_parts && !is_remade(p, v)) pin(j, v);
  }
}

static bool is_inside(const Program *p, OpId op, OpId around) {
  while (op && op != around) op = op_parent(p, op);
  return op != 0;
}

static void for_xla(Job *j, Arena *arena) {
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
  if (j->mesh) for_xla(j, arena);
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
