// Enum and struct attributes of stablehlo, chlo and sdy: one table tells how each is read and
// printed. parse/README.md documents the fields of the structs.
#ifndef TESSERA_PARSE_DIALECT_ATTRS_H
#define TESSERA_PARSE_DIALECT_ATTRS_H

#include "parse/reader.h"

// Prints the full form: #stablehlo.gather<…>, #stablehlo<precision HIGH>, #sdy<manual_axes{"x"}>.
void dialect_attr_print(const Context *context, Attr attr, StrBuf *out);

// Prints without the prefix, as pretty forms write an attribute whose class they know:
// <@mesh, [{"x"}]>, {"x"}, [b, 0, f]x[0, i, o]->[b, 0, f].
void dialect_body_print(const Context *context, Attr attr, StrBuf *out);
// Whether the attribute can be printed without the prefix.
bool dialect_body_fits(const Context *context, Attr attr);
// Reads an attribute of class `cls` without its prefix; also accepts the full form or an alias.
bool dialect_body_read(Reader *r, const char *cls, Attr *out);

// Whether cls is an enum that has the value.
bool dialect_enum_has(const char *cls, Str value);
// The values of an enum, separated by blanks; NULL if cls is no enum.
const char *dialect_enum_values(const char *cls);

#endif
