// Diagnostics about the user's program: positions in a source text, collected, shown with the line
// and a caret. The library never prints; the owner of the Diag renders it.
#ifndef TESSERA_BASE_DIAG_H
#define TESSERA_BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

// A text that positions refer to. Borrowed: path and text outlive everything that points into them.
typedef struct Source {
  const char *path;  // as the user gave it; "<stdin>"
  const char *text;
  size_t size;      // < 4 GiB
  uint32_t *lines;  // from source_index; NULL: lines are counted from the beginning
} Source;

#define POS_NONE UINT32_MAX
typedef uint32_t Pos;  // byte offset in the source, or POS_NONE

typedef enum Severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE, SEVERITY_REMARK } Severity;

typedef struct Diagnostic {
  Severity severity;  // a note belongs to the error or warning before it
  Pos pos;
  const char *message;  // in the diag's arena
} Diagnostic;

typedef struct Diag {
  Arena arena;
  const Source *source;
  VEC(Diagnostic) list;
  uint32_t errors;
  uint32_t most_errors;  // limit for diag_full; default 20
} Diag;

void diag_init(Diag *diag, Guard *guard, const Source *source);
void diag_deinit(Diag *diag);
void diag_release(void *diag);  // for a GuardCleanup

// Each records one diagnostic. diag_error returns false, for `return diag_error(…)`.
bool diag_error(Diag *diag, Pos pos, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_warning(Diag *diag, Pos pos, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_note(Diag *diag, Pos pos, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool diag_error_va(Diag *diag, Pos pos, const char *fmt, va_list args);

bool diag_full(const Diag *diag);  // the limit is reached: stop looking for errors

// Indexes the lines, so that positions are located in constant time: `check` reports one for each
// of 50,000 segments. Without memory the source stays unindexed. O(size); the owner calls
// source_unindex.
void source_index(Source *source);
void source_unindex(Source *source);

// 1-based line and column of pos; O(pos), O(1) with an index.
void source_locate(const Source *source, Pos pos, uint32_t *out_line, uint32_t *out_column);

// Prints every diagnostic as "path:line:col: error: message", the source line and a caret. Long
// lines are shortened around the caret.
void diag_render(const Diag *diag, StrBuf *out, bool colour);

// NULL without errors, else INVALID_ARGUMENT with the first error as its message.
Status *diag_status(const Diag *diag) MUST_USE;

#endif
