// One op's step of propagation: the shardings of its operands and results as axes per factor, and
// what they imply for each other.
//
//   add: ([i, j], [i, j]) -> [i, j]     <[{"x"}, {?}]>, none, none  =>  all get i: "x"
//
// A pure function of the factor map, the mode and the shardings, so callers may cache it.
#ifndef TESSERA_SHARDING_PROJECT_H
#define TESSERA_SHARDING_PROJECT_H

#include "sharding/factor.h"
#include "sharding/sharding.h"

// The direction in which axes propagate along a factor.
typedef enum Direction {
  DIRECTION_NONE = 0,
  DIRECTION_FORWARD = 1,   // operands to results
  DIRECTION_BACKWARD = 2,  // results to operands
  DIRECTION_BOTH = 3,      // and between operands
} Direction;

typedef struct ProjectMode {
  uint8_t pass;       // Direction along pass-through factors
  uint8_t other;      // Direction along other factors; blocked ones have none
  bool aggressive;    // else basic: only axes without any conflict
  bool elementwise;   // between operands only axes that the results have, too
  bool conservative;  // no sub-axes
  bool by_cost;       // conflicts: prefer fewer moved elements, not the larger tensor
} ProjectMode;

// in, out: one sharding per tensor, operands first (0 = none, fully open); out may be in. An output
// extends its input by axes at the end of open dimensions; then priorities are dropped, and 0 or an
// empty mesh becomes a sharding on the mesh of the others. False if nothing changes. Tensors on
// different meshes stay as they are. Restores the scratch arena. O(tensors · factors · axes²).
bool project_step(ShardingTable *table, const FactorMap *map, ProjectMode mode, const Sharding *in,
                  Sharding *out, Arena *scratch);

// The mesh of all shardings; an empty mesh counts only if there is no other. 0 if they have none or
// several.
MeshId project_mesh(const ShardingTable *table, uint32_t n, const Sharding *shardings);

// ---- for explanations ----

// The axes of one factor of a tensor, major to minor.
typedef struct FactorAxes {
  AxisList axes;
  AxisList overflow;  // axes that divide neither this factor nor a later one
  bool closed;
  bool minor_most;  // the minor-most factor of its dimension
  bool present;     // the tensor has the factor
} FactorAxes;

// out: n_factors entries for one tensor; lists are in the arena.
void project_tensor(const ShardingTable *table, const FactorMap *map, uint32_t tensor,
                    Sharding sharding, const Mesh *mesh, Arena *arena, FactorAxes *out);

#endif
