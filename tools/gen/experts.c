// Experts, as GShard has them: a token's gate picks one or two experts, each expert takes the first
// `capacity` tokens of a group (a row of the batch), and dispatch and combine are einsums with a
// [group, token, expert, slot] tensor. Annotated, experts are split along y, groups and the width
// of the kernels along x.
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

static Val combine_of(Builder *b, const Choice *choice) {
  Val weighted = build_mul(b, choice->mask, layer_spread(b, choice->gate, choice->mask, 0));
  return layer_einsum(b, "gse,gsc->gsec", weighted, choice->slot);
}

// What keeps the experts evenly loaded: share of tokens times mean gate, summed over experts.
static Val balance(Builder *b, const Config *c, Val gates, Val picked) {
  const DimList tokens = {1, {1}}, all = {2, {0, 1}};
  Val density = layer_mean(b, picked, &tokens), proxy = layer_mean(b, gates, &tokens);
  double scale = (double)(c->experts * c->experts);
  return layer_scale(b, layer_mean(b, build_mul(b, density, proxy), &all), scale);
}

Val experts_layer(Builder *b, const Config *c, Val x, Val *auxiliary) {
  size_t mark = build_enter(b, "moe");
  int64_t e = c->experts, m = c->width, h = c->hidden;
  Val logits =
      layer_einsum(b, "gsm,me->gse", x, build_param(b, "gate.kernel", SHAPE(b->compute, m, e)));
  Val gates = layer_softmax(b, layer_wide(b, logits)), picked, picked2;
  Choice first = choose(b, c, gates, gates, 0, &picked);
  Val combine;
  if (c->top == 2) {
    Val rest = build_mul(b, gates, build_sub(b, build_splat(b, *shape_of(b, gates), 1), picked));
    Val taken = layer_sum_dim(b, first.mask, 1);
    Choice second = choose(b, c, gates, rest, taken, &picked2);
    Val sum = layer_offset(b, build_add(b, first.gate, second.gate), 1e-9);
    first.gate = build_div(b, first.gate, sum);
    second.gate = build_div(b, second.gate, sum);
    Val one = combine_of(b, &first), two = combine_of(b, &second);
    combine = build_add(b, one, two);
  } else {
    combine = combine_of(b, &first);
  }
  Val zero = build_splat(b, *shape_of(b, combine), 0);
  Val dispatch = layer_mask(b, build_compare(b, "GT", combine, zero), b->compute);
  Val in = layer_einsum(b, "gsec,gsm->egcm", dispatch, x);
  in = build_constraint(b, in, "yx__");
  Val w_up = build_param_on(b, "up.kernel", SHAPE(b->compute, e, m, h), "yx_");
  Val hidden = layer_einsum(b, "egcm,emh->egch", in, w_up);
  if (c->swiglu) {
    Val w_gate = build_param_on(b, "gated.kernel", SHAPE(b->compute, e, m, h), "yx_");
    hidden = build_mul(b, layer_silu(b, layer_einsum(b, "egcm,emh->egch", in, w_gate)), hidden);
  } else {
    hidden = layer_gelu(b, hidden);
  }
  Val w_down = build_param_on(b, "down.kernel", SHAPE(b->compute, e, h, m), "y_x");
  Val out = layer_einsum(b, "egch,ehm->egcm", hidden, w_down);
  Val y = layer_einsum(b, "gsec,egcm->gsm", build_convert(b, combine, b->compute), out);
  *auxiliary = build_add(b, *auxiliary, balance(b, c, gates, picked));
  build_leave(b, mark);
  return y;
}

const char *experts_check(Config *c) {
  if (!c->experts) c->experts = 8;
  if (!c->top) c->top = 2;
  if (c->top > 2) return "--top is 1 or 2";
  if (c->experts < c->top) return "--experts must be at least --top";
  if (!c->capacity) c->capacity = (c->top * c->seq * 5 / 4 + c->experts - 1) / c->experts;
  return NULL;
}
