// A body that stands several times in a row, written out or as a while loop: the same function of
// the same parameters either way.
//
// As a loop, forward: `while (i < n) carry = body(row i of every stacked parameter, carry)`, and
// when a gradient will be asked for, row i of one more stack per carry keeps what the iteration
// started with. Backward: a loop from the last iteration to the first that computes the body again
// from what was kept (so only carries are stored, not what is inside a layer), differentiates it
// with a tape of its own and writes the parameters' gradients into stacks.
#include <assert.h>

#include "build.h"

// What a loop holds, in the order of its values: i, carries, stacks that are written, stacks that
// are only read.
typedef struct LoopNode {
  Repeat repeat;
  LoopFrame frame;
  const Val *params;  // stacks outside
  const Val *saved;   // one stack per carry
  char scope[512];
} LoopNode;

typedef struct While {
  uint32_t n;
  Val *inside;  // the region's arguments of the body
  Val results;  // first of n
} While;

static Val *val_array(Builder *b, size_t n) { return ARENA_ARRAY(b->arena, Val, n + 1); }

static void put_returns(Builder *b, uint32_t n, const Val *values) {
  build_begin_plain(b, "stablehlo.return");
  for (uint32_t i = 0; i < n; i++) build_text(b, i ? ", %v" : " %v", values[i]);
  for (uint32_t i = 0; i < n; i++) build_text(b, i ? ", %t" : " : %t", values[i]);
  build_end(b);
}

// Everything up to the body's first op: values[0] is the counter, from 0 to count.
static While while_begin(Builder *b, uint32_t n, const Val *values, int64_t count) {
  While loop = {.n = n, .inside = val_array(b, n)};
  Shape *shapes = ARENA_ARRAY(b->arena, Shape, n);
  for (uint32_t i = 0; i < n; i++) shapes[i] = *shape_of(b, values[i]);
  loop.results = build_begin_many(b, "stablehlo.while", n, shapes);
  for (uint32_t i = 0; i < n; i++) {
    loop.inside[i] = build_value(b, shapes[i], NAME_ITER);
    build_text(b, i ? ", %v = %v" : "(%v = %v", loop.inside[i], values[i]);
  }
  for (uint32_t i = 0; i < n; i++) build_text(b, i ? ", %t" : ") : %t", values[i]);
  build_text(b, "\n");
  build_indent(b);
  build_text(b, "cond {\n");
  b->indent++;
  Val limit = build_scalar(b, DT_i32, (double)count);
  Val more = build_compare(b, "LT", loop.inside[0], limit);
  put_returns(b, 1, &more);
  b->indent--;
  build_indent(b);
  build_text(b, "} do {\n");
  b->indent++;
  return loop;
}

static void while_end(Builder *b, const While *loop, const Val *next) {
  put_returns(b, loop->n, next);
  b->indent--;
  build_indent(b);
  build_text(b, "}");
  b->op_name = "stablehlo.while";
  build_end(b);
}

static Val next_counter(Builder *b, Val i) { return build_add(b, i, build_scalar(b, DT_i32, 1)); }

static Shape stacked(Shape shape, int64_t n) {
  assert(shape.rank < RANK_MAX && "room for one more dimension");
  Shape out = {.dtype = shape.dtype, .rank = shape.rank + 1, .dims = {n}};
  for (uint32_t i = 0; i < shape.rank; i++) out.dims[i + 1] = shape.dims[i];
  return out;
}

static void run_body(Builder *b, const Repeat *repeat, LoopFrame *frame, Val *carry) {
  b->repeat = repeat;
  b->iteration = -1;
  b->frame = frame;
  frame->next = 0;
  repeat->body(b, repeat->context, carry);
  b->frame = NULL;
  b->repeat = NULL;
}

// The parameters the body asks for, by running it on paper; then one stack each as an argument.
static void collect_params(Builder *b, LoopNode *node, const Val *carry) {
  Builder before = *b;
  b->quiet = true;
  b->recording = false;
  node->frame.collecting = true;
  Val *copy = arena_copy(b->arena, carry, node->repeat.n_carry * sizeof *carry);
  run_body(b, &node->repeat, &node->frame, copy);
  node->frame.collecting = false;
  // The tables may have grown, and moved; all that was added to them is dropped.
  b->values.count = before.values.count;
  b->nodes.count = before.nodes.count;
  before.values = b->values;
  before.nodes = b->nodes;
  *b = before;
  uint32_t n = node->frame.params.count;
  Val *params = val_array(b, n);
  for (uint32_t k = 0; k < n; k++) {
    const Param *p = &node->frame.params.items[k];
    const char *axes = p->axes ? arena_printf(b->arena, "_%s", p->axes) : NULL;
    params[k] = build_stack_param(b, p->name, stacked(p->shape, node->repeat.count), axes);
  }
  node->params = params;
  node->frame.slices = val_array(b, n);
}

static void loop_forward(Builder *b, LoopNode *node, Val *carry) {
  uint32_t nc = node->repeat.n_carry, np = node->frame.params.count;
  uint32_t ns = b->for_training ? nc : 0, n = 1 + nc + ns + np;
  Val *values = val_array(b, n), *next = val_array(b, n);
  values[0] = build_scalar(b, DT_i32, 0);
  for (uint32_t i = 0; i < nc; i++) values[1 + i] = carry[i];
  for (uint32_t i = 0; i < ns; i++)
    values[1 + nc + i] = build_splat(b, stacked(*shape_of(b, carry[i]), node->repeat.count), 0);
  for (uint32_t i = 0; i < np; i++) values[1 + nc + ns + i] = node->params[i];
  bool recording = b->recording;
  b->recording = false;
  While loop = while_begin(b, n, values, node->repeat.count);
  for (uint32_t i = 0; i < ns; i++)
    next[1 + nc + i] =
        build_set_row(b, loop.inside[1 + nc + i], loop.inside[1 + i], loop.inside[0]);
  for (uint32_t i = 0; i < nc; i++) next[1 + i] = loop.inside[1 + i];
  node->frame.stacks = loop.inside + 1 + nc + ns;
  node->frame.index = loop.inside[0];
  run_body(b, &node->repeat, &node->frame, next + 1);
  for (uint32_t i = 0; i < np; i++) next[1 + nc + ns + i] = loop.inside[1 + nc + ns + i];
  next[0] = next_counter(b, loop.inside[0]);
  while_end(b, &loop, next);
  b->recording = recording;
  Val *saved = val_array(b, nc);
  for (uint32_t i = 0; i < ns; i++) saved[i] = loop.results + 1 + nc + i;
  node->saved = saved;
  Val *in = val_array(b, nc + np);
  for (uint32_t i = 0; i < nc; i++) in[i] = carry[i];
  for (uint32_t i = 0; i < np; i++) in[nc + i] = node->params[i];
  for (uint32_t i = 0; i < nc; i++) carry[i] = loop.results + 1 + i;
  build_record(b, TAPE_repeat, loop.results + 1, nc, nc + np, in, node);
}

// ---- inline, computed again ----

typedef struct RematNode {
  Repeat repeat;
  int64_t iteration;
  RematFrame frame;
  char scope[512];
} RematNode;

static void run_item(Builder *b, const Repeat *repeat, int64_t iteration, Val *carry) {
  b->repeat = repeat;
  b->iteration = iteration;
  repeat->body(b, repeat->context, carry);
  b->repeat = NULL;
}

// Forward: nothing of the body is on the tape but the body itself.
static void remat_forward(Builder *b, const Repeat *repeat, int64_t iteration, Val *carry) {
  uint32_t nc = repeat->n_carry;
  RematNode *node = ARENA_NEW(b->arena, RematNode);
  node->repeat = *repeat;
  node->iteration = iteration;
  node->frame.first_param = b->params.count;
  memcpy(node->scope, b->scope, sizeof node->scope);
  Val *in = arena_copy(b->arena, carry, nc * sizeof *carry);
  bool recording = b->recording;
  b->recording = false;
  b->remat_frame = &node->frame;
  run_item(b, repeat, iteration, carry);
  b->remat_frame = NULL;
  b->recording = recording;
  // Results are consecutive values: copies of the last ones, which may be anywhere.
  Val first = b->values.count;
  for (uint32_t i = 0; i < nc; i++) {
    ValueInfo copy = b->values.items[carry[i]];
    VEC_PUSH(b->arena, &b->values, copy);
    carry[i] = first + i;
    b->values.items[in[i]].differentiable = true;
  }
  build_record(b, TAPE_remat, first, nc, nc, in, node);
}

// Backward: the body from what was kept, behind a barrier, so that it is not merged with the
// forward pass; then its gradient.
void grad_remat(Builder *b, const Node *tape) {
  RematNode *node = ARENA_NEW(b->arena, RematNode);
  *node = *(const RematNode *)tape->attr;
  uint32_t nc = node->repeat.n_carry, n_kept = node->frame.kept.count, first = b->nodes.count;
  Val *residuals = val_array(b, nc + n_kept), *start = val_array(b, nc), *carry = val_array(b, nc);
  for (uint32_t i = 0; i < nc; i++) residuals[i] = tape->in[i];
  for (uint32_t i = 0; i < n_kept; i++) residuals[nc + i] = node->frame.kept.items[i];
  Val fenced = build_barrier(b, nc + n_kept, residuals);
  node->frame.kept.items = val_array(b, n_kept);
  for (uint32_t i = 0; i < n_kept; i++) node->frame.kept.items[i] = fenced + nc + i;
  for (uint32_t i = 0; i < nc; i++) {
    carry[i] = start[i] = fenced + i;
    b->values.items[start[i]].differentiable = true;
  }
  char scope[sizeof b->scope];
  memcpy(scope, b->scope, sizeof scope);
  memcpy(b->scope, node->scope, sizeof b->scope);
  node->frame.replay = true;
  b->remat_frame = &node->frame;
  b->recording = true;
  run_item(b, &node->repeat, node->iteration, carry);
  b->recording = false;
  b->remat_frame = NULL;
  memcpy(b->scope, scope, sizeof scope);
  uint32_t end = b->nodes.count;
  for (uint32_t i = 0; i < nc; i++) grad_give(b, carry[i], grad_of(b, tape->out + i));
  grad_backward(b, first, end);
  b->nodes.count = first;
  for (uint32_t i = 0; i < nc; i++) grad_give(b, tape->in[i], grad_of(b, start[i]));
}

void build_repeat(Builder *b, const Repeat *repeat, Val *carry) {
  assert(!b->repeat && "repeats do not nest");
  if (b->loop && repeat->count > 1) {
    LoopNode *node = ARENA_NEW(b->arena, LoopNode);
    node->repeat = *repeat;
    memcpy(node->scope, b->scope, sizeof node->scope);
    collect_params(b, node, carry);
    loop_forward(b, node, carry);
    return;
  }
  for (int64_t i = 0; i < repeat->count; i++) {
    if (b->remat && b->for_training)
      remat_forward(b, repeat, i, carry);
    else
      run_item(b, repeat, i, carry);
  }
}

// In the backward loop's body: gives the gradients of carries and parameters of iteration `index`.
static void differentiate_body(Builder *b, LoopNode *node, const Val *saved, Val index,
                               const Val *out_grads, Val *carry_grads, Val *param_grads) {
  uint32_t nc = node->repeat.n_carry, first = b->nodes.count;
  Val *start = val_array(b, nc), *carry = val_array(b, nc);
  for (uint32_t i = 0; i < nc; i++) {
    carry[i] = start[i] = build_row(b, saved[i], index);
    b->values.items[start[i]].differentiable = true;
  }
  b->recording = true;
  run_body(b, &node->repeat, &node->frame, carry);
  b->recording = false;
  uint32_t end = b->nodes.count;
  for (uint32_t i = 0; i < nc; i++) grad_give(b, carry[i], out_grads[i]);
  grad_backward(b, first, end);
  b->nodes.count = first;
  for (uint32_t i = 0; i < nc; i++) carry_grads[i] = grad_of(b, start[i]);
  for (uint32_t i = 0; i < node->frame.params.count; i++)
    param_grads[i] = grad_of(b, node->frame.slices[i]);
}

void grad_repeat(Builder *b, const Node *tape, Val g) {
  (void)g;  // there is one for each carry
  LoopNode *node = ARENA_NEW(b->arena, LoopNode);
  *node = *(const LoopNode *)tape->attr;
  uint32_t nc = node->repeat.n_carry, np = node->frame.params.count, n = 1 + 2 * nc + 2 * np;
  Val *values = val_array(b, n), *next = val_array(b, n);
  values[0] = build_scalar(b, DT_i32, 0);
  for (uint32_t i = 0; i < nc; i++) values[1 + i] = grad_of(b, tape->out + i);
  for (uint32_t i = 0; i < np; i++)
    values[1 + nc + i] = build_splat(b, *shape_of(b, node->params[i]), 0);
  for (uint32_t i = 0; i < nc; i++) values[1 + nc + np + i] = node->saved[i];
  for (uint32_t i = 0; i < np; i++) values[1 + 2 * nc + np + i] = node->params[i];
  While loop = while_begin(b, n, values, node->repeat.count);
  Val last = build_scalar(b, DT_i32, (double)(node->repeat.count - 1));
  Val index = build_sub(b, last, loop.inside[0]);
  for (uint32_t i = 1; i < n; i++) next[i] = loop.inside[i];
  node->frame.stacks = loop.inside + 1 + 2 * nc + np;
  node->frame.index = index;
  char scope[sizeof b->scope];
  memcpy(scope, b->scope, sizeof scope);
  memcpy(b->scope, node->scope, sizeof b->scope);
  Val *rows = val_array(b, np);
  differentiate_body(b, node, loop.inside + 1 + nc + np, index, loop.inside + 1, next + 1, rows);
  memcpy(b->scope, scope, sizeof scope);
  for (uint32_t i = 0; i < np; i++)
    next[1 + nc + i] = build_set_row(b, loop.inside[1 + nc + i], rows[i], index);
  next[0] = next_counter(b, loop.inside[0]);
  while_end(b, &loop, next);
  for (uint32_t i = 0; i < nc; i++) grad_give(b, tape->in[i], loop.results + 1 + i);
  for (uint32_t i = 0; i < np; i++) grad_give(b, node->params[i], loop.results + 1 + nc + i);
}
