// Reverse mode: one rule per op of the tape says which ops carry the result's cotangent to the
// operands. Cotangents of a value used more than once are added up as they come; because nodes are
// visited last to first, the sum is complete when the node that made the value is reached. The ops
// written are those JAX writes for the same gradients. O(tape).
#include <assert.h>

#include "build.h"

static void rule_add(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], g);
  grad_give(b, n->in[1], g);
}

static bool wanted(const Builder *b, Val v) { return b->values.items[v].differentiable; }

static void rule_subtract(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], g);
  if (wanted(b, n->in[1])) grad_give(b, n->in[1], build_unary(b, TAPE_negate, g));
}

static void rule_multiply(Builder *b, const Node *n, Val g) {
  if (wanted(b, n->in[0])) grad_give(b, n->in[0], build_mul(b, g, n->in[1]));
  if (wanted(b, n->in[1])) grad_give(b, n->in[1], build_mul(b, n->in[0], g));
}

static void rule_divide(Builder *b, const Node *n, Val g) {
  Val down = build_div(b, g, n->in[1]);
  grad_give(b, n->in[0], down);
  if (!wanted(b, n->in[1])) return;
  grad_give(b, n->in[1], build_unary(b, TAPE_negate, build_mul(b, down, n->out)));
}

static void rule_maximum(Builder *b, const Node *n, Val g) {
  Val zero = build_splat(b, *shape_of(b, g), 0);
  Val first = build_compare(b, "GT", n->in[0], n->in[1]);
  if (wanted(b, n->in[0])) grad_give(b, n->in[0], build_select(b, first, g, zero));
  if (wanted(b, n->in[1])) grad_give(b, n->in[1], build_select(b, first, zero, g));
}

static void rule_negate(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], build_unary(b, TAPE_negate, g));
}

static void rule_exponential(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], build_mul(b, g, n->out));
}

static void rule_log(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], build_div(b, g, n->in[0]));
}

static void rule_tanh(Builder *b, const Node *n, Val g) {
  Val one = build_splat(b, *shape_of(b, g), 1);
  Val slope = build_sub(b, one, build_mul(b, n->out, n->out));
  grad_give(b, n->in[0], build_mul(b, g, slope));
}

static void rule_logistic(Builder *b, const Node *n, Val g) {
  Val rest = build_sub(b, build_splat(b, *shape_of(b, g), 1), n->out);
  grad_give(b, n->in[0], build_mul(b, g, build_mul(b, n->out, rest)));
}

static void rule_sqrt(Builder *b, const Node *n, Val g) {
  Val half = build_splat(b, *shape_of(b, g), 0.5);
  grad_give(b, n->in[0], build_mul(b, g, build_div(b, half, n->out)));
}

static void rule_rsqrt(Builder *b, const Node *n, Val g) {
  Val half = build_splat(b, *shape_of(b, g), -0.5);
  Val slope = build_mul(b, half, build_div(b, n->out, n->in[0]));
  grad_give(b, n->in[0], build_mul(b, g, slope));
}

static void rule_select(Builder *b, const Node *n, Val g) {
  Val zero = build_splat(b, *shape_of(b, g), 0);
  if (wanted(b, n->in[1])) grad_give(b, n->in[1], build_select(b, n->in[0], g, zero));
  if (wanted(b, n->in[2])) grad_give(b, n->in[2], build_select(b, n->in[0], zero, g));
}

static void rule_convert(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], build_convert(b, g, shape_of(b, n->in[0])->dtype));
}

// Sums over the dimensions that are new or were stretched; the latter come back as 1.
static void rule_broadcast_in_dim(Builder *b, const Node *n, Val g) {
  const DimList *kept = n->attr;
  const Shape from = *shape_of(b, n->in[0]), to = *shape_of(b, g);
  DimList summed = {0};
  for (uint32_t d = 0; d < to.rank; d++) {
    bool keep = false;
    for (uint32_t i = 0; i < kept->n; i++)
      keep = keep || (kept->at[i] == d && from.dims[i] == to.dims[d]);
    if (!keep) summed.at[summed.n++] = d;
  }
  Val sum = build_sum(b, g, &summed);
  bool whole = shape_of(b, sum)->rank == from.rank;
  grad_give(b, n->in[0], whole ? sum : build_reshape(b, sum, from));
}

static void rule_reshape(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], build_reshape(b, g, *shape_of(b, n->in[0])));
}

// JAX constrains cotangents as their values (annotate_cotangents); otherwise their shardings are
// for propagation to find.
static void rule_sharding_constraint(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], b->annotate_cotangents ? build_constraint(b, g, n->attr) : g);
}

static void rule_transpose(Builder *b, const Node *n, Val g) {
  const DimList *permutation = n->attr;
  int64_t inverse[RANK_MAX];
  for (uint32_t i = 0; i < permutation->n; i++) inverse[permutation->at[i]] = i;
  grad_give(b, n->in[0], build_transpose(b, g, inverse));
}

static void rule_reduce_sum(Builder *b, const Node *n, Val g) {
  const DimList *summed = n->attr;
  const Shape shape = *shape_of(b, n->in[0]);
  int64_t dims[RANK_MAX];
  uint32_t k = 0;
  for (uint32_t d = 0; d < shape.rank; d++) {
    bool gone = false;
    for (uint32_t i = 0; i < summed->n; i++) gone = gone || summed->at[i] == d;
    if (!gone) dims[k++] = d;
  }
  grad_give(b, n->in[0], build_broadcast(b, g, shape, dims));
}

// ---- contractions ----

static DimList free_dims(uint32_t rank, const DimList *batch, const DimList *contract) {
  DimList out = {0};
  for (uint32_t d = 0; d < rank; d++) {
    bool taken = false;
    for (uint32_t i = 0; i < batch->n; i++) taken = taken || batch->at[i] == d;
    for (uint32_t i = 0; i < contract->n; i++) taken = taken || contract->at[i] == d;
    if (!taken) out.at[out.n++] = d;
  }
  return out;
}

static DimList ascending(uint32_t first, uint32_t n) {
  DimList out = {.n = n};
  for (uint32_t i = 0; i < n; i++) out.at[i] = first + i;
  return out;
}

// One side of x·y: g (batch, free of lhs, free of rhs) contracted with the other operand over that
// one's free dimensions leaves batch, own free dims, and the contracted ones in the other's order.
static Val dot_side(Builder *b, Val g, Val other, bool left, const DotDims *dims,
                    uint32_t own_rank) {
  const DimList *own_batch = left ? &dims->lhs_batch : &dims->rhs_batch;
  const DimList *own_contract = left ? &dims->lhs_contract : &dims->rhs_contract;
  const DimList *other_batch = left ? &dims->rhs_batch : &dims->lhs_batch;
  const DimList *other_contract = left ? &dims->rhs_contract : &dims->lhs_contract;
  DimList own_free = free_dims(own_rank, own_batch, own_contract);
  DimList other_free = free_dims(shape_of(b, other)->rank, other_batch, other_contract);
  uint32_t n_batch = own_batch->n;
  DotDims with = {.lhs_batch = ascending(0, n_batch),
                  .rhs_batch = *other_batch,
                  .lhs_contract = ascending(n_batch + (left ? own_free.n : 0), other_free.n),
                  .rhs_contract = other_free};
  Val product = build_dot(b, g, other, &with);
  int64_t permutation[RANK_MAX];  // [own dim] = where it stands in the product
  for (uint32_t i = 0; i < n_batch; i++) permutation[own_batch->at[i]] = i;
  for (uint32_t i = 0; i < own_free.n; i++) permutation[own_free.at[i]] = n_batch + i;
  for (uint32_t i = 0; i < own_contract->n; i++) {
    uint32_t rank = 0;
    for (uint32_t k = 0; k < other_contract->n; k++)
      rank += other_contract->at[k] < other_contract->at[i];
    permutation[own_contract->at[i]] = n_batch + own_free.n + rank;
  }
  return build_transpose(b, product, permutation);
}

static void rule_dot_general(Builder *b, const Node *n, Val g) {
  for (uint32_t k = 0; k < 2; k++)
    if (wanted(b, n->in[k]))
      grad_give(b, n->in[k],
                dot_side(b, g, n->in[1 - k], k == 0, n->attr, shape_of(b, n->in[k])->rank));
}

// With dilated sizes x, k, y of input, kernel and output and low padding p: the input's gradient is
// the dilated output's, padded by k - 1 - p before and x - y + p after, under the reversed kernel;
// the kernel's gradient is the input, padded by p before, under the dilated output's gradient.
static void conv_input(Builder *b, const Node *n, Val g, const ConvAttr *forward) {
  static const char *const layouts[] = {"b, 0, f", "b, 0, 1, f", "b, 0, 1, 2, f"};
  static const char *const kernels[] = {"0, o, i", "0, 1, o, i", "0, 1, 2, o, i"};
  const Shape x = *shape_of(b, n->in[0]), k = *shape_of(b, n->in[1]), y = *shape_of(b, g);
  uint32_t spatial = forward->spatial;
  ConvAttr attr = {.spatial = spatial,
                   .lhs = layouts[spatial - 1],
                   .rhs = kernels[spatial - 1],
                   .out = layouts[spatial - 1]};
  DimList flipped = ascending(0, spatial);
  for (uint32_t i = 0; i < spatial; i++) {
    int64_t kd = (k.dims[i] - 1) * forward->rhs_dilate[i] + 1;
    int64_t xd = (x.dims[i + 1] - 1) * forward->lhs_dilate[i] + 1;
    int64_t yd = (y.dims[i + 1] - 1) * forward->stride[i] + 1;
    attr.stride[i] = forward->lhs_dilate[i];
    attr.lhs_dilate[i] = forward->stride[i];
    attr.rhs_dilate[i] = forward->rhs_dilate[i];
    attr.pad[i][0] = kd - 1 - forward->pad[i][0];
    attr.pad[i][1] = xd + kd - 1 - yd - attr.pad[i][0];
  }
  Val kernel = build_reverse(b, n->in[1], &flipped);
  grad_give(b, n->in[0], build_convolution(b, g, kernel, x, &attr));
}

static void conv_kernel(Builder *b, const Node *n, Val g, const ConvAttr *forward) {
  static const char *const inputs[] = {"f, 0, b", "f, 0, 1, b", "f, 0, 1, 2, b"};
  static const char *const outputs[] = {"i, 0, o", "i, 0, 1, o", "i, 0, 1, 2, o"};
  static const char *const kernels[] = {"0, b, f", "0, 1, b, f", "0, 1, 2, b, f"};
  const Shape x = *shape_of(b, n->in[0]), k = *shape_of(b, n->in[1]), y = *shape_of(b, g);
  uint32_t spatial = forward->spatial;
  ConvAttr attr = {.spatial = spatial,
                   .lhs = inputs[spatial - 1],
                   .rhs = outputs[spatial - 1],
                   .out = kernels[spatial - 1]};
  for (uint32_t i = 0; i < spatial; i++) {
    int64_t kd = (k.dims[i] - 1) * forward->rhs_dilate[i] + 1;
    int64_t xd = (x.dims[i + 1] - 1) * forward->lhs_dilate[i] + 1;
    int64_t yd = (y.dims[i + 1] - 1) * forward->stride[i] + 1;
    attr.stride[i] = forward->rhs_dilate[i];
    attr.lhs_dilate[i] = forward->lhs_dilate[i];
    attr.rhs_dilate[i] = forward->stride[i];
    attr.pad[i][0] = forward->pad[i][0];
    attr.pad[i][1] = yd - xd + kd - forward->pad[i][0] - 1;
  }
  grad_give(b, n->in[1], build_convolution(b, n->in[0], g, k, &attr));
}

static void rule_convolution(Builder *b, const Node *n, Val g) {
  if (wanted(b, n->in[0])) conv_input(b, n, g, n->attr);
  if (wanted(b, n->in[1])) conv_kernel(b, n, g, n->attr);
}

// ---- moving data ----

static void rule_gather(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], build_scatter_rows(b, n->in[1], g, *shape_of(b, n->in[0])));
}

static void rule_slice(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], build_pad(b, g, n->attr, *shape_of(b, n->in[0])));
}

static void rule_pad(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], build_slice(b, g, n->attr));
}

static void rule_concatenate(Builder *b, const Node *n, Val g) {
  uint32_t dim = *(const uint32_t *)n->attr;
  SliceAttr part = {0};
  for (uint32_t d = 0; d < shape_of(b, g)->rank; d++) part.end[d] = shape_of(b, g)->dims[d];
  part.end[dim] = 0;
  for (uint32_t i = 0; i < n->n_in; i++) {
    part.begin[dim] = part.end[dim];
    part.end[dim] += shape_of(b, n->in[i])->dims[dim];
    if (wanted(b, n->in[i])) grad_give(b, n->in[i], build_slice(b, g, &part));
  }
}

static void rule_max_pool(Builder *b, const Node *n, Val g) {
  grad_give(b, n->in[0], build_max_pool_grad(b, n->in[0], g, n->attr));
}

// The kept value stands for the one that is computed again, which nothing else needs then.
static void rule_keep(Builder *b, const Node *n, Val g) { grad_give(b, n->in[0], g); }

static void rule_remat(Builder *b, const Node *n, Val g) {
  (void)g;  // there is one for each carry
  grad_remat(b, n);
}

static void rule_repeat(Builder *b, const Node *n, Val g) { grad_repeat(b, n, g); }

static void (*const rules[])(Builder *b, const Node *node, Val g) = {
#define TAPE_OP(name) [TAPE_##name] = rule_##name,
    TAPE_OPS(TAPE_OP)
#undef TAPE_OP
};

// ---- the walk ----

void grad_give(Builder *b, Val v, Val g) {
  if (!wanted(b, v)) return;
  Val before = b->values.items[v].grad;
  Val sum = before ? build_add(b, before, g) : g;
  b->values.items[v].grad = sum;
}

Val grad_of(Builder *b, Val v) {
  Val g = b->values.items[v].grad;
  return g ? g : build_splat(b, *shape_of(b, v), 0);
}

void grad_backward(Builder *b, uint32_t first, uint32_t end) {
  bool before = b->recording;
  const char *scope_before = b->tape_scope;
  b->recording = false;
  for (uint32_t i = end; i > first; i--) {
    const Node node = b->nodes.items[i - 1];
    bool reached = false;
    for (uint32_t k = 0; k < node.n_out; k++)
      reached = reached || b->values.items[node.out + k].grad != 0;
    if (!reached) continue;
    b->tape_scope = node.scope;
    rules[node.op](b, &node, b->values.items[node.out].grad);
  }
  b->tape_scope = scope_before;
  b->recording = before;
}
