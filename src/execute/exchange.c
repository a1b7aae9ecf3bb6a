// Collectives that only move elements: lists of strided copies between the members' buffers.
#include "execute/exchange.h"

#include "execute/kernels/common.h"
#include "ops/groups.h"
#include "ops/op.h"

static const ExchangeMaker makers[OP_COUNT] = {
    [OP_NONE] = NULL,
#define EXCHANGE(op, maker) [OP_##op] = maker,
#include "execute/exchanges.def"
#undef EXCHANGE
};

ExchangeMaker exchange_maker(uint16_t code) { return code < OP_COUNT ? makers[code] : NULL; }

static uint32_t n_operands(const ExchangeRequest *r) {
  return op_at(r->kernel.program, r->kernel.op)->n_operands;
}

// Buffers of operand i and of result i of a member.
static uint32_t operand_of(const ExchangeRequest *r, uint32_t member, uint32_t i) {
  return member * n_operands(r) + i;
}
static uint32_t result_of(const ExchangeRequest *r, uint32_t member, uint32_t i) {
  return r->n_group * n_operands(r) + member * op_at(r->kernel.program, r->kernel.op)->n_results +
         i;
}

static int64_t int_attr(const ExchangeRequest *r, const char *name) {
  const Program *p = r->kernel.program;
  return attr_as_int(p->context, op_attr(p, r->kernel.op, name), 0);
}

// A box of `dims`, from one offset in one tensor to another offset in another.
static CopyStep copy_box(const Dense *from, const Dense *to, const int64_t *dims,
                         const int64_t *from_at, const int64_t *to_at, uint32_t from_buffer,
                         uint32_t to_buffer) {
  CopyStep step = {.from = from_buffer, .to = to_buffer};
  int64_t from_strides[MAX_RANK], to_strides[MAX_RANK], item = (int64_t)from->item;
  for (uint32_t d = 0; d < from->rank; d++) {
    from_strides[d] = from->strides[d] * item;
    to_strides[d] = to->strides[d] * item;
    step.from_at += from_at[d] * from_strides[d];
    step.to_at += to_at[d] * to_strides[d];
  }
  moves_init(&step.moves, from->item, from->rank, dims, from_strides, to_strides);
  return step;
}

// Member m's result has, along `concat`, the piece m of each member's operand along `split`; whole
// operands if split is -1.
static bool exchange_pieces(const ExchangeRequest *r, const char *name, int64_t split,
                            int64_t concat, Kernel *out) {
  uint32_t n = n_operands(r), g = r->n_group, n_steps = 0;
  CopyStep *steps = ARENA_ARRAY(r->kernel.arena, CopyStep, (size_t)g * g * n + 1);
  for (uint32_t i = 0; i < n; i++) {
    Dense from, to;
    if (!dense_operand(&r->kernel, i, &from) || !dense_result(&r->kernel, i, &to) ||
        from.dtype != to.dtype || from.rank != to.rank || concat >= from.rank || split >= from.rank)
      return false;
    int64_t dims[MAX_RANK] = {0};
    for (uint32_t d = 0; d < from.rank; d++) dims[d] = from.dims[d];
    if (split >= 0) {
      if (dims[split] % g) return false;
      dims[split] /= g;
    }
    if (to.dims[concat] != dims[concat] * g) return false;
    if (from.count == 0) continue;
    for (uint32_t to_member = 0; to_member < g; to_member++) {
      if (!exchange_is_here(r, to_member)) continue;
      for (uint32_t from_member = 0; from_member < g; from_member++) {
        int64_t from_at[MAX_RANK] = {0}, to_at[MAX_RANK] = {0};
        if (split >= 0) from_at[split] = to_member * dims[split];
        to_at[concat] = from_member * dims[concat];
        steps[n_steps++] = copy_box(&from, &to, dims, from_at, to_at, operand_of(r, from_member, i),
                                    result_of(r, to_member, i));
      }
    }
  }
  kernel_copies(&r->kernel, name, n_steps, steps, out);
  return true;
}

bool exchange_all_gather(const ExchangeRequest *r, Kernel *out) {
  return exchange_pieces(r, "all_gather", -1, int_attr(r, "all_gather_dim"), out);
}

bool exchange_all_to_all(const ExchangeRequest *r, Kernel *out) {
  if (int_attr(r, "split_count") != r->n_group) return false;
  return exchange_pieces(r, "all_to_all", int_attr(r, "split_dimension"),
                         int_attr(r, "concat_dimension"), out);
}

// Only if every member receives: then nothing is filled with zeros.
bool exchange_permute(const ExchangeRequest *r, Kernel *out) {
  const Program *p = r->kernel.program;
  Ints pairs = request_ints(&r->kernel, "source_target_pairs");
  bool partitions = groups_channel(p->context, op_at(p, r->kernel.op)->attrs) > 0;
  Dense type;
  if (n_operands(r) != 1 || !pairs.ok || !dense_operand(&r->kernel, 0, &type)) return false;
  CopyStep *steps = ARENA_ARRAY(r->kernel.arena, CopyStep, r->n_group + 1);
  uint32_t n_steps = 0, n_pairs = 0;
  for (uint32_t i = 0; i + 1 < pairs.n; i += 2) {
    uint32_t from = r->n_group, to = r->n_group;
    for (uint32_t m = 0; m < r->n_group; m++) {
      int64_t id = partitions ? r->group[m].partition : r->group[m].replica;
      if (id == pairs.v[i]) from = m;
      if (id == pairs.v[i + 1]) to = m;
    }
    if (from == r->n_group || to == r->n_group || n_pairs == r->n_group) continue;
    n_pairs++;
    if (!exchange_is_here(r, to)) continue;
    static const int64_t start[MAX_RANK];
    steps[n_steps++] = copy_box(&type, &type, type.dims, start, start, operand_of(r, from, 0),
                                result_of(r, to, 0));
  }
  if (n_pairs < r->n_group) return false;
  kernel_copies(&r->kernel, "collective_permute", type.count ? n_steps : 0, steps, out);
  return true;
}
