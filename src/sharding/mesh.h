// A mesh: devices laid out along named axes, row-major (the first axis varies slowest). The
// coordinates of a device as one number are its position; the mesh's device order maps positions to
// device ids.
#ifndef TESSERA_SHARDING_MESH_H
#define TESSERA_SHARDING_MESH_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/context.h"

#define MESH_NO_AXIS UINT32_MAX
#define MESH_MOST_DEVICES INT32_MAX

typedef struct MeshAxis {
  Name name;
  uint32_t size;    // >= 1
  uint32_t stride;  // positions from one coordinate of this axis to the next
} MeshAxis;

typedef struct Mesh {
  Name symbol;         // of `sdy.mesh @symbol`; 0 = written inline in shardings
  bool maximal;        // no axes, a single device of any id: `<[], device_ids=[k]>`
  uint32_t n_axes;     // 0: maximal, or the empty mesh `<[]>`
  uint32_t n_devices;  // product of the sizes
  uint32_t device;     // maximal: its id
  const MeshAxis *axes;
  const uint32_t *devices;    // position -> device id; NULL = identity
  const uint32_t *positions;  // device id -> position; NULL = identity
} Mesh;

// Makes a mesh in the context's arena. Names must differ, sizes be positive, and ids (n_ids of
// them; 0 = identity) be a permutation of all devices. No axes and one id make a maximal mesh. The
// identity order is stored as NULL. INVALID_ARGUMENT with the reason. O(axes² + ids).
Status *mesh_new(Context *context, Name symbol, uint32_t n_axes, const Name *names,
                 const int64_t *sizes, uint32_t n_ids, const int64_t *ids,
                 const Mesh **out_mesh) MUST_USE;

// From and to the attribute `#sdy.mesh<…>`; parse/README.md lists the fields. mesh_to_attr is the
// inverse of mesh_from_attr, except that an identity order is not written.
Status *mesh_from_attr(Context *context, Attr attr, Name symbol, const Mesh **out_mesh) MUST_USE;
Attr mesh_to_attr(Context *context, const Mesh *mesh);

uint32_t mesh_find_axis(const Mesh *mesh, Name name);  // MESH_NO_AXIS if the mesh has no such axis
bool mesh_equal(const Mesh *a, const Mesh *b);         // same axes and same device order

static inline uint32_t mesh_device(const Mesh *mesh, uint32_t position) {
  return mesh->maximal ? mesh->device : mesh->devices ? mesh->devices[position] : position;
}
// The mesh must have the device.
static inline uint32_t mesh_position(const Mesh *mesh, uint32_t device) {
  return mesh->maximal ? 0 : mesh->positions ? mesh->positions[device] : device;
}
static inline bool mesh_has_device(const Mesh *mesh, uint32_t device) {
  return mesh->maximal ? device == mesh->device : device < mesh->n_devices;
}

#endif
