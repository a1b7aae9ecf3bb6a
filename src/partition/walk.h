// Inside of partition: a program on its way from global to local. Only src/partition includes this.
//
// Two stages share the struct Partition. The first walks the global program in program order on
// shardings alone and appends decisions (decide.c and the files it calls). The second writes the
// decisions (write.c, write_op.c). O(ops in all inlined calls) each.
#ifndef TESSERA_PARTITION_WALK_H
#define TESSERA_PARTITION_WALK_H

#include "cost/price.h"
#include "cost/trips.h"
#include "explain/words.h"
#include "ops/functions.h"
#include "ops/localize.h"
#include "partition/decisions.h"
#include "partition/given.h"
#include "partition/partition.h"
#include "partition/redundant.h"
#include "partition/reshard_local.h"
#include "propagate/propagate.h"

// A copy that a value has now. A value may have several, in different shardings: what its op made,
// and what users needed since. Copies made in a region go when it ends.
typedef struct Copy Copy;
struct Copy {
  CopyId id;
  Sharding sharding;
  uint32_t used;  // when it was last, by the clock
  bool gathered;  // larger than what a device stores of the value
  Copy *next;
};

// A price of a reshard, computed once.
typedef struct PriceRow {
  Sharding from, to;
  Type type;
  Price price;
} PriceRow;

// A region of control flow that is being walked, with its trip count if it is a loop's body.
typedef struct LoopFrame LoopFrame;
struct LoopFrame {
  OpId loop;  // 0: it is no loop
  InstanceId instance;
  int64_t trips;  // at least 1
  bool sums_fit;  // partial sums that it carries may be as large as the unsharded value
  double room;    // bytes of loop invariants that may be kept before it; -1 = none
  LoopFrame *around;
};

typedef struct RedundantNote RedundantNote;

struct Partition {
  Program *p;
  ShardingTable *table;
  Context *context;
  Guard *guard;
  Diag *diag;
  PartitionOptions options;
  Arena arena, scratch;

  // ---- the global program ----
  uint32_t n_ops, n_values;
  SymbolTable functions;
  Propagation *shardings;  // of the annotations in the program: one per place
  const Graph *graph;
  MeshId *meshes;         // per root instance
  InstanceId *roots;      // per instance: the one without a caller that it is reached from
  IdMap instance_ids;     // by call and caller
  Runs runs;              // of functions: which op calls which, callers first
  uint8_t *around;        // per op: the context that it stands in (copied.c)
  uint8_t *contexts;      // per function: the contexts that it is called from
  Name *copied_as;        // per function: its name in copied regions; 0 = its own name
  bool *inlined;          // per function: at all of its calls
  bool has_manual;        // computations
  bool orders_effects;    // side effects happen on several devices
  GivenDecisions *given;  // decisions from outside; NULL = none
  uint32_t *numbers;      // per op: its place in the pre-order walk, from 1; NULL if not needed
  OpId *by_number;
  Pos *positions;  // per number
  uint32_t n_numbers;
  bool *refused;  // per op: its columns could not write it on shards

  // ---- the function and op at hand ----
  InstanceId instance;
  MeshId mesh;
  const Network *network;    // of the mesh
  Builder local;             // of columns; while deciding, its block is 0
  uint32_t depth;            // of blocks
  uint32_t manual;           // depth of manual computations
  uint32_t n_inlined;        // calls inlined in manual computations so far
  uint32_t visit, n_visits;  // of the inlined call at hand, if its instance has several; so far
  LoopFrame *frame;          // of the innermost region
  uint32_t effect_at;    // position of the last side effect in this block; NO_DEVICE = not known
  uint32_t clock;        // ops walked so far
  uint32_t n_walked;     // the same for progress: ops of inlined functions count each time
  VEC(FoundCopy) found;  // by columns of the op

  // ---- values ----
  Copy **copies;          // per value, the last made first
  CopyId *on_one_device;  // per value without copies: where its only users are
  VEC(ValueId) made;      // values that got a copy, in order: what the end of a region takes back
  VEC(PriceRow) prices;   // [0] unused
  IdMap price_ids;
  VEC(Sharding) on_mesh;  // per sharding: on the mesh at hand; UINT32_MAX = not computed yet
  Words words;            // if reasons or redundant work are requested

  // ---- decided ----
  VEC(Decision) decisions;
  VEC(CopyInfo) infos;  // per copy; [0] unused
  VEC(RedundantNote) notes;
};

// ---- shardings (copies.c) ----

// The axes of dimensions and the unreduced axes, on the mesh at hand; without replicated axes,
// priorities and openness. 0 if nothing is sharded, or if the sharding's own mesh does not fit.
Sharding walk_on_mesh(Partition *t, Sharding sharding);
// The sharding of a place as it is annotated, inferred or given; 0 = none.
Sharding walk_given_sharding(const Partition *t, PlaceId place);
// False: the mesh of the sharding has another number of devices than that of the function, so the
// place is replicated.
bool walk_fits_mesh(const Partition *t, PlaceId place, Sharding sharding);
// The same on the mesh at hand.
Sharding walk_place_sharding(Partition *t, PlaceId place);
// The same as callers of the program see it. It differs if the place's mesh has the devices in
// another order: then it is on that mesh.
Sharding walk_place_outside(Partition *t, PlaceId place);
// The sharding that the value's place has, annotated or inferred; 0 = replicated.
Sharding walk_required(Partition *t, ValueId v);
// False: values of the type stay replicated.
bool walk_is_movable(const Partition *t, Type type);
static inline Type walk_local_type(Partition *t, Sharding sharding, Type global) {
  return sharding_local_type(t->table, sharding, global);
}

// ---- copies (copies.c) ----

// A new copy; its decision makes it. 0 for type: as the sharding says.
CopyId walk_new_copy(Partition *t, ValueId v, Sharding sharding, Type type);
// A new copy by a reshard of another; without a price and a reason.
CopyId walk_decide_reshard(Partition *t, ValueId v, CopyId from, Sharding has, Sharding to);
void walk_set(Partition *t, ValueId v, CopyId copy, Sharding sharding);
// A copy of a value in a sharding. If there is none, decides to reshard the one from which that is
// cheapest, or to rematerialize the value.
Status *walk_get(Partition *t, ValueId v, Sharding sharding, CopyId *out) MUST_USE;
// The price of that now.
Price walk_price(Partition *t, ValueId v, Sharding sharding);
Price walk_reshard_price(Partition *t, Sharding from, Sharding to, Type type);
// A value that its op gives with one sharding. If the required sharding costs no communication, it
// is made at once; otherwise it is made when a user needs it.
Status *walk_finish(Partition *t, ValueId v, CopyId copy, Sharding has) MUST_USE;
// Constants and the like: computed once more for each sharding, if that saves communication.
bool walk_is_rematerialized(const Partition *t, ValueId v);
Status *walk_rematerialize(Partition *t, ValueId v, Sharding sharding) MUST_USE;  // with walk_set
uint32_t walk_mark(const Partition *t);
void walk_rewind(Partition *t, uint32_t mark);

// ---- functions (copied.c, inline.c) ----

// From where functions are called. Requires t->runs. O(ops).
void walk_find_contexts(Partition *t);
// In a region that is copied as it is: a reducer.
bool walk_is_copied(const Partition *t, OpId op);
// Which functions are inlined. Requires the contexts. O(ops).
Status *walk_find_inlined(Partition *t) MUST_USE;
// The function becomes a local one.
bool walk_is_local(const Partition *t, OpId function);
// Copied regions call the function: it also stays as it is.
bool walk_has_copy(const Partition *t, OpId function);
// Chooses names for such copies of local functions. Requires both. O(ops).
void walk_name_copies(Partition *t);
// Removes shardings from everything inside a copy; its calls are of copies. Outside of manual
// computations there is one device. So an op there that depends on the device id or communicates is
// UNIMPLEMENTED. O(size).
Status *walk_clean_copy(Partition *t, OpId root, bool global) MUST_USE;
// The same for all functions that have a copy, which the old function becomes. O(ops).
Status *walk_keep_copies(Partition *t) MUST_USE;

// ---- loops (once.c) ----

// A region of control flow begins, or ends. O(its size).
void walk_enter_region(Partition *t, OpId op, uint32_t region);
void walk_leave_region(Partition *t);
// How many iterations share one reshard of a value of the body from `has` to `required`: the trip
// count if the loop only adds the value to a carry, since the sum is reduced behind the loop. 1 if
// there is no such loop.
int64_t walk_times_summed(const Partition *t, ValueId v, Sharding has, Sharding required);
// The same for a loop invariant that an op of the body needs in a sharding, if there is room to
// keep it.
int64_t walk_times_same(Partition *t, ValueId v, Sharding as);
void walk_keep_same(Partition *t, ValueId v, Sharding as);  // it is kept: takes room

// ---- ops (decide_op.c, choose.c) ----

// The factor map of an op, in the arena; false if it runs on replicated operands.
bool walk_factors(Partition *t, OpId op, Arena *arena, FactorMap *out);
void localizer_init(Partition *t, OpId op, const FactorMap *m, Localizer *cx);
// How an op runs on shards, while choices are compared. In scratch.
typedef struct Choice {
  Localizer cx;
  Sharding *in_as, *out_as;
  bool shared;    // over axes that no sharding around the op has
  bool maybe;     // the price has a reshard that may not happen
  double unsure;  // transfer_seconds in the price of results that may be resharded otherwise
  Price price;
  bool partial;     // partial sums of operands pass through
  const char *why;  // why it was chosen
} Choice;
// The cheapest of the choices that are tried.
void choose_split(Partition *t, OpId op, const FactorMap *m, Choice *out);
// The choice that gives result 0 this sharding, or comes closest.
void choose_for_result(Partition *t, OpId op, const FactorMap *m, Sharding sharding, Choice *out);
// The given axes per factor. If the op cannot be split so, *out_refused says why, else it is NULL.
void choose_given(Partition *t, OpId op, const FactorMap *m, const GivenDecision *given,
                  Choice *out, const char **out_refused);
// Whether a factor of an op can be split at all. O(operands).
bool walk_can_split(Partition *t, OpId op, const FactorMap *m, uint32_t factor);

Status *walk_split_op(Partition *t, OpId op) MUST_USE;
Status *walk_replicated_op(Partition *t, OpId op) MUST_USE;

// ---- redundant work (redundant.c) ----

// What is known of an op's redundant work when it is decided; cx is NULL if the op is replicated.
// NULL if redundant work is not requested.
RedundantNote *walk_note(Partition *t, OpId op, const Localizer *cx);
// Adds the FLOPs of the local ops behind `before` (0: from the block's beginning).
void walk_note_written(Partition *t, RedundantNote *note, BlockId block, OpId before);
// Makes rows of the notes, once the local program is complete and the global one still there.
void walk_list_redundant(Partition *t);

// ---- control flow and the rest (decide_flow.c) ----

Status *walk_flow(Partition *t, OpId op, Flow flow) MUST_USE;
Status *walk_body(Partition *t, OpId op) MUST_USE;
Status *walk_call(Partition *t, OpId op, OpId callee) MUST_USE;
Status *walk_terminator(Partition *t, OpId op, const Sharding *targets) MUST_USE;

// ---- on one device (decide_device.c) ----

// Whether side effects happen on several devices: then these wait for each other. O(program).
void walk_find_effects(Partition *t);
// An op with side effects runs once, on the mesh's first device, on replicated operands; its
// results are sent to all devices.
Status *walk_effects(Partition *t, OpId op) MUST_USE;
// An op with a single-device sharding, on that device. *out_done is false, and nothing decided, if
// it has none, or one that the mesh does not have.
Status *walk_on_device(Partition *t, OpId op, bool *out_done) MUST_USE;

// ---- the walk (decide.c) ----

// Appends a decision about an op of the instance at hand, with room for copies.
Decision *walk_decide(Partition *t, DecisionKind kind, OpId op, uint32_t n_in, uint32_t n_out);
// The copies of a decision that is being made.
static inline CopyId *decision_in(Decision *d) { return (CopyId *)d->in; }
static inline CopyId *decision_out(Decision *d) { return (CopyId *)d->out; }
// Replicated copies of what regions of an op read from outside. O(size of the op).
Status *walk_capture(Partition *t, OpId op, const FoundCopy **out, uint32_t *out_n) MUST_USE;

// UNIMPLEMENTED, with the op's location: 'stablehlo.send' op WHAT: this cannot be partitioned.
Status *walk_unimplemented(Partition *t, OpId op, const char *what) MUST_USE;

// The op is an annotation of its operand.
bool walk_only_annotates(uint16_t code);

Status *walk_block(Partition *t, BlockId block) MUST_USE;
// All local functions.
Status *walk_functions(Partition *t) MUST_USE;

// The instance that a call in an instance has for itself; 0 if it has none.
InstanceId walk_instance_at(const Partition *t, OpId call, InstanceId caller);
// The mesh of an instance becomes the one at hand.
void walk_use_mesh(Partition *t, InstanceId instance);

// ---- writing (write.c, write_op.c) ----

// Control flow whose regions are being written.
typedef struct OpenFlow {
  OpId op, made;  // of the global and of the local program
  BlockId outer;
} OpenFlow;

typedef struct Writer {
  Partition *t;
  Builder *b;
  ValueId *values;         // per copy: the local value
  const Network *network;  // of the function at hand
  VEC(OpenFlow) open;      // innermost last
  ValueId *cloned;         // per global value: while an op with regions is cloned; else 0
  VEC(OpId) functions;     // made so far
  bool refused;            // an op could not be written on shards (t->refused)
} Writer;

// Writes all decisions as new functions beside the old ones. If w->refused, these are not valid.
Status *write_decisions(Writer *w) MUST_USE;
Status *write_op(Writer *w, const Decision *d) MUST_USE;
// A copy of an op on local operands, at the end of the builder's block.
Status *write_copy(Writer *w, const Decision *d, const ValueId *operands, Attr attrs,
                   const Type *types, OpId *out) MUST_USE;
static inline ValueId write_value(const Writer *w, CopyId copy) { return w->values[copy]; }
const ValueId *write_operands(Writer *w, const Decision *d);

#endif
