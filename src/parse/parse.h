// Text to programs: MLIR's syntax for StableHLO, CHLO, sdy, func, check and interpreter.
#ifndef TESSERA_PARSE_PARSE_H
#define TESSERA_PARSE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "ir/program.h"

typedef struct ParseOptions {
  bool allow_unregistered;  // keep ops that are not in the table (OP_UNREGISTERED with Op.name)
  uint32_t max_depth;       // of nested regions, types, attributes; 0 = 256
} ParseOptions;

// The properties `<{…}>` of an unregistered op are one dict under this name in its attributes, so
// that they are printed back where they stood. Those of registered ops are merged with the other
// attributes.
#define PROPERTIES_KEY "<{}>"

// Reads source->text[begin, end) (one segment). Errors go to diag: reading goes on at the next op
// or function where that is sane, so several may gather; the status is then diag_status. On success
// *out_program is owned by the caller and points into source and context. Exhaustion is thrown to
// the guard, nothing leaks. O(end - begin).
Status *program_parse(Context *context, Guard *guard, const Source *source, size_t begin,
                      size_t end, const ParseOptions *options, Diag *diag,
                      Program **out_program) MUST_USE;

// Segments are split at lines that begin with `// -----`. Start with *begin = *end = 0; gives false
// after the last one. A source without such lines is one segment; an empty one has none.
bool source_next_segment(const Source *source, size_t *begin, size_t *end);

// One attribute that is the entire text.
Status *attr_parse_text(Context *context, Guard *guard, const char *text, Diag *diag,
                        Attr *out) MUST_USE;

#endif
