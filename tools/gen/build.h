// Writes StableHLO text op by op and remembers on a tape what is needed to differentiate it.
#ifndef TESSERA_TOOLS_GEN_BUILD_H
#define TESSERA_TOOLS_GEN_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/dtype.h"

enum { RANK_MAX = 6 };

typedef uint32_t Val;  // index into Builder.values; 0 = none

typedef struct Shape {
  DType dtype;
  uint32_t rank;
  int64_t dims[RANK_MAX];
} Shape;

// How a value is spelled: %arg3, %7 or %7#1, %cst_2, %c_2, %iterArg_4.
typedef enum Spelling { NAME_ARG, NAME_RESULT, NAME_CST, NAME_C, NAME_ITER, NAME_COUNT } Spelling;

typedef struct ValueInfo {
  Shape shape;
  uint8_t spelling;
  bool differentiable;  // depends on a parameter through recorded ops
  uint32_t number;
  int32_t part;  // of an op with several results; -1 = the only one
  Val grad;      // sum of the cotangents so far
} ValueInfo;

// What can be differentiated: each has its rule in grad.c.
#define TAPE_OPS(X)                                                                                \
  X(add)                                                                                           \
  X(subtract)                                                                                      \
  X(multiply)                                                                                      \
  X(divide)                                                                                        \
  X(maximum)                                                                                       \
  X(negate)                                                                                        \
  X(exponential)                                                                                   \
  X(log)                                                                                           \
  X(tanh)                                                                                          \
  X(logistic)                                                                                      \
  X(sqrt)                                                                                          \
  X(rsqrt)                                                                                         \
  X(select)                                                                                        \
  X(convert)                                                                                       \
  X(broadcast_in_dim)                                                                              \
  X(reshape)                                                                                       \
  X(transpose)                                                                                     \
  X(reduce_sum)                                                                                    \
  X(dot_general)                                                                                   \
  X(convolution)                                                                                   \
  X(gather)                                                                                        \
  X(slice)                                                                                         \
  X(pad)                                                                                           \
  X(concatenate)                                                                                   \
  X(max_pool)                                                                                      \
  X(sharding_constraint)                                                                           \
  X(keep)                                                                                          \
  X(remat)                                                                                         \
  X(repeat)

typedef enum TapeOp {
#define TAPE_OP(name) TAPE_##name,
  TAPE_OPS(TAPE_OP)
#undef TAPE_OP
} TapeOp;

// attr is what the op's rule wants: one of the structs below, or NULL.
typedef struct Node {
  TapeOp op;
  uint32_t n_in, n_out;
  const Val *in;
  Val out;  // first of n_out
  const void *attr;
  const char *scope;
} Node;

typedef struct DimList {
  uint32_t n;
  int64_t at[RANK_MAX];
} DimList;

typedef struct DotDims {
  DimList lhs_batch, rhs_batch, lhs_contract, rhs_contract;
} DotDims;

typedef struct SliceAttr {
  int64_t begin[RANK_MAX], end[RANK_MAX];
} SliceAttr;

// Per spatial dimension. The layouts are MLIR's text: "b, 0, 1, f".
typedef struct ConvAttr {
  uint32_t spatial;
  int64_t stride[3], pad[3][2], lhs_dilate[3], rhs_dilate[3];
  const char *lhs, *rhs, *out;
} ConvAttr;

typedef struct PoolAttr {
  int64_t window[RANK_MAX], stride[RANK_MAX], pad[RANK_MAX][2];
} PoolAttr;

typedef struct Builder Builder;

// A body that stands `count` times in a row: written out, or as a while loop over stacked
// parameters. body replaces carry[i] by a value of the same shape. Its parameters are named
// <scope><name><k>.<…> with k = first + iteration * period + (what build_item is given); stacked,
// k is a Python slice: layer_[0:12:2].
typedef struct Repeat {
  const char *name;
  int64_t first, count, period;
  uint32_t n_carry;
  void (*body)(Builder *b, const void *context, Val *carry);
  const void *context;
} Repeat;

typedef struct Param {
  const char *name;
  Shape shape;
  Val value;
  const char *axes;  // of its sharding, as of build_constraint; NULL = none is given
} Param;

// The stacked parameters of the loop body being written; collecting: it is only being looked at.
typedef struct LoopFrame {
  bool collecting;
  VEC(Param) params;  // of one iteration
  Val *stacks;        // in the body
  Val *slices;        // of this iteration, once the body has asked for them
  uint32_t next;
  Val index;
} LoopFrame;

// A body that is computed again in the backward pass (jax.checkpoint): what its forward pass kept.
// replay: the backward pass asks for the same parameters and kept values again.
typedef struct RematFrame {
  bool replay;
  VEC(Val) kept;  // forward: the values; replay: behind the barrier
  uint32_t next_kept;
  uint32_t first_param, next_param;
} RematFrame;

struct Builder {
  Arena *arena;
  StrBuf *out;
  bool quiet;      // counts and checks, writes nothing
  bool recording;  // onto the tape
  bool loop, locations, for_training;
  const char *remat;         // names of values that are kept, "q,v"; NULL: all are
  bool annotate;             // write shardings …
  bool annotate_dense;       // … also outside of experts
  bool annotate_cotangents;  // … also of cotangents
  DType compute, master;     // of activations, of parameters
  uint32_t indent;
  uint64_t ops;
  uint32_t next_number[NAME_COUNT], suffixes;
  uint32_t args_before_inputs;
  VEC(ValueInfo) values;
  VEC(Node) nodes;
  VEC(Param) params, inputs;
  char scope[512];         // "layer_3.attn."
  const char *tape_scope;  // of the node being differentiated
  const char *op_name;     // of the op being written
  const Repeat *repeat;
  int64_t iteration;  // -1 = inside a loop
  LoopFrame *frame;
  RematFrame *remat_frame;
};

void build_init(Builder *b, Arena *arena, StrBuf *out);

// ---- names ----
size_t build_enter(Builder *b, const char *name);  // scope; gives what build_leave wants
size_t build_enter_number(Builder *b, const char *name, int64_t number);
size_t build_item(Builder *b, int64_t offset);  // the scope of this item of the repeat
void build_leave(Builder *b, size_t mark);

// ---- text ----
// %v value, %t its type, %T Shape const *, %i int64_t, %l DimList const *, %s text.
void build_text(Builder *b, const char *format, ...);
Val build_value(Builder *b, Shape shape, Spelling spelling);
// Starts an op's line: "%7 = stablehlo.name". build_end ends it.
Val build_begin(Builder *b, const char *name, Shape shape);
// An op with n results of these shapes; gives the first.
Val build_begin_many(Builder *b, const char *name, uint32_t n, const Shape *shapes);
void build_begin_plain(Builder *b, const char *name);  // no results
void build_end(Builder *b);
void build_indent(Builder *b);
void build_record(Builder *b, TapeOp op, Val out, uint32_t n_out, uint32_t n_in, const Val *in,
                  const void *attr);

static inline const Shape *shape_of(const Builder *b, Val v) { return &b->values.items[v].shape; }
static inline bool shape_same(const Shape *a, const Shape *b) {
  bool same = a->dtype == b->dtype && a->rank == b->rank;
  for (uint32_t i = 0; same && i < a->rank; i++) same = a->dims[i] == b->dims[i];
  return same;
}
Shape shape_make(DType dtype, uint32_t rank, const int64_t *dims);
Shape shape_as(const Shape *shape, DType dtype);
#define SHAPE(dtype, ...)                                                                          \
  shape_make((dtype), (uint32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),              \
             (const int64_t[]){__VA_ARGS__})

// ---- leaves ----
// A parameter of the model in the type of computation, named by the scope.
Val build_param(Builder *b, const char *name, Shape shape);
// With a sharding, where those are written.
Val build_param_on(Builder *b, const char *name, Shape shape, const char *axes);
// By its whole name, unconverted.
Val build_stack_param(Builder *b, const char *name, Shape shape, const char *axes);
Val build_input(Builder *b, const char *name, Shape shape);
Val build_scalar(Builder *b, DType dtype, double value);
Val build_splat(Builder *b, Shape shape, double value);
Val build_iota(Builder *b, Shape shape, uint32_t dim);

// ---- shardings ----
// axes: one letter per dimension, the mesh axis that splits it, z for x and y, or _ for none:
// "x_y".
void build_put_sharding(Builder *b, const char *axes);  // <@mesh, [{"x"}, {}, {"y"}]>
Val build_constraint(Builder *b, Val x, const char *axes);

// ---- ops ----
Val build_unary(Builder *b, TapeOp op, Val x);
Val build_binary(Builder *b, TapeOp op, Val x, Val y);
Val build_power(Builder *b, Val x, Val y);  // not differentiated
Val build_compare(Builder *b, const char *direction, Val x, Val y);
Val build_select(Builder *b, Val pred, Val x, Val y);
Val build_convert(Builder *b, Val x, DType dtype);           // x itself if it is of that type
Val build_elementwise(Builder *b, const char *name, Val x);  // not differentiated
// jax.ad_checkpoint.checkpoint_name: with --remat the backward pass reads the value if --remat
// lists the name, and computes it again otherwise.
Val build_keep(Builder *b, const char *name, Val x);
// n values behind one optimization_barrier; gives the first.
Val build_barrier(Builder *b, uint32_t n, const Val *xs);
// dims[i], ascending: where dimension i of x goes; a dimension of 1 is stretched.
Val build_broadcast(Builder *b, Val x, Shape shape, const int64_t *dims);
Val build_reshape(Builder *b, Val x, Shape shape);
Val build_transpose(Builder *b, Val x, const int64_t *permutation);
Val build_sum(Builder *b, Val x, const DimList *dims);
Val build_max(Builder *b, Val x, uint32_t dim);     // not differentiated
Val build_argmax(Builder *b, Val x, uint32_t dim);  // i32
Val build_cumsum(Builder *b, Val x, uint32_t dim);  // not differentiated
Val build_dot(Builder *b, Val x, Val y, const DotDims *dims);
Val build_convolution(Builder *b, Val x, Val kernel, Shape shape, const ConvAttr *attr);
Val build_reverse(Builder *b, Val x, const DimList *dims);
Val build_gather_rows(Builder *b, Val table, Val rows);  // [v,m] at [b,s] -> [b,s,m]
// Its transpose; index as the gather had it, [b,s,1].
Val build_scatter_rows(Builder *b, Val index, Val updates, Shape shape);
Val build_slice(Builder *b, Val x, const SliceAttr *attr);
Val build_pad(Builder *b, Val x, const SliceAttr *into,
              Shape shape);  // x stands at `into`, 0 around
Val build_concatenate(Builder *b, uint32_t n, const Val *xs, uint32_t dim);
Val build_max_pool(Builder *b, Val x, Shape shape, const PoolAttr *attr);
Val build_max_pool_grad(Builder *b, Val x, Val g, const PoolAttr *attr);
// One row of a stack as a value without the leading dimension, and its opposite.
Val build_row(Builder *b, Val stack, Val index);
Val build_set_row(Builder *b, Val stack, Val row, Val index);

static inline Val build_add(Builder *b, Val x, Val y) { return build_binary(b, TAPE_add, x, y); }
static inline Val build_sub(Builder *b, Val x, Val y) {
  return build_binary(b, TAPE_subtract, x, y);
}
static inline Val build_mul(Builder *b, Val x, Val y) {
  return build_binary(b, TAPE_multiply, x, y);
}
static inline Val build_div(Builder *b, Val x, Val y) { return build_binary(b, TAPE_divide, x, y); }

// ---- repeat.c ----
void build_repeat(Builder *b, const Repeat *repeat, Val *carry);
void grad_repeat(Builder *b, const Node *node, Val g);
void grad_remat(Builder *b, const Node *node);

// ---- grad.c ----
// Adds g to the cotangent of v, if that is wanted.
void grad_give(Builder *b, Val v, Val g);
// Writes the ops that carry cotangents back through nodes[first, end), last first.
void grad_backward(Builder *b, uint32_t first, uint32_t end);
Val grad_of(Builder *b, Val v);  // its cotangent; zeros if nothing came

#endif
