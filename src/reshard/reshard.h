// Problem: take a tensor from one sharding to another with the cheapest sequence of standard
// collectives, and know the fewest bytes that any algorithm must send.
//
//   [{"x"}, {}] -> [{}, {"x"}]                   one all-to-all
//   [{"y"}, {}, {"x"}] -> [{}, {"x", "y"}, {}]   one all-to-all over both axes, never replicated
//
// Idea: a dimension's index is written in digits, major to minor. A digit is counted along an atom
// (a sub-axis of the mesh) or inside each device. A layout assigns each digit an atom or "inside":
// a block split has its atoms on the major digits, a strided one on any. Moves take digits from
// atoms into the devices and back, and a search finds the cheapest sequence of moves.
//
//   dimension of 8 over "x"=2     block:    digit 2 along x, digit 4 inside
//                                 strided:  digit 4 inside, digit 2 along x
//
// (Decision D6: docs/decisions/d06-reshard-is-a-planner.md.)
#ifndef TESSERA_RESHARD_RESHARD_H
#define TESSERA_RESHARD_RESHARD_H

#include "cost/price.h"
#include "sharding/sharding.h"

typedef enum MoveKind {
  MOVE_SLICE,           // local: each device keeps a sub-tile; digits go to free atoms
  MOVE_PERMUTE,         // devices swap entire tiles: digits change atoms
  MOVE_ALL_TO_ALL,      // digits go inside, others take their atoms
  MOVE_ALL_GATHER,      // digits go inside
  MOVE_REDUCE_SCATTER,  // unreduced atoms take digits
  MOVE_ALL_REDUCE,      // unreduced atoms become free
  MOVE_UNREDUCE,        // one device along free atoms keeps the value, the others the identity
  MOVE_PIECES,          // each device receives the pieces that it lacks, by several permutes
} MoveKind;

enum { RESHARD_MOST_DIGITS = 40, RESHARD_MOST_ATOMS = 24, RESHARD_INSIDE = 0xff };

// If the two shardings split a dimension at sizes that do not divide each other, a block of its
// digits has two forms: the source's digits and the target's. A layout counts digits of at most one
// of them along atoms.
typedef enum DigitForm { FORM_BOTH, FORM_SOURCE, FORM_TARGET } DigitForm;

typedef struct Digit {
  uint32_t dim;
  int64_t size;
  DigitForm form;
  uint32_t block;  // which block, if the digit has one of two forms
  int64_t unit;    // stride: elements from one value of the digit to the next
  bool empty;      // values other than 0 are padding; inside a device it adds no elements
} Digit;

typedef struct Layout {
  uint8_t at[RESHARD_MOST_DIGITS];  // per digit: its atom, or RESHARD_INSIDE
  uint32_t unreduced;               // bit set of atoms
} Layout;

typedef struct Digits {
  uint32_t n;
  Digit v[RESHARD_MOST_DIGITS];  // by dimension, major to minor; a block's source form comes first
  uint32_t n_atoms;
  AxisRef atoms[RESHARD_MOST_ATOMS];  // of prime size if digits_make was asked for primes
  uint32_t n_blocks;                  // blocks of digits with two forms
  uint32_t rank;
  const int64_t *dims;  // of the global tensor
} Digits;

// The form of a block in a layout; FORM_BOTH if none of its digits is along an atom.
DigitForm digits_form(const Digits *digits, const Layout *layout, uint32_t block);
// True if the digit exists when the blocks have these forms.
static inline bool digit_is_in(const Digit *digit, const DigitForm *forms) {
  return digit->form == FORM_BOTH || forms[digit->block] == digit->form;
}
// Elements of a tile along a dimension; without padding if the dimension is not sharded.
int64_t digits_tile(const Digits *digits, const Layout *layout, uint32_t dim);
// True if all elements whose digits have these values (-1: any) are padding.
bool digits_are_empty(const Digits *digits, const int64_t *values);
// True if device `from` sends elements other than padding to device `to` (coordinates along the
// atoms), when an all-to-all or all-gather takes one layout to the other.
bool digits_has_piece(const Digits *digits, const Layout *before, const Layout *after,
                      const uint32_t *from, const uint32_t *to);

// One permute of MOVE_PIECES, by device id: every sender sends one piece, all of the same shape.
// `source` is UINT32_MAX for devices that receive nothing.
typedef struct PiecePermute {
  const uint32_t *source;  // the sender; the device itself if it keeps a piece
  const int64_t *sent;     // offset in the old tile of the piece that a device sends: [device][dim]
  const int64_t *begin;    // offset in the new tile of the piece that it receives: [device][dim]
  const int64_t *extent;   // its size without padding: [device][dim]
  const int64_t *shape;    // of the piece, with padding
  bool stays;              // all sources are the devices themselves: a local copy
} PiecePermute;

typedef struct Move {
  MoveKind kind;
  bool sparse;  // an all-to-all or all-gather as permutes that skip pieces of padding
  Layout before, after;
  const PiecePermute *rounds;  // of MOVE_PIECES: its permutes
  uint32_t n_rounds;
  Price price;  // bytes: sent per device, on average, with padding
} Move;

typedef struct ReshardPlan {
  MeshId mesh;           // the mesh that the atoms refer to
  const Digits *digits;  // NULL if there is no move or one MOVE_PIECES
  const Move *moves;     // in the arena, or in the network's memo
  uint32_t n_moves;
  uint32_t n_devices;  // of MOVE_PIECES: its arrays' first dimension
  Price price;
  double least_bytes;  // lower bound: elements of the new tiles that devices lack, on average; 0 if
                       // the reshard reduces
} ReshardPlan;

const char *move_name(MoveKind kind);  // "all_to_all"
uint16_t move_op(MoveKind kind);       // its collective (cost/collectives.h); 0: no communication

// Plans a reshard of a static tensor; sharding 0 = replicated. Sub-axes, strided splits and uneven
// sizes are supported, and two meshes over the same devices if few pieces suffice. UNIMPLEMENTED
// between two reducers, from or to a single device, and if the only way is to replicate the tensor
// in between. Plans are compared by seconds and bytes: each multiple of least_bytes that is sent
// weighs Tuning.bytes_weight_latencies. O(layouts visited), independent of the number of devices
// except for least_bytes and pieces.
Status *reshard_plan(ShardingTable *table, const Network *network, Sharding from, Sharding to,
                     Type type, Arena *arena, ReshardPlan *out) MUST_USE;
// The price of a plan with whole axes, if there is one: at least that of reshard_plan's, in less
// time. For searches that price many reshards and make few.
Status *reshard_estimate(ShardingTable *table, const Network *network, Sharding from, Sharding to,
                         Type type, Arena *arena, Price *out) MUST_USE;

#endif
