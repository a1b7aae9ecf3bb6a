// The price of a propagation's shardings, kept up to date while a search pushes and pops them:
// seconds, bytes sent and peak memory, in time proportional to what changed.
//
// The price is a function of the shardings alone (decision D9: the search sees a problem):
//   op        its factors are split as its results, then as its operands, are sharded. Seconds by
//             the roofline of a device's share; values in registers are not moved (cost/fusion.h)
//   reshard   from an op's result to the value's sharding (partial sums are reduced here), and from
//             there to each distinct sharding that users require; a user in a loop pays per
//             iteration. Data flow into loops and functions, and returns, are users
//   memory    values that are stored, from their definition to their last use; arguments to the end
//             unless they are donated; copies in another sharding while their user runs
// All seconds are added: nothing overlaps, and passes (optimize/) are not modelled. So the price is
// above that of simulate, mostly; it is for comparing shardings, not for predicting steps.
#ifndef TESSERA_ESTIMATE_ESTIMATE_H
#define TESSERA_ESTIMATE_ESTIMATE_H

#include "cost/machine.h"
#include "ops/custom_rules.h"
#include "propagate/propagate.h"

typedef struct Estimate Estimate;

typedef struct EstimatedPrice {
  double seconds, compute_seconds;  // of one step; the rest is communication
  double bytes;                     // sent per device
  double peak_bytes;                // of a device
  uint64_t visited;                 // nodes of the graph and places that were priced by this call
} EstimatedPrice;

// Everything is borrowed and must outlive it. mesh: the only one that shardings use. The owner puts
// it on the guard's cleanup list. O(graph).
Estimate *estimate_new(Propagation *propagation, MeshId mesh, const Machine *machine,
                       CustomRules *call_rules, Guard *guard);
void estimate_free(Estimate *e);  // NULL is fine
// Sets the guard that receives exhaustion from now on. After a throw it may only be freed.
void estimate_guard(Estimate *e, Guard *guard);

// To call before propagation_pop(mark): the places that it is about to change. O(undone events).
void estimate_before_pop(Estimate *e, uint32_t mark);
// The price of the present shardings. O(changed places · their uses · log graph).
EstimatedPrice estimate_price(Estimate *e);

#endif
