// Leaves a program without shardings: what `--drop-shardings` does.
#ifndef TESSERA_ANNOTATE_DROP_H
#define TESSERA_ANNOTATE_DROP_H

#include "ir/program.h"

// Removes sharding attributes of ops, arguments and results in sdy's words, in GSPMD's
// (mhlo.sharding) and in those of XLA's round trip (xla.sdy.* frontend attributes); constraints,
// reshards, barriers, groups and data-flow edges as ops and as custom calls; and meshes that
// nothing refers to any more. What a manual computation says stays, in either spelling: it has a
// meaning of its own. O(program).
void drop_shardings(Program *program, Guard *guard);

#endif
