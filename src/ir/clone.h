// Deep copies of programs that keep every id.
//
// A copy is the same program to every stage: ids, use lists and dead entries are those of the
// original, and so are names, locations and positions. Stages that break ties by id therefore do
// the same to both. program_copy (program.h) renumbers instead.
#ifndef TESSERA_IR_CLONE_H
#define TESSERA_IR_CLONE_H

#include "ir/program.h"

// `context` is the program's own, or what context_copy made of it: then the copy shares nothing
// with the program but its source. The caller frees the copy. Exhaustion goes to the guard, which
// the copy keeps. O(tables), and O(bytes of resources) in another context.
Program *program_clone(const Program *program, Context *context, Guard *guard);

#endif
