// Propagation: from the shardings that are given to all that follow from them.
//
// State is one interned sharding per place. A step looks at one node (project_step, remembered per
// map, mode and shardings), writes what is new and wakes the nodes around. Every write is an entry
// of the log, which is the reason (why.h) and the way back (pop) at once.
#ifndef TESSERA_PROPAGATE_PROPAGATE_H
#define TESSERA_PROPAGATE_PROPAGATE_H

#include "annotate/given.h"

typedef enum Strategy {
  STRATEGY_USER_PRIORITY,  // the default: user's priorities, in each the op's priorities
  STRATEGY_OP_PRIORITY,
  STRATEGY_AGGRESSIVE,
  STRATEGY_BASIC,
  STRATEGY_NONE,  // what is given, and nothing else
} Strategy;

typedef enum Steps { STEPS_AGGRESSIVE, STEPS_BASIC, STEPS_BASIC_THEN_AGGRESSIVE } Steps;

typedef struct PropagateOptions {
  Strategy strategy;
  Steps steps;  // of all strategies but basic
  GraphOptions graph;
  bool by_cost;  // conflicts go to what moves fewer elements; else, as in Shardy, to the larger
                 // tensor
} PropagateOptions;

enum { OP_PRIORITIES = 7 };

typedef enum Cause {
  CAUSE_GIVEN,     // an annotation; Event.node is 0
  CAUSE_NODE,      // a step at Event.node
  CAUSE_PRIORITY,  // dimensions of a later user priority come into sight
} Cause;

typedef struct Event {
  PlaceId place;
  Sharding before, after;
  NodeId node;
  uint32_t previous;    // the event of the same place before this one; UINT32_MAX = none
  uint8_t cause;        // Cause
  uint8_t aggressive;   // of the step
  uint8_t op_priority;  // 0 … OP_PRIORITIES - 1
  int32_t user_priority;
} Event;

typedef struct Propagation Propagation;

// Builds the graph; no place has a sharding yet. The program, the table and the guard's scope must
// outlive it; whoever holds it puts it on the guard's cleanup list.
Status *propagation_new(Program *program, ShardingTable *table, const PropagateOptions *options,
                        Guard *guard, Diag *diag, Propagation **out) MUST_USE;
void propagation_free(Propagation *p);  // NULL is fine
// Says where exhaustion goes from now on, of the program and the table too. What was thrown out of
// may only be freed.
void propagation_guard(Propagation *p, Guard *guard);
const Graph *propagation_graph(const Propagation *p);
ShardingTable *propagation_table(const Propagation *p);
const PropagateOptions *propagation_options(const Propagation *p);

// What the run begins with: give places their shardings before propagation_run.
Givens *propagation_givens(Propagation *p);
// What was given to a place, NULL if nothing.
const Given *propagation_given(const Propagation *p, PlaceId place);
// What the program's text says: sdy.sharding on arguments, results and ops, constraints, edges,
// in_shardings and out_shardings. A sharding that does not fit is INVALID_ARGUMENT, its place in
// diag.
Status *propagation_read(Propagation *p, Diag *diag) MUST_USE;

// To the fixpoint. Deterministic, whatever the order of functions in the module.
void propagation_run(Propagation *p);

Sharding propagation_get(const Propagation *p, PlaceId place);  // 0: nothing is known

// ---- the log ----

uint32_t propagation_n_events(const Propagation *p);
const Event *propagation_event(const Propagation *p, uint32_t i);
// The sharding a place had before event i.
Sharding propagation_before(const Propagation *p, PlaceId place, uint32_t i);

// What a step at the node lets through: of an event, or of the last pass (OP_PRIORITIES - 1).
ProjectMode propagation_mode(const Propagation *p, NodeId node, uint8_t op_priority,
                             bool aggressive);

// ---- search: try and take back (decision D9) ----

// Gives a place another sharding that extends what it has (more axes at the end of dimensions), and
// propagates only what that touches. FAILED_PRECONDITION if it does not extend it. *out_mark is for
// pop; the events since are what changed.
Status *propagation_push(Propagation *p, PlaceId place, Sharding sharding,
                         uint32_t *out_mark) MUST_USE;
// Takes back everything since the mark. O(events taken back).
void propagation_pop(Propagation *p, uint32_t mark);
uint64_t propagation_steps(const Propagation *p);  // nodes looked at since propagation_new

// Is every node at rest: no step at any of them changes anything? For tests. O(nodes).
bool propagation_is_fixpoint(Propagation *p, NodeId *out_node);

#endif
