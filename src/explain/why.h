// Explanations of shardings: for every axis of every value the chain of ops that brought it from an
// annotation, and for every axis that a value did not take the rule that stopped it. Both are read
// from propagation's log; propagation is not run again.
//
//   %arg0 {"data"} annotated  ->  dot_general  ->  %0 {"data"}  ->  add  ->  %1 {"data"}
//
// A piece is an axis (or sub-axis) that one event of the log added to one dimension. It links to
// the piece it was copied from. Links go to earlier events, so every chain ends, at an annotation.
// docs/why.md specifies the JSON.
#ifndef TESSERA_EXPLAIN_WHY_H
#define TESSERA_EXPLAIN_WHY_H

#include "base/json.h"
#include "propagate/propagate.h"

#define WHY_NONE UINT32_MAX

typedef enum PieceCause {
  PIECE_GIVEN,    // an annotation of the place
  PIECE_MANUAL,   // manual axes, annotated in in_shardings or out_shardings of the node's op
  PIECE_STEP,     // copied along a factor of the node's op
  PIECE_UNKNOWN,  // no tensor of the node had the axis: a bug in the log
} PieceCause;

typedef struct Piece {
  uint32_t event;
  uint32_t dim;  // of the event's place
  AxisRef axis;
  uint32_t source;    // the piece it was copied from, whose axis contains this one; WHY_NONE: none
  uint32_t origin;    // first piece of the chain; itself if it has no source
  uint32_t hops;      // chain length from `origin` to here
  uint32_t early;     // long chains: the last piece of the printed beginning
  uint32_t factor;    // index in the node's factor map; for PIECE_STEP and PIECE_MANUAL
  uint32_t from, to;  // tensor indices of the node
  uint8_t cause;      // PieceCause
} Piece;

typedef struct Why Why;

typedef struct WhyOptions {
  bool sources;        // show the user's Python lines, read from the files that locations name
  uint32_t most_hops;  // limit on printed hops per chain; 0 = 12
} WhyOptions;

// Links every piece of the log to its source. `p` must not change while the result is used.
// O(events · tensors per node).
Why *why_new(Propagation *p, const WhyOptions *options, Guard *guard);
void why_free(Why *why);  // NULL is fine

// ---- chains ----

const Piece *why_piece(const Why *why, uint32_t i);
PlaceId why_piece_place(const Why *why, uint32_t i);
// The pieces of a place's current sharding, ordered by dimension, major to minor. In the arena.
// O(pieces of the place · axes).
uint32_t why_pieces(const Why *why, PlaceId place, Arena *arena, const uint32_t **out);

// ---- conflicts ----

typedef enum ConflictReason {
#define CONFLICT(id, ...) CONFLICT_##id,
#include "explain/why_conflicts.def"
#undef CONFLICT
  CONFLICT_COUNT
} ConflictReason;

const char *conflict_word(ConflictReason reason);  // "closed"
const char *conflict_text(ConflictReason reason);

// Why one of two competing axes was preferred.
typedef enum Won {
  WON_NONE,           // no competition
  WON_GIVEN,          // it is annotated
  WON_USER_PRIORITY,  // its annotation propagates in an earlier priority
  WON_OP_PRIORITY,    // the op that brought it propagates in an earlier op priority
  WON_FIRST,          // it arrived first
  // Both were present. In the order in which the rules are tried:
  WON_COST,     // --conflicts=cost: it sends fewer elements
  WON_LARGER,   // it is of the larger tensor
  WON_MORE,     // … of equal tensors, of the one with more shards; elementwise ops only
  WON_EARLIER,  // … of the earlier operand
} Won;

const char *won_word(Won won);  // "larger"; "" for none
const char *won_text(Won won);

// Two tensors of a node whose axes along a factor differ.
typedef struct Conflict {
  NodeId node;
  uint32_t factor;
  uint32_t has, lacks;          // tensor indices of the node
  uint32_t has_dim, lacks_dim;  // the dimensions of these tensors that carry the factor
  AxisList axes;                // axes of `has` that `lacks` did not take
  uint8_t reason;               // ConflictReason
  uint8_t won;                  // Won: why the blocking piece was preferred
  uint32_t blocker;             // the piece of `lacks` or of a third tensor that blocks; WHY_NONE
} Conflict;

typedef VEC(Conflict) Conflicts;

// Adds the conflicts of a node to `out`. At the fixpoint each has a reason.
// O(tensors · factors²) cells, plus O(tensors) per conflict.
void why_node_conflicts(Why *why, NodeId node, Arena *arena, Conflicts *out);
// Adds the conflicts in which the place lacks axes; each (axes, dimension, reason) once.
void why_place_conflicts(Why *why, PlaceId place, Arena *arena, Conflicts *out);

// ---- names ----

// Prints `%12`, `%0#1`, `@f:%3` (not in the entry function) or `result0`.
void why_print_name(Why *why, PlaceId place, StrBuf *out);

// Finds places by name: `%12`, `%0#1`, `%arg3`, `@f:%3`, `result0`, `@f:result1`; by line:
// `model.mlir:12` or `train.py:40` gives all values defined there; by an argument's path
// (`params.w`) from its location or jax.arg_info. A value of a function with several call sites has
// one place per call. Returns NOT_FOUND with near names. The array is in the arena. O(program).
Status *why_find(Why *why, Str name, Arena *arena, const PlaceId **out, uint32_t *out_n) MUST_USE;

// ---- text ----

// Prints a place's sharding, the chain of each axis from its annotation on, and its conflicts.
void why_print_place(Why *why, PlaceId place, StrBuf *out);
// why_print_place for every place that has a sharding.
void why_print_all(Why *why, StrBuf *out);
// Writes one object for the place, with full chains.
void why_json_place(Why *why, PlaceId place, Json *json);
// Writes one object with a line for each place that has a sharding or a conflict. Each axis links
// to its source only, so the size is linear in the program. `out` may have a flush.
void why_json_all(Why *why, StrBuf *out);

#endif
