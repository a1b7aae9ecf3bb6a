// Problem: comparators and reducers that no named loop computes must not need the evaluator's lock.
// Idea: as ops/reducer.c does, each elementwise op becomes a prepared call from slots to a slot.
// The slots are the worker's own, so any number of workers run one body.
// Cost: one function call per op and application.
#include "execute/kernels/body.h"

#include <string.h>

#include "ops/op.h"
#include "ops/pointwise.h"

typedef struct BodyStep {
  PointwiseCall call;
  uint16_t in[POINTWISE_ARITY], out;
} BodyStep;

struct Body {
  uint32_t n_slots, n_steps, n_results;
  BodyStep steps[BODY_SLOTS];
  Scalar constants[BODY_SLOTS];  // by slot; others: 0
  ValueId values[BODY_SLOTS];    // by slot
  uint16_t results[BODY_SLOTS];
};

static DType scalar_dtype(const Program *p, ValueId v) {
  const TypeInfo *info = type_info(p->context, value_type(p, v));
  if (info->kind != TYPE_TENSOR || info->rank || type_is_quant(p->context, info->elem))
    return DT_none_;
  return type_dtype(p->context, info->elem);
}

static bool find_slot(const Body *b, ValueId v, uint16_t *out) {
  for (uint32_t s = 0; s < b->n_slots; s++)
    if (b->values[s] == v) return *out = (uint16_t)s, true;
  return false;
}

static bool define(Body *b, const Program *p, ValueId v, uint16_t *out) {
  if (b->n_slots == BODY_SLOTS || scalar_dtype(p, v) == DT_none_) return false;
  b->values[b->n_slots] = v;
  *out = (uint16_t)b->n_slots++;
  return true;
}

static bool add_constant(Body *b, const Program *p, OpId op) {
  const AttrInfo *dense = attr_info(p->context, op_attr(p, op, "value"));
  ValueId v = op_result(p, op, 0);
  uint16_t slot;
  if (dense->kind != ATTR_DENSE || !dense->bytes ||
      type_dtype(p->context, dense->type) != scalar_dtype(p, v) || !define(b, p, v, &slot))
    return false;
  b->constants[slot] = dtype_load(scalar_dtype(p, v), dense->data, 0);
  return true;
}

static bool add_step(Body *b, const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  const OpDef *def = op_row(o->code)->def;
  if (!def || !def->lanes || o->n_results != 1 || o->n_operands > POINTWISE_ARITY) return false;
  BodyStep *step = &b->steps[b->n_steps];
  step->call = (PointwiseCall){
      .code = o->code, .attrs = o->attrs, .context = p->context, .n_in = o->n_operands};
  for (uint32_t i = 0; i < o->n_operands; i++) {
    if (!find_slot(b, op_operand(p, op, i), &step->in[i])) return false;
    step->call.in[i] = scalar_dtype(p, op_operand(p, op, i));
  }
  step->call.out = scalar_dtype(p, op_result(p, op, 0));
  if (!define(b, p, op_result(p, op, 0), &step->out)) return false;
  b->n_steps++;
  return pointwise_prepare(&step->call);
}

static bool end_body(Body *b, const Program *p, OpId op) {
  b->n_results = op_at(p, op)->n_operands;
  if (b->n_results > BODY_SLOTS) return false;
  for (uint32_t i = 0; i < b->n_results; i++)
    if (!find_slot(b, op_operand(p, op, i), &b->results[i])) return false;
  return true;
}

const Body *body_new(const KernelRequest *r, RegionId region) {
  const Program *p = r->program;
  BlockId block = region_block(p, region);
  if (!block || block_at(p, block)->next) return NULL;
  Body *b = ARENA_NEW(r->arena, Body);
  uint16_t slot;
  for (uint32_t i = 0; i < block_at(p, block)->n_args; i++)
    if (!define(b, p, block_arg(p, block, i), &slot)) return NULL;
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    const Op *o = op_at(p, op);
    if (op_row(o->code)->traits & TRAIT_TERMINATOR) return end_body(b, p, op) ? b : NULL;
    bool constant =
        o->n_operands == 0 && o->n_results == 1 && (op_row(o->code)->traits & TRAIT_CONSTANT) != 0;
    if (!(constant ? add_constant(b, p, op) : add_step(b, p, op))) return NULL;
  }
  return NULL;
}

void body_begin(const Body *b, Scalar *slots) { memcpy(slots, b->constants, sizeof b->constants); }

void body_run(const Body *b, Scalar *slots) {
  for (uint32_t i = 0; i < b->n_steps; i++) {
    const BodyStep *step = &b->steps[i];
    Scalar in[POINTWISE_ARITY];
    for (uint32_t k = 0; k < step->call.n_in; k++) in[k] = slots[step->in[k]];
    pointwise_scalar(&step->call, in, &slots[step->out]);
  }
}

uint32_t body_n_results(const Body *b) { return b->n_results; }
Scalar body_result(const Body *b, const Scalar *slots, uint32_t i) { return slots[b->results[i]]; }
