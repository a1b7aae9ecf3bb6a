// One walk visits every sharding. A map from mesh attributes (interned: equal meshes are one id) to
// symbols tells which mesh ops exist already. O(program).
#include "annotate/annotation.h"
#include "annotate/program_mesh.h"
#include "base/idmap.h"
#include "ops/op.h"

typedef struct Lift {
  Program *p;
  Guard *guard;
  SymbolTable symbols;
  IdMap map;               // mesh tree or symbol in a sharding -> index into entries, + 1
  VEC(NamedAttr) entries;  // .value: the mesh as found; .name: the symbol that replaces it
  Arena *arena;
  OpId last;  // new meshes are inserted after it
} Lift;

static bool same_mesh(const void *owner, uint32_t id, const void *key) {
  return ((const Lift *)owner)->entries.items[id - 1].value == *(const Attr *)key;
}

// The symbol for a mesh tree or for the symbol of an erased duplicate; NULL if none.
static Name *lifted(Lift *l, Attr mesh) {
  uint32_t id = idmap_find(&l->map, mesh, same_mesh, l, &mesh);
  return id ? &l->entries.items[id - 1].name : NULL;
}

static void lift_as(Lift *l, Attr mesh, Name name) {
  VEC_PUSH(l->arena, &l->entries, ((NamedAttr){name, mesh}));
  idmap_add(&l->map, l->guard, mesh, l->entries.count);
}

static bool is_symbol_taken(const Lift *l, Name name) {
  if (symbols_find(&l->symbols, name)) return true;
  for (uint32_t i = 0; i < l->entries.count; i++)
    if (l->entries.items[i].name == name) return true;
  return false;
}

// mesh, mesh_0, mesh_1 …; a single-device mesh is named after its device.
static Name new_mesh_name(Lift *l, Attr mesh) {
  Context *context = l->p->context;
  const AttrInfo *axes = attr_info(context, attr_get(context, mesh, "axes"));
  Ints ids = attr_as_ints(context, attr_get(context, mesh, "device_ids"));
  const char *base = "mesh";
  if (axes->count == 0 && ids.n == 1)
    base = arena_printf(l->arena, "maximal_mesh_%lld", (long long)ids.v[0]);
  else if (axes->count == 0)
    base = "empty_mesh";
  Name name = name_of(context, base);
  for (uint32_t i = 0; is_symbol_taken(l, name); i++)
    name = name_of(context, arena_printf(l->arena, "%s_%u", base, i));
  return name;
}

static Name add_mesh(Lift *l, Attr mesh) {
  Program *p = l->p;
  Name name = new_mesh_name(l, mesh);
  NamedAttr attrs[2] = {{name_of(p->context, "sym_name"), attr_string(p->context, name)},
                        {name_of(p->context, "mesh"), mesh}};
  OpId op = op_create(p, &(OpSpec){.code = OP_sdy_mesh,
                                   .attrs = attr_dict(p->context, 2, attrs),
                                   .pos = POS_NONE,
                                   .origin = 0});
  if (l->last)
    op_insert_after(p, op, l->last);
  else
    op_prepend(p, region_block(p, op_region(p, p->root, 0)), op);
  l->last = op;
  lift_as(l, mesh, name);
  return name;
}

// Replaces the mesh inside one sharding by a symbol. Symbols of erased duplicates are mapped, too.
static Attr lift_one(void *user, Attr sharding) {
  Lift *l = user;
  Context *context = l->p->context;
  Attr mesh = attr_get(context, sharding, "mesh");
  Name *to = lifted(l, mesh), name = to ? *to : 0;
  if (!name && attr_info(context, mesh)->kind == ATTR_STRUCT) name = add_mesh(l, mesh);
  if (!name) return sharding;
  return annotation_with_mesh(context, sharding, attr_symbol(context, name));
}

// Symbolic replica groups refer to meshes, too.
static void lift_groups(Lift *l) {
  Program *p = l->p;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    Attr groups = op_attr(p, o, "replica_groups");
    if (attr_info(p->context, groups)->kind != ATTR_STRUCT) continue;
    Attr mesh = attr_get(p->context, groups, "mesh");
    Name *to = attr_info(p->context, mesh)->kind == ATTR_SYMBOL ? lifted(l, mesh) : NULL;
    if (to)
      op_set_attr(p, o, "replica_groups",
                  annotation_with_mesh(p->context, groups, attr_symbol(p->context, *to)));
  }
}

static void free_lift(void *lift) {
  symbols_deinit(&((Lift *)lift)->symbols);
  idmap_deinit(&((Lift *)lift)->map);
}

void program_meshes_lift(Program *p, Arena *arena) {
  Lift l = {.p = p, .guard = p->guard, .arena = arena};
  GuardCleanup cleanup = {free_lift, &l, NULL};
  guard_push(p->guard, &cleanup);
  symbols_init(&l.symbols, p, p->root, p->guard);
  BlockId module = region_block(p, op_region(p, p->root, 0));
  bool twice = false;
  for (OpId o = module ? block_at(p, module)->first : 0, next; o; o = next) {
    next = op_at(p, o)->next;
    if (op_at(p, o)->code != OP_sdy_mesh) continue;
    Attr mesh = op_attr(p, o, "mesh");
    Name name = attr_as_name(p->context, op_attr(p, o, "sym_name")), *first = lifted(&l, mesh);
    if (first) {  // an equal mesh exists: use its symbol and erase this one
      lift_as(&l, attr_symbol(p->context, name), *first);
      op_erase(p, o);
      twice = true;
    } else {
      lift_as(&l, mesh, name);
      l.last = o;
    }
  }
  annotation_map_all(p, lift_one, &l);
  if (twice) lift_groups(&l);
  guard_pop(p->guard, &cleanup);
  free_lift(&l);
}
