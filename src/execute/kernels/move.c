// Kernels of ops that move elements by fixed rules: each is a strided copy, or a few.
//
//   transpose, slice, reverse, broadcast_in_dim, reshape   one copy
//   concatenate                                            one per operand
//   pad                                                    a fill, then one
#include "execute/kernels/common.h"
#include "execute/kernels/kernels.h"

// One copy with strides in elements of the operand; the result is dense.
static bool one_copy(const KernelRequest *r, const char *name, const Dense *result,
                     const int64_t *from_strides, int64_t from_offset, Kernel *out) {
  int64_t from[MAX_RANK], to[MAX_RANK], item = (int64_t)result->item;
  for (uint32_t d = 0; d < result->rank; d++) {
    from[d] = from_strides[d] * item;
    to[d] = result->strides[d] * item;
  }
  CopyStep *step = ARENA_NEW(r->arena, CopyStep);
  *step = (CopyStep){.from = 0, .to = 1, .from_at = from_offset * item};
  moves_init(&step->moves, result->item, result->rank, result->dims, from, to);
  kernel_copies(r, name, 1, step, out);
  return true;
}

bool kernel_transpose(const KernelRequest *r, Kernel *out) {
  Dense in, result;
  if (!dense_operand(r, 0, &in) || !dense_result(r, 0, &result)) return false;
  Ints permutation = request_ints(r, "permutation");
  int64_t from[MAX_RANK];
  for (uint32_t d = 0; d < result.rank; d++) from[d] = in.strides[permutation.v[d]];
  return one_copy(r, "transpose", &result, from, 0, out);
}

bool kernel_reshape(const KernelRequest *r, Kernel *out) {
  Dense in, result;
  if (!dense_operand(r, 0, &in) || !dense_result(r, 0, &result) || in.item != result.item)
    return false;
  one_copy(r, "copy", &result, result.strides, 0, out);
  return true;
}

bool kernel_slice(const KernelRequest *r, Kernel *out) {
  Dense in, result;
  if (!dense_operand(r, 0, &in) || !dense_result(r, 0, &result)) return false;
  Ints start = request_ints(r, "start_indices"), steps = request_ints(r, "strides");
  int64_t from[MAX_RANK], offset = 0;
  for (uint32_t d = 0; d < result.rank; d++) {
    from[d] = in.strides[d] * (result.dims[d] > 1 ? steps.v[d] : 0);
    offset += start.v[d] * in.strides[d];
  }
  if (result.count == 0) offset = 0;
  return one_copy(r, "slice", &result, from, offset, out);
}

bool kernel_reverse(const KernelRequest *r, Kernel *out) {
  Dense in, result;
  if (!dense_operand(r, 0, &in) || !dense_result(r, 0, &result)) return false;
  Ints dims = request_ints(r, "dimensions");
  int64_t from[MAX_RANK], offset = 0;
  for (uint32_t d = 0; d < result.rank; d++) {
    bool turned = ints_contain(dims, d);
    from[d] = turned ? -in.strides[d] : in.strides[d];
    if (turned && result.count) offset += (in.dims[d] - 1) * in.strides[d];
  }
  return one_copy(r, "reverse", &result, from, offset, out);
}

bool kernel_broadcast_in_dim(const KernelRequest *r, Kernel *out) {
  Dense in, result;
  if (!dense_operand(r, 0, &in) || !dense_result(r, 0, &result)) return false;
  Ints dims = request_ints(r, "broadcast_dimensions");
  int64_t from[MAX_RANK] = {0};
  for (uint32_t d = 0; d < in.rank; d++)
    if (in.dims[d] != 1) from[dims.v[d]] = in.strides[d];
  return one_copy(r, "broadcast", &result, from, 0, out);
}

bool kernel_concatenate(const KernelRequest *r, Kernel *out) {
  Dense result, in;
  if (!dense_result(r, 0, &result)) return false;
  uint32_t n = op_at(r->program, r->op)->n_operands;
  int64_t axis = attr_as_int(r->program->context, op_attr(r->program, r->op, "dimension"), 0);
  CopyStep *steps = ARENA_ARRAY(r->arena, CopyStep, n);
  int64_t at = 0, item = (int64_t)result.item;
  for (uint32_t i = 0; i < n; i++) {
    if (!dense_operand(r, i, &in)) return false;
    int64_t from[MAX_RANK], to[MAX_RANK];
    for (uint32_t d = 0; d < in.rank; d++) {
      from[d] = in.strides[d] * item;
      to[d] = result.strides[d] * item;
    }
    moves_init(&steps[i].moves, result.item, in.rank, in.dims, from, to);
    steps[i].from = i;
    steps[i].to = n;
    steps[i].to_at = at * result.strides[axis] * item;
    at += in.dims[axis];
  }
  kernel_copies(r, "concatenate", n, steps, out);
  return true;
}

// The copy of the elements that stay inside; false: none does.
static bool padded_copy(const KernelRequest *r, const Dense *in, const Dense *result,
                        CopyStep *step) {
  Ints low = request_ints(r, "edge_padding_low"), interior = request_ints(r, "interior_padding");
  int64_t copied[MAX_RANK], from[MAX_RANK], to[MAX_RANK], item = (int64_t)in->item;
  if (in->count == 0 || result->count == 0) return false;
  for (uint32_t d = 0; d < in->rank; d++) {
    // Element i goes to low + i * step. Those from `first` to `last` land inside.
    int64_t apart = in->dims[d] > 1 ? interior.v[d] + 1 : 1;
    int64_t first = low.v[d] < 0 ? -(low.v[d] + 1) / apart + 1 : 0, last = in->dims[d] - 1, room;
    if (!__builtin_sub_overflow(result->dims[d] - 1, low.v[d], &room)) {
      int64_t fit = room < 0 ? -1 : room / apart;
      if (fit < last) last = fit;
    }
    if (last < first) return false;
    copied[d] = last - first + 1;
    from[d] = in->strides[d] * item;
    to[d] = copied[d] > 1 ? result->strides[d] * apart * item : 0;
    step->from_at += first * in->strides[d] * item;
    step->to_at += (low.v[d] + first * apart) * result->strides[d] * item;
  }
  moves_init(&step->moves, in->item, in->rank, copied, from, to);
  return true;
}

// Is every element of the result one of the operand's? Then there is no fill.
static bool covers(const Moves *moves, const Dense *result) {
  int64_t n = 1;
  for (uint32_t d = 0; d < moves->rank; d++) n *= moves->dims[d];
  return n == result->count;
}

bool kernel_pad(const KernelRequest *r, Kernel *out) {
  Dense in, result;
  if (!dense_operand(r, 0, &in) || !dense_result(r, 0, &result)) return false;
  CopyStep *fill = ARENA_NEW(r->arena, CopyStep), *copy = ARENA_NEW(r->arena, CopyStep);
  *fill = (CopyStep){.from = 1, .to = 2};
  *copy = (CopyStep){.from = 0, .to = 2};
  int64_t zero = 0, step = (int64_t)result.item;
  moves_init(&fill->moves, result.item, 1, &result.count, &zero, &step);
  bool any = padded_copy(r, &in, &result, copy);
  if (any && covers(&copy->moves, &result)) {
    kernel_copies(r, "pad", 1, copy, out);
    return true;
  }
  kernel_copies(r, "pad", 1, fill, out);
  if (!any) return true;
  Kernel *second = ARENA_NEW(r->arena, Kernel);
  kernel_copies(r, "pad", 1, copy, second);
  out->next = second;
  return true;
}

// Types of equal width only: bytes stay the same.
bool kernel_bitcast_convert(const KernelRequest *r, Kernel *out) {
  Dense in, result;
  if (!dense_operand(r, 0, &in) || !dense_result(r, 0, &result)) return false;
  // Storage of whole bytes without unused bits is the same bytes for all shapes.
  if (dtype_width(in.dtype) != 8 * (int)in.item ||
      dtype_width(result.dtype) != 8 * (int)result.item)
    return false;
  int64_t bytes = in.count * (int64_t)in.item, one = 1;
  CopyStep *step = ARENA_NEW(r->arena, CopyStep);
  *step = (CopyStep){.from = 0, .to = 1};
  moves_init(&step->moves, 1, 1, &bytes, &one, &one);
  kernel_copies(r, "copy", 1, step, out);
  return true;
}
