#include "sharding/sharding_json.h"

void axes_json(const Context *context, const Mesh *mesh, AxisList axes, Json *json) {
  json_open(json, '[');
  for (uint32_t i = 0; i < axes.n; i++) {
    AxisRef a = axes.v[i];
    const char *name = name_text(context, mesh->axes[a.axis].name);
    if (!axis_is_full(mesh, a))
      name = arena_printf(context_arena((Context *)context), "%s:(%u)%u", name, a.pre_size, a.size);
    json_string(json, name);
  }
  json_close(json, ']');
}

void factors_json(const Context *context, const Mesh *mesh, const ShardFactor *factors, uint32_t n,
                  Json *json) {
  json_open(json, '[');
  for (uint32_t i = 0; i < n; i++) {
    json_open(json, '{');
    json_key(json, "size"), json_int(json, factors[i].size);
    json_key(json, "axes"), axes_json(context, mesh, factors[i].axes, json);
    json_close(json, '}');
  }
  json_close(json, ']');
}

void sharding_json(const Context *context, const ShardingTable *table, Sharding sharding,
                   uint32_t mesh_number, Json *json) {
  if (!sharding) {
    json_null(json);
    return;
  }
  const ShardingInfo *info = sharding_info(table, sharding);
  const Mesh *mesh = sharding_mesh(table, info->mesh);
  json_open(json, '{');
  if (mesh_number) json_key(json, "mesh"), json_uint(json, mesh_number);
  json_key(json, "dims"), json_open(json, '[');
  for (uint32_t d = 0; d < info->rank; d++) {
    if (info->dims[d].n_factors == 1)
      axes_json(context, mesh, sharding_dim_axes(info, d), json);
    else
      factors_json(context, mesh, info->dims[d].factors, info->dims[d].n_factors, json);
  }
  json_close(json, ']');
  if (info->unreduced.n) {
    json_key(json, "unreduced"), axes_json(context, mesh, info->unreduced, json);
    json_key(json, "reducer"), json_string(json, combine_name(info->reducer));
  }
  json_close(json, '}');
}

void mesh_json(const Context *context, const Mesh *mesh, Json *json) {
  json_open(json, '{');
  if (mesh->symbol) json_key(json, "symbol"), json_string(json, name_text(context, mesh->symbol));
  json_key(json, "axes"), json_open(json, '[');
  for (uint32_t a = 0; a < mesh->n_axes; a++) {
    json_open(json, '{');
    json_key(json, "name"), json_string(json, name_text(context, mesh->axes[a].name));
    json_key(json, "size"), json_uint(json, mesh->axes[a].size);
    json_close(json, '}');
  }
  json_close(json, ']');
  if (mesh->devices) {
    json_key(json, "device_ids"), json_open(json, '[');
    for (uint32_t k = 0; k < mesh->n_devices; k++) json_uint(json, mesh->devices[k]);
    json_close(json, ']');
  }
  json_close(json, '}');
}
