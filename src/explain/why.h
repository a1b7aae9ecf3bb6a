// Explanations: for every axis of every value where it came from, and for every axis that did not
// get further what stopped it. Read from the log that propagation kept; nothing is run again.
//
//   %arg0 {"data"} given  ->  dot_general  ->  %0 {"data"}  ->  add  ->  %1 {"data"}
//
// A piece is one axis, or a part of one, that one event of the log put on one dimension. It knows
// the piece it was copied from, so a chain is a walk: event numbers fall, and it ends at an
// annotation. docs/why.md has the JSON that is written.
#ifndef TESSERA_EXPLAIN_WHY_H
#define TESSERA_EXPLAIN_WHY_H

#include "base/json.h"
#include "propagate/propagate.h"

#define WHY_NONE UINT32_MAX

typedef enum PieceCause {
  PIECE_GIVEN,    // an annotation of the place
  PIECE_MANUAL,   // manual axes, written in in_shardings or out_shardings of the node's op
  PIECE_STEP,     // copied along a factor of the node
  PIECE_UNKNOWN,  // the log does not tell: a bug
} PieceCause;

typedef struct Piece {
  uint32_t event;
  uint32_t dim;  // of the event's place
  AxisRef axis;
  uint32_t source;    // the piece it was copied from (it contains this axis); WHY_NONE: none
  uint32_t origin;    // the piece at the end of the chain; itself if it has no source
  uint32_t hops;      // to the origin
  uint32_t early;     // the last piece of the chain's beginning that is shown of a long one
  uint32_t factor;    // of the node's map: of PIECE_STEP and PIECE_MANUAL
  uint32_t from, to;  // tensors of the node
  uint8_t cause;      // PieceCause
} Piece;

typedef struct Why Why;

typedef struct WhyOptions {
  bool sources;        // show the user's Python lines, read from the files that locations name
  uint32_t most_hops;  // shown of one chain in text; 0 = 12
} WhyOptions;

// Sorts the log by what came from what. `p` must not change while it is used. O(events).
Why *why_new(Propagation *p, const WhyOptions *options, Guard *guard);
void why_free(Why *why);  // NULL is fine

// ---- chains ----

const Piece *why_piece(const Why *why, uint32_t i);
PlaceId why_piece_place(const Why *why, uint32_t i);
// The pieces that a place's sharding is made of now, by dimension, major to minor, in the arena.
// O(pieces of the place).
uint32_t why_pieces(const Why *why, PlaceId place, Arena *arena, const uint32_t **out);

// ---- conflicts ----

typedef enum Reason {
#define REASON(id, ...) REASON_##id,
#include "explain/why_reasons.def"
#undef REASON
  REASON_COUNT
} Reason;

const char *reason_word(Reason reason);  // "closed"
const char *reason_text(Reason reason);

// Why one of two that could not both be had was taken.
typedef enum Won {
  WON_NONE,           // nothing was at odds
  WON_GIVEN,          // it is annotated
  WON_USER_PRIORITY,  // its annotation has an earlier priority
  WON_OP_PRIORITY,    // it came through an op that passes shardings on earlier
  WON_FIRST,          // it was there before the other arrived
  WON_LARGER,         // both were there: the larger split, then the larger tensor
} Won;

const char *won_word(Won won);  // "larger"; "" for none
const char *won_text(Won won);

// Two tensors of a node that disagree along a factor.
typedef struct Conflict {
  NodeId node;
  uint32_t factor;
  uint32_t has, lacks;          // tensors of the node
  uint32_t has_dim, lacks_dim;  // their dimensions that have the factor
  AxisList axes;                // what `lacks` did not take
  uint8_t reason;               // Reason
  uint8_t won;                  // Won: why what stands in the way was preferred
  uint32_t blocker;  // a piece of `lacks`, or of a third tensor, that is in the way; WHY_NONE
} Conflict;

typedef VEC(Conflict) Conflicts;

// Adds what the tensors of a node disagree on; at rest, each has a reason. O(tensors² · factors).
void why_node_conflicts(Why *why, NodeId node, Arena *arena, Conflicts *out);
// Of all nodes around a place, what the place lacks, each axis and dimension once.
void why_place_conflicts(Why *why, PlaceId place, Arena *arena, Conflicts *out);

// ---- names ----

// `%12`, `%0#1`, `@f:%3` (in a function that is not the entry), `result 0 of @main`.
void why_print_name(Why *why, PlaceId place, StrBuf *out);

// Places by name, as in the input: `%12`, `%0#1`, `%arg3`, `@f:%3`, `result0`, `@f:result1`;
// `model.mlir:12` or `train.py:40`: all that is defined on that line; an argument's path
// (`params.w`) as its location or jax.arg_info says it. A value of a function that is called
// several times has a place per call. NOT_FOUND names what is near; the array is in the arena.
// O(program).
Status *why_find(Why *why, Str name, Arena *arena, const PlaceId **out, uint32_t *out_n) MUST_USE;

// ---- text ----

// The sharding of a place, the chain of each axis from its annotation on, and what was not taken.
void why_print_place(Why *why, PlaceId place, StrBuf *out);
// The same of all places that have a sharding.
void why_print_all(Why *why, StrBuf *out);
// One object with the same of one place, chains in full.
void why_json_place(Why *why, PlaceId place, Json *json);
// One object with all places that have a sharding or could have had one, a line each; each axis
// names its source only, so it is linear in the program. `out` may have a flush.
void why_json_all(Why *why, StrBuf *out);

#endif
