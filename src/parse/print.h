// Programs to text, as MLIR and StableHLO's own printers write it: SSA numbering, names, spacing.
#ifndef TESSERA_PARSE_PRINT_H
#define TESSERA_PARSE_PRINT_H

#include <stdbool.h>

#include "base/str.h"
#include "ir/program.h"

typedef struct PrintOptions {
  bool generic;    // every op as "dialect.op"(…) <{…}> ({…}) : (…) -> …
  bool locations;  // loc(#loc1) behind ops and arguments, definitions at the head and the tail
} PrintOptions;

// Writes the program. Exhaustion throws to out's guard. O(program + text).
void program_print(const Program *p, const PrintOptions *options, StrBuf *out);

// The attribute in MLIR's full spelling: `3 : i64`, `dense<0> : tensor<2xi32>`,
// `#stablehlo.gather<…>`.
void attr_print(const Context *context, Attr attr, StrBuf *out);
// The same without the trailing type of numbers.
void attr_print_bare(const Context *context, Attr attr, StrBuf *out);
// What stands between the angle brackets of dense<…>.
void attr_print_dense_body(const Context *context, Attr attr, StrBuf *out);
// `{a = 1 : i64, b}` of a dict.
void attr_print_dict(const Context *context, Attr dict, StrBuf *out);
// @name, quoted where it must be.
void print_symbol(Str name, StrBuf *out);
// name or "name": keys of dicts.
void print_key(Str name, StrBuf *out);
// "…" with MLIR's escapes.
void print_string(Str text, StrBuf *out);

// Locations that are written as #loc, #loc1, …: number[attr] is the number + 1, 0 = written out.
typedef struct LocAliases {
  const uint32_t *number;
  uint32_t n;
} LocAliases;

// What stands in loc(…); aliases may be NULL. The location itself is written out, those inside by
// their alias.
void print_loc_body(const Context *context, Attr attr, const LocAliases *aliases, StrBuf *out);

#endif
