#include "ops/work.h"

#include <math.h>
static double count_of(const Program *p, Type type) {
  int64_t count = 0;
  if (type_info(p->context, type)->kind != TYPE_TENSOR) return 0;
  return type_count(p->context, type, &count) ? (double)count : 0;
}

uint32_t work_touched(const Program *p, OpId op, uint32_t tensor) {
  const OpDef *def = op_row(op_at(p, op)->code)->def;
  uint32_t n = op_at(p, op)->n_operands;
  if (def && def->touch == TOUCH_PICKED && tensor == 0) return n;
  if (def && def->touch == TOUCH_UPDATED && (tensor == 0 || tensor == n)) return 1;
  return tensor;
}

static double largest(const Program *p, OpId op) {
  uint32_t n = op_at(p, op)->n_operands;
  double most = 0;
  for (uint32_t i = 0; i < n + op_at(p, op)->n_results; i++) {
    uint32_t at = work_touched(p, op, i);
    most = fmax(most,
                count_of(p, at < n ? op_operand_type(p, op, at) : op_result_type(p, op, at - n)));
  }
  return most;
}

double op_work(const Program *p, OpId op) {
  const OpRow *row = op_row(op_at(p, op)->code);
  if (row->def && row->def->work) return row->def->work(p, op);
  uint16_t none = TRAIT_FUNCTION | TRAIT_TERMINATOR | TRAIT_COLLECTIVE | TRAIT_CONSTANT |
                  TRAIT_CALL | TRAIT_NO_TERMINATOR;
  if (row->traits & none || (row->def && row->def->flow)) return 0;
  return largest(p, op);
}

bool op_contracts(const Program *p, OpId op) {
  const OpDef *def = op_row(op_at(p, op)->code)->def;
  if (def && def->work == work_given) return op_attr(p, op, WORK_FLOPS) != 0;
  return def && (def->work == work_contraction || def->work == work_convolution);
}

double work_given(const Program *p, OpId op) {
  Attr attr = op_attr(p, op, WORK_FLOPS);
  if (!attr) return largest(p, op);
  Ints given = attr_as_ints(p->context, attr);
  uint32_t n = op_at(p, op)->n_operands;
  if (!given.ok || !given.n) return largest(p, op);
  double flops = (double)given.v[0];
  for (uint32_t i = 1; i + 1 < given.n; i += 2) {
    int64_t tensor = given.v[i], dim = given.v[i + 1];
    if (tensor < 0 || tensor >= n + op_at(p, op)->n_results) return largest(p, op);
    uint32_t t = (uint32_t)tensor;
    const TypeInfo *type =
        type_info(p->context, t < n ? op_operand_type(p, op, t) : op_result_type(p, op, t - n));
    if (dim < 0 || dim >= type->rank || type->dims[dim] < 0) return largest(p, op);
    flops *= (double)type->dims[dim];
  }
  return flops;
}

Fusing op_fusing(const Program *p, OpId op) {
  const OpRow *row = op_row(op_at(p, op)->code);
  uint32_t traits = op_traits(p, op);
  uint32_t none = TRAIT_FUNCTION | TRAIT_TERMINATOR | TRAIT_COLLECTIVE | TRAIT_CALL | TRAIT_MANUAL;
  uint32_t both = TRAIT_ELEMENTWISE | TRAIT_PASSES | TRAIT_EXPANDS | TRAIT_CONSTANT;
  if (!row->def || traits & none || row->def->flow || op_contracts(p, op)) return FUSING_NONE;
  switch (op_at(p, op)->code) {
  case OP_reduce:
  case OP_dynamic_update_slice: return FUSING_INPUTS;
  case OP_pad:
  case OP_concatenate:
  case OP_broadcast:
  case OP_reverse:
  case OP_dynamic_slice: return FUSING_BOTH;
  // Compilers write it as elementwise arithmetic on counters, as the partitioner does for a shard.
  case OP_rng_bit_generator: return FUSING_BOTH;
  // Known before the program runs. Offsets of shards follow from them: each kernel computes its
  // own.
  case OP_partition_id:
  case OP_replica_id: return FUSING_BOTH;
  default: return traits & both && traits & TRAIT_PURE ? FUSING_BOTH : FUSING_NONE;
  }
}

bool op_keeps_buffer(const Program *p, OpId op) {
  const OpRow *row = op_row(op_at(p, op)->code);
  if (op_at(p, op)->code == OP_reshape || op_at(p, op)->code == OP_bitcast_convert) return true;
  return (row->def && row->def->flow == FLOW_EACH) ||
         (row->traits & TRAIT_SHARDING && !(row->traits & TRAIT_COLLECTIVE));
}

double work_nothing(const Program *p, OpId op) {
  (void)p, (void)op;
  return 0;
}

// Every element of the result is a sum over the contracted dimensions: for dot_general by its
// attribute; for other contractions estimated from the sizes [m,k]x[k,n] -> [m,n]: k = sqrt(m k · k
// n / m n).
double work_contraction(const Program *p, OpId op) {
  const TypeInfo *lhs = type_info(p->context, op_operand_type(p, op, 0));
  Ints dims = attr_as_ints(p->context, attr_get(p->context, op_attr(p, op, "dot_dimension_numbers"),
                                                "lhs_contracting_dimensions"));
  double result = count_of(p, op_result_type(p, op, 0)), depth = 1;
  for (uint32_t i = 0; dims.ok && i < dims.n; i++)
    if (dims.v[i] >= 0 && dims.v[i] < lhs->rank) depth *= (double)lhs->dims[dims.v[i]];
  if (!op_attr(p, op, "dot_dimension_numbers") && op_at(p, op)->n_operands == 2) {
    double a = count_of(p, op_operand_type(p, op, 0)), b = count_of(p, op_operand_type(p, op, 1));
    depth = result > 0 ? sqrt(a * b / result) : 0;
  }
  return 2 * result * depth;
}

// Each element of the result is a sum over the kernel without its output features.
double work_convolution(const Program *p, OpId op) {
  const TypeInfo *kernel = type_info(p->context, op_operand_type(p, op, 1));
  int64_t d = attr_as_int(
      p->context,
      attr_get(p->context, op_attr(p, op, "dimension_numbers"), "kernel_output_feature_dimension"),
      -1);
  double taps = count_of(p, op_operand_type(p, op, 1));
  if (d >= 0 && d < kernel->rank && kernel->dims[d] > 0) taps /= (double)kernel->dims[d];
  return 2 * count_of(p, op_result_type(p, op, 0)) * taps;
}

double work_windows(const Program *p, OpId op) {
  Ints window = attr_as_ints(p->context, op_attr(p, op, "window_dimensions"));
  double taps = 1;
  for (uint32_t i = 0; window.ok && i < window.n; i++) taps *= (double)window.v[i];
  Type positions = op_at(p, op)->n_operands > 1 ? op_operand_type(p, op, 1) : 0;
  double n = count_of(p, op_result_type(p, op, 0));
  // select_and_scatter has as many windows as its source has elements.
  if (op_at(p, op)->n_operands == 3 && op_at(p, op)->n_results == 1) n = count_of(p, positions);
  return n * taps;
}

double work_sort(const Program *p, OpId op) {
  double n = largest(p, op);
  int64_t d = attr_as_int(p->context, op_attr(p, op, "dimension"), -1);
  const TypeInfo *type = type_info(p->context, op_operand_type(p, op, 0));
  if (d < 0) d += type->rank;
  double size = d >= 0 && d < type->rank ? (double)type->dims[d] : n;
  return n * log2(fmax(size, 2));
}

double work_fft(const Program *p, OpId op) {
  Ints lengths = attr_as_ints(p->context, op_attr(p, op, "fft_length"));
  double size = 1;
  for (uint32_t i = 0; lengths.ok && i < lengths.n; i++) size *= (double)lengths.v[i];
  return 5 * largest(p, op) * log2(fmax(size, 2));
}

static double last_dim(const Program *p, Type type) {
  const TypeInfo *info = type_info(p->context, type);
  return info->rank && info->dims[info->rank - 1] > 0 ? (double)info->dims[info->rank - 1] : 0;
}

double work_cholesky(const Program *p, OpId op) {
  return largest(p, op) * last_dim(p, op_operand_type(p, op, 0)) / 3;
}

double work_triangular_solve(const Program *p, OpId op) {
  return count_of(p, op_result_type(p, op, 0)) * last_dim(p, op_operand_type(p, op, 0));
}
