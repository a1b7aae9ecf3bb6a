// The JSON form of decisions: written here, read by given.c. docs/partition-decisions.md describes
// it.
#ifndef TESSERA_PARTITION_DECISIONS_JSON_H
#define TESSERA_PARTITION_DECISIONS_JSON_H

#include "base/json.h"
#include "partition/walk.h"

// Members of an open object. The global program must still be there. O(decisions).
void decisions_json(Partition *t, Json *json);

#endif
