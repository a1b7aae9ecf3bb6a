// The shardings that propagation found, as a table and as JSON.
#ifndef TESSERA_REPORT_SHOW_PROPAGATED_H
#define TESSERA_REPORT_SHOW_PROPAGATED_H

#include "propagate/propagate.h"

typedef struct Shown {
  const Program *program;  // the propagated program, before shardings are written to it
  const Propagation *propagation;
  Arena *arena;      // for texts
  uint32_t n_given;  // number of annotated places
  const char *path;  // of the program's file
  uint32_t segment;
  StrBuf *out;
  bool edges_only;  // only arguments and results of functions without a caller
} Shown;

// Writes one object in one line: meshes, and per function instance its arguments, results and
// values with global type, local type and sharding. O(program · instances).
void propagated_json(const Shown *s);
// Writes a line per argument, result and value of the entry functions: name, global type, local
// type, sharding. O(program).
void propagated_table(const Shown *s);

#endif
