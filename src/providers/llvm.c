// LLVM as a provider: fused loops (tensor/loop.h) compiled to machine code.
//
// Problem: the tiles load and store every value of every step. Compiled code keeps them in
// registers.
//
// Idea: explicit vectors of LOOP_LANES elements, so that lane numbers are those of the tiles, and
// the same operations in the same order as loop_lanes_isa.def and loop_math.def: both engines give
// the same bits. Each row runs the passes: row steps as scalars, then a loop over vectors and a
// masked rest. Only early-cse runs, as the code has no other redundancy. Objects are kept on disk,
// keyed by loop, CPU and version, and loaded by ORC.
//
// Invariant: no fast-math flag, no contraction; 16-bit floats are rounded by integer code, since
// conversions of some CPUs flush denormals. Cost: about 2 ms per new loop.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include "base/cache.h"
#include "base/sanitize.h"
#include "tensor/loop.h"
#include "tensor/loop_math_tables.h"

#define EXPORT __attribute__((visibility("default")))

typedef LLVMValueRef Ref;
typedef LLVMTypeRef TypeRef;

// ---- types ----

static DType held(uint8_t type) { return loop_register((DType)type); }

static bool is_float(DType t) { return t == DT_f32 || t == DT_f64; }
static bool is_small(DType t) { return t == DT_bf16 || t == DT_f16; }
static bool is_signed(DType t) { return t == DT_i8 || t == DT_i16 || t == DT_i32 || t == DT_i64; }

// Bits of the type in memory; 0: not supported.
static unsigned bits_of(DType t) {
  switch (t) {
  case DT_i1:
  case DT_i8:
  case DT_ui8: return 8;
  case DT_i16:
  case DT_ui16:
  case DT_bf16:
  case DT_f16: return 16;
  case DT_i32:
  case DT_ui32:
  case DT_f32: return 32;
  case DT_i64:
  case DT_ui64:
  case DT_f64: return 64;
  default: return 0;
  }
}

// ---- emitting ----

typedef struct Emit {
  const Loop *l;
  LLVMContextRef cx;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  Ref function;
  unsigned lanes;  // 1: scalars; else LOOP_LANES
  bool avx512;     // the CPU has it
  Ref mask;        // of the rest of a row; NULL: all lanes
  Ref *value;      // per step: a scalar or a vector, of the current pass
  Ref *row;        // per step: its scalar
  Ref *base;       // per access: the address for the current row
  Ref *sum;        // per reduction: the lanes
  int64_t *kept;   // per step: its row's offset in the scratch; -1: none
  Ref rows, outer, outers, inners, partial, scratch, at;
  Ref i, o, position;  // the indices of the vector: inner, outer; of a kept element
  uint16_t *number;
} Emit;

static TypeRef scalar_type(Emit *e, DType t) {
  DType r = loop_register(t);
  if (r == DT_f32) return LLVMFloatTypeInContext(e->cx);
  if (r == DT_f64) return LLVMDoubleTypeInContext(e->cx);
  return LLVMIntTypeInContext(e->cx, r == DT_i1 ? 1 : bits_of(r));
}
static TypeRef widen(Emit *e, TypeRef t) { return e->lanes > 1 ? LLVMVectorType(t, e->lanes) : t; }
static TypeRef type_of(Emit *e, DType t) { return widen(e, scalar_type(e, t)); }
static TypeRef int_type(Emit *e, unsigned bits) {
  return widen(e, LLVMIntTypeInContext(e->cx, bits));
}
static TypeRef f32(Emit *e) { return widen(e, LLVMFloatTypeInContext(e->cx)); }
static TypeRef f64(Emit *e) { return widen(e, LLVMDoubleTypeInContext(e->cx)); }
static TypeRef i64_(Emit *e) { return LLVMInt64TypeInContext(e->cx); }
static Ref index_of(Emit *e, int64_t n) { return LLVMConstInt(i64_(e), (unsigned long long)n, 1); }

static Ref spread_constant(Emit *e, Ref c) {
  Ref all[LOOP_LANES];
  if (e->lanes == 1) return c;
  for (unsigned k = 0; k < e->lanes; k++) all[k] = c;
  return LLVMConstVector(all, e->lanes);
}
static Ref splat(Emit *e, Ref x) {
  if (e->lanes == 1) return x;
  if (LLVMIsConstant(x)) return spread_constant(e, x);
  Ref none = LLVMGetPoison(widen(e, LLVMTypeOf(x)));
  Ref one = LLVMBuildInsertElement(e->b, none, x, index_of(e, 0), "");
  return LLVMBuildShuffleVector(e->b, one, none, LLVMConstNull(int_type(e, 32)), "");
}
static Ref real(Emit *e, double x) {
  return spread_constant(e, LLVMConstReal(LLVMFloatTypeInContext(e->cx), (double)(float)x));
}
static Ref wide(Emit *e, double x) {
  return spread_constant(e, LLVMConstReal(LLVMDoubleTypeInContext(e->cx), x));
}
static Ref bits(Emit *e, unsigned width, uint64_t u) {
  return spread_constant(e, LLVMConstInt(LLVMIntTypeInContext(e->cx, width), u, 0));
}

#define ADD(x, y) LLVMBuildFAdd(e->b, x, y, "")
#define SUB(x, y) LLVMBuildFSub(e->b, x, y, "")
#define MUL(x, y) LLVMBuildFMul(e->b, x, y, "")
#define DIV(x, y) LLVMBuildFDiv(e->b, x, y, "")
#define IADD(x, y) LLVMBuildAdd(e->b, x, y, "")
#define ISUB(x, y) LLVMBuildSub(e->b, x, y, "")
#define AND(x, y) LLVMBuildAnd(e->b, x, y, "")
#define OR(x, y) LLVMBuildOr(e->b, x, y, "")
#define SHL(x, y) LLVMBuildShl(e->b, x, y, "")
#define SHR(x, y) LLVMBuildLShr(e->b, x, y, "")
#define SAR(x, y) LLVMBuildAShr(e->b, x, y, "")
#define CAST(x, t) LLVMBuildBitCast(e->b, x, t, "")
#define SELECT(p, x, y) LLVMBuildSelect(e->b, p, x, y, "")
#define FCMP(p, x, y) LLVMBuildFCmp(e->b, LLVMReal##p, x, y, "")
#define ICMP(p, x, y) LLVMBuildICmp(e->b, LLVMInt##p, x, y, "")

static Ref intrinsic(Emit *e, const char *name, unsigned n_types, TypeRef *types, unsigned n,
                     Ref *args) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  Ref f = LLVMGetIntrinsicDeclaration(e->module, id, types, n_types);
  return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->cx, id, types, n_types), f, args, n, "");
}
static Ref unary(Emit *e, const char *name, Ref x) {
  TypeRef t = LLVMTypeOf(x);
  return intrinsic(e, name, 1, &t, 1, &x);
}

// ---- the functions of loop_math.def ----

static Ref half_of(Emit *e, Ref x, unsigned first) {
  Ref order[LOOP_LANES / 2];
  for (unsigned k = 0; k < LOOP_LANES / 2; k++)
    order[k] = LLVMConstInt(LLVMInt32TypeInContext(e->cx), first + k, 0);
  Ref none = LLVMGetPoison(LLVMTypeOf(x));
  return LLVMBuildShuffleVector(e->b, x, none, LLVMConstVector(order, LOOP_LANES / 2), "");
}

// y * 2^n by AVX-512's vscalef, which rounds once as the two factors do.
static Ref emit_scalef(Emit *e, Ref y, Ref n) {
  Ref parts[2], order[LOOP_LANES];
  TypeRef i16 = LLVMInt16TypeInContext(e->cx), i32 = LLVMInt32TypeInContext(e->cx);
  for (unsigned k = 0; k < 2; k++) {
    Ref a = half_of(e, y, k * 16), b = half_of(e, n, k * 16);
    Ref args[] = {a, b, a, LLVMConstAllOnes(i16), LLVMConstInt(i32, 4, 0)};
    parts[k] = intrinsic(e, "llvm.x86.avx512.mask.scalef.ps.512", 0, NULL, 5, args);
  }
  for (unsigned k = 0; k < LOOP_LANES; k++) order[k] = LLVMConstInt(i32, k, 0);
  return LLVMBuildShuffleVector(e->b, parts[0], parts[1], LLVMConstVector(order, LOOP_LANES), "");
}

// y * 2^n, where t = n + 1.5 * 2^23.
static Ref emit_scale(Emit *e, Ref y, Ref n, Ref t) {
  _Static_assert(LOOP_LANES == 32, "two vectors of AVX-512");
  if (e->lanes == LOOP_LANES && e->avx512) return emit_scalef(e, y, n);
  Ref i = ISUB(CAST(t, int_type(e, 32)), bits(e, 32, 0x4B400000u));
  Ref half = SAR(i, bits(e, 32, 1));
  Ref first = CAST(SHL(IADD(half, bits(e, 32, 127)), bits(e, 32, 23)), f32(e));
  Ref second = CAST(SHL(IADD(ISUB(i, half), bits(e, 32, 127)), bits(e, 32, 23)), f32(e));
  return MUL(MUL(y, first), second);
}

static Ref emit_fma(Emit *e, Ref x, Ref y, Ref z) {
  TypeRef t = LLVMTypeOf(x);
  return intrinsic(e, "llvm.fma", 1, &t, 3, (Ref[]){x, y, z});
}

// table[i] of a table in C, which becomes a constant of the module.
static Ref emit_lookup(Emit *e, const char *name, const double *table, unsigned n, Ref i) {
  TypeRef element = LLVMDoubleTypeInContext(e->cx);
  Ref global = LLVMGetNamedGlobal(e->module, name);
  if (!global) {
    Ref all[QUARTERS];
    for (unsigned k = 0; k < n; k++) all[k] = LLVMConstReal(element, table[k]);
    global = LLVMAddGlobal(e->module, LLVMArrayType2(element, n), name);
    LLVMSetInitializer(global, LLVMConstArray2(element, all, n));
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMInternalLinkage);
  }
  Ref at = LLVMBuildGEP2(e->b, element, global, &i, 1, "");
  if (e->lanes == 1) return LLVMBuildLoad2(e->b, element, at, "");
  TypeRef types[2] = {f64(e), LLVMTypeOf(at)};
  Ref args[4] = {at, LLVMConstInt(LLVMInt32TypeInContext(e->cx), 8, 0),
                 LLVMConstAllOnes(int_type(e, 1)), LLVMConstNull(types[0])};
  return intrinsic(e, "llvm.masked.gather", 2, types, 4, args);
}

#define F32 Ref
#define F64 Ref
#define I32 Ref
#define I64 Ref
#define BOOL Ref
#define FUNCTION(T, name, ...) static Ref emit_##name(Emit *e, __VA_ARGS__)
#define CALL(name, ...) emit_##name(e, __VA_ARGS__)
#define K(x) real(e, x)
#define D(x) wide(e, x)
#define N32(u) bits(e, 32, u)
#define N64(u) bits(e, 64, u)
#define NEG(x) LLVMBuildFNeg(e->b, x, "")
#define FMA(x, y, z) emit_fma(e, x, y, z)
#define ABS(x) unary(e, "llvm.fabs", x)
#define FLOOR(x) unary(e, "llvm.floor", x)
#define SQRT(x) unary(e, "llvm.sqrt", x)
#define XOR(x, y) LLVMBuildXor(e->b, x, y, "")
#define LT(x, y) FCMP(OLT, x, y)
#define GT(x, y) FCMP(OGT, x, y)
#define EQ(x, y) FCMP(OEQ, x, y)
#define NE(x, y) FCMP(UNE, x, y)
#define UNORDERED(x, y) FCMP(UNO, x, y)
#define IEQ(x, y) ICMP(EQ, x, y)
#define IUGT(x, y) ICMP(UGT, x, y)
#define BOTH(p, q) AND(p, q)
#define EITHER(p, q) OR(p, q)
#define BITS32(x) CAST(x, int_type(e, 32))
#define BITS64(x) CAST(x, int_type(e, 64))
#define FLOAT32(u) CAST(u, f32(e))
#define FLOAT64(u) CAST(u, f64(e))
#define WIDE(x) LLVMBuildFPExt(e->b, x, f64(e), "")
#define NARROW(x) LLVMBuildFPTrunc(e->b, x, f32(e), "")
#define EXTEND(u) LLVMBuildZExt(e->b, u, int_type(e, 64), "")
#define LOOKUP(table, i) emit_lookup(e, #table, table, sizeof(table) / sizeof *(table), i)
#include "tensor/loop_math.def"

static Ref emit_round_bf16(Emit *e, Ref x) {
  Ref u = CAST(x, int_type(e, 32));
  Ref odd = AND(SHR(u, bits(e, 32, 16)), bits(e, 32, 1));
  Ref r = AND(IADD(IADD(u, bits(e, 32, 0x7FFF)), odd), bits(e, 32, 0xFFFF0000u));
  Ref nan = AND(u, bits(e, 32, 0xFFFF0000u));
  Ref payload = ICMP(NE, AND(nan, bits(e, 32, 0x007F0000u)), bits(e, 32, 0));
  nan = SELECT(payload, nan, OR(nan, bits(e, 32, 0x00400000u)));
  Ref is_nan = ICMP(UGT, AND(u, bits(e, 32, 0x7FFFFFFFu)), bits(e, 32, 0x7F800000u));
  return CAST(SELECT(is_nan, nan, r), f32(e));
}

static Ref emit_round_f16(Emit *e, Ref x) {
  Ref u = CAST(x, int_type(e, 32)), a = AND(u, bits(e, 32, 0x7FFFFFFFu));
  Ref odd = AND(SHR(a, bits(e, 32, 13)), bits(e, 32, 1));
  Ref normal = AND(IADD(IADD(a, bits(e, 32, 0xFFF)), odd), bits(e, 32, ~0x1FFFu));
  normal = SELECT(ICMP(UGT, normal, bits(e, 32, 0x477FE000u)), bits(e, 32, 0x7F800000u), normal);
  Ref below = ICMP(ULT, a, bits(e, 32, 0x38800000u));
  Ref small = CAST(SELECT(below, a, bits(e, 32, 0)), f32(e));
  small = CAST(SUB(ADD(small, real(e, 0.5)), real(e, 0.5)), int_type(e, 32));
  Ref nan = AND(a, bits(e, 32, ~0x1FFFu));
  Ref payload = ICMP(NE, AND(nan, bits(e, 32, 0x007FE000u)), bits(e, 32, 0));
  nan = SELECT(payload, nan, OR(nan, bits(e, 32, 0x00400000u)));
  Ref r = SELECT(below, small, normal);
  r = SELECT(ICMP(UGT, a, bits(e, 32, 0x7F800000u)), nan, r);
  return CAST(OR(r, AND(u, bits(e, 32, 0x80000000u))), f32(e));
}

static Ref emit_load_f16(Emit *e, Ref h) {
  Ref u = LLVMBuildZExt(e->b, h, int_type(e, 32), "");
  Ref a = SHL(AND(u, bits(e, 32, 0x7FFF)), bits(e, 32, 13));
  Ref finite = CAST(MUL(CAST(a, f32(e)), real(e, 5.192296858534828e33)), int_type(e, 32));
  Ref special = ICMP(UGE, a, bits(e, 32, 0x0F800000u));
  Ref r = SELECT(special, OR(a, bits(e, 32, 0x7F800000u)), finite);
  return CAST(OR(r, SHL(AND(u, bits(e, 32, 0x8000)), bits(e, 32, 16))), f32(e));
}

static Ref emit_store_f16(Emit *e, Ref x) {
  Ref u = CAST(x, int_type(e, 32)), a = AND(u, bits(e, 32, 0x7FFFFFFFu));
  Ref normal = SHR(ISUB(a, bits(e, 32, 0x38000000u)), bits(e, 32, 13));
  Ref below = ICMP(ULT, a, bits(e, 32, 0x38800000u));
  Ref small =
      CAST(ADD(CAST(SELECT(below, a, bits(e, 32, 0)), f32(e)), real(e, 0.5)), int_type(e, 32));
  small = ISUB(small, bits(e, 32, 0x3F000000u));
  Ref special = OR(bits(e, 32, 0x7C00), SHR(AND(a, bits(e, 32, 0x007FFFFFu)), bits(e, 32, 13)));
  Ref r = SELECT(ICMP(UGE, a, bits(e, 32, 0x7F800000u)), special, normal);
  r = SELECT(below, small, r);
  r = OR(r, AND(SHR(u, bits(e, 32, 16)), bits(e, 32, 0x8000)));
  return LLVMBuildTrunc(e->b, r, int_type(e, 16), "");
}

static Ref round_to(Emit *e, DType t, Ref x) {
  return t == DT_bf16 ? emit_round_bf16(e, x) : t == DT_f16 ? emit_round_f16(e, x) : x;
}

// ---- steps ----

static Ref emit_max(Emit *e, DType t, Ref x, Ref y, bool max) {
  if (t == DT_i1) return max ? OR(x, y) : AND(x, y);
  if (!is_float(loop_register(t))) {
    LLVMIntPredicate p =
        is_signed(t) ? (max ? LLVMIntSGT : LLVMIntSLT) : (max ? LLVMIntUGT : LLVMIntULT);
    return SELECT(LLVMBuildICmp(e->b, p, x, y, ""), x, y);
  }
  unsigned width = loop_register(t) == DT_f64 ? 64 : 32;
  TypeRef ints = int_type(e, width);
  Ref order = max ? FCMP(OGT, x, y) : FCMP(OLT, x, y);
  Ref r = SELECT(order, x, y), u = CAST(x, ints), v = CAST(y, ints);
  r = SELECT(FCMP(OEQ, x, y), CAST(max ? AND(u, v) : OR(u, v), LLVMTypeOf(x)), r);
  return SELECT(FCMP(UNO, x, y), ADD(x, y), r);
}

static Ref emit_shift(Emit *e, ScalarOp op, DType t, Ref x, Ref y) {
  unsigned w = bits_of(t);
  Ref fits = ICMP(ULT, y, bits(e, w, w)), amount = AND(y, bits(e, w, w - 1));
  if (op == SCALAR_sar) return SAR(x, SELECT(fits, amount, bits(e, w, w - 1)));
  return SELECT(fits, op == SCALAR_shl ? SHL(x, amount) : SHR(x, amount), bits(e, w, 0));
}

static Ref emit_compare(Emit *e, ScalarOp op, DType from, Ref x, Ref y) {
  int k = (int)op - (int)SCALAR_eq;
  if (is_float(loop_register(from))) {
    static const LLVMRealPredicate p[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOGE,
                                          LLVMRealOGT, LLVMRealOLE, LLVMRealOLT};
    return LLVMBuildFCmp(e->b, p[k], x, y, "");
  }
  static const LLVMIntPredicate s[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSGE,
                                       LLVMIntSGT, LLVMIntSLE, LLVMIntSLT},
                                u[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntUGE,
                                       LLVMIntUGT, LLVMIntULE, LLVMIntULT};
  return LLVMBuildICmp(e->b, is_signed(from) ? s[k] : u[k], x, y, "");
}

static Ref emit_convert(Emit *e, DType from, DType to, Ref x) {
  DType a = loop_register(from), b = loop_register(to);
  TypeRef t = type_of(e, to);
  if (is_float(a) && is_float(b))
    return a == b        ? x
           : a == DT_f32 ? LLVMBuildFPExt(e->b, x, t, "")
                         : LLVMBuildFPTrunc(e->b, x, t, "");
  if (is_float(a)) {
    if (b == DT_i1) return FCMP(UNE, x, LLVMConstNull(LLVMTypeOf(x)));
    TypeRef types[2] = {t, LLVMTypeOf(x)};
    return intrinsic(e, is_signed(b) ? "llvm.fptosi.sat" : "llvm.fptoui.sat", 2, types, 1, &x);
  }
  if (is_float(b))
    return is_signed(a) ? LLVMBuildSIToFP(e->b, x, t, "") : LLVMBuildUIToFP(e->b, x, t, "");
  if (b == DT_i1) return a == DT_i1 ? x : ICMP(NE, x, LLVMConstNull(LLVMTypeOf(x)));
  unsigned wa = a == DT_i1 ? 1 : bits_of(a), wb = bits_of(b);
  if (wa == wb) return x;
  if (wa > wb) return LLVMBuildTrunc(e->b, x, t, "");
  return is_signed(a) ? LLVMBuildSExt(e->b, x, t, "") : LLVMBuildZExt(e->b, x, t, "");
}

// A step on values in register types, without rounding to 16 bits. NULL: not supported.
static Ref emit_op(Emit *e, ScalarOp op, DType t, DType from, Ref x, Ref y, Ref z) {
  bool fl = is_float(loop_register(t));
  switch (op) {
  case SCALAR_convert: return emit_convert(e, from, t, x);
  case SCALAR_bitcast: return CAST(x, type_of(e, t));
  case SCALAR_select: return SELECT(x, y, z);
  case SCALAR_eq:
  case SCALAR_ne:
  case SCALAR_ge:
  case SCALAR_gt:
  case SCALAR_le:
  case SCALAR_lt: return emit_compare(e, op, from, x, y);
  case SCALAR_add: return fl ? ADD(x, y) : t == DT_i1 ? OR(x, y) : IADD(x, y);
  case SCALAR_sub: return fl ? SUB(x, y) : ISUB(x, y);
  case SCALAR_mul: return fl ? MUL(x, y) : t == DT_i1 ? AND(x, y) : LLVMBuildMul(e->b, x, y, "");
  case SCALAR_div: return fl ? DIV(x, y) : NULL;
  case SCALAR_max: return emit_max(e, t, x, y, true);
  case SCALAR_min: return emit_max(e, t, x, y, false);
  case SCALAR_and: return AND(x, y);
  case SCALAR_or: return OR(x, y);
  case SCALAR_xor: return LLVMBuildXor(e->b, x, y, "");
  case SCALAR_shl:
  case SCALAR_shr:
  case SCALAR_sar: return emit_shift(e, op, t, x, y);
  case SCALAR_not: return LLVMBuildNot(e->b, x, "");
  case SCALAR_neg: return fl ? LLVMBuildFNeg(e->b, x, "") : LLVMBuildNeg(e->b, x, "");
  case SCALAR_abs:
    if (fl) return unary(e, "llvm.fabs", x);
    return SELECT(ICMP(SLT, x, LLVMConstNull(LLVMTypeOf(x))), LLVMBuildNeg(e->b, x, ""), x);
  case SCALAR_floor: return unary(e, "llvm.floor", x);
  case SCALAR_ceil: return unary(e, "llvm.ceil", x);
  case SCALAR_round: return unary(e, "llvm.roundeven", x);
  case SCALAR_sqrt: return unary(e, "llvm.sqrt", x);
  case SCALAR_finite: return FCMP(OEQ, SUB(x, x), LLVMConstNull(LLVMTypeOf(x)));
#define MATH(name)                                                                                 \
  case SCALAR_##name: return emit_##name(e, x);
    MATH(rsqrt)
    MATH(exp)
    MATH(expm1)
    MATH(log)
    MATH(log1p)
    MATH(tanh)
    MATH(logistic)
    MATH(cbrt)
    MATH(sin)
    MATH(cos)
    MATH(tan)
    MATH(asin)
    MATH(acos)
    MATH(atan)
    MATH(sinh)
    MATH(asinh)
    MATH(acosh)
    MATH(atanh)
    MATH(erf)
    MATH(erfc)
    MATH(round_afz)
#undef MATH
  case SCALAR_pow: return emit_pow(e, x, y);
  case SCALAR_atan2: return emit_atan2(e, x, y);
  case SCALAR_sign: {
    Ref zero = LLVMConstNull(LLVMTypeOf(x));
    if (fl) {
      Ref one = loop_register(t) == DT_f64 ? wide(e, 1) : real(e, 1);
      Ref minus = loop_register(t) == DT_f64 ? wide(e, -1) : real(e, -1);
      return SELECT(FCMP(OGT, x, zero), one, SELECT(FCMP(OLT, x, zero), minus, x));
    }
    Ref one = bits(e, bits_of(t), 1), minus = LLVMConstAllOnes(LLVMTypeOf(x));
    return SELECT(ICMP(SGT, x, zero), one, SELECT(ICMP(SLT, x, zero), minus, x));
  }
  default: return NULL;
  }
}

// ---- memory ----

static Ref byte_address(Emit *e, Ref base, Ref offset_bytes) {
  return LLVMBuildGEP2(e->b, LLVMInt8TypeInContext(e->cx), base, &offset_bytes, 1, "");
}

// The type in memory, widened.
static TypeRef stored_type(Emit *e, DType t) {
  if (is_float(t)) return type_of(e, t);
  return int_type(e, bits_of(t));
}

static Ref from_memory(Emit *e, DType t, Ref m) {
  if (t == DT_bf16)
    return CAST(SHL(LLVMBuildZExt(e->b, m, int_type(e, 32), ""), bits(e, 32, 16)), f32(e));
  if (t == DT_f16) return emit_load_f16(e, m);
  if (t == DT_i1) return ICMP(NE, m, LLVMConstNull(LLVMTypeOf(m)));
  return m;
}

static Ref to_memory(Emit *e, DType t, Ref x) {
  if (t == DT_bf16)
    return LLVMBuildTrunc(e->b, SHR(CAST(x, int_type(e, 32)), bits(e, 32, 16)), int_type(e, 16),
                          "");
  if (t == DT_f16) return emit_store_f16(e, x);
  if (t == DT_i1) return LLVMBuildZExt(e->b, x, int_type(e, 8), "");
  return x;
}

static Ref load_vector(Emit *e, TypeRef t, Ref address, unsigned align, Ref mask) {
  if (!mask) {
    Ref x = LLVMBuildLoad2(e->b, t, address, "");
    LLVMSetAlignment(x, align);
    return x;
  }
  TypeRef types[2] = {t, LLVMTypeOf(address)};
  Ref args[4] = {address, LLVMConstInt(LLVMInt32TypeInContext(e->cx), align, 0), mask,
                 LLVMConstNull(t)};
  return intrinsic(e, "llvm.masked.load", 2, types, 4, args);
}

static void store_vector(Emit *e, Ref x, Ref address, unsigned align, Ref mask) {
  if (!mask) {
    LLVMSetAlignment(LLVMBuildStore(e->b, x, address), align);
    return;
  }
  TypeRef types[2] = {LLVMTypeOf(x), LLVMTypeOf(address)};
  Ref args[4] = {x, address, LLVMConstInt(LLVMInt32TypeInContext(e->cx), align, 0), mask};
  intrinsic(e, "llvm.masked.store", 2, types, 4, args);
}

// 0, 1, 2, …
static Ref lane_numbers(Emit *e, unsigned width) {
  Ref all[LOOP_LANES];
  for (unsigned k = 0; k < LOOP_LANES; k++)
    all[k] = LLVMConstInt(LLVMIntTypeInContext(e->cx, width), k, 0);
  return e->lanes > 1 ? LLVMConstVector(all, LOOP_LANES) : all[0];
}

// The element of the access that the vector begins with, as an offset from the row's first.
static Ref offset_of(Emit *e, const LoopAccess *a) {
  Ref at = index_of(e, 0);
  if (e->o && e->l->n_outer && a->outers[0])
    at = IADD(at, LLVMBuildMul(e->b, e->o, index_of(e, a->outers[0]), ""));
  if (e->i && a->inner) at = IADD(at, LLVMBuildMul(e->b, e->i, index_of(e, a->inner), ""));
  return at;
}

static Ref address_of(Emit *e, uint16_t access, DType t) {
  Ref at =
      LLVMBuildMul(e->b, offset_of(e, &e->l->accesses[access]), index_of(e, bits_of(t) / 8), "");
  return byte_address(e, e->base[access], at);
}

static Ref emit_load(Emit *e, const LoopStep *s) {
  const LoopAccess *a = &e->l->accesses[s->access];
  DType t = (DType)s->dtype;
  unsigned align = bits_of(t) / 8;
  Ref address = address_of(e, s->access, t);
  if (e->lanes == 1 || a->inner == 1)
    return from_memory(
        e, t, load_vector(e, stored_type(e, t), address, align, e->lanes > 1 ? e->mask : NULL));
  unsigned lanes = e->lanes;
  if (a->inner == 0) {
    e->lanes = 1;
    Ref one = from_memory(e, t, load_vector(e, stored_type(e, t), address, align, NULL));
    e->lanes = lanes;
    return splat(e, one);
  }
  Ref steps = LLVMBuildMul(e->b, lane_numbers(e, 64),
                           bits(e, 64, (uint64_t)(a->inner * (int64_t)align)), "");
  Ref addresses = LLVMBuildGEP2(e->b, LLVMInt8TypeInContext(e->cx), address, &steps, 1, "");
  TypeRef types[2] = {stored_type(e, t), LLVMTypeOf(addresses)};
  Ref all = LLVMConstAllOnes(int_type(e, 1));
  Ref args[4] = {addresses, LLVMConstInt(LLVMInt32TypeInContext(e->cx), align, 0),
                 e->mask ? e->mask : all, LLVMConstNull(types[0])};
  return from_memory(e, t, intrinsic(e, "llvm.masked.gather", 2, types, 4, args));
}

static Ref emit_index(Emit *e, const LoopStep *s) {
  const LoopAccess *a = &e->l->accesses[s->access];
  Ref first = IADD(e->base[s->access], offset_of(e, a)), all = splat(e, first);
  if (e->lanes > 1 && a->inner)
    all = IADD(all, LLVMBuildMul(e->b, lane_numbers(e, 64), bits(e, 64, (uint64_t)a->inner), ""));
  return round_to(e, (DType)s->dtype, emit_convert(e, DT_i64, (DType)s->dtype, all));
}

static Ref constant_of(Emit *e, DType t, uint64_t u) {
  if (t == DT_bf16)
    return LLVMConstBitCast(LLVMConstInt(LLVMInt32TypeInContext(e->cx), u << 16, 0),
                            LLVMFloatTypeInContext(e->cx));
  if (t == DT_f32)
    return LLVMConstBitCast(LLVMConstInt(LLVMInt32TypeInContext(e->cx), u, 0),
                            LLVMFloatTypeInContext(e->cx));
  if (t == DT_f64)
    return LLVMConstBitCast(LLVMConstInt(i64_(e), u, 0), LLVMDoubleTypeInContext(e->cx));
  if (t == DT_f16) {
    unsigned lanes = e->lanes;
    e->lanes = 1;
    Ref x = emit_load_f16(e, LLVMConstInt(LLVMInt16TypeInContext(e->cx), u, 0));
    e->lanes = lanes;
    return x;
  }
  return LLVMConstInt(scalar_type(e, t), u, 0);
}

// ---- rows ----

static uint32_t arity_of(const LoopStep *s) {
  static const uint8_t arity[] = {
#define SCALAR_OP(id, operands, expensive) operands,
#include "tensor/scalar_ops.def"
#undef SCALAR_OP
  };
  return arity[s->op];
}

static bool is_source(const LoopStep *s) { return s->op == SCALAR_load || s->op == SCALAR_index; }
static bool folds(const LoopStep *s) { return s->op == SCALAR_reduce || s->op == SCALAR_column; }

// A kept element vector of an earlier pass.
static Ref kept_address(Emit *e, uint16_t v) {
  unsigned bytes = bits_of(held(e->l->steps[v].dtype)) / 8;
  Ref at = IADD(LLVMBuildMul(e->b, e->position, index_of(e, bytes), ""), index_of(e, e->kept[v]));
  return byte_address(e, e->scratch, at);
}

// The operand of a step in the current width.
static Ref operand(Emit *e, uint32_t pass, uint16_t v) {
  const LoopStep *s = &e->l->steps[v];
  if (e->lanes == 1) return e->row[v];
  if (s->level != LOOP_ELEMENT) return splat(e, e->row[v]);
  if (e->value[v]) return e->value[v];
  if (is_source(s)) return e->value[v] = s->op == SCALAR_load ? emit_load(e, s) : emit_index(e, s);
  (void)pass;
  DType t = held(s->dtype);
  Ref m = load_vector(e, stored_type(e, t), kept_address(e, v), bits_of(t) / 8, NULL);
  return e->value[v] = from_memory(e, t, m);
}

static Ref combine(Emit *e, const LoopStep *s, Ref x, Ref y) {
  DType t = (DType)s->dtype;
  return round_to(e, t, emit_op(e, (ScalarOp)s->combine, t, t, x, y, NULL));
}

static bool emit_step(Emit *e, uint32_t pass, uint16_t i) {
  const LoopStep *s = &e->l->steps[i];
  DType t = (DType)s->dtype;
  Ref in[3] = {NULL, NULL, NULL};
  for (uint32_t k = 0; k < arity_of(s); k++) in[k] = operand(e, pass, s->in[k]);
  Ref r = NULL;
  switch ((ScalarOp)s->op) {
  case SCALAR_load: r = emit_load(e, s); break;
  case SCALAR_index: r = emit_index(e, s); break;
  case SCALAR_store: {
    Ref address = address_of(e, s->access, t);
    store_vector(e, to_memory(e, t, in[0]), address, bits_of(t) / 8, e->lanes > 1 ? e->mask : NULL);
    return true;
  }
  case SCALAR_reduce: {
    Ref sum = combine(e, s, e->sum[i], in[0]);
    e->sum[i] = e->mask ? SELECT(e->mask, sum, e->sum[i]) : sum;
    return true;
  }
  case SCALAR_column: {
    DType h = held(s->dtype);
    Ref slot = LLVMBuildGEP2(e->b, LLVMPointerTypeInContext(e->cx, 0), e->partial,
                             &(Ref){index_of(e, e->number[i])}, 1, "");
    Ref base = LLVMBuildLoad2(e->b, LLVMPointerTypeInContext(e->cx, 0), slot, "");
    Ref address = byte_address(e, base, LLVMBuildMul(e->b, e->i, index_of(e, bits_of(h) / 8), ""));
    Ref old =
        from_memory(e, h, load_vector(e, stored_type(e, h), address, bits_of(h) / 8, e->mask));
    store_vector(e, to_memory(e, h, combine(e, s, old, in[0])), address, bits_of(h) / 8, e->mask);
    return true;
  }
  default:
    r = emit_op(e, (ScalarOp)s->op, t, (DType)s->from, in[0], in[1], in[2]);
    if (r && s->op != SCALAR_select) r = round_to(e, t, r);
  }
  if (!r) return false;
  if (e->lanes == 1) {
    e->row[i] = r;
    return true;
  }
  e->value[i] = r;
  if (e->kept[i] >= 0) {
    DType h = held(s->dtype);
    store_vector(e, to_memory(e, h, r), kept_address(e, i), bits_of(h) / 8, NULL);
  }
  return true;
}

static bool in_pass(const LoopStep *s, uint32_t pass) {
  return s->pass == pass && (s->level == LOOP_ELEMENT || folds(s)) && s->op != SCALAR_constant;
}

static bool emit_elements(Emit *e, uint32_t pass) {
  memset(e->value, 0, e->l->n_steps * sizeof *e->value);
  for (uint16_t i = 0; i < e->l->n_steps; i++)
    if (in_pass(&e->l->steps[i], pass) && !(is_source(&e->l->steps[i]) && e->value[i]) &&
        !emit_step(e, pass, i))
      return false;
  return true;
}

typedef struct For {
  LLVMBasicBlockRef head, body, end;
  Ref index;
} For;

static LLVMBasicBlockRef new_block(Emit *e) {
  return LLVMAppendBasicBlockInContext(e->cx, e->function, "");
}

// for (index = from; index < to; …): opens the body.
static For for_begin(Emit *e, Ref from, Ref to) {
  For f = {.head = new_block(e), .body = new_block(e), .end = new_block(e)};
  LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b);
  LLVMBuildBr(e->b, f.head);
  LLVMPositionBuilderAtEnd(e->b, f.head);
  f.index = LLVMBuildPhi(e->b, i64_(e), "");
  LLVMAddIncoming(f.index, &from, &before, 1);
  LLVMBuildCondBr(e->b, ICMP(SLT, f.index, to), f.body, f.end);
  LLVMPositionBuilderAtEnd(e->b, f.body);
  return f;
}

static void for_end(Emit *e, For *f, int64_t step) {
  Ref next = IADD(f->index, index_of(e, step));
  LLVMBasicBlockRef last = LLVMGetInsertBlock(e->b);
  LLVMAddIncoming(f->index, &next, &last, 1);
  LLVMBuildBr(e->b, f->head);
  LLVMPositionBuilderAtEnd(e->b, f->end);
}

// Sums live in memory of the stack between loops; in registers within the loop over vectors.
typedef struct Sums {
  Ref *slot;
} Sums;

static void sums_load(Emit *e, uint32_t pass, const Sums *sums) {
  for (uint16_t i = 0; i < e->l->n_steps; i++)
    if (e->l->steps[i].op == SCALAR_reduce && e->l->steps[i].pass == pass)
      e->sum[i] = LLVMBuildLoad2(e->b, type_of(e, held(e->l->steps[i].dtype)), sums->slot[i], "");
}

static void sums_store(Emit *e, uint32_t pass, const Sums *sums) {
  for (uint16_t i = 0; i < e->l->n_steps; i++)
    if (e->l->steps[i].op == SCALAR_reduce && e->l->steps[i].pass == pass)
      LLVMBuildStore(e->b, e->sum[i], sums->slot[i]);
}

static uint64_t identity_bits(ScalarOp op, DType t) {
  bool fl = is_float(t);
  unsigned w = t == DT_i1 ? 1 : bits_of(t);
  uint64_t all = w == 64 ? UINT64_MAX : ((uint64_t)1 << w) - 1, top = (uint64_t)1 << (w - 1);
  switch (op) {
  case SCALAR_add: return fl ? top : 0;
  case SCALAR_mul: return t == DT_f32 ? 0x3F800000u : t == DT_f64 ? 0x3FF0000000000000u : 1;
  case SCALAR_max:
    return t == DT_f32 ? 0xFF800000u : t == DT_f64 ? 0xFFF0000000000000u : is_signed(t) ? top : 0;
  case SCALAR_min:
    return t == DT_f32    ? 0x7F800000u
           : t == DT_f64  ? 0x7FF0000000000000u
           : is_signed(t) ? all >> 1
                          : all;
  case SCALAR_and: return all;
  default: return 0;
  }
}

// The vectors of one pass over one row: whole ones in a loop, then the masked rest.
static bool emit_vectors(Emit *e, uint32_t pass, const Sums *sums) {
  int64_t pitch = (e->l->inner + LOOP_LANES - 1) / LOOP_LANES * LOOP_LANES;
  bool good = true;
  For outer = for_begin(e, e->outer, IADD(e->outer, e->outers));
  e->o = outer.index;
  Ref start = LLVMBuildMul(e->b, e->o, index_of(e, pitch), "");
  Ref whole = AND(e->inners, index_of(e, -LOOP_LANES));
  e->lanes = LOOP_LANES;
  e->mask = NULL;
  sums_load(e, pass, sums);
  // The sums as phis of the loop.
  LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), head = new_block(e), body = new_block(e),
                    end = new_block(e);
  LLVMBuildBr(e->b, head);
  LLVMPositionBuilderAtEnd(e->b, head);
  Ref index = LLVMBuildPhi(e->b, i64_(e), ""), zero = index_of(e, 0);
  LLVMAddIncoming(index, &zero, &before, 1);
  Ref *phi = calloc(e->l->n_steps + 1, sizeof *phi);
  for (uint16_t i = 0; i < e->l->n_steps; i++)
    if (e->l->steps[i].op == SCALAR_reduce && e->l->steps[i].pass == pass) {
      phi[i] = LLVMBuildPhi(e->b, LLVMTypeOf(e->sum[i]), "");
      LLVMAddIncoming(phi[i], &e->sum[i], &before, 1);
      e->sum[i] = phi[i];
    }
  LLVMBuildCondBr(e->b, ICMP(SLT, index, whole), body, end);
  LLVMPositionBuilderAtEnd(e->b, body);
  e->i = index;
  e->position = IADD(start, index);
  good &= emit_elements(e, pass);
  Ref next = IADD(index, index_of(e, LOOP_LANES));
  LLVMBasicBlockRef last = LLVMGetInsertBlock(e->b);
  LLVMAddIncoming(index, &next, &last, 1);
  for (uint16_t i = 0; i < e->l->n_steps; i++)
    if (phi[i]) LLVMAddIncoming(phi[i], &e->sum[i], &last, 1);
  LLVMBuildBr(e->b, head);
  LLVMPositionBuilderAtEnd(e->b, end);
  for (uint16_t i = 0; i < e->l->n_steps; i++)
    if (phi[i]) e->sum[i] = phi[i];
  sums_store(e, pass, sums);
  free(phi);
  // The rest.
  LLVMBasicBlockRef rest = new_block(e), done = new_block(e);
  LLVMBuildCondBr(e->b, ICMP(SLT, whole, e->inners), rest, done);
  LLVMPositionBuilderAtEnd(e->b, rest);
  unsigned lanes = e->lanes;
  Ref left = LLVMBuildTrunc(e->b, ISUB(e->inners, whole), LLVMInt32TypeInContext(e->cx), "");
  e->mask = ICMP(ULT, lane_numbers(e, 32), splat(e, left));
  e->lanes = lanes;
  e->i = whole;
  e->position = IADD(start, whole);
  sums_load(e, pass, sums);
  good &= emit_elements(e, pass);
  sums_store(e, pass, sums);
  LLVMBuildBr(e->b, done);
  LLVMPositionBuilderAtEnd(e->b, done);
  for_end(e, &outer, 1);
  e->lanes = 1;
  e->mask = e->i = e->o = NULL;
  return good;
}

// lanes → one value by halves, as loop_combine_lanes does.
static Ref emit_tree(Emit *e, const LoopStep *s, Ref v) {
  for (unsigned half = LOOP_LANES / 2; half > 0; half /= 2) {
    Ref low[LOOP_LANES], high[LOOP_LANES];
    TypeRef t = LLVMInt32TypeInContext(e->cx);
    for (unsigned k = 0; k < half; k++)
      low[k] = LLVMConstInt(t, k, 0), high[k] = LLVMConstInt(t, half + k, 0);
    Ref a, b;
    if (half == 1) {
      a = LLVMBuildExtractElement(e->b, v, low[0], "");
      b = LLVMBuildExtractElement(e->b, v, high[0], "");
    } else {
      Ref none = LLVMGetPoison(LLVMTypeOf(v));
      a = LLVMBuildShuffleVector(e->b, v, none, LLVMConstVector(low, half), "");
      b = LLVMBuildShuffleVector(e->b, v, none, LLVMConstVector(high, half), "");
    }
    e->lanes = half;
    v = combine(e, s, a, b);
  }
  e->lanes = 1;
  return v;
}

static bool has_elements(const Loop *l, uint32_t pass) {
  for (uint32_t i = 0; i < l->n_steps; i++)
    if (in_pass(&l->steps[i], pass)) return true;
  return false;
}

static bool emit_pass(Emit *e, uint32_t pass, const Sums *sums) {
  const Loop *l = e->l;
  e->lanes = 1;
  e->mask = e->i = e->o = NULL;
  for (uint16_t i = 0; i < l->n_steps; i++) {
    const LoopStep *s = &l->steps[i];
    if (s->level == LOOP_ROW && !folds(s) && s->pass == pass && !emit_step(e, pass, i))
      return false;
  }
  if (!has_elements(l, pass)) return true;
  e->lanes = LOOP_LANES;
  for (uint16_t i = 0; i < l->n_steps; i++) {
    const LoopStep *s = &l->steps[i];
    if (s->op != SCALAR_reduce || s->pass != pass) continue;
    DType t = held(s->dtype);
    Ref one = constant_of(e, t, identity_bits((ScalarOp)s->combine, t));
    LLVMBuildStore(e->b, splat(e, one), sums->slot[i]);
  }
  if (!emit_vectors(e, pass, sums)) return false;
  for (uint16_t i = 0; i < l->n_steps; i++) {
    const LoopStep *s = &l->steps[i];
    if (s->op != SCALAR_reduce || s->pass != pass) continue;
    e->lanes = LOOP_LANES;
    Ref v = LLVMBuildLoad2(e->b, type_of(e, held(s->dtype)), sums->slot[i], "");
    e->row[i] = emit_tree(e, s, v);
    if (!l->split) continue;
    Ref slot = LLVMBuildGEP2(e->b, LLVMPointerTypeInContext(e->cx, 0), e->partial,
                             &(Ref){index_of(e, e->number[i])}, 1, "");
    Ref to = LLVMBuildLoad2(e->b, LLVMPointerTypeInContext(e->cx, 0), slot, "");
    store_vector(e, to_memory(e, held(s->dtype), e->row[i]), to, bits_of(held(s->dtype)) / 8, NULL);
  }
  return true;
}

static bool emit_body(Emit *e) {
  const Loop *l = e->l;
  TypeRef pointer = LLVMPointerTypeInContext(e->cx, 0);
  LLVMPositionBuilderAtEnd(e->b, new_block(e));
  Ref *first = calloc(l->n_accesses + 1, sizeof *first);
  Sums sums = {.slot = calloc(l->n_steps + 1, sizeof(Ref))};
  for (uint32_t k = 0; k < l->n_accesses; k++) {
    Ref slot = LLVMBuildGEP2(e->b, pointer, e->at, &(Ref){index_of(e, k)}, 1, "");
    first[k] =
        LLVMBuildLoad2(e->b, l->accesses[k].buffer == UINT16_MAX ? i64_(e) : pointer, slot, "");
  }
  for (uint32_t i = 0; i < l->n_steps; i++) {
    const LoopStep *s = &l->steps[i];
    e->lanes = LOOP_LANES;
    if (s->op == SCALAR_reduce) {
      sums.slot[i] = LLVMBuildAlloca(e->b, type_of(e, held(s->dtype)), "");
      LLVMSetAlignment(sums.slot[i], 64);
    }
    e->lanes = 1;
    if (s->op == SCALAR_constant) e->row[i] = constant_of(e, (DType)s->dtype, s->bits);
  }
  For rows = for_begin(e, index_of(e, 0), e->rows);
  for (uint32_t k = 0; k < l->n_accesses; k++) {
    const LoopAccess *a = &l->accesses[k];
    int64_t stride = l->n_grid ? a->grid[l->n_grid - 1] : 0;
    bool index = a->buffer == UINT16_MAX;
    int64_t bytes = index ? 1 : (int64_t)bits_of((DType)a->dtype) / 8;
    Ref at = LLVMBuildMul(e->b, rows.index, index_of(e, stride * bytes), "");
    e->base[k] = index ? IADD(first[k], at) : byte_address(e, first[k], at);
  }
  bool good = true;
  for (uint32_t p = 0; p < l->n_passes && good; p++) good = emit_pass(e, p, &sums);
  for_end(e, &rows, 1);
  LLVMBuildRetVoid(e->b);
  free(first);
  free(sums.slot);
  return good;
}

// ---- which loops ----

static bool supported(const Loop *l) {
  if (l->n_outer > 1 || (l->inner > 1 && l->inner < 8 && !l->ordered) || l->n_steps > 400)
    return false;
  for (uint32_t i = 0; i < l->n_steps; i++) {
    const LoopStep *s = &l->steps[i];
    DType t = (DType)s->dtype;
    if (s->op == SCALAR_call || !bits_of(t) || (s->from && !bits_of((DType)s->from))) return false;
    if (s->op == SCALAR_store && s->level == LOOP_ELEMENT && l->accesses[s->access].inner != 1)
      return false;
    if (s->op == SCALAR_bitcast &&
        (is_small(t) || is_small((DType)s->from) || t == DT_i1 || s->from == DT_i1))
      return false;
    if (t == DT_i1 && s->op == SCALAR_sub) return false;
  }
  return true;
}

// Rows that a later pass needs, in the scratch.
static size_t keep_rows(const Loop *l, int64_t *kept) {
  size_t bytes = 0;
  int64_t pitch = (l->inner + LOOP_LANES - 1) / LOOP_LANES * LOOP_LANES;
  for (uint32_t i = 0; i < l->n_steps; i++) kept[i] = -1;
  for (uint32_t i = 0; i < l->n_steps; i++) {
    const LoopStep *s = &l->steps[i];
    if (s->level != LOOP_ELEMENT && !folds(s)) continue;
    for (uint32_t k = 0; k < arity_of(s); k++) {
      uint16_t v = s->in[k];
      const LoopStep *u = &l->steps[v];
      if (u->level != LOOP_ELEMENT || u->pass == s->pass || is_source(u) || kept[v] >= 0) continue;
      kept[v] = (int64_t)bytes;
      bytes += ((size_t)(l->outer * pitch) * bits_of(held(u->dtype)) / 8 + 63) & ~(size_t)63;
    }
  }
  return bytes;
}

// ---- the machine, the cache ----

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards all below

typedef struct Entry {
  uint64_t key[2];
  LoopCode code;
} Entry;

static struct {
  bool tried;
  LLVMTargetMachineRef machine;
  LLVMOrcLLJITRef jit;
  char name[128];
  uint64_t cpu[2];  // a hash of the CPU and its features
  bool avx512;
  Entry *entries;
  size_t n, capacity;
} state;

// FNV-1a, twice with different starts.
static void hash(uint64_t key[2], const void *data, size_t n) {
  const unsigned char *p = data;
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 2; k++)
      key[k] = (key[k] ^ p[i]) * 0x100000001B3u + (uint64_t)k * (key[0] >> 29);
}

static void hash_word(uint64_t key[2], int64_t word) { hash(key, &word, sizeof word); }

// Everything that the code depends on.
static void hash_loop(uint64_t key[2], const Loop *l) {
  enum { CODE_VERSION = 4 };  // to be raised with every change of the code
  key[0] = 0xCBF29CE484222325u ^ state.cpu[0];
  key[1] = 0x84222325CBF29CE4u ^ state.cpu[1];
  hash_word(key, CODE_VERSION);
  hash_word(key, SANITIZE_ADDRESS);  // builds with ASan have objects of their own
  // Steps are hashed by the numbers of their ops.
  static const char numbers[] =
#define SCALAR_OP(id, operands, expensive) #id " "
#include "tensor/scalar_ops.def"
#undef SCALAR_OP
      ;
  hash(key, numbers, sizeof numbers);
  int64_t words[] = {l->n_grid > 0, l->n_outer,    l->outer,    l->inner,
                     l->n_steps,    l->n_accesses, l->n_passes, l->split};
  hash(key, words, sizeof words);
  for (uint32_t k = 0; k < l->n_accesses; k++) {
    const LoopAccess *a = &l->accesses[k];
    int64_t w[] = {a->buffer == UINT16_MAX, a->dtype, l->n_grid ? a->grid[l->n_grid - 1] : 0,
                   a->outers[0], a->inner};
    hash(key, w, sizeof w);
  }
  for (uint32_t i = 0; i < l->n_steps; i++) {
    const LoopStep *s = &l->steps[i];
    int64_t w[] = {s->op,     s->dtype, s->from,  s->combine, s->level,        s->pass,
                   s->access, s->in[0], s->in[1], s->in[2],   (int64_t)s->bits};
    hash(key, w, sizeof w);
  }
}

static void start(void) {
  state.tried = true;
  // ASan's checks as calls: inline, each masked access has 32 of them, and compiling takes long.
  const char *options[] = {"tessera", "-asan-instrumentation-with-call-threshold=0"};
  if (SANITIZE_ADDRESS) LLVMParseCommandLineOptions(2, options, NULL);
  if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter()) return;
  char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(),
       *features = LLVMGetHostCPUFeatures(), *message = NULL;
  LLVMTargetRef target;
  if (!LLVMGetTargetFromTriple(triple, &target, &message))
    state.machine = LLVMCreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelLess,
                                            LLVMRelocPIC, LLVMCodeModelDefault);
  snprintf(state.name, sizeof state.name, "LLVM 19 (%s)", cpu);
  hash(state.cpu, cpu, strlen(cpu));
  hash(state.cpu, features, strlen(features));
  state.avx512 = strstr(features, "+avx512f") != NULL;
  LLVMErrorRef error = state.machine ? LLVMOrcCreateLLJIT(&state.jit, NULL) : NULL;
  if (error) {
    LLVMConsumeError(error);
    state.jit = NULL;
  }
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  if (message) LLVMDisposeMessage(message);
}

// The file of an object; false if there is no cache. Directories are made on the way.
static bool cache_path(const uint64_t key[2], char *out, size_t bytes) {
  char directory[3072];
  size_t parent;
  if (!cache_directory(directory, sizeof directory, &parent)) return false;
  directory[parent] = '\0';
  mkdir(directory, 0777);
  directory[parent] = '/';
  mkdir(directory, 0777);
  int n = snprintf(out, bytes, "%s/%016llx%016llx.o", directory, (unsigned long long)key[0],
                   (unsigned long long)key[1]);
  return n > 0 && (size_t)n < bytes;
}

typedef struct CacheHeader {
  char magic[8];
  uint64_t bytes, check[2];
} CacheHeader;

// The check begins with the key: an object of another loop under this name is refused, as damaged
// ones are.
static LLVMMemoryBufferRef cache_read(const char *path, const uint64_t key[2]) {
  FILE *f = fopen(path, "rb");
  CacheHeader h;
  LLVMMemoryBufferRef out = NULL;
  if (!f) return NULL;
  char *data = NULL;
  if (fread(&h, sizeof h, 1, f) == 1 && memcmp(h.magic, "TSRLOOP2", 8) == 0 &&
      h.bytes < 64u << 20 && (data = malloc(h.bytes + 1)) &&
      fread(data, 1, h.bytes, f) == h.bytes) {
    uint64_t check[2] = {key[0], key[1]};
    hash(check, data, h.bytes);
    if (check[0] == h.check[0] && check[1] == h.check[1])
      out = LLVMCreateMemoryBufferWithMemoryRangeCopy(data, h.bytes, "loop");
  }
  free(data);
  fclose(f);
  return out;
}

// Completely or not at all: a temporary file, renamed.
static void cache_write(const char *path, const uint64_t key[2], LLVMMemoryBufferRef object) {
  char temporary[4200];
  CacheHeader h = {.magic = {'T', 'S', 'R', 'L', 'O', 'O', 'P', '2'},
                   .bytes = LLVMGetBufferSize(object),
                   .check = {key[0], key[1]}};
  hash(h.check, LLVMGetBufferStart(object), h.bytes);
  snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
  FILE *f = fopen(temporary, "wb");
  if (!f) return;
  bool good = fwrite(&h, sizeof h, 1, f) == 1 &&
              fwrite(LLVMGetBufferStart(object), 1, h.bytes, f) == h.bytes;
  good &= fclose(f) == 0;
  if (!good || rename(temporary, path) != 0) unlink(temporary);
}

static void attribute(Emit *e, const char *key, const char *value) {
  LLVMAddAttributeAtIndex(
      e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(e->cx, key, (unsigned)strlen(key), value, (unsigned)strlen(value)));
}

// In a build with ASan, LLVM's pass makes it check every access of the loop, of any width.
static const char *passes(Emit *e) {
  if (!SANITIZE_ADDRESS) return "early-cse";
  static const char checked[] = "sanitize_address";
  char *triple = LLVMGetTargetMachineTriple(state.machine);
  LLVMSetTarget(e->module, triple);  // says where the shadow memory is
  LLVMDisposeMessage(triple);
  unsigned kind = LLVMGetEnumAttributeKindForName(checked, sizeof checked - 1);
  LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(e->cx, kind, 0));
  return "function(early-cse),asan";
}

static LLVMMemoryBufferRef generate(const Loop *l, const char *symbol) {
  Emit x = {.l = l, .cx = LLVMContextCreate(), .lanes = 1, .avx512 = state.avx512}, *e = &x;
  e->module = LLVMModuleCreateWithNameInContext("loop", e->cx);
  e->b = LLVMCreateBuilderInContext(e->cx);
  e->value = calloc(l->n_steps + 1, sizeof(Ref));
  e->row = calloc(l->n_steps + 1, sizeof(Ref));
  e->sum = calloc(l->n_steps + 1, sizeof(Ref));
  e->kept = calloc(l->n_steps + 1, sizeof(int64_t));
  e->number = calloc(l->n_steps + 1, sizeof(uint16_t));
  e->base = calloc(l->n_accesses + 1, sizeof(Ref));
  keep_rows(l, e->kept);
  uint16_t number = 0;
  for (uint32_t i = 0; i < l->n_steps; i++)
    if (l->steps[i].op == SCALAR_column || (l->steps[i].op == SCALAR_reduce && l->split))
      e->number[i] = number++;
  TypeRef p = LLVMPointerTypeInContext(e->cx, 0), n = i64_(e);
  TypeRef args[] = {p, n, n, n, n, p, p};
  e->function = LLVMAddFunction(e->module, symbol,
                                LLVMFunctionType(LLVMVoidTypeInContext(e->cx), args, 7, 0));
  attribute(e, "prefer-vector-width", "512");
  attribute(e, "min-legal-vector-width", "512");
  Ref *params[] = {&e->at, &e->rows, &e->outer, &e->outers, &e->inners, &e->partial, &e->scratch};
  for (unsigned k = 0; k < 7; k++) *params[k] = LLVMGetParam(e->function, k);
  bool good = emit_body(e);
  LLVMMemoryBufferRef object = NULL;
  char *message = NULL;
  // For tests: a loop that is not valid is left to the tiles.
  if (good && getenv("TESSERA_LLVM_CHECK"))
    good = !LLVMVerifyModule(e->module, LLVMReturnStatusAction, &message);
  if (good) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(e->module, passes(e), state.machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error)
      LLVMConsumeError(error);
    else if (LLVMTargetMachineEmitToMemoryBuffer(state.machine, e->module, LLVMObjectFile, &message,
                                                 &object))
      object = NULL;
  }
  if (message) LLVMDisposeMessage(message);
  free(e->value), free(e->row), free(e->sum), free(e->kept), free(e->number), free(e->base);
  LLVMDisposeBuilder(e->b);
  LLVMDisposeModule(e->module);
  LLVMContextDispose(e->cx);
  return object;
}

static LoopCode build(const Loop *l, const uint64_t key[2]) {
  char path[4096], symbol[64];
  snprintf(symbol, sizeof symbol, "loop_%016llx%016llx", (unsigned long long)key[0],
           (unsigned long long)key[1]);
  bool cached = cache_path(key, path, sizeof path);
  LLVMMemoryBufferRef object = cached ? cache_read(path, key) : NULL;
  if (!object) {
    object = generate(l, symbol);
    if (!object) return NULL;
    if (cached) cache_write(path, key, object);
  }
  LLVMErrorRef error =
      LLVMOrcLLJITAddObjectFile(state.jit, LLVMOrcLLJITGetMainJITDylib(state.jit), object);
  LLVMOrcExecutorAddress address = 0;
  if (!error) error = LLVMOrcLLJITLookup(state.jit, &address, symbol);
  if (error) {
    LLVMConsumeError(error);
    return NULL;
  }
  LoopCode code;
  memcpy(&code, &address, sizeof code);
  return code;
}

static LoopCode compile(const Loop *l, size_t *out_scratch_bytes) {
  if (!supported(l)) return NULL;
  int64_t *kept = calloc(l->n_steps + 1, sizeof *kept);
  if (!kept) return NULL;
  *out_scratch_bytes = keep_rows(l, kept) + 64;
  free(kept);
  pthread_mutex_lock(&lock);
  if (!state.tried) start();
  LoopCode code = NULL;
  if (state.jit) {
    uint64_t key[2];
    hash_loop(key, l);
    size_t i = 0;
    while (i < state.n && memcmp(state.entries[i].key, key, sizeof key) != 0) i++;
    if (i < state.n) {
      code = state.entries[i].code;
    } else {
      code = build(l, key);
      if (state.n == state.capacity) {
        size_t capacity = state.capacity ? 2 * state.capacity : 64;
        Entry *more = realloc(state.entries, capacity * sizeof *more);
        if (more) state.entries = more, state.capacity = capacity;
      }
      if (state.n < state.capacity) {
        memcpy(state.entries[state.n].key, key, sizeof key);
        state.entries[state.n++].code = code;
      }
    }
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static const char *name(void) {
  pthread_mutex_lock(&lock);
  if (!state.tried) start();
  pthread_mutex_unlock(&lock);
  return state.name;
}

EXPORT extern const LoopJit tsr_loop_jit;
EXPORT const LoopJit tsr_loop_jit = {.version = LOOP_JIT_VERSION, .name = name, .compile = compile};

EXPORT extern const char tsr_provider_text[];
EXPORT const char tsr_provider_text[] = "LLVM " LLVM_VERSION_STRING;
