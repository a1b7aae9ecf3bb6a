// The op table: what every op is called, which attributes it has, how it is written, and where its
// meaning is. One row per op in ops.def; the meaning of a structural op is `const OpDef op_<name>`
// in ops/<name>.c.
#ifndef TESSERA_OPS_OP_H
#define TESSERA_OPS_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "ir/program.h"

// OP_add is stablehlo.add; other dialects carry theirs: OP_func_call, OP_chlo_erf, OP_sdy_mesh.
typedef enum OpCode {
  OP_NONE = 0,
  OP_UNREGISTERED,  // kept by name (Op.name) with --allow-unregistered
#define OP(id, ...) OP_##id,
#include "ops/ops.def"
#undef OP
  OP_COUNT
} OpCode;

// What an inherent attribute must look like. The reader, the printer and the verifier all go by
// this.
typedef enum AttrShape {
  AS_END = 0,
  AS_ANY,
  AS_UNIT,
  AS_BOOL,
  AS_I32,    // 3 : i32
  AS_I64,    // 3 : i64
  AS_U64,    // 3 : ui64 (any integer type is accepted)
  AS_U32,    // 3 : ui32
  AS_INT,    // any integer type
  AS_FLOAT,  // 1.0 : f32 (any float type)
  AS_STRING,
  AS_SYMBOL,
  AS_TYPE,
  AS_I64S,   // array<i64: 1, 2>
  AS_BOOLS,  // array<i1: true>
  AS_ARRAY,  // […] of anything
  AS_DICT,
  AS_DENSE,   // dense<…> : tensor<…>
  AS_ENUM,    // #dialect<cls value>
  AS_STRUCT,  // #dialect.cls<…>
  AS_ENUMS,   // array of enums of class cls
  AS_CONFIG,  // a string or a dict
  AS_GROUPS,  // replica groups: dense<…> : tensor<?x?xi64> or #stablehlo.replica_group_mesh_axes<…>
} AttrShape;

typedef enum AttrNeed { NEED_REQUIRED, NEED_OPTIONAL, NEED_DEFAULT } AttrNeed;

typedef struct AttrSpec {
  const char *name;
  AttrShape shape;
  AttrNeed need;
  const char *cls;  // of enums and structs: "stablehlo.comparison_direction"; of an I32 that is
                    // written as a word: the words of 0, 1, … separated by '|'
  // What absence means, if has_default. With NEED_OPTIONAL the attribute stays absent (MLIR's
  // DefaultValuedOptionalAttr); with NEED_DEFAULT the reader adds it (DefaultValuedAttr). Pretty
  // forms leave out an attribute that has its default.
  bool has_default;
  int64_t value;     // default of BOOL, I32, I64
  const char *text;  // default of ENUM, STRING; "[]" of ARRAY, "{}" of DICT
} AttrSpec;

// Entries of the attrs column; each brings its own comma.
#define REQ(shape_, name_) {.name = #name_, .shape = AS_##shape_, .need = NEED_REQUIRED},
#define OPT(shape_, name_) {.name = #name_, .shape = AS_##shape_, .need = NEED_OPTIONAL},
#define REQ_OF(shape_, name_, cls_)                                                                \
  {.name = #name_, .shape = AS_##shape_, .need = NEED_REQUIRED, .cls = cls_},
#define OPT_OF(shape_, name_, cls_)                                                                \
  {.name = #name_, .shape = AS_##shape_, .need = NEED_OPTIONAL, .cls = cls_},
#define DEF(shape_, name_, value_)                                                                 \
  {.name = #name_,                                                                                 \
   .shape = AS_##shape_,                                                                           \
   .need = NEED_OPTIONAL,                                                                          \
   .has_default = true,                                                                            \
   .value = value_},
#define DEF_TEXT(shape_, name_, cls_, text_)                                                       \
  {.name = #name_,                                                                                 \
   .shape = AS_##shape_,                                                                           \
   .need = NEED_OPTIONAL,                                                                          \
   .cls = cls_,                                                                                    \
   .has_default = true,                                                                            \
   .text = text_},
#define FILL_TEXT(shape_, name_, text_)                                                            \
  {.name = #name_, .shape = AS_##shape_, .need = NEED_DEFAULT, .has_default = true, .text = text_},

enum {
  TRAIT_PURE = 1 << 0,         // no side effect, may be dropped or repeated
  TRAIT_TERMINATOR = 1 << 1,   // ends a block
  TRAIT_SYMBOL = 1 << 2,       // has a sym_name
  TRAIT_ISOLATED = 1 << 3,     // its regions use nothing from outside
  TRAIT_ELEMENTWISE = 1 << 4,  // result element i depends on operand elements i only, or on scalars
  TRAIT_COMMUTATIVE = 1 << 5,
  TRAIT_COLLECTIVE = 1 << 6,     // exchanges with other processes
  TRAIT_NO_TERMINATOR = 1 << 7,  // its blocks need no terminator (module)
  TRAIT_CALL = 1 << 8,           // `callee` names a function
  TRAIT_FUNCTION = 1 << 9,
  // Order of propagation: what keeps shapes first, what makes tensors larger last.
  TRAIT_PASSES = 1 << 10,          // like elementwise ops: reshape, transpose and kin
  TRAIT_PASSES_FORWARD = 1 << 11,  // the same, from operands to results only
  TRAIT_EXPANDS = 1 << 12,         // broadcast: backward before forward
  // Constants, and ops that make a constant of constants without being elementwise: each use may
  // have its own copy.
  TRAIT_CONSTANT = 1 << 13,
  // Sizes of the result are values of an operand: with a part of the result as its type it would
  // fail.
  TRAIT_SIZED_BY_VALUES = 1 << 14,
  // Each element of a result is one of the operand at its place (the first, if there is one
  // result), here or on another device; or 0 where a collective brings none.
  TRAIT_MOVES = 1 << 15,
  // Speaks of its operand's sharding and changes no element of the global value: constraints,
  // reshards, groups, barriers, edges, and sdy's collectives (TRAIT_COLLECTIVE too).
  TRAIT_SHARDING = 1 << 16,
  TRAIT_EDGE = 1 << 17,    // of those, data-flow edges
  TRAIT_MANUAL = 1 << 18,  // its body is the program of one device along `manual_axes`
};

// How values flow through an op that has regions or ties operands to results one by one.
typedef enum Flow {
  FLOW_NONE = 0,
  FLOW_EACH,    // result i is operand i (optimization_barrier)
  FLOW_LOOP,    // result i, argument i of every region: operand i, or what the last region returns
  FLOW_BRANCH,  // result i is what one of the regions returns
  FLOW_BODY,    // argument i of the region is operand i, result i is what it returns
} Flow;

typedef struct Infer Infer;                  // ops/infer.h
typedef struct EvalContext EvalContext;      // ops/eval.h
typedef struct Literal Literal;              // tensor/literal.h
typedef struct PointwiseCall PointwiseCall;  // ops/pointwise.h
typedef struct Sample Sample;                // ops/sample.h
typedef struct FactorContext FactorContext;  // ops/factors.h
typedef struct Localizer Localizer;          // ops/localize.h

// What an op reads and writes of large tensors.
typedef enum Touch {
  TOUCH_ALL = 0,
  TOUCH_PICKED,   // of operand 0 as many elements as the result has
  TOUCH_UPDATED,  // of operand 0 and of the result what operand 1 has: the rest stays in place
} Touch;

// The meaning of an op. (Decisions D3: factors; D10: eval is the reference.)
typedef struct OpDef {
  // Checks every constraint and writes the result types (cx->out). False after reporting with
  // infer_fail.
  bool (*infer)(Infer *cx);
  // in: one per operand, borrowed; out: one per result, each owned by the caller. See ops/eval.h.
  Status *(*eval)(EvalContext *cx, Literal *const *in, Literal **out);
  // Appends a random legal instance of the op to the sample's block; gives it. NULL: none makes
  // sense.
  OpId (*sample)(Sample *cx);
  // Elementwise ops: fills in how elements of the call's types are computed (ops/pointwise.h);
  // false if they have no meaning. NULL for all others.
  bool (*lanes)(PointwiseCall *call);
  // Which dimensions are split together, and what that takes (ops/factors.h); false: this instance
  // has no rule. NULL: elementwise ops have that of their family, others none.
  bool (*factors)(FactorContext *cx);
  // For one device of many (ops/localize.h). Which factors can be split as proposed, and how; NULL:
  // those that pass through or reduce plainly.
  void (*splits)(Localizer *cx);
  // Writes it for tiles. NULL: it is copied.
  Status *(*localize)(Localizer *cx);
  bool strides;  // with these columns: tiles that are cut in strides are as good as others
  // Operations it takes (ops/work.h). NULL: one for each element of the largest tensor it touches.
  double (*work)(const Program *p, OpId op);
  Touch touch;
  // What this instance has beyond its row's traits. NULL: nothing.
  uint32_t (*traits)(const Program *p, OpId op);
  Flow flow;
  const char *callee;   // the attribute that names the function it runs; NULL: it runs none
  bool fails;           // on some values of its operands: it must never be shown padding
  uint8_t constraints;  // the spec numbers C1 … Cn for this op
  const char *
      unchecked;  // those not checked before run time and why: "C3: depends on values"; NULL = none
} OpDef;

typedef struct OpRow {
  const char *name;                   // "stablehlo.dot_general"
  int8_t operands, results, regions;  // exact number; -1 = any
  uint32_t traits;
  const char *form;       // pretty form (language: parse/form.h); NULL = generic only
  const AttrSpec *attrs;  // ends with AS_END; in the order MLIR declares them
  const OpDef *def;       // NULL: nothing is known but the form (then it verifies structurally and
                          // cannot be evaluated)
} OpRow;

extern const OpRow op_rows[OP_COUNT];
static inline const OpRow *op_row(uint16_t code) {
  return &op_rows[code < OP_COUNT ? code : 0];
}  // never NULL
uint16_t op_lookup(Str name);  // code of "stablehlo.add"; OP_NONE if unknown. O(1)
const AttrSpec *op_attr_spec(uint16_t code, Str name);  // NULL if not inherent
// The row's traits, and those of this instance (of a custom call's target).
uint32_t op_traits(const Program *p, OpId op);
// How values go through its regions, or from its operands to its results; FLOW_NONE: not as they
// are.
Flow op_flow(const Program *p, OpId op);
// A check.* op or custom call: compares values and says so.
bool op_is_check(const Program *p, OpId op);
// The world outside notices it, or it runs what is not its own: not to be dropped, repeated or
// moved.
bool op_has_effects(const Program *p, OpId op);
// A custom call that calls back into the host that runs the program, which has its code.
bool op_calls_host(const Program *p, OpId op);
// "stablehlo.add", also for unregistered ops.
const char *op_name(const Program *p, OpId op);

// Every row's meaning, by name: a definition without a row does not compile under clang.
#define OP(id, ...) extern const OpDef op_##id;
#include "ops/ops.def"
#undef OP

#endif
