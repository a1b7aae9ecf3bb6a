// Kernels of reduce: one operand and a named reducer (sum, max, …), any dimensions. Other bodies
// are loops (fuse_variadic.c).
//
// Neighbouring dimensions of one kind merge, so that the operand is an alternation of kept and
// reduced dimensions. Each stage reduces one group: a tensor [outer, reduced, inner]. If inner is
// 1, rows are folded in 64 lanes; otherwise rows of inner elements are added, chunk by chunk. Long
// reductions are halved until they are short, so the error of sums grows with the logarithm of the
// length. If there are few results, a first stage reduces parts of the dimension. The tree depends
// on shapes only. 16-bit floats are summed in f32 and rounded once. O(elements).
#include <string.h>

#include "execute/kernels/combine.h"
#include "execute/kernels/common.h"
#include "execute/kernels/kernels.h"
#include "ops/op.h"
#include "tensor/narrow.h"

enum { CHUNK = 512, SHORT_ROWS = 32, SHORT_ROW = 8192, LEVELS = 40, MOST_STAGES = 2 * MAX_RANK };

typedef struct Stage {
  int64_t outer, reduced, inner;
  int64_t parts, per_part;  // of the reduced dimension
  DType from, wide, to;
  uint32_t from_buffer, to_buffer;
  size_t from_at, to_at;
  const CombineRows *first, *rest;  // on the operand's type, on the wide type
  bool last;                        // applies the initial value
} Stage;

// ---- conversions ----

static void widen(DType from, const void *data, float *to, int64_t n) {
  const uint16_t *in = data;
  if (from == DT_bf16)
    for (int64_t i = 0; i < n; i++) to[i] = f32_of_bf16(in[i]);
  else
    for (int64_t i = 0; i < n; i++) to[i] = f32_of_f16(in[i]);
}

static void narrow(DType to, const float *from, uint16_t *out, int64_t n) {
  if (to == DT_bf16)
    for (int64_t i = 0; i < n; i++) out[i] = bf16_of_f32(from[i]);
  else
    for (int64_t i = 0; i < n; i++) out[i] = f16_of_f32(from[i]);
}

// ---- one stage ----

static const char *stage_from(const Stage *s, void *const *buffers, int64_t element) {
  return (const char *)buffers[s->from_buffer] + s->from_at +
         (size_t)element * (size_t)dtype_bytes(s->from);
}

// Stores n accumulators as elements [at, at + n) of the result, with the initial value.
static void store(const Stage *s, void *const *buffers, char *sums, int64_t at, int64_t n) {
  size_t wide = (size_t)dtype_bytes(s->wide);
  if (s->last) {
    // init op total: the initial value is one element of the operand's type.
    char init[16] = {0};
    if (s->wide != s->to)
      widen(s->to, buffers[1], (float *)(void *)init, 1);
    else
      memcpy(init, buffers[1], wide);
    for (int64_t i = 0; i < n; i++) {
      char total[16];
      memcpy(total, init, wide);
      s->rest->rows(total, sums + (size_t)i * wide, 1);
      memcpy(sums + (size_t)i * wide, total, wide);
    }
  }
  char *to = (char *)buffers[s->to_buffer] + s->to_at;
  if (s->last && s->wide != s->to)
    narrow(s->to, (const float *)(const void *)sums, (uint16_t *)(void *)to + at, n);
  else
    memcpy(to + (size_t)at * wide, sums, (size_t)n * wide);
}

// acc = row[0] op … op row[n - 1], n >= 1; acc is of the wide type.
static void fold_halves(const Stage *s, const char *row, int64_t n, char *acc) {
  size_t item = (size_t)dtype_bytes(s->from);
  if (n <= SHORT_ROW) {
    if (s->from != s->wide)
      widen(s->from, row, (float *)(void *)acc, 1);
    else
      memcpy(acc, row, item);
    s->first->fold(acc, row + item, n - 1);
    return;
  }
  int64_t half = (n / 2 + 63) / 64 * 64;
  char right[16];
  fold_halves(s, row, half, acc);
  fold_halves(s, row + (size_t)half * item, n - half, right);
  s->rest->rows(acc, right, 1);
}

// acc[0 … n) = the reduction of `rows` rows; levels: scratch rows of CHUNK accumulators.
static void add_halves(const Stage *s, const char *from, int64_t rows, int64_t n, char *acc,
                       char *levels) {
  size_t item = (size_t)dtype_bytes(s->from), wide = (size_t)dtype_bytes(s->wide),
         step = (size_t)s->inner * item;
  bool widens = s->from != s->wide;
  if (rows <= SHORT_ROWS) {
    if (widens)
      widen(s->from, from, (float *)(void *)acc, n);
    else
      memcpy(acc, from, (size_t)n * wide);
    for (int64_t r = 1; r < rows; r++) {
      const char *row = from + (size_t)r * step;
      if (widens) {
        widen(s->from, row, (float *)(void *)levels, n);
        row = levels;
      }
      s->rest->rows(acc, row, n);
    }
    return;
  }
  int64_t half = rows / 2;
  char *right = levels, *deeper = levels + CHUNK * wide;
  add_halves(s, from, half, n, acc, levels);
  add_halves(s, from + (size_t)half * step, rows - half, n, right, deeper);
  s->rest->rows(acc, right, n);
}

static void run_stage(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Stage *s = kernel->data;
  int64_t chunks = (s->inner + CHUNK - 1) / CHUNK;
  uint64_t first, last;
  kernel_part((uint64_t)(s->outer * s->parts * chunks), tile, kernel->n_tiles, &first, &last);
  for (uint64_t unit = first; unit < last; unit++) {
    int64_t chunk = (int64_t)unit % chunks, rest = (int64_t)unit / chunks;
    int64_t part = rest % s->parts, outer = rest / s->parts;
    int64_t row = part * s->per_part,
            rows = s->reduced - row < s->per_part ? s->reduced - row : s->per_part;
    int64_t column = chunk * CHUNK, n = s->inner - column < CHUNK ? s->inner - column : CHUNK;
    const char *from = stage_from(s, buffers, (outer * s->reduced + row) * s->inner + column);
    char *acc = scratch, *levels = acc + CHUNK * (size_t)dtype_bytes(s->wide);
    if (s->inner == 1 && s->first->fold)
      fold_halves(s, from, rows, acc);
    else
      add_halves(s, from, rows, n, acc, levels);
    store(s, buffers, acc, (outer * s->parts + part) * s->inner + column, n);
  }
}

static void run_fill(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)tile, (void)scratch;
  const Dense *result = kernel->data;
  for (int64_t i = 0; i < result->count; i++)
    memcpy((char *)buffers[2] + (size_t)i * result->item, buffers[1], result->item);
}

// ---- making ----

typedef struct Group {
  bool reduced;
  int64_t size;
} Group;

static uint32_t groups_of(const Dense *in, Ints dims, Group *out) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < in->rank; d++) {
    if (in->dims[d] == 1) continue;
    bool reduced = ints_contain(dims, d);
    if (n && out[n - 1].reduced == reduced)
      out[n - 1].size *= in->dims[d];
    else
      out[n++] = (Group){reduced, in->dims[d]};
  }
  return n;
}

typedef struct Chain {
  const KernelRequest *request;
  Kernel kernels[MOST_STAGES];
  uint32_t n;
  size_t temp_bytes;
  DType type, wide;
  const CombineRows *first, *rest;
  uint32_t from_buffer;  // of the next stage
  size_t from_at;
  DType from;
} Chain;

static void add_stage(Chain *c, int64_t outer, int64_t reduced, int64_t inner, bool last) {
  Stage *s = ARENA_NEW(c->request->arena, Stage);
  int64_t chunks = (inner + CHUNK - 1) / CHUNK, units = outer * chunks;
  double elements = (double)outer * (double)reduced * (double)inner;
  *s = (Stage){.outer = outer, .reduced = reduced, .inner = inner, .parts = 1};
  // Few results: parts of the reduced dimension, by shape.
  if (units < 16 && elements > 1e5) {
    int64_t parts = 32 / units, shortest = inner == 1 ? SHORT_ROW : SHORT_ROWS;
    if (parts > reduced / shortest) parts = reduced / shortest;
    if (parts > 1) s->parts = parts;
  }
  s->per_part = (reduced + s->parts - 1) / s->parts;
  s->parts = (reduced + s->per_part - 1) / s->per_part;
  bool ends = last && s->parts == 1;
  s->from = c->from;
  s->wide = c->wide;
  s->to = ends ? c->type : c->wide;
  s->last = ends;
  s->first = c->from == c->type ? c->first : c->rest;
  s->rest = c->rest;
  s->from_buffer = c->from_buffer;
  s->from_at = c->from_at;
  s->to_buffer = ends ? 2 : 3;
  if (!ends) {
    s->to_at = c->temp_bytes;
    c->temp_bytes +=
        kernel_aligned((size_t)(outer * s->parts * inner) * (size_t)dtype_bytes(c->wide));
    c->from_buffer = 3;
    c->from_at = s->to_at;
    c->from = c->wide;
  }
  size_t item = (size_t)dtype_bytes(c->wide);
  double seconds = elements * (double)dtype_bytes(s->from) / 8e9;
  c->kernels[c->n++] = (Kernel){.name = "reduce",
                                .run = run_stage,
                                .data = s,
                                .n_tiles = kernel_tiles(seconds, (uint64_t)(units * s->parts)),
                                .scratch_bytes = CHUNK * item * (LEVELS + 2)};
  if (s->parts > 1) add_stage(c, outer, s->parts, inner, last);
}

static void link_chain(Chain *c, Kernel *out) {
  const Kernel *next = NULL;
  for (uint32_t i = c->n; i-- > 0;) {
    c->kernels[i].next = next;
    c->kernels[i].temp_bytes = c->temp_bytes;
    if (i) {
      Kernel *copy = ARENA_NEW(c->request->arena, Kernel);
      *copy = c->kernels[i];
      next = copy;
    }
  }
  *out = c->kernels[0];
}

static bool make_named(const KernelRequest *r, Kernel *out) {
  Dense in, init, result;
  if (!dense_operand(r, 0, &in) || !dense_operand(r, 1, &init) || !dense_result(r, 0, &result) ||
      in.dtype != init.dtype || in.dtype != result.dtype)
    return false;
  Combine combine = body_combine(r->program, op_region(r->program, r->op, 0));
  const CombineRows *rows = combine ? combine_rows(in.dtype, combine) : NULL;
  if (!rows) return false;
  if (result.count == 0) return kernel_nothing(out), true;
  Group groups[MAX_RANK];
  uint32_t n = groups_of(&in, request_ints(r, "dimensions"), groups), left = 0;
  for (uint32_t i = 0; i < n; i++) left += groups[i].reduced;
  if (in.count == 0) {
    Dense *data = ARENA_NEW(r->arena, Dense);
    *data = result;
    *out = (Kernel){.name = "reduce", .run = run_fill, .data = data, .n_tiles = 1};
    return true;
  }
  Chain c = {.request = r,
             .type = in.dtype,
             .wide = rows->wide,
             .first = rows,
             .rest = combine_rows(rows->wide, combine),
             .from = in.dtype};
  if (left == 0) {  // every reduced dimension has size 1: init op element
    add_stage(&c, 1, 1, in.count, true);
    return link_chain(&c, out), true;
  }
  // From the innermost group outwards, so that later stages are smaller.
  int64_t inner = 1;
  for (uint32_t i = n; i-- > 0;) {
    if (!groups[i].reduced) {
      inner *= groups[i].size;
      continue;
    }
    int64_t outer = 1;
    for (uint32_t j = 0; j < i; j++) outer *= groups[j].size;
    add_stage(&c, outer, groups[i].size, inner, --left == 0);
  }
  return link_chain(&c, out), true;
}

bool kernel_reduce(const KernelRequest *r, Kernel *out) {
  return op_at(r->program, r->op)->n_results == 1 && make_named(r, out);
}
