// Functions over lanes: one table per instruction set, chosen by the CPU at run time. The functions
// (loop_lanes_isa.def) are plain loops; the compiler vectorizes them for each set. No operation is
// contracted or reassociated, so all sets give the same bits.
#include <string.h>

#include "tensor/loop.h"
#include "tensor/loop_math.h"

typedef struct LanesTable {
  LoopLanes on[SCALAR_COUNT][DT_COUNT];    // by op and operand type
  LoopLanes fold[SCALAR_COUNT][DT_COUNT];  // reductions by lanes
  LoopLanes convert[DT_COUNT][DT_COUNT];
  LoopLanes copy[17], select[17];  // by bytes
  LoopLanes load_bf16, store_bf16, round_bf16, load_f16, store_f16, round_f16;
} LanesTable;

// Results may be operands, at the same element: no element depends on another.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // selects of pairs stay scalar
#define VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed"  // sanitizers and -O1 do not vectorize
#else
#define VECTOR_LOOP _Pragma("GCC ivdep")
#endif

#define ISA base
#include "tensor/loop_lanes_isa.def"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi2")
#endif
#define ISA avx2
#include "tensor/loop_lanes_isa.def"
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx2,fma,bmi2,avx512f,avx512bw,avx512dq,avx512vl"))),                   \
    apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi2,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif
#define ISA avx512
#include "tensor/loop_lanes_isa.def"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

static const LanesTable *table(void) {
#if defined(__x86_64__)
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi2");
  if (avx2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return &table_avx512;
  if (avx2) return &table_avx2;
#endif
  return &table_base;
}

const char *loop_lanes_isa(void) {
#if defined(__x86_64__)
  if (table() == &table_avx512) return "AVX-512";
  if (table() == &table_avx2) return "AVX2";
#endif
  return "baseline";
}

static bool is_small(DType type) { return type == DT_bf16 || type == DT_f16; }

LoopLanes loop_lanes(ScalarOp op, DType type, DType from) {
  const LanesTable *t = table();
  switch (op) {
  case SCALAR_convert:
    // Integers of 32 and more bits and f64 would be rounded twice on their way to 16 bits.
    if (is_small(type) && (from == DT_f64 || (dtype_is_integer(from) && dtype_width(from) > 16)))
      return NULL;
    return t->convert[loop_register(from)][loop_register(type)];
  case SCALAR_bitcast:
    return dtype_bytes(type) == dtype_bytes(loop_register(type)) &&
                   dtype_bytes(from) == dtype_bytes(loop_register(from)) &&
                   dtype_bytes(from) == dtype_bytes(type) &&
                   dtype_width(from) == 8 * dtype_bytes(from) &&
                   dtype_width(type) == 8 * dtype_bytes(type)
               ? t->copy[dtype_bytes(type)]
               : NULL;
  case SCALAR_select: return t->select[dtype_bytes(loop_register(type))];
  case SCALAR_load:
  case SCALAR_store: return t->copy[dtype_bytes(loop_register(type))];
  case SCALAR_eq:
  case SCALAR_ne:
  case SCALAR_ge:
  case SCALAR_gt:
  case SCALAR_le:
  case SCALAR_lt:
  case SCALAR_finite: return t->on[op][from];
  default: return t->on[op][type];
  }
}

LoopLanes loop_lanes_fold(ScalarOp combine, DType type) { return table()->fold[combine][type]; }

LoopLanes loop_lanes_load(DType storage) {
  const LanesTable *t = table();
  return storage == DT_bf16  ? t->load_bf16
         : storage == DT_f16 ? t->load_f16
                             : t->copy[dtype_bytes(storage)];
}

LoopLanes loop_lanes_store(DType storage) {
  const LanesTable *t = table();
  return storage == DT_bf16  ? t->store_bf16
         : storage == DT_f16 ? t->store_f16
                             : t->copy[dtype_bytes(storage)];
}

LoopLanes loop_lanes_round(DType type) {
  return type == DT_bf16 ? table()->round_bf16 : type == DT_f16 ? table()->round_f16 : NULL;
}

bool loop_supports(ScalarOp op, DType type, DType from) {
  if (op == SCALAR_reduce || op == SCALAR_column) return false;  // ask for the combination
  if (op == SCALAR_call) return true;
  if (op == SCALAR_index) return loop_lanes(SCALAR_convert, type, DT_i64) != NULL;
  return loop_lanes(op, type, from) != NULL;
}

uint64_t loop_identity(ScalarOp combine, DType type) {
  DType r = loop_register(type);
  switch (combine) {
  case SCALAR_add: return dtype_is_float(r) ? dtype_bits(r, scalar_f(-0.0)) : 0;
  case SCALAR_mul: return dtype_is_float(r) ? dtype_bits(r, scalar_f(1)) : 1;
  case SCALAR_max: return dtype_bits(r, dtype_min(r));
  case SCALAR_min: return dtype_bits(r, dtype_max(r));
  case SCALAR_and: return dtype_bits(r, scalar_i(-1));
  default: return 0;
  }
}

void loop_combine_lanes(ScalarOp combine, DType type, void *lanes) {
  LoopLanes fn = loop_lanes(combine, type, type), round = loop_lanes_round(type);
  size_t bytes = (size_t)dtype_bytes(loop_register(type));
  for (int half = LOOP_LANES / 2; half > 0; half /= 2) {
    fn(half, lanes, (char *)lanes + (size_t)half * bytes, NULL, lanes);
    if (round) round(half, lanes, NULL, NULL, lanes);
  }
}

const ScalarOpInfo *scalar_op_info(ScalarOp op) {
  static const ScalarOpInfo infos[SCALAR_COUNT] = {
#define SCALAR_OP(id, operands_, expensive_) {#id, operands_, expensive_},
#include "tensor/scalar_ops.def"
#undef SCALAR_OP
  };
  return &infos[op];
}
