// A mesh: devices laid out along named axes, row-major, the first axis slowest. A device's place in
// that layout is its position; which device stands there is the mesh's order.
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
  bool maximal;        // no axes, one device that has any id: `<[], device_ids=[k]>`
  uint32_t n_axes;     // 0: maximal, or the empty mesh `<[]>`
  uint32_t n_devices;  // product of the sizes
  uint32_t device;     // maximal: its id
  const MeshAxis *axes;
  const uint32_t *devices;    // position -> device; NULL = in order
  const uint32_t *positions;  // device -> position; NULL = in order
} Mesh;

// Makes a mesh in the context's arena. Names must differ, sizes be positive, ids (n_ids of them, 0
// = in order) be a permutation of all devices; no axes and one id make a maximal mesh. Ids in order
// are dropped. INVALID_ARGUMENT with the reason. O(axes² + devices given).
Status *mesh_new(Context *context, Name symbol, uint32_t n_axes, const Name *names,
                 const int64_t *sizes, uint32_t n_ids, const int64_t *ids,
                 const Mesh **out_mesh) MUST_USE;

// From the tree of `#sdy.mesh<…>` and back; the fields are those of parse/README.md. The way back
// is the identity on what mesh_from_attr takes, but for ids in order, which are left out.
Status *mesh_from_attr(Context *context, Attr attr, Name symbol, const Mesh **out_mesh) MUST_USE;
Attr mesh_to_attr(Context *context, const Mesh *mesh);

uint32_t mesh_find_axis(const Mesh *mesh, Name name);  // MESH_NO_AXIS if there is none
bool mesh_equal(const Mesh *a, const Mesh *b);         // same axes in the same device order

static inline uint32_t mesh_device(const Mesh *mesh, uint32_t position) {
  return mesh->maximal ? mesh->device : mesh->devices ? mesh->devices[position] : position;
}
// Of a device that the mesh has.
static inline uint32_t mesh_position(const Mesh *mesh, uint32_t device) {
  return mesh->maximal ? 0 : mesh->positions ? mesh->positions[device] : device;
}
static inline bool mesh_has_device(const Mesh *mesh, uint32_t device) {
  return mesh->maximal ? device == mesh->device : device < mesh->n_devices;
}

#endif
