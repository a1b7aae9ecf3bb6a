// The program as propagation sees it: places, which have a sharding, and nodes, which tie places
// together by factor maps. Built once; later stages work on ids and interned maps.
//
//   %0 = stablehlo.add %arg0, %arg1     places %arg0 %arg1 %0, one node with the map of add
//   stablehlo.while                     result i and argument i of body and condition are one
//   place;
//                                       a node ties it to operand i and to the body's result i
//   call @silu                          each call has its own places for silu's values (an
//   instance)
#ifndef TESSERA_GRAPH_GRAPH_H
#define TESSERA_GRAPH_GRAPH_H

#include "ir/program.h"
#include "ops/factors.h"
#include "sharding/project.h"

typedef uint32_t PlaceId;     // 0 = none: no tensor, or rank 0
typedef uint32_t NodeId;      // 0 = none
typedef uint32_t InstanceId;  // 0 = none

// A function as called from one call site. A function without callers (a root) has one instance.
typedef struct Instance {
  OpId function;
  OpId call;          // 0 for a root
  InstanceId caller;  // the instance that contains the call; 0 for a root
  uint32_t places;    // index of its first slot in graph->place_of
  uint32_t results;   // index of its first result place in graph->result_places
  uint32_t n_results;
  uint32_t constants;  // index of its first split constant in graph->splits
  uint32_t n_constants;
} Instance;

// A use of a constant expression with its own sharding, as if the expression were repeated for it.
typedef struct ConstantUse {
  OperandId use;
  PlaceId place;
  uint32_t values, n_values;  // the copied expression: range of graph->split_values
} ConstantUse;

typedef struct SplitValue {
  ValueId value;
  PlaceId place;
} SplitValue;

typedef struct Place {
  InstanceId instance;
  ValueId value;   // the first of its values in program order; 0: a function's result
  uint32_t index;  // number of the function's result
  Type type;
  NodeId def;  // the node that defines it; 0: an argument, or an op without factors
} Place;

typedef enum NodeKind {
  NODE_OP,       // an op with factors
  NODE_EDGE,     // data flow into or out of a region or call: sources and one target
  NODE_RETURN,   // a root's returned value and its result
  NODE_BARRIER,  // sdy.propagation_barrier
} NodeKind;

typedef struct Node {
  OpId op;
  InstanceId instance;
  uint32_t tensors;   // index in graph->tensors of its places, operands first; 0 allowed
  uint32_t map;       // in graph->maps
  uint8_t kind;       // NodeKind
  uint8_t direction;  // Direction, of NODE_BARRIER
  uint32_t traits;    // op_traits
  bool multi_use;     // an operand has other uses
  uint32_t view;      // in graph->views: conversion between sources and target; 0 = none
} Node;

// The border of a manual computation. The place of a body argument has no manual axes, but its
// source has them; the place of a result has them, but the body's value has not. A view converts
// between the two.
typedef struct View {
  Sharding outer;  // of in_shardings or out_shardings: the dimensions of manual axes
  AxisList manual;
  bool argument;
} View;

typedef struct GraphOptions {
  // Shardy's view: data flow only along sdy.data_flow_edge and sdy.func_data_flow_edge, calls are
  // opaque, constants are not split, and only ops that have a rule in Shardy have factors.
  bool explicit_only;
  FactorOptions factors;
  // Limit of ops in all instances (an op with many operands counts as several). Calls beyond it
  // share one instance per function. 0 = 16 times the program's ops plus 100,000.
  uint64_t most_ops;
} GraphOptions;

typedef struct Graph {
  Program *program;          // borrowed, unchanged
  uint32_t n_values, n_ops;  // of the program at the time of graph_build
  ShardingTable *table;      // borrowed
  Arena arena;
  uint32_t n_instances, n_places, n_nodes, n_maps, n_views, n_splits;  // [0] included
  Instance *instances;  // [0] is unused in every table
  Place *places;
  Node *nodes;             // in execution order, callees inlined
  const FactorMap **maps;  // ops with equal code, attributes and types share one
  View *views;
  PlaceId *tensors;
  uint32_t *value_slot;    // per value: its number in its function
  PlaceId *place_of;       // per instance and slot
  PlaceId *result_places;  // per instance and result
  ConstantUse *splits;     // per instance, sorted by use
  SplitValue *split_values;
  uint32_t *adjacent_first;  // per place, n_places + 1: its nodes are
  NodeId *adjacent;          // adjacent[adjacent_first[p] … adjacent_first[p + 1]), ascending
  InstanceId *first;         // per function op: its first instance
  bool shared_instances;     // most_ops was reached
} Graph;

// Builds the graph of a verified program. A sharding group (sdy.sharding_group) makes its members
// one place; members of different ranks are INVALID_ARGUMENT, with the source position in diag.
// O(ops in all instances).
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
// The place of one use: its own if it is a split constant, else the value's. O(log split
// constants).
PlaceId graph_use_place(const Graph *g, InstanceId instance, OperandId use);
static inline const PlaceId *node_tensors(const Graph *g, NodeId n) {
  return g->tensors + g->nodes[n].tensors;
}
static inline const FactorMap *node_map(const Graph *g, NodeId n) {
  return g->maps[g->nodes[n].map];
}
// The first instance of a function (a root has no other); 0 if it has none.
InstanceId graph_instance_of(const Graph *g, OpId function);
// Converts between a place's own sharding and the one seen by a node whose target it is.
Sharding view_seen(const Graph *g, uint32_t view, Sharding stored, Arena *scratch);
Sharding view_stored(const Graph *g, uint32_t view, Sharding seen, Arena *scratch);

#endif
