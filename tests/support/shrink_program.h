// For tests: makes a failing program smaller. A step is one edit of a freshly read program; whoever
// asks keeps it if the program still fails.
//
//   an op becomes constants · an op becomes one of its operands · a result of main goes · an
//   annotation says nothing · an axis of the mesh goes · a call becomes what it calls
#ifndef TESSERA_TESTS_SUPPORT_SHRINK_PROGRAM_H
#define TESSERA_TESTS_SUPPORT_SHRINK_PROGRAM_H

#include "ops/op.h"
#include "annotate/annotation.h"

typedef enum ShrinkKind {
  SHRINK_RESULT,
  SHRINK_CONSTANT,
  SHRINK_OPERAND,
  SHRINK_INLINE,
  SHRINK_ANNOTATION,
  SHRINK_AXIS,
  SHRINK_KINDS
} ShrinkKind;

static inline bool shrink_is_inside(const Program *p, OpId op) {
  for (OpId o = op_parent(p, op); o; o = op_parent(p, o))
    if (op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION) {
      // Bodies of reductions stay as they are.
      for (OpId in = op_parent(p, op); in != o; in = op_parent(p, in)) {
        const OpDef *def = op_row(op_at(p, in)->code)->def;
        if (!def || !def->flow) return false;
      }
      return true;
    }
  return false;
}

// The index-th op with results that stands where values may be replaced, from the last.
static inline OpId shrink_op(const Program *p, uint32_t index) {
  uint32_t n = 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    n += op_at(p, o)->n_results && shrink_is_inside(p, o);
  if (index >= n) return 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->n_results && shrink_is_inside(p, o) && --n == index) return o;
  return 0;
}

static inline void shrink_drop_unused(Program *p, BlockId block) {
  for (OpId o = block_at(p, block)->last, prev; o; o = prev) {
    prev = op_at(p, o)->prev;
    bool used = !op_at(p, o)->n_results;
    for (uint32_t i = 0; i < op_at(p, o)->n_results; i++)
      used |= value_has_uses(p, op_result(p, o, i));
    if (!used) {
      op_erase(p, o);
      continue;
    }
    const OpDef *def = op_row(op_at(p, o)->code)->def;
    for (uint32_t r = 0; def && def->flow && r < op_at(p, o)->n_regions; r++) {
      BlockId inner = region_block(p, op_region(p, o, r));
      if (inner) shrink_drop_unused(p, inner);
    }
  }
}

static inline bool shrink_is_called(const Program *p, Name name) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    Attr callee = op_attr(p, o, "callee");
    if (callee && attr_as_name(p->context, callee) == name) return true;
  }
  return false;
}

static inline void shrink_clean(Program *p) {
  BlockId top = region_block(p, op_region(p, p->root, 0));
  for (OpId o = block_at(p, top)->first, next; o; o = next) {
    next = op_at(p, o)->next;
    if (!(op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION)) continue;
    Name name = attr_as_name(p->context, op_attr(p, o, "sym_name"));
    if (name != name_of(p->context, "main") && !shrink_is_called(p, name)) {
      op_erase(p, o);
      continue;
    }
    BlockId body = region_block(p, op_region(p, o, 0));
    if (body) shrink_drop_unused(p, body);
  }
}

static inline OpId shrink_function(const Program *p, Name name) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if ((op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION) &&
        attr_as_name(p->context, op_attr(p, o, "sym_name")) == name)
      return o;
  return 0;
}

// Small numbers, different ones.
static inline bool shrink_constant(Program *p, Arena *arena, OpId op, Type type, ValueId *out) {
  int64_t count;
  if (!type_is_tensor(p->context, type) || !type_count(p->context, type, &count)) return false;
  if (type_is_quant(p->context, type)) return false;
  DType dtype = type_dtype(p->context, type);
  size_t bytes = (size_t)count * (size_t)dtype_bytes(dtype);
  uint8_t *data = arena_calloc(arena, bytes + 1, 1);
  for (int64_t i = 0; i < count; i++)
    dtype_store(dtype, data, i, dtype_convert(DT_i64, dtype, scalar_i(i * 5 % 7 - (count > 1))));
  NamedAttr value = {name_of(p->context, "value"), attr_dense(p->context, type, data, bytes)};
  OpSpec spec = {.code = OP_constant,
                 .n_results = 1,
                 .result_types = &type,
                 .attrs = attr_dict(p->context, 1, &value),
                 .pos = POS_NONE};
  OpId constant = op_create(p, &spec);
  op_insert_before(p, constant, op);
  *out = op_result(p, constant, 0);
  return true;
}

static inline bool shrink_to_constants(Program *p, Arena *arena, uint32_t index) {
  OpId op = shrink_op(p, index);
  if (!op || op_at(p, op)->code == OP_constant) return op != 0;
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++) {
    ValueId v;
    if (shrink_constant(p, arena, op, op_result_type(p, op, i), &v))
      value_replace_uses(p, op_result(p, op, i), v);
  }
  return true;
}

static inline bool shrink_to_operands(Program *p, uint32_t index) {
  OpId op = shrink_op(p, index);
  for (uint32_t i = 0; op && i < op_at(p, op)->n_results; i++)
    for (uint32_t k = 0; k < op_at(p, op)->n_operands; k++)
      if (op_operand_type(p, op, k) == op_result_type(p, op, i)) {
        value_replace_uses(p, op_result(p, op, i), op_operand(p, op, k));
        break;
      }
  return op != 0;
}

static inline bool shrink_inline(Program *p, uint32_t index) {
  OpId op = shrink_op(p, index);
  Attr callee = op ? op_attr(p, op, "callee") : 0;
  OpId function = callee ? shrink_function(p, attr_as_name(p->context, callee)) : 0;
  if (function) program_inline(p, op, function);
  return op != 0;
}

// An array attribute without its k-th item.
static inline Attr shrink_without(Program *p, Arena *arena, Attr array, uint32_t k) {
  const AttrInfo *info = attr_info(p->context, array);
  Attr *items = ARENA_ARRAY(arena, Attr, info->count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < info->count; i++)
    if (i != k) items[n++] = info->items[i];
  return n ? attr_array(p->context, n, items) : 0;
}

static inline bool shrink_result(Program *p, Arena *arena, uint32_t index) {
  OpId function = shrink_function(p, name_of(p->context, "main"));
  BlockId body = region_block(p, op_region(p, function, 0));
  OpId end = block_at(p, body)->last;
  uint32_t n = op_at(p, end)->n_operands, n_args = block_at(p, body)->n_args, kept = 0;
  if (index >= n || n == 1) return false;
  ValueId *values = ARENA_ARRAY(arena, ValueId, n);
  Type *types = ARENA_ARRAY(arena, Type, n + n_args);
  for (uint32_t i = 0; i < n_args; i++) types[i] = value_type(p, block_arg(p, body, i));
  for (uint32_t i = 0; i < n; i++)
    if (i != index)
      values[kept] = op_operand(p, end, i), types[n_args + kept++] = op_operand_type(p, end, i);
  op_erase(p, end);
  OpSpec spec = {.code = OP_func_return, .n_operands = kept, .operands = values, .pos = POS_NONE};
  op_append(p, body, op_create(p, &spec));
  op_set_attr(
      p, function, "function_type",
      attr_type(p->context, type_function(p->context, n_args, types, kept, types + n_args)));
  Attr dicts = op_attr(p, function, "res_attrs");
  if (dicts) op_set_attr(p, function, "res_attrs", shrink_without(p, arena, dicts, index));
  return true;
}

typedef struct ShrinkAxes {
  Program *p;
  Arena *arena;
  uint32_t at, index;  // the annotation at hand, the one to empty
  Name axis;           // the one to drop; 0 = none
  Attr mesh;           // of any annotation
} ShrinkAxes;

static inline bool shrink_keep_none(void *user, Name name, Attr axis) {
  (void)user, (void)name, (void)axis;
  return false;
}

static inline Attr shrink_emptied(void *user, Attr sharding) {
  ShrinkAxes *x = user;
  if (x->at++ != x->index) return sharding;
  return annotation_filter(x->p->context, sharding, shrink_keep_none, NULL);
}

static inline bool shrink_annotation(Program *p, Arena *arena, uint32_t index) {
  ShrinkAxes x = {.p = p, .arena = arena, .index = index};
  annotation_map_all(p, shrink_emptied, &x);
  return index < x.at;
}

static inline bool shrink_keep_others(void *user, Name name, Attr axis) {
  (void)axis;
  return name != ((ShrinkAxes *)user)->axis;
}

// The mesh without its index-th axis and in order.
static inline Attr shrink_axisless(void *user, Attr sharding) {
  ShrinkAxes *x = user;
  Context *c = x->p->context;
  Attr mesh = attr_get(c, sharding, "mesh"), axes = attr_get(c, mesh, "axes");
  const AttrInfo *info = attr_info(c, axes);
  if (x->index >= info->count || info->count < 2) return sharding;
  x->at = 1;
  x->axis = attr_as_name(c, attr_get(c, info->items[x->index], "name"));
  sharding = annotation_filter(c, sharding, shrink_keep_others, x);
  NamedAttr field = {name_of(c, "axes"), shrink_without(x->p, x->arena, axes, x->index)};
  return annotation_with_mesh(c, sharding, attr_struct(c, "sdy.mesh", 1, &field));
}

static inline bool shrink_axis(Program *p, Arena *arena, uint32_t index) {
  ShrinkAxes x = {.p = p, .arena = arena, .index = index};
  annotation_map_all(p, shrink_axisless, &x);
  return x.at != 0;
}

static inline Attr shrink_closed(void *user, Attr sharding) {
  ShrinkAxes *x = user;
  x->mesh = attr_get(x->p->context, sharding, "mesh");
  return annotation_closed(x->p->context, sharding);
}

static inline Attr shrink_replicated(Program *p, Attr mesh, Type type) {
  if (!type_is_tensor(p->context, type) || !type_is_static(p->context, type)) return 0;
  uint32_t rank = type_info(p->context, type)->rank;
  return annotation_closed(p->context, annotation_open(p->context, mesh, rank));
}

// Says everywhere what is so anyway: what has no annotation is replicated, and nothing is open. So
// propagation has nothing to add. False if there is no annotation at all.
static inline bool shrink_close(Program *p) {
  ShrinkAxes x = {.p = p};
  annotation_map_all(p, shrink_closed, &x);
  if (!x.mesh) return false;
  for (OpId o = op_walk_next(p, p->root, p->root); o; o = op_walk_next(p, o, p->root)) {
    const OpRow *row = op_row(op_at(p, o)->code);
    if (row->traits & TRAIT_FUNCTION) {
      BlockId body = region_block(p, op_region(p, o, 0));
      for (uint32_t i = 0; i < block_at(p, body)->n_args; i++) {
        ValueId v = block_arg(p, body, i);
        Attr whole = shrink_replicated(p, x.mesh, value_type(p, v));
        if (whole && !annotation_get(p, v)) annotation_set(p, v, whole);
      }
      OpId end = block_at(p, body)->last;
      for (uint32_t i = 0; i < op_at(p, end)->n_operands; i++) {
        Attr whole = shrink_replicated(p, x.mesh, op_operand_type(p, end, i));
        if (whole && !annotation_get_result(p, o, i)) annotation_set_result(p, o, i, whole);
      }
    }
    if (!shrink_is_inside(p, o) || (row->traits & TRAIT_CALL)) continue;
    for (uint32_t i = 0; i < op_at(p, o)->n_results; i++) {
      ValueId v = op_result(p, o, i);
      Attr whole = shrink_replicated(p, x.mesh, value_type(p, v));
      if (whole && annotation_possible(p, v) && !annotation_get(p, v)) annotation_set(p, v, whole);
    }
  }
  annotation_map_all(p, shrink_closed, &x);
  return true;
}

// The index-th edit of a kind; false if there are not so many. Scratch goes to the arena.
static inline bool shrink_step(Program *p, Arena *arena, ShrinkKind kind, uint32_t index) {
  bool there = false;
  switch (kind) {
  case SHRINK_RESULT: there = shrink_result(p, arena, index); break;
  case SHRINK_CONSTANT: there = shrink_to_constants(p, arena, index); break;
  case SHRINK_OPERAND: there = shrink_to_operands(p, index); break;
  case SHRINK_INLINE: there = shrink_inline(p, index); break;
  case SHRINK_ANNOTATION: there = shrink_annotation(p, arena, index); break;
  case SHRINK_AXIS: there = shrink_axis(p, arena, index); break;
  case SHRINK_KINDS: break;
  }
  if (there) shrink_clean(p);
  return there;
}

#endif
