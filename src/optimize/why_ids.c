// Hidden ids are the metadata of a fused location that wraps the op's own location; the end
// restores it. A combined collective has a fused location with one item per operand (bucket.c), so
// its ids are those of its items.
#include "optimize/why_ids.h"

static const char shown[] = "tessera.why", hidden[] = "tessera.why_ids";

bool why_ids_hide(Optimizer *o) {
  Program *p = o->p;
  bool any = false;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    Attr ids = op_attr(p, op, shown);
    if (!ids) continue;
    any = true;
    NamedAttr field = {name_of(o->context, hidden), ids};
    Attr items[2] = {op_at(p, op)->loc, attr_dict(o->context, 1, &field)};
    if (!items[0]) items[0] = attr_intern(o->context, &(AttrInfo){.kind = ATTR_LOC_UNKNOWN});
    op_at(p, op)->loc = attr_intern(
        o->context, &(AttrInfo){.kind = ATTR_LOC_FUSED, .i = 1, .count = 2, .items = items});
    op_set_attr(p, op, shown, 0);
  }
  return any;
}

typedef VEC(Attr) AttrVec;

// Adds an id once.
static void add_id(Optimizer *o, AttrVec *ids, Attr id) {
  for (uint32_t i = 0; i < ids->count; i++)
    if (ids->items[i] == id) return;
  VEC_PUSH(&o->scratch, ids, id);
}

// The original location; appends its ids.
static Attr unwrapped(Optimizer *o, Attr loc, AttrVec *ids) {
  const AttrInfo *info = attr_info(o->context, loc);
  if (info->kind != ATTR_LOC_FUSED || info->i != 1 || info->count != 2) return loc;
  Attr found = attr_get(o->context, info->items[1], hidden), inner = info->items[0];
  if (!found) return loc;
  const AttrInfo *list = attr_info(o->context, found);
  for (uint32_t i = 0; list->kind == ATTR_ARRAY && i < list->count; i++)
    add_id(o, ids, list->items[i]);
  if (list->kind != ATTR_ARRAY) add_id(o, ids, found);
  return attr_info(o->context, inner)->kind == ATTR_LOC_UNKNOWN ? 0 : inner;
}

// The same for a combined collective's location: each item is unwrapped.
static Attr all_unwrapped(Optimizer *o, Attr loc, AttrVec *ids) {
  const AttrInfo *info = attr_info(o->context, loc);
  if (info->kind != ATTR_LOC_FUSED || info->i) return unwrapped(o, loc, ids);
  AttrInfo copy = *info;
  Attr *items = ARENA_ARRAY(&o->scratch, Attr, info->count + 1);
  Attr unknown = attr_intern(o->context, &(AttrInfo){.kind = ATTR_LOC_UNKNOWN});
  bool known = false;
  for (uint32_t i = 0; i < copy.count; i++) {
    Attr item = unwrapped(o, copy.items[i], ids);
    known |= item && item != unknown;
    items[i] = item ? item : unknown;
  }
  if (!ids->count) return loc;
  copy.items = items;
  return known ? attr_intern(o->context, &copy) : 0;
}

void why_ids_show(Optimizer *o) {
  Program *p = o->p;
  for (OpId op = p->root; op; op = op_walk_next(p, op, p->root)) {
    if (!op_at(p, op)->loc) continue;
    ArenaMark mark = arena_mark(&o->scratch);
    AttrVec ids = {0};
    Attr loc = all_unwrapped(o, op_at(p, op)->loc, &ids);
    op_at(p, op)->loc = loc;
    if (ids.count && op_row(op_at(p, op)->code)->traits & TRAIT_COLLECTIVE)
      op_set_attr(p, op, shown,
                  ids.count == 1 ? ids.items[0] : attr_array(o->context, ids.count, ids.items));
    arena_rewind(&o->scratch, mark);
  }
}
