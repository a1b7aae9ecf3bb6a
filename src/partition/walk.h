// Inside of partition: the state of both stages. Only src/partition includes this.
//
// The decide stage walks the global program in program order on shardings alone and appends
// decisions (decide.c and the files it calls). The write stage writes the decisions as the local
// program (write.c, write_op.c). O(ops in all inlined calls) each.
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
#include "reshard/memo.h"
#include "strategy/splitter.h"

// A copy that a value has at this point of the walk. A value may have several, in different
// shardings: the one that its op makes, and those that users needed since. Copies made in a region
// end with it.
typedef struct Copy Copy;
struct Copy {
  CopyId id;
  Sharding sharding;
  uint32_t used;  // Partition.clock at its last use
  bool gathered;  // of an argument, by communication: forgotten after a while (copies.c)
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
  uint8_t *around;        // per op: the contexts around it (copied.c)
  uint8_t *contexts;      // per function: the contexts that it is called from
  Name *copied_as;        // per function: its name in copied regions; 0 = its own name
  bool *inlined;          // per function: at all of its calls
  bool has_manual;        // the program has manual computations
  bool orders_effects;    // side effects happen on several devices
  GivenDecisions *given;  // decisions from outside; NULL = none
  uint32_t *numbers;      // per op: its number in JSON, from 1 in program order; NULL if not needed
  OpId *by_number;
  Pos *positions;  // per number
  uint32_t n_numbers;
  bool *refused;  // per op: its columns could not write it on shards

  // ---- the function and op at hand ----
  InstanceId instance;
  MeshId mesh;
  const Network *network;    // of the mesh
  Compute compute;           // of one of its devices
  Builder local;             // for columns; while deciding, its block is 0
  uint32_t depth;            // of blocks
  uint32_t manual;           // depth of manual computations
  uint32_t n_inlined;        // calls inlined in manual computations so far
  uint32_t visit, n_visits;  // of the inlined call at hand, if its instance has several; so far
  LoopFrame *frame;          // the innermost region
  uint32_t effect_at;    // position of the last side effect in this block; NO_DEVICE = not known
  uint32_t clock;        // ops walked so far
  uint32_t n_walked;     // the same, for progress
  VEC(FoundCopy) found;  // copies that the op's columns looked up

  // ---- values ----
  Copy **copies;          // per value, the last made first
  CopyId *on_one_device;  // per value that only the device of its users has; 0 = none
  VEC(ValueId) made;      // values that got a copy, in order: walk_rewind removes these copies
  VEC(PriceRow) prices;   // [0] unused
  IdMap price_ids;
  ReshardMemo *memo;      // plans of reshards, if the options have none
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

// A new copy, which the caller's decision makes. type: of the local value; 0 = that of the shard.
CopyId walk_new_copy(Partition *t, ValueId v, Sharding sharding, Type type);
// A new copy by a reshard of another; without a price and a reason.
CopyId walk_decide_reshard(Partition *t, ValueId v, CopyId from, Sharding has, Sharding to);
// Adds a copy to those that a value has.
void walk_set(Partition *t, ValueId v, CopyId copy, Sharding sharding);
// A copy of a value in a sharding. If there is none, decides to reshard the one from which that is
// cheapest, or to rematerialize the value.
Status *walk_get(Partition *t, ValueId v, Sharding sharding, CopyId *out) MUST_USE;
// The price of walk_get at this point of the walk.
Price walk_price(Partition *t, ValueId v, Sharding sharding);
Price walk_reshard_price(Partition *t, Sharding from, Sharding to, Type type);
// Adds the copy that an op makes of a result. A copy in the required sharding follows at once if it
// needs no communication; otherwise it is made when a user needs it.
Status *walk_finish(Partition *t, ValueId v, CopyId copy, Sharding has) MUST_USE;
// True for constants, iota and broadcasts of replicated values: they are computed again for each
// sharding, if that saves communication.
bool walk_is_rematerialized(const Partition *t, ValueId v);
Status *walk_rematerialize(Partition *t, ValueId v, Sharding sharding) MUST_USE;  // with walk_set
// Removes all copies that were added since the mark: a region ends.
uint32_t walk_mark(const Partition *t);
void walk_rewind(Partition *t, uint32_t mark);

// ---- functions (copied.c, inline.c) ----

// Finds the contexts that functions are called from. Requires t->runs. O(ops).
void walk_find_contexts(Partition *t);
// Is the op in a region that is copied unchanged (a reducer)?
bool walk_is_copied(const Partition *t, OpId op);
// Chooses the functions that are inlined. Requires the contexts. O(ops).
Status *walk_find_inlined(Partition *t) MUST_USE;
// Does the function become a local function?
bool walk_is_local(const Partition *t, OpId function);
// Do copied regions call the function? Then the global function stays, too.
bool walk_has_copy(const Partition *t, OpId function);
// Names the functions that stay beside a local function of the same name. Requires contexts and
// inlined functions. O(ops).
void walk_name_copies(Partition *t);
// Removes shardings from the ops inside a copied op or function, and makes their calls name copied
// functions. UNIMPLEMENTED if `global` (outside of manual computations, where there is one device)
// and an op depends on the device id or communicates. O(size).
Status *walk_clean_copy(Partition *t, OpId root, bool global) MUST_USE;
// The same for all functions that stay; gives them their new names. O(ops).
Status *walk_keep_copies(Partition *t) MUST_USE;

// ---- loops (once.c) ----

// The walk enters or leaves a region of control flow. O(size of the region).
void walk_enter_region(Partition *t, OpId op, uint32_t region);
void walk_leave_region(Partition *t);
// How many iterations share one reshard of a value of the body from `has` to `required`: the trip
// count if the loop only adds the value to a carry, since the sum is reduced behind the loop. 1 if
// there is no such loop.
int64_t walk_accumulated_trips(const Partition *t, ValueId v, Sharding has, Sharding required);
// The same for a loop invariant that an op of the body needs in a sharding, if there is memory to
// keep it. walk_keep_invariant takes the memory.
int64_t walk_invariant_trips(Partition *t, ValueId v, Sharding as);
void walk_keep_invariant(Partition *t, ValueId v, Sharding as);

// ---- ops (decide_op.c, choose.c) ----

// The factor map of an op, in the arena; false if the op must run on replicated operands.
bool walk_factors(Partition *t, OpId op, Arena *arena, FactorMap *out);
// A Localizer for an op that is not split yet, in scratch, with the copies of its operands.
void localizer_init(Partition *t, OpId op, const FactorMap *m, Localizer *cx);
// A way to run an op on shards, while choices are compared. In scratch.
typedef struct Choice {
  Localizer cx;              // axes per factor
  Sharding *in_as, *out_as;  // of operands and results
  bool shared;               // it is split over axes that no sharding around the op has
  bool maybe;                // some reshards in the price may not happen
  double unsure;             // transfer_seconds of result reshards to shardings that may change
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

// Decides about an op without data flow of its own: on shards, or on replicated operands.
Status *walk_split_op(Partition *t, OpId op) MUST_USE;
Status *walk_replicated_op(Partition *t, OpId op) MUST_USE;

// ---- redundant work (redundant.c) ----

// A note of an op's redundant work, from its decision; cx is NULL if the op is replicated. NULL if
// redundant work is not requested.
RedundantNote *walk_note(Partition *t, OpId op, const Localizer *cx);
// Adds the FLOPs of the local ops behind `before` (0: from the block's beginning).
void walk_note_written(Partition *t, RedundantNote *note, BlockId block, OpId before);
// Makes rows of the notes, once the local program is complete and the global one still there.
void walk_list_redundant(Partition *t);

// ---- control flow and the rest (decide_flow.c) ----

Status *walk_flow(Partition *t, OpId op, Flow flow) MUST_USE;  // loops, branches, barriers
Status *walk_body(Partition *t, OpId op) MUST_USE;             // named and manual computations
Status *walk_call(Partition *t, OpId op, OpId callee) MUST_USE;
// Ends a region. targets: per operand, the required sharding; NULL = all replicated.
Status *walk_terminator(Partition *t, OpId op, const Sharding *targets) MUST_USE;

// ---- on one device (decide_device.c) ----

// Do side effects happen on several devices? Then they wait for each other. O(program).
void walk_find_effects(Partition *t);
// An op with side effects runs once, on the mesh's first device, on replicated operands; its
// results are sent to all devices.
Status *walk_effects(Partition *t, OpId op) MUST_USE;
// Decides about an op with a single-device sharding. *out_done is false, and nothing is decided, if
// the op has none or the mesh does not have the device.
Status *walk_on_device(Partition *t, OpId op, bool *out_done) MUST_USE;

// ---- the walk (decide.c) ----

// Appends a decision about an op of the instance at hand, with room for copies.
Decision *walk_decide(Partition *t, DecisionKind kind, OpId op, uint32_t n_in, uint32_t n_out);
// The copies of a decision that is being made.
static inline CopyId *decision_in(Decision *d) { return (CopyId *)d->in; }
static inline CopyId *decision_out(Decision *d) { return (CopyId *)d->out; }
// Replicated copies of the values that regions of an op read from outside. O(size of the op).
Status *walk_capture(Partition *t, OpId op, const FoundCopy **out, uint32_t *out_n) MUST_USE;

// UNIMPLEMENTED, with the op's location: 'stablehlo.send' op WHAT: this cannot be partitioned.
Status *walk_unimplemented(Partition *t, OpId op, const char *what) MUST_USE;

// Is the op an annotation of its operand and nothing else?
bool walk_only_annotates(uint16_t code);

Status *walk_block(Partition *t, BlockId block) MUST_USE;
// All local functions.
Status *walk_functions(Partition *t) MUST_USE;

// The instance of a call in an instance; 0 if several calls share one.
InstanceId walk_instance_at(const Partition *t, OpId call, InstanceId caller);
// Sets t->mesh and t->network to those of an instance.
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
