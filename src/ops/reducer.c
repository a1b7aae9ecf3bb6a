// Bodies of reductions.
//
// Problem: a reduction applies its body once per element; running it as a region costs a frame and
// a literal per value each time.
//
// Idea: a body that is a straight line of elementwise ops on scalars is compiled once per op into
// steps over slots (arguments, constants, results). Each application then costs one function call
// per step. Other bodies (calls, control flow, quantized types, values from outside) run as
// regions. Compilation is O(ops * values), and bodies have few ops.
#include "ops/eval.h"
#include "ops/pointwise.h"

enum { MAX_SLOTS = 256 };

// One elementwise op: slots of its operands and of its result.
typedef struct Step {
  PointwiseCall call;
  uint16_t in[POINTWISE_ARITY], out;
} Step;

typedef struct ReducerPlan {
  uint32_t n_steps, n_slots, n_results;
  Step *steps;
  Scalar *slots;      // arguments first
  uint16_t *results;  // slots the body returns
  ValueId *values;    // slot → value
} ReducerPlan;

// The slot of a value, or MAX_SLOTS.
static uint16_t plan_slot(const ReducerPlan *plan, ValueId value) {
  for (uint32_t s = 0; s < plan->n_slots; s++)
    if (plan->values[s] == value) return (uint16_t)s;
  return MAX_SLOTS;
}

// The element type if the value is an unquantized scalar, else DT_none_.
static DType scalar_dtype(const Program *p, ValueId value) {
  const TypeInfo *info = type_info(p->context, value_type(p, value));
  if (info->kind != TYPE_TENSOR || info->rank || type_is_quant(p->context, info->elem))
    return DT_none_;
  return type_dtype(p->context, info->elem);
}

// Gives a value the next slot; false if it is no unquantized scalar or slots are exhausted.
static bool plan_define(ReducerPlan *plan, const Program *p, ValueId value, uint16_t *out_slot) {
  if (plan->n_slots == MAX_SLOTS || !scalar_dtype(p, value)) return false;
  *out_slot = (uint16_t)plan->n_slots;
  plan->values[plan->n_slots++] = value;
  return true;
}

static bool plan_constant(ReducerPlan *plan, const Program *p, OpId op) {
  const AttrInfo *dense = attr_info(p->context, op_attr(p, op, "value"));
  ValueId result = op_result(p, op, 0);
  uint16_t slot;
  if (dense->kind != ATTR_DENSE || !dense->bytes ||
      type_dtype(p->context, dense->type) != scalar_dtype(p, result) ||
      !plan_define(plan, p, result, &slot))
    return false;
  plan->slots[slot] = dtype_load(scalar_dtype(p, result), dense->data, 0);
  return true;
}

static bool plan_step(ReducerPlan *plan, const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  const OpDef *def = op_row(o->code)->def;
  if (!def || !def->lanes || o->n_results != 1 || o->n_operands > POINTWISE_ARITY) return false;
  Step *step = &plan->steps[plan->n_steps];
  step->call = (PointwiseCall){
      .code = o->code, .attrs = o->attrs, .context = p->context, .n_in = o->n_operands};
  for (uint32_t i = 0; i < o->n_operands; i++) {
    step->in[i] = plan_slot(plan, op_operand(p, op, i));
    if (step->in[i] == MAX_SLOTS) return false;
    step->call.in[i] = scalar_dtype(p, op_operand(p, op, i));
  }
  step->call.out = scalar_dtype(p, op_result(p, op, 0));
  if (!plan_define(plan, p, op_result(p, op, 0), &step->out)) return false;
  plan->n_steps++;
  return pointwise_prepare(&step->call);
}

static bool plan_return(ReducerPlan *plan, const Program *p, OpId op, Arena *arena) {
  plan->n_results = op_at(p, op)->n_operands;
  plan->results = ARENA_ARRAY(arena, uint16_t, plan->n_results + 1);
  for (uint32_t i = 0; i < plan->n_results; i++) {
    plan->results[i] = plan_slot(plan, op_operand(p, op, i));
    if (plan->results[i] == MAX_SLOTS) return false;
  }
  return true;
}

// NULL: the body cannot be compiled. Operands must have slots, so values from outside fail here.
static ReducerPlan *plan_new(const Program *p, RegionId region, Arena *arena) {
  BlockId block = region_block(p, region);
  if (!block || block_at(p, block)->next) return NULL;
  uint32_t n_ops = 0;
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next)
    if (++n_ops > MAX_SLOTS) return NULL;
  ReducerPlan *plan = ARENA_NEW(arena, ReducerPlan);
  plan->steps = ARENA_ARRAY(arena, Step, n_ops + 1);
  plan->slots = ARENA_ARRAY(arena, Scalar, MAX_SLOTS);
  plan->values = ARENA_ARRAY(arena, ValueId, MAX_SLOTS);
  uint16_t slot;
  for (uint32_t i = 0; i < block_at(p, block)->n_args; i++)
    if (!plan_define(plan, p, block_arg(p, block, i), &slot)) return NULL;
  for (OpId op = block_at(p, block)->first; op; op = op_at(p, op)->next) {
    uint16_t code = op_at(p, op)->code;
    if (op_row(code)->traits & TRAIT_TERMINATOR)
      return plan_return(plan, p, op, arena) ? plan : NULL;
    if (!(code == OP_constant ? plan_constant(plan, p, op) : plan_step(plan, p, op))) return NULL;
  }
  return NULL;
}

static void plan_run(const ReducerPlan *plan) {
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    const Step *step = &plan->steps[i];
    Scalar in[POINTWISE_ARITY];
    for (uint32_t k = 0; k < step->call.n_in; k++) in[k] = plan->slots[step->in[k]];
    pointwise_scalar(&step->call, in, &plan->slots[step->out]);
  }
}

void reducer_init(Reducer *r, EvalContext *cx, RegionId region, uint32_t n) {
  *r = (Reducer){
      .cx = cx, .region = region, .n = n, .plan = plan_new(cx->program, region, cx->scratch)};
}

// Runs the body as a region on n_args scalars; argument i has type elems[i % n_elems].
static Status *run_region(Reducer *r, uint32_t n_args, uint32_t n_elems, const Type *elems,
                          const Scalar *const *args, uint32_t n_out, Literal **out) {
  EvalContext *cx = r->cx;
  ArenaMark mark = arena_mark(cx->scratch);
  Literal **in = ARENA_ARRAY(cx->scratch, Literal *, n_args + 1);
  for (uint32_t i = 0; i < n_args; i++) {
    in[i] = literal_new(cx->heap, cx->context, elems[i % n_elems], 0, NULL);
    literal_set(in[i], 0, *args[i]);
  }
  Status *status = cx->host->run_region(cx, r->region, n_args, in, n_out, out);
  for (uint32_t i = 0; i < n_args; i++) literal_release(in[i]);
  arena_rewind(cx->scratch, mark);
  return status;
}

Status *reducer_apply(Reducer *r, const Type *elems, Scalar *acc, const Scalar *value) {
  if (r->plan) {
    for (uint32_t i = 0; i < r->n; i++) {
      r->plan->slots[i] = acc[i];
      r->plan->slots[r->n + i] = value[i];
    }
    plan_run(r->plan);
    for (uint32_t i = 0; i < r->n; i++) acc[i] = r->plan->slots[r->plan->results[i]];
    return NULL;
  }
  ArenaMark mark = arena_mark(r->cx->scratch);
  const Scalar **args = ARENA_ARRAY(r->cx->scratch, const Scalar *, 2 * r->n + 1);
  Literal **out = ARENA_ARRAY(r->cx->scratch, Literal *, r->n + 1);
  for (uint32_t i = 0; i < r->n; i++) {
    args[i] = &acc[i];
    args[r->n + i] = &value[i];
  }
  TRY(run_region(r, 2 * r->n, r->n, elems, args, r->n, out));
  for (uint32_t i = 0; i < r->n; i++) {
    acc[i] = literal_get(out[i], 0);
    literal_release(out[i]);
  }
  arena_rewind(r->cx->scratch, mark);
  return NULL;
}

void fold_init(Fold *fold, Reducer *reducer, const Type *elems, const Scalar *init) {
  Arena *arena = reducer->cx->scratch;
  *fold = (Fold){.reducer = reducer,
                 .elems = elems,
                 .init = init,
                 .per_run = fold_run(reducer->cx),
                 .run = ARENA_ARRAY(arena, Scalar, reducer->n),
                 .levels = ARENA_ARRAY(arena, Scalar, FOLD_LEVELS * reducer->n)};
}

static void copy_scalars(Scalar *to, const Scalar *from, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) to[i] = from[i];
}

// run = body(level, run); the level becomes free.
static Status *fold_take(Fold *fold, uint32_t level) {
  uint32_t n = fold->reducer->n;
  Scalar *older = fold->levels + level * n;
  TRY(reducer_apply(fold->reducer, fold->elems, older, fold->run));
  copy_scalars(fold->run, older, n);
  return NULL;
}

// A binary counter: the number of full runs in binary says which levels are occupied. A new run
// merges with levels 0, 1, … like a carry, so that older values stay on the left.
Status *fold_add(Fold *fold, const Scalar *value) {
  uint32_t n = fold->reducer->n;
  if (fold->count == 0) copy_scalars(fold->run, fold->init, n);
  if (fold->count % fold->per_run == 0 && fold->count > 0)
    copy_scalars(fold->run, value, n);
  else
    TRY(reducer_apply(fold->reducer, fold->elems, fold->run, value));
  if (++fold->count % fold->per_run) return NULL;
  uint64_t before = fold->count / fold->per_run - 1;
  uint32_t level = 0;
  for (; before >> level & 1; level++) TRY(fold_take(fold, level));
  copy_scalars(fold->levels + level * n, fold->run, n);
  return NULL;
}

// Merges the occupied levels from the smallest on; the last, incomplete run comes first.
Status *fold_end(Fold *fold, Scalar *out) {
  uint32_t n = fold->reducer->n;
  uint64_t runs = fold->count / fold->per_run;
  bool open = fold->count % fold->per_run != 0;
  copy_scalars(out, fold->init, n);
  for (uint32_t level = 0; runs >> level; level++) {
    if (!(runs >> level & 1)) continue;
    if (open)
      TRY(fold_take(fold, level));
    else
      copy_scalars(fold->run, fold->levels + level * n, n);
    open = true;
  }
  if (open) copy_scalars(out, fold->run, n);
  fold->count = 0;
  return NULL;
}

Status *reducer_call(Reducer *r, uint32_t n_args, const Type *elems, const Scalar *args,
                     uint32_t n_out, Scalar *out) {
  if (r->plan) {
    for (uint32_t i = 0; i < n_args; i++) r->plan->slots[i] = args[i];
    plan_run(r->plan);
    for (uint32_t i = 0; i < n_out; i++) out[i] = r->plan->slots[r->plan->results[i]];
    return NULL;
  }
  ArenaMark mark = arena_mark(r->cx->scratch);
  const Scalar **each = ARENA_ARRAY(r->cx->scratch, const Scalar *, n_args + 1);
  Literal **results = ARENA_ARRAY(r->cx->scratch, Literal *, n_out + 1);
  for (uint32_t i = 0; i < n_args; i++) each[i] = &args[i];
  TRY(run_region(r, n_args, n_args ? n_args : 1, elems, each, n_out, results));
  for (uint32_t i = 0; i < n_out; i++) {
    out[i] = literal_get(results[i], 0);
    literal_release(results[i]);
  }
  arena_rewind(r->cx->scratch, mark);
  return NULL;
}

Status *reducer_test(Reducer *r, uint32_t n_args, const Type *elems, const Scalar *args,
                     bool *out) {
  Scalar answer;
  TRY(reducer_call(r, n_args, elems, args, 1, &answer));
  *out = answer.i != 0;
  return NULL;
}
