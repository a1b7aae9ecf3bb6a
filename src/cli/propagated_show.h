// What a propagation found, as a table for people and as JSON for programs.
#ifndef TESSERA_CLI_PROPAGATED_SHOW_H
#define TESSERA_CLI_PROPAGATED_SHOW_H

#include "pipeline/propagate.h"

typedef struct Shown {
  const Program *program;  // that was propagated, not yet written to
  Propagated *result;
  const char *path;  // of the file
  uint32_t segment;
  StrBuf *out;
} Shown;

// One object in one line: meshes, and per instance of a function its arguments, results and values
// with types and shardings.
void propagated_json(const Shown *s);
// One line per argument, result and value of the entry functions: name, type, the part of one
// device, sharding.
void propagated_table(const Shown *s);

#endif
