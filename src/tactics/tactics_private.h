// Inside of tactics: the view of a program that tactics read. Only src/tactics includes this.
#ifndef TESSERA_TACTICS_PRIVATE_H
#define TESSERA_TACTICS_PRIVATE_H

#include "annotate/names.h"
#include "tactics/tactics.h"

typedef enum ArgumentKind {
  ARGUMENT_DATA,       // no result replaces it
  ARGUMENT_PARAMETER,  // state that activations depend on
  ARGUMENT_MOMENT,     // state that no activation depends on
  ARGUMENT_CACHE,      // state that has the batch dimension
} ArgumentKind;

typedef struct TacticDim {
  AxisList axes;
  bool closed;       // by a given annotation
  int32_t priority;  // of the tactic that sharded it first; PRIORITY_NONE: none
} TacticDim;

// How a value is sharded.
typedef struct TacticSharding {
  TacticDim *dims;
  AxisList replicated;  // axes that propagation must not add
  bool changed;         // by a tactic
} TacticSharding;

typedef struct TacticArgument {
  ArgumentKind kind;
  uint32_t result;  // 1 + the result that replaces it; 0 = none
  PlaceId place;    // 0: it cannot be sharded
  uint32_t rank;
  const int64_t *sizes;
} TacticArgument;

// A contraction of the program and its FLOPs in all runs.
typedef struct Contraction {
  NodeId node;
  double flops;
  uint32_t weight;  // its tensor (0 or 1) that is a weight; NO_WEIGHT: none
} Contraction;
#define NO_WEIGHT UINT32_MAX
#define ORIGIN_MANY UINT32_MAX

// A sum over the batch that has the dimensions of a parameter.
typedef struct Gradient {
  PlaceId place;
  const char *name;      // "%12", unique in the program
  uint32_t parameter;    // argument
  const uint32_t *dims;  // per dimension: the parameter's
} Gradient;

struct Tactics {
  TacticInput in;
  const Mesh *mesh;
  Arena *arena;
  Names names;
  uint32_t n_arguments;
  TacticArgument *arguments;
  Contraction *contractions;
  uint32_t n_contractions;
  ClassId *ranked;  // classes of arguments, by the FLOPs that carry them without a weight
  uint32_t n_ranked;
  uint32_t *origin;   // per place: 1 + the argument that it is computed from; 0: none; ORIGIN_MANY
  ClassId batch;      // the first of them; 0 = none
  ClassId *of_edges;  // classes of arguments, each once
  uint32_t n_of_edges;
  Gradient *gradients;  // see find_gradients; NULL before
  uint32_t n_gradients;
  int32_t priority;  // of the next tactic
  // The state:
  TacticSharding *shardings;           // per argument
  TacticSharding *gradient_shardings;  // per gradient
};

// ---- view.c ----

Status *view_build(Tactics *t);
// The class along which a block split of dimension d splits: the major part of a product.
ClassId view_class(const Tactics *t, PlaceId place, uint32_t d);
bool view_has(const Tactics *t, PlaceId place, ClassId class);
// Roles of a class in a contraction, as bits: it is in tensor 0, tensor 1, the result.
enum { ROLE_LHS = 1, ROLE_RHS = 2, ROLE_OUT = 4, ROLE_BATCH = 7 };
uint32_t view_role(const Tactics *t, const Contraction *c, ClassId class);
int64_t view_size(const Tactics *t, ClassId class);
const char *view_argument_name(const Tactics *t, uint32_t argument);
// "dimension 0 of batch.tokens, size 32": the first argument that has the class.
const char *view_class_text(const Tactics *t, ClassId class);
// FLOPs of contractions in which windows slide along the class: its factor needs elements of
// neighbours.
double view_windowed_flops(const Tactics *t, ClassId class);
// Per class: a weight has it. In the arena.
const bool *view_in_weights(const Tactics *t);
// Finds gradients once.
void view_find_gradients(Tactics *t);

// ---- shard.c ----

// Adds the axis to a dimension. False, without a change, if the value has the axis already, if the
// dimension is closed, or if the axis does not divide it.
bool shard_dim(Tactics *t, TacticSharding *s, const int64_t *sizes, uint32_t rank, uint32_t d,
               uint32_t axis);
// The same for every dimension of a class, in all arguments of these kinds (bits). Returns the
// number of arguments.
uint32_t shard_class(Tactics *t, ClassId class, uint32_t kinds, uint32_t axis, TacticStep *step);
enum { ALL_KINDS = 15, DATA_KINDS = 1 << ARGUMENT_DATA | 1 << ARGUMENT_CACHE };
// The dimension with the largest tiles that the axis divides; -1 if there is none.
int32_t shard_largest(const Tactics *t, const TacticSharding *s, const int64_t *sizes,
                      uint32_t rank, uint32_t axis);
// Keeps the axis out of the value.
void shard_never(Tactics *t, TacticSharding *s, uint32_t rank, uint32_t axis);
// Counts an argument in the step, with its sharding as an example.
void shard_tell(Tactics *t, TacticStep *step, const char *name, const TacticSharding *s,
                uint32_t rank);

// ---- tactics: NOT_FOUND with what they looked for ----

#define TACTIC(name, doc)                                                                          \
  Status *tactic_##name(Tactics *t, uint32_t axis, TacticStep *step) MUST_USE;
#include "tactics/tactics.def"
#undef TACTIC

const char *axis_label(const Tactics *t, uint32_t axis);  // `x=4`

#endif
