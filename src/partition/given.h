// Decisions from outside: a file, a planner, an edit by hand.
#ifndef TESSERA_PARTITION_GIVEN_H
#define TESSERA_PARTITION_GIVEN_H

#include "graph/graph.h"
#include "ops/localize.h"

typedef struct GivenDecision {
  OpId op;
  InstanceId instance;
} GivenDecision;

typedef struct GivenDecisions GivenDecisions;

#endif
