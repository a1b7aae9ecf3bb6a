// Wide-ResNet: bottleneck residual network with batch norm by the batch's statistics; layers, base
// channels and width factor as Alpa counts them (50 layers, base 160, width 2). 3-D U-Net: levels
// of convolutions going down by strides, coming up by transposed convolutions, joined by
// concatenation.
#include "layers.h"
#include "models.h"

static Val conv_norm(Builder *b, const char *name, Val x, ConvOptions options, bool relu) {
  size_t mark = build_enter(b, name);
  Val y = layer_batch_norm(b, "norm", layer_conv(b, "conv", x, options));
  build_leave(b, mark);
  return relu ? layer_relu(b, y) : y;
}

// ---- Wide-ResNet ----

typedef struct Stage {
  int64_t entry, inner, outer, stride;  // channels after convolutions a, b, c
} Stage;

static Val block(Builder *b, const Stage *stage, Val x, bool first) {
  int64_t stride = first ? stage->stride : 1;
  Val y = conv_norm(b, "a", x, (ConvOptions){1, 1, stage->entry, false}, true);
  y = conv_norm(b, "b", y, (ConvOptions){3, stride, stage->inner, false}, true);
  y = conv_norm(b, "c", y, (ConvOptions){1, 1, stage->outer, false}, false);
  if (first) x = conv_norm(b, "shortcut", x, (ConvOptions){1, stride, stage->outer, false}, false);
  return layer_relu(b, build_add(b, x, y));
}

static void block_body(Builder *b, const void *context, Val *carry) {
  size_t mark = build_item(b, 0);
  carry[0] = block(b, context, carry[0], false);
  build_leave(b, mark);
}

// Blocks of the four stages: 3, 4, n - 10, 3 as published (50, 101), in proportion when there are
// fewer than 16.
static void stage_blocks(int64_t layers, int64_t *out) {
  int64_t n = (layers - 2) / 3;
  int64_t most[] = {3, 4, 6, 3};
  for (int i = 0; i < 4; i++) out[i] = n >= 16 ? most[i] : most[i] * n / 16;
  for (int i = 0; i < 4; i++)
    if (out[i] < 1) out[i] = 1;
  int64_t rest = n - out[0] - out[1] - out[3];
  out[2] = rest > 1 ? rest : 1;
}

static Val max_pool(Builder *b, Val x) {
  Shape out = *shape_of(b, x);
  PoolAttr attr = {.window = {1, 3, 3, 1}, .stride = {1, 2, 2, 1}};
  for (int i = 1; i <= 2; i++) {
    int64_t n = out.dims[i], m = (n + 1) / 2, pad = (m - 1) * 2 + 3 - n;
    attr.pad[i][0] = pad / 2;
    attr.pad[i][1] = pad - pad / 2;
    out.dims[i] = m;
  }
  return build_max_pool(b, x, out, &attr);
}

static Val wrn_loss(Builder *b, const Config *c) {
  Val x = build_input(b, "images", SHAPE(b->compute, c->batch, c->size, c->size, 3));
  Val labels = build_input(b, "labels", SHAPE(DT_i32, c->batch));
  x = conv_norm(b, "stem", x, (ConvOptions){7, 2, c->channels, false}, true);
  x = max_pool(b, x);
  int64_t blocks[4];
  stage_blocks(c->layers, blocks);
  for (int64_t i = 0; i < 4; i++) {
    int64_t base = c->channels << i;
    Stage *stage = ARENA_NEW(b->arena, Stage);
    int64_t inner = base * c->width;
    *stage = (Stage){c->narrow_entry ? base : inner, inner, base * 4, i ? 2 : 1};
    size_t mark = build_enter_number(b, "stage_", i), in_block = build_enter(b, "block_0");
    x = block(b, stage, x, true);
    build_leave(b, in_block);
    Repeat repeat = {.name = "block_",
                     .first = 1,
                     .count = blocks[i] - 1,
                     .period = 1,
                     .n_carry = 1,
                     .body = block_body,
                     .context = stage};
    build_repeat(b, &repeat, &x);
    build_leave(b, mark);
  }
  Val pooled = layer_mean(b, layer_wide(b, x), &(DimList){2, {1, 2}});
  size_t mark = build_enter(b, "head");
  Shape kernel = SHAPE(b->compute, shape_of(b, pooled)->dims[1], c->classes);
  Val features = build_convert(b, pooled, b->compute);
  Val logits = layer_einsum(b, "bf,fc->bc", features, build_param(b, "kernel", kernel));
  logits = layer_bias(b, logits, 1);
  build_leave(b, mark);
  return layer_cross_entropy(b, logits, labels);
}

static void set_default(int64_t *value, int64_t otherwise) {
  if (!*value) *value = otherwise;
}

static const char *wrn_check(Config *c) {
  set_default(&c->layers, 50);
  set_default(&c->channels, 160);
  set_default(&c->width, 2);
  set_default(&c->batch, 32);
  set_default(&c->size, 224);
  set_default(&c->classes, 1024);
  if (c->layers < 14) return "--layers must be at least 14: four stages of one block";
  return NULL;
}

// ---- 3-D U-Net ----

typedef struct Level {
  int64_t features;
} Level;

static void conv_body(Builder *b, const void *context, Val *carry) {
  const Level *level = context;
  size_t mark = build_item(b, 0);
  ConvOptions options = {3, 1, level->features, false};
  Val y = layer_batch_norm(b, "norm", layer_conv(b, "conv", carry[0], options));
  carry[0] = layer_relu(b, y);
  build_leave(b, mark);
}

// c->layers convolutions; the first may change the number of channels.
static Val convolutions(Builder *b, const Config *c, Val x, int64_t features) {
  Level *level = ARENA_NEW(b->arena, Level);
  level->features = features;
  x = conv_norm(b, "step_0", x, (ConvOptions){3, 1, features, false}, true);
  Repeat repeat = {.name = "step_",
                   .first = 1,
                   .count = c->layers - 1,
                   .period = 1,
                   .n_carry = 1,
                   .body = conv_body,
                   .context = level};
  build_repeat(b, &repeat, &x);
  return x;
}

static Val unet_loss(Builder *b, const Config *c) {
  int64_t n = c->size;
  Val x = build_input(b, "volume", SHAPE(b->compute, c->batch, n, n, n, 1));
  Val labels = build_input(b, "labels", SHAPE(DT_i32, c->batch, n, n, n));
  Val *skips = ARENA_ARRAY(b->arena, Val, (size_t)c->depth);
  for (int64_t i = 0; i < c->depth; i++) {
    size_t mark = build_enter_number(b, "down_", i);
    if (i) x = conv_norm(b, "halve", x, (ConvOptions){2, 2, c->channels << i, false}, true);
    skips[i] = x = convolutions(b, c, x, c->channels << i);
    build_leave(b, mark);
  }
  for (int64_t i = c->depth - 2; i >= 0; i--) {
    size_t mark = build_enter_number(b, "up_", i);
    Val grown = layer_conv(b, "double", x, (ConvOptions){2, 1, c->channels << i, true});
    x = build_concatenate(b, 2, (Val[]){skips[i], grown}, 4);
    x = convolutions(b, c, x, c->channels << i);
    build_leave(b, mark);
  }
  return layer_cross_entropy(b, layer_conv(b, "head", x, (ConvOptions){1, 1, c->classes, false}),
                             labels);
}

static const char *unet_check(Config *c) {
  set_default(&c->layers, 2);
  set_default(&c->channels, 32);
  set_default(&c->depth, 4);
  set_default(&c->batch, 4);
  set_default(&c->size, 128);
  set_default(&c->classes, 3);
  if (c->depth > 30 || c->size % ((int64_t)1 << (c->depth - 1)))
    return "--size must be divisible by 2 to the --depth - 1: every level halves it";
  return NULL;
}

const Model model_wrn = {"wrn", "Wide-ResNet with bottlenecks", wrn_check, wrn_loss, 3};
const Model model_unet = {"unet", "3-D U-Net", unet_check, unet_loss, 1};
