// The interface of `infer` columns: the op, the result types to fill in, and error reports.
//
// The op is in the program. Its result types are 0 (a builder asks for them) or declared; the
// verifier compares declared types with the inferred ones, so infer need not. If the operand types
// do not determine the result (reshape, iota, custom_call), infer checks the declared type and
// copies it with infer_declared.
#ifndef TESSERA_OPS_INFER_H
#define TESSERA_OPS_INFER_H

#include "base/diag.h"
#include "tensor/literal.h"
#include "ops/op.h"

struct Infer {
  Program *program;
  Context *context;
  OpId op;
  Diag *diag;  // NULL: no report
  Type *out;   // n_results entries, initially 0
  bool failed;
  const Type *operands;  // more exact operand types, known at run time; NULL: the program's
  char *why;             // INFER_WHY bytes for the message without the op's name; NULL: none
};

enum { INFER_WHY = 1024 };

// Reports "'stablehlo.add' op C1: <message>" at the op and returns false. constraint 0: without a
// number. Messages name the offending values and the expected ones.
bool infer_fail(Infer *cx, int constraint, const char *fmt, ...) PRINTF_LIKE(3, 4);
#define REQUIRE(cx, constraint, condition, ...)                                                    \
  do {                                                                                             \
    if (!(condition)) return infer_fail((cx), (constraint), __VA_ARGS__);                          \
  } while (0)

uint32_t infer_n_operands(const Infer *cx);
uint32_t infer_n_results(const Infer *cx);
Type infer_operand(const Infer *cx, uint32_t i);  // type of operand i
const TypeInfo *infer_operand_info(const Infer *cx, uint32_t i);
Type infer_result(const Infer *cx, uint32_t i);  // declared, may be 0
Attr infer_attr(const Infer *cx, const char *name);
Ints infer_ints(Infer *cx, const char *name);  // ok = false if absent
int64_t infer_int(const Infer *cx, const char *name, int64_t otherwise);
bool infer_declared(Infer *cx);                // out = declared types; fails if any is unknown
const char *infer_text(Infer *cx, Type type);  // for messages
const char *infer_dims_text(Infer *cx, uint32_t n,
                            const int64_t *dims);  // "[2, 3]", `?` for dynamic

// Requires every operand to be a ranked tensor of at most MAX_RANK dimensions.
static inline bool infer_ranked(Infer *cx) {
  for (uint32_t i = 0; i < infer_n_operands(cx); i++) {
    const TypeInfo *info = infer_operand_info(cx, i);
    REQUIRE(cx, 0, info->kind == TYPE_TENSOR, "operand %u has type %s, expected a ranked tensor", i,
            infer_text(cx, infer_operand(cx, i)));
    REQUIRE(cx, 0, info->rank <= MAX_RANK, "operand %u has %u dimensions, expected at most %d", i,
            info->rank, MAX_RANK);
  }
  return true;
}

// Requires operand i to be unquantized or quantized per tensor.
bool infer_not_per_axis(Infer *cx, uint32_t i);
// The same for every operand and every declared result.
bool infer_per_tensor(Infer *cx);

// Dimensions agree if equal or either is dynamic.
static inline bool dim_compatible(int64_t a, int64_t b) {
  return a == b || a == DIM_DYNAMIC || b == DIM_DYNAMIC;
}
// Shapes agree dimension by dimension (same rank, or either is not a ranked tensor).
bool infer_shapes_compatible(const Infer *cx, Type a, Type b);
// Types agree as StableHLO's baseline types do: same element type except for scales and zero
// points, compatible shapes (tuples item by item).
bool infer_types_compatible(const Infer *cx, Type a, Type b);
// The same, and quantized elements agree in scales and zero points: for ops that forward values
// unchanged.
bool infer_types_same(const Infer *cx, Type a, Type b);
// The more specific of two compatible dims (static wins; equal bounds kept).
int64_t dim_merge(int64_t a, int64_t b);

// Region facts: the entry block's argument types and the types its terminator returns.
uint32_t infer_region_n_args(const Infer *cx, uint32_t region);
Type infer_region_arg(const Infer *cx, uint32_t region, uint32_t i);
uint32_t infer_region_n_returned(const Infer *cx, uint32_t region);  // 0 if there is no terminator
Type infer_region_returned(const Infer *cx, uint32_t region, uint32_t i);

// Infers for an op in the program whose result types are unknown and sets them. False with diag
// filled.
bool op_infer_types(Program *p, OpId op, Diag *diag);

// Verifies the program: structure, dominance, symbols, calls, attributes, and every op's inferred
// types against its declared ones. Collects errors in diag; true if there are none. O(program).
bool program_verify(Program *p, Diag *diag);

#endif
