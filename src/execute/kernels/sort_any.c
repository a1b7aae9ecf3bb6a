// Kernel of sorts by any comparator of elementwise ops: several keys, keys of 64 bits, complex
// numbers.
//
// A line is one unit of work. Its positions are sorted by the evaluator's algorithm
// (tensor/merge_sort.h) with the comparator as a list of steps (body.h), so that the result is the
// evaluator's for every comparator, even one that is no order. O(n log n) comparisons per line.
#include <string.h>

#include "base/status.h"
#include "execute/kernels/body.h"
#include "execute/kernels/kernels.h"
#include "tensor/merge_sort.h"

enum { MOST_OPERANDS = 16 };

typedef struct SortAny {
  const Body *body;
  uint32_t n;  // operands
  DType types[MOST_OPERANDS];
  size_t items[MOST_OPERANDS];
  int64_t lines, size, stride;
} SortAny;

// A line while it is sorted.
typedef struct SortLine {
  const SortAny *sort;
  const Scalar *values;  // [n, size]
  Scalar slots[BODY_SLOTS];
} SortLine;

static Status *before(void *context, int64_t a, int64_t b, bool *out) {
  SortLine *line = context;
  const SortAny *s = line->sort;
  for (uint32_t i = 0; i < s->n; i++) {
    line->slots[2 * i] = line->values[i * s->size + a];
    line->slots[2 * i + 1] = line->values[i * s->size + b];
  }
  body_run(s->body, line->slots);
  *out = body_result(s->body, line->slots, 0).i != 0;
  return NULL;
}

static void run_any(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const SortAny *s = kernel->data;
  int64_t *order = scratch, *spare = order + s->size;
  Scalar *values = (Scalar *)(void *)(spare + s->size);
  SortLine line = {.sort = s, .values = values};
  body_begin(s->body, line.slots);
  uint64_t first, last;
  kernel_part((uint64_t)s->lines, tile, kernel->n_tiles, &first, &last);
  for (int64_t l = (int64_t)first; l < (int64_t)last; l++) {
    int64_t base = l / s->stride * s->stride * s->size + l % s->stride;
    for (uint32_t i = 0; i < s->n; i++)
      for (int64_t k = 0; k < s->size; k++)
        values[i * s->size + k] = dtype_load(s->types[i], buffers[i], base + k * s->stride);
    status_free(merge_sort(s->size, order, spare, before, &line));  // `before` cannot fail
    for (uint32_t i = 0; i < s->n; i++)
      for (int64_t k = 0; k < s->size; k++)
        memcpy((char *)buffers[s->n + i] + (size_t)(base + k * s->stride) * s->items[i],
               (const char *)buffers[i] + (size_t)(base + order[k] * s->stride) * s->items[i],
               s->items[i]);
  }
}

bool kernel_sort_any(const KernelRequest *r, Kernel *out) {
  const Program *p = r->program;
  SortAny *s = ARENA_NEW(r->arena, SortAny);
  s->n = op_at(p, r->op)->n_operands;
  if (s->n == 0 || s->n > MOST_OPERANDS) return false;
  Dense first, in;
  if (!dense_operand(r, 0, &first)) return false;
  for (uint32_t i = 0; i < s->n; i++) {
    if (!dense_operand(r, i, &in) || in.count != first.count) return false;
    s->types[i] = in.dtype;
    s->items[i] = in.item;
  }
  RegionId region = op_region(p, r->op, 0);
  s->body = body_new(r, region);
  if (!s->body || body_n_results(s->body) != 1 || body_n_args(p, region) != 2 * s->n) return false;
  if (first.count == 0) return kernel_nothing(out), true;
  int64_t axis = attr_as_int(p->context, op_attr(p, r->op, "dimension"), -1);
  if (axis < 0) axis += first.rank;
  if (axis < 0 || axis >= first.rank) return false;
  s->size = first.dims[axis];
  s->stride = first.strides[axis];
  s->lines = first.count / s->size;
  double steps = 1;
  for (int64_t n = s->size; n > 1; n /= 2) steps++;
  *out = (Kernel){.name = "sort",
                  .run = run_any,
                  .data = s,
                  .n_tiles =
                      kernel_tiles(kernel_seconds(RATE_comparisons, (double)first.count * steps),
                                   (uint64_t)s->lines),
                  .scratch_bytes = (size_t)s->size * (2 * sizeof(int64_t) + s->n * sizeof(Scalar))};
  return true;
}
