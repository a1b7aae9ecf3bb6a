// Reads the annotations of the program's text into a propagation. Every instance of a function gets
// the function's annotations. Few different attributes occur on many values, so parsed shardings
// are cached. O(ops in all instances).
#include "annotate/annotation.h"
#include "propagate/propagate.h"

// A cached parse of a sharding attribute.
typedef struct CachedParse {
  Attr attr;
  Type type;
  Sharding sharding;
} CachedParse;

enum { CACHE_SIZE = 512 };  // direct-mapped by hash

typedef struct Reader {
  Propagation *propagation;
  const Graph *g;
  const Program *p;
  Context *context;
  ShardingTable *table;
  Diag *diag;
  bool explicit_only;
  Arena scratch;
  CachedParse cached[CACHE_SIZE];
} Reader;

// All dimensions are open and have no axes: the annotation constrains nothing.
static bool is_fully_open(const ShardingTable *table, Sharding sharding) {
  const ShardingInfo *info = sharding_info(table, sharding);
  for (uint32_t d = 0; d < info->rank; d++)
    if (!info->dims[d].open || info->dims[d].n_factors > 1 || sharding_dim_axes(info, d).n)
      return false;
  return !info->replicated.n && !info->unreduced.n;
}

// Two different annotations for one place: an error, with a note at the other one.
static bool conflict(Reader *r, PlaceId place, const Given *old, Sharding sharding, Pos pos) {
  StrBuf text;
  strbuf_init(&text, r->p->guard);
  sharding_print(r->table, sharding, &text);
  strbuf_puts(&text, " here, but ");
  sharding_print(r->table, old->sharding, &text);
  diag_error(r->diag, pos,
             "conflicting shardings: %s for another value that must be sharded the same way "
             "(a loop's, a group's or a call's): make them equal, or leave one open",
             text.data);
  strbuf_deinit(&text);
  if (old->pos != POS_NONE) diag_note(r->diag, old->pos, "the other one is here");
  (void)place;
  return false;
}

// sharding_from_attr through the cache.
static Status *look_up(Reader *r, Attr attr, Type type, Sharding *out) {
  CachedParse *cached = &r->cached[hash_mix(attr, type) % CACHE_SIZE];
  if (cached->attr != attr || cached->type != type) {
    Sharding sharding = 0;
    TRY(sharding_from_attr(r->table, attr, type, &sharding));
    *cached = (CachedParse){attr, type, sharding};
  }
  *out = cached->sharding;
  return NULL;
}

// A manual axis of the computation that the sharding uses; MESH_NO_AXIS if it uses none.
static uint32_t uses_manual(const Reader *r, const ShardingInfo *info, OpId computation) {
  const Mesh *mesh = sharding_mesh(r->table, info->mesh);
  Attr manual = op_attr(r->p, computation, "manual_axes");
  const AttrInfo *names = attr_info(r->context, attr_get(r->context, manual, "axes"));
  for (uint32_t i = 0; mesh && manual && i < names->count; i++) {
    uint32_t axis = mesh_find_axis(mesh, attr_as_name(r->context, names->items[i]));
    for (uint32_t d = 0; d < info->rank && axis != MESH_NO_AXIS; d++)
      for (uint32_t f = 0; f < info->dims[d].n_factors; f++)
        for (uint32_t k = 0; k < info->dims[d].factors[f].axes.n; k++)
          if (info->dims[d].factors[f].axes.v[k].axis == axis) return axis;
  }
  return MESH_NO_AXIS;
}

// Inside a manual computation, and in functions called there, values are local along the manual
// axes: they cannot be sharded over them.
static bool may_use(Reader *r, PlaceId place, Sharding sharding, Pos pos) {
  const ShardingInfo *info = sharding_info(r->table, sharding);
  InstanceId instance = r->g->places[place].instance;
  ValueId v = r->g->places[place].value;
  OpId op = 0;
  if (v && value_at(r->p, v)->is_arg)
    op = region_at(r->p, block_at(r->p, value_at(r->p, v)->def)->region)->op;
  else if (v)
    op = op_parent(r->p, value_def(r->p, v));
  while (instance) {
    for (; op; op = op_parent(r->p, op)) {
      if (!(op_row(op_at(r->p, op)->code)->traits & TRAIT_MANUAL)) continue;
      uint32_t axis = uses_manual(r, info, op);
      if (axis == MESH_NO_AXIS) continue;
      const Mesh *mesh = sharding_mesh(r->table, info->mesh);
      diag_error(r->diag, pos,
                 "axis \"%s\" is manual here, each device has its part along it already: use other "
                 "axes, or leave it out",
                 name_text(r->context, mesh->axes[axis].name));
      diag_note(r->diag, op_at(r->p, op)->pos, "it is made manual here");
      return false;
    }
    op = r->g->instances[instance].call;
    instance = r->g->instances[instance].caller;
  }
  return true;
}

// Sharding a dynamic dimension is an error (decision D16); Shardy ignores such an annotation.
static bool has_sizes(const Reader *r, Sharding sharding, Type type, Pos pos) {
  const TypeInfo *tensor = type_info(r->context, type);
  const ShardingInfo *info = sharding_info(r->table, sharding);
  if (r->explicit_only || !type || tensor->kind != TYPE_TENSOR) return true;
  for (uint32_t d = 0; d < tensor->rank && d < info->rank; d++)
    if (tensor->dims[d] == DIM_DYNAMIC && sharding_tiles(info, d) > 1)
      return diag_error(r->diag, pos,
                        "dimension %u of a %s has no fixed size and cannot be sharded: give the "
                        "program its sizes first, or take the axes away",
                        d, type_text(r->context, type));
  return true;
}

// Adds an annotation to a place. An annotation that constrains nothing never conflicts.
static bool give(Reader *r, PlaceId place, Attr attr, Type type, Pos pos) {
  Sharding sharding = 0;
  Status *status = look_up(r, attr, type, &sharding);
  if (status) {
    diag_error(r->diag, pos, "%s", status_message(status));
    status_free(status);
    return false;
  }
  if (!place) return true;  // rank 0: the attribute stays as written
  if (!has_sizes(r, sharding, type, pos)) return false;
  if (r->g->n_views > 1 && !may_use(r, place, sharding, pos)) return false;
  const Given *old = propagation_given(r->propagation, place);
  if (old && old->sharding != sharding) {
    if (is_fully_open(r->table, sharding)) return true;
    if (!is_fully_open(r->table, old->sharding)) return conflict(r, place, old, sharding, pos);
  }
  givens_give(propagation_givens(r->propagation),
              &(Given){.place = place, .sharding = sharding, .pos = pos});
  return true;
}

// The list of a #sdy.sharding_per_value.
static const AttrInfo *per_value(const Reader *r, Attr attr) {
  return attr_info(r->context, attr_get(r->context, attr, "shardings"));
}

// arg_attrs and res_attrs of the function.
static bool read_function(Reader *r, InstanceId id) {
  const Instance *instance = &r->g->instances[id];
  OpId function = instance->function;
  Pos pos = op_at(r->p, function)->pos;
  const AttrInfo *args = attr_info(r->context, op_attr(r->p, function, "arg_attrs"));
  BlockId block = region_block(r->p, op_region(r->p, function, 0));
  for (uint32_t i = 0; block && i < args->count && i < block_at(r->p, block)->n_args; i++) {
    Attr attr = attr_get(r->context, args->items[i], "sdy.sharding");
    ValueId v = block_arg(r->p, block, i);
    if (attr && !give(r, graph_place(r->g, id, v), attr, value_type(r->p, v), pos)) return false;
  }
  const AttrInfo *results = attr_info(r->context, op_attr(r->p, function, "res_attrs"));
  for (uint32_t i = 0; i < results->count && i < instance->n_results; i++) {
    Attr attr = attr_get(r->context, results->items[i], "sdy.sharding");
    PlaceId place = graph_result_place(r->g, id, i);
    if (attr && !give(r, place, attr, place ? r->g->places[place].type : 0, pos)) return false;
  }
  return true;
}

// in_shardings and out_shardings of a manual computation, for values without a data-flow edge. The
// place of an argument is inside the body: its sharding has no manual axes.
static bool read_body(Reader *r, InstanceId id, OpId op) {
  const Op *o = op_at(r->p, op);
  BlockId block = region_block(r->p, o->regions);
  const AttrInfo *in = per_value(r, op_attr(r->p, op, "in_shardings"));
  for (uint32_t i = 0; block && i < in->count && i < block_at(r->p, block)->n_args; i++) {
    PlaceId place = graph_place(r->g, id, block_arg(r->p, block, i));
    if (annotation_edge(r->p, block_arg(r->p, block, i))) continue;
    Sharding sharding;
    Status *status = sharding_from_attr(r->table, in->items[i], 0, &sharding);
    if (status) {
      diag_error(r->diag, o->pos, "%s", status_message(status));
      status_free(status);
      return false;
    }
    if (!place) continue;
    if (!has_sizes(r, sharding, r->g->places[place].type, o->pos)) return false;
    NodeId def = r->g->places[place].def;
    if (def) sharding = view_stored(r->g, r->g->nodes[def].view, sharding, &r->scratch);
    givens_give(propagation_givens(r->propagation),
                &(Given){.place = place, .sharding = sharding, .pos = o->pos});
  }
  const AttrInfo *out = per_value(r, op_attr(r->p, op, "out_shardings"));
  for (uint32_t i = 0; i < out->count && i < o->n_results; i++)
    if (!annotation_edge(r->p, o->results + i) &&
        !give(r, graph_place(r->g, id, o->results + i), out->items[i], op_result_type(r->p, op, i),
              o->pos))
      return false;
  return true;
}

// The same with explicit_only. The edge's annotation replaces that of its value.
static bool read_body_explicit(Reader *r, InstanceId id, OpId op) {
  const Op *o = op_at(r->p, op);
  BlockId block = region_block(r->p, o->regions);
  uint32_t n_args = block ? block_at(r->p, block)->n_args : 0;
  for (uint32_t i = 0; i < n_args + o->n_results; i++) {
    ValueId v = i < n_args ? block_arg(r->p, block, i) : o->results + (i - n_args);
    Attr attr = annotation_edge(r->p, v) ? 0 : annotation_own(r->p, v);
    if (attr && !give(r, graph_place(r->g, id, v), attr, value_type(r->p, v), o->pos)) return false;
  }
  return true;
}

// sdy.sharding of the results, and `sharding` of ops that are annotations themselves (constraints).
// A result with a data-flow edge is skipped: the edge has its sharding.
static bool read_op(Reader *r, InstanceId id, OpId op) {
  const Op *o = op_at(r->p, op);
  if (!o->attrs || (o->n_results == 0 && !o->n_regions)) return true;
  const OpDef *def = op_row(o->code)->def;
  if (def && def->flow == FLOW_BODY &&
      !(r->explicit_only ? read_body_explicit : read_body)(r, id, op))
    return false;
  bool flows = def && def->flow;
  Attr own = attr_get(r->context, o->attrs, "sdy.sharding");
  const AttrInfo *list = own ? per_value(r, own) : NULL;
  for (uint32_t i = 0; own && i < list->count && i < o->n_results; i++)
    if (!(flows && annotation_edge(r->p, o->results + i)) &&
        !give(r, graph_place(r->g, id, o->results + i), list->items[i], op_result_type(r->p, op, i),
              o->pos))
      return false;
  bool carries =
      op_row(o->code)->traits & TRAIT_SHARDING && op_attr_spec(o->code, str_of("sharding"));
  Attr one = carries ? attr_get(r->context, o->attrs, "sharding") : 0;
  return !one ||
         give(r, graph_place(r->g, id, o->results), one, op_result_type(r->p, op, 0), o->pos);
}

// An annotation of a constant applies to the copies of its uses.
static bool read_splits(Reader *r, InstanceId id) {
  const Instance *instance = &r->g->instances[id];
  for (uint32_t k = 0; k < instance->n_constants; k++) {
    const ConstantUse *use = &r->g->splits[instance->constants + k];
    for (uint32_t i = 0; i < use->n_values; i++) {
      const SplitValue *split = &r->g->split_values[use->values + i];
      OpId def = value_def(r->p, split->value);
      Attr attr = op_at(r->p, def)->attrs ? annotation_own(r->p, split->value) : 0;
      if (attr &&
          !give(r, split->place, attr, value_type(r->p, split->value), op_at(r->p, def)->pos))
        return false;
    }
  }
  return true;
}

static void release(void *object) { arena_deinit(&((Reader *)object)->scratch); }

Status *propagation_read(Propagation *p, Diag *diag) {
  const Graph *g = propagation_graph(p);
  Reader r = {.propagation = p,
              .g = g,
              .p = g->program,
              .context = g->program->context,
              .table = propagation_table(p),
              .diag = diag,
              .explicit_only = propagation_options(p)->graph.explicit_only};
  arena_init(&r.scratch, r.p->guard);
  GuardCleanup cleanup = {release, &r, NULL};
  guard_push(r.p->guard, &cleanup);
  bool good = true;
  for (InstanceId i = 1; good && i < g->n_instances; i++) {
    OpId function = g->instances[i].function;
    good = read_function(&r, i);
    for (OpId o = op_walk_next(r.p, function, function); good && o;
         o = op_walk_next(r.p, o, function))
      good = read_op(&r, i, o);
    good = good && read_splits(&r, i);
  }
  guard_pop(r.p->guard, &cleanup);
  release(&r);
  return good ? NULL : diag_status(diag);
}
