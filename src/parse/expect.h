// Diagnostics announced by comments in the text, MLIR's convention for negative tests:
//   // expected-error@+1 {{C3: operand dimension}}
// Severities are error, warning, note, remark. With -re, `{{…}}` inside the text is a regular
// expression. Lines: @+N, @-N, @above, @below (the nearest line without an announcement), @unknown;
// none: this line.
#ifndef TESSERA_PARSE_EXPECT_H
#define TESSERA_PARSE_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

// Matches the announcements in source[begin, end) with the diagnostics one to one: same severity,
// same line, and the message contains the announced text. Returns true if nothing is left over on
// either side; otherwise writes what is left to out, one per line, as "path:line: …".
// O(text + announcements · diagnostics).
bool expect_diagnostics(const Source *source, size_t begin, size_t end, const Diag *diag,
                        StrBuf *out);

#endif
