// Enum and struct attributes of stablehlo, chlo and sdy: one table says how each is read and
// printed. The fields of the structs are documented in parse/README.md.
#ifndef TESSERA_PARSE_DIALECT_ATTRS_H
#define TESSERA_PARSE_DIALECT_ATTRS_H

#include "parse/reader.h"

// The full spelling: #stablehlo.gather<…>, #stablehlo<precision HIGH>, #sdy<manual_axes{"x"}>.
void dialect_attr_print(const Context *context, Attr attr, StrBuf *out);

// Without the prefix, as pretty forms write an attribute whose class they know: <@mesh, [{"x"}]>,
// {"x"}, [b, 0, f]x[0, i, o]->[b, 0, f].
void dialect_body_print(const Context *context, Attr attr, StrBuf *out);
// True if the body can say it without the prefix.
bool dialect_body_fits(const Context *context, Attr attr);
// Reads it back; `cls` is the class the form knows. A full spelling or an alias is taken as well.
bool dialect_body_read(Reader *r, const char *cls, Attr *out);

// True if cls is an enum that has the value.
bool dialect_enum_has(const char *cls, Str value);
// The values, separated by blanks; NULL if cls is no enum.
const char *dialect_enum_values(const char *cls);

#endif
