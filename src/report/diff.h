// Two results of `simulate --json` or `partition --json`, side by side.
#ifndef TESSERA_REPORT_DIFF_H
#define TESSERA_REPORT_DIFF_H

#include "base/json.h"
#include "base/json_read.h"

typedef enum DiffUnit { DIFF_SECONDS, DIFF_BYTES, DIFF_COUNT, DIFF_FRACTION } DiffUnit;

typedef struct DiffRow {
  const char *name;  // a key of the JSON: "seconds"; of collectives the kind
  const char *axes;  // of collectives; NULL in other rows
  DiffUnit unit;
  double a, b;  // NAN: not in that result
} DiffRow;

typedef struct Diff {
  const DiffRow *rows;         // seconds, memory, bytes, FLOPs: those that either result has
  const DiffRow *collectives;  // bytes sent by kind and axes
  uint32_t n_rows, n_collectives;
} Diff;

// Compares two objects. Rows are in the arena. INVALID_ARGUMENT if one is no such result.
// O(collectives²).
Status *diff_results(const JsonValue *a, const JsonValue *b, Arena *arena, Diff *out) MUST_USE;

void diff_put(const Diff *diff, const char *a, const char *b, StrBuf *out);
void diff_json(const Diff *diff, const char *a, const char *b, Json *json);

#endif
