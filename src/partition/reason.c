#include "partition/reason.h"

#include <stdlib.h>
#include <string.h>

#include "ir/location_line.h"
#include "ops/op.h"
#include "partition/traffic.h"
#include "propagate/target.h"

static const char prefix[] = "exchanged because ";

// "@f:" in functions other than @main: names are a function's own.
static void put_function(StrBuf *out, const Program *p, ValueId v) {
  const Value *value = value_at(p, v);
  OpId op = value->is_arg ? region_at(p, block_at(p, value->def)->region)->op : value->def;
  while (op && !(op_row(op_at(p, op)->code)->traits & TRAIT_FUNCTION)) op = op_parent(p, op);
  if (!op) return;
  const char *name = name_text(p->context, attr_as_name(p->context, op_attr(p, op, "sym_name")));
  if (strcmp(name, "main") != 0) strbuf_printf(out, "@%s:", name);
}

static void put_value(StrBuf *out, const Program *p, ValueId v, Arena *scratch) {
  const Value *value = value_at(p, v);
  if (value->is_arg) {
    OpId owner = region_at(p, block_at(p, value->def)->region)->op;
    uint32_t i = v - block_at(p, value->def)->args;
    Str path = {NULL, 0};
    if (op_row(op_at(p, owner)->code)->traits & TRAIT_FUNCTION)
      path = argument_path(p, owner, i, scratch);
    if (path.n) {
      put_function(out, p, v);
      strbuf_put_str(out, path);
      return;
    }
  }
  if (value->name) {
    put_function(out, p, v);
    strbuf_printf(out, "%%%s", name_text(p->context, value->name));
  } else {
    strbuf_puts(out, value->is_arg ? "an argument" : "a value");
  }
}

// " (jit(step)/mul, model.py:31)"
static void put_place(StrBuf *out, const Program *p, Attr loc) {
  const AttrInfo *info = attr_info(p->context, loc);
  const char *name = info->kind == ATTR_LOC_NAME ? name_text(p->context, info->name) : "";
  Str file = {NULL, 0};
  uint32_t line = 0;
  bool found = location_line(p->context, loc, &file, &line);
  for (size_t i = 0; i < file.n; i++)
    if (file.s[i] == '/') file = (Str){file.s + i + 1, file.n - i - 1}, i = (size_t)-1;
  if (!*name && !found) return;
  strbuf_printf(out, " (%s%s", name, *name && found ? ", " : "");
  if (found) strbuf_printf(out, "%.*s:%u", (int)file.n, file.s, line);
  strbuf_puts(out, ")");
}

static void put_op(StrBuf *out, const Program *p, OpId op, Arena *scratch) {
  const Op *o = op_at(p, op);
  if (o->n_results && value_at(p, op_result(p, op, 0))->name) {
    put_value(out, p, op_result(p, op, 0), scratch);
    strbuf_puts(out, " = ");
  }
  strbuf_puts(out, op_name(p, op));
  put_place(out, p, o->loc);
}

// Only what is said of dimensions and sums, without the mesh's name.
static void put_sharding(StrBuf *out, const ShardingTable *table, Sharding sharding) {
  if (!sharding) {
    strbuf_puts(out, "whole");
    return;
  }
  size_t begin = out->used, from = begin;
  sharding_print(table, sharding, out);
  while (from < out->used && out->data[from] != '[') from++;
  memmove(out->data + begin, out->data + from, out->used - from);
  out->used -= from - begin;
  if (out->used > begin && out->data[out->used - 1] == '>') out->used--;
}

// "partial sums over "model""
static void put_parts(StrBuf *out, const Program *p, const ShardingTable *table,
                      const ShardingInfo *info) {
  const Mesh *mesh = sharding_mesh(table, info->mesh);
  if (info->reducer == COMBINE_SUM)
    strbuf_puts(out, "partial sums");
  else
    strbuf_printf(out, "parts of a %s", combine_name(info->reducer));
  for (uint32_t i = 0; i < info->unreduced.n; i++) {
    strbuf_puts(out, i ? ", " : " over ");
    axis_print(p->context, mesh, info->unreduced.v[i], out);
  }
}

static Attr located(const Program *p, StrBuf *text, Attr inner) {
  AttrInfo info = {.kind = ATTR_LOC_NAME,
                   .name = name_intern(p->context, (Str){text->data, text->used}),
                   .count = inner ? 1 : 0,
                   .items = &inner};
  text->used = 0;
  return attr_intern(p->context, &info);
}

// " (from params.layers.w1)", if its own name does not say so.
static void put_origin(StrBuf *out, const Origins *origins, ValueId v, Arena *scratch) {
  const Program *p = origins->p;
  ValueId origin = origin_of(origins, v);
  if (!origin || origin == v) return;
  strbuf_puts(out, " (from ");
  put_value(out, p, origin, scratch);
  strbuf_puts(out, ")");
}

Attr reason_reshard(const Origins *origins, const ShardingTable *table, StrBuf *text,
                    Arena *scratch, ValueId value, Sharding from, Sharding to, OpId user) {
  const Program *p = origins->p;
  strbuf_puts(text, prefix);
  bool ends = op_row(op_at(p, user)->code)->traits & TRAIT_TERMINATOR;
  if (ends) {
    strbuf_puts(text, "it is returned: ");
  } else {
    put_op(text, p, user, scratch);
    strbuf_puts(text, " takes ");
  }
  put_value(text, p, value, scratch);
  put_origin(text, origins, value, scratch);
  strbuf_puts(text, ends ? " is to be " : " as ");
  put_sharding(text, table, to);
  OpId def = value_def(p, value);
  const ShardingInfo *info = sharding_info(table, from);
  if (info->unreduced.n) {
    strbuf_puts(text, "; ");
    if (def)
      put_op(text, p, def, scratch);
    else
      put_value(text, p, value, scratch);
    strbuf_puts(text, def ? " leaves " : " comes in ");
    put_parts(text, p, table, info);
  } else {
    strbuf_puts(text, "; it is ");
    put_sharding(text, table, from);
  }
  return located(p, text, op_at(p, user)->loc);
}

Attr reason_op(const Program *p, StrBuf *text, Arena *scratch, OpId op) {
  strbuf_puts(text, prefix);
  put_op(text, p, op, scratch);
  strbuf_puts(text, ", split as it is, needs what others have");
  return located(p, text, op_at(p, op)->loc);
}

Attr reason_order(const Program *p, StrBuf *text, Arena *scratch, OpId op) {
  strbuf_puts(text, prefix);
  put_op(text, p, op, scratch);
  strbuf_puts(text, " has side effects and waits for those before it, on other devices");
  return located(p, text, op_at(p, op)->loc);
}

Attr reason_device(const Program *p, StrBuf *text, Arena *scratch, OpId op, uint32_t device) {
  strbuf_puts(text, prefix);
  put_op(text, p, op, scratch);
  strbuf_printf(text, " is computed on device %u alone; others use its result", device);
  return located(p, text, op_at(p, op)->loc);
}

// ---- listing ----

static const char *why_of(const Program *p, Attr attr) {
  const AttrInfo *loc = attr_info(p->context, attr);
  if (loc->kind != ATTR_LOC_NAME) return "";
  const char *text = name_text(p->context, loc->name);
  return strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : "";
}

static double bytes_of(const Program *p, ValueId v) {
  int64_t count = 0;
  Type type = value_type(p, v);
  if (!type_count(p->context, type, &count)) return 0;
  return (double)count * dtype_bytes(type_dtype(p->context, type));
}

static int by_reason(const void *x, const void *y) {
  const Reason *a = x, *b = y;
  int kind = strcmp(a->kind, b->kind);
  return kind ? kind : strcmp(a->why, b->why);
}

static int by_bytes(const void *x, const void *y) {
  const Reason *a = x, *b = y;
  return a->bytes != b->bytes ? (a->bytes > b->bytes ? -1 : 1) : by_reason(x, y);
}

uint32_t reasons_list(const Program *local, uint32_t n_devices, Arena *arena,
                      const Reason **out_reasons) {
  VEC(Reason) all = {0};
  Runs runs;
  runs_count(local, NULL, arena, &runs);
  for (OpId o = local->root; o; o = op_walk_next(local, o, local->root)) {
    if (!(op_row(op_at(local, o)->code)->traits & TRAIT_COLLECTIVE)) continue;
    const char *name = op_row(op_at(local, o)->code)->name, *dot = strchr(name, '.');
    const char *kind = dot ? dot + 1 : name;
    const AttrInfo *loc = attr_info(local->context, op_at(local, o)->loc);
    uint32_t n = op_at(local, o)->n_operands;
    double bytes = traffic_of(local, o, n_devices, &runs);
    bool unknown = runs_unknown(&runs, o);
    // Of several values in one exchange each has its own reason.
    bool each = loc->kind == ATTR_LOC_FUSED && loc->count == n && n > 1;
    double all_bytes = 0;
    for (uint32_t i = 0; each && i < n; i++) all_bytes += bytes_of(local, op_operand(local, o, i));
    for (uint32_t i = 0; each && i < n; i++)
      VEC_PUSH(arena, &all,
               ((Reason){
                   why_of(local, loc->items[i]), kind, 1, n - 1,
                   all_bytes > 0 ? bytes * bytes_of(local, op_operand(local, o, i)) / all_bytes : 0,
                   unknown}));
    if (each) continue;
    VEC_PUSH(arena, &all,
             ((Reason){why_of(local, op_at(local, o)->loc), kind, 1, 0, bytes, unknown}));
  }
  if (all.count) qsort(all.items, all.count, sizeof *all.items, by_reason);
  uint32_t n = 0;
  for (uint32_t i = 0; i < all.count; i++) {
    if (n && by_reason(&all.items[n - 1], &all.items[i]) == 0) {
      all.items[n - 1].count++;
      all.items[n - 1].bytes += all.items[i].bytes;
      all.items[n - 1].unknown |= all.items[i].unknown;
    } else {
      all.items[n++] = all.items[i];
    }
  }
  if (n) qsort(all.items, n, sizeof *all.items, by_bytes);
  *out_reasons = all.items;
  return n;
}
