// Shardings and meshes as JSON (docs/partition-decisions.md).
#ifndef TESSERA_SHARDING_SHARDING_JSON_H
#define TESSERA_SHARDING_SHARDING_JSON_H

#include "base/json.h"
#include "sharding/sharding.h"

// ["data", "model:(1)2"]
void axes_json(const Context *context, const Mesh *mesh, AxisList axes, Json *json);
// [{"size": 4, "axes": ["x"]}, {"size": 2, "axes": []}]
void factors_json(const Context *context, const Mesh *mesh, const ShardFactor *factors, uint32_t n,
                  Json *json);
// {"dims": [["data"], []]}; null if it is replicated. mesh_number: of its mesh; 0 is left out.
void sharding_json(const Context *context, const ShardingTable *table, Sharding sharding,
                   uint32_t mesh_number, Json *json);
// {"axes": [{"name": "data", "size": 4}]}
void mesh_json(const Context *context, const Mesh *mesh, Json *json);

#endif
