// Helpers of the infer columns: operand and result types, compatibility of types as StableHLO
// defines it, and messages. Each is linear in what it compares; message texts are built only on
// failure.
#include "ops/infer.h"

#include <stdio.h>

#include "base/vec.h"

bool infer_fail(Infer *cx, int constraint, const char *fmt, ...) {
  cx->failed = true;
  if (!cx->diag && !cx->why) return false;
  char message[INFER_WHY - 8];
  va_list args;
  va_start(args, fmt);
  vsnprintf(message, sizeof message, fmt, args);
  va_end(args);
  if (cx->why && constraint) snprintf(cx->why, INFER_WHY, "C%d: %s", constraint, message);
  if (cx->why && !constraint) snprintf(cx->why, INFER_WHY, "%s", message);
  if (!cx->diag) return false;
  Pos pos = op_at(cx->program, cx->op)->pos;
  const char *name = op_name(cx->program, cx->op);
  if (constraint) return diag_error(cx->diag, pos, "'%s' op C%d: %s", name, constraint, message);
  return diag_error(cx->diag, pos, "'%s' op %s", name, message);
}

uint32_t infer_n_operands(const Infer *cx) { return op_at(cx->program, cx->op)->n_operands; }

uint32_t infer_n_results(const Infer *cx) { return op_at(cx->program, cx->op)->n_results; }

Type infer_operand(const Infer *cx, uint32_t i) {
  return cx->operands ? cx->operands[i] : op_operand_type(cx->program, cx->op, i);
}

const TypeInfo *infer_operand_info(const Infer *cx, uint32_t i) {
  return type_info(cx->context, infer_operand(cx, i));
}

Type infer_result(const Infer *cx, uint32_t i) { return op_result_type(cx->program, cx->op, i); }

Attr infer_attr(const Infer *cx, const char *name) { return op_attr(cx->program, cx->op, name); }

Ints infer_ints(Infer *cx, const char *name) {
  return attr_as_ints(cx->context, infer_attr(cx, name));
}

int64_t infer_int(const Infer *cx, const char *name, int64_t otherwise) {
  return attr_as_int(cx->context, infer_attr(cx, name), otherwise);
}

bool infer_not_per_axis(Infer *cx, uint32_t i) {
  const QuantInfo *quant = type_quant_info(cx->context, infer_operand(cx, i));
  return !quant || quant->axis < 0 ||
         infer_fail(cx, 0, "operand %u must be a tensor or a per-tensor quantized tensor, got %s",
                    i, infer_text(cx, infer_operand(cx, i)));
}

bool infer_per_tensor(Infer *cx) {
  for (uint32_t i = 0; i < infer_n_operands(cx); i++)
    if (!infer_not_per_axis(cx, i)) return false;
  for (uint32_t i = 0; i < infer_n_results(cx); i++) {
    const QuantInfo *quant = type_quant_info(cx->context, infer_result(cx, i));
    REQUIRE(cx, 0, !quant || quant->axis < 0,
            "result %u must be a tensor or a per-tensor quantized tensor, got %s", i,
            infer_text(cx, infer_result(cx, i)));
  }
  return true;
}

bool infer_declared(Infer *cx) {
  for (uint32_t i = 0; i < infer_n_results(cx); i++) {
    cx->out[i] = infer_result(cx, i);
    if (!cx->out[i])
      return infer_fail(cx, 0,
                        "result %u has no declared type, and the operands do not determine it", i);
  }
  return true;
}

const char *infer_text(Infer *cx, Type type) { return type_text(cx->context, type); }

const char *infer_dims_text(Infer *cx, uint32_t n, const int64_t *dims) {
  enum { DIM_TEXT = 24, MOST = 64 };
  uint32_t shown = n < MOST ? n : MOST;
  size_t cap = (size_t)(shown + 2) * DIM_TEXT;
  char *text = arena_alloc(context_arena(cx->context), cap);
  size_t used = 0;
  text[used++] = '[';
  for (uint32_t i = 0; i < shown; i++) {
    const char *comma = i ? ", " : "";
    int wrote = dims[i] == DIM_DYNAMIC
                    ? snprintf(text + used, cap - used, "%s?", comma)
                    : snprintf(text + used, cap - used, "%s%lld", comma, (long long)dims[i]);
    used += (size_t)wrote;
  }
  snprintf(text + used, cap - used, shown < n ? ", ...]" : "]");
  return text;
}

// The maximum size of dimension d: its size, its bound, or DIM_DYNAMIC.
static int64_t dim_most(const Infer *cx, Type type, const TypeInfo *info, uint32_t d) {
  if (info->dims[d] != DIM_DYNAMIC || !info->encoding) return info->dims[d];
  return type_bound(cx->context, type, d);
}

bool infer_shapes_compatible(const Infer *cx, Type a, Type b) {
  if (a == b) return true;
  const TypeInfo *ia = type_info(cx->context, a), *ib = type_info(cx->context, b);
  if (ia->kind != TYPE_TENSOR || ib->kind != TYPE_TENSOR) return true;
  if (ia->rank != ib->rank) return false;
  for (uint32_t d = 0; d < ia->rank; d++) {
    int64_t da = ia->dims[d], db = ib->dims[d];
    if (!dim_compatible(da, db)) return false;
    if ((da == DIM_DYNAMIC) == (db == DIM_DYNAMIC)) continue;
    // A size against a bound: the size must fit.
    int64_t most = da == DIM_DYNAMIC ? dim_most(cx, a, ia, d) : dim_most(cx, b, ib, d);
    if (most != DIM_DYNAMIC && (da == DIM_DYNAMIC ? db : da) > most) return false;
  }
  return true;
}

// Quantized elements agree except for scales and zero points.
static bool elems_compatible(const Infer *cx, Type a, Type b) {
  if (a == b) return true;
  const TypeInfo *ia = type_info(cx->context, a), *ib = type_info(cx->context, b);
  if (ia->kind != TYPE_QUANT || ib->kind != TYPE_QUANT) return false;
  const QuantInfo *qa = ia->quant, *qb = ib->quant;
  return qa->storage == qb->storage && qa->expressed == qb->expressed && qa->min == qb->min &&
         qa->max == qb->max && qa->axis == qb->axis;
}

// With `exact`, quantized elements agree in everything.
static bool types_agree(const Infer *cx, Type a, Type b, bool exact) {
  if (a == b) return true;
  const TypeInfo *ia = type_info(cx->context, a), *ib = type_info(cx->context, b);
  bool ta = ia->kind == TYPE_TENSOR || ia->kind == TYPE_UNRANKED;
  bool tb = ib->kind == TYPE_TENSOR || ib->kind == TYPE_UNRANKED;
  if (ta && tb)
    return (exact ? ia->elem == ib->elem : elems_compatible(cx, ia->elem, ib->elem)) &&
           infer_shapes_compatible(cx, a, b);
  if (ia->kind != ib->kind) return false;
  switch (ia->kind) {
  case TYPE_TUPLE:
  case TYPE_FUTURE:
    if (ia->n_items != ib->n_items) return false;
    for (uint32_t i = 0; i < ia->n_items; i++)
      if (!types_agree(cx, ia->items[i], ib->items[i], exact)) return false;
    return true;
  case TYPE_QUANT: return !exact && elems_compatible(cx, a, b);
  default: return false;
  }
}

bool infer_types_compatible(const Infer *cx, Type a, Type b) {
  return types_agree(cx, a, b, false);
}

bool infer_types_same(const Infer *cx, Type a, Type b) { return types_agree(cx, a, b, true); }

int64_t dim_merge(int64_t a, int64_t b) { return a == DIM_DYNAMIC ? b : a; }

static BlockId region_entry(const Infer *cx, uint32_t region) {
  const Op *op = op_at(cx->program, cx->op);
  return region < op->n_regions ? region_block(cx->program, op->regions + region) : 0;
}

uint32_t infer_region_n_args(const Infer *cx, uint32_t region) {
  BlockId block = region_entry(cx, region);
  return block ? block_at(cx->program, block)->n_args : 0;
}

Type infer_region_arg(const Infer *cx, uint32_t region, uint32_t i) {
  return value_type(cx->program, block_arg(cx->program, region_entry(cx, region), i));
}

// The terminator of the region's last block, 0 if it has none.
static OpId region_terminator(const Infer *cx, uint32_t region) {
  if (!region_entry(cx, region)) return 0;
  const Region *r = region_at(cx->program, op_region(cx->program, cx->op, region));
  OpId last = block_at(cx->program, r->last)->last;
  return last && op_row(op_at(cx->program, last)->code)->traits & TRAIT_TERMINATOR ? last : 0;
}

uint32_t infer_region_n_returned(const Infer *cx, uint32_t region) {
  OpId last = region_terminator(cx, region);
  return last ? op_at(cx->program, last)->n_operands : 0;
}

Type infer_region_returned(const Infer *cx, uint32_t region, uint32_t i) {
  return op_operand_type(cx->program, region_terminator(cx, region), i);
}

bool op_infer_types(Program *p, OpId op, Diag *diag) {
  enum { FEW = 8 };
  Type few[FEW] = {0};
  Op *o = op_at(p, op);
  const OpDef *def = op_row(o->code)->def;
  Type *out =
      o->n_results <= FEW ? few : ARENA_ARRAY(context_arena(p->context), Type, o->n_results);
  Infer cx = {.program = p, .context = p->context, .op = op, .diag = diag, .out = out};
  if (!def || !def->infer) return infer_fail(&cx, 0, "has no rule for its result types");
  if (!def->infer(&cx)) return false;
  for (uint32_t i = 0; i < op_at(p, op)->n_results; i++)
    value_at(p, op_result(p, op, i))->type = out[i];
  return true;
}
