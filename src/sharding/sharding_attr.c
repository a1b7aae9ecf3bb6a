// Shardings from and to sdy attributes, and as text for messages. The reader is as strict as
// Shardy's verifier: it accepts canonical forms only, so writing back gives the same attribute.
// O(attribute).
#include <inttypes.h>

#include "base/vec.h"
#include "sharding/sharding.h"

// ---- from attributes ----

typedef struct AttrReader {
  ShardingTable *table;
  Context *context;
  Arena *arena;
  const Mesh *mesh;
} AttrReader;

static bool is_class(const Context *context, Attr attr, const char *cls) {
  const AttrInfo *info = attr_info(context, attr);
  return info->kind == ATTR_STRUCT && str_is(name_str(context, info->cls), cls);
}

enum { MOST_LISTED = 8, MOST_LETTERS = 3 };

// The symbols of all named meshes, "@a, @b", for messages.
static const char *listed_meshes(const AttrReader *r) {
  const char *text = "";
  uint32_t n = 0;
  for (MeshId id = 1; sharding_mesh(r->table, id); id++) {
    Name symbol = sharding_mesh(r->table, id)->symbol;
    if (!symbol) continue;
    if (n++ == MOST_LISTED) return arena_printf(r->arena, "%s, …", text);
    text =
        arena_printf(r->arena, "%s%s@%s", text, *text ? ", " : "", name_text(r->context, symbol));
  }
  return *text ? text : "none";
}

// The error for an unknown axis: lists the mesh's axes and suggests the nearest name.
static Status *unknown_axis(const AttrReader *r, Str name) {
  const char *text = "", *near = "";
  uint32_t least = MOST_LETTERS;
  for (uint32_t i = 0; i < r->mesh->n_axes; i++) {
    const MeshAxis *axis = &r->mesh->axes[i];
    if (i == MOST_LISTED) text = arena_printf(r->arena, "%s, …", text);
    if (i < MOST_LISTED)
      text = arena_printf(r->arena, "%s%s\"%s\"=%u", text, i ? ", " : "",
                          name_text(r->context, axis->name), axis->size);
    uint32_t far = str_distance(name, name_str(r->context, axis->name), least);
    if (far >= least) continue;
    least = far;
    near = arena_printf(r->arena, "; did you mean \"%s\"?", name_text(r->context, axis->name));
  }
  FAIL(INVALID_ARGUMENT, "unknown axis \"%.*s\": the mesh is %s%s[%s]%s", (int)name.n, name.s,
       r->mesh->symbol ? "@" : "",
       r->mesh->symbol ? arena_printf(r->arena, "%s ", name_text(r->context, r->mesh->symbol)) : "",
       text, near);
}

static Status *read_mesh(AttrReader *r, Attr ref, MeshId *out) {
  if (is_class(r->context, ref, "sdy.mesh")) {
    TRY(mesh_from_attr(r->context, ref, 0, &r->mesh));
    *out = sharding_mesh_add(r->table, r->mesh);
    return NULL;
  }
  Name symbol = attr_as_name(r->context, ref);
  *out = sharding_mesh_find(r->table, symbol);
  if (!*out)
    FAIL(NOT_FOUND, "unknown mesh @%s; meshes of the program: %s", name_text(r->context, symbol),
         listed_meshes(r));
  r->mesh = sharding_mesh(r->table, *out);
  return NULL;
}

static Status *read_axis(AttrReader *r, Attr attr, AxisRef *out) {
  Name name = attr_as_name(r->context, attr_get(r->context, attr, "name"));
  const char *text = name_text(r->context, name);
  uint32_t axis = mesh_find_axis(r->mesh, name);
  if (axis == MESH_NO_AXIS) return unknown_axis(r, name_str(r->context, name));
  *out = axis_full(r->mesh, axis);
  Attr size_attr = attr_get(r->context, attr, "size");
  if (!size_attr) return NULL;
  int64_t pre = attr_as_int(r->context, attr_get(r->context, attr, "pre_size"), 1);
  int64_t size = attr_as_int(r->context, size_attr, 0), full = out->size;
  if (pre < 1 || size < 2)
    FAIL(INVALID_ARGUMENT,
         "sub-axis \"%s\":(%" PRId64 ")%" PRId64
         " needs a pre-size of at least 1, a size of at least 2",
         text, pre, size);
  if (pre > full || size > full || full % pre || full / pre % size)
    FAIL(INVALID_ARGUMENT,
         "sub-axis \"%s\":(%" PRId64 ")%" PRId64 " does not divide the axis of size %" PRId64, text,
         pre, size, full);
  if (size == full)
    FAIL(INVALID_ARGUMENT,
         "sub-axis \"%s\":(%" PRId64 ")%" PRId64 " is the whole axis: write \"%s\"", text, pre,
         size, text);
  out->pre_size = (uint32_t)pre;
  out->size = (uint32_t)size;
  return NULL;
}

// Adjacent sub-axes that could be merged are an error, since the form would not be canonical.
static Status *read_axes(AttrReader *r, Attr attr, AxisList *out) {
  const AttrInfo *list = attr_info(r->context, attr);
  uint32_t n = list->kind == ATTR_ARRAY ? list->count : 0;
  AxisRef *v = ARENA_ARRAY(r->arena, AxisRef, n);
  for (uint32_t i = 0; i < n; i++) {
    TRY(read_axis(r, list->items[i], &v[i]));
    if (i && axis_can_merge(v[i - 1], v[i]))
      FAIL(INVALID_ARGUMENT, "axes %s and %s are adjacent sub-axes and must be merged into one",
           axis_text(r->context, r->mesh, v[i - 1]), axis_text(r->context, r->mesh, v[i]));
  }
  *out = (AxisList){v, n};
  return NULL;
}

// Replicated and unreduced axes are sets: they must be in the mesh's order.
static Status *read_set(AttrReader *r, Attr attr, const char *what, AxisList *out) {
  TRY(read_axes(r, attr, out));
  for (uint32_t i = 1; i < out->n; i++)
    if (axis_compare(out->v[i - 1], out->v[i]) > 0)
      FAIL(INVALID_ARGUMENT, "%s axes are not in the order of the mesh: %s before %s", what,
           axis_text(r->context, r->mesh, out->v[i - 1]),
           axis_text(r->context, r->mesh, out->v[i]));
  return NULL;
}

static Status *read_dim(AttrReader *r, Attr attr, DimSharding *out) {
  ShardFactor *factor = ARENA_NEW(r->arena, ShardFactor);
  TRY(read_axes(r, attr_get(r->context, attr, "axes"), &factor->axes));
  Attr priority = attr_get(r->context, attr, "priority");
  int64_t value = attr_as_int(r->context, priority, PRIORITY_NONE);
  if (value > INT32_MAX || (priority && value < 0))
    FAIL(INVALID_ARGUMENT, "priority %" PRId64 " is out of range", value);
  *out = (DimSharding){factor, 1, attr_get(r->context, attr, "open") != 0, (int32_t)value};
  return NULL;
}

Status *sharding_from_attr(ShardingTable *table, Attr attr, Type type, Sharding *out) {
  Context *context = sharding_table_context(table);
  AttrReader r = {table, context, context_arena(context), NULL};
  if (!is_class(context, attr, "sdy.sharding")) FAIL(INVALID_ARGUMENT, "expected a #sdy.sharding");
  ShardingInfo info = {0};
  TRY(read_mesh(&r, attr_get(context, attr, "mesh"), &info.mesh));
  const AttrInfo *list = attr_info(context, attr_get(context, attr, "dims"));
  info.rank = list->kind == ATTR_ARRAY ? list->count : 0;
  DimSharding *dims = ARENA_ARRAY(r.arena, DimSharding, info.rank);
  for (uint32_t d = 0; d < info.rank; d++) TRY(read_dim(&r, list->items[d], &dims[d]));
  info.dims = dims;
  TRY(read_set(&r, attr_get(context, attr, "replicated"), "replicated", &info.replicated));
  TRY(read_set(&r, attr_get(context, attr, "unreduced"), "unreduced", &info.unreduced));
  Name reducer = attr_as_name(context, attr_get(context, attr, "reducer"));
  if (reducer && !combine_of(name_str(context, reducer), &info.reducer))
    FAIL(INVALID_ARGUMENT, "unknown reducer \"%s\" of unreduced axes", name_text(context, reducer));
  TRY(sharding_check(table, &info, type));
  *out = sharding_intern(table, &info);
  return NULL;
}

Status *sharding_axes_from_attr(ShardingTable *table, MeshId mesh, Attr attr, AxisList *out) {
  Context *context = sharding_table_context(table);
  AttrReader r = {table, context, context_arena(context), sharding_mesh(table, mesh)};
  return read_axes(&r, attr, out);
}

// ---- to attributes ----

static Attr axis_attr(Context *context, const Mesh *mesh, AxisRef a) {
  NamedAttr fields[3] = {{name_of(context, "name"), attr_string(context, mesh->axes[a.axis].name)}};
  uint32_t n = 1;
  if (!axis_is_full(mesh, a)) {
    fields[n++] = (NamedAttr){name_of(context, "pre_size"), attr_i64(context, a.pre_size)};
    fields[n++] = (NamedAttr){name_of(context, "size"), attr_i64(context, a.size)};
  }
  return attr_struct(context, "sdy.axis_ref", n, fields);
}

static Attr axes_attr(Context *context, const Mesh *mesh, AxisList list) {
  Attr *items = ARENA_ARRAY(context_arena(context), Attr, list.n);
  for (uint32_t i = 0; i < list.n; i++) items[i] = axis_attr(context, mesh, list.v[i]);
  return attr_array(context, list.n, items);
}

Attr sharding_axes_to_attr(ShardingTable *table, MeshId mesh, AxisList list) {
  return axes_attr(sharding_table_context(table), sharding_mesh(table, mesh), list);
}

static Attr dim_attr(Context *context, const Mesh *mesh, const DimSharding *dim) {
  NamedAttr fields[3] = {
      {name_of(context, "axes"), axes_attr(context, mesh, dim->factors[0].axes)}};
  uint32_t n = 1;
  if (dim->open) fields[n++] = (NamedAttr){name_of(context, "open"), attr_unit(context)};
  if (dim->priority != PRIORITY_NONE)
    fields[n++] = (NamedAttr){name_of(context, "priority"), attr_i64(context, dim->priority)};
  return attr_struct(context, "sdy.dim", n, fields);
}

Status *sharding_to_attr(ShardingTable *table, Sharding sharding, Attr *out) {
  Context *context = sharding_table_context(table);
  const ShardingInfo *info = sharding_info(table, sharding);
  const Mesh *mesh = sharding_mesh(table, info->mesh);
  if (!mesh) FAIL(FAILED_PRECONDITION, "no sharding was given");
  if (!sharding_is_block(table, sharding))
    FAIL(FAILED_PRECONDITION, "sdy has no words for a strided split: split its factors first");
  if (info->manual.n)
    FAIL(FAILED_PRECONDITION, "#sdy.sharding does not hold manual axes: drop them first");
  if (info->unreduced.n && !combine_is_named(info->reducer))
    FAIL(FAILED_PRECONDITION, "sdy has no word for a value that is unreduced by an op's body");
  Attr *dims = ARENA_ARRAY(context_arena(context), Attr, info->rank);
  for (uint32_t d = 0; d < info->rank; d++) dims[d] = dim_attr(context, mesh, &info->dims[d]);
  NamedAttr fields[5] = {{name_of(context, "mesh"), mesh->symbol
                                                        ? attr_symbol(context, mesh->symbol)
                                                        : mesh_to_attr(context, mesh)},
                         {name_of(context, "dims"), attr_array(context, info->rank, dims)}};
  uint32_t n = 2;
  if (info->replicated.n)
    fields[n++] =
        (NamedAttr){name_of(context, "replicated"), axes_attr(context, mesh, info->replicated)};
  if (info->unreduced.n)
    fields[n++] =
        (NamedAttr){name_of(context, "unreduced"), axes_attr(context, mesh, info->unreduced)};
  if (info->unreduced.n && info->reducer != COMBINE_SUM)
    fields[n++] = (NamedAttr){name_of(context, "reducer"),
                              attr_string(context, name_of(context, combine_name(info->reducer)))};
  *out = attr_struct(context, "sdy.sharding", n, fields);
  return NULL;
}

// ---- to text ----

static void print_dim(const Context *context, const Mesh *mesh, const DimSharding *dim,
                      StrBuf *out) {
  bool strided = dim->n_factors > 1;
  strbuf_putc(out, strided ? '[' : '{');
  for (uint32_t k = 0; k < dim->n_factors; k++) {
    if (k) strbuf_putc(out, ' ');
    if (strided) strbuf_printf(out, "%" PRId64 "{", dim->factors[k].size);
    axes_print(context, mesh, dim->factors[k].axes, out);
    if (strided) strbuf_putc(out, '}');
  }
  if (dim->open) strbuf_puts(out, strided || dim->factors[0].axes.n ? ", ?" : "?");
  strbuf_putc(out, strided ? ']' : '}');
  if (dim->priority != PRIORITY_NONE) strbuf_printf(out, "p%d", dim->priority);
}

static void print_set(const Context *context, const Mesh *mesh, const char *what, AxisList list,
                      StrBuf *out) {
  if (!list.n) return;
  strbuf_printf(out, ", %s={", what);
  axes_print(context, mesh, list, out);
  strbuf_putc(out, '}');
}

static void print_mesh(const Context *context, const Mesh *mesh, StrBuf *out) {
  if (mesh->symbol) {
    strbuf_printf(out, "@%s", name_text(context, mesh->symbol));
    return;
  }
  strbuf_puts(out, "mesh<[");
  for (uint32_t i = 0; i < mesh->n_axes; i++)
    strbuf_printf(out, "%s\"%s\"=%u", i ? ", " : "", name_text(context, mesh->axes[i].name),
                  mesh->axes[i].size);
  strbuf_putc(out, ']');
  if (mesh->maximal || mesh->devices) {
    strbuf_puts(out, ", device_ids=[");
    for (uint32_t i = 0; i < mesh->n_devices; i++)
      strbuf_printf(out, "%s%u", i ? ", " : "", mesh_device(mesh, i));
    strbuf_putc(out, ']');
  }
  strbuf_putc(out, '>');
}

void sharding_print(const ShardingTable *table, Sharding sharding, StrBuf *out) {
  const Context *context = sharding_table_context(table);
  const ShardingInfo *info = sharding_info(table, sharding);
  const Mesh *mesh = sharding_mesh(table, info->mesh);
  if (!mesh) {
    strbuf_puts(out, "none");
    return;
  }
  strbuf_putc(out, '<');
  print_mesh(context, mesh, out);
  strbuf_puts(out, ", [");
  for (uint32_t d = 0; d < info->rank; d++) {
    if (d) strbuf_puts(out, ", ");
    print_dim(context, mesh, &info->dims[d], out);
  }
  strbuf_putc(out, ']');
  print_set(context, mesh, "replicated", info->replicated, out);
  if (info->unreduced.n) {
    strbuf_printf(out, ", unreduced=%s{",
                  info->reducer == COMBINE_SUM ? "" : combine_name(info->reducer));
    axes_print(context, mesh, info->unreduced, out);
    strbuf_putc(out, '}');
  }
  print_set(context, mesh, "manual", info->manual, out);
  strbuf_putc(out, '>');
}
