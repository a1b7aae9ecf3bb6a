// Internals of the printer: the interface between print.c and the forms. For files of parse/ only.
#ifndef TESSERA_PARSE_PRINTER_H
#define TESSERA_PARSE_PRINTER_H

#include "ops/op.h"
#include "parse/print.h"

typedef struct ValueLabel ValueLabel;
typedef struct TypeSlot TypeSlot;
typedef struct LocAlias LocAlias;

typedef struct Printer {
  const Program *program;
  const Context *context;
  const PrintOptions *options;
  StrBuf *out;
  Arena arena;
  uint32_t indent;        // columns
  ValueLabel *labels;     // by ValueId
  VEC(Str) names;         // special names of values; labels have an index
  VEC(TypeSlot) types;    // text of each type, made at first use
  uint32_t *loc_numbers;  // by Attr, see LocAliases; NULL without locations
  uint32_t n_loc_numbers;
  bool only_visits;  // collects locations; the text is discarded
  VEC(LocAlias) locs;
} Printer;

void printer_puts(Printer *pr, const char *text);
void printer_value(Printer *pr, ValueId value);                         // %0, %0#1, %arg0
void printer_values(Printer *pr, OpId op, uint32_t first, uint32_t n);  // operands, comma separated
void printer_type(Printer *pr, Type type);
void printer_operand_types(Printer *pr, OpId op);    // T, U
void printer_result_types(Printer *pr, OpId op);     // T, U
void printer_functional_type(Printer *pr, OpId op);  // (T, U) -> V
void printer_newline(Printer *pr);                   // with the indentation
// Prints ` {a = 1 : i64}`, the attributes that `elide` does not name and that differ from their
// defaults; nothing if none is left. keyword: ` attributes {…}`.
void printer_attr_dict(Printer *pr, OpId op, bool (*elide)(uint16_t code, Str name), bool keyword);
// Prints `{`, the ops, `}`; the entry block's label and arguments only with entry_args.
void printer_region(Printer *pr, RegionId region, bool entry_args);
void printer_arg(Printer *pr, ValueId arg);  // %arg0: T loc(…)
// Prints what follows the op's name in generic syntax.
void printer_generic_tail(Printer *pr, OpId op);
// Whether the attribute may be omitted because it equals its default.
bool printer_is_default(const Context *context, const AttrSpec *spec, Attr value);

// ---- provided by form.c ----

// Prints what follows the op's name. The op's form is not NULL.
void form_print(Printer *pr, OpId op);
// Whether the op can be printed in its form: it has one, and the numbers and kinds of operands,
// results, regions and attributes match it. A program that does not verify is printed in generic
// form.
bool form_fits(const Program *p, OpId op);
// The special name of a result; empty: numbered.
Str form_result_name(const Program *p, OpId op, uint32_t index);
// The special name of an entry argument of the op's regions; empty: arg0, arg1, …
Str form_arg_name(const Program *p, OpId op, uint32_t index);

#endif
