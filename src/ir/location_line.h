// The user's own line in a location.
#ifndef TESSERA_IR_LOCATION_LINE_H
#define TESSERA_IR_LOCATION_LINE_H

#include "ir/context.h"

// The innermost file in a location that is no installed package's, else the innermost: model.py:31.
// False if there is none.
bool location_line(const Context *context, Attr loc, Str *out_file, uint32_t *out_line);

#endif
