// Attributes: interned records, hashed by content like types. Fields of dicts and structs are
// sorted by name, so lookup is a binary search and equal dicts are equal records. Interning costs
// O(record).
#include "base/mem.h"
#include "ir/context.h"
#include "ir/context_private.h"

static int name_compare(const Context *context, Name a, Name b) {
  if (a == b) return 0;
  Str s = name_str(context, a), t = name_str(context, b);
  int order = memcmp(s.s, t.s, s.n < t.n ? s.n : t.n);
  return order ? order : (s.n < t.n ? -1 : s.n > t.n);
}

// Stable merge sort: fields of equal names keep their order.
static void sort_fields(const Context *context, NamedAttr *fields, NamedAttr *scratch, uint32_t n) {
  if (n < 2) return;
  uint32_t half = n / 2;
  sort_fields(context, fields, scratch, half);
  sort_fields(context, fields + half, scratch, n - half);
  memcpy(scratch, fields, half * sizeof *fields);
  uint32_t left = 0, right = half, to = 0;
  while (left < half)
    if (right < n && name_compare(context, fields[right].name, scratch[left].name) < 0)
      fields[to++] = fields[right++];
    else
      fields[to++] = scratch[left++];
}

static bool fields_sorted(const Context *context, const NamedAttr *fields, uint32_t n) {
  for (uint32_t i = 1; i < n; i++)
    if (name_compare(context, fields[i - 1].name, fields[i].name) > 0) return false;
  return true;
}

// The second half of the allocation is scratch of the merge sort.
static NamedAttr *sorted_copy(Context *context, const NamedAttr *fields, uint32_t n) {
  NamedAttr *copy = ARENA_ARRAY(&context->arena, NamedAttr, (size_t)n * 2);
  memcpy(copy, fields, n * sizeof *fields);
  sort_fields(context, copy, copy + n, n);
  return copy;
}

// Uses hashes of names and nested records, never ids, so that it is the same in every context.
static uint64_t content_hash(const Context *context, const AttrInfo *a) {
  uint64_t h = hash_mix(a->kind, a->splat);
  h = hash_mix(h, type_hash(context, a->type));
  h = hash_mix(h, name_hash(context, a->cls));
  h = hash_mix(h, name_hash(context, a->name));
  h = hash_mix(h, (uint64_t)a->i);
  uint64_t bits;
  memcpy(&bits, &a->f, sizeof bits);
  h = hash_mix(h, bits);
  h = hash_mix(h, a->count);
  if (a->items)
    for (uint32_t i = 0; i < a->count; i++) h = hash_mix(h, attr_hash(context, a->items[i]));
  if (a->fields)
    for (uint32_t i = 0; i < a->count; i++) {
      h = hash_mix(h, name_hash(context, a->fields[i].name));
      h = hash_mix(h, attr_hash(context, a->fields[i].value));
    }
  return a->bytes ? hash_mix(h, hash_bytes(a->data, a->bytes)) : h;
}

// Within one context nested records are compared by id. Floats are compared by bits: -0.0 is not
// 0.0.
static bool attr_equal(const void *owner, uint32_t id, const void *key) {
  const AttrInfo *a = attr_info(owner, id), *b = key;
  if (a->kind != b->kind || a->splat != b->splat || a->type != b->type || a->cls != b->cls ||
      a->name != b->name || a->count != b->count || a->i != b->i || a->bytes != b->bytes ||
      memcmp(&a->f, &b->f, sizeof a->f) != 0 || !a->items != !b->items || !a->fields != !b->fields)
    return false;
  if (a->items && a->count && memcmp(a->items, b->items, a->count * sizeof *a->items) != 0)
    return false;
  if (a->fields && a->count && memcmp(a->fields, b->fields, a->count * sizeof *a->fields) != 0)
    return false;
  return !a->bytes || memcmp(a->data, b->data, a->bytes) == 0;
}

// Looks the record up before copying it; adopt_data takes the data pointer over.
static Attr intern(Context *context, const AttrInfo *info, bool adopt_data) {
  Arena *arena = &context->arena;
  AttrInfo key = *info;
  if (!key.count) key.items = NULL, key.fields = NULL;
  uint64_t hash = content_hash(context, &key);
  Attr found = idmap_find(&context->attr_map, hash, attr_equal, context, &key);
  if (found) return found;
  AttrInfo *copy = arena_copy(arena, &key, sizeof key);
  if (key.items) copy->items = arena_copy(arena, key.items, key.count * sizeof *key.items);
  if (key.fields) copy->fields = arena_copy(arena, key.fields, key.count * sizeof *key.fields);
  if (key.bytes && !adopt_data) copy->data = arena_copy(arena, key.data, key.bytes);
  Interned entry = {copy, hash};
  Attr id = context->attrs.count;
  HEAPVEC_PUSH(arena->guard, &context->attrs, entry);
  idmap_add(&context->attr_map, arena->guard, hash, id);
  return id;
}

Attr attr_intern(Context *context, const AttrInfo *info) {
  if (!info->fields || !info->count || fields_sorted(context, info->fields, info->count))
    return intern(context, info, false);
  AttrInfo sorted = *info;
  sorted.fields = sorted_copy(context, info->fields, info->count);
  return intern(context, &sorted, false);
}

const AttrInfo *attr_info(const Context *context, Attr attr) {
  return context->attrs.items[attr].info;
}

uint64_t attr_hash(const Context *context, Attr attr) { return context->attrs.items[attr].hash; }

Name attr_fields_repeat(Context *context, uint32_t n, const NamedAttr *fields) {
  if (n < 2) return 0;
  ArenaMark mark = arena_mark(&context->arena);
  const NamedAttr *sorted =
      fields_sorted(context, fields, n) ? fields : sorted_copy(context, fields, n);
  Name twice = 0;
  for (uint32_t i = 1; i < n && !twice; i++)
    if (sorted[i - 1].name == sorted[i].name) twice = sorted[i].name;
  arena_rewind(&context->arena, mark);
  return twice;
}

Attr attr_unit(Context *context) { return attr_intern(context, &(AttrInfo){.kind = ATTR_UNIT}); }

Attr attr_bool(Context *context, bool value) {
  return attr_intern(context, &(AttrInfo){.kind = ATTR_BOOL, .i = value, .type = DT_i1});
}

Attr attr_int(Context *context, Type type, int64_t value) {
  return attr_intern(context, &(AttrInfo){.kind = ATTR_INT, .type = type, .i = value});
}

Attr attr_i64(Context *context, int64_t value) { return attr_int(context, DT_i64, value); }

Attr attr_float(Context *context, Type type, double value) {
  return attr_intern(context, &(AttrInfo){.kind = ATTR_FLOAT, .type = type, .f = value});
}

Attr attr_string(Context *context, Name text) {
  return attr_intern(context, &(AttrInfo){.kind = ATTR_STRING, .name = text});
}

Attr attr_symbol(Context *context, Name name) {
  return attr_intern(context, &(AttrInfo){.kind = ATTR_SYMBOL, .name = name});
}

Attr attr_type(Context *context, Type type) {
  return attr_intern(context, &(AttrInfo){.kind = ATTR_TYPE, .type = type});
}

Attr attr_array(Context *context, uint32_t n, const Attr *items) {
  Attr *full = NULL;
  for (uint32_t i = 0; i < n; i++) {
    if (items[i]) continue;
    if (!full) items = full = arena_copy(&context->arena, items, n * sizeof *items);
    full[i] = attr_intern(context, &(AttrInfo){.kind = ATTR_DICT});
  }
  return attr_intern(context, &(AttrInfo){.kind = ATTR_ARRAY, .count = n, .items = items});
}

Attr attr_dict(Context *context, uint32_t n, const NamedAttr *fields) {
  if (!n) return 0;
  return attr_intern(context, &(AttrInfo){.kind = ATTR_DICT, .count = n, .fields = fields});
}

Attr attr_i64s(Context *context, uint32_t n, const int64_t *values) {
  return attr_intern(context, &(AttrInfo){.kind = ATTR_DENSE_ARRAY,
                                          .type = DT_i64,
                                          .count = n,
                                          .data = values,
                                          .bytes = n * sizeof *values});
}

Attr attr_bools(Context *context, uint32_t n, const bool *values) {
  _Static_assert(sizeof(bool) == 1, "an i1 is stored as one byte, 0 or 1");
  return attr_intern(
      context,
      &(AttrInfo){.kind = ATTR_DENSE_ARRAY, .type = DT_i1, .count = n, .data = values, .bytes = n});
}

static Attr dense(Context *context, Type tensor, const void *data, size_t bytes, bool adopt) {
  size_t one = (size_t)dtype_bytes(type_dtype(context, tensor));
  bool splat = bytes && (bytes == one || memcmp(data, (const char *)data + one, bytes - one) == 0);
  AttrInfo info = {.kind = ATTR_DENSE, .type = tensor, .splat = splat, .data = data};
  info.bytes = splat ? one : bytes;
  return intern(context, &info, adopt && !splat);
}

Attr attr_dense(Context *context, Type tensor, const void *data, size_t bytes) {
  return dense(context, tensor, data, bytes, false);
}

Attr attr_dense_adopt(Context *context, Type tensor, const void *data, size_t bytes) {
  return dense(context, tensor, data, bytes, true);
}

Attr attr_enum(Context *context, const char *cls, const char *value) {
  return attr_intern(context, &(AttrInfo){.kind = ATTR_ENUM,
                                          .cls = name_of(context, cls),
                                          .name = name_of(context, value)});
}

Attr attr_struct(Context *context, const char *cls, uint32_t n, const NamedAttr *fields) {
  return attr_intern(
      context,
      &(AttrInfo){.kind = ATTR_STRUCT, .cls = name_of(context, cls), .count = n, .fields = fields});
}

Attr attr_loc_file(Context *context, Name file, LocRange range) {
  return attr_intern(
      context,
      &(AttrInfo){.kind = ATTR_LOC_FILE, .name = file, .data = &range, .bytes = sizeof range});
}

Attr attr_get(const Context *context, Attr attr, const char *name) {
  const AttrInfo *info = attr_info(context, attr);
  uint32_t low = 0, high = info->fields ? info->count : 0;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    int order = strcmp(name_text(context, info->fields[middle].name), name);
    if (order == 0) return info->fields[middle].value;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

Attr attr_dict_with(Context *context, Attr attr, const char *name, Attr value) {
  const AttrInfo *info = attr_info(context, attr);
  uint32_t n = info->fields ? info->count : 0, kept = 0;
  Name key = name_of(context, name);
  NamedAttr *fields = ARENA_ARRAY(&context->arena, NamedAttr, (size_t)n + 1);
  for (uint32_t i = 0; i < n; i++)
    if (info->fields[i].name != key) fields[kept++] = info->fields[i];
  if (value) fields[kept++] = (NamedAttr){key, value};
  return attr_dict(context, kept, fields);
}

int64_t attr_as_int(const Context *context, Attr attr, int64_t otherwise) {
  const AttrInfo *info = attr_info(context, attr);
  return info->kind == ATTR_INT || info->kind == ATTR_BOOL ? info->i : otherwise;
}

bool attr_as_bool(const Context *context, Attr attr, bool otherwise) {
  const AttrInfo *info = attr_info(context, attr);
  if (info->kind == ATTR_UNIT) return true;
  return info->kind == ATTR_INT || info->kind == ATTR_BOOL ? info->i != 0 : otherwise;
}

double attr_as_float(const Context *context, Attr attr, double otherwise) {
  const AttrInfo *info = attr_info(context, attr);
  return info->kind == ATTR_FLOAT ? info->f : otherwise;
}

Name attr_as_name(const Context *context, Attr attr) {
  const AttrInfo *info = attr_info(context, attr);
  return info->kind == ATTR_STRING || info->kind == ATTR_SYMBOL || info->kind == ATTR_ENUM
             ? info->name
             : 0;
}

// A splat text is short for any number of elements. Longer lists are not expanded.
enum { MOST_SPLAT = 1 << 16 };

Ints attr_as_ints(Context *context, Attr attr) {
  const AttrInfo *info = attr_info(context, attr);
  DType dtype = type_dtype(context, info->type);
  DTypeKind kind = dtype_kind(dtype);
  if (kind != KIND_SINT && kind != KIND_UINT && kind != KIND_BOOL) return (Ints){0};
  int64_t count = info->count;
  if (info->kind == ATTR_DENSE && !type_count(context, info->type, &count)) return (Ints){0};
  if (info->kind != ATTR_DENSE && info->kind != ATTR_DENSE_ARRAY) return (Ints){0};
  if (count > UINT32_MAX || (info->splat && count > MOST_SPLAT)) return (Ints){0};
  if (dtype == DT_i64 && !(info->splat && count > 1))
    return (Ints){info->data, (uint32_t)count, true};
  int64_t *values = ARENA_ARRAY(&context->arena, int64_t, (size_t)count);
  for (int64_t i = 0; i < count; i++)
    values[i] = dtype_load(dtype, info->data, info->splat ? 0 : i).i;
  return (Ints){values, (uint32_t)count, true};
}
