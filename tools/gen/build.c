// The builder: every function writes one op (or an idiom of two or three) as JAX prints it and,
// when recording, puts it on the tape with what its gradient will need. Values are numbered in
// order, so the text is a function of the options alone. A quiet builder does all of that but the
// writing: it is how arguments and results are known before the function's first line, and how a
// loop's stacked parameters are known before its body. O(1) per op.
//
// Calls that write ops never stand side by side in one argument list: C leaves their order open.
#include "build.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define OP(name) "stablehlo." name

static const char *const op_text[] = {
#define TAPE_OP(name) [TAPE_##name] = OP(#name),
    TAPE_OPS(TAPE_OP)
#undef TAPE_OP
};

void build_init(Builder *b, Arena *arena, StrBuf *out) {
  *b = (Builder){.arena = arena, .out = out, .quiet = !out, .recording = true, .indent = 2};
  ValueInfo none = {.part = -1};
  VEC_PUSH(arena, &b->values, none);
}

Shape shape_make(DType dtype, uint32_t rank, const int64_t *dims) {
  Shape shape = {.dtype = dtype, .rank = rank};
  for (uint32_t i = 0; i < rank; i++) shape.dims[i] = dims[i];
  return shape;
}

Shape shape_as(const Shape *shape, DType dtype) {
  Shape copy = *shape;
  copy.dtype = dtype;
  return copy;
}

// ---- names ----

size_t build_enter(Builder *b, const char *name) {
  size_t mark = strlen(b->scope);
  snprintf(b->scope + mark, sizeof b->scope - mark, "%s.", name);
  return mark;
}

size_t build_enter_number(Builder *b, const char *name, int64_t number) {
  char text[64];
  snprintf(text, sizeof text, "%s%lld", name, (long long)number);
  return build_enter(b, text);
}

size_t build_item(Builder *b, int64_t offset) {
  const Repeat *r = b->repeat;
  if (b->iteration >= 0)
    return build_enter_number(b, r->name, r->first + b->iteration * r->period + offset);
  char text[128];
  long long first = (long long)(r->first + offset), step = (long long)r->period,
            end = (long long)(r->first + r->count * r->period);
  int n = snprintf(text, sizeof text, "%s[%lld:%lld", r->name, first, end);
  snprintf(text + n, sizeof text - (size_t)n, step > 1 ? ":%lld]" : "]", step);
  return build_enter(b, text);
}

void build_leave(Builder *b, size_t mark) { b->scope[mark] = '\0'; }

// ---- text ----

static void put_value(Builder *b, Val v) {
  static const char *const words[NAME_COUNT] = {"%arg", "%", "%cst", "%c", "%iterArg"};
  const ValueInfo *info = &b->values.items[v];
  strbuf_puts(b->out, words[info->spelling]);
  if (info->spelling <= NAME_RESULT) {
    strbuf_put_int(b->out, info->number);
  } else if (info->number) {  // %cst, %cst_0, %cst_1
    strbuf_putc(b->out, '_');
    strbuf_put_int(b->out, info->number - 1);
  }
  if (info->part < 0) return;
  strbuf_putc(b->out, '#');
  strbuf_put_int(b->out, info->part);
}

static void put_type(Builder *b, const Shape *shape) {
  strbuf_puts(b->out, "tensor<");
  for (uint32_t i = 0; i < shape->rank; i++) {
    strbuf_put_int(b->out, shape->dims[i]);
    strbuf_putc(b->out, 'x');
  }
  strbuf_puts(b->out, dtype_info(shape->dtype)->name);
  strbuf_putc(b->out, '>');
}

static void put_list(Builder *b, const DimList *list) {
  for (uint32_t i = 0; i < list->n; i++) {
    if (i) strbuf_puts(b->out, ", ");
    strbuf_put_int(b->out, list->at[i]);
  }
}

void build_text(Builder *b, const char *format, ...) {
  if (b->quiet) return;
  va_list args;
  va_start(args, format);
  for (;;) {
    size_t plain = strcspn(format, "%");
    strbuf_put(b->out, format, plain);
    format += plain;
    if (!*format) break;
    switch (format[1]) {
    case 'v': put_value(b, va_arg(args, Val)); break;
    case 't': put_type(b, shape_of(b, va_arg(args, Val))); break;
    case 'T': put_type(b, va_arg(args, const Shape *)); break;
    case 'i': strbuf_put_int(b->out, va_arg(args, int64_t)); break;
    case 'l': put_list(b, va_arg(args, const DimList *)); break;
    case 's': strbuf_puts(b->out, va_arg(args, const char *)); break;
    default: assert(false && "a directive of build_text");
    }
    format += 2;
  }
  va_end(args);
}

void build_indent(Builder *b) {
  static const char spaces[] = "                                ";
  if (!b->quiet) strbuf_put(b->out, spaces, 2 * (size_t)b->indent);
}

// MLIR's numbers: a word's first use has none, all later ones of all words count on together.
static uint32_t next_number(Builder *b, Spelling spelling) {
  if (spelling <= NAME_RESULT) return b->next_number[spelling]++;
  return b->next_number[spelling]++ ? ++b->suffixes : 0;
}

Val build_value(Builder *b, Shape shape, Spelling spelling) {
  ValueInfo info = {.shape = shape,
                    .spelling = (uint8_t)spelling,
                    .part = -1,
                    .number = next_number(b, spelling)};
  VEC_PUSH(b->arena, &b->values, info);
  return b->values.count - 1;
}

static Val begin_as(Builder *b, const char *name, Shape shape, Spelling spelling) {
  Val v = build_value(b, shape, spelling);
  b->ops++;
  b->op_name = name;
  build_indent(b);
  build_text(b, "%v = %s", v, name);
  return v;
}

Val build_begin(Builder *b, const char *name, Shape shape) {
  return begin_as(b, name, shape, NAME_RESULT);
}

Val build_begin_many(Builder *b, const char *name, uint32_t n, const Shape *shapes) {
  Val first = 0;
  uint32_t number = b->next_number[NAME_RESULT]++;
  for (uint32_t i = 0; i < n; i++) {
    ValueInfo info = {
        .shape = shapes[i], .spelling = NAME_RESULT, .part = (int32_t)i, .number = number};
    VEC_PUSH(b->arena, &b->values, info);
    if (i == 0) first = b->values.count - 1;
  }
  b->ops++;
  b->op_name = name;
  build_indent(b);
  build_text(b, "%s%i:%i = %s", "%", (int64_t)number, (int64_t)n, name);
  return first;
}

void build_begin_plain(Builder *b, const char *name) {
  b->ops++;
  b->op_name = name;
  build_indent(b);
  build_text(b, "%s", name);
}

// JAX's name stack: jit(train_step)/transpose(jvp(layer_3))/attn/q/dot_general.
static void put_location(Builder *b) {
  const char *scope = b->tape_scope ? b->tape_scope : b->scope, *name = b->op_name;
  size_t head = strcspn(scope, ".");
  strbuf_puts(b->out, " loc(\"jit(train_step)/");
  if (b->tape_scope) {
    build_text(b, "transpose(jvp(");
    strbuf_put(b->out, scope, head);
    build_text(b, "))/");
    scope += head + (scope[head] == '.');
  }
  for (; *scope; scope++) strbuf_putc(b->out, *scope == '.' ? '/' : *scope);
  if (*name == '"') name++;
  if (strncmp(name, "stablehlo.", 10) == 0) name += 10;
  strbuf_put(b->out, name, strcspn(name, "\""));
  strbuf_puts(b->out, "\")");
}

void build_end(Builder *b) {
  if (b->quiet) return;
  if (b->locations) put_location(b);
  strbuf_putc(b->out, '\n');
}

void build_record(Builder *b, TapeOp op, Val out, uint32_t n_out, uint32_t n_in, const Val *in,
                  const void *attr) {
  if (!b->recording) return;
  bool wanted = false;
  for (uint32_t i = 0; i < n_in; i++) wanted = wanted || b->values.items[in[i]].differentiable;
  if (!wanted) return;
  for (uint32_t i = 0; i < n_out; i++)
    b->values.items[out + i].differentiable = dtype_kind(shape_of(b, out + i)->dtype) == KIND_FLOAT;
  const char *scope = b->locations ? arena_printf(b->arena, "%s", b->scope) : "";
  Node node = {op, n_in, n_out, arena_copy(b->arena, in, n_in * sizeof *in), out, attr, scope};
  VEC_PUSH(b->arena, &b->nodes, node);
}

static Val record1(Builder *b, TapeOp op, Val out, Val x, const void *attr) {
  build_record(b, op, out, 1, 1, &x, attr);
  return out;
}

#define KEEP(b, T, attr) ((b)->recording ? arena_copy((b)->arena, (attr), sizeof(T)) : NULL)

// ---- leaves ----

static const char *full_name(Builder *b, const char *name) {
  return arena_printf(b->arena, "%s%s", b->scope, name);
}

static Val new_argument(Builder *b, uint32_t number, Shape shape) {
  ValueInfo info = {.shape = shape, .spelling = NAME_ARG, .part = -1, .number = number};
  VEC_PUSH(b->arena, &b->values, info);
  return b->values.count - 1;
}

Val build_stack_param(Builder *b, const char *name, Shape shape, const char *axes) {
  Val v = new_argument(b, b->params.count, shape);
  b->values.items[v].differentiable = true;
  Param param = {name, shape, v, axes};
  VEC_PUSH(b->arena, &b->params, param);
  return v;
}

// The parameters of a body that is computed again are those of its forward pass.
static Val replayed_parameter(Builder *b) {
  RematFrame *frame = b->remat_frame;
  return b->params.items[frame->first_param + frame->next_param++].value;
}

static Val frame_parameter(Builder *b, const char *name, Shape shape, const char *axes) {
  LoopFrame *frame = b->frame;
  if (frame->collecting) {
    Param param = {full_name(b, name), shape, 0, axes};
    VEC_PUSH(b->arena, &frame->params, param);
    return build_value(b, shape, NAME_RESULT);
  }
  uint32_t k = frame->next++;
  bool before = b->recording;
  b->recording = false;
  Val row = build_row(b, frame->stacks[k], frame->index);
  b->recording = before;
  b->values.items[row].differentiable = true;
  frame->slices[k] = row;
  return row;
}

Val build_param_on(Builder *b, const char *name, Shape shape, const char *axes) {
  shape.dtype = b->master;
  Val v;
  if (b->frame)
    v = frame_parameter(b, name, shape, axes);
  else if (b->remat_frame && b->remat_frame->replay)
    v = replayed_parameter(b);
  else
    v = build_stack_param(b, full_name(b, name), shape, axes);
  return build_convert(b, v, b->compute);
}

Val build_param(Builder *b, const char *name, Shape shape) {
  return build_param_on(b, name, shape, NULL);
}

Val build_input(Builder *b, const char *name, Shape shape) {
  Val v = new_argument(b, b->args_before_inputs + b->inputs.count, shape);
  Param input = {full_name(b, name), shape, v, NULL};
  VEC_PUSH(b->arena, &b->inputs, input);
  return v;
}

Val build_scalar(Builder *b, DType dtype, double value) {
  bool is_float = dtype_kind(dtype) == KIND_FLOAT;
  Val v = begin_as(b, OP("constant"), shape_make(dtype, 0, NULL), is_float ? NAME_CST : NAME_C);
  if (!b->quiet) {
    char text[DTYPE_TEXT_MAX];
    Scalar scalar = is_float ? dtype_round(dtype, scalar_f(value)) : scalar_i((int64_t)value);
    dtype_format(dtype, scalar, text, sizeof text);
    build_text(b, " dense<%s> : %t", text, v);
  }
  build_end(b);
  return v;
}

Val build_splat(Builder *b, Shape shape, double value) {
  Val v = build_scalar(b, shape.dtype, value);
  return shape.rank ? build_broadcast(b, v, shape, NULL) : v;
}

Val build_iota(Builder *b, Shape shape, uint32_t dim) {
  Val v = build_begin(b, OP("iota"), shape);
  build_text(b, " dim = %i : %t", (int64_t)dim, v);
  build_end(b);
  return v;
}

// ---- shardings ----

void build_put_sharding(Builder *b, const char *axes) {
  build_text(b, "<@mesh, [");
  for (uint32_t i = 0; axes[i]; i++)
    if (axes[i] == 'z')
      build_text(b, "%s{\"x\", \"y\"}", i ? ", " : "");
    else
      build_text(b, axes[i] == '_' ? "%s{}" : "%s{\"%s\"}", i ? ", " : "",
                 (const char[]){axes[i], '\0'});
  build_text(b, "]>");
}

Val build_constraint(Builder *b, Val x, const char *axes) {
  if (!b->annotate || !axes) return x;
  assert(strlen(axes) == shape_of(b, x)->rank && "an axis or none for each dimension");
  Val v = build_begin(b, "sdy.sharding_constraint", *shape_of(b, x));
  build_text(b, " %v ", x);
  build_put_sharding(b, axes);
  build_text(b, " : %t", v);
  build_end(b);
  return record1(b, TAPE_sharding_constraint, v, x, axes);
}

// ---- rematerialization ----

Val build_barrier(Builder *b, uint32_t n, const Val *xs) {
  Shape *shapes = ARENA_ARRAY(b->arena, Shape, n);
  for (uint32_t i = 0; i < n; i++) shapes[i] = *shape_of(b, xs[i]);
  Val v = n == 1 ? build_begin(b, OP("optimization_barrier"), shapes[0])
                 : build_begin_many(b, OP("optimization_barrier"), n, shapes);
  for (uint32_t i = 0; i < n; i++) build_text(b, i ? ", %v" : " %v", xs[i]);
  for (uint32_t i = 0; i < n; i++) build_text(b, i ? ", %t" : " : %t", xs[i]);
  build_end(b);
  return v;
}

// Whether `name` is an item of the list "a,b,c".
static bool is_listed(const char *list, const char *name) {
  size_t n = strlen(name);
  for (const char *at = list; *at;) {
    size_t length = strcspn(at, ",");
    if (length == n && strncmp(at, name, n) == 0) return true;
    at += length + (at[length] == ',');
  }
  return false;
}

Val build_keep(Builder *b, const char *name, Val x) {
  RematFrame *frame = b->remat_frame;
  if (!frame || !is_listed(b->remat, name)) return x;
  if (!frame->replay) {
    VEC_PUSH(b->arena, &frame->kept, x);
    return x;
  }
  Val v = frame->kept.items[frame->next_kept++];
  return record1(b, TAPE_keep, v, x, NULL);
}

// ---- pointwise ----

Val build_unary(Builder *b, TapeOp op, Val x) {
  Val v = build_begin(b, op_text[op], *shape_of(b, x));
  build_text(b, " %v : %t", x, v);
  build_end(b);
  return record1(b, op, v, x, NULL);
}

static Val binary(Builder *b, const char *name, Val x, Val y) {
  assert(shape_same(shape_of(b, x), shape_of(b, y)) && "operands of one type");
  Val v = build_begin(b, name, *shape_of(b, x));
  build_text(b, " %v, %v : %t", x, y, v);
  build_end(b);
  return v;
}

Val build_binary(Builder *b, TapeOp op, Val x, Val y) {
  Val v = binary(b, op_text[op], x, y);
  build_record(b, op, v, 1, 2, (Val[]){x, y}, NULL);
  return v;
}

Val build_elementwise(Builder *b, const char *name, Val x) {
  Val v = build_begin(b, name, *shape_of(b, x));
  build_text(b, " %v : %t", x, v);
  build_end(b);
  return v;
}

Val build_power(Builder *b, Val x, Val y) { return binary(b, OP("power"), x, y); }

Val build_compare(Builder *b, const char *direction, Val x, Val y) {
  const Shape *shape = shape_of(b, x);
  const char *how = dtype_kind(shape->dtype) == KIND_FLOAT ? "FLOAT" : "SIGNED";
  Val v = build_begin(b, OP("compare"), shape_as(shape, DT_i1));
  build_text(b, " %s, %v, %v, %s : (%t, %t) -> %t", direction, x, y, how, x, y, v);
  build_end(b);
  return v;
}

Val build_select(Builder *b, Val pred, Val x, Val y) {
  Val v = build_begin(b, OP("select"), *shape_of(b, x));
  build_text(b, " %v, %v, %v : %t, %t", pred, x, y, pred, v);
  build_end(b);
  build_record(b, TAPE_select, v, 1, 3, (Val[]){pred, x, y}, NULL);
  return v;
}

Val build_convert(Builder *b, Val x, DType dtype) {
  if (shape_of(b, x)->dtype == dtype) return x;
  Val v = build_begin(b, OP("convert"), shape_as(shape_of(b, x), dtype));
  build_text(b, " %v : (%t) -> %t", x, x, v);
  build_end(b);
  return record1(b, TAPE_convert, v, x, NULL);
}

// ---- shapes ----

Val build_broadcast(Builder *b, Val x, Shape shape, const int64_t *dims) {
  DimList list = {.n = shape_of(b, x)->rank};
  for (uint32_t i = 0; i < list.n; i++) {
    list.at[i] = dims[i];
    assert((shape_of(b, x)->dims[i] == 1 || shape_of(b, x)->dims[i] == shape.dims[dims[i]]) &&
           "only dimensions of 1 are stretched");
  }
  Val v = build_begin(b, OP("broadcast_in_dim"), shape);
  build_text(b, " %v, dims = [%l] : (%t) -> %t", x, &list, x, v);
  build_end(b);
  return record1(b, TAPE_broadcast_in_dim, v, x, KEEP(b, DimList, &list));
}

Val build_reshape(Builder *b, Val x, Shape shape) {
  Val v = build_begin(b, OP("reshape"), shape);
  build_text(b, " %v : (%t) -> %t", x, x, v);
  build_end(b);
  return record1(b, TAPE_reshape, v, x, NULL);
}

Val build_transpose(Builder *b, Val x, const int64_t *permutation) {
  Shape shape = *shape_of(b, x);
  DimList list = {.n = shape.rank};
  bool identity = true;
  for (uint32_t i = 0; i < list.n; i++) {
    list.at[i] = permutation[i];
    shape.dims[i] = shape_of(b, x)->dims[permutation[i]];
    identity = identity && permutation[i] == i;
  }
  if (identity) return x;
  Val v = build_begin(b, OP("transpose"), shape);
  build_text(b, " %v, dims = [%l] : (%t) -> %t", x, &list, x, v);
  build_end(b);
  return record1(b, TAPE_transpose, v, x, KEEP(b, DimList, &list));
}

Val build_slice(Builder *b, Val x, const SliceAttr *attr) {
  Shape shape = *shape_of(b, x);
  for (uint32_t i = 0; i < shape.rank; i++) shape.dims[i] = attr->end[i] - attr->begin[i];
  Val v = build_begin(b, OP("slice"), shape);
  build_text(b, " %v [", x);
  for (uint32_t i = 0; i < shape.rank; i++)
    build_text(b, "%s%i:%i", i ? ", " : "", attr->begin[i], attr->end[i]);
  build_text(b, "] : (%t) -> %t", x, v);
  build_end(b);
  return record1(b, TAPE_slice, v, x, KEEP(b, SliceAttr, attr));
}

Val build_pad(Builder *b, Val x, const SliceAttr *into, Shape shape) {
  DimList low = {.n = shape.rank}, high = low, interior = low;
  for (uint32_t i = 0; i < shape.rank; i++) {
    low.at[i] = into->begin[i];
    high.at[i] = shape.dims[i] - into->end[i];
  }
  Val zero = build_scalar(b, shape.dtype, 0);
  Val v = build_begin(b, OP("pad"), shape);
  build_text(b, " %v, %v, low = [%l], high = [%l], interior = [%l] : (%t, %t) -> %t", x, zero, &low,
             &high, &interior, x, zero, v);
  build_end(b);
  return record1(b, TAPE_pad, v, x, KEEP(b, SliceAttr, into));
}

Val build_concatenate(Builder *b, uint32_t n, const Val *xs, uint32_t dim) {
  Shape shape = *shape_of(b, xs[0]);
  for (uint32_t i = 1; i < n; i++) shape.dims[dim] += shape_of(b, xs[i])->dims[dim];
  Val v = build_begin(b, OP("concatenate"), shape);
  for (uint32_t i = 0; i < n; i++) build_text(b, i ? ", %v" : " %v", xs[i]);
  build_text(b, ", dim = %i : (", (int64_t)dim);
  for (uint32_t i = 0; i < n; i++) build_text(b, i ? ", %t" : "%t", xs[i]);
  build_text(b, ") -> %t", v);
  build_end(b);
  build_record(b, TAPE_concatenate, v, 1, n, xs, KEEP(b, uint32_t, &dim));
  return v;
}

Val build_reverse(Builder *b, Val x, const DimList *dims) {
  Val v = build_begin(b, OP("reverse"), *shape_of(b, x));
  build_text(b, " %v, dims = [%l] : %t", x, dims, v);
  build_end(b);
  return v;
}

Val build_row(Builder *b, Val stack, Val index) {
  Shape slab = *shape_of(b, stack);
  slab.dims[0] = 1;
  DimList sizes = {.n = slab.rank};
  for (uint32_t i = 0; i < slab.rank; i++) sizes.at[i] = slab.dims[i];
  Val zero = slab.rank > 1 ? build_scalar(b, DT_i32, 0) : 0;
  Val v = build_begin(b, OP("dynamic_slice"), slab);
  build_text(b, " %v, %v", stack, index);
  for (uint32_t i = 1; i < slab.rank; i++) build_text(b, ", %v", zero);
  build_text(b, ", sizes = [%l] : (%t", &sizes, stack);
  for (uint32_t i = 0; i < slab.rank; i++) build_text(b, ", %t", index);
  build_text(b, ") -> %t", v);
  build_end(b);
  return build_reshape(b, v, shape_make(slab.dtype, slab.rank - 1, slab.dims + 1));
}

Val build_set_row(Builder *b, Val stack, Val row, Val index) {
  Shape slab = *shape_of(b, stack), whole = slab;
  slab.dims[0] = 1;
  Val update = build_reshape(b, row, slab);
  Val zero = slab.rank > 1 ? build_scalar(b, DT_i32, 0) : 0;
  Val v = build_begin(b, OP("dynamic_update_slice"), whole);
  build_text(b, " %v, %v, %v", stack, update, index);
  for (uint32_t i = 1; i < slab.rank; i++) build_text(b, ", %v", zero);
  build_text(b, " : (%t, %t", stack, update);
  for (uint32_t i = 0; i < slab.rank; i++) build_text(b, ", %t", index);
  build_text(b, ") -> %t", v);
  build_end(b);
  return v;
}

// ---- reductions ----

static Shape without_dims(const Shape *shape, const DimList *dims) {
  Shape out = {.dtype = shape->dtype};
  for (uint32_t i = 0; i < shape->rank; i++) {
    bool reduced = false;
    for (uint32_t k = 0; k < dims->n; k++) reduced = reduced || dims->at[k] == i;
    if (!reduced) out.dims[out.rank++] = shape->dims[i];
  }
  return out;
}

static Val reduce(Builder *b, Val x, const char *reducer, double init, const DimList *dims) {
  Val zero = build_scalar(b, shape_of(b, x)->dtype, init);
  Val v = build_begin(b, OP("reduce"), without_dims(shape_of(b, x), dims));
  build_text(b, "(%v init: %v) applies %s across dimensions = [%l] : (%t, %t) -> %t", x, zero,
             reducer, dims, x, zero, v);
  build_end(b);
  b->ops += 2;  // in the region
  return v;
}

Val build_sum(Builder *b, Val x, const DimList *dims) {
  if (!dims->n) return x;
  Val v = reduce(b, x, OP("add"), 0, dims);
  return record1(b, TAPE_reduce_sum, v, x, KEEP(b, DimList, dims));
}

Val build_max(Builder *b, Val x, uint32_t dim) {
  return reduce(b, x, OP("maximum"), -(double)INFINITY, &(DimList){1, {dim}});
}

// ---- regions ----

static Val region_arg(Builder *b, DType dtype) {
  return build_value(b, shape_make(dtype, 0, NULL), NAME_ARG);
}

static Val region_op(Builder *b, const char *name, Val x, Val y) {
  Val v = build_begin(b, name, *shape_of(b, x));
  build_text(b, " %v, %v : %t", x, y, v);
  build_end(b);
  return v;
}

static void region_return(Builder *b, Val v) {
  build_begin_plain(b, OP("return"));
  build_text(b, " %v : %t", v, v);
  build_end(b);
}

// " ({\n^bb0(…): … op …\n" of two scalars: a reducer, or with `compare` a selector.
static void region_of_two(Builder *b, DType dtype, const char *name, bool compare) {
  const char *outer = b->op_name;
  Val x = region_arg(b, dtype), y = region_arg(b, dtype);
  build_text(b, "{\n");
  build_indent(b);
  build_text(b, "^bb0(%v: %t, %v: %t):\n", x, x, y, y);
  b->indent++;
  region_return(b, compare ? build_compare(b, name, x, y) : region_op(b, name, x, y));
  b->indent--;
  build_indent(b);
  build_text(b, "}");
  b->op_name = outer;
}

Val build_argmax(Builder *b, Val x, uint32_t dim) {
  const DimList dims = {1, {dim}};
  Shape result = without_dims(shape_of(b, x), &dims);
  Val places = build_iota(b, shape_as(shape_of(b, x), DT_i32), dim);
  Val least = build_scalar(b, result.dtype, -(double)INFINITY), zero = build_scalar(b, DT_i32, 0);
  Val v = build_begin_many(b, OP("reduce"), 2, (Shape[]){result, shape_as(&result, DT_i32)});
  build_text(
      b, "(%v init: %v), (%v init: %v) across dimensions = [%l] : (%t, %t, %t, %t) -> (%t, %t)\n",
      x, least, places, zero, &dims, x, places, least, zero, v, v + 1);
  Val a = region_arg(b, result.dtype), i = region_arg(b, DT_i32);
  Val c = region_arg(b, result.dtype), j = region_arg(b, DT_i32);
  build_indent(b);
  build_text(b, " reducer(%v: %t, %v: %t) (%v: %t, %v: %t)  {\n", a, a, c, c, i, i, j, j);
  b->indent++;
  Val greater = build_compare(b, "GT", a, c), nan = build_compare(b, "NE", a, a);
  Val wins = region_op(b, OP("or"), greater, nan);
  Val ties = build_compare(b, "EQ", a, c), before = build_compare(b, "LT", i, j);
  Val first = region_op(b, OP("or"), wins, region_op(b, OP("and"), ties, before));
  Val best = build_select(b, wins, a, c), place = build_select(b, first, i, j);
  build_begin_plain(b, OP("return"));
  build_text(b, " %v, %v : %t, %t", best, place, best, place);
  build_end(b);
  b->indent--;
  build_indent(b);
  build_text(b, "}");
  b->op_name = OP("reduce");
  build_end(b);
  return v + 1;
}

static void put_window(Builder *b, uint32_t rank, const PoolAttr *attr) {
  build_text(b, " <{padding = dense<[");
  for (uint32_t i = 0; i < rank; i++)
    build_text(b, "%s[%i, %i]", i ? ", " : "", attr->pad[i][0], attr->pad[i][1]);
  DimList window = {.n = rank}, stride = {.n = rank};
  for (uint32_t i = 0; i < rank; i++)
    window.at[i] = attr->window[i], stride.at[i] = attr->stride[i];
  build_text(b, "]> : tensor<%ix2xi64>, window_dimensions = array<i64: %l>", (int64_t)rank,
             &window);
  build_text(b, ", window_strides = array<i64: %l>}> (", &stride);
}

static Val reduce_window(Builder *b, Val x, Shape shape, const char *reducer, double init,
                         const PoolAttr *attr) {
  Val start = build_scalar(b, shape.dtype, init);
  Val v = build_begin(b, "\"stablehlo.reduce_window\"", shape);
  build_text(b, "(%v, %v)", x, start);
  put_window(b, shape.rank, attr);
  region_of_two(b, shape.dtype, reducer, false);
  build_text(b, ") : (%t, %t) -> %t", x, start, v);
  build_end(b);
  return v;
}

Val build_cumsum(Builder *b, Val x, uint32_t dim) {
  const Shape shape = *shape_of(b, x);
  PoolAttr attr = {0};
  for (uint32_t i = 0; i < shape.rank; i++) attr.window[i] = attr.stride[i] = 1;
  attr.window[dim] = shape.dims[dim];
  attr.pad[dim][0] = shape.dims[dim] - 1;
  return reduce_window(b, x, shape, OP("add"), 0, &attr);
}

Val build_max_pool(Builder *b, Val x, Shape shape, const PoolAttr *attr) {
  Val v = reduce_window(b, x, shape, OP("maximum"), -(double)INFINITY, attr);
  return record1(b, TAPE_max_pool, v, x, KEEP(b, PoolAttr, attr));
}

Val build_max_pool_grad(Builder *b, Val x, Val g, const PoolAttr *attr) {
  const Shape shape = *shape_of(b, x);
  Val zero = build_scalar(b, shape.dtype, 0);
  Val v = build_begin(b, "\"stablehlo.select_and_scatter\"", shape);
  build_text(b, "(%v, %v, %v)", x, g, zero);
  put_window(b, shape.rank, attr);
  region_of_two(b, shape.dtype, "GE", true);
  build_text(b, ", ");
  region_of_two(b, shape.dtype, OP("add"), false);
  build_text(b, ") : (%t, %t, %t) -> %t", x, g, zero, v);
  build_end(b);
  return v;
}

// ---- contractions ----

static bool in_list(const DimList *list, int64_t dim) {
  for (uint32_t i = 0; i < list->n; i++)
    if (list->at[i] == dim) return true;
  return false;
}

Val build_dot(Builder *b, Val x, Val y, const DotDims *dims) {
  const Shape lhs = *shape_of(b, x), rhs = *shape_of(b, y);
  Shape shape = {.dtype = lhs.dtype};
  for (uint32_t i = 0; i < dims->lhs_batch.n; i++)
    shape.dims[shape.rank++] = lhs.dims[dims->lhs_batch.at[i]];
  for (uint32_t i = 0; i < lhs.rank; i++)
    if (!in_list(&dims->lhs_batch, i) && !in_list(&dims->lhs_contract, i))
      shape.dims[shape.rank++] = lhs.dims[i];
  for (uint32_t i = 0; i < rhs.rank; i++)
    if (!in_list(&dims->rhs_batch, i) && !in_list(&dims->rhs_contract, i))
      shape.dims[shape.rank++] = rhs.dims[i];
  Val v = build_begin(b, OP("dot_general"), shape);
  build_text(b, " %v, %v", x, y);
  if (dims->lhs_batch.n)
    build_text(b, ", batching_dims = [%l] x [%l]", &dims->lhs_batch, &dims->rhs_batch);
  build_text(b, ", contracting_dims = [%l] x [%l]", &dims->lhs_contract, &dims->rhs_contract);
  build_text(b, ", precision = [DEFAULT, DEFAULT] : (%t, %t) -> %t", x, y, v);
  build_end(b);
  build_record(b, TAPE_dot_general, v, 1, 2, (Val[]){x, y}, KEEP(b, DotDims, dims));
  return v;
}

// "stride = [2, 2]", left out when it says what is assumed.
static bool put_window_item(Builder *b, const char *name, uint32_t n, const int64_t *values,
                            bool first) {
  DimList list = {.n = n};
  bool plain = true;
  for (uint32_t i = 0; i < n; i++) {
    list.at[i] = values[i];
    plain = plain && values[i] == 1;
  }
  if (plain) return first;
  build_text(b, "%s%s = [%l]", first ? "" : ", ", name, &list);
  return false;
}

Val build_convolution(Builder *b, Val x, Val kernel, Shape shape, const ConvAttr *attr) {
  Val v = build_begin(b, OP("convolution"), shape);
  build_text(b, "(%v, %v) dim_numbers = [%s]x[%s]->[%s], window = {", x, kernel, attr->lhs,
             attr->rhs, attr->out);
  bool first = put_window_item(b, "stride", attr->spatial, attr->stride, true);
  bool padded = false;
  for (uint32_t i = 0; i < attr->spatial; i++)
    padded = padded || attr->pad[i][0] || attr->pad[i][1];
  for (uint32_t i = 0; padded && i < attr->spatial; i++)
    build_text(b, "%s[%i, %i]",
               i       ? ", "
               : first ? "pad = ["
                       : ", pad = [",
               attr->pad[i][0], attr->pad[i][1]);
  if (padded) build_text(b, "]");
  first = put_window_item(b, "lhs_dilate", attr->spatial, attr->lhs_dilate, first && !padded);
  put_window_item(b, "rhs_dilate", attr->spatial, attr->rhs_dilate, first);
  build_text(b, "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%t, %t) -> %t",
             x, kernel, v);
  build_end(b);
  build_record(b, TAPE_convolution, v, 1, 2, (Val[]){x, kernel}, KEEP(b, ConvAttr, attr));
  return v;
}

// Rows are counted from the end when negative, as NumPy has it, then given a last dimension of 1.
static Val row_indices(Builder *b, Val rows, int64_t n) {
  const Shape shape = *shape_of(b, rows);
  Val zero = build_splat(b, shape, 0), most = build_splat(b, shape, (double)n);
  Val wrapped = build_add(b, rows, most);
  Val index = build_select(b, build_compare(b, "LT", rows, zero), wrapped, rows);
  return build_broadcast(b, index, SHAPE(shape.dtype, shape.dims[0], shape.dims[1], 1),
                         (const int64_t[]){0, 1});
}

Val build_gather_rows(Builder *b, Val table, Val rows) {
  const Shape t = *shape_of(b, table), r = *shape_of(b, rows);
  Val index = row_indices(b, rows, t.dims[0]);
  Val v = build_begin(b, "\"stablehlo.gather\"", SHAPE(t.dtype, r.dims[0], r.dims[1], t.dims[1]));
  build_text(b,
             "(%v, %v) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], "
             "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, "
             "indices_are_sorted = false, slice_sizes = array<i64: 1, %i>}> : (%t, %t) -> %t",
             table, index, t.dims[1], table, index, v);
  build_end(b);
  build_record(b, TAPE_gather, v, 1, 2, (Val[]){table, index}, NULL);
  return v;
}

Val build_scatter_rows(Builder *b, Val index, Val updates, Shape shape) {
  Val zeros = build_splat(b, shape, 0);
  Val v = build_begin(b, "\"stablehlo.scatter\"", shape);
  build_text(
      b,
      "(%v, %v, %v) <{indices_are_sorted = false, scatter_dimension_numbers = "
      "#stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], "
      "scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> (",
      zeros, index, updates);
  region_of_two(b, shape.dtype, OP("add"), false);
  build_text(b, ") : (%t, %t, %t) -> %t", zeros, index, updates, v);
  build_end(b);
  return v;
}
