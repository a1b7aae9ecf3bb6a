// GPT: a pre-norm decoder. MoE: the same with every second MLP replaced by experts (experts.c).
// Weights have GSPMD's shapes: MND and NDM in attention, MH and HM in the MLP. With
// a mesh, seven tensors of a layer are annotated as the paper's 2-D sharding has them (table 1;
// with q, k and v apart the first row stands for three), and nothing else.
#include <math.h>

#include "layers.h"
#include "models.h"

// Axes of the tensors that GSPMD's authors annotate, by the letters of their dimensions.
static const char *table1(const char *letters, size_t n) {
  static const char *const rows[][2] = {{"mnd", "xy_"},   {"mtnd", "x_y_"}, {"ndm", "y_x"},
                                        {"mh", "xy"},     {"hm", "yx"},     {"bsm", "x_y"},
                                        {"bsnd", "x_y_"}, {"bsh", "x_y"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strlen(rows[i][0]) == n && strncmp(rows[i][0], letters, n) == 0) return rows[i][1];
  return NULL;
}

static Val annotate(Builder *b, const char *letters, Val x) {
  return b->annotate_dense ? build_constraint(b, x, table1(letters, strlen(letters))) : x;
}

static Val dense(Builder *b, const char *name, const char *spec, Val x, Shape kernel,
                 uint32_t bias_rank) {
  size_t mark = build_enter(b, name);
  const char *letters = strchr(spec, ',') + 1;
  const char *axes = table1(letters, (size_t)(strchr(letters, '-') - letters));
  if (!b->annotate_dense) axes = NULL;
  Val y = layer_einsum(b, spec, x, build_param_on(b, "kernel", kernel, axes));
  if (bias_rank) y = layer_bias(b, y, bias_rank);
  build_leave(b, mark);
  return y;
}

// One of q, k, v out of [b,s,3,n,d].
static Val third(Builder *b, Val qkv, int64_t k) {
  const Shape s = *shape_of(b, qkv);
  SliceAttr part = {.begin = {0, 0, k}, .end = {s.dims[0], s.dims[1], k + 1, s.dims[3], s.dims[4]}};
  return build_reshape(b, build_slice(b, qkv, &part),
                       SHAPE(s.dtype, s.dims[0], s.dims[1], s.dims[3], s.dims[4]));
}

static Val causal(Builder *b, Val scores) {
  const Shape shape = *shape_of(b, scores);
  Shape square = SHAPE(DT_i32, shape.dims[2], shape.dims[3]);
  Val row = build_iota(b, square, 0), column = build_iota(b, square, 1);
  Val visible = build_compare(b, "GE", row, column);
  Val low = build_splat(b, shape, shape.dtype == DT_f16 ? -6e4 : -1e30);  // f16 ends at -65504
  return build_select(b, layer_spread_last(b, visible, scores), scores, low);
}

static Val attention(Builder *b, const Config *c, Val x) {
  size_t mark = build_enter(b, "attn");
  int64_t m = c->width, n = c->heads, d = c->head_dim;
  Val q, k, v;
  if (c->fused_qkv) {
    Val qkv = dense(b, "qkv", "bsm,mtnd->bstnd", x, SHAPE(b->compute, m, 3, n, d), 3);
    q = third(b, qkv, 0), k = third(b, qkv, 1), v = third(b, qkv, 2);
  } else {
    Shape kernel = SHAPE(b->compute, m, n, d);
    q = dense(b, "q", "bsm,mnd->bsnd", x, kernel, 2);
    k = dense(b, "k", "bsm,mnd->bsnd", x, kernel, 2);
    v = dense(b, "v", "bsm,mnd->bsnd", x, kernel, 2);
  }
  q = annotate(b, "bsnd", q);
  Val scores = layer_einsum(b, "bsnd,btnd->bnst", layer_scale(b, q, 1 / sqrt((double)d)), k);
  Val weights = layer_softmax(b, causal(b, c->narrow_softmax ? scores : layer_wide(b, scores)));
  Val mixed = layer_einsum(b, "bnst,btnd->bsnd", build_convert(b, weights, b->compute), v);
  Val y = dense(b, "out", "bsnd,ndm->bsm", mixed, SHAPE(b->compute, n, d, m), 1);
  build_leave(b, mark);
  return y;
}

static Val mlp(Builder *b, const Config *c, Val x) {
  size_t mark = build_enter(b, "mlp");
  Val h = dense(b, "up", "bsm,mh->bsh", x, SHAPE(b->compute, c->width, c->hidden), 1);
  h = annotate(b, "bsh", h);
  Val y =
      dense(b, "down", "bsh,hm->bsm", layer_gelu(b, h), SHAPE(b->compute, c->hidden, c->width), 1);
  build_leave(b, mark);
  return y;
}

// ---- the whole ----

static Val layer_of(Builder *b, const Config *c, Val x, Val *auxiliary) {
  x = annotate(b, "bsm", x);
  x = build_add(b, x, attention(b, c, layer_norm(b, "ln_1", x)));
  Val normal = layer_norm(b, "ln_2", x);
  return build_add(b, x, auxiliary ? experts_layer(b, c, normal, auxiliary) : mlp(b, c, normal));
}

static void gpt_body(Builder *b, const void *context, Val *carry) {
  size_t mark = build_item(b, 0);
  carry[0] = layer_of(b, context, carry[0], NULL);
  build_leave(b, mark);
}

static void moe_body(Builder *b, const void *context, Val *carry) {
  size_t mark = build_item(b, 0);
  carry[0] = layer_of(b, context, carry[0], NULL);
  build_leave(b, mark);
  mark = build_item(b, 1);
  carry[0] = layer_of(b, context, carry[0], &carry[1]);
  build_leave(b, mark);
}

static Val embed(Builder *b, const Config *c, Val tokens, Val *table) {
  *table = build_param(b, "embed.tokens", SHAPE(b->compute, c->vocab, c->width));
  Val places = build_param(b, "embed.positions", SHAPE(b->compute, c->seq, c->width));
  Val x = build_gather_rows(b, *table, tokens);
  return build_add(b, x, layer_spread_last(b, places, x));
}

static Val language_model(Builder *b, const Config *c, const Repeat *repeat, Val *carry) {
  Shape shape = SHAPE(DT_i32, c->batch, c->seq);
  Val tokens = build_input(b, "tokens", shape), targets = build_input(b, "targets", shape), table;
  carry[0] = embed(b, c, tokens, &table);
  if (repeat->n_carry == 2) carry[1] = build_scalar(b, b->master, 0);
  build_repeat(b, repeat, carry);
  Val x = layer_norm(b, "ln_f", carry[0]);
  Val logits = c->tied
                   ? layer_einsum(b, "bsm,vm->bsv", x, table)
                   : dense(b, "head", "bsm,mv->bsv", x, SHAPE(b->compute, c->width, c->vocab), 0);
  return layer_cross_entropy(b, logits, targets);
}

static Val gpt_loss(Builder *b, const Config *c) {
  Val carry[1];
  Repeat repeat = {.name = "layer_",
                   .count = c->layers,
                   .period = 1,
                   .n_carry = 1,
                   .body = gpt_body,
                   .context = c};
  return language_model(b, c, &repeat, carry);
}

static Val moe_loss(Builder *b, const Config *c) {
  Val carry[2];
  Repeat repeat = {.name = "layer_",
                   .count = c->layers / 2,
                   .period = 2,
                   .n_carry = 2,
                   .body = moe_body,
                   .context = c};
  Val loss = language_model(b, c, &repeat, carry);
  return build_add(b, loss, layer_scale(b, carry[1], 0.01));
}

static void set_default(int64_t *value, int64_t otherwise) {
  if (!*value) *value = otherwise;
}

static const char *gpt_check(Config *c) {
  set_default(&c->layers, 12);
  set_default(&c->width, 768);
  set_default(&c->heads, c->width % 64 == 0 ? c->width / 64 : 1);
  set_default(&c->batch, 8);
  set_default(&c->seq, 1024);
  set_default(&c->vocab, 51200);
  set_default(&c->hidden, 4 * c->width);
  if (!c->head_dim && c->width % c->heads)
    return "--width is no multiple of --heads: give --head-dim";
  set_default(&c->head_dim, c->width / c->heads);
  return NULL;
}

static const char *moe_check(Config *c) {
  if (!c->layers) c->layers = 8;
  const char *wrong = gpt_check(c);
  if (wrong) return wrong;
  wrong = experts_check(c);
  if (wrong) return wrong;
  if (c->layers % 2) return "every second layer has experts: --layers must be even";
  return NULL;
}

const Model model_gpt = {"gpt", "decoder transformer", gpt_check, gpt_loss, 1};
const Model model_moe = {"moe", "transformer, experts in every second layer", moe_check, moe_loss,
                         2};
