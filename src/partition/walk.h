// Inside of partition: a program on its way from global to local. Only src/partition includes this.
#ifndef TESSERA_PARTITION_WALK_H
#define TESSERA_PARTITION_WALK_H

#include "cost/price.h"
#include "cost/trips.h"
#include "ops/functions.h"
#include "ops/localize.h"
#include "partition/partition.h"
#include "partition/redundant.h"
#include "partition/reshard_local.h"
#include "explain/words.h"
#include "propagate/propagate.h"

// A local value of a global one. A global value may have several, in different shardings: what its
// op made, and what users asked for since. Those made in a region go when it ends.
typedef struct Part Part;
struct Part {
  ValueId value;
  Sharding sharding;
  uint32_t used;  // when it was last, by the clock
  bool gathered;  // more than a device stores of it
  Part *next;
};

// Remembered: what it takes from one sharding to another.
typedef struct PriceRow {
  Sharding from, to;
  Type type;
  Price price;
} PriceRow;

// A region of control flow that is being walked: how often, if it is a loop's body.
typedef struct Rounds Rounds;
struct Rounds {
  OpId loop;  // 0 = none
  InstanceId instance;
  int64_t trips;  // at least 1
  bool sums_fit;  // sums that it carries in parts may be whole
  double room;    // bytes of what is the same in each round that may stand before it; -1 = none
  Rounds *around;
};

typedef struct RedundantNote RedundantNote;

typedef struct Partition {
  Program *p;
  ShardingTable *table;
  Context *context;
  Guard *guard;
  Diag *diag;
  const PartitionOptions *options;
  uint32_t n_ops;  // there were before
  uint32_t n_put;  // ops so far: those of a function that is written out count each time
  Arena arena, scratch;
  Propagation *given;
  const Graph *graph;
  InstanceId instance;  // of the function at hand
  MeshId mesh;          // of it
  MeshId *meshes;       // per instance that nothing calls
  InstanceId *roots;    // per instance: the one that nothing calls which it is reached from
  IdMap instance_ids;   // by call and caller
  Builder local;
  const Network *network;  // of the mesh: what reshards cost
  SymbolTable functions;   // the global ones
  uint32_t n_values;
  Part **parts;          // per global value, the last made first
  ValueId *only_there;   // per global value that has no parts: on the one device that uses it
  ValueId *cloned;       // per global value: while an op with regions is cloned; else 0
  uint32_t clock;        // ops walked so far
  VEC(ValueId) made;     // values that got a part, in order: what a region takes back
  VEC(PriceRow) prices;  // [0] unused
  IdMap price_ids;
  Words words;  // if reasons or redundant work are asked for
  VEC(RedundantNote) notes;
  VEC(Sharding) plain;  // per sharding, UINT32_MAX = not asked yet
  bool has_manual;      // computations
  uint32_t manual;      // depth of manual computations around
  uint32_t inlined;     // calls written out in them so far
  uint32_t depth;       // of blocks that are walked now
  Runs runs;            // of functions: which op calls which, callers first
  uint8_t *around;      // per op: the context that it stands in (copied.c)
  uint8_t *contexts;    // per function: those that it is called from
  Name *copied_as;      // per function: what copied regions call it; 0 = its own name
  bool *written_out;    // per function: where it is called
  Rounds *rounds;       // of the innermost region that is walked
  bool orders_effects;  // side effects happen on several devices
  uint32_t effect_at;   // where the last one did, in this block; NO_DEVICE: nobody knows
} Partition;

// ---- shardings (parts.c) ----

// Axes of dimensions and what is unreduced, on the program's mesh; nothing about the future.
Sharding walk_plain(Partition *t, Sharding sharding);
Sharding walk_place_sharding(Partition *t, PlaceId place);
// The same as the world outside sees it: on its own mesh, if that has the devices in another order
// (inside they have the tiles of the same places).
Sharding walk_place_outside(Partition *t, PlaceId place);
Sharding walk_wanted(Partition *t, ValueId v);  // what the program says; 0 = whole
bool walk_is_movable(const Partition *t, Type type);
static inline Type walk_part_type(Partition *t, Sharding sharding, Type global) {
  return sharding_local_type(t->table, sharding, global);
}

// ---- parts (parts.c) ----

void walk_set(Partition *t, ValueId v, ValueId local, Sharding sharding);
// The local value of a global one with the sharding asked for: made here if it is not there yet,
// from what costs least.
Status *walk_get(Partition *t, ValueId v, Sharding sharding, ValueId *out) MUST_USE;
// What that would cost now.
Price walk_price(Partition *t, ValueId v, Sharding sharding);
Price walk_reshard_price(Partition *t, Sharding from, Sharding to, Type type);
// A value that has come with one sharding and is to have another, which costs no exchange: has it
// at once. Else it waits for somebody to ask.
Status *walk_finish(Partition *t, ValueId v, ValueId local, Sharding has) MUST_USE;
// Made anew for each use wherever that saves an exchange: constants and the like.
bool walk_is_remade(const Partition *t, ValueId v);
Status *walk_remake(Partition *t, ValueId v, Sharding sharding) MUST_USE;  // with walk_set
uint32_t walk_mark(const Partition *t);
void walk_rewind(Partition *t, uint32_t mark);

// ---- functions (copied.c, written_out.c) ----

// From where functions are called. Requires t->runs. O(ops).
void walk_find_contexts(Partition *t);
// In a region that is copied as it is: a reducer.
bool walk_is_copied(const Partition *t, OpId op);
// Which functions are written where they are called. Requires the contexts. O(ops).
void walk_find_written_out(Partition *t);
// The function becomes a local one.
bool walk_is_local(const Partition *t, OpId function);
// Copied regions call the function: it also stays as it is.
bool walk_has_copy(const Partition *t, OpId function);
// Gives such copies of local functions names of their own. Requires both. O(ops).
void walk_name_copies(Partition *t);
// Drops shardings from everything inside a copy; its calls are of copies. Outside of manual
// computations there is one device, so an op there that asks which one it runs on, or exchanges
// with others, is UNIMPLEMENTED. O(size).
Status *walk_clean_copy(Partition *t, OpId root, bool global) MUST_USE;
// The same for all functions that have a copy, which the old function becomes. O(ops).
Status *walk_keep_copies(Partition *t) MUST_USE;

// ---- loops (once.c) ----

// A region of control flow is being walked, or no more. O(its size).
void walk_enter_region(Partition *t, OpId op, uint32_t region);
void walk_leave_region(Partition *t);
// How many rounds share one exchange if a value of the body goes from one sharding to the other: a
// loop does nothing with it but add it to what it carries. 1 if there is no such loop.
int64_t walk_times_summed(const Partition *t, ValueId v, Sharding has, Sharding wanted);
// The same for one that an op of the body takes with another sharding: it is the same in every
// round, and there is room to keep it.
int64_t walk_times_same(Partition *t, ValueId v, Sharding as);
void walk_keep_same(Partition *t, ValueId v, Sharding as);  // it was moved there

// ---- ops (split_op.c, choose.c) ----

// How an op can be split; false if it cannot. In scratch.
bool walk_factors(Partition *t, OpId op, FactorMap *out);
void localizer_init(Partition *t, OpId op, const FactorMap *m, Localizer *cx);
// What is chosen for one op.
typedef struct Choice {
  Localizer cx;
  Sharding *in_as, *out_as;
  bool shared;    // along axes that nothing asked for
  bool maybe;     // the price has what may be moved later, or not
  double unsure;  // transfer_seconds of results in the price that may be moved otherwise later
  Price price;
} Choice;
// The cheapest way that is known.
void choose_split(Partition *t, OpId op, const FactorMap *m, Choice *out);
// As result 0 with this sharding asks for.
void choose_for_result(Partition *t, OpId op, const FactorMap *m, Sharding sharding, Choice *out);

// Whether a factor of an op can be split at all. O(operands).
bool walk_can_split(Partition *t, OpId op, const FactorMap *m, uint32_t factor);

Status *walk_split_op(Partition *t, OpId op) MUST_USE;
Status *walk_whole_op(Partition *t, OpId op) MUST_USE;
Status *walk_copy_op(Partition *t, OpId op, const ValueId *operands, Attr attrs, const Type *types,
                     OpId *out) MUST_USE;

// ---- redundant work (redundant.c) ----

// An op was written behind the local op `before` (0: from the block's beginning); cx is NULL if it
// is whole. Nothing if nobody asked.
void walk_note(Partition *t, OpId op, const Localizer *cx, OpId before);
// Makes rows of the notes, once the local program is whole and the global one still there.
void walk_list_redundant(Partition *t);

// ---- control flow and the rest (flow.c) ----

Status *walk_flow(Partition *t, OpId op, Flow flow) MUST_USE;
Status *walk_body(Partition *t, OpId op) MUST_USE;
Status *walk_call(Partition *t, OpId op, OpId callee) MUST_USE;
Status *walk_terminator(Partition *t, OpId op, const Sharding *targets) MUST_USE;

// ---- on one device (on_device.c) ----

// Whether side effects happen on several devices: then these wait for each other. O(program).
void walk_find_effects(Partition *t);
// What the world notices happens once, on the mesh's first device, with whole operands; what it
// gives is sent to all.
Status *walk_effects(Partition *t, OpId op) MUST_USE;
// An op with a single-device sharding, on that device. *out_done is false, and nothing written, if
// it has none, or one that the mesh does not have.
Status *walk_on_device(Partition *t, OpId op, bool *out_done) MUST_USE;

// ---- the walk (partition.c) ----

// UNIMPLEMENTED, said at its place: 'stablehlo.send' op WHAT: this cannot be partitioned.
Status *walk_unimplemented(Partition *t, OpId op, const char *what) MUST_USE;

// Ops that only say how a value is to be cut: it is its operand.
bool walk_only_says(uint16_t code);

Status *walk_block(Partition *t, BlockId block) MUST_USE;

// The instance that a call in an instance has for itself; 0 if it has none.
InstanceId walk_instance_at(const Partition *t, OpId call, InstanceId caller);

#endif
