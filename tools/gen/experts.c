// Experts, as GShard has them: a token's gate picks one or two experts, each expert takes the first
// `capacity` tokens of a group (one or more rows of the batch), and dispatch and combine are
// einsums with a [group, token, expert, slot] tensor. Annotated, experts are split along y, groups
// and the width of the kernels along x.
#include "layers.h"
#include "models.h"

// One choice of expert per token: mask [g,s,e] of those that found room, slot [g,s,c] one-hot, and
// the gate's value [g,s].
typedef struct Choice {
  Val mask, slot, gate;
} Choice;

// taken: tokens [g,e] that hold the first slots already, 0 = none. *picked is the mask before the
// limit.
static Choice choose(Builder *b, const Config *c, Val gates, Val among, Val taken, Val *picked) {
  DType t = shape_of(b, gates)->dtype;
  Choice choice;
  *picked = layer_one_hot(b, build_argmax(b, among, 2), c->experts, t);
  Val position = build_sub(b, build_cumsum(b, *picked, 1), *picked);
  if (taken)
    position = build_add(
        b, position, build_broadcast(b, taken, *shape_of(b, position), (const int64_t[]){0, 2}));
  Val limit = build_splat(b, *shape_of(b, position), (double)c->capacity);
  Val fits = layer_mask(b, build_compare(b, "LT", position, limit), t);
  choice.mask = build_mul(b, *picked, fits);
  Val own = layer_sum_dim(b, build_mul(b, position, choice.mask), 2);
  choice.slot = layer_one_hot(b, build_convert(b, own, DT_i32), c->capacity, t);
  choice.gate = layer_sum_dim(b, build_mul(b, gates, choice.mask), 2);
  return choice;
}

// [g,s,e] x [g,s,c] -> [g,s,e,c]: an einsum, as GShard writes it; elementwise, so that it is fused,
// in Mixtral and if the groups are given.
static Val combine_of(Builder *b, const Config *c, const Choice *choice) {
  Val weighted = build_mul(b, choice->mask, layer_spread(b, choice->gate, choice->mask, 0));
  if (!c->swiglu && !c->groups) return layer_einsum(b, "gse,gsc->gsec", weighted, choice->slot);
  Shape shape = *shape_of(b, weighted);
  shape.dims[shape.rank++] = c->capacity;
  Val spread = build_broadcast(b, weighted, shape, (const int64_t[]){0, 1, 2});
  return build_mul(b, spread, build_broadcast(b, choice->slot, shape, (const int64_t[]){0, 1, 3}));
}

// What keeps the experts evenly loaded: share of tokens times mean gate, summed over experts.
static Val balance(Builder *b, const Config *c, Val gates, Val picked) {
  const DimList tokens = {1, {1}}, all = {2, {0, 1}};
  Val density = layer_mean(b, picked, &tokens), proxy = layer_mean(b, gates, &tokens);
  double scale = (double)(c->experts * c->experts);
  return layer_scale(b, layer_mean(b, build_mul(b, density, proxy), &all), scale);
}

// [b,s,m] as groups of tokens.
static Val group(Builder *b, const Config *c, Val x) {
  const Shape s = *shape_of(b, x);
  if (!c->groups || c->groups == s.dims[0]) return x;
  return build_reshape(b, x,
                       SHAPE(s.dtype, c->groups, s.dims[0] * s.dims[1] / c->groups, s.dims[2]));
}

// The gates' choices as [g,s,e,c]: what a token takes from a slot of an expert.
static Val combine_weights(Builder *b, const Config *c, Val gates, Val *picked) {
  Val picked2;
  Choice first = choose(b, c, gates, gates, 0, picked);
  if (c->top == 1) return combine_of(b, c, &first);
  Val rest = build_mul(b, gates, build_sub(b, build_splat(b, *shape_of(b, gates), 1), *picked));
  Val taken = layer_sum_dim(b, first.mask, 1);
  Choice second = choose(b, c, gates, rest, taken, &picked2);
  Val sum = layer_offset(b, build_add(b, first.gate, second.gate), 1e-9);
  first.gate = build_div(b, first.gate, sum);
  second.gate = build_div(b, second.gate, sum);
  Val one = combine_of(b, c, &first), two = combine_of(b, c, &second);
  return build_add(b, one, two);
}

// Each expert's MLP on its slots [e,g,c,m].
static Val run_experts(Builder *b, const Config *c, Val in) {
  int64_t e = c->experts, m = c->width, h = c->hidden;
  Val w_up = build_param_on(b, "up.kernel", SHAPE(b->compute, e, m, h), "yx_");
  Val hidden = layer_einsum(b, "egcm,emh->egch", in, w_up);
  if (c->swiglu) {
    Val w_gate = build_param_on(b, "gated.kernel", SHAPE(b->compute, e, m, h), "yx_");
    hidden = build_mul(b, layer_silu(b, layer_einsum(b, "egcm,emh->egch", in, w_gate)), hidden);
  } else {
    hidden = layer_gelu(b, hidden);
  }
  Val w_down = build_param_on(b, "down.kernel", SHAPE(b->compute, e, h, m), "y_x");
  return layer_einsum(b, "egch,ehm->egcm", hidden, w_down);
}

// Annotated, tokens are split along both axes; slots go to their experts along y and back.
Val experts_layer(Builder *b, const Config *c, Val x, Val *auxiliary) {
  size_t mark = build_enter(b, "moe");
  const Shape shape = *shape_of(b, x);
  x = build_constraint(b, group(b, c, x), "z__");
  Val kernel = build_param(b, "gate.kernel", SHAPE(b->compute, c->width, c->experts));
  Val gates = layer_softmax(b, layer_wide(b, layer_einsum(b, "gsm,me->gse", x, kernel))), picked;
  gates = build_constraint(b, gates, "z__");
  Val combine = build_constraint(b, combine_weights(b, c, gates, &picked), "z___");
  Val zero = build_splat(b, *shape_of(b, combine), 0);
  Val dispatch = layer_mask(b, build_compare(b, "GT", combine, zero), b->compute);
  Val in = build_constraint(b, layer_einsum(b, "gsec,gsm->egcm", dispatch, x), "_z__");
  Val out = build_constraint(b, run_experts(b, c, build_constraint(b, in, "yx__")), "yx__");
  out = build_constraint(b, out, "_z__");
  Val y = layer_einsum(b, "gsec,egcm->gsm", build_convert(b, combine, b->compute), out);
  *auxiliary = build_add(b, *auxiliary, balance(b, c, gates, picked));
  build_leave(b, mark);
  y = build_constraint(b, y, "z__");
  return c->groups && c->groups != shape.dims[0] ? build_reshape(b, y, shape) : y;
}

const char *experts_check(Config *c) {
  if (!c->experts) c->experts = 8;
  if (!c->top) c->top = 2;
  if (c->top > 2) return "--top is 1 or 2";
  if (c->experts < c->top) return "--experts must be at least --top";
  if (!c->capacity) c->capacity = (c->top * c->seq * 5 / 4 + c->experts - 1) / c->experts;
  return NULL;
}
