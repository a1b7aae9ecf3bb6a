// A training step: the model's loss, its gradient and Adam, as one function
//   (params, m, v, step, batch) -> (params, m, v, step, loss)
// in that order; with forward_only (params, batch) -> loss. The model is run twice: quietly, to
// know the arguments and how many there are, then for the text. O(ops).
#include "layers.h"
#include "models.h"

typedef struct Adam {
  double rate, decay1, decay2, epsilon, shrink;  // shrink and norm: AdamW only
  double norm;
} Adam;

// The paper's constants (Kingma and Ba, 2015); weight decay and clipping as GPT-3 was trained.
static const Adam adam = {1e-3, 0.9, 0.999, 1e-8, 0.1, 1.0};

static const char *const groups[] = {"params.", "m.", "v."};

static void put_argument(Builder *b, bool *first, const char *group, const Param *p,
                         uint32_t number, const Config *c) {
  build_text(b, *first ? "%sarg%i: %T" : ", %sarg%i: %T", "%", (int64_t)number, &p->shape);
  bool sharded = b->annotate && p->axes && group == groups[0];
  // Results are in the order of arguments: params, m, v, step.
  bool donated = c->donate && !c->forward_only && number < b->args_before_inputs;
  if (c->names || sharded || donated) build_text(b, " {");
  if (c->names) build_text(b, "jax.arg_info = \"%s%s\"", group, p->name);
  if (donated)
    build_text(b, c->names ? ", tf.aliasing_output = %i : i32" : "tf.aliasing_output = %i : i32",
               (int64_t)number);
  if (sharded) {
    build_text(b, c->names || donated ? ", sdy.sharding = #sdy.sharding"
                                      : "sdy.sharding = #sdy.sharding");
    build_put_sharding(b, p->axes);
  }
  if (c->names || sharded || donated) build_text(b, "}");
  *first = false;
}

static void put_result(Builder *b, bool *first, const char *group, const Param *p,
                       const Config *c) {
  build_text(b, *first ? "%T" : ", %T", &p->shape);
  if (c->names) build_text(b, " {jax.result_info = \"%s%s\"}", group, p->name);
  *first = false;
}

// params and inputs are those of the quiet run.
static void put_signature(Builder *b, const Builder *known, const Config *c) {
  const Param step = {.name = "step", .shape = {.dtype = DT_i32}},
              loss = {.name = "loss", .shape = {.dtype = known->master}};
  uint32_t n = known->params.count, n_groups = c->forward_only ? 1 : 3, number = 0;
  bool first = true;
  build_text(b, "module @jit_train_step attributes {mhlo.num_partitions = 1 : i32, "
                "mhlo.num_replicas = 1 : i32} {\n");
  if (b->annotate)
    build_text(b, "  sdy.mesh @mesh = <[\"x\"=%i, \"y\"=%i]>\n", c->mesh[0], c->mesh[1]);
  build_text(b, "  func.func public @main(");
  for (uint32_t k = 0; k < n_groups; k++)
    for (uint32_t i = 0; i < n; i++)
      put_argument(b, &first, groups[k], &known->params.items[i], number++, c);
  if (!c->forward_only) put_argument(b, &first, "", &step, number++, c);
  for (uint32_t i = 0; i < known->inputs.count; i++)
    put_argument(b, &first, "batch.", &known->inputs.items[i], number++, c);
  build_text(b, ") -> (");
  first = true;
  for (uint32_t k = 0; k < n_groups && !c->forward_only; k++)
    for (uint32_t i = 0; i < n; i++) put_result(b, &first, groups[k], &known->params.items[i], c);
  if (!c->forward_only) put_result(b, &first, "", &step, c);
  put_result(b, &first, "", &loss, c);
  build_text(b, ") {\n");
}

static Val argument(Builder *b, uint32_t number, Shape shape) {
  ValueInfo info = {.shape = shape, .spelling = NAME_ARG, .part = -1, .number = number};
  VEC_PUSH(b->arena, &b->values, info);
  return b->values.count - 1;
}

// a * x + (1 - a) * y
static Val average(Builder *b, Val x, Val y, double a) {
  Val old = layer_scale(b, x, a), fresh = layer_scale(b, y, 1 - a);
  return build_add(b, old, fresh);
}

// 1 - decay^step
static Val correction(Builder *b, Val step, double decay) {
  Val power = build_power(b, build_scalar(b, b->master, decay), step);
  return build_sub(b, build_scalar(b, b->master, 1), power);
}

// Gradients divided by their common norm where that is more than adam.norm.
static void clip(Builder *b, uint32_t n, Val *grads) {
  Val total = 0;
  for (uint32_t i = 0; i < n; i++) {
    DimList all = {.n = shape_of(b, grads[i])->rank};
    for (uint32_t d = 0; d < all.n; d++) all.at[d] = d;
    Val square = build_sum(b, build_mul(b, grads[i], grads[i]), &all);
    total = total ? build_add(b, total, square) : square;
  }
  Val norm = build_unary(b, TAPE_sqrt, total);
  Val small = build_compare(b, "LT", norm, build_scalar(b, b->master, adam.norm));
  for (uint32_t i = 0; i < n; i++) {
    Val unit = build_div(b, grads[i], layer_spread(b, norm, grads[i], 0));
    grads[i] = build_select(b, small, grads[i], layer_scale(b, unit, adam.norm));
  }
}

// What both moments are divided by: they start from zero.
typedef struct Corrections {
  Val first, second;
} Corrections;

static void update(Builder *b, const Param *p, uint32_t number, uint32_t n, Val g,
                   const Corrections *correct, bool decay, Val *results) {
  Val m = average(b, argument(b, n + number, p->shape), g, adam.decay1);
  Val v = average(b, argument(b, 2 * n + number, p->shape), build_mul(b, g, g), adam.decay2);
  Val m_hat = build_div(b, m, layer_spread(b, correct->first, m, 0));
  Val v_hat = build_div(b, v, layer_spread(b, correct->second, v, 0));
  Val root = layer_offset(b, build_unary(b, TAPE_sqrt, v_hat), adam.epsilon);
  Val change = build_div(b, m_hat, root);
  if (decay) change = build_add(b, change, layer_scale(b, p->value, adam.shrink));
  results[number] = build_sub(b, p->value, layer_scale(b, change, adam.rate));
  results[n + number] = m;
  results[2 * n + number] = v;
}

static void put_return(Builder *b, uint32_t n, const Val *results) {
  build_begin_plain(b, "return");
  for (uint32_t i = 0; i < n; i++) build_text(b, i ? ", %v" : " %v", results[i]);
  for (uint32_t i = 0; i < n; i++) build_text(b, i ? ", %t" : " : %t", results[i]);
  build_end(b);
}

static void write_training(Builder *b, const Config *c, Val loss) {
  uint32_t n = b->params.count;
  b->recording = false;
  grad_give(b, loss, build_scalar(b, b->master, 1));
  grad_backward(b, 0, b->nodes.count);
  size_t mark = build_enter(b, "adam");
  Val *results = ARENA_ARRAY(b->arena, Val, 3 * (size_t)n + 2);
  Val *grads = ARENA_ARRAY(b->arena, Val, n);
  for (uint32_t i = 0; i < n; i++) grads[i] = grad_of(b, b->params.items[i].value);
  if (c->adamw) clip(b, n, grads);
  Val step =
      build_add(b, argument(b, 3 * n, shape_make(DT_i32, 0, NULL)), build_scalar(b, DT_i32, 1));
  Val count = build_convert(b, step, b->master);
  Corrections correct;
  correct.first = correction(b, count, adam.decay1);
  correct.second = correction(b, count, adam.decay2);
  for (uint32_t i = 0; i < n; i++)
    update(b, &b->params.items[i], i, n, grads[i], &correct, c->adamw, results);
  results[3 * n] = step;
  results[3 * n + 1] = loss;
  build_leave(b, mark);
  put_return(b, 3 * n + 2, results);
}

static void write_body(Builder *b, const Model *model, const Config *c) {
  Val loss = model->loss(b, c);
  if (c->forward_only)
    put_return(b, 1, &loss);
  else
    write_training(b, c, loss);
}

static void start(Builder *b, Arena *arena, StrBuf *out, const Config *c) {
  build_init(b, arena, out);
  b->loop = c->loop;
  b->remat = c->remat;
  b->locations = c->locations;
  b->annotate = c->mesh[0];
  b->annotate_cotangents = c->swiglu;
  b->annotate_dense = c->mesh[0] > 1 || !c->experts;
  b->for_training = b->recording = !c->forward_only;
  b->compute = c->dtype;
  b->master = c->dtype == DT_bf16 || c->dtype == DT_f16 ? DT_f32 : c->dtype;
}

uint64_t train_write(Arena *arena, StrBuf *out, const Model *model, const Config *c) {
  ArenaMark mark = arena_mark(arena);
  Builder known, b;
  // The gradient and Adam add no arguments: the forward part is enough to know them.
  start(&known, arena, NULL, c);
  model->loss(&known, c);
  uint32_t n = known.params.count;
  start(&b, arena, out, c);
  b.args_before_inputs = c->forward_only ? n : 3 * n + 1;
  b.next_number[NAME_ARG] = b.args_before_inputs + known.inputs.count;
  put_signature(&b, &known, c);
  write_body(&b, model, c);
  build_text(&b, "  }\n}\n");
  arena_rewind(arena, mark);
  return b.ops;
}
