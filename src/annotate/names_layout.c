// Problem: turn `batch:data, ff:model` into annotations of all places.
// Idea: map classes to axes once; then each place looks up its dimensions' classes.
// Invariant: an existing annotation is kept, and manual axes around a place are not used.
// Cost: O(layout · classes + places · rank).
#include <inttypes.h>

#include "ops/op.h"
#include "annotate/names.h"
#include "annotate/program_mesh.h"

typedef struct Mapped {
  AxisList axes;
  Str from;  // "layout batch:data"
  Pos pos;
} Mapped;

typedef struct Clash {
  ClassId a, b;
} Clash;

typedef struct Layout {
  const Names *names;
  const Graph *g;
  const Program *p;
  Context *context;
  Arena *arena;
  MeshId mesh_id;
  const Mesh *mesh;
  Diag *diag;      // for the layout's text
  Diag *values;    // for the program
  Mapped *mapped;  // per class; no axes: not in the layout
  VEC(Clash) clashes;
  bool manual;  // the program has manual computations
  bool good;
} Layout;

// ---- reading ----

static const char blanks[] = " \t\r\n";

static Pos pos_of(const Layout *l, Str s) { return (Pos)(s.s - l->diag->source->text); }

// The class of dimension d of a target, in the first instance of its function; 0 if it has none.
static ClassId class_of_target(const Layout *l, const Target *target, uint32_t d) {
  InstanceId instance = graph_instance_of(l->g, target->function);
  if (!instance ||
      (target->kind == TARGET_RESULT ? target->index >= l->g->instances[instance].n_results
                                     : !target->value))
    return 0;
  PlaceId place = target->kind == TARGET_RESULT ? graph_result_place(l->g, instance, target->index)
                                                : graph_place(l->g, instance, target->value);
  uint32_t rank = place ? type_info(l->context, l->g->places[place].type)->rank : 0;
  return d < rank ? names_class(l->names, place, d) : 0;
}

// `params.w.1`: dimension 1 of the value params.w; 0 if there is none, or several classes.
static ClassId find_by_path(const Layout *l, Str name) {
  size_t dot = name.n;
  uint32_t d = 0;
  while (dot && name.s[dot - 1] >= '0' && name.s[dot - 1] <= '9') dot--;
  if (dot < 2 || name.s[dot - 1] != '.' || dot == name.n || name.n - dot > 3) return 0;
  for (size_t i = dot; i < name.n; i++) d = d * 10 + (uint32_t)(name.s[i] - '0');
  TargetList targets = targets_find(l->p, (Str){name.s, dot - 1}, l->arena);
  ClassId id = 0;
  for (uint32_t i = 0; i < targets.n; i++) {
    ClassId other = class_of_target(l, &targets.v[i], d);
    if (!other || (id && other != id)) return 0;
    id = other;
  }
  return id;
}

enum { SOME_NAMES = 3 };

static uint32_t some_names(const Layout *l, Str *out) {
  uint32_t n = 0;
  for (ClassId i = 1; n < SOME_NAMES && i <= l->names->classes.n_classes; i++) {
    out[n] = name_str(l->context, l->names->names[i].text);
    n += out[n].n > 0;
  }
  return n;
}

// Finds a class by its name, or as a dimension of a value. Products have no name of their own.
static bool find_class(Layout *l, Str name, ClassId *out) {
  *out = 0;
  for (ClassId i = 1; i <= l->names->classes.n_classes && !*out; i++)
    if (name.n && str_equal(name_str(l->context, l->names->names[i].text), name)) *out = i;
  if (!*out) *out = find_by_path(l, name);
  if (*out) return true;
  Str near[SOME_NAMES];
  uint32_t n = names_near(l->names, name, SOME_NAMES, near);
  const char *word = n ? "; near names: " : "; some that there are: ";
  if (!n) n = some_names(l, near);
  const char *list = "";
  for (uint32_t i = 0; i < n; i++)
    list = arena_printf(l->arena, "%s%s%.*s", list, i ? ", " : "", (int)near[i].n, near[i].s);
  l->good = diag_error(l->diag, pos_of(l, name), "no dimension is called '%.*s'%s%s", (int)name.n,
                       name.s, n ? word : ", and none has a name", list);
  return false;
}

static bool find_axis(Layout *l, Str name, uint32_t *out) {
  *out = mesh_find_axis(l->mesh, name_intern(l->context, name));
  if (*out != MESH_NO_AXIS) return true;
  const char *near = "";
  uint32_t least = 3;
  for (uint32_t i = 0; i < l->mesh->n_axes; i++) {
    Str axis = name_str(l->context, l->mesh->axes[i].name);
    uint32_t far = str_distance(name, axis, least);
    if (far >= least) continue;
    least = far;
    near = arena_printf(l->arena, "; did you mean \"%.*s\"?", (int)axis.n, axis.s);
  }
  l->good = diag_error(l->diag, pos_of(l, name), "unknown axis \"%.*s\": the mesh is %s%s",
                       (int)name.n, name.s, mesh_text(l->context, l->mesh, l->arena), near);
  return false;
}

// Parses `model+data`.
static bool read_axes(Layout *l, Str text, AxisList *out) {
  VEC(AxisRef) axes = {0};
  for (size_t begin = 0; begin <= text.n;) {
    size_t end = begin;
    while (end < text.n && text.s[end] != '+') end++;
    Str name = str_trim((Str){text.s + begin, end - begin}, blanks);
    if (name.n >= 2 && (name.s[0] == '"' || name.s[0] == '\'') && name.s[name.n - 1] == name.s[0])
      name = (Str){name.s + 1, name.n - 2};
    uint32_t axis;
    if (!name.n)
      return l->good = diag_error(l->diag, pos_of(l, name), "an axis is missing behind '%c'",
                                  begin ? '+' : ':');
    if (!find_axis(l, name, &axis)) return false;
    for (uint32_t i = 0; i < axes.count; i++)
      if (axes.items[i].axis == axis)
        return l->good = diag_error(l->diag, pos_of(l, name), "axis \"%.*s\" stands here twice",
                                    (int)name.n, name.s);
    VEC_PUSH(l->arena, &axes, axis_full(l->mesh, axis));
    begin = end + 1;
  }
  *out = (AxisList){axes.items, axes.count};
  return true;
}

// Reads `batch:data` and maps the class to the axes. Dynamic dimensions cannot be sharded.
static void read_pair(Layout *l, Str text) {
  const char *colon = memchr(text.s, ':', text.n);
  if (!colon) {
    l->good = diag_error(l->diag, pos_of(l, text), "expected NAME:AXIS, as in 'batch:data'");
    return;
  }
  size_t at = (size_t)(colon - text.s);
  Str name = str_trim((Str){text.s, at}, blanks);
  ClassId id;
  AxisList axes;
  if (!find_class(l, name, &id) || !read_axes(l, (Str){text.s + at + 1, text.n - at - 1}, &axes))
    return;
  if (l->mapped[id].axes.n) {
    l->good = diag_error(l->diag, pos_of(l, text), "'%.*s' stands twice in the layout", (int)name.n,
                         name.s);
    return;
  }
  Str from = str_of(arena_printf(l->arena, "layout %.*s", (int)text.n, text.s));
  l->mapped[id] = (Mapped){axes, from, pos_of(l, text)};
  int64_t size = l->names->classes.classes[id].size, tiles = axes_size(axes);
  if (size == DIM_DYNAMIC)
    l->good = diag_error(l->diag, pos_of(l, text), "'%.*s' has no fixed size and cannot be sharded",
                         (int)name.n, name.s);
  else if (size % tiles)
    diag_warning(l->diag, pos_of(l, text),
                 "'%.*s' has %" PRId64 " elements, which %" PRId64
                 " devices do not divide: tiles of %" PRId64 " are padded",
                 (int)name.n, name.s, size, tiles, size / tiles + (size % tiles != 0));
}

static void read_layout(Layout *l) {
  Str all = {l->diag->source->text, l->diag->source->size};
  for (size_t begin = 0; begin < all.n && !diag_full(l->diag);) {
    size_t end = begin;
    while (end < all.n && all.s[end] != ',' && all.s[end] != ';' && all.s[end] != '\n') end++;
    Str pair = str_trim((Str){all.s + begin, end - begin}, blanks);
    if (pair.n) read_pair(l, pair);
    begin = end + 1;
  }
}

// ---- annotating ----

// The manual axes of the manual computations around the place, through calls.
static AxisList manual_axes(const Layout *l, PlaceId place) {
  VEC(AxisRef) axes = {0};
  InstanceId instance = l->g->places[place].instance;
  ValueId value = l->g->places[place].value;
  const Value *v = value ? value_at(l->p, value) : NULL;
  OpId op = !v          ? 0
            : v->is_arg ? region_at(l->p, block_at(l->p, v->def)->region)->op
                        : op_parent(l->p, v->def);
  // Climb through regions, and from a function to the call of this instance.
  while (op) {
    const AttrInfo *names =
        attr_info(l->context, attr_get(l->context, op_attr(l->p, op, "manual_axes"), "axes"));
    for (uint32_t i = 0; (op_row(op_at(l->p, op)->code)->traits & TRAIT_MANUAL) && i < names->count;
         i++) {
      uint32_t axis = mesh_find_axis(l->mesh, attr_as_name(l->context, names->items[i]));
      if (axis != MESH_NO_AXIS) VEC_PUSH(l->arena, &axes, axis_full(l->mesh, axis));
    }
    OpId up = op_parent(l->p, op);
    if (op == l->g->instances[instance].function) {
      up = l->g->instances[instance].call;
      instance = l->g->instances[instance].caller;
    }
    op = up;
  }
  return (AxisList){axes.items, axes.count};
}

// The axes of a dimension: its name's. A product gets the axes of its major factor, and of the next
// factor only if the axes split the ones before completely (a block split otherwise cannot express
// it). *out_all: the dimension is closed, since its own name is in the layout.
static AxisList dim_axes(const Layout *l, ClassId id, bool *out_all, Mapped *out_from) {
  const Classes *c = &l->names->classes;
  const ClassInfo *info = &c->classes[id];
  *out_from = l->mapped[id];
  *out_all = l->mapped[id].axes.n > 0;
  if (*out_all || !info->n_parts) return l->mapped[id].axes;
  AxisList axes = {0};
  for (uint32_t i = 0; i < info->n_parts; i++) {
    ClassId part = c->parts[info->parts + i];
    const Mapped *m = &l->mapped[part];
    if (m->axes.n && axes_overlap(axes, m->axes)) break;
    if (m->axes.n) {
      axes = axes_concat(l->arena, axes, m->axes);
      *out_from = *m;
    }
    if (axes_size(m->axes) != c->classes[part].size) break;
  }
  return axes;
}

// Reports two dimensions of a value along one axis, once per pair of classes.
static void report_clash(Layout *l, PlaceId place, ClassId a, ClassId b, AxisList axes) {
  l->good = false;
  if (a > b) {
    ClassId swap = a;
    a = b;
    b = swap;
  }
  for (uint32_t i = 0; i < l->clashes.count; i++)
    if (l->clashes.items[i].a == a && l->clashes.items[i].b == b) return;
  Clash clash = {a, b};
  VEC_PUSH(l->arena, &l->clashes, clash);
  if (diag_full(l->values)) return;
  Target target = names_target(l->names, place);
  const char *first = name_text(l->context, l->names->names[a].text);
  const char *second = name_text(l->context, l->names->names[b].text);
  diag_error(
      l->values, target_pos(l->p, &target),
      "%s : %s has '%s' and '%s', and the layout shards both along axis %s: leave one of them "
      "out, or give it another axis",
      target_text(l->p, &target, l->arena), type_text(l->context, l->g->places[place].type),
      *first ? first : "a product", *second ? second : "a product",
      axis_text(l->context, l->mesh, axes.v[0]));
}

typedef struct PlaceDims {
  AxisList axes[64];
  bool all[64];
  uint32_t n_sharded;
  Str from;
  bool several;
} PlaceDims;

// Axes of all dimensions of a place; false if there are none, or after an error.
static bool find_dims(Layout *l, PlaceId place, uint32_t rank, PlaceDims *out) {
  out->n_sharded = 0;
  out->several = false;
  for (uint32_t d = 0; d < rank; d++) {
    ClassId id = names_class(l->names, place, d);
    Mapped from;
    out->axes[d] = dim_axes(l, id, &out->all[d], &from);
    if (!out->axes[d].n) continue;
    for (uint32_t e = 0; e < d; e++)
      if (axes_overlap(out->axes[e], out->axes[d])) {
        report_clash(l, place, names_class(l->names, place, e), id, out->axes[d]);
        return false;
      }
    out->several |= out->n_sharded > 0;
    out->from = from.from;
    out->n_sharded++;
  }
  return out->n_sharded > 0;
}

// Annotates one place unless it is annotated. Manual axes around it are left out.
static void give_place(Layout *l, Givens *givens, PlaceId place, Str layout) {
  const TypeInfo *type = type_info(l->context, l->g->places[place].type);
  if (type->rank > 64) return;
  PlaceDims found;
  DimSharding dims[64];
  ShardFactor factors[64];
  // Clashes are reported also for annotated places: the layout itself is then contradictory.
  if (!find_dims(l, place, type->rank, &found) || givens_at(givens, place)) return;
  AxisList manual = l->manual ? manual_axes(l, place) : (AxisList){0};
  uint32_t n_sharded = 0;
  for (uint32_t d = 0; d < type->rank; d++) {
    // A dimension inside a manual computation is already local along its manual axes.
    bool taken = axes_overlap(found.axes[d], manual);
    AxisList axes = taken ? (AxisList){0} : found.axes[d];
    factors[d] = (ShardFactor){.axes = axes};
    dims[d] = (DimSharding){&factors[d], 1, !axes.n || !found.all[d], PRIORITY_NONE};
    n_sharded += axes.n > 0;
  }
  if (!n_sharded) return;
  ShardingInfo info = {.mesh = l->mesh_id, .rank = type->rank, .dims = dims};
  Sharding sharding = sharding_intern(givens->table, &info);
  Str from = found.several ? layout : found.from;
  givens_give(givens,
              &(Given){.place = place, .sharding = sharding, .pos = POS_NONE, .from = from});
}

static bool has_manual(const Program *p) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_row(op_at(p, o)->code)->traits & TRAIT_MANUAL) return true;
  return false;
}

bool names_layout(const Names *names, MeshId mesh, Givens *givens, Diag *layout_diag, Diag *diag) {
  const Graph *g = givens->graph;
  Layout l = {.names = names,
              .g = g,
              .p = g->program,
              .context = g->program->context,
              .arena = names->arena,
              .mesh_id = mesh,
              .mesh = sharding_mesh(givens->table, mesh),
              .diag = layout_diag,
              .values = diag,
              .manual = has_manual(g->program),
              .good = true};
  if (!l.mesh)
    return diag_error(layout_diag, 0,
                      "the program has no mesh to lay out on: give a mesh such as data=4,model=2");
  l.mapped = ARENA_ARRAY(l.arena, Mapped, names->classes.n_classes + 1);
  read_layout(&l);
  if (!l.good) return false;
  Str all = str_trim((Str){layout_diag->source->text, layout_diag->source->size}, blanks);
  Str layout = str_of(arena_printf(l.arena, "layout %.*s", (int)all.n, all.s));
  for (PlaceId place = 1; place < g->n_places; place++) give_place(&l, givens, place, layout);
  return l.good;
}
