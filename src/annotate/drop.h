// Removes all shardings from a program (`--drop-shardings`).
#ifndef TESSERA_ANNOTATE_DROP_H
#define TESSERA_ANNOTATE_DROP_H

#include "ir/program.h"

// Removes sharding attributes of ops, arguments and results in all spellings: sdy, GSPMD
// (mhlo.sharding) and XLA's round trip (xla.sdy.* frontend attributes). Removes constraints,
// reshards, barriers, groups and data-flow edges, as ops and as custom calls, and meshes that
// nothing refers to. Shardings of manual computations stay in either spelling, since they determine
// the body's types. O(program).
void drop_shardings(Program *program, Guard *guard);

#endif
