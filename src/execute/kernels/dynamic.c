// Kernels of dynamic_slice and dynamic_update_slice: strided copies at an offset that is read at
// run time and clamped. The update works in place on operand 0; its copy is a stage that does
// nothing if both are one buffer.
#include <string.h>

#include "execute/kernels/common.h"
#include "execute/kernels/kernels.h"

typedef struct DynamicCopy {
  Moves moves;
  uint32_t from, to, starts;  // buffers; starts: of the first index
  bool offset_from;           // the offset is in `from`, else in `to`
  uint32_t rank;
  DType index_type;
  int64_t most[MAX_RANK], step[MAX_RANK];  // the largest start, its stride in bytes
} DynamicCopy;

static int64_t clamped_offset(const DynamicCopy *c, void *const *buffers) {
  int64_t offset = 0;
  for (uint32_t d = 0; d < c->rank; d++) {
    int64_t at = index_at(c->index_type, buffers[c->starts + d], 0);
    offset += (at < 0 ? 0 : at > c->most[d] ? c->most[d] : at) * c->step[d];
  }
  return offset;
}

static void run_dynamic(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const DynamicCopy *c = kernel->data;
  int64_t offset = clamped_offset(c, buffers);
  uint64_t first, last;
  kernel_part(c->moves.units, tile, kernel->n_tiles, &first, &last);
  moves_run(&c->moves, (const char *)buffers[c->from] + (c->offset_from ? offset : 0),
            (char *)buffers[c->to] + (c->offset_from ? 0 : offset), first, last);
}

// The block of shape `part` in a tensor of shape `all`.
static bool make_dynamic(const KernelRequest *r, const Dense *all, const Dense *part, bool reads,
                         DynamicCopy *c) {
  Dense index;
  int64_t inner[MAX_RANK], outer[MAX_RANK], item = (int64_t)all->item;
  c->offset_from = reads;
  c->rank = all->rank;
  for (uint32_t d = 0; d < all->rank; d++) {
    c->most[d] = all->dims[d] - part->dims[d];
    c->step[d] = outer[d] = all->strides[d] * item;
    inner[d] = part->strides[d] * item;
    if (c->most[d] < 0 || !dense_operand(r, c->starts + d, &index)) return false;
    c->index_type = index.dtype;
  }
  moves_init(&c->moves, all->item, all->rank, part->dims, reads ? outer : inner,
             reads ? inner : outer);
  return true;
}

bool kernel_dynamic_slice(const KernelRequest *r, Kernel *out) {
  Dense in, result;
  if (!dense_operand(r, 0, &in) || !dense_result(r, 0, &result)) return false;
  DynamicCopy *c = ARENA_NEW(r->arena, DynamicCopy);
  *c = (DynamicCopy){.from = 0, .to = 1 + in.rank, .starts = 1};
  if (result.count == 0) return kernel_nothing(out), true;
  if (!make_dynamic(r, &in, &result, true, c)) return false;
  *out = (Kernel){.name = "dynamic_slice",
                  .run = run_dynamic,
                  .data = c,
                  .n_tiles = kernel_tiles(moves_seconds(&c->moves), c->moves.units)};
  return true;
}

typedef struct WholeCopy {
  Moves moves;
  uint32_t to;
} WholeCopy;

static void run_whole(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const WholeCopy *c = kernel->data;
  if (buffers[0] == buffers[c->to]) return;
  uint64_t first, last;
  kernel_part(c->moves.units, tile, kernel->n_tiles, &first, &last);
  moves_run(&c->moves, buffers[0], buffers[c->to], first, last);
}

bool kernel_dynamic_update_slice(const KernelRequest *r, Kernel *out) {
  static const uint32_t in_place[] = {0};
  Dense in, update;
  if (!dense_operand(r, 0, &in) || !dense_operand(r, 1, &update)) return false;
  WholeCopy *whole = ARENA_NEW(r->arena, WholeCopy);
  whole->to = 2 + in.rank;
  int64_t bytes = in.count * (int64_t)in.item, one = 1;
  moves_init(&whole->moves, 1, 1, &bytes, &one, &one);
  *out = (Kernel){.name = "dynamic_update_slice",
                  .run = run_whole,
                  .data = whole,
                  .n_tiles =
                      in.count ? kernel_tiles(moves_seconds(&whole->moves), whole->moves.units) : 1,
                  .in_place = in_place};
  if (update.count == 0) return true;
  DynamicCopy *c = ARENA_NEW(r->arena, DynamicCopy);
  *c = (DynamicCopy){.from = 1, .to = 2 + in.rank, .starts = 2};
  if (!make_dynamic(r, &in, &update, false, c)) return false;
  Kernel *next = ARENA_NEW(r->arena, Kernel);
  *next = (Kernel){.name = "dynamic_update_slice",
                   .run = run_dynamic,
                   .data = c,
                   .n_tiles = kernel_tiles(moves_seconds(&c->moves), c->moves.units)};
  out->next = next;
  return true;
}
