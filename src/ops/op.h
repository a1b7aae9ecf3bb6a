// The op table: each op's name, attributes, text form and semantics. One row per op in ops.def; the
// semantics of a structural op is `const OpDef op_<name>` in ops/<name>.c.
#ifndef TESSERA_OPS_OP_H
#define TESSERA_OPS_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "ir/program.h"

// OP_add is stablehlo.add; other dialects have a prefix: OP_func_call, OP_chlo_erf, OP_sdy_mesh.
typedef enum OpCode {
  OP_NONE = 0,
  OP_UNREGISTERED,  // kept by name (Op.name) with --allow-unregistered
#define OP(id, ...) OP_##id,
#include "ops/ops.def"
#undef OP
  OP_COUNT
} OpCode;

// The kind of an inherent attribute, for the reader, the printer and the verifier.
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
  const char *cls;  // enums and structs: "stablehlo.comparison_direction"; an I32 that is written
                    // as a word: the words for 0, 1, … separated by '|'
  // An absent attribute has the default value below. With NEED_OPTIONAL it stays absent (MLIR's
  // DefaultValuedOptionalAttr); with NEED_DEFAULT the reader adds it (DefaultValuedAttr). Pretty
  // forms omit an attribute that has its default.
  bool has_default;
  int64_t value;     // default of BOOL, I32, I64
  const char *text;  // default of ENUM, STRING; "[]" of ARRAY, "{}" of DICT
} AttrSpec;

// Entries of the attrs column; each ends with a comma.
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
  TRAIT_PURE = 1 << 0,         // no side effect: may be removed or duplicated
  TRAIT_TERMINATOR = 1 << 1,   // ends a block
  TRAIT_SYMBOL = 1 << 2,       // has a sym_name
  TRAIT_ISOLATED = 1 << 3,     // its regions use no values from outside
  TRAIT_ELEMENTWISE = 1 << 4,  // result element i depends on operand elements i only, or on scalars
  TRAIT_COMMUTATIVE = 1 << 5,
  TRAIT_COLLECTIVE = 1 << 6,     // communicates with other processes
  TRAIT_NO_TERMINATOR = 1 << 7,  // its blocks need no terminator (module)
  TRAIT_CALL = 1 << 8,           // `callee` names a function
  TRAIT_FUNCTION = 1 << 9,
  // Propagation order: ops that keep shapes first, ops that enlarge tensors last.
  TRAIT_PASSES = 1 << 10,          // like elementwise ops: reshape, transpose …
  TRAIT_PASSES_FORWARD = 1 << 11,  // the same, from operands to results only
  TRAIT_EXPANDS = 1 << 12,         // broadcast: backward before forward
  // Constants, and ops that are constant on constant operands without being elementwise: each use
  // may have its own copy.
  TRAIT_CONSTANT = 1 << 13,
  // An operand's values give the result's sizes, so the op fails with a local result type.
  TRAIT_SIZED_BY_VALUES = 1 << 14,
  // Each element of result i is an element of operand i (or of operand 0, if there is one result),
  // on this or another device; or 0 where a collective delivers none.
  TRAIT_MOVES = 1 << 15,
  // Is about its operand's sharding and changes no element of the global value: constraints,
  // reshards, groups, barriers, data-flow edges, and sdy's collectives (TRAIT_COLLECTIVE too).
  TRAIT_SHARDING = 1 << 16,
  TRAIT_EDGE = 1 << 17,    // one of these: a data-flow edge
  TRAIT_MANUAL = 1 << 18,  // its body is a per-device program along `manual_axes`
};

// Data flow of an op with regions, or with operands that are results.
typedef enum Flow {
  FLOW_NONE = 0,
  FLOW_EACH,  // result i is operand i (optimization_barrier)
  FLOW_LOOP,  // result i and argument i of every region: operand i, or result i of the last region
  FLOW_BRANCH,  // result i is result i of one of the regions
  FLOW_BODY,    // argument i of the region is operand i, result i is the region's result i
} Flow;

typedef struct Infer Infer;                  // ops/infer.h
typedef struct EvalContext EvalContext;      // ops/eval.h
typedef struct Literal Literal;              // tensor/literal.h
typedef struct PointwiseCall PointwiseCall;  // ops/pointwise.h
typedef struct Sample Sample;                // ops/sample.h
typedef struct FactorContext FactorContext;  // ops/factors.h
typedef struct Localizer Localizer;          // ops/localize.h

// How many elements an op reads and writes in memory.
typedef enum Touch {
  TOUCH_ALL = 0,
  TOUCH_PICKED,   // reads as many elements of operand 0 as the result has (slice, gather)
  TOUCH_UPDATED,  // writes as many elements of operand 0, in place, as operand 1 has (scatter)
} Touch;

// The semantics of an op: its columns. (Decisions D3: factors; D10: eval is the reference.)
typedef struct OpDef {
  // Checks every constraint and writes the result types (cx->out). False after reporting with
  // infer_fail.
  bool (*infer)(Infer *cx);
  // in: one per operand, borrowed; out: one per result, each owned by the caller. See ops/eval.h.
  Status *(*eval)(EvalContext *cx, Literal *const *in, Literal **out);
  // Appends a random legal instance of the op to the sample's block and returns it. NULL: the op
  // has no samples.
  OpId (*sample)(Sample *cx);
  // Elementwise ops: sets the function for the call's element types (ops/pointwise.h); false if the
  // op does not support them. NULL for all other ops.
  bool (*lanes)(PointwiseCall *call);
  // Builds the factor map (ops/factors.h); false: this instance has none. NULL: elementwise ops
  // have factors_pointwise, others none.
  bool (*factors)(FactorContext *cx);
  // Checks and refines a proposed split of factors (ops/localize.h). NULL: only factors that pass
  // through or reduce by a plain reducer are split.
  void (*splits)(Localizer *cx);
  // Writes the op on shards. NULL: localize_default copies it.
  Status *(*localize)(Localizer *cx);
  bool strides;  // these columns accept strided shardings too
  // FLOPs (ops/work.h). NULL: one per element of the largest tensor it touches.
  double (*work)(const Program *p, OpId op);
  Touch touch;
  // Traits of this instance beyond its row's. NULL: none.
  uint32_t (*traits)(const Program *p, OpId op);
  Flow flow;
  const char *callee;     // the attribute that names the function it runs; NULL: it runs none
  bool fails;             // fails on some operand values, so it must never read padding
  uint8_t constraints;    // the spec numbers C1 … Cn for this op
  const char *unchecked;  // constraints checked at run time only: "C3: depends on values"; or NULL
} OpDef;

typedef struct OpRow {
  const char *name;                   // "stablehlo.dot_general"
  int8_t operands, results, regions;  // exact number; -1 = any
  uint32_t traits;
  const char *form;       // pretty form (language: parse/form.h); NULL = generic only
  const AttrSpec *attrs;  // ends with AS_END; in the order MLIR declares them
  const OpDef *def;  // NULL: only the form is known; the op verifies structurally and cannot be
                     // evaluated
} OpRow;

extern const OpRow op_rows[OP_COUNT];
static inline const OpRow *op_row(uint16_t code) {
  return &op_rows[code < OP_COUNT ? code : 0];
}  // never NULL
uint16_t op_lookup(Str name);  // code of "stablehlo.add"; OP_NONE if unknown. O(1)
const AttrSpec *op_attr_spec(uint16_t code, Str name);  // NULL if not inherent
// The row's traits and those of this instance (of a custom call's target).
uint32_t op_traits(const Program *p, OpId op);
Flow op_flow(const Program *p, OpId op);
// A check.* op or custom call: compares values and reports the result.
bool op_is_check(const Program *p, OpId op);
// Has the op side effects, or may code that it runs have some? Then it must not be removed,
// duplicated or moved.
bool op_has_effects(const Program *p, OpId op);
// A custom call whose code is in the host process that runs the program (Python callbacks).
bool op_calls_host(const Program *p, OpId op);
// "stablehlo.add", also for unregistered ops.
const char *op_name(const Program *p, OpId op);

// Declares each row's OpDef: a definition without a row does not compile under clang.
#define OP(id, ...) extern const OpDef op_##id;
#include "ops/ops.def"
#undef OP

#endif
