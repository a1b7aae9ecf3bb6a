// Prints programs like MLIR's and StableHLO's own printers: SSA numbering, names, spacing.
#ifndef TESSERA_PARSE_PRINT_H
#define TESSERA_PARSE_PRINT_H

#include <stdbool.h>

#include "base/str.h"
#include "ir/program.h"

typedef struct PrintOptions {
  bool generic;    // every op as "dialect.op"(…) <{…}> ({…}) : (…) -> …
  bool locations;  // loc(#loc1) after ops and arguments, definitions before and after the program
} PrintOptions;

// Prints the program. Running out of memory throws to out's guard. O(program + text).
void program_print(const Program *p, const PrintOptions *options, StrBuf *out);

// Prints the attribute in full: `3 : i64`, `dense<0> : tensor<2xi32>`, `#stablehlo.gather<…>`.
void attr_print(const Context *context, Attr attr, StrBuf *out);
// Prints the attribute without the trailing type of numbers.
void attr_print_bare(const Context *context, Attr attr, StrBuf *out);
// Prints the text between the angle brackets of dense<…>.
void attr_print_dense_body(const Context *context, Attr attr, StrBuf *out);
// Prints a dict: `{a = 1 : i64, b}`.
void attr_print_dict(const Context *context, Attr dict, StrBuf *out);
// Prints @name, quoted if necessary.
void print_symbol(Str name, StrBuf *out);
// Prints a key of a dict: name or "name".
void print_key(Str name, StrBuf *out);
// Prints "…" with MLIR's escapes.
void print_string(Str text, StrBuf *out);

// Locations printed as #loc, #loc1, …: number[attr] is the number + 1; 0 = inline.
typedef struct LocAliases {
  const uint32_t *number;
  uint32_t n;
} LocAliases;

// Prints the text inside loc(…); aliases may be NULL. The location itself is printed inline, nested
// ones by their alias.
void print_loc_body(const Context *context, Attr attr, const LocAliases *aliases, StrBuf *out);

#endif
