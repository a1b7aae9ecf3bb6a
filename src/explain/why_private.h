// What the files of why share.
#ifndef TESSERA_EXPLAIN_WHY_PRIVATE_H
#define TESSERA_EXPLAIN_WHY_PRIVATE_H

#include "explain/why.h"

// A file of the user's.
typedef struct WhySource {
  Str file;  // its name, in the context; empty: a free entry
  char *text;
  size_t bytes;
} WhySource;

enum { WHY_SOURCES = 8 };

// Where an annotation is written.
typedef struct WhyGiven {
  bool known;
  Pos pos;
  OpId constraint;  // it was taken from; 0
} WhyGiven;

struct Why {
  Propagation *p;
  const Graph *g;
  const ShardingTable *table;
  Context *context;
  Guard *guard;
  WhyOptions options;
  Arena arena;
  Arena scratch;              // rewound by whoever uses it
  Arena look;                 // of one node's conflicts
  const Conflict *conflicts;  // by the place that lacks; NULL: not sorted yet
  uint32_t *conflict_first;   // per place, + 1
  VEC(Piece) pieces;
  uint32_t n_events;
  uint32_t *first;    // per event, + 1: its pieces
  uint32_t *last;     // per place: its last event, WHY_NONE
  OperandId *use_of;  // per place: the use that a split constant is for, 0
  uint32_t
      *also_first;  // per place, + 1: other values than the one it is named by; made when asked
  ValueId *also;
  uint32_t *lines;  // where lines of the source begin; made when first asked for
  uint32_t n_lines;
  WhyGiven *givens;  // per place; made when first asked for
  WhySource sources[WHY_SOURCES];
  uint32_t next_source;
  OpId entry;  // the function that names without one mean; 0 = none
};

// The axes of one dimension, over all its factors, in the arena.
AxisList why_dim_axes(const ShardingInfo *info, uint32_t d, Arena *arena);
// The sharding of tensor t of a node as the node sees it, given what the place holds.
Sharding why_seen(Why *why, NodeId node, uint32_t t, Sharding stored);
// Which way axes may travel along a factor in a mode.
uint8_t why_way(const FactorMap *map, ProjectMode mode, uint32_t factor);
// The piece of a place's dimension that overlaps the axis, of events before `before`; WHY_NONE.
uint32_t why_find_piece(const Why *why, PlaceId place, uint32_t dim, AxisRef axis, uint32_t before);
// Finds all conflicts at once, for those who will ask of every place. O(nodes).
void why_index_conflicts(Why *why);
// Line of a position in the program's text. O(log lines).
uint32_t why_line(Why *why, Pos pos, uint32_t *out_column);
// "model.mlir:9" of an op, and the user's line, if known: "model.mlir:9 (train.py:4)".
void why_print_op_place(Why *why, OpId op, bool user_line, StrBuf *out);
bool why_has_op_place(const Why *why, OpId op);  // it prints something
// Where the annotation of a place stands in the text; false if it does not. *out_constraint is the
// sharding constraint it was taken from, if it is not written at the value.
bool why_given_pos(Why *why, PlaceId place, uint32_t *out_line, uint32_t *out_column,
                   OpId *out_constraint);
void why_print_given(Why *why, PlaceId place, StrBuf *out);
Str why_function_name(const Why *why, OpId function);
// The mnemonic without its dialect.
const char *why_mnemonic(const Why *why, OpId op);
// The op that a person sees at a node: what a function returns is its return.
OpId why_node_op(const Why *why, NodeId node);
// The instance that the value by which a place is named stands in.
InstanceId why_instance(const Why *why, PlaceId place);
void why_print_value(const Why *why, ValueId v, StrBuf *out);
// The path of a function's argument, if it says more than its name; empty otherwise.
Str why_path(Why *why, PlaceId place, Arena *arena);
// Other values that are this place (loops, groups); gives how many. O(values), once.
uint32_t why_also(Why *why, PlaceId place, const ValueId **out);
// A line of a Python file, without its end; false if it cannot be read.
bool why_source_line(Why *why, Str file, uint32_t line, Str *out);
void why_sources_free(Why *why);

#endif
