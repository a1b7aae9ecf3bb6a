// What a propagation found, as a table for people and as JSON for programs.
#ifndef TESSERA_REPORT_SHOW_PROPAGATED_H
#define TESSERA_REPORT_SHOW_PROPAGATED_H

#include "propagate/propagate.h"

typedef struct Shown {
  const Program *program;  // that was propagated, not yet written to
  const Propagation *propagation;
  Arena *arena;      // for texts
  uint32_t n_given;  // places that anything was said about
  const char *path;  // of the file
  uint32_t segment;
  StrBuf *out;
  bool edges_only;  // arguments and results of functions that nothing calls
} Shown;

// One object in one line: meshes, and per instance of a function its arguments, results and values
// with types, shardings and the parts of one device.
void propagated_json(const Shown *s);
// One line per argument, result and value of the entry functions: name, type, the part of one
// device, sharding.
void propagated_table(const Shown *s);

#endif
