// The JSON form of decisions: written here, read by given.c. docs/partition-decisions.md describes
// it.
#ifndef TESSERA_PARTITION_DECISIONS_JSON_H
#define TESSERA_PARTITION_DECISIONS_JSON_H

#include "base/json.h"
#include "partition/walk.h"

// Members of an open object. The global program must still be there. O(decisions).
void decisions_json(Partition *t, Json *json);

// The name of a factor in `rule`: i, j, … z, z1, z2, …
void factor_letter(uint32_t factor, char out[16]);

#endif
