// Interned strings, types and attributes: equality is an id. One context serves any number of
// programs on one thread at a time; ids are dense, start at 1, and 0 means "none".
#ifndef TESSERA_IR_CONTEXT_H
#define TESSERA_IR_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "ir/dtype.h"

typedef uint32_t Name;  // an interned string
typedef uint32_t Type;  // an interned type; scalar types have the fixed ids 1 … DT_COUNT-1, so that
                        // `Type t = DT_f32` works
typedef uint32_t Attr;  // an interned attribute

typedef struct Context Context;

// The context's memory throws to the guard given here or set last.
Context *context_new(Guard *guard);
// A copy with the same ids, which shares nothing with the original. O(context).
Context *context_copy(const Context *context, Guard *guard);
// The same, but for records that are interned so far it refers to those of the original, which must
// outlive it. For many short-lived clones of a program. O(context), but only to copy tables.
Context *context_view(const Context *context, Guard *guard);
void context_free(Context *context);                   // NULL is fine
void context_release(void *context);                   // for a GuardCleanup
Guard *context_guard(Context *context, Guard *guard);  // sets the guard; returns the previous one
Arena *context_arena(Context *context);                // lives as long as the context

Name name_intern(Context *context, Str text);
Name name_of(Context *context, const char *text);
Str name_str(const Context *context, Name name);           // "" for 0
const char *name_text(const Context *context, Name name);  // NUL-terminated; "" for 0

// ---- types ----

typedef enum TypeKind {
  TYPE_NONE,
  TYPE_SCALAR,    // dtype
  TYPE_QUANT,     // quant; an element type
  TYPE_TENSOR,    // dims, elem, encoding
  TYPE_UNRANKED,  // tensor<*xf32>: elem
  TYPE_MEMREF,    // dims, elem
  TYPE_TUPLE,     // items
  TYPE_FUNCTION,  // items: n_inputs inputs, then results
  TYPE_TOKEN,
  TYPE_FUTURE,  // items
  TYPE_OPAQUE,  // text, with its '!'
} TypeKind;

#define DIM_DYNAMIC INT64_MIN  // `?`

typedef struct QuantInfo {
  DType storage;     // DT_i8, DT_ui8, …: the sign is in the type
  DType expressed;   // DT_f32, …
  int64_t min, max;  // storage range; defaults are those of the storage type
  int32_t axis;      // -1: per tensor
  uint32_t count;    // number of scales and zero points; 1 per tensor
  const double
      *scales;  // already rounded to the expressed type's precision as MLIR keeps them (double)
  const int64_t *zero_points;
} QuantInfo;

typedef struct TypeInfo {
  TypeKind kind;
  DType dtype;  // SCALAR
  Type elem;    // TENSOR, UNRANKED, MEMREF
  Attr encoding;
  uint32_t rank;        // TENSOR, MEMREF
  uint32_t n_inputs;    // FUNCTION
  uint32_t n_items;     // TUPLE, FUTURE, FUNCTION (all)
  const int64_t *dims;  // DIM_DYNAMIC if unknown
  const Type *items;
  const QuantInfo *quant;
  Name text;
} TypeInfo;

const TypeInfo *type_info(const Context *context, Type type);  // never NULL; kind TYPE_NONE for 0
Type type_scalar(DType dtype);
Type type_quant(Context *context, const QuantInfo *quant);
Type type_tensor(Context *context, Type elem, uint32_t rank, const int64_t *dims, Attr encoding);
Type type_unranked(Context *context, Type elem);
Type type_memref(Context *context, Type elem, uint32_t rank, const int64_t *dims);
Type type_tuple(Context *context, uint32_t n, const Type *items);
Type type_future(Context *context, uint32_t n, const Type *items);
Type type_function(Context *context, uint32_t n_inputs, const Type *inputs, uint32_t n_results,
                   const Type *results);
Type type_token(Context *context);
Type type_opaque(Context *context, Str text);

// Accessors; each is safe on any type.
bool type_is_tensor(const Context *context, Type type);  // ranked
Type type_elem(const Context *context, Type type);       // of a tensor; 0 otherwise
DType type_dtype(
    const Context *context,
    Type type);  // of a scalar, or of a tensor's element (storage type if quantized); 0 otherwise
bool type_is_quant(const Context *context, Type type);  // quantized element, or a tensor of such
const QuantInfo *type_quant_info(const Context *context,
                                 Type type);             // of the element; NULL if not quantized
bool type_is_static(const Context *context, Type type);  // no `?` anywhere
// Number of elements of a static tensor; false if dynamic, not a tensor, or over INT64_MAX.
bool type_count(const Context *context, Type type, int64_t *out_count);
// The same shape and encoding with another element type.
Type type_with_elem(Context *context, Type tensor, Type elem);
// The same element type and encoding with another size of dimension d.
Type type_with_dim(Context *context, Type tensor, uint32_t d, int64_t size);
// The same element type with another shape, without encoding.
Type type_with_shape(Context *context, Type tensor, uint32_t rank, const int64_t *dims);
// The bound of dimension d from #stablehlo.bounds, or DIM_DYNAMIC.
int64_t type_bound(const Context *context, Type tensor, uint32_t d);

// Prints MLIR's text, e.g. tensor<4x?xf32>. Only #stablehlo.bounds and opaque encodings are
// printed.
void type_print(const Context *context, Type type, StrBuf *out);
// The same text, kept in the context once per type: for messages.
const char *type_text(Context *context, Type type);

// Hash of the content: equal types have equal hashes in every context.
uint64_t type_hash(const Context *context, Type type);

// ---- attributes ----

typedef enum AttrKind {
  ATTR_NONE,
  ATTR_UNIT,
  ATTR_BOOL,         // i: 0/1
  ATTR_INT,          // i, type (i64, i32, index, ui8 …)
  ATTR_FLOAT,        // f, type
  ATTR_STRING,       // name; type if it was typed, else 0
  ATTR_SYMBOL,       // name: @f; items: nested references @f::@g
  ATTR_TYPE,         // type
  ATTR_ARRAY,        // items
  ATTR_DICT,         // fields, sorted by name text
  ATTR_DENSE,        // type (tensor), data: canonical unpacked elements; splat: one element only
  ATTR_DENSE_ARRAY,  // array<i64: …>: type (scalar), data as int64_t for i64, else unpacked
                     // elements; count
  ATTR_RESOURCE,     // dense_resource<key> : type; name = key
  ATTR_ENUM,         // #dialect<class value>: cls = "stablehlo.comparison_direction", name = "LT"
  ATTR_STRUCT,       // #dialect.class<…>: cls = "stablehlo.gather", fields (absent = default)
  ATTR_OPAQUE,  // name: any other text, as written ("#foo.bar<…>", affine_map<…>, distinct[..]<>)
  ATTR_LOC_UNKNOWN,
  ATTR_LOC_FILE,      // name = file; data = LocRange
  ATTR_LOC_NAME,      // name; items[0] = child or none
  ATTR_LOC_CALLSITE,  // items[0] = callee, items[1] = caller
  ATTR_LOC_FUSED,     // items; i = 1: the last item is the metadata, not a location
} AttrKind;

typedef struct NamedAttr {
  Name name;
  Attr value;
} NamedAttr;

typedef struct LocRange {
  uint32_t line, column, end_line, end_column;  // end_line == 0: a point
} LocRange;

typedef struct AttrInfo {
  AttrKind kind;
  bool splat;
  Type type;
  Name cls, name;
  uint32_t count;  // of items, fields or dense-array elements
  int64_t i;
  double f;
  const Attr *items;
  const NamedAttr *fields;
  const void *data;
  size_t bytes;  // of data
} AttrInfo;

const AttrInfo *attr_info(const Context *context, Attr attr);  // never NULL; kind ATTR_NONE for 0
// Interns any record; the arrays are copied. Sorts dict and struct fields by name. The caller
// reports duplicate names (attr_fields_repeat).
Attr attr_intern(Context *context, const AttrInfo *info);

Attr attr_unit(Context *context);
Attr attr_bool(Context *context, bool value);
Attr attr_int(Context *context, Type type, int64_t value);
Attr attr_i64(Context *context, int64_t value);
Attr attr_float(Context *context, Type type, double value);
Attr attr_string(Context *context, Name text);
Attr attr_symbol(Context *context, Name name);
Attr attr_type(Context *context, Type type);
Attr attr_array(Context *context, uint32_t n, const Attr *items);  // an item 0 becomes {}
Attr attr_dict(Context *context, uint32_t n,
               const NamedAttr *fields);                              // sorts; the empty dict is 0
Attr attr_i64s(Context *context, uint32_t n, const int64_t *values);  // array<i64: …>
Attr attr_bools(Context *context, uint32_t n, const bool *values);    // array<i1: …>
// Copies the data. A splat if bytes is one element's and the tensor has more, or if all elements
// are equal (as in MLIR).
Attr attr_dense(Context *context, Type tensor, const void *data, size_t bytes);
// Takes the data without a copy: it must live in context_arena. For large constants.
Attr attr_dense_adopt(Context *context, Type tensor, const void *data, size_t bytes);
Attr attr_enum(Context *context, const char *cls, const char *value);
Attr attr_struct(Context *context, const char *cls, uint32_t n, const NamedAttr *fields);
Attr attr_loc_file(Context *context, Name file, LocRange range);

uint64_t attr_hash(const Context *context, Attr attr);  // of the content, like type_hash
// A duplicate name in fields, or 0. O(n log n).
Name attr_fields_repeat(Context *context, uint32_t n, const NamedAttr *fields);

// A field of a dict or struct; 0 if absent. O(log fields).
Attr attr_get(const Context *context, Attr dict, const char *name);
// A copy of a dict with one field set (value 0 removes it).
Attr attr_dict_with(Context *context, Attr dict, const char *name, Attr value);

// Accessors with defaults, also for 0 and wrong kinds.
int64_t attr_as_int(const Context *context, Attr attr, int64_t otherwise);
bool attr_as_bool(const Context *context, Attr attr, bool otherwise);  // BOOL, INT, UNIT (true)
double attr_as_float(const Context *context, Attr attr, double otherwise);
Name attr_as_name(const Context *context, Attr attr);  // STRING, SYMBOL, ENUM: its name; else 0

// Integers of array<i64>, or of dense<…> : tensor<Nxi64> (expanded in the context's arena).
typedef struct Ints {
  const int64_t *v;
  uint32_t n;
  bool ok;  // false: absent or not integers
} Ints;
Ints attr_as_ints(Context *context, Attr attr);
static inline bool ints_contain(Ints ints, int64_t value) {
  for (uint32_t i = 0; i < ints.n; i++)
    if (ints.v[i] == value) return true;
  return false;
}

#endif
