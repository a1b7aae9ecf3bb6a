// What the columns `splits` and `localize` use: an op whose factors are split over mesh axes, its
// operands as the tiles a device has, and the local program under construction.
//
//   splits     says what can be split and how: takes back what cannot, before anything is written
//   localize   writes the op for one device
//
// An op without these columns is copied with local types: right where every split factor passes
// through or reduces by a plain combiner.
#ifndef TESSERA_OPS_LOCALIZE_H
#define TESSERA_OPS_LOCALIZE_H

#include "ops/factors.h"
#include "ops/builder.h"

// How one factor is split.
typedef struct FactorSplit {
  AxisList axes;  // none: it is whole
  // Not in blocks but in strides (D4): its own factors, major to minor, and the axes of each, which
  // together are `axes`. Only for ops that take tiles as they are. 0: in blocks.
  const ShardFactor *strides;
  uint32_t n_strides;
  // Results without the factor come in parts, one per device along the axes, that combine so.
  // COMBINE_NONE: they are the same everywhere. Filled in for factors that reduce plainly.
  Combine parts;
} FactorSplit;

struct Localizer {
  Builder *builder;
  const Program *program;
  Context *context;
  OpId op;  // the global one
  const FactorMap *map;
  FactorSplit *splits;  // per factor
  // Per tensor and factor (localize_has): is the tensor split along the factor? Filled in with
  // where the map puts it. `splits` may clear it: then an operand is wanted whole along it, a
  // result comes whole or, with FactorSplit.parts, in parts.
  bool *has;
  // What `splits` may know besides. Per factor: axes that somebody has there, also where blocks
  // cannot say it (a major factor that they do not divide). Per operand: a whole one is there at no
  // cost. NULL: not known.
  AxisList *wished;
  const bool *whole;
  bool strided;  // dimensions of several factors may be cut in strides
  // ---- `splits` writes ----
  double bytes;    // that leave a device for it, beyond resharding operands and results
  uint32_t steps;  // that this takes, one behind the other; 0: one
  // ---- `localize` reads and writes ----
  const ValueId *in;      // operands, as tiles by splits and has
  const Sharding *in_as;  // their shardings; 0 = whole
  const Sharding *out_as;
  const Type *out_types;  // of the tiles of results
  ValueId *out;           // to be written
  // Of localize_find; NULL: nothing is known.
  ValueId (*find)(const Localizer *cx, ValueId v, Sharding sharding);
  // Of localize_copy_as; set by who calls the columns.
  Status *(*copy)(Localizer *cx, const ValueId *operands, Attr attrs, const Type *types,
                  ValueId *out);
  void *user;
};

// An op that is not split yet: arrays in builder->arena, `parts` of factors that reduce plainly,
// `has` where the map puts factors. What only some callers know they fill in.
void localize_init(Localizer *cx, Builder *builder, OpId op, const FactorMap *map);
// The op's `splits` column; without one, what needs no column.
void localize_decide(Localizer *cx);
// The op's `localize` column; without one, the plain way.
Status *localize_write(Localizer *cx) MUST_USE;
// Does a copy mean the same with these types of results? Writes them in any case.
bool localize_holds(Program *p, OpId copy, const Type *types, Guard *guard);

static inline bool *localize_has(const Localizer *cx, uint32_t tensor, uint32_t factor) {
  return &cx->has[(size_t)tensor * cx->map->n_factors + factor];
}
static inline uint32_t localize_n_operands(const Localizer *cx) { return cx->map->n_operands; }

// ---- for `splits` ----

static inline bool localize_is_split(const Localizer *cx, uint32_t factor) {
  return cx->splits[factor].axes.n > 0;
}
static inline void localize_give_up(Localizer *cx, uint32_t factor) {
  cx->splits[factor].axes.n = cx->splits[factor].n_strides = 0;
}
// Takes back every split of factors that neither pass through nor reduce plainly: what remains
// needs no `localize`.
void localize_only_plain(Localizer *cx);
// Takes back what dimensions could not say in blocks: a minor factor behind one that is not cut to
// pieces (unless cx->strided), and sizes that do not divide where several factors make a dimension.
void localize_only_blocks(Localizer *cx);
int64_t localize_ways(const Localizer *cx, uint32_t factor);  // devices along its axes; 1 = whole
// The major-most factor of a dimension that is not of size 1.
uint32_t localize_factor(const Localizer *cx, uint32_t tensor, uint32_t d);

// ---- for both ----

const TypeInfo *localize_type(const Localizer *cx, uint32_t tensor);      // of the whole
int64_t localize_size(const Localizer *cx, uint32_t tensor, uint32_t d);  // of the whole
// Axes that a dimension of a tensor is cut over, by splits and has.
AxisList localize_axes(const Localizer *cx, uint32_t tensor, uint32_t d);
int64_t localize_tile(const Localizer *cx, uint32_t tensor, uint32_t d);  // ceil(size / devices)
double localize_bytes(const Localizer *cx, uint32_t tensor);              // of a tile
bool localize_is_uneven(const Localizer *cx, uint32_t tensor, uint32_t d);
// Bytes of one place along dimension d of a tensor's tile: times the elements along it that are
// received, what moves.
double localize_bytes_across(const Localizer *cx, uint32_t tensor, uint32_t d);
Attr localize_attr(const Localizer *cx, const char *name);  // 0 if absent
Ints localize_ints(const Localizer *cx, const char *name);  // empty if absent

// The tile of another value of the global program, cut along the same dimensions as a tensor of
// this op, if it is there; 0 if not. For an op that looks through the one before it.
ValueId localize_find(const Localizer *cx, ValueId v, uint32_t tensor);
ValueId localize_find_whole(const Localizer *cx, ValueId v);

// ---- for `localize` ----

// Where this device's tile begins in the whole: tensor<i64>.
ValueId localize_offset(Localizer *cx, uint32_t tensor, uint32_t d);
// Copies the op, regions and all, onto these operands, with other attributes (0 = its own), and
// results of out_types, which go to out. Regions see what is outside of them as it is everywhere:
// whole.
Status *localize_copy(Localizer *cx, const ValueId *operands, Attr attrs) MUST_USE;
// The same with results of these types, which go to `out`: what is cut or put together afterwards.
Status *localize_copy_as(Localizer *cx, const ValueId *operands, Attr attrs, const Type *types,
                         ValueId *out) MUST_USE;
// Moves the ops of a region of a copied op to the end of a block, with other values for the
// region's arguments, but for its terminator, which it gives: its operands are what the region
// returns. The copied op is of no use then and to be erased.
OpId localize_take_body(Localizer *cx, OpId copy, uint32_t region, BlockId to, const ValueId *args);
// The op's own attributes with one of them another.
Attr localize_with(Localizer *cx, Attr attrs, const char *name, Attr value);
// An init that enters once: where results come in parts, all shards but the first take what changes
// nothing.
ValueId localize_enter_once(Localizer *cx, ValueId value);
// Masks the padding of operand i in every dimension whose factor reduces, with what changes
// nothing, and lets inits enter once: what the plain way does. Gives the operands.
const ValueId *localize_masked(Localizer *cx);
// The plain way: masked operands, copied op.
Status *localize_plain(Localizer *cx) MUST_USE;

#endif
