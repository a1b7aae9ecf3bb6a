// The dimensions of a program by name: as a table, which `--names` reads back, and as JSON.
#ifndef TESSERA_REPORT_SHOW_NAMES_H
#define TESSERA_REPORT_SHOW_NAMES_H

#include "annotate/names.h"

typedef struct NamesShown {
  const Program *program;
  const Names *names;
  const char *path;  // of the program's file
  Arena *arena;
  bool all;  // all values and all names; otherwise entry functions and named classes
} NamesShown;

// Writes the table. O(program).
void names_table(const NamesShown *s, StrBuf *out);
// Writes one object in one line: names, and functions with the dimension names of their arguments
// and results. O(program).
void names_json(const NamesShown *s, StrBuf *out);

#endif
