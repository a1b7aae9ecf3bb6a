// A program as propagation sees it: places that have a sharding, and nodes that tie places together
// by factors. Built once; everything after works on ids and interned maps.
//
//   %0 = stablehlo.add %arg0, %arg1     places %arg0 %arg1 %0, one node with the map of add
//   stablehlo.while                     result i and the body's and condition's argument i are one
//                                       place; a node ties it to operand i and to what the body
//                                       returns
//   call @silu                          each call has its own places for silu's values (an
//                                       instance)
#ifndef TESSERA_GRAPH_GRAPH_H
#define TESSERA_GRAPH_GRAPH_H

#include "ir/program.h"
#include "ops/factors.h"
#include "sharding/project.h"

typedef uint32_t PlaceId;     // 0 = none: not a tensor, or one of rank 0
typedef uint32_t NodeId;      // 0 = none
typedef uint32_t InstanceId;  // 0 = none

// A function as it is called from one place. Functions that nothing calls have one instance.
typedef struct Instance {
  OpId function;
  OpId call;          // 0 for a root
  InstanceId caller;  // the instance the call stands in; 0 for a root
  uint32_t places;    // first of its slots in graph->place_of
  uint32_t results;   // first of its result places in graph->result_places
  uint32_t n_results;
  uint32_t constants;  // first of its split constants in graph->splits
  uint32_t n_constants;
} Instance;

// A use of the value of a constant expression that has a sharding of its own: as if the expression
// were written once more for it.
typedef struct ConstantUse {
  OperandId use;
  PlaceId place;
  uint32_t values, n_values;  // the expression's values and their places, in graph->split_values
} ConstantUse;

typedef struct SplitValue {
  ValueId value;
  PlaceId place;
} SplitValue;

typedef struct Place {
  InstanceId instance;
  ValueId value;   // the first of its values in program order; 0: a function's result
  uint32_t index;  // of the function's result
  Type type;
  NodeId def;  // 0: a function's argument, or nothing with factors defines it
} Place;

typedef enum NodeKind {
  NODE_OP,       // an op with factors
  NODE_EDGE,     // data flow into or out of a region, a call, a barrier: sources and one target
  NODE_RETURN,   // what a root function returns, and its result
  NODE_BARRIER,  // sdy.propagation_barrier
} NodeKind;

typedef struct Node {
  OpId op;
  InstanceId instance;
  uint32_t tensors;   // first in graph->tensors: one place per tensor, operands first; 0 allowed
  uint32_t map;       // in graph->maps
  uint8_t kind;       // NodeKind
  uint8_t direction;  // Direction, of a barrier
  uint32_t traits;    // op_traits
  bool multi_use;     // an operand has other uses
  uint32_t
      view;  // in graph->views: how the target of an edge is seen from its sources; 0 = as it is
} Node;

// The border of a manual computation. A body argument is stored without the manual axes, a result
// with them; the other side sees them with (without).
typedef struct View {
  Sharding outer;  // in_shardings or out_shardings as written: which manual axes stand where
  AxisList manual;
  bool argument;
} View;

typedef struct GraphOptions {
  // As a pass of Shardy sees the program: data flow only where sdy.data_flow_edge and
  // sdy.func_data_flow_edge stand, calls are opaque, constants are not split, and ops that Shardy
  // has no rule for have none.
  bool explicit_only;
  FactorOptions factors;
  // Calls nested so deep that instances would be more ops than this (wide ones count as several)
  // share one instance per function. 0 = 16 times the program and a hundred thousand.
  uint64_t most_ops;
} GraphOptions;

typedef struct Graph {
  Program *program;          // borrowed, unchanged
  uint32_t n_values, n_ops;  // of the program when the graph was built
  ShardingTable *table;      // borrowed
  Arena arena;
  uint32_t n_instances, n_places, n_nodes, n_maps, n_views, n_splits;  // [0] included
  Instance *instances;  // [0] is unused in every table
  Place *places;
  Node *nodes;             // in the order the program runs, calls in place
  const FactorMap **maps;  // equal ops share one
  View *views;
  PlaceId *tensors;
  uint32_t *value_slot;    // per value: its number in its function
  PlaceId *place_of;       // per instance and slot
  PlaceId *result_places;  // per instance and result
  ConstantUse *splits;     // per instance, sorted by use
  SplitValue *split_values;
  uint32_t *adjacent_first;  // per place, + 1: nodes that touch it are
  NodeId *adjacent;          // adjacent[adjacent_first[p] … adjacent_first[p + 1]), rising
  InstanceId *first;         // per op: of a function, its first instance
  bool shared_instances;     // the limit was reached
} Graph;

// Groups (sdy.sharding_group) make their members one place; members of different ranks are
// INVALID_ARGUMENT with their place in diag. The program must be verified. O(ops in all instances).
Status *graph_build(Program *program, ShardingTable *table, const GraphOptions *options,
                    Guard *guard, Diag *diag, Graph *out) MUST_USE;
void graph_deinit(Graph *graph);

// The place of a value in an instance; 0 if it cannot be sharded.
static inline PlaceId graph_place(const Graph *g, InstanceId instance, ValueId value) {
  return g->place_of[g->instances[instance].places + g->value_slot[value]];
}
static inline PlaceId graph_result_place(const Graph *g, InstanceId instance, uint32_t i) {
  return g->result_places[g->instances[instance].results + i];
}
// The place of one use: that of the value, or the use's own if it is a split constant. O(log).
PlaceId graph_use_place(const Graph *g, InstanceId instance, OperandId use);
static inline const PlaceId *node_tensors(const Graph *g, NodeId n) {
  return g->tensors + g->nodes[n].tensors;
}
static inline const FactorMap *node_map(const Graph *g, NodeId n) {
  return g->maps[g->nodes[n].map];
}
// The first instance of a function (a root has no other); 0 if it has none.
InstanceId graph_instance_of(const Graph *g, OpId function);
// How a place is seen from a node whose target it is, and what a change seen there means for it.
Sharding view_seen(const Graph *g, uint32_t view, Sharding stored, Arena *scratch);
Sharding view_stored(const Graph *g, uint32_t view, Sharding seen, Arena *scratch);

#endif
