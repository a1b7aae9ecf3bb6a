// Collectives that combine elements: all_reduce and reduce_scatter.
//
// Problem: the same bits for every number of workers and devices per worker, at the speed of
// memory.
// Idea: the elements are cut into pieces by shape. A tile loads a chunk of each member's operand
// into a row of its scratch, in the type in which sums are formed, combines the rows as a balanced
// tree over the members (other reducers than sums: in order), and stores row 0 into the result of
// every member (all_reduce) or of the owner (reduce_scatter).
// Cost: each operand is read once, each result written once.
#include <string.h>

#include "execute/exchange.h"
#include "execute/kernels/combine.h"
#include "execute/kernels/common.h"
#include "ops/factors.h"
#include "ops/op.h"
#include "tensor/narrow.h"
#include "tensor/vectorize.h"

enum {
  CHUNK = 1024,
  CHUNK_ITEM = 8,
  ROW_BYTES = CHUNK * CHUNK_ITEM,
  TILE_ELEMENTS = 1 << 16,
  MOST_PIECES = 1 << 22
};

// A run of elements that are contiguous in the operands and in the results.
typedef struct Piece {
  uint32_t operand;
  int64_t from, count;  // first element in the operands, number of elements
  int64_t to;           // first element in the result
  uint32_t owner;       // the member whose result it is; UINT32_MAX: all
} Piece;

typedef struct Reduction {
  void (*rows)(void *to, const void *from, int64_t n);  // to = to op from, of type `sum`
  uint32_t n_group, n_operands, n_results, n_pieces;
  Combine combine;
  DType in, sum, out;  // of operands, sums, results
  const Piece *pieces;
  const bool *here;  // of the request; NULL: all
} Reduction;

// ---- rows ----

VECTOR_BODY void load_bf16_body(const uint16_t *from, float *to, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] = f32_of_bf16(from[i]);
}
VECTOR_CLONES(load_bf16, (const uint16_t *from, float *to, int64_t n), (from, to, n))
VECTOR_BODY void load_f16_body(const uint16_t *from, float *to, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] = f32_of_f16(from[i]);
}
VECTOR_CLONES(load_f16, (const uint16_t *from, float *to, int64_t n), (from, to, n))
VECTOR_BODY void store_bf16_body(const float *from, uint16_t *to, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] = bf16_of_f32(from[i]);
}
VECTOR_CLONES(store_bf16, (const float *from, uint16_t *to, int64_t n), (from, to, n))
VECTOR_BODY void store_f16_body(const float *from, uint16_t *to, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] = f16_of_f32(from[i]);
}
VECTOR_CLONES(store_f16, (const float *from, uint16_t *to, int64_t n), (from, to, n))

static void load_row(DType in, DType sum, const void *from, int64_t first, void *row, int64_t n) {
  if (in == sum)
    memcpy(row, (const char *)from + (size_t)first * (size_t)dtype_bytes(in),
           (size_t)n * (size_t)dtype_bytes(in));
  else if (in == DT_bf16)
    load_bf16((const uint16_t *)from + first, row, n);
  else
    load_f16((const uint16_t *)from + first, row, n);
}

static void store_row(DType sum, DType out, const void *row, void *to, int64_t first, int64_t n) {
  if (out == sum)
    memcpy((char *)to + (size_t)first * (size_t)dtype_bytes(out), row,
           (size_t)n * (size_t)dtype_bytes(out));
  else if (out == DT_bf16)
    store_bf16(row, (uint16_t *)to + first, n);
  else
    store_f16(row, (uint16_t *)to + first, n);
}

// ---- running ----

static void run_chunk(const Reduction *x, const Piece *piece, int64_t at, int64_t n,
                      void *const *buffers, char *rows) {
  uint32_t g = x->n_group;
  for (uint32_t m = 0; m < g; m++)
    load_row(x->in, x->sum, buffers[m * x->n_operands + piece->operand], piece->from + at,
             rows + (size_t)m * ROW_BYTES, n);
  if (x->combine == COMBINE_SUM) {
    for (uint32_t step = 1; step < g; step *= 2)
      for (uint32_t m = 0; m + step < g; m += 2 * step)
        x->rows(rows + (size_t)m * ROW_BYTES, rows + (size_t)(m + step) * ROW_BYTES, n);
  } else {
    for (uint32_t m = 1; m < g; m++) x->rows(rows, rows + (size_t)m * ROW_BYTES, n);
  }
  void *const *results = buffers + (size_t)g * x->n_operands;
  for (uint32_t m = 0; m < g; m++)
    if ((piece->owner == UINT32_MAX || piece->owner == m) && (!x->here || x->here[m]))
      store_row(x->sum, x->out, rows, results[m * x->n_results + piece->operand], piece->to + at,
                n);
}

static void run_reduction(const Kernel *kernel, void *const *buffers, uint32_t tile,
                          void *scratch) {
  const Reduction *x = kernel->data;
  uint64_t first, last;
  kernel_part(x->n_pieces, tile, kernel->n_tiles, &first, &last);
  for (uint64_t i = first; i < last; i++) {
    const Piece *piece = &x->pieces[i];
    for (int64_t at = 0; at < piece->count; at += CHUNK) {
      int64_t n = piece->count - at < CHUNK ? piece->count - at : CHUNK;
      run_chunk(x, piece, at, n, buffers, scratch);
    }
  }
}

// ---- making ----

size_t exchange_scratch_bytes(uint32_t n_group) { return (size_t)n_group * ROW_BYTES; }

typedef struct Maker {
  const ExchangeRequest *r;
  VEC(Piece) pieces;
  double bytes;
} Maker;

static void add_run(Maker *x, Piece run) {
  for (int64_t at = 0; at < run.count; at += TILE_ELEMENTS) {
    Piece piece = run;
    piece.from += at;
    piece.to += at;
    piece.count = run.count - at < TILE_ELEMENTS ? run.count - at : TILE_ELEMENTS;
    VEC_PUSH(x->r->kernel.arena, &x->pieces, piece);
  }
}

static bool choose_types(const ExchangeRequest *r, uint32_t operand, Reduction *out) {
  Dense in, result;
  if (!dense_operand(&r->kernel, operand, &in) || !dense_result(&r->kernel, operand, &result))
    return false;
  DType sum = in.dtype;
  bool narrow = in.dtype == DT_bf16 || in.dtype == DT_f16;
  if (narrow) sum = DT_f32;
  // A product of narrow numbers is rounded after each factor.
  if (narrow && out->combine == COMBINE_MUL && result.dtype != DT_f32) return false;
  const CombineRows *combine = combine_rows(sum, out->combine);
  if (!combine || dtype_bytes(sum) > CHUNK_ITEM) return false;
  if (result.dtype != in.dtype && !(narrow && result.dtype == DT_f32)) return false;
  if (operand && (in.dtype != out->in || result.dtype != out->out)) return false;
  out->in = in.dtype;
  out->sum = sum;
  out->rows = combine->rows;
  out->out = result.dtype;
  return true;
}

static bool start(const ExchangeRequest *r, Reduction *out) {
  const Program *p = r->kernel.program;
  OpId op = r->kernel.op;
  *out = (Reduction){.n_group = r->n_group,
                     .n_operands = op_at(p, op)->n_operands,
                     .n_results = op_at(p, op)->n_results,
                     .combine = op_region_combine(p, op, 0),
                     .here = r->here};
  if (!combine_is_named(out->combine) || out->n_operands != out->n_results) return false;
  for (uint32_t i = 0; i < out->n_operands; i++)
    if (!choose_types(r, i, out)) return false;
  return true;
}

static bool finish(Maker *x, Reduction *reduction, const char *name, Kernel *out) {
  Arena *arena = x->r->kernel.arena;
  reduction->pieces = x->pieces.items;
  reduction->n_pieces = x->pieces.count;
  *out = (Kernel){.name = name,
                  .run = run_reduction,
                  .data = arena_copy(arena, reduction, sizeof *reduction),
                  .n_tiles = kernel_tiles(x->bytes / 10e9, x->pieces.count),
                  .scratch_bytes = exchange_scratch_bytes(x->r->n_group)};
  return true;
}

bool exchange_all_reduce(const ExchangeRequest *r, Kernel *out) {
  Maker x = {.r = r};
  Reduction reduction;
  if (!start(r, &reduction)) return false;
  for (uint32_t i = 0; i < reduction.n_operands; i++) {
    Dense in;
    dense_operand(&r->kernel, i, &in);
    add_run(&x, (Piece){.operand = i, .count = in.count, .owner = UINT32_MAX});
    x.bytes += 2.0 * r->n_group * (double)in.count * (double)in.item;
  }
  return finish(&x, &reduction, "all_reduce", out);
}

bool exchange_reduce_scatter(const ExchangeRequest *r, Kernel *out) {
  const Program *p = r->kernel.program;
  Maker x = {.r = r};
  Reduction reduction;
  int64_t dim = attr_as_int(p->context, op_attr(p, r->kernel.op, "scatter_dimension"), 0);
  if (!start(r, &reduction)) return false;
  for (uint32_t i = 0; i < reduction.n_operands; i++) {
    Dense in;
    dense_operand(&r->kernel, i, &in);
    if (dim < 0 || dim >= in.rank || in.dims[dim] % r->n_group) return false;
    if (in.count == 0) continue;
    if (in.count / in.dims[dim] > MOST_PIECES / r->n_group) return false;
    int64_t inner = in.strides[dim], run = in.dims[dim] / r->n_group * inner,
            outer = in.count / (in.dims[dim] * inner);
    for (uint32_t m = 0; m < r->n_group; m++) {
      if (!exchange_is_here(r, m)) continue;
      for (int64_t o = 0; o < outer; o++)
        add_run(&x, (Piece){.operand = i,
                            .from = o * in.dims[dim] * inner + (int64_t)m * run,
                            .count = run,
                            .to = o * run,
                            .owner = m});
    }
    x.bytes += (double)r->n_group * (double)in.count * (double)in.item;
  }
  return finish(&x, &reduction, "reduce_scatter", out);
}
