// Types: interned records. A type's hash depends on its content only, so interning, equality across
// contexts and program hashes share it. Interning is expected O(size of the record).
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "ir/context.h"
#include "ir/context_private.h"

static const int64_t no_dims[1] = {0};
static const Type no_items[1] = {0};

static uint64_t quant_hash(const QuantInfo *q) {
  uint64_t h = hash_mix(q->storage, q->expressed);
  h = hash_mix(h, (uint64_t)q->min);
  h = hash_mix(h, (uint64_t)q->max);
  h = hash_mix(h, (uint64_t)(uint32_t)q->axis);
  h = hash_mix(h, hash_bytes(q->scales, q->count * sizeof *q->scales));
  return hash_mix(h, hash_bytes(q->zero_points, q->count * sizeof *q->zero_points));
}

static bool quant_equal(const QuantInfo *a, const QuantInfo *b) {
  return a->storage == b->storage && a->expressed == b->expressed && a->min == b->min &&
         a->max == b->max && a->axis == b->axis && a->count == b->count &&
         memcmp(a->scales, b->scales, a->count * sizeof *a->scales) == 0 &&
         memcmp(a->zero_points, b->zero_points, a->count * sizeof *a->zero_points) == 0;
}

// Uses hashes of nested records, never ids, so that it is the same in every context.
static uint64_t content_hash(const Context *context, const TypeInfo *t) {
  uint64_t h = hash_mix(t->kind, t->dtype);
  h = hash_mix(h, type_hash(context, t->elem));
  h = hash_mix(h, attr_hash(context, t->encoding));
  h = hash_mix(h, name_hash(context, t->text));
  h = hash_mix(h, ((uint64_t)t->rank << 32) | t->n_inputs);
  for (uint32_t i = 0; i < t->rank; i++) h = hash_mix(h, (uint64_t)t->dims[i]);
  for (uint32_t i = 0; i < t->n_items; i++) h = hash_mix(h, type_hash(context, t->items[i]));
  return t->quant ? hash_mix(h, quant_hash(t->quant)) : h;
}

static bool type_equal(const void *owner, uint32_t id, const void *key) {
  const TypeInfo *a = type_info(owner, id), *b = key;
  if (a->kind != b->kind || a->dtype != b->dtype || a->elem != b->elem ||
      a->encoding != b->encoding || a->rank != b->rank || a->n_inputs != b->n_inputs ||
      a->n_items != b->n_items || a->text != b->text || !a->quant != !b->quant)
    return false;
  if (a->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) != 0) return false;
  if (a->n_items && memcmp(a->items, b->items, a->n_items * sizeof *a->items) != 0) return false;
  return !a->quant || quant_equal(a->quant, b->quant);
}

// Entry 0 is "none" and not in the map.
static Type type_add(Context *context, const TypeInfo *info, uint64_t hash) {
  Guard *guard = context->arena.guard;
  Interned entry = {info, hash};
  Type id = context->types.count;
  HEAPVEC_PUSH(guard, &context->types, entry);
  if (id) idmap_add(&context->type_map, guard, hash, id);
  return id;
}

static Type type_intern(Context *context, const TypeInfo *info) {
  uint64_t hash = content_hash(context, info);
  Type found = idmap_find(&context->type_map, hash, type_equal, context, info);
  if (found) return found;
  Arena *arena = &context->arena;
  TypeInfo *copy = arena_copy(arena, info, sizeof *info);
  copy->dims =
      info->rank ? arena_copy(arena, info->dims, info->rank * sizeof *info->dims) : no_dims;
  copy->items = info->n_items ? arena_copy(arena, info->items, info->n_items * sizeof *info->items)
                              : no_items;
  if (info->quant) {
    QuantInfo *quant = arena_copy(arena, info->quant, sizeof *quant);
    quant->scales = arena_copy(arena, quant->scales, quant->count * sizeof *quant->scales);
    quant->zero_points =
        arena_copy(arena, quant->zero_points, quant->count * sizeof *quant->zero_points);
    copy->quant = quant;
  }
  return type_add(context, copy, hash);
}

// Scalar types get the ids of their DType.
void types_init(Context *context) {
  type_add(context, ARENA_NEW(&context->arena, TypeInfo), 0);
  for (int d = 1; d < DT_COUNT; d++) {
    TypeInfo *info = ARENA_NEW(&context->arena, TypeInfo);
    info->kind = TYPE_SCALAR;
    info->dtype = (DType)d;
    info->dims = no_dims;
    info->items = no_items;
    type_add(context, info, content_hash(context, info));
  }
}

const TypeInfo *type_info(const Context *context, Type type) {
  return context->types.items[type].info;
}

uint64_t type_hash(const Context *context, Type type) {
  return type ? context->types.items[type].hash : 0;
}

Type type_scalar(DType dtype) { return (Type)dtype; }

Type type_quant(Context *context, const QuantInfo *quant) {
  return type_intern(context, &(TypeInfo){.kind = TYPE_QUANT, .quant = quant});
}

Type type_tensor(Context *context, Type elem, uint32_t rank, const int64_t *dims, Attr encoding) {
  return type_intern(
      context,
      &(TypeInfo){
          .kind = TYPE_TENSOR, .elem = elem, .rank = rank, .dims = dims, .encoding = encoding});
}

Type type_unranked(Context *context, Type elem) {
  return type_intern(context, &(TypeInfo){.kind = TYPE_UNRANKED, .elem = elem});
}

Type type_memref(Context *context, Type elem, uint32_t rank, const int64_t *dims) {
  return type_intern(context,
                     &(TypeInfo){.kind = TYPE_MEMREF, .elem = elem, .rank = rank, .dims = dims});
}

Type type_tuple(Context *context, uint32_t n, const Type *items) {
  return type_intern(context, &(TypeInfo){.kind = TYPE_TUPLE, .n_items = n, .items = items});
}

Type type_future(Context *context, uint32_t n, const Type *items) {
  return type_intern(context, &(TypeInfo){.kind = TYPE_FUTURE, .n_items = n, .items = items});
}

Type type_function(Context *context, uint32_t n_inputs, const Type *inputs, uint32_t n_results,
                   const Type *results) {
  Arena *arena = &context->arena;
  ArenaMark mark = arena_mark(arena);
  uint32_t n = n_inputs + n_results;
  Type *items = ARENA_ARRAY(arena, Type, n);
  if (n_inputs) memcpy(items, inputs, n_inputs * sizeof *items);
  if (n_results) memcpy(items + n_inputs, results, n_results * sizeof *items);
  TypeInfo info = {.kind = TYPE_FUNCTION, .n_items = n, .items = items, .n_inputs = n_inputs};
  Type found =
      idmap_find(&context->type_map, content_hash(context, &info), type_equal, context, &info);
  if (!found) return type_intern(context, &info);
  arena_rewind(arena, mark);
  return found;
}

Type type_token(Context *context) { return type_intern(context, &(TypeInfo){.kind = TYPE_TOKEN}); }

Type type_opaque(Context *context, Str text) {
  return type_intern(context, &(TypeInfo){.kind = TYPE_OPAQUE, .text = name_intern(context, text)});
}

bool type_is_tensor(const Context *context, Type type) {
  return type_info(context, type)->kind == TYPE_TENSOR;
}

Type type_elem(const Context *context, Type type) {
  const TypeInfo *info = type_info(context, type);
  return info->kind == TYPE_TENSOR || info->kind == TYPE_UNRANKED || info->kind == TYPE_MEMREF
             ? info->elem
             : 0;
}

const QuantInfo *type_quant_info(const Context *context, Type type) {
  const TypeInfo *info = type_info(context, type);
  if (info->kind != TYPE_QUANT) info = type_info(context, type_elem(context, type));
  return info->kind == TYPE_QUANT ? info->quant : NULL;
}

bool type_is_quant(const Context *context, Type type) {
  return type_quant_info(context, type) != NULL;
}

DType type_dtype(const Context *context, Type type) {
  const QuantInfo *quant = type_quant_info(context, type);
  if (quant) return quant->storage;
  const TypeInfo *info = type_info(context, type);
  if (info->kind != TYPE_SCALAR) info = type_info(context, type_elem(context, type));
  return info->kind == TYPE_SCALAR ? info->dtype : DT_none_;
}

bool type_is_static(const Context *context, Type type) {
  const TypeInfo *info = type_info(context, type);
  if (info->kind == TYPE_UNRANKED) return false;
  for (uint32_t i = 0; i < info->rank; i++)
    if (info->dims[i] == DIM_DYNAMIC) return false;
  for (uint32_t i = 0; i < info->n_items; i++)
    if (!type_is_static(context, info->items[i])) return false;
  return true;
}

bool type_count(const Context *context, Type type, int64_t *out_count) {
  const TypeInfo *info = type_info(context, type);
  if (info->kind != TYPE_TENSOR) return false;
  int64_t count = 1;
  bool overflow = false, empty = false;
  for (uint32_t i = 0; i < info->rank; i++) {
    if (info->dims[i] == DIM_DYNAMIC) return false;
    if (info->dims[i] == 0) empty = true;
    if (__builtin_mul_overflow(count, info->dims[i], &count)) overflow = true;
  }
  if (overflow && !empty) return false;
  *out_count = empty ? 0 : count;
  return true;
}

Type type_with_elem(Context *context, Type tensor, Type elem) {
  const TypeInfo *info = type_info(context, tensor);
  return type_tensor(context, elem, info->rank, info->dims, info->encoding);
}

Type type_with_dim(Context *context, Type tensor, uint32_t d, int64_t size) {
  const TypeInfo *info = type_info(context, tensor);
  int64_t few[64],
      *dims = info->rank <= 64 ? few : ARENA_ARRAY(&context->arena, int64_t, info->rank);
  for (uint32_t i = 0; i < info->rank; i++) dims[i] = i == d ? size : info->dims[i];
  return type_tensor(context, info->elem, info->rank, dims, info->encoding);
}

Type type_with_shape(Context *context, Type tensor, uint32_t rank, const int64_t *dims) {
  return type_tensor(context, type_info(context, tensor)->elem, rank, dims, 0);
}

int64_t type_bound(const Context *context, Type tensor, uint32_t d) {
  const TypeInfo *info = type_info(context, tensor);
  Attr bounds = attr_get(context, info->encoding, "bounds");
  const AttrInfo *values = attr_info(context, bounds);
  if (values->kind != ATTR_DENSE_ARRAY || d >= values->count) return DIM_DYNAMIC;
  return ((const int64_t *)values->data)[d];
}

static void print_bounds(const Context *context, Attr encoding, StrBuf *out) {
  const AttrInfo *info = attr_info(context, encoding);
  if (info->kind == ATTR_OPAQUE) {
    strbuf_puts(out, ", ");
    strbuf_put_str(out, name_str(context, info->name));
    return;
  }
  const AttrInfo *values = attr_info(context, attr_get(context, encoding, "bounds"));
  if (values->kind != ATTR_DENSE_ARRAY) return;
  strbuf_puts(out, ", #stablehlo.bounds<");
  for (uint32_t i = 0; i < values->count; i++) {
    int64_t bound = ((const int64_t *)values->data)[i];
    if (i) strbuf_puts(out, ", ");
    if (bound == DIM_DYNAMIC)
      strbuf_putc(out, '?');
    else
      strbuf_put_int(out, bound);
  }
  strbuf_putc(out, '>');
}

static void print_dims(const TypeInfo *info, StrBuf *out) {
  for (uint32_t i = 0; i < info->rank; i++) {
    if (info->dims[i] == DIM_DYNAMIC)
      strbuf_putc(out, '?');
    else
      strbuf_put_int(out, info->dims[i]);
    strbuf_putc(out, 'x');
  }
}

// Scales are printed as MLIR prints an APFloat: the shortest digits that parse back, at least one
// after the point.
static void print_scale(double scale, StrBuf *out) {
  char text[DTYPE_TEXT_MAX];
  dtype_format(DT_f64, scalar_f(scale), text, sizeof text);
  strbuf_puts(out, text);
}

static void print_quant(const QuantInfo *q, StrBuf *out) {
  const DTypeInfo *storage = dtype_info(q->storage);
  strbuf_printf(out, "!quant.uniform<%c%d", dtype_is_signed(q->storage) ? 'i' : 'u',
                storage->width);
  if (q->min != dtype_lowest(q->storage).i || q->max != dtype_max_finite(q->storage).i)
    strbuf_printf(out, "<%" PRId64 ":%" PRId64 ">", q->min, q->max);
  strbuf_printf(out, ":%s", dtype_info(q->expressed)->name);
  if (q->axis >= 0)
    strbuf_printf(out, ":%d, {", q->axis);
  else
    strbuf_puts(out, ", ");
  for (uint32_t i = 0; i < q->count; i++) {
    if (i) strbuf_putc(out, ',');
    print_scale(q->scales[i], out);
    if (q->zero_points[i]) strbuf_printf(out, ":%" PRId64, q->zero_points[i]);
  }
  strbuf_puts(out, q->axis >= 0 ? "}>" : ">");
}

static void print_list(const Context *context, uint32_t n, const Type *items, StrBuf *out) {
  for (uint32_t i = 0; i < n; i++) {
    if (i) strbuf_puts(out, ", ");
    type_print(context, items[i], out);
  }
}

static void print_function(const Context *context, const TypeInfo *info, StrBuf *out) {
  uint32_t n_results = info->n_items - info->n_inputs;
  const Type *results = info->items + info->n_inputs;
  strbuf_putc(out, '(');
  print_list(context, info->n_inputs, info->items, out);
  strbuf_puts(out, ") -> ");
  bool bare = n_results == 1 && type_info(context, results[0])->kind != TYPE_FUNCTION;
  if (!bare) strbuf_putc(out, '(');
  print_list(context, n_results, results, out);
  if (!bare) strbuf_putc(out, ')');
}

void type_print(const Context *context, Type type, StrBuf *out) {
  const TypeInfo *info = type_info(context, type);
  switch (info->kind) {
  case TYPE_NONE: strbuf_puts(out, "<unknown type>"); break;
  case TYPE_SCALAR: strbuf_puts(out, dtype_info(info->dtype)->name); break;
  case TYPE_QUANT: print_quant(info->quant, out); break;
  case TYPE_TENSOR:
  case TYPE_MEMREF:
    strbuf_puts(out, info->kind == TYPE_TENSOR ? "tensor<" : "memref<");
    print_dims(info, out);
    type_print(context, info->elem, out);
    if (info->encoding) print_bounds(context, info->encoding, out);
    strbuf_putc(out, '>');
    break;
  case TYPE_UNRANKED:
    strbuf_puts(out, "tensor<*x");
    type_print(context, info->elem, out);
    strbuf_putc(out, '>');
    break;
  case TYPE_TUPLE:
  case TYPE_FUTURE:
    strbuf_puts(out, info->kind == TYPE_TUPLE ? "tuple<" : "!stablehlo.future<");
    print_list(context, info->n_items, info->items, out);
    strbuf_putc(out, '>');
    break;
  case TYPE_FUNCTION: print_function(context, info, out); break;
  case TYPE_TOKEN: strbuf_puts(out, "!stablehlo.token"); break;
  case TYPE_OPAQUE: strbuf_put_str(out, name_str(context, info->text)); break;
  }
}

const char *type_text(Context *context, Type type) {
  Guard *guard = context->arena.guard;
  StrBuf buf;
  strbuf_init(&buf, guard);
  GuardCleanup cleanup = {strbuf_release, &buf, NULL};
  guard_push(guard, &cleanup);
  type_print(context, type, &buf);
  Name name = name_intern(context, (Str){buf.data, buf.used});
  guard_pop(guard, &cleanup);
  strbuf_deinit(&buf);
  return name_text(context, name);
}
