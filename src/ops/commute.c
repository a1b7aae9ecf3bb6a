// Problem: an unreduced operand need not be reduced before an op that commutes with the reducer.
// Which ops commute with which reducer, and in which operands?
//
// Idea: a table of algebraic facts per op (commutes.def) and a few rules. One rule serves data
// movement and reductions by the same reducer: every operand that provides elements is unreduced,
// or the reducer is idempotent, so that a replicated element reduces to itself. The other rules use
// additivity, distributivity over one operand, and monotonicity. A replicated constant that reduces
// to itself counts as unreduced: the zeros of a pad, of a reduction's init, of a scatter's input.
//
// Invariant: a wrong "yes" is a wrong program, a wrong "no" only an earlier collective; so unknown
// ops commute with nothing. commute_test.c proves the table by evaluation. O(operands).
#include "ops/commute.h"

#include "ops/factors.h"
#include "ops/splat.h"

typedef struct Commute {
  uint8_t copies, combined, together, linear, rises, falls, bits;
  uint8_t reducer;
  bool floats;
} Commute;

enum { EACH = 0xff, DATA = 0xfe };  // sets that depend on the number of operands

// Does a change of element type, by convert or inside of an op, commute with the reducer? Sums
// require widening floats, or integers that only drop high bits. Max and min also allow rounding,
// since it is monotonic. Bitwise reducers also allow sign extension.
static bool convert_commutes(DType from, DType to, Combine combine) {
  const DTypeInfo *a = dtype_info(from), *b = dtype_info(to);
  bool a_float = dtype_is_float(from) || dtype_is_complex(from),
       b_float = dtype_is_float(to) || dtype_is_complex(to);
  bool a_int = dtype_is_integer(from) && from != DT_i1, b_int = dtype_is_integer(to) && to != DT_i1;
  switch (combine) {
  case COMBINE_SUM:
    return (a_float && b_float && a->mantissa_bits <= b->mantissa_bits &&
            a->exponent_bits <= b->exponent_bits) ||
           (a_int && b_int && a->width >= b->width);
  case COMBINE_MAX:
  case COMBINE_MIN:
    // 8-bit floats overflow to NaN, which is not ordered.
    if (dtype_is_float(to)) return (dtype_is_float(from) || a_int) && dtype_bytes(to) >= 2;
    return a_int && b_int && a->width <= b->width &&
           (dtype_is_signed(from) == dtype_is_signed(to) ||
            (dtype_is_signed(to) && a->width < b->width));
  case COMBINE_AND:
  case COMBINE_OR:
  case COMBINE_XOR: return a_int && b_int;
  default: return false;
  }
}

static const Commute commutes[OP_COUNT] = {
#define COMMUTES(id, ...) [OP_##id] = {__VA_ARGS__},
#include "ops/commutes.def"
#undef COMMUTES
};

static bool in_set(const Program *p, OpId op, uint8_t set, uint32_t operand) {
  if (set == EACH) return true;
  if (set == DATA) return operand != op_at(p, op)->n_results;
  return operand < 8 && (set >> operand & 1);
}

// The unreduced operands compared with a set of operands.
typedef struct Cover {
  bool within;  // all unreduced operands are in the set
  bool all;     // all operands in the set are unreduced, or constants that op_reduces_to_itself
  uint32_t n;   // unreduced operands
} Cover;

static Cover cover(const Program *p, OpId op, uint8_t set, Combine combine, const bool *partial) {
  Cover c = {.within = set != 0, .all = true};
  for (uint32_t i = 0; i < op_at(p, op)->n_operands; i++) {
    c.n += partial[i];
    if (in_set(p, op, set, i))
      c.all = c.all && (partial[i] || op_reduces_to_itself(p, op_operand(p, op, i), combine));
    else if (partial[i])
      c.within = false;
  }
  return c;
}

static bool idempotent(Combine c) {
  return c == COMBINE_MAX || c == COMBINE_MIN || c == COMBINE_AND || c == COMBINE_OR;
}

// All of the set is unreduced; or some of it, and the reducer is idempotent.
static bool covers(const Program *p, OpId op, uint8_t set, Combine combine, const bool *partial) {
  Cover c = cover(p, op, set, combine, partial);
  return c.within && c.n && (c.all || idempotent(combine));
}

// One operand of the set is unreduced, all others are replicated.
static bool alone(const Program *p, OpId op, uint8_t set, const bool *partial) {
  Cover c = cover(p, op, set, COMBINE_NONE, partial);
  return c.within && c.n == 1;
}

static bool is_quantized(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  for (uint32_t i = 0; i < o->n_operands; i++)
    if (type_is_quant(p->context, op_operand_type(p, op, i))) return true;
  for (uint32_t i = 0; i < o->n_results; i++)
    if (type_is_quant(p->context, op_result_type(p, op, i))) return true;
  return false;
}

Combine op_commutes(const Program *p, OpId op, Combine combine, const bool *partial) {
  const Op *o = op_at(p, op);
  const Commute *row = &commutes[o->code < OP_COUNT ? o->code : 0];
  if (!combine_is_named(combine) || !o->n_operands || !o->n_results || is_quantized(p, op))
    return COMBINE_NONE;
  DType to = type_dtype(p->context, op_result_type(p, op, 0));
  for (uint32_t i = 0; i < o->n_operands; i++) {
    DType from = type_dtype(p->context, op_operand_type(p, op, i));
    if (partial[i] && from != to && !convert_commutes(from, to, combine)) return COMBINE_NONE;
  }
  if (covers(p, op, row->copies, combine, partial)) return combine;
  Combine reducer = row->reducer == COMBINE_BODY ? op_combine(p, op) : (Combine)row->reducer;
  if (reducer == combine && covers(p, op, row->combined, combine, partial)) return combine;
  bool holds = !row->floats || dtype_is_float(to) || dtype_is_complex(to);
  bool ordered = holds && !dtype_is_complex(to);
  switch (combine) {
  case COMBINE_SUM:
    if (covers(p, op, row->together, combine, partial)) return combine;
    return holds && alone(p, op, row->linear, partial) ? combine : COMBINE_NONE;
  case COMBINE_MAX:
  case COMBINE_MIN:
    if (ordered && alone(p, op, row->rises, partial)) return combine;
    if (ordered && alone(p, op, row->falls, partial))
      return combine == COMBINE_MAX ? COMBINE_MIN : COMBINE_MAX;
    return COMBINE_NONE;
  case COMBINE_AND:
  case COMBINE_OR:
  case COMBINE_XOR: return alone(p, op, row->bits, partial) ? combine : COMBINE_NONE;
  default: return COMBINE_NONE;
  }
}

Combine op_binary_reducer(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  Combine reducer = o->code < OP_COUNT ? (Combine)commutes[o->code].reducer : COMBINE_NONE;
  return o->n_operands == 2 && combine_is_named(reducer) ? reducer : COMBINE_NONE;
}

bool op_reduces_to_itself(const Program *p, ValueId value, Combine combine) {
  Scalar x;
  switch (combine) {
  case COMBINE_SUM:
  case COMBINE_XOR: return op_splat_is(p, value, 0);
  case COMBINE_MUL: return op_splat_is(p, value, 1);
  case COMBINE_MAX:
  case COMBINE_MIN:
  case COMBINE_AND:
  case COMBINE_OR: return op_splat(p, value, &x);
  default: return false;
  }
}
