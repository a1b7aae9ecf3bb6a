// Problem: a contraction waits for an all_gather of an operand, or a reduce_scatter waits for the
// contraction: compute units and links are idle in turn.
//
// Idea: a ring (collective matmul). A group of n devices computes in n steps; in each step a device
// contracts one chunk while a collective_permute brings the next one from its neighbour. i is the
// device's index in its group; chunks are counted modulo n.
//
//   dot(all_gather(x), w)        step k:  out[i + k] = dot(x_k, w);  x_k+1 = permute(x_k)
//   reduce_scatter(dot(x, w))    step k:  sum_k = permute(sum_k-1) + dot(x[i - 1 - k], w)
//
// If the gathered dimension is contracted, the n products are added up instead of placed side by
// side.
//
// Invariant: equal results up to the order of sums. Sums of 16-bit floats are formed in f32 and
// rounded after the last step, so sums to be scattered travel as f32. A ring is built only if it
// hides enough of the collective's time (tuning.ring_hidden_part): a step takes the longer of its
// contraction and its permute. Cost: O(ops), and O(n) new ops and O(devices · n) pairs per ring.
#include "cost/tuning.h"
#include "optimize/barriers.h"
#include "optimize/collective.h"
#include "optimize/facts.h"

#include "cost/compute.h"
#include "ops/factors.h"

enum { MOST_STEPS = 16, MOST_RANK = 16 };

// A contraction in chunks along one factor.
typedef struct Ring {
  Optimizer *o;
  Program *p;
  OpId dot, collective;
  const DeviceGroups *groups;
  const Barriers *barriers;
  uint32_t dims[3];  // the factor's dimension of lhs, rhs, result; NO_DIM: none
  Builder at, like;  // insertion point: for ops like the contraction; like the collective
  ValueId index;     // of this device in its group, as a value of the program
} Ring;

#define NO_DIM UINT32_MAX

// ---- which contractions ----

// The dimensions that share the factor of dimension dim of a tensor (0 lhs, 1 rhs, 2 result).
static bool find_dims(Ring *r, uint32_t tensor, uint32_t dim) {
  FactorMap m;
  if (!op_factors(r->p, r->dot, NULL, &r->o->scratch, &m)) return false;
  FactorList list = factor_map_dim(&m, tensor, dim);
  if (list.n != 1) return false;
  for (uint32_t t = 0; t < 3; t++) {
    r->dims[t] = NO_DIM;
    for (uint32_t d = 0; d < factor_map_rank(&m, t); d++) {
      FactorList at = factor_map_dim(&m, t, d);
      if (at.n == 1 && at.v[0] == list.v[0]) r->dims[t] = d;
    }
  }
  return true;
}

static int64_t size_of(const Ring *r, Type type, uint32_t dim) {
  return type_info(r->o->context, type)->dims[dim];
}

static double flops_of(const Ring *r) {
  FactorMap m;
  if (!op_factors(r->p, r->dot, NULL, &r->o->scratch, &m)) return 0;
  double flops = 2;
  for (uint32_t f = 0; f < m.n_factors; f++) flops *= (double)m.factors[f].size;
  return flops;
}

// The type in which steps are added: f32 for 16-bit floats. Partial sums travel in it.
static Type sum_type(const Ring *r, Type type) {
  return build_sum_type(r->o->context, COMBINE_SUM, type);
}

static ValueId rounded(Ring *r, ValueId sum, Type type) {
  return build_convert(&r->at, sum, type_elem(r->o->context, type));
}

// Time of the ring: one contraction step, then n - 1 steps that each overlap with a permute. It
// must beat the contraction plus the part of the collective's time that need not be hidden.
static bool pays(const Ring *r) {
  Optimizer *o = r->o;
  double n = r->groups->width, dot = compute_seconds(&o->compute, flops_of(r));
  double bytes =
      op_at(r->p, r->collective)->code == OP_all_gather
          ? fact_operand_bytes(r->p, r->collective)
          : fact_type_bytes(o->context, sum_type(r, op_result_type(r->p, r->collective, 0)));
  double permute = network_permute(collective_link(o, r->groups), bytes);
  double step = dot / n > permute ? dot / n : permute;
  return dot / n + (n - 1) * step <
         dot + tuning.ring_hidden_part * collective_seconds(o, r->collective);
}

static bool is_static_dot(const Program *p, OpId dot) {
  for (uint32_t i = 0; i < 2; i++)
    if (!type_is_static(p->context, op_operand_type(p, dot, i)) ||
        type_is_quant(p->context, op_operand_type(p, dot, i)) ||
        type_info(p->context, op_operand_type(p, dot, i))->rank > MOST_RANK)
      return false;
  return type_info(p->context, op_result_type(p, dot, 0))->rank <= MOST_RANK &&
         !type_is_quant(p->context, op_result_type(p, dot, 0));
}

// An `algorithm` attribute fixes the dot's result type, so such a dot cannot give f32 partial sums.
static bool sums_as_given(const Ring *r) {
  Type type = op_result_type(r->p, r->dot, 0);
  return sum_type(r, type) == type || !op_attr(r->p, r->dot, "algorithm");
}

static bool is_possible(Ring *r, uint32_t tensor, uint32_t dim) {
  r->groups = collective_groups(r->o, r->collective);
  return r->groups && r->groups->width > 1 && r->groups->width <= MOST_STEPS &&
         op_at(r->p, r->dot)->block == op_at(r->p, r->collective)->block &&
         barriers_none_between(r->barriers, r->dot, r->collective) &&
         collective_index_is_known(r->o, r->groups) && is_static_dot(r->p, r->dot) &&
         find_dims(r, tensor, dim);
}

// Asked last, when nothing else speaks against the ring.
static bool is_taken(const Ring *r) {
  return trades_ask(r->o->trades, PASS_matmul, r->p, r->dot, 0, pays(r));
}

// ---- the steps ----

// Offset of chunk (i + k) mod n: ((i + k) mod n) · size.
static ValueId start_of(Ring *r, uint32_t k, int64_t size) {
  Builder *b = &r->at;
  ValueId at = build_binary(b, OP_add, r->index, build_index(b, k));
  at = build_binary(b, OP_remainder, at, build_index(b, r->groups->width));
  return build_binary(b, OP_multiply, at, build_index(b, size));
}

// Chunk (i + k) mod n of a value.
static ValueId slice_chunk(Ring *r, ValueId v, uint32_t dim, uint32_t k) {
  Program *p = r->p;
  int64_t size = size_of(r, value_type(p, v), dim) / r->groups->width, sizes[MOST_RANK];
  const TypeInfo *info = type_info(r->o->context, value_type(p, v));
  ValueId starts[MOST_RANK], zero = build_index(&r->at, 0);
  for (uint32_t d = 0; d < info->rank; d++) {
    starts[d] = d == dim ? start_of(r, k, size) : zero;
    sizes[d] = d == dim ? size : info->dims[d];
  }
  return build_dynamic_slice_at(&r->at, v, starts, sizes);
}

// Writes chunk (i + k) mod n of the result.
static ValueId update_chunk(Ring *r, ValueId into, ValueId product, uint32_t dim, uint32_t k) {
  Program *p = r->p;
  uint32_t rank = type_info(r->o->context, value_type(p, into))->rank;
  ValueId starts[MOST_RANK], zero = build_index(&r->at, 0);
  for (uint32_t d = 0; d < rank; d++)
    starts[d] = d == dim ? start_of(r, k, size_of(r, value_type(p, product), dim)) : zero;
  return build_dynamic_update_at(&r->at, into, product, starts);
}

// Each device receives from the member `by` indices further in its group.
static ValueId from_neighbour(Ring *r, ValueId v, uint32_t by) {
  uint32_t n = r->o->n_devices, width = r->groups->width;
  int64_t(*pairs)[2] = arena_alloc(&r->o->scratch, n * sizeof *pairs);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t group = i / width * width;
    pairs[i][0] = r->groups->members[group + (i % width + by) % width];
    pairs[i][1] = r->groups->members[i];
  }
  return build_permute_ids(&r->like, v, n, (const int64_t(*)[2])pairs);
}

static ValueId contract(Ring *r, const ValueId *operands, Type type) {
  return build_op(&r->at, OP_dot_general, 2, operands, type, op_at(r->p, r->dot)->attrs);
}

// ---- a gather, then the contraction ----

// The permute of a step is emitted before its contraction: neither depends on the other, so they
// overlap.
static ValueId ring_of_gathered(Ring *r, uint32_t side) {
  Program *p = r->p;
  Type out = op_result_type(p, r->dot, 0);
  uint32_t other_dim = r->dims[1 - side], out_dim = r->dims[2];
  bool sums = out_dim == NO_DIM;
  int64_t size = size_of(r, op_operand_type(p, r->collective, 0), r->dims[side]);
  Type sum = sum_type(r, out);
  Type product_type = sums ? sum : type_with_dim(r->o->context, out, out_dim, size);
  ValueId chunk = op_operand(p, r->collective, 0), other = op_operand(p, r->dot, 1 - side);
  ValueId result = sums ? 0 : build_splat(&r->at, out, scalar_i(0));
  for (uint32_t k = 0; k < r->groups->width; k++) {
    ValueId next = k + 1 < r->groups->width ? from_neighbour(r, chunk, 1) : 0, operands[2];
    operands[side] = chunk;
    operands[1 - side] = other_dim == NO_DIM ? other : slice_chunk(r, other, other_dim, k);
    ValueId product = contract(r, operands, product_type);
    if (!sums)
      result = update_chunk(r, result, product, out_dim, k);
    else
      result = result ? build_binary(&r->at, OP_add, result, product) : product;
    chunk = next;
  }
  return rounded(r, result, out);
}

static bool try_gather(Optimizer *o, const Barriers *barriers, OpId dot, uint32_t side) {
  Program *p = o->p;
  ValueId v = op_operand(p, dot, side);
  OpId gather = fact_def(p, v, OP_all_gather);
  if (!gather || op_at(p, gather)->n_operands != 1 || !fact_used_once(p, v)) return false;
  uint32_t dim = (uint32_t)attr_as_int(o->context, op_attr(p, gather, "all_gather_dim"), 0);
  Ring r = {.o = o,
            .p = p,
            .dot = dot,
            .collective = gather,
            .barriers = barriers,
            .at = rewrite_before(p, dot),
            .like = rewrite_like(p, dot, gather)};
  if (!is_possible(&r, side, dim)) return false;
  if ((r.dims[2] == NO_DIM && !sums_as_given(&r)) || !is_taken(&r)) return false;
  r.index = collective_index(o, dot, r.groups);
  op_replace(p, dot, ring_of_gathered(&r, side));
  op_erase(p, gather);
  return true;
}

// ---- the contraction, then a reduce_scatter ----

// The sum for chunk i - 1 starts at device i, visits the group and ends, complete, at its owner.
static ValueId ring_to_scatter(Ring *r) {
  Program *p = r->p;
  uint32_t width = r->groups->width;
  Type out = op_result_type(p, r->collective, 0), type = sum_type(r, out);
  ValueId sum = 0;
  for (uint32_t k = 0; k < width; k++) {
    ValueId operands[2];
    for (uint32_t i = 0; i < 2; i++) {
      operands[i] = op_operand(p, r->dot, i);
      if (r->dims[i] != NO_DIM)
        operands[i] = slice_chunk(r, operands[i], r->dims[i], width - 1 - k);
    }
    // Depends on the step before only; the contraction below does not depend on it and hides it.
    ValueId received = sum ? from_neighbour(r, sum, width - 1) : 0;
    ValueId product = contract(r, operands, type);
    sum = received ? build_binary(&r->at, OP_add, received, product) : product;
  }
  return rounded(r, sum, out);
}

static bool try_scatter(Optimizer *o, const Barriers *barriers, OpId scatter) {
  Program *p = o->p;
  if (op_at(p, scatter)->n_operands != 1 || op_combine(p, scatter) != COMBINE_SUM) return false;
  ValueId v = op_operand(p, scatter, 0);
  OpId dot = fact_def(p, v, OP_dot_general);
  if (!dot || !fact_used_once(p, v) ||
      type_elem(o->context, value_type(p, v)) !=
          type_elem(o->context, op_result_type(p, scatter, 0)))
    return false;
  uint32_t dim = (uint32_t)attr_as_int(o->context, op_attr(p, scatter, "scatter_dimension"), 0);
  Ring r = {.o = o,
            .p = p,
            .dot = dot,
            .collective = scatter,
            .barriers = barriers,
            .at = rewrite_before(p, scatter),
            .like = rewrite_before(p, scatter)};
  if (!sums_as_given(&r) || !is_possible(&r, 2, dim) || !is_taken(&r)) return false;
  r.index = collective_index(o, scatter, r.groups);
  op_replace(p, scatter, ring_to_scatter(&r));
  op_erase(p, dot);
  return true;
}

uint32_t pass_matmul(Optimizer *o) {
  Program *p = o->p;
  uint32_t changes = 0;
  if (o->n_devices < 2) return 0;
  Barriers barriers = barriers_find(o);
  for (OpId op = p->root, next; op; op = next) {
    uint16_t code = op_at(p, op)->code;
    bool scatters = code == OP_reduce_scatter;  // its body goes with it
    next = scatters ? op_walk_over(p, op, p->root) : op_walk_next(p, op, p->root);
    if (scatters)
      changes += try_scatter(o, &barriers, op);
    else if (code == OP_dot_general)
      changes += try_gather(o, &barriers, op, 0) || try_gather(o, &barriers, op, 1);
  }
  return changes;
}
