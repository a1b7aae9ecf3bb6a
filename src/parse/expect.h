// Diagnostics announced by comments in the text, MLIR's convention for negative tests:
//   // expected-error@+1 {{C3: operand dimension}}
// Severities error, warning, note, remark; -re: `{{…}}` inside the text is a regular expression.
// Places: @+N,
// @-N, @above, @below (the nearest line that announces nothing), @unknown, none = this line.
#ifndef TESSERA_PARSE_EXPECT_H
#define TESSERA_PARSE_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

// Matches the announcements in source[begin, end) with the diagnostics one to one: same severity,
// same line, the announced text is part of the message. True if none is left over on either side;
// otherwise what is left is written to out, one per line, as "path:line: …". O(text + announcements
// × diagnostics).
bool expect_diagnostics(const Source *source, size_t begin, size_t end, const Diag *diag,
                        StrBuf *out);

#endif
