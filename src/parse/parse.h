// Text to programs: MLIR's syntax for StableHLO, CHLO, sdy, func, check and interpreter.
#ifndef TESSERA_PARSE_PARSE_H
#define TESSERA_PARSE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "ir/program.h"

typedef struct ParseOptions {
  bool allow_unregistered;  // keep ops that are not in the op table (OP_UNREGISTERED with Op.name)
  uint32_t max_depth;       // limit of nested regions, types, attributes; 0 = 256
} ParseOptions;

// The properties `<{…}>` of an unregistered op are one dict under this name in its attributes, so
// that they are printed as properties again. Those of registered ops are merged with the other
// attributes.
#define PROPERTIES_KEY "<{}>"

// Parses source->text[begin, end), one segment. Errors go to diag; parsing continues at the next op
// or function if possible, so there may be several. The status is then diag_status. The caller owns
// *out_program, which points into source and context. Running out of memory throws to the guard;
// nothing leaks. O(end - begin).
Status *program_parse(Context *context, Guard *guard, const Source *source, size_t begin,
                      size_t end, const ParseOptions *options, Diag *diag,
                      Program **out_program) MUST_USE;

// Segments are separated by lines that begin with `// -----`. Start with *begin = *end = 0; returns
// false after the last one. A source without such lines is one segment; an empty source has none.
bool source_next_segment(const Source *source, size_t *begin, size_t *end);

// Parses a text that is one attribute.
Status *attr_parse_text(Context *context, Guard *guard, const char *text, Diag *diag,
                        Attr *out) MUST_USE;

#endif
