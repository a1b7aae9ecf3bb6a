// The partitioner tells of each op it splits which shardings it takes and makes; then one walk over
// the program writes that down. A value's sharding is what its op makes; what stood there before is
// what users get that the partitioner tells nothing of: loops, calls, ends of regions.
#include "pipeline/reshards.h"

#include <string.h>

#include "base/vec.h"
#include "ops/localize.h"
#include "ops/op.h"
#include "partition/partition.h"
#include "propagate/annotation.h"
#include "propagate/gspmd_export.h"
#include "propagate/passes_rewrite.h"

#define UNKNOWN UINT32_MAX  // of a Sharding: nothing is known, or sdy has no words for it

// What one op takes and makes.
typedef struct Split {
  Sharding *in, *out;
  bool differ;  // written twice, and not the same way
} Split;

// A constraint that stands in a block already.
typedef struct Made Made;
struct Made {
  Sharding sharding;
  BlockId block;
  ValueId value;
  Made *next;
};

typedef struct Job {
  Program *p;
  ShardingTable *table;
  Arena *arena;
  uint32_t n_ops;        // of the copy that is partitioned
  Split **splits;        // per op of it
  Sharding *was;         // per value: what was said of it before; UNKNOWN: nothing is changed
  Made **made;           // per value
  bool *pinned;          // per value: a constraint stands right behind it
  VEC(ValueId) sources;  // of each value made here, in order: what it is a constraint of
  uint32_t n_values;
  MeshId mesh;
} Job;

// ---- what is done ----

static Sharding *copy_of(Job *j, const Sharding *list, uint32_t n) {
  return arena_copy(j->arena, list, (n + 1) * sizeof *list);
}

static void on_split(void *user, const Localizer *cx) {
  Job *j = user;
  uint32_t n_in = cx->map->n_operands, n_out = cx->map->n_results;
  if (cx->op >= j->n_ops) return;
  Split *known = j->splits[cx->op];
  if (known) {
    known->differ |= memcmp(known->in, cx->in_as, n_in * sizeof *known->in) != 0 ||
                     memcmp(known->out, cx->out_as, n_out * sizeof *known->out) != 0;
    return;
  }
  known = j->splits[cx->op] = ARENA_NEW(j->arena, Split);
  known->in = copy_of(j, cx->in_as, n_in);
  known->out = copy_of(j, cx->out_as, n_out);
}

// ---- shardings ----

// Axes of dimensions alone; 0 if there are none.
static Sharding plain(Job *j, Sharding sharding) {
  if (!sharding || sharding == UNKNOWN) return sharding;
  if (sharding_is_maximal(j->table, sharding) || !sharding_is_block(j->table, sharding))
    return UNKNOWN;
  if (sharding_is_replicated(j->table, sharding)) return 0;
  ShardingInfo info = *sharding_info(j->table, sharding);
  DimSharding *dims = ARENA_ARRAY(j->arena, DimSharding, info.rank + 1);
  for (uint32_t d = 0; d < info.rank; d++) {
    dims[d] = info.dims[d];
    dims[d].open = false;
    dims[d].priority = PRIORITY_NONE;
  }
  return sharding_intern(j->table,
                         &(ShardingInfo){.mesh = info.mesh, .rank = info.rank, .dims = dims});
}

static Sharding said_of(Job *j, ValueId v) {
  Attr attr = annotation_get(j->p, v);
  Sharding sharding = 0;
  if (!attr) return annotation_possible(j->p, v) ? 0 : UNKNOWN;
  Status *status = sharding_from_attr(j->table, attr, value_type(j->p, v), &sharding);
  if (status) sharding = UNKNOWN;
  status_free(status);
  return plain(j, sharding);
}

// What a value has now. Block arguments of loops have what the loop carries.
static Sharding has_now(Job *j, ValueId v) {
  const Value *value = value_at(j->p, v);
  if (!value->is_arg) return said_of(j, v);
  OpId owner = region_at(j->p, block_at(j->p, value->def)->region)->op;
  uint32_t i = v - block_at(j->p, value->def)->args;
  bool carried = op_flow(j->p, owner) == FLOW_LOOP && i < op_at(j->p, owner)->n_results;
  return carried ? said_of(j, op_result(j->p, owner, i)) : said_of(j, v);
}

static Attr attr_of(Job *j, Sharding sharding, uint32_t rank) {
  Attr attr = 0;
  if (sharding == UNKNOWN || (!sharding && !j->mesh)) return 0;
  if (!sharding) sharding = sharding_make_replicated(j->table, j->mesh, rank);
  Status *status = sharding_to_attr(j->table, sharding, &attr);
  bool good = !status;
  status_free(status);
  return good ? attr : 0;
}

// ---- what is written ----

static const Split *split_of(const Job *j, const Remap *map, OpId op) {
  const Split *split = op < map->n_ops ? j->splits[map->ops[op]] : NULL;
  return split && !split->differ ? split : NULL;
}

// Made anew wherever it is wanted: of nothing but numbers.
static bool is_remade(const Program *p, ValueId v) {
  OpId op = value_def(p, v);
  if (!op) return false;
  uint16_t traits = op_traits(p, op);
  bool remade = traits & TRAIT_PURE && traits & (TRAIT_CONSTANT | TRAIT_EXPANDS);
  for (uint32_t i = 0; remade && i < op_at(p, op)->n_operands; i++)
    remade = type_info(p->context, op_operand_type(p, op, i))->rank == 0;
  return remade;
}

static bool is_movable(const Program *p, ValueId v) {
  const TypeInfo *type = type_info(p->context, value_type(p, v));
  return type->kind == TYPE_TENSOR && type->rank > 0 && !is_remade(p, v);
}

static ValueId source_of(const Job *j, ValueId v) {
  return v < j->n_values ? v : j->sources.items[v - j->n_values];
}

// What the op takes its i-th operand as.
static Sharding wanted(Job *j, const Split *split, OpId op, uint32_t i) {
  const Program *p = j->p;
  Flow flow = op_flow(p, op);
  if (split) return plain(j, split->in[i]);
  if ((flow == FLOW_LOOP || flow == FLOW_EACH) && i < op_at(p, op)->n_results)
    return said_of(j, op_result(p, op, i));
  OpId around = op_parent(p, op);
  if (around && op_traits(p, op) & TRAIT_TERMINATOR) {
    Flow outer = op_flow(p, around);
    BlockId last = region_block(p, op_region(p, around, op_at(p, around)->n_regions - 1u));
    bool returns = outer == FLOW_BRANCH || (outer == FLOW_LOOP && op_at(p, op)->block == last);
    if (returns && i < op_at(p, around)->n_results) return said_of(j, op_result(p, around, i));
  }
  return j->was[source_of(j, op_operand(p, op, i))];
}

// Detached; 0 if sdy has no words for it. `at` is where it is for.
static OpId make_constraint(Job *j, ValueId v, Sharding sharding, OpId at) {
  Program *p = j->p;
  Attr attr = attr_of(j, sharding, type_info(p->context, value_type(p, v))->rank);
  if (!attr) return 0;
  VEC_PUSH(j->arena, &j->sources, source_of(j, v));
  return op_create_identity(p, OP_sdy_sharding_constraint, v,
                            attr_dict_with(p->context, 0, "sharding", attr), at);
}

// XLA heeds shardings of arguments, results and constraints, not those of ops, and propagates back
// through constraints: so what is to stay as its op makes it has a constraint that says so.
static void pin(Job *j, ValueId v) {
  Program *p = j->p;
  OpId def = value_def(p, v);
  BlockId block = def ? op_at(p, def)->block : value_at(p, v)->def;
  OpId at = def ? def : block_at(p, block)->first;
  OpId owner = def ? 0 : region_at(p, block_at(p, block)->region)->op;
  if (j->pinned[v] || (owner && op_traits(p, owner) & TRAIT_FUNCTION)) return;
  j->pinned[v] = true;
  OpId constraint = make_constraint(j, v, has_now(j, v), at);
  if (!constraint) return;
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

static void put_constraint(Job *j, OpId op, uint32_t i, Sharding sharding) {
  Program *p = j->p;
  ValueId v = source_of(j, op_operand(p, op, i));
  BlockId block = op_at(p, op)->block;
  pin(j, v);
  Made *made = j->made[v];
  while (made && (made->sharding != sharding || made->block != block)) made = made->next;
  if (!made) {
    OpId constraint = make_constraint(j, op_operand(p, op, i), sharding, op);
    if (!constraint) return;
    op_insert_before(p, constraint, op);
    made = ARENA_NEW(j->arena, Made);
    *made = (Made){sharding, block, op_result(p, constraint, 0), j->made[v]};
    j->made[v] = made;
  }
  operand_set(p, op_at(p, op)->operands + i, made->value);
}

static bool is_partial(const Job *j, Sharding sharding) {
  return sharding_info(j->table, sharding)->unreduced.n > 0;
}

// Partial sums that all who take them add up further: XLA moves the sum behind that by itself, if
// nothing stands between.
static bool goes_on_in_parts(const Job *j, const Remap *map, Sharding made, ValueId v) {
  const Program *p = j->p;
  if (!is_partial(j, made)) return false;
  for (OperandId use = value_at(p, v)->first_use; use; use = operand_at(p, use)->next_use) {
    OpId user = operand_at(p, use)->user;
    const Split *split = split_of(j, map, user);
    if (!split || !is_partial(j, split->in[use - op_at(p, user)->operands])) return false;
  }
  return true;
}

static void write_results(Job *j, const Remap *map, const Split *split, OpId op) {
  Program *p = j->p;
  uint32_t n = op_at(p, op)->n_results;
  Attr *items = ARENA_ARRAY(j->arena, Attr, n + 1);
  bool all = n > 0;
  for (uint32_t i = 0; i < n; i++) {
    Type type = op_result_type(p, op, i);
    items[i] = attr_of(j, plain(j, split->out[i]), type_info(p->context, type)->rank);
    all &= items[i] != 0;
  }
  if (!all) return;
  for (uint32_t i = 0; i < n; i++) j->was[op_result(p, op, i)] = said_of(j, op_result(p, op, i));
  for (uint32_t i = 0; i < n; i++) annotation_put(p, op_result(p, op, i), items[i]);
  bool follows = op_traits(p, op) & TRAIT_ELEMENTWISE;
  for (uint32_t i = 0; i < n && !follows; i++) {
    ValueId v = op_result(p, op, i);
    if (is_movable(p, v) && !goes_on_in_parts(j, map, split->out[i], v)) pin(j, v);
  }
}

static void write_op(Job *j, const Remap *map, OpId op) {
  const Split *split = split_of(j, map, op);
  for (uint32_t i = 0; i < op_at(j->p, op)->n_operands; i++) {
    ValueId v = source_of(j, op_operand(j->p, op, i));
    if (!is_movable(j->p, v)) continue;
    Sharding want = wanted(j, split, op, i);
    if (want != UNKNOWN && want != has_now(j, v)) put_constraint(j, op, i, want);
  }
  if (split) write_results(j, map, split, op);
}

// ---- the whole ----

static void release_program(void *program) { program_free(program); }

static Status *see(Job *j, CustomRules *call_rules, Guard *guard, Diag *diag, Remap *map) {
  Program *copy = program_copy(j->p, j->arena, map);
  GuardCleanup cleanup = {release_program, copy, NULL};
  guard_push(guard, &cleanup);
  j->n_ops = copy->ops.count;
  j->splits = ARENA_ARRAY(j->arena, Split *, j->n_ops);
  PartitionOptions how = {
      .call_rules = call_rules, .blocks = true, .on_split = on_split, .user = j};
  Status *status = partition_program(copy, j->table, &how, guard, diag, &j->mesh);
  guard_pop(guard, &cleanup);
  program_free(copy);
  return status;
}

static Status *write_reshards(Job *j, CustomRules *call_rules, Guard *guard, Diag *diag) {
  Program *p = j->p;
  Remap map;
  j->n_values = p->values.count;
  TRY(see(j, call_rules, guard, diag, &map));
  if (!j->mesh) return NULL;
  j->was = ARENA_ARRAY(j->arena, Sharding, j->n_values);
  j->made = ARENA_ARRAY(j->arena, Made *, j->n_values);
  j->pinned = ARENA_ARRAY(j->arena, bool, j->n_values);
  for (uint32_t v = 0; v < j->n_values; v++) j->was[v] = UNKNOWN;
  for (OpId op = op_walk_next(p, p->root, p->root), next; op; op = next) {
    bool manual = op_attr(p, op, "manual_axes") != 0;
    next = manual ? op_walk_over(p, op, p->root) : op_walk_next(p, op, p->root);
    if (op < map.n_ops && !(op_traits(p, op) & TRAIT_FUNCTION)) write_op(j, &map, op);
  }
  return NULL;
}

static void release_arena(void *arena) { arena_deinit(arena); }

Status *pipeline_write_reshards(Program *program, Propagated *propagated, Emit emit,
                                CustomRules *call_rules, Guard *guard, Diag *diag) {
  if (emit == EMIT_NONE) return NULL;
  TRY(pipeline_write(program, propagated, EMIT_SDY, true, guard, diag));
  Arena arena;
  arena_init(&arena, guard);
  GuardCleanup cleanup = {release_arena, &arena, NULL};
  guard_push(guard, &cleanup);
  Job j = {.p = program, .table = propagated->table, .arena = &arena};
  Status *status = write_reshards(&j, call_rules, guard, diag);
  guard_pop(guard, &cleanup);
  arena_deinit(&arena);
  if (!status && emit == EMIT_MHLO) status = gspmd_export(program, propagated->table, guard, diag);
  return status;
}
