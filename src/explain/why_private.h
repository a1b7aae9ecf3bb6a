// Declarations shared by the why_*.c files.
#ifndef TESSERA_EXPLAIN_WHY_PRIVATE_H
#define TESSERA_EXPLAIN_WHY_PRIVATE_H

#include "explain/why.h"

// A cached source file of the user.
typedef struct WhySource {
  Str file;  // interned path; empty: free entry
  char *text;
  size_t bytes;
} WhySource;

enum { WHY_SOURCES = 8 };

// The text position of an annotation.
typedef struct WhyGiven {
  bool known;
  Pos pos;
  OpId constraint;  // the sharding constraint it came from; 0: none
} WhyGiven;

struct Why {
  Propagation *p;
  const Graph *g;
  const ShardingTable *table;
  Context *context;
  Guard *guard;
  WhyOptions options;
  // Tables below marked `+ 1` are prefix sums: entry i's items are first[i] .. first[i + 1].
  Arena arena;
  Arena scratch;              // callers rewind it
  Arena look;                 // for one node's conflicts
  const Conflict *conflicts;  // sorted by the place that lacks; NULL: not indexed yet
  uint32_t *conflict_first;   // per place, + 1: index into `conflicts`
  VEC(Piece) pieces;
  uint32_t n_events;
  uint32_t *first;       // per event, + 1: index into `pieces`
  uint32_t *last;        // per place: its last event; WHY_NONE
  OperandId *use_of;     // per place: the use that this copy of a constant serves; 0
  uint32_t *also_first;  // per place, + 1: index into `also`; filled at first use
  ValueId *also;         // values of the place, without the one that names it
  uint32_t *lines;       // offsets of source lines; filled at first use
  uint32_t n_lines;
  WhyGiven *givens;  // per place; filled at first use
  WhySource sources[WHY_SOURCES];
  uint32_t next_source;
  OpId entry;  // values of this function are named without `@f:`; 0 = none
};

// All axes of a dimension, major to minor, over its factors; in the arena.
AxisList why_dim_axes(const ShardingInfo *info, uint32_t d, Arena *arena);
// The sharding of tensor t as the node sees it (through its view), given the place's sharding.
Sharding why_seen(Why *why, NodeId node, uint32_t t, Sharding stored);
// Directions in which axes travel along a factor in a mode.
uint8_t why_way(const FactorMap *map, ProjectMode mode, uint32_t factor);
// The latest piece on the place's dimension that overlaps the axis, among events before `before`.
// WHY_NONE if none.
uint32_t why_find_piece(const Why *why, PlaceId place, uint32_t dim, AxisRef axis, uint32_t before);
// Finds the conflicts of all nodes, for callers that visit every place. O(nodes).
void why_index_conflicts(Why *why);
// Line and column of a position in the program's text. O(log lines).
uint32_t why_line(Why *why, Pos pos, uint32_t *out_column);
// Prints "model.mlir:9", and with user_line the Python line: "model.mlir:9 (train.py:4)".
void why_print_op_place(Why *why, OpId op, bool user_line, StrBuf *out);
bool why_has_op_place(const Why *why, OpId op);  // whether why_print_op_place prints anything
// Finds the text position of a place's annotation; false if it is not in the text. *out_constraint
// is the sharding constraint that the annotation was taken from; 0 if it is written at the value.
bool why_given_pos(Why *why, PlaceId place, uint32_t *out_line, uint32_t *out_column,
                   OpId *out_constraint);
void why_print_given(Why *why, PlaceId place, StrBuf *out);
Str why_function_name(const Why *why, OpId function);
// The op's name without its dialect.
const char *why_mnemonic(const Why *why, OpId op);
// The op shown to the user for a node: the function's return for a NODE_RETURN.
OpId why_node_op(const Why *why, NodeId node);
// The instance of the value that names the place.
InstanceId why_instance(const Why *why, PlaceId place);
void why_print_value(const Why *why, ValueId v, StrBuf *out);
// The path of a function's argument; empty if it equals the SSA name.
Str why_path(Why *why, PlaceId place, Arena *arena);
// Other values of this place (loop carries, sharding groups); returns their number. The first call
// indexes all values in O(values).
uint32_t why_also(Why *why, PlaceId place, const ValueId **out);
// A line of a Python file, without its newline; false if it cannot be read.
bool why_source_line(Why *why, Str file, uint32_t line, Str *out);
void why_sources_free(Why *why);

#endif
