// The text of_result a local program has the mesh on its module (tessera.mesh) and, on each sharded
// argument and result, its global type and sharding. partition/tiles.h does the rest. O(edges) to
// read; O(devices · elements of_result the shards) to shard and join.
#include "pipeline/partitioned.h"

static Status *check_edges(const Partitioned *p, uint32_t n, const Edge *edges, const char *what) {
  Context *context = sharding_table_context(p->table);
  for (uint32_t i = 0; i < n; i++) {
    if (!edges[i].sharding) continue;
    if (!type_is_static(context, edges[i].global))
      FAIL(UNIMPLEMENTED,
           "%s %u is a shard of %s: only tensors of known sizes are sharded and joined", what, i,
           type_text(context, edges[i].global));
    const Mesh *mesh = sharding_mesh(p->table, sharding_info(p->table, edges[i].sharding)->mesh);
    if (mesh && mesh->n_devices != p->n_devices)
      FAIL(INVALID_ARGUMENT, "%s %u is sharded over %u devices, the module's tessera.mesh has %u",
           what, i, mesh->n_devices, p->n_devices);
  }
  return NULL;
}

bool partitioned_by_replica(const Program *local, uint32_t n_devices) {
  Attr count = op_attr(local, local->root, "mhlo.num_replicas");
  return n_devices > 1 && op_attr(local, local->root, "tessera.mesh") &&
         attr_as_int(local->context, count, 1) == n_devices;
}

Status *partitioned_read(const Program *local, OpId function, Guard *guard, Arena *arena,
                         Partitioned *out) {
  *out = (Partitioned){0};
  TRY(tiles_devices(local, &out->n_devices));
  if (!out->n_devices) return NULL;
  out->table = sharding_table_new(local->context, guard);
  TRY(tiles_edges(local, function, false, out->table, arena, &out->n_args, &out->args));
  TRY(tiles_edges(local, function, true, out->table, arena, &out->n_results, &out->results));
  TRY(check_edges(out, out->n_args, out->args, "argument"));
  TRY(check_edges(out, out->n_results, out->results, "result"));
  bool by_replica = partitioned_by_replica(local, out->n_devices);
  out->replicas = by_replica ? out->n_devices : 1;
  out->partitions = by_replica ? 1 : out->n_devices;
  return NULL;
}

void partitioned_deinit(Partitioned *p) {
  sharding_table_free(p->table);
  p->table = NULL;
}

void partitioned_shard(const Partitioned *p, uint32_t first, uint32_t n, Literal *const *global,
                       Literal **out) {
  for (uint32_t k = first; k < first + n; k++)
    for (uint32_t i = 0; i < p->n_args; i++)
      out[(size_t)k * p->n_args + i] =
          tile_shard(p->table, &p->args[i], k, global[i], PADDING_ZERO);
}

void partitioned_join(const Partitioned *p, Literal *const *shards, Arena *arena, Literal **out,
                      const char **out_unequal) {
  *out_unequal = NULL;
  Literal **of_result = ARENA_ARRAY(arena, Literal *, p->n_devices);
  for (uint32_t i = 0; i < p->n_results; i++) {
    for (uint32_t k = 0; k < p->n_devices; k++) of_result[k] = shards[(size_t)k * p->n_results + i];
    uint32_t unequal;
    out[i] = tile_join(p->table, &p->results[i], p->n_devices, of_result, arena, &unequal);
    if (unequal < p->n_devices && !*out_unequal)
      *out_unequal = arena_printf(
          arena,
          "result %u: device %u holds other values than a device before it that has the "
          "same elements",
          i, unequal);
  }
}
