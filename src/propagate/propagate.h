// Propagation: from annotated shardings to the shardings of all places that follow from them.
//
// The state is one interned sharding per place. A step takes one node, asks project_step (cached
// per map, mode and shardings) which axes its places can take from each other, writes new shardings
// and wakes the neighbouring nodes. Every write is an entry of the log: explanations (why.h) and
// undo (pop) read it.
#ifndef TESSERA_PROPAGATE_PROPAGATE_H
#define TESSERA_PROPAGATE_PROPAGATE_H

#include "annotate/given.h"

typedef enum Strategy {
  STRATEGY_USER_PRIORITY,  // the default: user priorities; within each, op priorities
  STRATEGY_OP_PRIORITY,
  STRATEGY_AGGRESSIVE,
  STRATEGY_BASIC,
  STRATEGY_NONE,  // annotations only
} Strategy;

typedef enum Steps { STEPS_AGGRESSIVE, STEPS_BASIC, STEPS_BASIC_THEN_AGGRESSIVE } Steps;

typedef struct PropagateOptions {
  Strategy strategy;
  Steps steps;  // for all strategies except basic
  GraphOptions graph;
  bool by_cost;  // conflicts: keep the axis that moves fewer elements; else, as Shardy, the larger
                 // tensor
} PropagateOptions;

enum { OP_PRIORITIES = 7 };

typedef enum Cause {
  CAUSE_GIVEN,     // an annotation; Event.node is 0
  CAUSE_NODE,      // a step at Event.node
  CAUSE_PRIORITY,  // dimensions of a later user priority become visible
} Cause;

typedef struct Event {
  PlaceId place;
  Sharding before, after;
  NodeId node;
  uint32_t previous;    // the previous event of the place; UINT32_MAX = none
  uint8_t cause;        // Cause
  uint8_t aggressive;   // of the step
  uint8_t op_priority;  // 0 … OP_PRIORITIES - 1
  int32_t user_priority;
} Event;

typedef struct Propagation Propagation;

// Builds the graph; no place has a sharding yet. The program, the table and the guard's scope must
// outlive it. The owner puts it on the guard's cleanup list.
Status *propagation_new(Program *program, ShardingTable *table, const PropagateOptions *options,
                        Guard *guard, Diag *diag, Propagation **out) MUST_USE;
void propagation_free(Propagation *p);  // NULL is fine
// Sets the guard that receives exhaustion from now on, also of the program and the table. After a
// throw the propagation may only be freed.
void propagation_guard(Propagation *p, Guard *guard);
const Graph *propagation_graph(const Propagation *p);
ShardingTable *propagation_table(const Propagation *p);
const PropagateOptions *propagation_options(const Propagation *p);

// The annotations. Callers add to them before propagation_run.
Givens *propagation_givens(Propagation *p);
// The annotation of a place; NULL if it has none.
const Given *propagation_given(const Propagation *p, PlaceId place);
// Reads the program's annotations: sdy.sharding on arguments, results and ops, constraints, edges,
// in_shardings and out_shardings. A sharding that does not fit is INVALID_ARGUMENT, with its source
// position in diag.
Status *propagation_read(Propagation *p, Diag *diag) MUST_USE;

// Propagates to the fixpoint. Deterministic; the order of functions in the module does not matter.
void propagation_run(Propagation *p);

Sharding propagation_get(const Propagation *p, PlaceId place);  // 0: none

// ---- the log ----

uint32_t propagation_n_events(const Propagation *p);
const Event *propagation_event(const Propagation *p, uint32_t i);
// The sharding a place had before event i.
Sharding propagation_before(const Propagation *p, PlaceId place, uint32_t i);

// The directions and factors that a step at the node may use at an op priority (the last one,
// OP_PRIORITIES - 1, allows all).
ProjectMode propagation_mode(const Propagation *p, NodeId node, uint8_t op_priority,
                             bool aggressive);

// ---- search: try and undo (decision D9) ----

// Extends a place's sharding (more axes at the end of dimensions) and propagates the consequences
// only. FAILED_PRECONDITION if the sharding does not extend the current one. *out_mark is for pop;
// the events since then are the changes.
Status *propagation_push(Propagation *p, PlaceId place, Sharding sharding,
                         uint32_t *out_mark) MUST_USE;
// Undoes everything since the mark. O(undone events).
void propagation_pop(Propagation *p, uint32_t mark);
uint64_t propagation_steps(const Propagation *p);  // steps since propagation_new

// True if no step at any node changes anything; otherwise *out_node is one that does. For tests.
// O(nodes).
bool propagation_is_fixpoint(Propagation *p, NodeId *out_node);

#endif
