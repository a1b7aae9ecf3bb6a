// Deep copies of programs that keep every id.
//
// A copy behaves the same in every stage: it has the ids, use lists, dead entries, names, locations
// and positions of the original, so stages that break ties by id decide the same. program_copy
// (program.h) renumbers instead.
#ifndef TESSERA_IR_CLONE_H
#define TESSERA_IR_CLONE_H

#include "ir/program.h"

// `context` is the program's own, or a context_copy of it; then the copy shares only the source
// with the program. The caller frees the copy. Running out of memory throws to the guard, which the
// copy keeps. O(tables), and O(bytes of resources) in another context.
Program *program_clone(const Program *program, Context *context, Guard *guard);

#endif
