// Functions that copied regions call.
//
// Problem. The regions of an op without data flow of its own (a reducer, a comparator, the update
// of a scatter) are copied unchanged: they run on replicated values. The functions that they call,
// at any depth, must be copied as well, with global types and without shardings. The same function
// may also be called elsewhere. There it becomes a local function, or is inlined.
//
// Idea. A function is called from up to three contexts, which pass from caller to callee. One walk
// over the ops finds the context of each call; one over the functions, callers first, unites them.
//
// Invariant. Beside a local function the copy has a name of its own, unless both are equal: all
// values in it are scalars.
//
// Cost. O(ops).
#include "partition/walk.h"

enum {
  LOCAL = 1 << 0,   // as a local function
  MANUAL = 1 << 1,  // in a manual computation: inlined
  COPIED = 1 << 2,  // in a copied region
  GLOBAL = 1 << 3,  // in one outside of manual computations
};

// The context of the ops in an op's regions.
static uint8_t context_inside(const Partition *t, OpId op) {
  const OpRow *row = op_row(op_at(t->p, op)->code);
  if (row->traits & TRAIT_FUNCTION) return LOCAL;
  if (op_attr(t->p, op, "manual_axes")) return MANUAL;
  return row->def && row->def->flow != FLOW_NONE ? LOCAL : COPIED;
}

// Per op, the contexts around it in its function.
static uint8_t *find_around(const Partition *t, Arena *arena) {
  uint8_t *around = ARENA_ARRAY(arena, uint8_t, t->p->ops.count + 1);
  for (OpId o = t->p->root; o; o = op_walk_next(t->p, o, t->p->root)) {
    OpId parent = op_parent(t->p, o);
    if (parent && parent != t->p->root) around[o] = around[parent] | context_inside(t, parent);
  }
  return around;
}

bool walk_is_copied(const Partition *t, OpId op) { return t->around[op] & COPIED; }

// The contexts of a call, from those of the function that it stands in.
static uint8_t contexts_of_call(uint8_t around, uint8_t contexts) {
  bool manual = around & MANUAL, local = contexts & LOCAL;
  if (around & COPIED) return contexts & GLOBAL || (local && !manual) ? COPIED | GLOBAL : COPIED;
  return manual && local ? (uint8_t)((contexts & ~LOCAL) | MANUAL) : contexts;
}

static bool is_root(const Partition *t, OpId function) {
  InstanceId instance = graph_instance_of(t->graph, function);
  return instance && !t->graph->instances[instance].call;
}

// A symbol that the module does not have: NAME_copied, or NAME_copied_0 and so on. Names of two
// copies differ because the text before the last `_copied` is the name of the function.
static Name new_name(Partition *t, Name name) {
  const char *text = arena_printf(&t->scratch, "%s_copied", name_text(t->context, name));
  Name copy = name_of(t->context, text);
  for (uint32_t i = 0; symbols_find(&t->functions, copy); i++)
    copy = name_of(t->context, arena_printf(&t->scratch, "%s_%u", text, i));
  return copy;
}

static OpId callee_named(const Partition *t, OpId op, const char **out_attr) {
  *out_attr = op_callee_attr(t->p, op);
  return op_callee(t->p, &t->functions, op);
}

void walk_find_contexts(Partition *t) {
  uint32_t n = t->p->ops.count + 1;
  t->around = find_around(t, &t->arena);
  t->contexts = ARENA_ARRAY(&t->arena, uint8_t, n);
  t->copied_as = ARENA_ARRAY(&t->arena, Name, n);
  for (uint32_t i = 0; i < t->runs.count; i++) {
    OpId function = t->runs.order[i];
    if (is_root(t, function)) t->contexts[function] |= LOCAL;
    for (OpId o = function; o; o = op_walk_next(t->p, o, function))
      if (t->runs.callee[o])
        t->contexts[t->runs.callee[o]] |= contexts_of_call(t->around[o], t->contexts[function]);
  }
}

bool walk_is_local(const Partition *t, OpId function) {
  return (t->contexts[function] & LOCAL) && !t->inlined[function];
}

bool walk_has_copy(const Partition *t, OpId function) {
  return (t->contexts[function] & COPIED) && region_block(t->p, op_region(t->p, function, 0)) != 0;
}

static bool depends_on_device(uint16_t code) {
  return code == OP_partition_id || code == OP_replica_id ||
         (op_row(code)->traits & TRAIT_COLLECTIVE);
}

static bool is_scalar(const Partition *t, ValueId v) {
  const TypeInfo *type = type_info(t->context, value_type(t->p, v));
  return type->kind == TYPE_TENSOR && !type->rank;
}

// Is the local function equal to the global one? It is if no value can be sharded and no op depends
// on the device. same: per function, the answer for its callees. O(size).
static bool is_same(const Partition *t, OpId function, const bool *same) {
  for (OpId o = function; o; o = op_walk_next(t->p, o, function)) {
    const Op *op = op_at(t->p, o);
    OpId callee = t->runs.callee[o];
    uint16_t harmless = TRAIT_PURE | TRAIT_TERMINATOR | TRAIT_FUNCTION;
    if (depends_on_device(op->code)) return false;
    if (callee ? !same[callee] : !(op_row(op->code)->traits & harmless)) return false;
    for (uint32_t i = 0; i < op->n_results; i++)
      if (!is_scalar(t, op->results + i)) return false;
    for (uint32_t r = 0; r < op->n_regions; r++)
      for (BlockId b = region_at(t->p, op->regions + r)->first; b; b = block_at(t->p, b)->next)
        for (uint32_t i = 0; i < block_at(t->p, b)->n_args; i++)
          if (!is_scalar(t, block_arg(t->p, b, i))) return false;
  }
  return true;
}

void walk_name_copies(Partition *t) {
  bool *same = ARENA_ARRAY(&t->arena, bool, t->p->ops.count + 1);
  for (uint32_t i = t->runs.count; i-- > 0;) {  // callees first
    OpId function = t->runs.order[i];
    if (!walk_has_copy(t, function)) continue;
    same[function] = is_same(t, function, same);
    if (!walk_is_local(t, function)) continue;
    if (same[function]) t->contexts[function] = LOCAL;
    if (same[function]) continue;
    ArenaMark mark = arena_mark(&t->scratch);
    Name name = attr_as_name(t->context, op_attr(t->p, function, "sym_name"));
    t->copied_as[function] = new_name(t, name);
    arena_rewind(&t->scratch, mark);
  }
}

Status *walk_clean_copy(Partition *t, OpId root, bool global) {
  for (OpId o = op_walk_next(t->p, root, root), next; o; o = next) {
    next = op_walk_next(t->p, o, root);
    uint16_t code = op_at(t->p, o)->code;
    if (global && depends_on_device(code))
      return walk_unimplemented(t, o, "is in a reducer outside of manual computations");
    if (op_attr(t->p, o, "sdy.sharding")) op_set_attr(t->p, o, "sdy.sharding", 0);
    const char *attr;
    OpId callee = callee_named(t, o, &attr);
    if (callee && t->copied_as[callee])
      op_set_attr(t->p, o, attr, attr_symbol(t->context, t->copied_as[callee]));
    if (!walk_only_annotates(code)) continue;
    if (op_at(t->p, o)->n_results)
      value_replace_uses(t->p, op_result(t->p, o, 0), op_operand(t->p, o, 0));
    op_erase(t->p, o);
  }
  return NULL;
}

Status *walk_keep_copies(Partition *t) {
  for (uint32_t i = 0; i < t->runs.count; i++) {
    OpId function = t->runs.order[i];
    if (walk_has_copy(t, function))
      TRY(walk_clean_copy(t, function, t->contexts[function] & GLOBAL));
  }
  // Only now: calls are found by the old names.
  for (uint32_t i = 0; i < t->runs.count; i++) {
    OpId function = t->runs.order[i];
    Name name = t->copied_as[function];
    if (!name) continue;
    op_set_attr(t->p, function, "sym_name", attr_string(t->context, name));
    Name hidden = name_of(t->context, "private");
    op_set_attr(t->p, function, "sym_visibility", attr_string(t->context, hidden));
  }
  return NULL;
}
