// One op's step of propagation: shardings of its operands and results seen as axes per factor, and
// what follows from them for each other.
//
//   add: ([i, j], [i, j]) -> [i, j]     <[{"x"}, {?}]>, none, none  =>  all get i: "x"
//
// A pure function of the factor map, the mode and the shardings: callers may remember its answers.
#ifndef TESSERA_SHARDING_PROJECT_H
#define TESSERA_SHARDING_PROJECT_H

#include "sharding/factor.h"
#include "sharding/sharding.h"

// Which way axes may travel along a factor.
typedef enum Direction {
  DIRECTION_NONE = 0,
  DIRECTION_FORWARD = 1,   // operands to results
  DIRECTION_BACKWARD = 2,  // results to operands
  DIRECTION_BOTH = 3,      // and between operands
} Direction;

typedef struct ProjectMode {
  uint8_t pass;       // Direction along factors that pass through
  uint8_t other;      // Direction along all others; none along blocked ones
  bool aggressive;    // else basic: only what conflicts with nothing
  bool elementwise;   // sideways only what the results have too
  bool conservative;  // no sub-axes
  bool by_cost;       // conflicts go to what moves fewer elements, not to the larger tensor
} ProjectMode;

// in, out: one sharding per tensor, operands first (0 = nothing is said, fully open); out may be
// in. An output differs from its input only by axes added at the end of open dimensions (then
// priorities are dropped, and 0 or an empty mesh becomes a sharding on the mesh of the others).
// False if nothing is new. Tensors on different meshes stay as they are. The scratch arena is left
// as it was. O(tensors · factors · axes²).
bool project_step(ShardingTable *table, const FactorMap *map, ProjectMode mode, const Sharding *in,
                  Sharding *out, Arena *scratch);

// The mesh that all of them are on; empty meshes count only if there is no other. 0 if they have
// none or several.
MeshId project_mesh(const ShardingTable *table, uint32_t n, const Sharding *shardings);

// ---- looking at it: for explanations ----

// Axes of one dimension given to its factors, major to minor.
typedef struct FactorAxes {
  AxisList axes;
  AxisList overflow;  // axes that do not divide the factor, nor anything after it
  bool closed;
  bool minor_most;  // of its dimension
  bool present;     // the tensor has the factor
} FactorAxes;

// out: n_factors entries of one tensor; lists in the arena.
void project_tensor(const ShardingTable *table, const FactorMap *map, uint32_t tensor,
                    Sharding sharding, const Mesh *mesh, Arena *arena, FactorAxes *out);

#endif
