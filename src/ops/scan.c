// chlo.scan: runs a body over the slices of the inputs along one dimension, carrying values from
// iteration to iteration. The body takes one slice of every input (without the scan dimension),
// then the carries, and returns one slice of every output, then the carries. Results: the outputs
// stacked along the dimension, then the last carries. O(iterations * body).
#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/localize.h"
#include "ops/sample.h"

static Type without_dim(Context *context, const TypeInfo *type, int64_t dim) {
  int64_t dims[MAX_RANK];
  uint32_t n = 0;
  for (uint32_t d = 0; d < type->rank; d++)
    if (d != dim) dims[n++] = type->dims[d];
  return type_tensor(context, type->elem, n, dims, 0);
}

// Inputs come before inits: an input has one more dimension than the body's argument for it.
static uint32_t count_inputs(const Program *p, OpId op) {
  BlockId block = region_block(p, op_region(p, op, 0));
  uint32_t n = 0;
  for (; block && n < op_at(p, op)->n_operands && n < block_at(p, block)->n_args; n++)
    if (type_info(p->context, op_operand_type(p, op, n))->rank !=
        type_info(p->context, value_type(p, block_arg(p, block, n)))->rank + 1)
      break;
  return n;
}

static bool check_segments(Infer *cx, const char *name, uint32_t first, uint32_t second) {
  Ints sizes = infer_ints(cx, name);
  REQUIRE(cx, 0, sizes.ok && sizes.n == 2 && sizes.v[0] == first && sizes.v[1] == second,
          "%s is %s, expected [%u, %u]", name, infer_dims_text(cx, sizes.ok ? sizes.n : 0, sizes.v),
          first, second);
  return true;
}

static bool infer(Infer *cx) {
  if (!infer_ranked(cx)) return false;
  uint32_t operands = infer_n_operands(cx), results = infer_n_results(cx),
           inputs = count_inputs(cx->program, cx->op);
  uint32_t carries = operands - inputs;
  int64_t dim = infer_int(cx, "dimension", 0), steps = DIM_DYNAMIC;
  REQUIRE(cx, 0, inputs > 0, "there are no inputs to scan, expected at least one");
  REQUIRE(cx, 0, infer_region_n_args(cx, 0) == operands, "the body takes %u arguments, expected %u",
          infer_region_n_args(cx, 0), operands);
  REQUIRE(cx, 0, infer_region_n_returned(cx, 0) == results && results >= carries,
          "the body returns %u values, expected %u, among them %u carries",
          infer_region_n_returned(cx, 0), results, carries);
  if (!check_segments(cx, "operandSegmentSizes", inputs, carries) ||
      !check_segments(cx, "resultSegmentSizes", results - carries, carries))
    return false;
  for (uint32_t i = 0; i < operands; i++) {
    const TypeInfo *info = infer_operand_info(cx, i);
    Type slice = infer_operand(cx, i);
    if (i < inputs) {
      REQUIRE(cx, 0, dim >= 0 && dim < info->rank,
              "dimension is %lld, expected it in [0, %u), a dimension of input %u", (long long)dim,
              info->rank, i);
      REQUIRE(cx, 0, dim_compatible(steps, info->dims[dim]),
              "input %u has size %lld along dimension %lld, expected %lld as in the other inputs",
              i, (long long)info->dims[dim], (long long)dim, (long long)steps);
      steps = dim_merge(steps, info->dims[dim]);
      slice = without_dim(cx->context, info, dim);
    }
    REQUIRE(cx, 0, infer_types_compatible(cx, slice, infer_region_arg(cx, 0, i)),
            "argument %u of the body has type %s, expected %s", i,
            infer_text(cx, infer_region_arg(cx, 0, i)), infer_text(cx, slice));
  }
  for (uint32_t i = 0; i < results; i++) {
    Type returned = infer_region_returned(cx, 0, i);
    const TypeInfo *info = type_info(cx->context, returned);
    if (i >= results - carries) {
      Type init = infer_operand(cx, inputs + i - (results - carries));
      REQUIRE(cx, 0, infer_types_compatible(cx, returned, init),
              "the body returns a carry of type %s, expected %s", infer_text(cx, returned),
              infer_text(cx, init));
      cx->out[i] = init;
      continue;
    }
    REQUIRE(cx, 0, info->kind == TYPE_TENSOR && dim <= info->rank && info->rank < MAX_RANK,
            "the body returns %s, which cannot be stacked along dimension %lld",
            infer_text(cx, returned), (long long)dim);
    int64_t dims[MAX_RANK];
    for (uint32_t d = 0, k = 0; d <= info->rank; d++) dims[d] = d == dim ? steps : info->dims[k++];
    cx->out[i] = type_tensor(cx->context, info->elem, info->rank + 1, dims, 0);
  }
  return true;
}

// Copies slice `at` along dim between a stacked literal and one without that dimension.
static void copy_slice(Literal *stacked, Literal *slice, int64_t dim, int64_t at, bool out) {
  int64_t outer = 1, inner = 1, size = stacked->dims[dim];
  if (!stacked->count) return;
  for (uint32_t d = 0; d < stacked->rank; d++) {
    if (d < dim) outer *= stacked->dims[d];
    if (d > dim) inner *= stacked->dims[d];
  }
  for (int64_t o = 0; o < outer; o++) {
    int64_t far = (o * size + at) * inner, near = o * inner;
    if (out)
      literal_copy_elements(stacked, far, slice, near, inner);
    else
      literal_copy_elements(slice, near, stacked, far, inner);
  }
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  const Program *p = cx->program;
  uint32_t operands = op_at(p, cx->op)->n_operands, results = op_at(p, cx->op)->n_results;
  uint32_t inputs = count_inputs(p, cx->op), carries = operands - inputs,
           outputs = results - carries;
  int64_t dim = eval_int(cx, "dimension", 0), steps = in[0]->dims[dim];
  bool reverse = eval_bool(cx, "is_reverse", false);
  Literal **args = ARENA_ARRAY(cx->scratch, Literal *, operands + 1);
  Literal **given = ARENA_ARRAY(cx->scratch, Literal *, results + 1);
  for (uint32_t i = 0; i < outputs; i++) out[i] = NULL;
  for (uint32_t i = 0; i < carries; i++) out[outputs + i] = literal_retain(in[inputs + i]);
  for (int64_t s = 0; s < steps; s++) {
    int64_t at = reverse ? steps - 1 - s : s;
    for (uint32_t i = 0; i < inputs; i++) {
      int64_t dims[MAX_RANK];
      uint32_t n = 0;
      for (uint32_t d = 0; d < in[i]->rank; d++)
        if (d != dim) dims[n++] = in[i]->dims[d];
      args[i] = literal_new(cx->heap, cx->context, in[i]->elem, n, dims);
      copy_slice(in[i], args[i], dim, at, false);
    }
    for (uint32_t i = 0; i < carries; i++) args[inputs + i] = out[outputs + i];
    TRY(cx->host->run_region(cx, op_region(p, cx->op, 0), operands, args, results, given));
    for (uint32_t i = 0; i < operands; i++) literal_release(args[i]);
    for (uint32_t i = 0; i < carries; i++) out[outputs + i] = given[outputs + i];
    for (uint32_t i = 0; i < outputs; i++) {
      if (!out[i]) {
        int64_t dims[MAX_RANK];
        for (uint32_t d = 0, k = 0; d <= given[i]->rank; d++)
          dims[d] = d == dim ? steps : given[i]->dims[k++];
        out[i] = literal_new(cx->heap, cx->context, given[i]->elem, given[i]->rank + 1, dims);
      }
      copy_slice(out[i], given[i], dim, at, true);
      literal_release(given[i]);
    }
  }
  for (uint32_t i = 0; i < outputs; i++)
    if (!out[i]) out[i] = eval_new_result(cx, i);  // no iterations
  return NULL;
}

// array<i32: 1, 1>
static Attr segments(Context *context) {
  const int32_t ones[2] = {1, 1};
  return attr_intern(context, &(AttrInfo){.kind = ATTR_DENSE_ARRAY,
                                          .type = DT_i32,
                                          .count = 2,
                                          .data = ones,
                                          .bytes = sizeof ones});
}

static OpId sample(Sample *cx) {
  Context *c = cx->context;
  Program *p = cx->program;
  int64_t dims[2] = {sample_int(cx, 1, 4), sample_int(cx, 1, 4)}, dim = sample_int(cx, 0, 1);
  Type elem = type_scalar(sample_dtype(cx, "suf"));
  Type stacked = type_tensor(c, elem, 2, dims, 0),
       slice = without_dim(c, type_info(c, stacked), dim);
  ValueId operands[2] = {sample_value(cx, stacked), sample_value(cx, slice)};
  NamedAttr fields[] = {
      {name_of(c, "dimension"), attr_i64(c, dim)},
      {name_of(c, "operandSegmentSizes"), segments(c)},
      {name_of(c, "resultSegmentSizes"), segments(c)},
      {name_of(c, "is_reverse"), attr_bool(c, true)},
  };
  uint32_t n = sample_chance(cx, 50) ? 4 : 3;
  OpId op = sample_op(cx, OP_chlo_scan, attr_dict(c, n, fields), 2, operands, 2, NULL, 1);
  BlockId outer = cx->block, body = region_add_block(p, op_region(p, op, 0));
  block_add_arg(p, body, slice, 0);
  block_add_arg(p, body, slice, 0);
  ValueId args[2] = {block_arg(p, body, 0), block_arg(p, body, 1)};
  cx->block = body;
  OpId sum = sample_op(cx, OP_add, 0, 2, args, 1, NULL, 0);
  ValueId both[2] = {op_result(p, sum, 0), op_result(p, sum, 0)};
  sample_op(cx, OP_return, 0, 2, both, 0, NULL, 0);
  cx->block = outer;
  sample_infer(cx, op);
  return op;
}

// Is the body elementwise on tensors of one shape? Then it can run on slices of them.
static bool body_is_elementwise(const Program *p, OpId op) {
  BlockId block = region_block(p, op_region(p, op, 0));
  Type like = 0;
  for (uint32_t i = 0; i < block_at(p, block)->n_args; i++) {
    Type type = value_type(p, block_arg(p, block, i));
    const TypeInfo *a = type_info(p->context, type), *b = type_info(p->context, like);
    bool same = !like || a->rank == b->rank;
    for (uint32_t d = 0; like && same && d < a->rank; d++) same = a->dims[d] == b->dims[d];
    if (!same) return false;
    like = type;
  }
  for (OpId o = block_at(p, block)->first; o; o = op_at(p, o)->next) {
    if (!(op_row(op_at(p, o)->code)->traits & (TRAIT_ELEMENTWISE | TRAIT_TERMINATOR))) return false;
    for (uint32_t i = 0; i < op_at(p, o)->n_operands; i++) {
      ValueId v = op_operand(p, o, i);
      OpId def = value_def(p, v);
      bool here = def ? op_at(p, def)->block == block : value_owner(p, v) == op;
      if (!here) return false;  // a value from outside is replicated
    }
  }
  return true;
}

static bool factors(FactorContext *cx) {
  const Program *p = cx->program;
  cx->reads_context = true;
  uint32_t inputs = count_inputs(p, cx->op), carries = cx->n_operands - inputs,
           outputs = cx->n_results - carries, along = (uint32_t)factors_int(cx, "dimension", 0);
  bool elementwise = body_is_elementwise(p, cx->op);
  for (uint32_t d = 0; d < factors_rank(cx, 0); d++) {
    if (d != along && !elementwise) continue;
    uint32_t factor =
        factor_add(&cx->build, factors_dim(cx, 0, d), d == along ? FACTOR_REPLICATE : FACTOR_PASS);
    for (uint32_t t = 0; t < cx->n_operands + cx->n_results; t++) {
      bool stacked = t < inputs || (t >= cx->n_operands && t < cx->n_operands + outputs);
      if (stacked)
        factors_also(cx, factor, t, d);
      else if (d != along)
        factors_also(cx, factor, t, d - (d > along));
    }
  }
  return true;
}

// Copies the elementwise body with values of the local shape.
static void copy_body(Localizer *cx, BlockId from, BlockId to, const TypeInfo *shape) {
  Program *p = cx->builder->p;
  ValueId *made = ARENA_ARRAY(cx->builder->arena, ValueId, p->values.count + 1);
  for (uint32_t i = 0; i < block_at(p, from)->n_args; i++) {
    Type elem = type_elem(cx->context, value_type(p, block_arg(p, from, i)));
    Type type = type_tensor(cx->context, elem, shape->rank, shape->dims, 0);
    made[block_arg(p, from, i)] = block_add_arg(p, to, type, 0);
  }
  for (OpId o = block_at(p, from)->first; o; o = op_at(p, o)->next) {
    uint32_t n_in = op_at(p, o)->n_operands, n_out = op_at(p, o)->n_results;
    ValueId *operands = ARENA_ARRAY(cx->builder->arena, ValueId, n_in + 1);
    Type *types = ARENA_ARRAY(cx->builder->arena, Type, n_out + 1);
    for (uint32_t i = 0; i < n_in; i++) operands[i] = made[op_operand(p, o, i)];
    for (uint32_t i = 0; i < n_out; i++)
      types[i] = type_tensor(cx->context, type_elem(cx->context, op_result_type(p, o, i)),
                             shape->rank, shape->dims, 0);
    OpSpec spec = {.code = op_at(p, o)->code,
                   .n_operands = n_in,
                   .operands = operands,
                   .n_results = n_out,
                   .result_types = types,
                   .attrs = op_at(p, o)->attrs,
                   .loc = op_at(p, o)->loc,
                   .pos = op_at(p, o)->pos,
                   .origin = o};
    OpId copy = op_create(p, &spec);
    op_append(p, to, copy);
    for (uint32_t i = 0; i < n_out; i++) made[op_result(p, o, i)] = op_result(p, copy, i);
  }
}

// A split body runs on shards of the slices. If nothing is split the body may be any.
static Status *localize(Localizer *cx) {
  Program *p = cx->builder->p;
  const Op *o = op_at(p, cx->op);
  bool split = false;
  for (uint32_t f = 0; f < cx->map->n_factors; f++) split |= localize_is_split(cx, f);
  if (!split) return localize_copy(cx, cx->in, 0);
  Attr attr = localize_attr(cx, "dimension");
  int64_t dim = attr ? attr_info(cx->context, attr)->i : 0;
  Type slice = without_dim(cx->context, type_info(cx->context, value_type(p, cx->in[0])), dim);
  OpSpec spec = {.code = o->code,
                 .n_operands = o->n_operands,
                 .operands = cx->in,
                 .n_results = o->n_results,
                 .result_types = cx->out_types,
                 .n_regions = 1,
                 .attrs = o->attrs,
                 .loc = cx->builder->loc,
                 .pos = o->pos,
                 .origin = cx->op};
  OpId made = op_create(p, &spec);
  copy_body(cx, region_block(p, op_region(p, cx->op, 0)),
            region_add_block(p, op_region(p, made, 0)), type_info(cx->context, slice));
  op_append(p, cx->builder->block, made);
  for (uint32_t i = 0; i < cx->map->n_results; i++) cx->out[i] = op_result(p, made, i);
  return NULL;
}

const OpDef op_chlo_scan = {
    .infer = infer, .eval = eval, .sample = sample, .factors = factors, .localize = localize};
