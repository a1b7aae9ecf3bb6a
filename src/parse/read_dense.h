// Readers of dense constants, for read_attrs.c.
#ifndef TESSERA_PARSE_READ_DENSE_H
#define TESSERA_PARSE_READ_DENSE_H

#include "parse/reader.h"

// Each begins at its keyword. expected: the type if it is known from elsewhere, else 0.
bool reader_dense(Reader *r, Type expected, Attr *out);
bool reader_dense_resource(Reader *r, Type expected, Attr *out);
bool reader_dense_array(Reader *r, Attr *out);

#endif
