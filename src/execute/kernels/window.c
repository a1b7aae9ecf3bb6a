// Kernels of reduce_window and select_and_scatter with named reducers.
//
// Trailing dimensions along which windows do not slide (channels) are rows: one call combines a
// row. Cumulative reductions (JAX's cumsum, cummax …: a window as long as the dimension, stride 1,
// padded at one side) are prefix scans, O(elements) instead of O(elements * window). A scan along
// rows combines row by row; a scan along a line adds 16 elements by shifts. Long lines are cut into
// blocks by shape: a first stage reduces each block, the second begins with the sum of the blocks
// before. Windows read the initial value where they lie outside, so a scan needs an initial value
// that is neutral; that is known at run time only, and otherwise the windows are evaluated one by
// one.
#include <string.h>

#include "execute/kernels/combine.h"
#include "execute/kernels/common.h"
#include "execute/kernels/kernels.h"
#include "ops/op.h"
#include "ops/windows.h"
#include "tensor/narrow.h"
#include "tensor/vectorize.h"

enum { SCAN_BLOCK = 16384 };

typedef struct Windows {
  Dense in, out;
  WindowDim dims[MAX_RANK];
  uint32_t outer;  // dimensions before the rows
  int64_t row;     // elements of a row
  int64_t n_rows;  // of the result
  Combine combine;
  const CombineRows *rows;
  // A scan along `axis`, forwards or backwards.
  bool scans, backwards;
  uint32_t axis;
  int64_t before, length, inner, blocks;  // [before, length, inner]
} Windows;

// ---- windows one by one ----

static void run_window(const Windows *w, const char *in, const char *init, const int64_t *position,
                       char *to) {
  size_t item = w->in.item;
  int64_t tap[MAX_RANK] = {0};
  for (int64_t i = 0; i < w->row; i++) memcpy(to + (size_t)i * item, init, item);
  for (;;) {
    int64_t at = 0;
    bool inside = true;
    for (uint32_t d = 0; d < w->outer; d++) {
      int64_t x = window_tap(&w->dims[d], w->in.dims[d], position[d], tap[d]);
      inside &= x >= 0;
      at += x * w->in.strides[d];
    }
    if (inside)
      w->rows->rows(to, in + (size_t)at * item, w->row);
    else
      for (int64_t i = 0; i < w->row; i++) w->rows->rows(to + (size_t)i * item, init, 1);
    uint32_t d = w->outer;
    while (d > 0 && ++tap[d - 1] == w->dims[d - 1].size) tap[--d] = 0;
    if (d == 0) return;
  }
}

static void run_rows(const Windows *w, void *const *buffers, uint64_t first, uint64_t last) {
  for (uint64_t r = first; r < last; r++) {
    int64_t position[MAX_RANK] = {0}, rest = (int64_t)r;
    for (uint32_t d = w->outer; d-- > 0;) {
      position[d] = rest % w->out.dims[d];
      rest /= w->out.dims[d];
    }
    run_window(w, buffers[0], buffers[1], position,
               (char *)buffers[2] + (size_t)r * (size_t)w->row * w->in.item);
  }
}

static void run_windows(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const Windows *w = kernel->data;
  uint64_t first, last;
  kernel_part((uint64_t)w->n_rows, tile, kernel->n_tiles, &first, &last);
  run_rows(w, buffers, first, last);
}

// ---- scans ----

typedef float Lanes __attribute__((vector_size(64)));

// to[i] = *carry + from[0] + … + from[i]; 16 elements by shifts, whose sums are then added to the
// carry.
VECTOR_BODY void scan_f32_body(const float *from, float *to, int64_t n, float *carry) {
  const Lanes zero = {0};
  float total = *carry;
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    Lanes x;
    memcpy(&x, from + i, sizeof x);
    x += __builtin_shufflevector(zero, x, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
                                 29, 30);
    x += __builtin_shufflevector(zero, x, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
                                 28, 29);
    x += __builtin_shufflevector(zero, x, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                 26, 27);
    x += __builtin_shufflevector(zero, x, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                 23);
    float sum = x[15];
    x += total;
    memcpy(to + i, &x, sizeof x);
    total += sum;
  }
  for (; i < n; i++) to[i] = total = total + from[i];
  *carry = total;
}
VECTOR_CLONES(scan_f32, (const float *from, float *to, int64_t n, float *carry),
              (from, to, n, carry))

// One element after the other, in either direction. carry: of the element type.
static void scan_line(const Windows *w, const char *from, char *to, int64_t n, char *carry) {
  int64_t step = (int64_t)w->in.item;
  if (w->combine == COMBINE_SUM && w->in.dtype == DT_f32 && !w->backwards) {
    scan_f32((const float *)(const void *)from, (float *)(void *)to, n, (float *)(void *)carry);
    return;
  }
  int64_t at = w->backwards ? (n - 1) * step : 0;
  if (w->backwards) step = -step;
  for (int64_t i = 0; i < n; i++, at += step) {
    w->rows->rows(carry, from + at, 1);
    memcpy(to + at, carry, w->in.item);
  }
}

// Does the initial value change nothing, however often it is combined?
static bool is_neutral(const Windows *w, const void *init) {
  if (w->combine == COMBINE_MAX || w->combine == COMBINE_MIN || w->combine == COMBINE_AND ||
      w->combine == COMBINE_OR)
    return true;
  Scalar x = dtype_load(w->in.dtype, init, 0);
  bool real = dtype_is_float(w->in.dtype);
  if (w->combine == COMBINE_MUL) return real ? x.f == 1 : x.i == 1;
  return real ? x.f == 0 : x.i == 0;
}

// The block's first element of the result, in elements; block 0 is where the scan begins.
static int64_t block_size(const Windows *w, int64_t block) {
  int64_t left = w->length - block * SCAN_BLOCK;
  return left < SCAN_BLOCK ? left : SCAN_BLOCK;
}
static int64_t block_first(const Windows *w, int64_t block) {
  return w->backwards ? w->length - block * SCAN_BLOCK - block_size(w, block) : block * SCAN_BLOCK;
}

// Stage 1 for long lines: the reduction of each block.
static void run_totals(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const Windows *w = kernel->data;
  size_t item = w->in.item;
  uint64_t first, last;
  kernel_part((uint64_t)(w->before * w->blocks), tile, kernel->n_tiles, &first, &last);
  for (uint64_t unit = first; unit < last; unit++) {
    int64_t line = (int64_t)unit / w->blocks, block = (int64_t)unit % w->blocks;
    const char *from =
        (const char *)buffers[0] + (size_t)(line * w->length + block_first(w, block)) * item;
    char *total = (char *)buffers[3] + unit * item;
    memcpy(total, from, item);
    w->rows->fold(total, from + item, block_size(w, block) - 1);
  }
}

// Stage 2: the scan of each block, from the reduction of the blocks before.
static void run_blocks(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const Windows *w = kernel->data;
  size_t item = w->in.item;
  uint64_t first, last;
  kernel_part((uint64_t)(w->before * w->blocks), tile, kernel->n_tiles, &first, &last);
  if (!is_neutral(w, buffers[1])) {
    kernel_part((uint64_t)w->n_rows, tile, kernel->n_tiles, &first, &last);
    run_rows(w, buffers, first, last);
    return;
  }
  for (uint64_t unit = first; unit < last; unit++) {
    int64_t line = (int64_t)unit / w->blocks, block = (int64_t)unit % w->blocks;
    _Alignas(16) char carry[16] = {0};
    memcpy(carry, buffers[1], item);
    for (int64_t b = 0; b < block; b++)
      w->rows->rows(carry, (char *)buffers[3] + (size_t)(line * w->blocks + b) * item, 1);
    size_t at = (size_t)(line * w->length + block_first(w, block)) * item;
    scan_line(w, (const char *)buffers[0] + at, (char *)buffers[2] + at, block_size(w, block),
              carry);
  }
}

// A scan along rows: chunks of columns are independent.
enum { SCAN_COLUMNS = 256 };
static void run_scan_rows(const Kernel *kernel, void *const *buffers, uint32_t tile,
                          void *scratch) {
  (void)scratch;
  const Windows *w = kernel->data;
  size_t item = w->in.item;
  int64_t chunks = (w->inner + SCAN_COLUMNS - 1) / SCAN_COLUMNS;
  uint64_t first, last;
  if (!is_neutral(w, buffers[1])) {
    kernel_part((uint64_t)w->n_rows, tile, kernel->n_tiles, &first, &last);
    run_rows(w, buffers, first, last);
    return;
  }
  kernel_part((uint64_t)(w->before * chunks), tile, kernel->n_tiles, &first, &last);
  for (uint64_t unit = first; unit < last; unit++) {
    int64_t column = (int64_t)unit % chunks * SCAN_COLUMNS, line = (int64_t)unit / chunks;
    int64_t n = w->inner - column < SCAN_COLUMNS ? w->inner - column : SCAN_COLUMNS;
    const char *before = NULL;
    for (int64_t i = 0; i < w->length; i++) {
      int64_t k = w->backwards ? w->length - 1 - i : i;
      size_t at = (size_t)((line * w->length + k) * w->inner + column) * item;
      char *to = (char *)buffers[2] + at;
      if (before)
        memcpy(to, before, (size_t)n * item);
      else
        for (int64_t j = 0; j < n; j++) memcpy(to + (size_t)j * item, buffers[1], item);
      w->rows->rows(to, (const char *)buffers[0] + at, n);
      before = to;
    }
  }
}

// ---- making ----

static bool window_attrs(const KernelRequest *r, const Dense *in, const Dense *out, Windows *w) {
  if (in->rank != out->rank) return false;
  w->in = *in;
  w->out = *out;
  windows_read(r->program->context, op_at(r->program, r->op)->attrs, in->rank, w->dims);
  w->outer = in->rank;
  w->row = w->n_rows = 1;
  while (w->outer > 0 && window_is_plain(&w->dims[w->outer - 1])) w->row *= in->dims[--w->outer];
  for (uint32_t d = 0; d < w->outer; d++) w->n_rows *= out->dims[d];
  return true;
}

// One dimension with a window over all of it that grows from one end.
static void find_scan(Windows *w) {
  uint32_t found = w->in.rank;
  for (uint32_t d = 0; d < w->in.rank; d++) {
    if (window_is_plain(&w->dims[d])) continue;
    if (found < w->in.rank) return;
    found = d;
  }
  if (found == w->in.rank) return;
  const WindowDim *x = &w->dims[found];
  int64_t n = w->in.dims[found];
  if (x->size != n || x->stride != 1 || x->base_dilation != 1 || x->window_dilation != 1 ||
      w->out.dims[found] != n)
    return;
  bool forwards = x->pad_low == n - 1 && x->pad_high == 0,
       backwards = x->pad_low == 0 && x->pad_high == n - 1;
  if ((!forwards && !backwards) || w->rows->wide != w->in.dtype || !w->rows->fold) return;
  w->scans = true;
  w->backwards = !forwards;
  w->axis = found;
  w->length = n;
  w->before = w->inner = 1;
  for (uint32_t d = 0; d < w->in.rank; d++)
    *(d < found ? &w->before : &w->inner) *= d == found ? 1 : w->in.dims[d];
  w->blocks = w->inner == 1 ? (n + SCAN_BLOCK - 1) / SCAN_BLOCK : 1;
}

static void make_scan(const KernelRequest *r, const Windows *w, Kernel *out) {
  double bytes = (double)w->in.count * (double)w->in.item;
  if (w->inner > 1) {
    uint64_t units = (uint64_t)(w->before * ((w->inner + SCAN_COLUMNS - 1) / SCAN_COLUMNS));
    *out = (Kernel){.name = "scan",
                    .run = run_scan_rows,
                    .data = w,
                    .n_tiles = kernel_tiles(kernel_seconds(RATE_scan, bytes), units)};
    return;
  }
  uint64_t units = (uint64_t)(w->before * w->blocks);
  Kernel blocks = {.name = "scan",
                   .run = run_blocks,
                   .data = w,
                   .n_tiles = kernel_tiles(kernel_seconds(RATE_scan, bytes), units)};
  if (w->blocks == 1) {
    *out = blocks;
    return;
  }
  KernelChain chain = {.arena = r->arena};
  chain_temp(&chain, (size_t)units * w->in.item);
  chain_add(&chain, &(Kernel){.name = "scan",
                              .run = run_totals,
                              .data = w,
                              .n_tiles = kernel_tiles(kernel_seconds(RATE_copy, bytes), units)});
  chain_add(&chain, &blocks);
  chain_link(&chain, out);
}

bool kernel_reduce_window(const KernelRequest *r, Kernel *out) {
  Dense in, init, result;
  if (op_at(r->program, r->op)->n_operands != 2 || !dense_operand(r, 0, &in) ||
      !dense_operand(r, 1, &init) || !dense_result(r, 0, &result) || in.dtype != result.dtype ||
      in.dtype != init.dtype)
    return false;
  Windows *w = ARENA_NEW(r->arena, Windows);
  w->combine = body_combine(r->program, op_region(r->program, r->op, 0));
  w->rows = w->combine ? combine_rows(in.dtype, w->combine) : NULL;
  if (!w->rows || !window_attrs(r, &in, &result, w)) return false;
  if (result.count == 0) return kernel_nothing(out), true;
  if (in.count) find_scan(w);
  if (w->scans) return make_scan(r, w, out), true;
  double taps = 1;
  for (uint32_t d = 0; d < w->outer; d++) taps *= (double)w->dims[d].size;
  double row = kernel_seconds(RATE_vector_loop, (double)w->row * (double)in.item);
  double seconds = (double)w->n_rows * taps * (kernel_seconds(RATE_windows, 1) + row);
  *out = (Kernel){.name = "reduce_window",
                  .run = run_windows,
                  .data = w,
                  .n_tiles = kernel_tiles(seconds, (uint64_t)w->n_rows)};
  return true;
}

// ---- select_and_scatter ----

// Windows of different outermost indices touch different elements if that dimension is plain.
typedef struct Selects {
  Windows windows;        // in: the operand, out: the source
  int64_t slices, slice;  // of dimension 0; elements of one in the operand
} Selects;

enum { SELECT_CHUNK = 256 };
typedef struct Selected {
  float best[SELECT_CHUNK];
  int32_t tap[SELECT_CHUNK];  // the number of the selected tap; -1: none yet
} Selected;

// Compares a row with the best elements so far: the first tap that is >= all later ones wins.
VECTOR_BODY void select_f32_body(Selected *s, const float *row, int64_t n, int32_t tap) {
  for (int64_t i = 0; i < n; i++) {
    bool keeps = s->tap[i] >= 0 && s->best[i] >= row[i];
    s->best[i] = keeps ? s->best[i] : row[i];
    s->tap[i] = keeps ? s->tap[i] : tap;
  }
}
VECTOR_CLONES(select_f32, (Selected * s, const float *row, int64_t n, int32_t tap),
              (s, row, n, tap))

// The element of the operand that a tap of the window reads at the row's start; -1: padding.
static int64_t tap_at(const Windows *w, const int64_t *position, const int64_t *tap) {
  int64_t at = 0;
  for (uint32_t d = 0; d < w->outer; d++) {
    int64_t x = window_tap(&w->dims[d], w->in.dims[d], position[d], tap[d]);
    if (x < 0) return -1;
    at += x * w->in.strides[d];
  }
  return at;
}

// The window at `position`, for n elements of the row from `first`.
static void scatter_window(const Windows *w, const char *in, const char *source,
                           const int64_t *position, int64_t first, int64_t n, char *to) {
  size_t item = w->in.item;
  int64_t tap[MAX_RANK] = {0};
  Selected s;
  float wide[SELECT_CHUNK];
  for (int64_t i = 0; i < n; i++) s.tap[i] = -1;
  for (int32_t number = 0;; number++) {
    int64_t at = tap_at(w, position, tap);
    if (at >= 0) {
      const char *row = in + (size_t)(at + first) * item;
      if (w->in.dtype != DT_f32)
        for (int64_t i = 0; i < n; i++) {
          uint16_t x = ((const uint16_t *)(const void *)row)[i];
          wide[i] = w->in.dtype == DT_bf16 ? f32_of_bf16(x) : f32_of_f16(x);
        }
      select_f32(&s, w->in.dtype == DT_f32 ? (const float *)(const void *)row : wide, n, number);
    }
    uint32_t d = w->outer;
    while (d > 0 && ++tap[d - 1] == w->dims[d - 1].size) tap[--d] = 0;
    if (d == 0) break;
  }
  memset(tap, 0, sizeof tap);
  for (int32_t number = 0;; number++) {
    int64_t at = tap_at(w, position, tap) + first;
    for (int64_t i = 0; i < n; i++)
      if (s.tap[i] == number)
        w->rows->rows(to + (size_t)(at + i) * item, source + (size_t)(first + i) * item, 1);
    uint32_t d = w->outer;
    while (d > 0 && ++tap[d - 1] == w->dims[d - 1].size) tap[--d] = 0;
    if (d == 0) return;
  }
}

static void run_selects(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const Selects *s = kernel->data;
  const Windows *w = &s->windows;
  size_t item = w->in.item;
  int64_t per_slice = w->n_rows / s->slices;
  uint64_t first, last;
  kernel_part((uint64_t)s->slices, tile, kernel->n_tiles, &first, &last);
  char *out = buffers[3];
  for (uint64_t slice = first; slice < last; slice++) {
    for (int64_t i = 0; i < s->slice; i++)
      memcpy(out + ((size_t)slice * (size_t)s->slice + (size_t)i) * item, buffers[2], item);
    for (int64_t k = 0; k < per_slice; k++) {
      int64_t position[MAX_RANK] = {0}, row = (int64_t)slice * per_slice + k, rest = row;
      for (uint32_t d = w->outer; d-- > 0;) {
        position[d] = rest % w->out.dims[d];
        rest /= w->out.dims[d];
      }
      const char *source = (const char *)buffers[1] + (size_t)row * (size_t)w->row * item;
      for (int64_t i = 0; i < w->row; i += SELECT_CHUNK)
        scatter_window(w, buffers[0], source, position, i,
                       w->row - i < SELECT_CHUNK ? w->row - i : SELECT_CHUNK, out);
    }
  }
}

// The body is argument 0 >= argument 1.
static bool body_is_ge(const Program *p, RegionId region) {
  BlockId block = region_block(p, region);
  OpId op = block_at(p, block)->first, end = block_at(p, block)->last;
  if (!op || op_at(p, op)->next != end || op_at(p, op)->code != OP_compare ||
      op_operand(p, end, 0) != op_result(p, op, 0) ||
      op_operand(p, op, 0) != block_arg(p, block, 0) ||
      op_operand(p, op, 1) != block_arg(p, block, 1))
    return false;
  Str direction =
      name_str(p->context, attr_as_name(p->context, op_attr(p, op, "comparison_direction")));
  Str type = name_str(p->context, attr_as_name(p->context, op_attr(p, op, "compare_type")));
  return str_is(direction, "GE") && !str_is(type, "TOTALORDER");
}

bool kernel_select_and_scatter(const KernelRequest *r, Kernel *out) {
  Dense in, source, init, result;
  if (!dense_operand(r, 0, &in) || !dense_operand(r, 1, &source) || !dense_operand(r, 2, &init) ||
      !dense_result(r, 0, &result) || in.dtype != result.dtype || source.dtype != in.dtype ||
      (in.dtype != DT_f32 && in.dtype != DT_bf16 && in.dtype != DT_f16) ||
      !body_is_ge(r->program, op_region(r->program, r->op, 0)))
    return false;
  Selects *s = ARENA_NEW(r->arena, Selects);
  Windows *w = &s->windows;
  w->combine = body_combine(r->program, op_region(r->program, r->op, 1));
  w->rows = w->combine ? combine_rows(in.dtype, w->combine) : NULL;
  if (!w->rows || !window_attrs(r, &in, &source, w)) return false;
  if (result.count == 0) return kernel_nothing(out), true;
  bool sliced = w->outer > 0 && window_is_plain(&w->dims[0]) && source.count;
  s->slices = sliced ? in.dims[0] : 1;
  s->slice = in.count / s->slices;
  double taps = 1;
  for (uint32_t d = 0; d < w->outer; d++) taps *= (double)w->dims[d].size;
  double seconds = kernel_seconds(RATE_taps, (double)source.count * taps) +
                   kernel_seconds(RATE_elements, (double)in.count);
  *out = (Kernel){.name = "select_and_scatter",
                  .run = run_selects,
                  .data = s,
                  .n_tiles = kernel_tiles(seconds, (uint64_t)s->slices)};
  return true;
}
