// Which collectives can run beside work: by what they wait for, and what waits for them.
#ifndef TESSERA_COST_SLACK_H
#define TESSERA_COST_SLACK_H

#include "ir/program.h"

typedef enum Slack {
  SLACK_NONE,   // made by work that other work waits for: an activation
  SLACK_EARLY,  // an argument, reshaped or converted: it waits for no work (a weight's gather)
  SLACK_LATE,   // no contraction waits for it (a gradient's reduction)
  SLACK_COUNT,
} Slack;

#define BACKLOG_PARTS 16

// Seconds of collectives by class.
typedef struct Exposure {
  double transfer[SLACK_COUNT];  // bytes / bandwidth
  double latency[SLACK_COUNT];   // the rest of their time
  double exposed[SLACK_COUNT];   // of both: in which compute waits for them
  // In each of the step's parts of equal length: the seconds of other work that is ready while work
  // runs, on average. A collective that is no longer than that is hidden.
  double backlog[BACKLOG_PARTS];
} Exposure;

// The class of each value, in the arena. A local program and the global program it was made from
// agree on values that both have. O(program).
uint8_t *slack_find(const Program *p, Arena *arena);
// Per value, in the arena: whether a contraction waits for it. An argument that none waits for is
// read by the update only: moments of an optimizer. O(program).
bool *slack_needed(const Program *p, Arena *arena);

#endif
