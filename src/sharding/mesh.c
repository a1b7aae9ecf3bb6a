// Axes keep their strides, so a coordinate is one division and one remainder. Tables of devices
// exist only if the order is not the identity, so a mesh of 8192 devices costs no more than one of
// 8.
#include "sharding/mesh.h"

#include <inttypes.h>

// Fills both tables from ids, which must be a permutation of 0 … n-1; none for the identity. O(n).
static Status *set_order(Arena *arena, Mesh *mesh, uint32_t n_ids, const int64_t *ids) {
  uint32_t n = mesh->n_devices;
  if (n_ids != n) FAIL(INVALID_ARGUMENT, "the mesh has %u device ids for %u devices", n_ids, n);
  uint32_t *devices = ARENA_ARRAY(arena, uint32_t, n), *positions = ARENA_ARRAY(arena, uint32_t, n);
  for (uint32_t i = 0; i < n; i++) positions[i] = UINT32_MAX;
  bool in_order = true;
  for (uint32_t i = 0; i < n; i++) {
    if (ids[i] < 0 || ids[i] >= n)
      FAIL(INVALID_ARGUMENT, "the mesh has the device id %" PRId64 ", expected 0 … %u", ids[i],
           n - 1);
    if (positions[ids[i]] != UINT32_MAX)
      FAIL(INVALID_ARGUMENT, "the mesh has the device id %" PRId64 " twice", ids[i]);
    positions[ids[i]] = i;
    devices[i] = (uint32_t)ids[i];
    in_order &= ids[i] == i;
  }
  if (in_order) return NULL;
  mesh->devices = devices;
  mesh->positions = positions;
  return NULL;
}

Status *mesh_new(Context *context, Name symbol, uint32_t n_axes, const Name *names,
                 const int64_t *sizes, uint32_t n_ids, const int64_t *ids, const Mesh **out_mesh) {
  Arena *arena = context_arena(context);
  Mesh *mesh = ARENA_NEW(arena, Mesh);
  MeshAxis *axes = ARENA_ARRAY(arena, MeshAxis, n_axes);
  int64_t devices = 1;
  for (uint32_t i = 0; i < n_axes; i++) {
    const char *name = name_text(context, names[i]);
    if (sizes[i] < 1)
      FAIL(INVALID_ARGUMENT, "the mesh axis \"%s\" has size %" PRId64 ", expected at least 1", name,
           sizes[i]);
    if (__builtin_mul_overflow(devices, sizes[i], &devices) || devices > MESH_MOST_DEVICES)
      FAIL(INVALID_ARGUMENT, "the mesh has more than %d devices", MESH_MOST_DEVICES);
    for (uint32_t k = 0; k < i; k++)
      if (names[k] == names[i]) FAIL(INVALID_ARGUMENT, "the mesh has two axes named \"%s\"", name);
    axes[i].name = names[i];
    axes[i].size = (uint32_t)sizes[i];
  }
  uint32_t stride = 1;
  for (uint32_t i = n_axes; i-- > 0;) {
    axes[i].stride = stride;
    stride *= axes[i].size;
  }
  mesh->symbol = symbol;
  mesh->n_axes = n_axes;
  mesh->axes = axes;
  mesh->n_devices = (uint32_t)devices;
  if (!n_axes && n_ids == 1) {
    if (ids[0] < 0 || ids[0] > MESH_MOST_DEVICES)
      FAIL(INVALID_ARGUMENT, "the mesh has the device id %" PRId64 ", expected 0 … %d", ids[0],
           MESH_MOST_DEVICES);
    mesh->maximal = true;
    mesh->device = (uint32_t)ids[0];
  } else if (n_ids) {
    TRY(set_order(arena, mesh, n_ids, ids));
  }
  *out_mesh = mesh;
  return NULL;
}

// mesh_new validates the fields.
Status *mesh_from_attr(Context *context, Attr attr, Name symbol, const Mesh **out_mesh) {
  const AttrInfo *info = attr_info(context, attr);
  if (info->kind != ATTR_STRUCT || !str_is(name_str(context, info->cls), "sdy.mesh"))
    FAIL(INVALID_ARGUMENT, "expected a #sdy.mesh");
  const AttrInfo *axes = attr_info(context, attr_get(context, attr, "axes"));
  uint32_t n = axes->kind == ATTR_ARRAY ? axes->count : 0;
  Name *names = ARENA_ARRAY(context_arena(context), Name, n);
  int64_t *sizes = ARENA_ARRAY(context_arena(context), int64_t, n);
  for (uint32_t i = 0; i < n; i++) {
    names[i] = attr_as_name(context, attr_get(context, axes->items[i], "name"));
    sizes[i] = attr_as_int(context, attr_get(context, axes->items[i], "size"), 0);
  }
  Ints ids = attr_as_ints(context, attr_get(context, attr, "device_ids"));
  return mesh_new(context, symbol, n, names, sizes, ids.ok ? ids.n : 0, ids.v, out_mesh);
}

Attr mesh_to_attr(Context *context, const Mesh *mesh) {
  Arena *arena = context_arena(context);
  Attr *axes = ARENA_ARRAY(arena, Attr, mesh->n_axes);
  Name name = name_of(context, "name"), size = name_of(context, "size");
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    NamedAttr fields[] = {{name, attr_string(context, mesh->axes[i].name)},
                          {size, attr_i64(context, mesh->axes[i].size)}};
    axes[i] = attr_struct(context, "sdy.mesh_axis", 2, fields);
  }
  NamedAttr fields[2] = {{name_of(context, "axes"), attr_array(context, mesh->n_axes, axes)}};
  uint32_t n = 1;
  if (mesh->maximal || mesh->devices) {
    int64_t *ids = ARENA_ARRAY(arena, int64_t, mesh->n_devices);
    for (uint32_t i = 0; i < mesh->n_devices; i++) ids[i] = mesh_device(mesh, i);
    fields[n++] =
        (NamedAttr){name_of(context, "device_ids"), attr_i64s(context, mesh->n_devices, ids)};
  }
  return attr_struct(context, "sdy.mesh", n, fields);
}

uint32_t mesh_find_axis(const Mesh *mesh, Name name) {
  for (uint32_t i = 0; i < mesh->n_axes; i++)
    if (mesh->axes[i].name == name) return i;
  return MESH_NO_AXIS;
}

// The symbol does not count.
bool mesh_equal(const Mesh *a, const Mesh *b) {
  if (a == b) return true;
  if (a->maximal != b->maximal || a->n_axes != b->n_axes || a->n_devices != b->n_devices ||
      a->device != b->device || !a->devices != !b->devices)
    return false;
  for (uint32_t i = 0; i < a->n_axes; i++)
    if (a->axes[i].name != b->axes[i].name || a->axes[i].size != b->axes[i].size) return false;
  return !a->devices || !memcmp(a->devices, b->devices, a->n_devices * sizeof *a->devices);
}
