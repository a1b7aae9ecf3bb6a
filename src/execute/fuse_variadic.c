// Reductions with several operands, or with a body that is no single op: argmax, argmin and the
// like.
//
// Problem: the body is a small program on accumulators a and elements b, which need not be
// commutative: JAX's argmax keeps the first NaN and the last of two zeros.
//
// Idea: the body becomes the steps of a loop whose rows are done in order: it loads accumulators
// and elements, computes, and stores the accumulators, in vectors. Which elements a vector has:
//   columns   neighbours of a kept dimension; the accumulators of a chunk stay in L1
//   lanes     a long reduced dimension is cut into LANES segments, one per lane; then the lanes
//             are combined in order, and the rest of the dimension follows
//   one       element by element, if dimensions are short
// Operands that are iotas or views are computed in the loop.
//
// Invariant: elements are combined in row-major order up to brackets, so that every associative
// body gives the sequential result, and the init values are used once. Brackets depend on shapes
// only. Cost: O(elements * body).
#include <assert.h>
#include <string.h>

#include "execute/fuse_private.h"

enum {
  LANES_ = LOOP_LANES,
  COLUMNS = 512,
  LONG = 2 * LANES_,
  SHORTEST = 8,
  MOST_OPERANDS = 8,
  MOST_OPS = 64
};

// ---- the body ----

typedef struct Body {
  const Program *p;
  Arena *arena;
  uint32_t n;  // operands
  VEC(LoopStep) steps;
  VEC(LoopAccess) accesses;
  VEC(ValueId) values;  // with their steps
  VEC(uint16_t) at;
  bool one;  // rows of one element
} Body;

static uint16_t add_step(Body *b, LoopStep step) {
  step.level = step.op == SCALAR_constant ? LOOP_ONCE : b->one ? LOOP_ROW : LOOP_ELEMENT;
  VEC_PUSH(b->arena, &b->steps, step);
  return (uint16_t)(b->steps.count - 1);
}

static void set_step(Body *b, ValueId v, uint16_t step) {
  VEC_PUSH(b->arena, &b->values, v);
  VEC_PUSH(b->arena, &b->at, step);
}

static bool step_of(const Body *b, ValueId v, uint16_t *out) {
  for (uint32_t i = 0; i < b->values.count; i++)
    if (b->values.items[i] == v) {
      *out = b->at.items[i];
      return true;
    }
  return false;
}

static bool constant_of(const Program *p, OpId op, LoopStep *out) {
  const AttrInfo *value = attr_info(p->context, op_attr(p, op, "value"));
  DType type = fuse_dtype(p, op_result(p, op, 0));
  if (!value->data || type_dtype(p->context, value->type) != type) return false;
  *out = (LoopStep){.op = SCALAR_constant, .dtype = (uint8_t)type};
  memcpy(&out->bits, value->data, (size_t)dtype_bytes(type));
  return true;
}

// Appends the step of one op of the body; false if there is none.
static bool add_op(Body *b, OpId op) {
  const Program *p = b->p;
  const Op *o = op_at(p, op);
  FuseKind kind = fuse_classify(p, op);
  LoopStep step = {0};
  if (kind == FUSE_CONSTANT) {
    if (!constant_of(p, op, &step)) return false;
    set_step(b, op_result(p, op, 0), add_step(b, step));
    return true;
  }
  for (uint32_t i = 0; i < o->n_operands; i++)
    if (!step_of(b, op_operand(p, op, i), &step.in[i])) return false;
  step.dtype = (uint8_t)fuse_dtype(p, op_result(p, op, 0));
  step.from = (uint8_t)fuse_dtype(p, op_operand(p, op, 0));
  if (kind == FUSE_CLAMP) {
    LoopStep raise = {
        .op = SCALAR_max, .dtype = step.dtype, .from = step.dtype, .in = {step.in[1], step.in[0]}};
    step = (LoopStep){.op = SCALAR_min,
                      .dtype = step.dtype,
                      .from = step.dtype,
                      .in = {add_step(b, raise), step.in[2]}};
  } else {
    step.op = (uint8_t)(kind == FUSE_POINT ? fuse_scalar(o->code) : fuse_compare(p, op));
  }
  set_step(b, op_result(p, op, 0), add_step(b, step));
  return true;
}

// The body's block, if its arguments are those of n operands.
static BlockId block_of(const Program *p, OpId op) {
  uint32_t n = op_at(p, op)->n_results;
  BlockId block = op_at(p, op)->n_regions == 1 ? region_block(p, op_region(p, op, 0)) : 0;
  if (!block || n > MOST_OPERANDS || op_at(p, op)->n_operands != 2 * n ||
      block_at(p, block)->n_args != 2 * n || op_at(p, block_at(p, block)->last)->n_operands != n)
    return 0;
  return block;
}

// The ops of the block, and the steps of the values that it returns. Arguments have steps.
static bool add_block(Body *b, BlockId block, uint16_t *out_results) {
  OpId end = block_at(b->p, block)->last;
  for (OpId op = block_at(b->p, block)->first; op && op != end; op = op_at(b->p, op)->next)
    if (!add_op(b, op)) return false;
  for (uint32_t k = 0; k < b->n; k++) {
    ValueId v = op_operand(b->p, end, k);
    if (!step_of(b, v, &out_results[k])) return false;
  }
  return true;
}

static bool is_inside(const Program *p, BlockId block, ValueId v) {
  const Value *value = value_at(p, v);
  return value->is_arg ? value->def == block : op_at(p, value->def)->block == block;
}

// What add_op makes a step of.
static bool op_is_step(const Program *p, BlockId block, OpId op) {
  LoopStep constant;
  const Op *o = op_at(p, op);
  FuseKind kind = fuse_classify(p, op);
  if (kind == FUSE_CONSTANT) return constant_of(p, op, &constant);
  if ((kind != FUSE_POINT && kind != FUSE_COMPARE && kind != FUSE_CLAMP) || o->n_operands > 3)
    return false;
  for (uint32_t i = 0; i < o->n_operands; i++)
    if (!is_inside(p, block, op_operand(p, op, i))) return false;
  return true;
}

bool fuse_variadic_supported(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  uint32_t n = o->n_results;
  BlockId block = block_of(p, op);
  if (!block) return false;
  for (uint32_t i = 0; i < 2 * n; i++)
    if (!fuse_is_tensor(p, op_operand(p, op, i))) return false;
  for (uint32_t k = 0; k < n; k++) {
    DType type = fuse_dtype(p, op_operand(p, op, k));
    if (!fuse_is_tensor(p, op_result(p, op, k)) || fuse_dtype(p, op_result(p, op, k)) != type ||
        fuse_dtype(p, op_operand(p, op, n + k)) != type ||
        fuse_dtype(p, block_arg(p, block, k)) != type ||
        fuse_dtype(p, block_arg(p, block, n + k)) != type || dtype_is_complex(type))
      return false;
    // The accumulators are stored one after the other: none may be another's new value.
    ValueId result = op_operand(p, block_at(p, block)->last, k);
    for (uint32_t j = 0; j < n; j++)
      if (j != k && result == block_arg(p, block, j)) return false;
  }
  uint32_t count = 0;
  OpId end = block_at(p, block)->last;
  for (OpId inner = block_at(p, block)->first; inner && inner != end; inner = op_at(p, inner)->next)
    if (!op_is_step(p, block, inner) || ++count > MOST_OPS) return false;
  for (uint32_t k = 0; k < n; k++)
    if (!is_inside(p, block, op_operand(p, end, k))) return false;
  return true;
}

// ---- loops ----

typedef struct Elements {  // an operand in the reduction's space
  bool index;              // an iota
  uint32_t buffer;
  DType dtype;
  int64_t base, stride[FUSE_RANK];
} Elements;

typedef struct Code {
  const LoopEngine *engine;
  const void *code;
} Code;

typedef struct Variadic {
  uint32_t n, n_in;
  DType type[MOST_OPERANDS];
  Elements source[MOST_OPERANDS];
  uint32_t init[MOST_OPERANDS];       // buffers
  uint64_t init_bits[MOST_OPERANDS];  // if the buffer is UINT32_MAX
  uint32_t result[MOST_OPERANDS];     // buffers; UINT32_MAX: unused
  uint32_t n_kept, n_outer;           // dimensions around the vectors
  int64_t kept[FUSE_RANK], outer[FUSE_RANK];
  uint32_t kept_dim[FUSE_RANK], outer_dim[FUSE_RANK];
  int64_t column, column_dim;    // size of the dimension in columns; 1: none
  int64_t reduced, reduced_dim;  // the innermost reduced dimension
  int64_t segment;               // of a lane; 0: no lanes
  Code columns, first, lanes, join, one;
  size_t acc_at, one_at, engine_at;  // in the scratch
} Variadic;

// How a loop finds elements: strides along the rows and within a row.
typedef struct Shape {
  int64_t inner;
  bool joins;             // elements are the accumulators of lanes
  int64_t along, within;  // dimensions of the source; -1: none
  int64_t times;          // factor of `within`'s stride
} Shape;

static LoopAccess access_of(const Variadic *v, uint32_t k, const Shape *s) {
  LoopAccess a;
  memset(&a, 0, sizeof a);
  const Elements *x = &v->source[k];
  a.dtype = (uint8_t)v->type[k];
  a.buffer = x->index && !s->joins ? UINT16_MAX : 0;
  a.grid[0] = s->joins ? 1 : s->along >= 0 ? x->stride[s->along] : 0;
  a.inner = s->within >= 0 ? x->stride[s->within] * s->times : 0;
  return a;
}

// The loop of a shape. `copies`: stores the elements; otherwise the body's results.
static Code make_code(Fuser *f, const Variadic *v, OpId op, Shape s, bool copies, size_t *bytes) {
  Body b = {.p = f->p, .arena = f->arena, .n = v->n, .one = s.inner == 1};
  BlockId block = block_of(f->p, op);
  uint16_t results[MOST_OPERANDS];
  for (uint32_t k = 0; k < v->n; k++) {  // accumulators
    LoopAccess a;
    memset(&a, 0, sizeof a);
    a.dtype = (uint8_t)v->type[k];
    a.inner = 1;
    VEC_PUSH(f->arena, &b.accesses, a);
    if (!copies)
      set_step(
          &b, block_arg(f->p, block, k),
          add_step(&b, (LoopStep){.op = SCALAR_load, .dtype = a.dtype, .access = (uint16_t)k}));
  }
  for (uint32_t k = 0; k < v->n; k++) {
    LoopAccess a = access_of(v, k, &s);
    VEC_PUSH(f->arena, &b.accesses, a);
    LoopStep load = {.op = a.buffer == UINT16_MAX ? SCALAR_index : SCALAR_load,
                     .dtype = a.dtype,
                     .access = (uint16_t)(v->n + k)};
    results[k] = add_step(&b, load);
    set_step(&b, block_arg(f->p, block, v->n + k), results[k]);
  }
  bool good = copies || add_block(&b, block, results);
  assert(good && "fuse_variadic_supported built the same steps");
  (void)good;
  for (uint32_t k = 0; k < v->n; k++)
    add_step(&b, (LoopStep){.op = SCALAR_store,
                            .dtype = (uint8_t)v->type[k],
                            .in = {results[k]},
                            .access = (uint16_t)k});
  Loop *loop = ARENA_NEW(f->arena, Loop);
  *loop = (Loop){.n_grid = 1,
                 .n_kept = 1,
                 .grid = {INT32_MAX},
                 .outer = 1,
                 .inner = s.inner,
                 .n_steps = b.steps.count,
                 .n_accesses = b.accesses.count,
                 .n_passes = 1,
                 .n_buffers = 1,
                 .ordered = true,
                 .steps = b.steps.items,
                 .accesses = b.accesses.items};
  Code c = {.engine = f->engine};
  size_t need = 0;
  if (c.engine) c.code = c.engine->prepare(loop, f->arena, &need);
  if (!c.code) {
    c.engine = &loop_tiles;
    c.code = c.engine->prepare(loop, f->arena, &need);
  }
  assert(c.code && "the tiles run every loop");
  if (need > *bytes) *bytes = need;
  return c;
}

// ---- running ----

typedef struct Run {
  const Variadic *v;
  void *const *buffers;
  char *scratch;
} Run;

static char *accumulator(const Run *r, uint32_t k, bool one) {
  return r->scratch + (one ? r->v->one_at + k * 64 : r->v->acc_at + k * COLUMNS * sizeof(double));
}

// `rows` rows of a loop. at: per operand the element's position; NULL: the accumulators of lanes.
static void run_code(const Run *r, const Code *c, const int64_t *at, int64_t rows, int64_t inners,
                     bool one) {
  const Variadic *v = r->v;
  char **addresses = (char **)(void *)r->scratch;
  for (uint32_t k = 0; k < v->n; k++) {
    const Elements *x = &v->source[k];
    addresses[k] = accumulator(r, k, one);
    if (!at)
      addresses[v->n + k] = accumulator(r, k, false);
    else if (x->index)
      addresses[v->n + k] = (char *)(intptr_t)at[k];
    else
      addresses[v->n + k] = (char *)r->buffers[x->buffer] + at[k] * dtype_bytes(x->dtype);
  }
  LoopBlock block = {.at = addresses,
                     .rows = rows,
                     .outers = 1,
                     .inners = inners,
                     .scratch = r->scratch + v->engine_at};
  c->engine->run(c->code, &block);
}

static void move_by(const Variadic *v, int64_t *at, int64_t dim, int64_t n) {
  for (uint32_t k = 0; k < v->n; k++) at[k] += v->source[k].stride[dim] * n;
}

// One run of the innermost reduced dimension, from `at` on.
static void reduce_line(const Run *r, const int64_t *at, int64_t inners) {
  const Variadic *v = r->v;
  int64_t next[MOST_OPERANDS];
  memcpy(next, at, sizeof next);
  if (v->column > 1) {
    run_code(r, &v->columns, at, v->reduced, inners, false);
    return;
  }
  if (v->segment) {
    run_code(r, &v->first, at, 1, LANES_, false);
    move_by(v, next, v->reduced_dim, 1);
    run_code(r, &v->lanes, next, v->segment - 1, LANES_, false);
    run_code(r, &v->join, NULL, LANES_, 1, true);
    memcpy(next, at, sizeof next);
    move_by(v, next, v->reduced_dim, v->segment * LANES_);
  }
  int64_t rest = v->reduced - v->segment * LANES_;
  if (rest) run_code(r, &v->one, next, rest, 1, true);
}

// The position of item `i` of dimensions, added to at.
static void place_at(const Variadic *v, uint32_t n, const int64_t *sizes, const uint32_t *dims,
                     int64_t i, int64_t *at) {
  for (uint32_t d = n; d-- > 0; i /= sizes[d]) move_by(v, at, dims[d], i % sizes[d]);
}

static void run_unit(const Run *r, int64_t unit, int64_t chunks) {
  const Variadic *v = r->v;
  bool one = v->column == 1;
  int64_t from = unit % chunks * COLUMNS, kept = unit / chunks, lines = 1;
  int64_t inners = v->column - from < COLUMNS ? v->column - from : COLUMNS;
  for (uint32_t k = 0; k < v->n; k++) {
    size_t bytes = (size_t)dtype_bytes(v->type[k]);
    const void *init = v->init[k] == UINT32_MAX ? &v->init_bits[k] : r->buffers[v->init[k]];
    for (int64_t i = 0; i < inners; i++)
      memcpy(accumulator(r, k, one) + (size_t)i * bytes, init, bytes);
  }
  for (uint32_t d = 0; d < v->n_outer; d++) lines *= v->outer[d];
  for (int64_t line = 0; line < lines; line++) {
    int64_t at[MOST_OPERANDS] = {0};
    for (uint32_t k = 0; k < v->n; k++) at[k] = v->source[k].base;
    place_at(v, v->n_kept, v->kept, v->kept_dim, kept, at);
    place_at(v, v->n_outer, v->outer, v->outer_dim, line, at);
    if (!one) move_by(v, at, v->column_dim, from);
    reduce_line(r, at, inners);
  }
  for (uint32_t k = 0; k < v->n; k++) {
    size_t bytes = (size_t)dtype_bytes(v->type[k]);
    if (v->result[k] != UINT32_MAX)
      memcpy((char *)r->buffers[v->result[k]] + (size_t)(kept * v->column + from) * bytes,
             accumulator(r, k, one), (size_t)inners * bytes);
  }
}

static int64_t chunks_of(const Variadic *v) { return (v->column + COLUMNS - 1) / COLUMNS; }

static uint64_t units_of(const Variadic *v) {
  int64_t n = chunks_of(v);
  for (uint32_t d = 0; d < v->n_kept; d++) n *= v->kept[d];
  return (uint64_t)n;
}

static void run_tile(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Variadic *v = kernel->data;
  Run r = {.v = v, .buffers = buffers, .scratch = scratch};
  uint64_t first, last;
  kernel_part(units_of(v), tile, kernel->n_tiles, &first, &last);
  for (uint64_t unit = first; unit < last; unit++) run_unit(&r, (int64_t)unit, chunks_of(v));
}

// ---- making ----

typedef struct Make {
  Fuser *f;
  OpId op;
  VEC(ValueId) in, out;
  Variadic *v;
} Make;

static uint32_t input_of(Make *m, ValueId value) {
  for (uint32_t i = 0; i < m->in.count; i++)
    if (m->in.items[i] == value) return i;
  VEC_PUSH(m->f->arena, &m->in, value);
  return m->in.count - 1;
}

static void add_source(Make *m, uint32_t k) {
  FuseView view;
  fuse_operand(m->f, m->op, k, &view);
  OpId def = value_def(m->f->p, view.root);
  Elements *s = &m->v->source[k];
  *s = (Elements){.dtype = m->v->type[k]};
  s->index = def && m->f->position[def] && m->f->kind[def] == FUSE_IOTA && !view.flat;
  if (s->index) {
    int64_t d = attr_as_int(m->f->p->context, op_attr(m->f->p, def, "iota_dimension"), 0);
    s->base = view.offset[d];
    memcpy(s->stride, view.coef[d], sizeof s->stride);
    return;
  }
  s->base = view.base;
  memcpy(s->stride, view.stride, sizeof s->stride);
  s->buffer = input_of(m, view.root);
}

static void add_init(Make *m, uint32_t k) {
  FuseView view;
  fuse_operand(m->f, m->op, m->v->n + k, &view);
  m->v->init[k] = UINT32_MAX;
  if (!fuse_splat(m->f, &view, &m->v->init_bits[k])) m->v->init[k] = input_of(m, view.root);
}

// Dimensions above 1: kept ones, reduced ones without the innermost, the vector's.
static void set_dims(Make *m) {
  Variadic *v = m->v;
  const TypeInfo *t = fuse_type(m->f->p, op_operand(m->f->p, m->op, 0));
  Ints along = attr_as_ints(m->f->p->context, op_attr(m->f->p, m->op, "dimensions"));
  bool inside = true;  // the innermost dimension is reduced
  v->column = v->reduced = 1;
  for (uint32_t d = 0; d < t->rank; d++) {
    if (t->dims[d] == 1) continue;
    inside = ints_contain(along, d);
    if (inside) {
      if (v->reduced > 1)
        v->outer_dim[v->n_outer] = (uint32_t)v->reduced_dim, v->outer[v->n_outer++] = v->reduced;
      v->reduced = t->dims[d], v->reduced_dim = d;
    } else {
      v->kept_dim[v->n_kept] = d, v->kept[v->n_kept++] = t->dims[d];
    }
  }
  if (v->n_kept && v->kept[v->n_kept - 1] >= SHORTEST && (!inside || v->reduced < LONG)) {
    v->n_kept--;
    v->column = v->kept[v->n_kept];
    v->column_dim = v->kept_dim[v->n_kept];
  } else if (v->reduced >= LONG) {
    v->segment = v->reduced / LANES_;
  }
}

static size_t make_codes(Make *m) {
  Variadic *v = m->v;
  size_t bytes = 64;
  Shape one = {.inner = 1, .along = v->reduced_dim, .within = -1};
  if (v->column > 1) {
    int64_t width = v->column < COLUMNS ? v->column : COLUMNS;
    Shape s = {.inner = width, .along = v->reduced_dim, .within = v->column_dim, .times = 1};
    v->columns = make_code(m->f, v, m->op, s, false, &bytes);
    return bytes;
  }
  if (v->segment) {
    Shape s = {
        .inner = LANES_, .along = v->reduced_dim, .within = v->reduced_dim, .times = v->segment};
    v->first = make_code(m->f, v, m->op, s, true, &bytes);
    v->lanes = make_code(m->f, v, m->op, s, false, &bytes);
    Shape join = {.inner = 1, .joins = true, .along = -1, .within = -1};
    v->join = make_code(m->f, v, m->op, join, false, &bytes);
  }
  if (v->reduced % LANES_ || !v->segment) v->one = make_code(m->f, v, m->op, one, false, &bytes);
  return bytes;
}

void fuse_lower_variadic(Fuser *f, OpId op, FusedLoop *out) {
  Make m = {.f = f, .op = op, .v = ARENA_NEW(f->arena, Variadic)};
  Variadic *v = m.v;
  *v = (Variadic){.n = op_at(f->p, op)->n_results};
  for (uint32_t k = 0; k < v->n; k++) v->type[k] = fuse_dtype(f->p, op_operand(f->p, op, k));
  for (uint32_t k = 0; k < v->n; k++) add_source(&m, k);
  for (uint32_t k = 0; k < v->n; k++) add_init(&m, k);
  for (uint32_t k = 0; k < v->n; k++) {
    ValueId result = op_result(f->p, op, k);
    v->result[k] = UINT32_MAX;
    if (!value_has_uses(f->p, result)) continue;
    v->result[k] = m.in.count + m.out.count;
    VEC_PUSH(f->arena, &m.out, result);
  }
  set_dims(&m);
  v->acc_at = (2 * v->n * sizeof(char *) + 63) & ~(size_t)63;
  v->one_at = v->acc_at + v->n * COLUMNS * sizeof(double);
  v->engine_at = v->one_at + v->n * 64;
  size_t bytes = v->engine_at + make_codes(&m);
  double elements = (double)fuse_count(f->p, op_operand(f->p, op, 0));
  out->in = m.in.items, out->n_in = m.in.count;
  out->out = m.out.items, out->n_out = m.out.count;
  out->kernel = (Kernel){.name = "loop",
                         .run = run_tile,
                         .data = v,
                         .n_tiles = kernel_tiles(elements * 1e-9, units_of(v)),
                         .scratch_bytes = bytes};
}
