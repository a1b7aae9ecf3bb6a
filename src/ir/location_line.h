// The user's source line in a location.
#ifndef TESSERA_IR_LOCATION_LINE_H
#define TESSERA_IR_LOCATION_LINE_H

#include "ir/context.h"

// The innermost file of a location that is not in an installed package, else the innermost file:
// model.py:31. False if there is none. O(1): the search is bounded.
bool location_line(const Context *context, Attr loc, Str *out_file, uint32_t *out_line);

#endif
