// The dimensions of a program by name, as a table for people, which `--names` reads back, and as
// JSON for programs.
#ifndef TESSERA_REPORT_SHOW_NAMES_H
#define TESSERA_REPORT_SHOW_NAMES_H

#include "annotate/names.h"

typedef struct NamesShown {
  const Program *program;
  const Names *names;
  const char *path;  // of the file
  Arena *arena;
  bool all;  // every value and every name
} NamesShown;

void names_table(const NamesShown *s, StrBuf *out);
// One object in one line: names, and functions with the names of their arguments and results.
void names_json(const NamesShown *s, StrBuf *out);

#endif
