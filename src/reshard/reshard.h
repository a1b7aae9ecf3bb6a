// From one sharding of a tensor to another: the cheapest sequence of standard collectives, and the
// fewest bytes anything could do it with.
//
//   [{"x"}, {}] -> [{}, {"x"}]                   one all-to-all
//   [{"y"}, {}, {"x"}] -> [{}, {"x", "y"}, {}]   one too, over both axes: nothing is ever whole
//
// A dimension's index is written in digits, major to minor; a digit is counted along a part of a
// mesh axis (an atom), or inside each device. A layout says for every digit where it is counted: a
// block split has its atoms on the first digits, a strided one anywhere. Moves take digits from
// atoms into the devices and back. (Decision D6: docs/decisions/d06-reshard-is-a-planner.md.)
#ifndef TESSERA_RESHARD_RESHARD_H
#define TESSERA_RESHARD_RESHARD_H

#include "cost/price.h"
#include "sharding/sharding.h"

typedef enum MoveKind {
  MOVE_SLICE,           // each device keeps a part of what it has: digits go to free atoms
  MOVE_PERMUTE,         // devices swap whole tiles: digits change atoms
  MOVE_ALL_TO_ALL,      // digits go inside and others take their atoms
  MOVE_ALL_GATHER,      // digits go inside
  MOVE_REDUCE_SCATTER,  // unreduced atoms take digits
  MOVE_ALL_REDUCE,      // unreduced atoms are free
  MOVE_UNREDUCE,        // one device along free atoms keeps the value, the others the identity
  MOVE_PIECES,          // each device gets the pieces it lacks one by one: permutes of pieces
} MoveKind;

enum { RESHARD_MOST_DIGITS = 40, RESHARD_MOST_ATOMS = 24, RESHARD_INSIDE = 0xff };

// Where a dimension's two shardings cut it in ways that do not fit each other, a block of its
// digits is written in two forms; a layout counts those of at most one of them along atoms.
typedef enum DigitForm { FORM_BOTH, FORM_SOURCE, FORM_TARGET } DigitForm;

typedef struct Digit {
  uint32_t dim;
  int64_t size;
  DigitForm form;
  uint32_t block;  // of digits that have two forms; of the others any
  int64_t unit;    // elements from one value of it to the next
  bool empty;      // but for the value 0 there is only padding; inside a device it takes no room
} Digit;

typedef struct Layout {
  uint8_t at[RESHARD_MOST_DIGITS];  // the atom along which a digit is counted, or RESHARD_INSIDE
  uint32_t unreduced;               // atoms, as bits
} Layout;

typedef struct Digits {
  uint32_t n;
  Digit v[RESHARD_MOST_DIGITS];  // by dimension, major to minor; a block's source form first
  uint32_t n_atoms;
  AxisRef atoms[RESHARD_MOST_ATOMS];  // of prime size, unless they would be many
  uint32_t n_blocks;                  // that have two forms
  uint32_t rank;
  const int64_t *dims;  // of the whole tensor
} Digits;

// The form in which a block is written in a layout; FORM_BOTH if nothing of it is along atoms.
DigitForm digits_form(const Digits *digits, const Layout *layout, uint32_t block);
// Is a digit to be counted when the blocks are written in these forms?
static inline bool digit_is_in(const Digit *digit, const DigitForm *forms) {
  return digit->form == FORM_BOTH || forms[digit->block] == digit->form;
}
// Elements of a device's tile along a dimension: all of it (not its padding) if it is whole.
int64_t digits_tile(const Digits *digits, const Layout *layout, uint32_t dim);
// Is there only padding where digits have these values (-1: any)?
bool digits_are_empty(const Digits *digits, const int64_t *values);
// Does anything go from the device `from` to the device `to` (coordinates along the atoms) where an
// all-to-all or all-gather takes one layout to the other?
bool digits_has_piece(const Digits *digits, const Layout *before, const Layout *after,
                      const uint32_t *from, const uint32_t *to);

// One round of MOVE_PIECES, by device id: everybody sends one piece of the same shape. Devices that
// are not receivers have `source` UINT32_MAX.
typedef struct PieceRound {
  const uint32_t *source;  // from whom; the device itself where it keeps a piece
  const int64_t *sent;  // where the piece that a device sends begins in its old tile: [device][dim]
  const int64_t *begin;   // where the piece that it gets goes in its new tile: [device][dim]
  const int64_t *extent;  // how much of it is there: [device][dim]
  const int64_t *shape;   // of the piece
  bool stays;             // everybody's source is itself: nothing is sent
} PieceRound;

typedef struct Move {
  MoveKind kind;
  bool sparse;  // an all-to-all or all-gather as permutes, between those who have and need anything
  Layout before, after;
  const PieceRound *rounds;  // of MOVE_PIECES
  uint32_t n_rounds;
  Price price;  // bytes: that leave a device, on average over the devices, padding included
} Move;

typedef struct ReshardPlan {
  MeshId mesh;           // whose axes the atoms are
  const Digits *digits;  // NULL if there is no move, or one of pieces
  const Move *moves;     // in the arena
  uint32_t n_moves;
  uint32_t n_devices;  // of MOVE_PIECES: its arrays' first dimension
  Price price;
  double least_bytes;  // what the devices lack of their new tiles, on average; 0 where parts of a
                       // reduction are put together
} ReshardPlan;

const char *move_name(MoveKind kind);  // "all_to_all"
uint16_t move_op(MoveKind kind);       // its collective (cost/collectives.h); 0: no communication

// type: a static tensor. 0 = replicated. Sub-axes, strided splits and uneven sizes are fine, other
// meshes over the same devices where few pieces do it. UNIMPLEMENTED between reducers, from or to
// one device, and where there is no way but by the whole. Few bytes count beside the seconds: twice
// the least bytes weigh as much as four latencies. O(layouts looked at), independent of the number
// of devices but for least_bytes and pieces.
Status *reshard_plan(ShardingTable *table, const Network *network, Sharding from, Sharding to,
                     Type type, Arena *arena, ReshardPlan *out) MUST_USE;

#endif
