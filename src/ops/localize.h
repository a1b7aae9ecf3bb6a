// The interface of the columns `splits` and `localize`: an op whose factors are split over mesh
// axes, its operands as shards, and the local program under construction.
//
//   splits     checks a proposed split before anything is written: unsplits the factors that the op
//              cannot split, and states communication inside of the op
//   localize   writes the op for one device
//
// An op without these columns is copied with local types. That is correct if every split factor
// passes through or reduces by a plain reducer (sum, max, min, mul, and, or, xor).
//
//   dot_general [m,k]x[k,n], k split over "x"=4:   [m,k/4]x[k/4,n] -> [m,n] unreduced over "x"
#ifndef TESSERA_OPS_LOCALIZE_H
#define TESSERA_OPS_LOCALIZE_H

#include "ops/factors.h"
#include "ops/builder.h"

// How one factor is split.
typedef struct FactorSplit {
  AxisList axes;  // none: not split
  // A strided split (D4): the factor's own factors, major to minor, with the axes of each; together
  // they are `axes`. Only for ops with OpDef.strides. n_strides 0: a block split.
  const ShardFactor *strides;
  uint32_t n_strides;
  // The reducer of results that lack the factor: they are unreduced along the axes. COMBINE_NONE:
  // they are replicated. localize_init sets it for factors with a plain reducer.
  Combine reducer;
} FactorSplit;

struct Localizer {
  Builder *builder;
  const Program *program;
  Context *context;
  OpId op;  // in the global program
  const FactorMap *map;
  FactorSplit *splits;  // per factor
  // Per tensor and factor (localize_has): is the tensor split along the factor? Initially true
  // where the map has the factor in a dimension of the tensor. `splits` may clear it: then the op
  // requires the operand replicated along the factor; its result is replicated, or unreduced if
  // FactorSplit.reducer is set.
  bool *has;
  // Hints for `splits`; NULL: unknown. preferred, per factor: axes that an operand's or a user's
  // sharding has there, even if a block split cannot express them (a major factor that they do not
  // divide). whole, per operand: a replicated copy exists at no cost.
  AxisList *preferred;
  const bool *replicated;
  bool strided;  // dimensions of several factors may have strided shardings
  // ---- `splits` writes ----
  double bytes;    // sent per device inside of the op, beyond resharding operands and results
  uint32_t steps;  // collectives of this on the critical path; 0: one
  // ---- `localize` reads and writes ----
  const ValueId *in;      // operands as shards, by `splits` and `has`
  const Sharding *in_as;  // their shardings; 0 = replicated
  const Sharding *out_as;
  const Type *out_types;  // local types of the results
  ValueId *out;           // `localize` writes the results here
  // Implements localize_find; NULL: finds nothing.
  ValueId (*find)(const Localizer *cx, ValueId v, Sharding sharding);
  // Implements localize_copy_as; the caller of the columns sets it.
  Status *(*copy)(Localizer *cx, const ValueId *operands, Attr attrs, const Type *types,
                  ValueId *out);
  void *user;
};

// Initializes an op without splits: arrays in builder->arena, `parts` of plain reducers, `has` by
// the map. Callers fill in the hints they have. O(tensors · factors).
void localize_init(Localizer *cx, Builder *builder, OpId op, const FactorMap *map);
// Runs the op's `splits` column, by default localize_only_default.
void localize_decide(Localizer *cx);
// Runs the op's `localize` column, by default localize_default.
Status *localize_write(Localizer *cx) MUST_USE;
// Does `infer` accept the copy and give these result types? Writes the types in any case.
bool localize_types_hold(Program *p, OpId copy, const Type *types, Guard *guard);

static inline bool *localize_has(const Localizer *cx, uint32_t tensor, uint32_t factor) {
  return &cx->has[(size_t)tensor * cx->map->n_factors + factor];
}
static inline uint32_t localize_n_operands(const Localizer *cx) { return cx->map->n_operands; }

// ---- for `splits` ----

static inline bool localize_is_split(const Localizer *cx, uint32_t factor) {
  return cx->splits[factor].axes.n > 0;
}
static inline void localize_unsplit(Localizer *cx, uint32_t factor) {
  cx->splits[factor].axes.n = cx->splits[factor].n_strides = 0;
}
// Unsplits every factor that neither passes through nor reduces by a plain reducer. The remaining
// splits need no `localize` column.
void localize_only_default(Localizer *cx);
// Unsplits factors that a block sharding of a dimension cannot express: a minor factor behind a
// major one that is not fully split (unless cx->strided), and an uneven split of one of several
// factors.
void localize_only_blocks(Localizer *cx);
int64_t localize_ways(const Localizer *cx, uint32_t factor);  // devices along its axes; 1 = unsplit
// The major-most factor of a dimension whose size is not 1.
uint32_t localize_factor(const Localizer *cx, uint32_t tensor, uint32_t d);

// ---- for both ----

const TypeInfo *localize_type(const Localizer *cx, uint32_t tensor);      // global
int64_t localize_size(const Localizer *cx, uint32_t tensor, uint32_t d);  // global
// The axes that shard a dimension of a tensor, by `splits` and `has`.
AxisList localize_axes(const Localizer *cx, uint32_t tensor, uint32_t d);
int64_t localize_tile(const Localizer *cx, uint32_t tensor, uint32_t d);  // ceil(size / devices)
double localize_bytes(const Localizer *cx, uint32_t tensor);              // of a shard
bool localize_is_uneven(const Localizer *cx, uint32_t tensor, uint32_t d);
// Bytes of a slice of size 1 along dimension d of a tensor's shard. Times the indices received, it
// gives the bytes received.
double localize_bytes_across(const Localizer *cx, uint32_t tensor, uint32_t d);
Attr localize_attr(const Localizer *cx, const char *name);  // 0 if absent
Ints localize_ints(const Localizer *cx, const char *name);  // empty if absent

// The shard of another value of the global program, sharded like a tensor of this op (or
// replicated), if the local program has it; else 0. For ops that look through their operand's op.
ValueId localize_find(const Localizer *cx, ValueId v, uint32_t tensor);
ValueId localize_find_replicated(const Localizer *cx, ValueId v);

// ---- for `localize` ----

// The global index at which this device's tile starts along d: tensor<i64>.
ValueId localize_offset(Localizer *cx, uint32_t tensor, uint32_t d);
// Copies the op and its regions, with these operands, attributes (0 = its own) and results of
// cx->out_types, which go to cx->out. Values from outside that regions use are replicated.
Status *localize_copy(Localizer *cx, const ValueId *operands, Attr attrs) MUST_USE;
// The same with results of the given types, which go to `out`; the caller slices or combines them.
Status *localize_copy_as(Localizer *cx, const ValueId *operands, Attr attrs, const Type *types,
                         ValueId *out) MUST_USE;
// Inlines a region of a copied op: moves its ops, except the terminator, to the end of a block and
// replaces the region's arguments by args. Returns the terminator, whose operands are the results.
// The caller erases the copied op.
OpId localize_inline_body(Localizer *cx, OpId copy, uint32_t region, BlockId to,
                          const ValueId *args);
// attrs (0: the op's own) with one attribute replaced.
Attr localize_with(Localizer *cx, Attr attrs, const char *name, Attr value);
// An init value that must contribute once to an unreduced result: the first device along the axes
// keeps it, the others take the reducer's identity.
ValueId localize_enter_once(Localizer *cx, ValueId value);
// The operands, with the reducer's identity as padding in dimensions that are reduced, and with
// localize_enter_once for inits.
const ValueId *localize_masked(Localizer *cx);
// The default `localize`: copies the op with masked operands.
Status *localize_default(Localizer *cx) MUST_USE;

// ---- columns of constants ----

// `splits` and `localize` of ops whose result is the attribute `value`, sliced at the device's
// offset.
void localize_constant_splits(Localizer *cx);
Status *localize_constant(Localizer *cx) MUST_USE;

#endif
