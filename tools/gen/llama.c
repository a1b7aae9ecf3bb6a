// Llama: a decoder with RMS norms, rotary embeddings, grouped queries and a gated MLP, without
// biases. Mixtral: the same with experts in every layer (experts.c). Queries are [b,s,k,g,d]: k
// heads of keys and values, g queries for each. With a mesh, parameters are split along x (FSDP)
// and heads, hidden width, vocabulary and experts along y; between the blocks of a layer,
// activations are split along y by sequence (Korthikanti et al. 2022) or, with experts, by batch.
//
// Names of values for --remat: q, k, v (after the rotary embedding), attn, out, gate, up, down.
#include <math.h>

#include "layers.h"
#include "models.h"

static Val dense(Builder *b, const char *name, const char *spec, Val x, Shape kernel,
                 const char *axes) {
  size_t mark = build_enter(b, name);
  Val y = layer_einsum(b, spec, x, build_param_on(b, "kernel", kernel, axes));
  build_leave(b, mark);
  return y;
}

static Val causal(Builder *b, Val scores) {
  const Shape shape = *shape_of(b, scores);
  Shape square = SHAPE(DT_i32, shape.dims[3], shape.dims[4]);
  Val row = build_iota(b, square, 0), column = build_iota(b, square, 1);
  Val visible = build_compare(b, "GE", row, column);
  Val low = build_splat(b, shape, -1e30);
  return build_select(b, layer_spread_last(b, visible, scores), scores, low);
}

static Val attention(Builder *b, const Config *c, Val x) {
  size_t mark = build_enter(b, "attn");
  int64_t m = c->width, k = c->kv_heads, g = c->heads / k, d = c->head_dim;
  bool z = c->experts;
  Shape narrow = SHAPE(b->compute, m, k, d);
  Val q = dense(b, "q", "bsm,mkgd->bskgd", x, SHAPE(b->compute, m, k, g, d), z ? "z___" : "xy__");
  Val key = dense(b, "k", "bsm,mkd->bskd", x, narrow, z ? "z__" : "xy_");
  Val value = dense(b, "v", "bsm,mkd->bskd", x, narrow, z ? "z__" : "xy_");
  const char *wide_axes = z ? "z____" : "x_y__", *narrow_axes = z ? "z___" : "x_y_";
  q = build_keep(b, "q", layer_rope(b, build_constraint(b, q, wide_axes)));
  key = build_keep(b, "k", layer_rope(b, build_constraint(b, key, narrow_axes)));
  value = build_keep(b, "v", build_constraint(b, value, narrow_axes));
  q = layer_scale(b, q, 1 / sqrt((double)d));
  Val scores = layer_einsum(b, "bskgd,btkd->bkgst", q, key);
  Val weights = layer_softmax(b, causal(b, layer_wide(b, scores)));
  Val mixed = layer_einsum(b, "bkgst,btkd->bskgd", build_convert(b, weights, b->compute), value);
  mixed = build_keep(b, "attn", build_constraint(b, mixed, wide_axes));
  Val y =
      dense(b, "out", "bskgd,kgdm->bsm", mixed, SHAPE(b->compute, k, g, d, m), z ? "___z" : "y__x");
  build_leave(b, mark);
  return y;
}

static Val mlp(Builder *b, const Config *c, Val x) {
  size_t mark = build_enter(b, "mlp");
  Shape in = SHAPE(b->compute, c->width, c->hidden), out = SHAPE(b->compute, c->hidden, c->width);
  Val gate = dense(b, "gate", "bsm,mh->bsh", x, in, "xy");
  gate = build_keep(b, "gate", build_constraint(b, gate, "x_y"));
  Val up = build_constraint(b, dense(b, "up", "bsm,mh->bsh", x, in, "xy"), "x_y");
  up = build_keep(b, "up", up);
  Val y = dense(b, "down", "bsh,hm->bsm", build_mul(b, layer_silu(b, gate), up), out, "yx");
  build_leave(b, mark);
  return y;
}

// What the contractions of a block read: all tokens of an example.
static Val entering(Builder *b, const Config *c, Val x) {
  return build_constraint(b, x, c->experts ? "z__" : "x__");
}

// [b,s,m] between the blocks of a layer.
static Val stream(Builder *b, const Config *c, Val x) {
  return build_constraint(b, x, c->experts ? "z__" : "xy_");
}

static Val layer_of(Builder *b, const Config *c, Val x, Val *auxiliary) {
  x = stream(b, c, x);
  Val mixed = stream(b, c, attention(b, c, entering(b, c, layer_rms_norm(b, "norm_1", x))));
  x = build_add(b, x, build_keep(b, "out", mixed));
  Val normal = entering(b, c, layer_rms_norm(b, "norm_2", x));
  Val y = auxiliary ? experts_layer(b, c, normal, auxiliary) : mlp(b, c, normal);
  return build_add(b, x, build_keep(b, "down", stream(b, c, y)));
}

static void body(Builder *b, const void *context, Val *carry) {
  const Config *c = context;
  size_t mark = build_item(b, 0);
  carry[0] = layer_of(b, c, carry[0], c->experts ? &carry[1] : NULL);
  build_leave(b, mark);
}

static Val llama_loss(Builder *b, const Config *c) {
  Shape shape = SHAPE(DT_i32, c->batch, c->seq);
  Val tokens = build_input(b, "tokens", shape), targets = build_input(b, "targets", shape);
  Val table = build_param_on(b, "embed.tokens", SHAPE(b->compute, c->vocab, c->width),
                             c->experts ? "_z" : "yx");
  Val carry[2] = {stream(b, c, build_gather_rows(b, table, tokens))};
  if (c->experts) carry[1] = build_scalar(b, b->master, 0);
  Repeat repeat = {.name = "layer_",
                   .count = c->layers,
                   .period = 1,
                   .n_carry = c->experts ? 2 : 1,
                   .body = body,
                   .context = c};
  build_repeat(b, &repeat, carry);
  Val x = entering(b, c, layer_rms_norm(b, "norm_f", carry[0]));
  Val logits = dense(b, "head", "bsm,mv->bsv", x, SHAPE(b->compute, c->width, c->vocab),
                     c->experts ? "z_" : "xy");
  Val loss = layer_cross_entropy(b, logits, targets);
  return c->experts ? build_add(b, loss, layer_scale(b, carry[1], 0.01)) : loss;
}

static void set_default(int64_t *value, int64_t otherwise) {
  if (!*value) *value = otherwise;
}

static const char *llama_check(Config *c) {
  set_default(&c->layers, 32);
  set_default(&c->width, 4096);
  set_default(&c->heads, c->width % 128 == 0 ? c->width / 128 : 1);
  set_default(&c->kv_heads, c->heads % 8 == 0 ? 8 : c->heads);
  set_default(&c->batch, 8);
  set_default(&c->seq, 8192);
  set_default(&c->vocab, 128256);
  set_default(&c->hidden, c->width / 2 * 7);
  if (c->heads % c->kv_heads) return "--heads is no multiple of --kv-heads";
  if (!c->head_dim && c->width % c->heads)
    return "--width is no multiple of --heads: give --head-dim";
  set_default(&c->head_dim, c->width / c->heads);
  if (c->head_dim % 2) return "--head-dim must be even: its halves are turned";
  c->swiglu = true;
  return NULL;
}

static const char *mixtral_check(Config *c) {
  set_default(&c->seq, 4096);
  set_default(&c->vocab, 32000);
  const char *wrong = llama_check(c);
  return wrong ? wrong : experts_check(c);
}

const Model model_llama = {"llama", "decoder with grouped queries and gated MLP", llama_check,
                           llama_loss, 1};
const Model model_mixtral = {"mixtral", "Llama with experts in every layer", mixtral_check,
                             llama_loss, 1};
