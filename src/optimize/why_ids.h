// Ids of reasons (`tessera.why`, explain/reason.h) while passes run. Two collectives that differ
// only in their ids count as equal, and a collective merged from several has the ids of all.
#ifndef TESSERA_OPTIMIZE_WHY_IDS_H
#define TESSERA_OPTIMIZE_WHY_IDS_H

#include "optimize/pass.h"

// Moves the ids into locations, which passes keep. Returns whether there are any. O(ops).
bool why_ids_hide(Optimizer *o);
// Moves the ids back onto collectives. O(ops + ids).
void why_ids_show(Optimizer *o);

#endif
