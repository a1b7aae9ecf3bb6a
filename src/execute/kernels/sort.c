// Kernels of sort and top_k for keys of at most 32 bits.
//
// An element's key is an unsigned integer with the comparator's order; key and index make one
// 64-bit number, so sorting these numbers is a stable sort. Numbers are sorted by radix, 11 bits at
// a time. One long line is cut into runs by its length alone: each run is sorted, then runs are
// merged in pairs, and each merge is shared by cutting its output (the cut positions are found by
// bisection). All operands are then permuted. O(n) per line, plus O(n log runs).
//
// Comparators: `a < b` or `a > b` on the first operand's elements: integers; floats in total order,
// plain or as JAX writes it (zeros are equal, NaNs are equal and last). top_k has total order,
// larger first.
#include <string.h>

#include "execute/kernels/common.h"
#include "execute/kernels/kernels.h"
#include "ops/op.h"

enum { RUN = 1 << 17, MERGE_PART = 1 << 15, DIGIT = 11, DIGITS = 1 << DIGIT, SHORT = 48 };

typedef struct KeyOrder {
  DType type;
  bool descending;
  bool canonical;  // -0 is 0, NaNs are equal
} KeyOrder;

typedef struct Sort {
  KeyOrder order;
  uint32_t n_operands;
  size_t items[CHAIN_MOST];
  int64_t lines, n, inner;  // [lines / inner, n, inner]
  int64_t runs, run;        // of a long line
  int64_t k;                // results per line: n, or top_k's
  bool top_k;
} Sort;

// ---- keys ----

static uint32_t float_key(uint32_t bits, uint32_t sign) {
  return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
}

static uint32_t key_at(const KeyOrder *o, const char *data, int64_t i) {
  uint32_t bits = 0, key;
  size_t item = (size_t)dtype_bytes(o->type);
  memcpy(&bits, data + (size_t)i * item, item);
  uint32_t sign = UINT32_C(1) << (8 * item - 1);
  DTypeKind kind = dtype_kind(o->type);
  if (kind == KIND_FLOAT) {
    uint32_t infinity = o->type == DT_f32 ? 0x7F800000u : o->type == DT_bf16 ? 0x7F80u : 0x7C00u;
    if (o->canonical && (bits & (sign - 1)) > infinity) bits = sign - 1;
    if (o->canonical && bits == sign) bits = 0;
    key = float_key(bits, sign);
  } else {
    key = kind == KIND_SINT ? bits ^ sign : bits;
  }
  return o->descending ? ~key : key;
}

// pairs[i] = key and index of the elements first … first + n - 1 of a line.
static void load_pairs(const Sort *s, const char *line, int64_t first, int64_t n, uint64_t *pairs) {
  if (s->order.type == DT_f32 && s->inner == 1 && s->order.canonical && !s->order.descending) {
    const uint32_t *x = (const uint32_t *)(const void *)line + first;
    for (int64_t i = 0; i < n; i++) {
      uint32_t bits = x[i], magnitude = bits & 0x7FFFFFFFu;
      bits = magnitude > 0x7F800000u ? 0x7FFFFFFFu : magnitude == 0 ? 0 : bits;
      uint32_t key = bits >> 31 ? ~bits : bits | 0x80000000u;
      pairs[i] = (uint64_t)key << 32 | (uint32_t)(first + i);
    }
    return;
  }
  for (int64_t i = 0; i < n; i++)
    pairs[i] =
        (uint64_t)key_at(&s->order, line, (first + i) * s->inner) << 32 | (uint32_t)(first + i);
}

// ---- runs ----

static void insertion_sort(uint64_t *a, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    uint64_t x = a[i];
    int64_t j = i;
    for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
    a[j] = x;
  }
}

// Sorts a by its upper 32 bits, stably; b has room for n, counts for 3 tables.
static void radix_sort(uint64_t *a, uint64_t *b, int64_t n, uint32_t *counts) {
  if (n <= SHORT) {
    insertion_sort(a, n);
    return;
  }
  memset(counts, 0, 3 * DIGITS * sizeof *counts);
  for (int64_t i = 0; i < n; i++)
    for (uint32_t d = 0; d < 3; d++)
      counts[d * DIGITS + (a[i] >> (32 + d * DIGIT) & (DIGITS - 1))]++;
  uint64_t *from = a, *to = b;
  for (int d = 0; d < 3; d++) {
    uint32_t *c = counts + d * DIGITS, at = 0;
    int shift = 32 + d * DIGIT;
    if (c[from[0] >> shift & (DIGITS - 1)] == (uint64_t)n) continue;  // one digit for all
    for (int i = 0; i < DIGITS; i++) {
      uint32_t count = c[i];
      c[i] = at;
      at += count;
    }
    for (int64_t i = 0; i < n; i++) to[c[from[i] >> shift & (DIGITS - 1)]++] = from[i];
    uint64_t *t = from;
    from = to;
    to = t;
  }
  if (from != a) memcpy(a, from, (size_t)n * sizeof *a);
}

// The sorted order to the results: element i of a line is operand element index(pairs[i]).
static void permute(const Sort *s, void *const *buffers, int64_t line, const uint64_t *pairs,
                    int64_t first, int64_t last) {
  int64_t outer = line / s->inner, inner = line % s->inner;
  for (uint32_t o = 0; o < s->n_operands; o++) {
    size_t item = s->items[o];
    const char *from = (const char *)buffers[o] + (size_t)(outer * s->n * s->inner + inner) * item;
    char *to =
        (char *)buffers[s->n_operands + o] + (size_t)(outer * s->k * s->inner + inner) * item;
    size_t step = (size_t)s->inner * item;
    if (item == 4 && s->inner == 1) {
      const uint32_t *f = (const uint32_t *)(const void *)from;
      uint32_t *t = (uint32_t *)(void *)to;
      for (int64_t i = first; i < last; i++) t[i] = f[(uint32_t)pairs[i]];
      continue;
    }
    for (int64_t i = first; i < last; i++)
      memcpy(to + (size_t)i * step, from + (size_t)(uint32_t)pairs[i] * step, item);
  }
  if (!s->top_k) return;
  int32_t *indices = (int32_t *)buffers[2] + line * s->k;
  for (int64_t i = first; i < last; i++) indices[i] = (int32_t)(uint32_t)pairs[i];
}

static const char *line_of(const Sort *s, void *const *buffers, int64_t line) {
  return (const char *)buffers[0] +
         (size_t)(line / s->inner * s->n * s->inner + line % s->inner) * s->items[0];
}

static void run_lines(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Sort *s = kernel->data;
  uint64_t *a = scratch, *b = a + s->n, first, last;
  uint32_t *counts = (uint32_t *)(void *)(b + s->n);
  kernel_part((uint64_t)s->lines, tile, kernel->n_tiles, &first, &last);
  for (int64_t line = (int64_t)first; line < (int64_t)last; line++) {
    load_pairs(s, line_of(s, buffers, line), 0, s->n, a);
    radix_sort(a, b, s->n, counts);
    permute(s, buffers, line, a, 0, s->k);
  }
}

// The k smallest numbers by one pass: `best` is sorted, its last entry is the worst.
static void run_top_k(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Sort *s = kernel->data;
  uint64_t *pairs = scratch, *best = pairs + 1024, first, last;
  kernel_part((uint64_t)s->lines, tile, kernel->n_tiles, &first, &last);
  for (int64_t line = (int64_t)first; line < (int64_t)last; line++) {
    int64_t held = 0;
    for (int64_t at = 0; at < s->n; at += 1024) {
      int64_t n = s->n - at < 1024 ? s->n - at : 1024;
      load_pairs(s, line_of(s, buffers, line), at, n, pairs);
      for (int64_t i = 0; i < n; i++) {
        uint64_t x = pairs[i];
        if (held == s->k && x > best[held - 1]) continue;
        int64_t j = held < s->k ? held++ : held - 1;
        for (; j > 0 && best[j - 1] > x; j--) best[j] = best[j - 1];
        best[j] = x;
      }
    }
    permute(s, buffers, line, best, 0, s->k);
  }
}

// ---- a long line ----

static uint64_t *long_pairs(const Sort *s, void *const *buffers, int64_t line, int side) {
  uint64_t *temp = buffers[2 * s->n_operands + s->top_k];
  return temp + (line * 2 + side) * s->n;
}

static void run_runs(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const Sort *s = kernel->data;
  uint64_t first, last;
  kernel_part((uint64_t)(s->lines * s->runs), tile, kernel->n_tiles, &first, &last);
  for (uint64_t unit = first; unit < last; unit++) {
    int64_t line = (int64_t)unit / s->runs, at = (int64_t)unit % s->runs * s->run;
    int64_t n = s->n - at < s->run ? s->n - at : s->run;
    if (n <= 0) continue;
    uint64_t *a = long_pairs(s, buffers, line, 0) + at;
    load_pairs(s, line_of(s, buffers, line), at, n, a);
    radix_sort(a, long_pairs(s, buffers, line, 1) + at, n, scratch);
  }
}

typedef struct Merge {
  const Sort *sort;
  int64_t width;  // of the runs that are merged
  int side;       // where they are
} Merge;

// How many of the first `want` numbers of the merge come from a.
static int64_t cut(const uint64_t *a, int64_t na, const uint64_t *b, int64_t nb, int64_t want) {
  int64_t low = want > nb ? want - nb : 0, high = want < na ? want : na;
  while (low < high) {
    int64_t i = low + (high - low) / 2;
    if (a[i] < b[want - i - 1])
      low = i + 1;
    else
      high = i;
  }
  return low;
}

static void merge_part(const uint64_t *a, int64_t na, const uint64_t *b, int64_t nb, int64_t from,
                       int64_t to, uint64_t *out) {
  int64_t i = cut(a, na, b, nb, from), j = from - i;
  for (int64_t k = from; k < to; k++) {
    bool left = j >= nb || (i < na && a[i] < b[j]);
    out[k] = left ? a[i] : b[j];
    i += left;
    j += !left;
  }
}

static void run_merge(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const Merge *m = kernel->data;
  const Sort *s = m->sort;
  int64_t parts = (s->n + MERGE_PART - 1) / MERGE_PART;
  uint64_t first, last;
  kernel_part((uint64_t)(s->lines * parts), tile, kernel->n_tiles, &first, &last);
  for (uint64_t unit = first; unit < last; unit++) {
    int64_t line = (int64_t)unit / parts, at = (int64_t)unit % parts * MERGE_PART;
    int64_t end = at + MERGE_PART < s->n ? at + MERGE_PART : s->n;
    const uint64_t *from = long_pairs(s, buffers, line, m->side);
    uint64_t *to = long_pairs(s, buffers, line, !m->side);
    while (at < end) {  // the part may touch several merges
      int64_t base = at / (2 * m->width) * 2 * m->width;
      int64_t na = s->n - base < m->width ? s->n - base : m->width;
      int64_t nb = s->n - base - na < m->width ? s->n - base - na : m->width;
      int64_t stop = base + na + nb < end ? base + na + nb : end;
      merge_part(from + base, na, from + base + na, nb, at - base, stop - base, to + base);
      at = stop;
    }
  }
}

static void run_permute(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const Merge *m = kernel->data;
  const Sort *s = m->sort;
  int64_t parts = (s->k + MERGE_PART - 1) / MERGE_PART;
  uint64_t first, last;
  kernel_part((uint64_t)(s->lines * parts), tile, kernel->n_tiles, &first, &last);
  for (uint64_t unit = first; unit < last; unit++) {
    int64_t line = (int64_t)unit / parts, at = (int64_t)unit % parts * MERGE_PART;
    permute(s, buffers, line, long_pairs(s, buffers, line, m->side), at,
            at + MERGE_PART < s->k ? at + MERGE_PART : s->k);
  }
}

// ---- making ----

static void make_long(const KernelRequest *r, Sort *s, Kernel *out) {
  KernelChain chain = {.arena = r->arena};
  chain_temp(&chain, (size_t)(2 * s->lines * s->n) * sizeof(uint64_t));
  double seconds = kernel_seconds(RATE_keys, (double)(s->lines * s->n));
  s->runs = 1;
  while (s->n / s->runs > RUN && s->runs < 32) s->runs *= 2;
  s->run = (s->n + s->runs - 1) / s->runs;
  uint64_t parts = (uint64_t)(s->lines * ((s->n + MERGE_PART - 1) / MERGE_PART));
  chain_add(&chain, &(Kernel){.name = "sort",
                              .run = run_runs,
                              .data = s,
                              .n_tiles = kernel_tiles(seconds, (uint64_t)(s->lines * s->runs)),
                              .scratch_bytes = 3 * DIGITS * sizeof(uint32_t)});
  int side = 0;
  for (int64_t width = s->run; width < s->n; width *= 2, side = !side) {
    Merge *m = ARENA_NEW(r->arena, Merge);
    *m = (Merge){.sort = s, .width = width, .side = side};
    chain_add(&chain, &(Kernel){.name = "sort",
                                .run = run_merge,
                                .data = m,
                                .n_tiles = kernel_tiles(seconds / 3, parts)});
  }
  Merge *m = ARENA_NEW(r->arena, Merge);
  *m = (Merge){.sort = s, .side = side};
  chain_add(&chain, &(Kernel){.name = "sort",
                              .run = run_permute,
                              .data = m,
                              .n_tiles = kernel_tiles(seconds / 3, parts)});
  chain_link(&chain, out);
}

static void make_sort(const KernelRequest *r, Sort *s, Kernel *out) {
  double seconds = kernel_seconds(RATE_keys, (double)(s->lines * s->n));
  if (s->lines < 4 && s->n > RUN) {
    make_long(r, s, out);
    return;
  }
  *out = (Kernel){.name = s->top_k ? "top_k" : "sort",
                  .run = run_lines,
                  .data = s,
                  .n_tiles = kernel_tiles(seconds, (uint64_t)s->lines),
                  .scratch_bytes = (size_t)s->n * 16 + 3 * DIGITS * sizeof(uint32_t)};
}

static bool is_key(DType type) {
  switch (type) {
  case DT_f32:
  case DT_bf16:
  case DT_f16:
  case DT_i8:
  case DT_i16:
  case DT_i32:
  case DT_ui8:
  case DT_ui16:
  case DT_ui32:
  case DT_i1: return true;
  default: return false;
  }
}

static OpId defined_by(const Program *p, ValueId v, uint16_t code) {
  OpId op = value_def(p, v);
  return op && op_at(p, op)->code == code ? op : 0;
}

static bool attr_is(const Program *p, OpId op, const char *name, const char *text) {
  return str_is(name_str(p->context, attr_as_name(p->context, op_attr(p, op, name))), text);
}

// The value is `compare direction, x, y`; y 0: any second operand, given by *out_y.
static bool compares(const Program *p, ValueId v, const char *direction, ValueId x, ValueId y) {
  OpId op = defined_by(p, v, OP_compare);
  return op && attr_is(p, op, "comparison_direction", direction) && op_operand(p, op, 0) == x &&
         op_operand(p, op, 1) == y;
}

// A splat constant whose value is 0, or NaN.
static bool is_constant(const Program *p, ValueId v, bool nan) {
  OpId op = defined_by(p, v, OP_constant);
  if (!op) return false;
  const AttrInfo *info = attr_info(p->context, op_attr(p, op, "value"));
  DType type = type_dtype(p->context, value_type(p, v));
  if (info->kind != ATTR_DENSE || !dtype_is_float(type) || !info->data) return false;
  double x = dtype_load(type, info->data, 0).f;
  return nan ? x != x : x == 0;
}

// Is v the argument as JAX orders it: select(arg != arg, NaN, select(arg == 0, 0, arg))?
static bool is_canonical(const Program *p, ValueId v, ValueId arg) {
  OpId outer = defined_by(p, v, OP_select);
  if (!outer || !compares(p, op_operand(p, outer, 0), "NE", arg, arg) ||
      !is_constant(p, op_operand(p, outer, 1), true))
    return false;
  OpId inner = defined_by(p, op_operand(p, outer, 2), OP_select);
  if (!inner || op_operand(p, inner, 2) != arg || !is_constant(p, op_operand(p, inner, 1), false))
    return false;
  OpId zero = defined_by(p, op_operand(p, inner, 0), OP_compare);
  return zero && attr_is(p, zero, "comparison_direction", "EQ") && op_operand(p, zero, 0) == arg &&
         is_constant(p, op_operand(p, zero, 1), false);
}

// The order that the comparator has on the first operand's elements; false: another comparator.
static bool read_order(const Program *p, RegionId region, KeyOrder *out) {
  BlockId block = region_block(p, region);
  OpId end = block_at(p, block)->last;
  ValueId a = block_arg(p, block, 0), b = block_arg(p, block, 1);
  OpId compare = defined_by(p, op_operand(p, end, 0), OP_compare);
  if (!compare) return false;
  bool less = attr_is(p, compare, "comparison_direction", "LT"),
       greater = attr_is(p, compare, "comparison_direction", "GT");
  ValueId x = op_operand(p, compare, 0), y = op_operand(p, compare, 1);
  if (!less && !greater) return false;
  out->descending = greater;
  if (!dtype_is_float(out->type)) return x == a && y == b;
  if (!attr_is(p, compare, "compare_type", "TOTALORDER")) return false;
  out->canonical = is_canonical(p, x, a) && is_canonical(p, y, b);
  return out->canonical || (x == a && y == b);
}

bool kernel_sort(const KernelRequest *r, Kernel *out) {
  const Program *p = r->program;
  uint32_t n = op_at(p, r->op)->n_operands;
  Dense in, first;
  if (n == 0 || n > CHAIN_MOST || !dense_operand(r, 0, &first) || !is_key(first.dtype))
    return false;
  Sort *s = ARENA_NEW(r->arena, Sort);
  s->n_operands = n;
  s->order.type = first.dtype;
  for (uint32_t i = 0; i < n; i++) {
    if (!dense_operand(r, i, &in)) return false;
    s->items[i] = in.item;
  }
  if (!read_order(p, op_region(p, r->op, 0), &s->order)) return false;
  if (first.count == 0) return kernel_nothing(out), true;
  int64_t axis = attr_as_int(p->context, op_attr(p, r->op, "dimension"), -1);
  if (axis < 0) axis += first.rank;
  if (axis < 0 || axis >= first.rank || first.dims[axis] > UINT32_MAX) return false;
  s->n = s->k = first.dims[axis];
  s->inner = first.strides[axis];
  s->lines = first.count / s->n;
  make_sort(r, s, out);
  return true;
}

bool kernel_top_k(const KernelRequest *r, Kernel *out) {
  enum { FEW = 128 };
  Dense in, values, indices;
  if (!dense_operand(r, 0, &in) || !dense_result(r, 0, &values) || !dense_result(r, 1, &indices) ||
      !is_key(in.dtype) || indices.dtype != DT_i32 || in.dtype != values.dtype)
    return false;
  if (values.count == 0) return kernel_nothing(out), true;
  Sort *s = ARENA_NEW(r->arena, Sort);
  *s = (Sort){.order = {.type = in.dtype, .descending = true},
              .n_operands = 1,
              .items = {in.item},
              .inner = 1,
              .n = in.dims[in.rank - 1],
              .k = values.dims[in.rank - 1],
              .top_k = true};
  if (s->n > INT32_MAX) return false;
  s->lines = in.count / s->n;
  if (s->k > FEW) {
    make_sort(r, s, out);
    return true;
  }
  double seconds = kernel_seconds(RATE_top_keys, (double)(s->lines * s->n));
  *out = (Kernel){.name = "top_k",
                  .run = run_top_k,
                  .data = s,
                  .n_tiles = kernel_tiles(seconds, (uint64_t)s->lines),
                  .scratch_bytes = (1024 + FEW) * sizeof(uint64_t)};
  return true;
}
