// Tactics: shardings of arguments that experts write by hand, found from the structure of a
// program. A plan is a list of them, in order; each annotates arguments, and a later one only adds
// axes to what earlier ones decided.
//
//   data:x        batch.tokens [{"x"}, {}]                            the batch
//   megatron:y    mlp.up.kernel [{}, {"y"}], mlp.down.kernel [{"y"}, {}]
//   zero1:x       m.mlp.up.kernel [{"x"}, {"y"}]                      moments
//
// Tactics read classes of dimensions (sharding/classes.h), FLOPs and data flow. They read neither
// names nor kinds of ops.
#ifndef TESSERA_TACTICS_TACTICS_H
#define TESSERA_TACTICS_TACTICS_H

#include "annotate/given.h"

typedef enum TacticKind {
#define TACTIC(name, doc) TACTIC_##name,
#include "tactics/tactics.def"
#undef TACTIC
  TACTIC_COUNT,
} TacticKind;

const char *tactic_name(TacticKind kind);
const char *tactic_doc(TacticKind kind);

// One item of a list of tactics.
typedef struct Tactic {
  TacticKind kind;
  uint32_t axis;  // of the mesh; MESH_NO_AXIS: none (auto)
} Tactic;

typedef struct TacticList {
  const Tactic *v;
  uint32_t n;
} TacticList;

// Reads `data:x, megatron:y, auto`. `data(x)` is the same as `data:x`. INVALID_ARGUMENT for an
// unknown tactic, an unknown axis, a missing axis. The list is in the arena. O(text · tactics).
Status *tactics_read(Str text, const Context *context, const Mesh *mesh, Arena *arena,
                     TacticList *out) MUST_USE;

// A program to shard. Everything is borrowed and must outlive the Tactics.
typedef struct TacticInput {
  const Graph *graph;  // of the program with its calls inlined
  ShardingTable *table;
  MeshId mesh;
  const Givens *givens;   // annotations, which tactics only extend; NULL = none
  OpId entry;             // the function whose arguments are sharded
  const uint32_t *state;  // per argument: 1 + the result that replaces it; 0 = none. NULL = none
  Diag *diag;             // for errors in names of dimensions (annotate/names.h)
  Arena *arena;           // of all results
} TacticInput;

// What one tactic did.
typedef struct TacticStep {
  Tactic tactic;
  uint32_t n_annotated;     // arguments and values that got the axis
  const char *found;        // "the batch: dimension 0 of batch.tokens, size 32"
  const char *examples[3];  // "batch.tokens [{"x"}, {}]"; NULL after the last one
} TacticStep;

typedef struct Tactics Tactics;

// Analyzes the program. INVALID_ARGUMENT if the program names dimensions (tessera.dims)
// inconsistently. O(graph · α).
Status *tactics_new(const TacticInput *in, Tactics **out) MUST_USE;
// Applies one tactic. NOT_FOUND if nothing can be sharded; the message says what it looked for, and
// nothing changes. Not for TACTIC_auto. O(graph).
Status *tactics_apply(Tactics *t, Tactic tactic, TacticStep *out) MUST_USE;
// The annotations of all tactics so far, as --shard rules, one per line; in the arena. They include
// the given annotations of the same arguments, so they must come before other rules. The dimensions
// of each tactic have a priority of their own: earlier tactics propagate first. "" if there are
// none.
const char *tactics_rules(const Tactics *t);

// The axes of an argument's dimensions so far: `[{"x"}, {}]`. In the arena.
const char *tactics_sharding(const Tactics *t, uint32_t argument);
// The axes of one of them. Valid until the next tactic.
AxisList tactics_axes(const Tactics *t, uint32_t argument, uint32_t dim);

// ---- search ----

// Undoes: tactics_restore returns to the state at tactics_save. O(arguments).
typedef struct TacticMark TacticMark;
TacticMark *tactics_save(Tactics *t);
void tactics_restore(Tactics *t, const TacticMark *mark);

// Shards all arguments that have one class of dimensions. tactics_n_classes: how many classes
// arguments have; 0 <= i < n. False if nothing can be sharded.
uint32_t tactics_n_classes(const Tactics *t);
bool tactics_shard_class(Tactics *t, uint32_t i, uint32_t axis, TacticStep *out);

// ---- candidates for the planner ----

// A composition of tactics that experts use.
typedef struct TacticCandidate {
  const char *name;   // "data:x, megatron:y, zero1:x": tactics_read reads it
  const char *rules;  // tactics_rules after it
} TacticCandidate;

typedef struct TacticCandidates {
  const TacticCandidate *v;
  uint32_t n;
} TacticCandidates;

// Standard compositions for the mesh, from the present state, which is unchanged: data on all axes;
// data and megatron on each assignment of axes; experts, sequence, space; each also with ZeRO 1 and
// 3 on the data axes. Compositions with a tactic that finds nothing, and those that shard equally,
// are left out. O(axes! · graph) for at most 3 axes; other meshes have data and megatron in the
// mesh's order only.
TacticCandidates tactics_candidates(Tactics *t);

#endif
