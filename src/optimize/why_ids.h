// Ids of reasons on collectives (tessera.why, explain/reason.h) while passes run: two collectives
// that differ in their ids alone are alike, and one that is made of several has the ids of all.
#ifndef TESSERA_OPTIMIZE_WHY_IDS_H
#define TESSERA_OPTIMIZE_WHY_IDS_H

#include "optimize/pass.h"

// Moves the ids into locations, which passes keep. Gives whether there are any. O(ops).
bool why_ids_hide(Optimizer *o);
// Moves them back, onto collectives. O(ops + ids).
void why_ids_show(Optimizer *o);

#endif
