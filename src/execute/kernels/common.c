// What makers of kernels share.
#include "execute/kernels/common.h"

#include <assert.h>

#include "ops/commute.h"

bool dense_of(const Context *context, Type type, Dense *out) {
  if (!type_is_tensor(context, type) || !type_is_static(context, type) ||
      type_is_quant(context, type))
    return false;
  const TypeInfo *info = type_info(context, type);
  *out = (Dense){.dtype = type_dtype(context, type), .rank = info->rank, .dims = info->dims};
  out->item = (size_t)dtype_bytes(out->dtype);
  if (out->rank > MAX_RANK || !out->item || !type_count(context, type, &out->count)) return false;
  shape_strides(out->rank, out->dims, out->strides);
  return true;
}

bool body_returns(const Program *p, RegionId region, uint32_t argument) {
  BlockId block = region_block(p, region);
  OpId end = block_at(p, block)->first;
  if (!end || end != block_at(p, block)->last || op_at(p, end)->n_operands != 1) return false;
  const Value *value = value_at(p, op_operand(p, end, 0));
  return value->is_arg && value->def == block && value->index == argument;
}

Combine body_combine(const Program *p, RegionId region) {
  BlockId block = region_block(p, region);
  if (block_at(p, block)->n_args != 2) return COMBINE_NONE;
  OpId op = block_at(p, block)->first, end = block_at(p, block)->last;
  if (!op || op == end || op_at(p, op)->next != end || op_at(p, op)->n_operands != 2 ||
      op_at(p, op)->n_results != 1 || op_at(p, end)->n_operands != 1 ||
      op_operand(p, end, 0) != op_result(p, op, 0))
    return COMBINE_NONE;
  ValueId a = op_operand(p, op, 0), b = op_operand(p, op, 1);
  ValueId x = block_arg(p, block, 0), y = block_arg(p, block, 1);
  if (!(a == x && b == y) && !(a == y && b == x)) return COMBINE_NONE;
  return op_binary_reducer(p, op);
}

static void run_nothing(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)kernel, (void)buffers, (void)tile, (void)scratch;
}

void kernel_nothing(Kernel *out) {
  *out = (Kernel){.name = "nothing", .run = run_nothing, .n_tiles = 1};
}

typedef struct Copies {
  uint32_t n;
  const CopyStep *steps;
  uint64_t units;
} Copies;

static void run_copies(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  (void)scratch;
  const Copies *c = kernel->data;
  uint64_t first, last, base = 0;
  kernel_part(c->units, tile, kernel->n_tiles, &first, &last);
  for (uint32_t i = 0; i < c->n && base < last; i++) {
    const CopyStep *s = &c->steps[i];
    uint64_t end = base + s->moves.units, from = first > base ? first : base,
             to = last < end ? last : end;
    if (from < to)
      moves_run(&s->moves, (const char *)buffers[s->from] + s->from_at,
                (char *)buffers[s->to] + s->to_at, from - base, to - base);
    base = end;
  }
}

void kernel_copies(const KernelRequest *r, const char *name, uint32_t n, const CopyStep *steps,
                   Kernel *out) {
  Copies *c = ARENA_NEW(r->arena, Copies);
  *c = (Copies){.n = n, .steps = steps};
  double seconds = 0;
  for (uint32_t i = 0; i < n; i++) {
    c->units += steps[i].moves.units;
    if (steps[i].moves.units) seconds += moves_seconds(&steps[i].moves);
  }
  *out = (Kernel){
      .name = name, .run = run_copies, .data = c, .n_tiles = kernel_tiles(seconds, c->units)};
}

void chain_add(KernelChain *chain, const Kernel *kernel) {
  assert(chain->n < CHAIN_MOST && "a chain has few stages");
  chain->kernels[chain->n++] = *kernel;
}

size_t chain_temp(KernelChain *chain, size_t bytes) {
  size_t at = chain->temp_bytes;
  chain->temp_bytes += kernel_aligned(bytes);
  return at;
}

void chain_link(KernelChain *chain, Kernel *out) {
  const Kernel *next = NULL;
  for (uint32_t i = chain->n; i-- > 0;) {
    chain->kernels[i].next = next;
    chain->kernels[i].temp_bytes = chain->temp_bytes;
    if (i) next = arena_copy(chain->arena, &chain->kernels[i], sizeof(Kernel));
  }
  *out = chain->kernels[0];
}
