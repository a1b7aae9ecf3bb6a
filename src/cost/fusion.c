// Problem: compilers do not store every value. A model that counts each elementwise op's operands
// and results in memory predicts several times the real traffic and memory.
//
// Idea: ops have levels. The level of an op is the greatest level of its operands; behind an op
// that ends a fusion (a contraction, a collective, a reduction) it is one more. Elementwise ops
// that use each other on one level are one fusion: nothing of them waits for a result of another op
// between them. A value is stored if a user is outside its fusion. Reshapes are their operand's
// buffer; broadcasts are read from theirs; splat constants, iota, a device's id and what follows
// from them cost nothing; a transpose that only contractions use is part of their addressing.
//
// Invariant: fusions are within one block. Cost: O(program · α).
#include "cost/fusion.h"

#include "ops/op.h"
#include "ops/work.h"

typedef struct Finder {
  const Program *p;
  Fusion *f;
  uint32_t *level;  // per op
  uint8_t *fusing;  // per op
} Finder;

double fusion_bytes(const Program *p, Type type) {
  int64_t count;
  bool known =
      type_info(p->context, type)->kind == TYPE_TENSOR && type_count(p->context, type, &count);
  return known ? (double)count * dtype_bytes(type_dtype(p->context, type)) : 0;
}

static uint32_t find_group(uint32_t *group, uint32_t op) {
  while (group[op] != op) op = group[op] = group[group[op]];
  return op;
}

static bool contractions_only(const Finder *x, ValueId v) {
  OperandId use = value_at(x->p, v)->first_use;
  for (OperandId o = use; o; o = operand_at(x->p, o)->next_use)
    if (!op_contracts(x->p, operand_at(x->p, o)->user)) return false;
  return use != 0;
}

static bool fusions_only(const Finder *x, ValueId v) {
  for (OperandId o = value_at(x->p, v)->first_use; o; o = operand_at(x->p, o)->next_use)
    if (op_fusing(x->p, operand_at(x->p, o)->user) == FUSING_NONE) return false;
  return true;
}

static bool is_splat(const Program *p, OpId op) {
  const AttrInfo *value = attr_info(p->context, op_attr(p, op, "value"));
  return op_at(p, op)->n_operands == 0 &&
         (value->kind != ATTR_DENSE || value->splat || value->bytes <= 64);
}

// Sets roots and constants of the op's results.
static void name_results(Finder *x, OpId op) {
  const Program *p = x->p;
  Fusion *f = x->f;
  const Op *o = op_at(p, op);
  bool constant = x->fusing[op] == FUSING_BOTH && (o->n_operands || is_splat(p, op));
  for (uint32_t i = 0; i < o->n_operands; i++)
    constant &= f->constant[f->root[op_operand(p, op, i)]];
  for (uint32_t i = 0; i < o->n_results; i++) {
    ValueId v = op_result(p, op, i);
    f->root[v] = v;
    f->constant[v] = constant;
    if (i >= o->n_operands || constant) continue;
    uint32_t traits = op_row(o->code)->traits;
    bool moves = x->fusing[op] == FUSING_BOTH && o->n_operands == 1 && traits & TRAIT_MOVES;
    if (op_keeps_buffer(p, op) || (moves && traits & TRAIT_EXPANDS && fusions_only(x, v)) ||
        (moves && traits & TRAIT_PASSES && contractions_only(x, v)))
      f->root[v] = f->root[op_operand(p, op, i)];
  }
}

// The op that makes a root in this block; 0 for arguments and values of other blocks.
static OpId maker(const Finder *x, ValueId root, BlockId block) {
  OpId op = value_def(x->p, root);
  return op && op_at(x->p, op)->block == block ? op : 0;
}

static void join(Finder *x, OpId op) {
  const Program *p = x->p;
  Fusion *f = x->f;
  const Op *o = op_at(p, op);
  uint32_t level = 0;
  for (uint32_t i = 0; i < o->n_operands; i++) {
    ValueId r = f->root[op_operand(p, op, i)];
    OpId from = f->constant[r] ? 0 : maker(x, r, o->block);
    if (!from) continue;
    uint32_t behind = x->level[from] + (x->fusing[from] != FUSING_BOTH);
    if (behind > level) level = behind;
  }
  x->level[op] = level;
  for (uint32_t i = 0; i < o->n_operands && x->fusing[op]; i++) {
    ValueId r = f->root[op_operand(p, op, i)];
    OpId from = f->constant[r] ? 0 : maker(x, r, o->block);
    if (from && x->fusing[from] == FUSING_BOTH && x->level[from] == level)
      f->group[find_group(f->group, from)] = find_group(f->group, op);
  }
}

void fusion_find(const Program *p, Arena *arena, Fusion *out) {
  uint32_t n_values = p->values.count + 1, n_ops = p->ops.count + 1;
  *out = (Fusion){.root = ARENA_ARRAY(arena, ValueId, n_values),
                  .stored = ARENA_ARRAY(arena, bool, n_values),
                  .constant = ARENA_ARRAY(arena, bool, n_values),
                  .group = ARENA_ARRAY(arena, uint32_t, n_ops)};
  Finder x = {.p = p,
              .f = out,
              .level = ARENA_ARRAY(arena, uint32_t, n_ops),
              .fusing = ARENA_ARRAY(arena, uint8_t, n_ops)};
  for (uint32_t v = 0; v < n_values; v++) out->root[v] = v;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    out->group[o] = o;
    x.fusing[o] = (uint8_t)op_fusing(p, o);
    name_results(&x, o);
    join(&x, o);
  }
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    out->group[o] = find_group(out->group, o);
    for (uint32_t i = 0; i < op_at(p, o)->n_operands && !op_keeps_buffer(p, o); i++) {
      ValueId r = out->root[op_operand(p, o, i)];
      OpId from = maker(&x, r, op_at(p, o)->block);
      bool fused = from && x.fusing[from] == FUSING_BOTH && x.fusing[o] &&
                   find_group(out->group, from) == out->group[o];
      if (!fused && !out->constant[r]) out->stored[r] = true;
    }
  }
}
