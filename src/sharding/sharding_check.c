// Validates a sharding. Each axis is compared with all axes before it: quadratic, but there are
// few.
#include <inttypes.h>

#include "base/vec.h"
#include "sharding/sharding.h"

typedef struct Check {
  ShardingTable *table;
  Context *context;
  const Mesh *mesh;
  VEC(AxisRef) seen;
} Check;

static const char *name_in(const Check *c, AxisRef a) {
  return name_text(c->context, c->mesh->axes[a.axis].name);
}

// The reference is a full axis of the mesh or a proper sub-axis.
static Status *check_ref(const Check *c, AxisRef a) {
  if (a.axis >= c->mesh->n_axes)
    FAIL(INVALID_ARGUMENT, "unknown axis number %u: the mesh has %u axes", a.axis, c->mesh->n_axes);
  uint32_t full = c->mesh->axes[a.axis].size;
  if (a.pre_size == 1 && a.size == full) return NULL;
  if (a.pre_size < 1)
    FAIL(INVALID_ARGUMENT, "sub-axis \"%s\":(%u)%u has a pre-size below 1", name_in(c, a),
         a.pre_size, a.size);
  if (a.size < 2)
    FAIL(INVALID_ARGUMENT, "sub-axis \"%s\":(%u)%u has a size below 2", name_in(c, a), a.pre_size,
         a.size);
  if (full % ((uint64_t)a.pre_size * a.size))
    FAIL(INVALID_ARGUMENT,
         "sub-axis \"%s\":(%u)%u does not divide the axis: %" PRIu64 " does not divide %u",
         name_in(c, a), a.pre_size, a.size, (uint64_t)a.pre_size * a.size, full);
  return NULL;
}

// Adds axes to those in use; each must be disjoint from all others.
static Status *use_axes(Check *c, AxisList list) {
  for (uint32_t i = 0; i < list.n; i++) {
    AxisRef a = list.v[i];
    TRY(check_ref(c, a));
    for (uint32_t k = 0; k < c->seen.count; k++) {
      AxisRef b = c->seen.items[k];
      if (axis_equal(a, b))
        FAIL(INVALID_ARGUMENT, "axis %s is used twice in one sharding",
             axis_text(c->context, c->mesh, a));
      if (axis_overlaps(a, b))
        FAIL(INVALID_ARGUMENT, "axes %s and %s overlap in one sharding",
             axis_text(c->context, c->mesh, b), axis_text(c->context, c->mesh, a));
      if (!axis_can_coexist(a, b))
        FAIL(INVALID_ARGUMENT, "axes %s and %s are not parts of one split of the axis",
             axis_text(c->context, c->mesh, b), axis_text(c->context, c->mesh, a));
    }
    VEC_PUSH(context_arena(c->context), &c->seen, a);
  }
  return NULL;
}

static Status *check_dim(Check *c, const DimSharding *dim, uint32_t d) {
  bool empty = true;
  if (!dim->n_factors) FAIL(INVALID_ARGUMENT, "dimension %u has no factor", d);
  for (uint32_t k = 0; k < dim->n_factors; k++) {
    TRY(use_axes(c, dim->factors[k].axes));
    empty &= !dim->factors[k].axes.n;
    if (dim->n_factors > 1 && dim->factors[k].size < 1)
      FAIL(INVALID_ARGUMENT, "dimension %u has a factor of size %" PRId64 ", expected at least 1",
           d, dim->factors[k].size);
  }
  if (dim->priority < PRIORITY_NONE)
    FAIL(INVALID_ARGUMENT, "dimension %u has the negative priority %d", d, dim->priority);
  if (dim->priority != PRIORITY_NONE && empty && !dim->open)
    FAIL(INVALID_ARGUMENT, "dimension %u is empty and closed, it cannot have a priority", d);
  return NULL;
}

// The factors of a strided split must multiply to the dimension's size.
static Status *check_sizes(const ShardingInfo *info, const TypeInfo *tensor) {
  for (uint32_t d = 0; d < info->rank; d++) {
    const DimSharding *dim = &info->dims[d];
    int64_t product = 1;
    if (dim->n_factors < 2) continue;
    if (tensor->dims[d] == DIM_DYNAMIC)
      FAIL(INVALID_ARGUMENT, "dimension %u is dynamic, it cannot be split in factors", d);
    for (uint32_t k = 0; k < dim->n_factors; k++)
      if (__builtin_mul_overflow(product, dim->factors[k].size, &product)) product = INT64_MAX;
    if (product != tensor->dims[d])
      FAIL(INVALID_ARGUMENT,
           "the factors of dimension %u give %" PRId64 " elements, it has %" PRId64, d, product,
           tensor->dims[d]);
  }
  return NULL;
}

// Partial values of a type must have the reducer: no bitwise ones of floats, no order of complex
// numbers.
static Status *check_reducer(const Check *c, Combine reducer, Type type) {
  DType dtype = type_dtype(c->context, type);
  bool bits = reducer == COMBINE_AND || reducer == COMBINE_OR || reducer == COMBINE_XOR;
  bool orders = reducer == COMBINE_MAX || reducer == COMBINE_MIN;
  bool floats = dtype_is_float(dtype) || dtype_is_complex(dtype);
  if ((bits && floats) || (orders && dtype_is_complex(dtype)))
    FAIL(INVALID_ARGUMENT, "values of type %s have no reducer '%s'", dtype_info(dtype)->name,
         combine_name(reducer));
  return NULL;
}

static Status *check_type(const Check *c, const ShardingInfo *info, Type type) {
  const TypeInfo *tensor = type_info(c->context, type);
  if (!type || c->mesh->maximal) return NULL;
  if (tensor->kind == TYPE_UNRANKED)
    FAIL(INVALID_ARGUMENT, "a value of type %s has no rank, it cannot have a sharding",
         type_text(c->context, type));
  if (tensor->kind != TYPE_TENSOR) {
    if (info->rank || info->replicated.n || info->unreduced.n)
      FAIL(INVALID_ARGUMENT, "a value of type %s has no dimensions to shard",
           type_text(c->context, type));
    return NULL;
  }
  if (info->rank != tensor->rank)
    FAIL(INVALID_ARGUMENT, "the sharding has rank %u, but the tensor %s has rank %u", info->rank,
         type_text(c->context, type), tensor->rank);
  if (info->unreduced.n) TRY(check_reducer(c, info->reducer, type));
  return check_sizes(info, tensor);
}

Status *sharding_check(ShardingTable *table, const ShardingInfo *info, Type type) {
  Check c = {.table = table,
             .context = sharding_table_context(table),
             .mesh = sharding_mesh(table, info->mesh)};
  if (!c.mesh) FAIL(NOT_FOUND, "the sharding has no mesh");
  if (c.mesh->maximal && (info->rank || info->replicated.n || info->unreduced.n || info->manual.n))
    FAIL(INVALID_ARGUMENT, "a sharding on a single device has no dimensions and no axes");
  for (uint32_t d = 0; d < info->rank; d++) TRY(check_dim(&c, &info->dims[d], d));
  TRY(use_axes(&c, info->replicated));
  TRY(use_axes(&c, info->unreduced));
  TRY(use_axes(&c, info->manual));
  if ((unsigned)info->reducer >= COMBINE_COUNT)
    FAIL(INVALID_ARGUMENT, "unknown reducer %d of unreduced axes", (int)info->reducer);
  return check_type(&c, info, type);
}

Status *sharding_check_id(ShardingTable *table, Sharding sharding, Type type) {
  return sharding_check(table, sharding_info(table, sharding), type);
}
