// One section per kind of decision: inlined functions, shardings of values, ops, copies. Ops are
// named by their number: functions and the ops in them, in program order, from 1. The same text
// gives the same numbers in another process. Names and lines beside a number are for readers;
// given.c checks the name. O(decisions).
#include "partition/decisions_json.h"

#include "explain/words.h"
#include "sharding/sharding_json.h"

typedef struct Out {
  Partition *t;
  Json *json;
  Words words;
  VEC(MeshId) meshes;  // in the order of their numbers
  StrBuf text;
} Out;

// ---- shardings ----

static uint32_t mesh_number(Out *o, MeshId mesh) {
  for (uint32_t i = 0; i < o->meshes.count; i++)
    if (o->meshes.items[i] == mesh) return i;
  VEC_PUSH(&o->t->arena, &o->meshes, mesh);
  return o->meshes.count - 1;
}

static void write_sharding(Out *o, Sharding sharding) {
  uint32_t number = sharding ? mesh_number(o, sharding_info(o->t->table, sharding)->mesh) : 0;
  sharding_json(o->t->context, o->t->table, sharding, number, o->json);
}

static void write_shardings(Out *o, const char *key, const Sharding *shardings, uint32_t n) {
  json_key(o->json, key), json_open(o->json, '[');
  for (uint32_t i = 0; i < n; i++) write_sharding(o, shardings[i]);
  json_close(o->json, ']');
}

// ---- names ----

static void write_op_number(Out *o, const char *key, OpId op) {
  json_key(o->json, key), json_uint(o->json, o->t->numbers[op]);
}

static void write_op_words(Out *o, OpId op) {
  OpWords words = words_op(&o->words, op);
  const Context *context = o->t->context;
  json_key(o->json, "name"), json_string(o->json, op_name(o->t->p, op));
  if (words.value)
    json_key(o->json, "value"), json_string(o->json, name_text(context, words.value));
  if (words.file) json_key(o->json, "file"), json_string(o->json, name_text(context, words.file));
  if (words.line) json_key(o->json, "line"), json_uint(o->json, words.line);
}

// A value by its op and result, or by the op around its block, the region and the argument.
static void write_value_name(Out *o, ValueId v) {
  const Program *p = o->t->p;
  const Value *value = value_at(p, v);
  if (!value->is_arg) {
    write_op_number(o, "op", value->def);
    if (value->index) json_key(o->json, "result"), json_uint(o->json, value->index);
    return;
  }
  RegionId region = block_at(p, value->def)->region;
  OpId owner = region_at(p, region)->op;
  write_op_number(o, "op", owner);
  uint32_t number = region - op_region(p, owner, 0);
  if (number) json_key(o->json, "region"), json_uint(o->json, number);
  json_key(o->json, "argument"), json_uint(o->json, value->index);
}

static void write_instance(Out *o, InstanceId instance, uint32_t visit) {
  json_key(o->json, "instance"), json_uint(o->json, instance);
  if (visit) json_key(o->json, "visit"), json_uint(o->json, visit);
}

static void write_price(Out *o, Price price) {
  json_key(o->json, "price"), json_open(o->json, '{');
  json_key(o->json, "seconds"), json_double(o->json, price.seconds);
  json_key(o->json, "bytes"), json_double(o->json, price.bytes);
  json_close(o->json, '}');
}

// ---- sections ----

static void write_instances(Out *o) {
  const Graph *g = o->t->graph;
  json_key(o->json, "instances"), json_open(o->json, '[');
  for (InstanceId i = 1; i < g->n_instances; i++) {
    const Instance *instance = &g->instances[i];
    Name name = attr_as_name(o->t->context, op_attr(o->t->p, instance->function, "sym_name"));
    json_break(o->json, 2);
    json_open(o->json, '{');
    json_key(o->json, "instance"), json_uint(o->json, i);
    json_key(o->json, "function"), json_string(o->json, name_text(o->t->context, name));
    if (instance->call) {
      write_op_number(o, "call", instance->call);
      json_key(o->json, "caller"), json_uint(o->json, instance->caller);
    }
    json_close(o->json, '}');
  }
  json_close(o->json, ']');
}

static void write_inlined(Out *o) {
  const Partition *t = o->t;
  json_key(o->json, "inlined"), json_open(o->json, '[');
  for (uint32_t i = 0; i < t->runs.count; i++) {
    OpId function = t->runs.order[i];
    if (!t->inlined[function]) continue;
    Name name = attr_as_name(t->context, op_attr(t->p, function, "sym_name"));
    json_string(o->json, name_text(t->context, name));
  }
  json_close(o->json, ']');
}

// A decision from outside says so: also of replicated values, since it overrides an annotation.
static bool is_given(const Partition *t, PlaceId place) {
  return t->given && t->given->shardings && t->given->shardings[place] != GIVEN_ANY;
}

// Required shardings, annotated or inferred: of arguments, results, loop carries and the rest.
static void write_values(Out *o) {
  Partition *t = o->t;
  json_key(o->json, "values"), json_open(o->json, '[');
  for (PlaceId i = 1; i < t->graph->n_places; i++) {
    const Place *place = &t->graph->places[i];
    // Uses of constants have places of their own, which the partitioner does not read.
    if (place->value && graph_place(t->graph, place->instance, place->value) != i) continue;
    Sharding sharding = walk_given_sharding(t, i);
    if (!sharding && !is_given(t, i)) continue;
    if (sharding && sharding_is_maximal(t->table, sharding)) continue;
    if (!walk_fits_mesh(t, i, sharding)) continue;  // it has no effect
    json_break(o->json, 2);
    json_open(o->json, '{');
    if (place->value) {
      write_value_name(o, place->value);
    } else {
      write_op_number(o, "op", t->graph->instances[place->instance].function);
      json_key(o->json, "result"), json_uint(o->json, place->index);
    }
    write_instance(o, place->instance, 0);
    Name name = place->value ? words_value(&o->words, place->value) : 0;
    if (name) json_key(o->json, "value"), json_string(o->json, name_text(t->context, name));
    json_key(o->json, "sharding"), write_sharding(o, sharding);
    json_close(o->json, '}');
  }
  json_close(o->json, ']');
}

static bool are_equal(AxisList a, AxisList b) { return a.n == b.n && axes_equal(a, b); }

// The factors of each dimension: ([i, k], [k, j])->([i, j]).
static void write_rule(Out *o, const FactorMap *m) {
  StrBuf *out = &o->text;
  out->used = 0;
  for (uint32_t t = 0; t < factor_map_n_tensors(m); t++) {
    bool first = t == 0 || t == m->n_operands;
    strbuf_puts(out, t == m->n_operands ? (t ? ")->([" : "()->([") : first ? "([" : ", [");
    for (uint32_t d = 0; d < factor_map_rank(m, t); d++) {
      FactorList list = factor_map_dim(m, t, d);
      if (d) strbuf_puts(out, ", ");
      for (uint32_t i = 0; i < list.n; i++) factor_print(list.v[i], out);
    }
    strbuf_putc(out, ']');
  }
  strbuf_putc(out, ')');
  json_key(o->json, "rule"), json_str(o->json, (Str){out->data, out->used});
}

static void write_split(Out *o, const SplitDecision *split) {
  const Localizer *cx = &split->cx;
  const Mesh *mesh = sharding_mesh(o->t->table, split->mesh);
  write_rule(o, &split->map);
  json_key(o->json, "factors"), json_open(o->json, '[');
  for (uint32_t f = 0; f < split->map.n_factors; f++) {
    const FactorSplit *s = &cx->splits[f];
    json_open(o->json, '{');
    o->text.used = 0;
    factor_print(f, &o->text);
    json_key(o->json, "factor"), json_str(o->json, (Str){o->text.data, o->text.used});
    json_key(o->json, "size"), json_int(o->json, split->map.factors[f].size);
    json_key(o->json, "axes"), axes_json(o->t->context, mesh, s->axes, o->json);
    if (s->n_strides)
      json_key(o->json, "strides"),
          factors_json(o->t->context, mesh, s->strides, s->n_strides, o->json);
    if (!are_equal(cx->preferred[f], s->axes))
      json_key(o->json, "preferred"), axes_json(o->t->context, mesh, cx->preferred[f], o->json);
    json_close(o->json, '}');
  }
  json_close(o->json, ']');
  if (cx->strided) json_key(o->json, "strided"), json_bool(o->json, true);
  if (split->partial) json_key(o->json, "partial"), json_bool(o->json, true);
  write_shardings(o, "operands", cx->in_as, split->map.n_operands);
  write_shardings(o, "results", cx->out_as, split->map.n_results);
  if (cx->bytes > 0) json_key(o->json, "bytes"), json_double(o->json, cx->bytes);
}

static const char *kind_name(DecisionKind kind) {
  switch (kind) {
  case DECISION_SPLIT: return "split";
  case DECISION_REPLICATED: return "replicated";
  case DECISION_ON_DEVICE: return "on_device";
  case DECISION_CALL: return "call";
  case DECISION_FLOW: return "flow";
  default: return NULL;
  }
}

static void write_ops(Out *o) {
  Partition *t = o->t;
  json_key(o->json, "ops"), json_open(o->json, '[');
  for (uint32_t i = 0; i < t->decisions.count; i++) {
    const Decision *d = &t->decisions.items[i];
    const char *kind = kind_name(d->kind);
    if (!kind) continue;
    json_break(o->json, 2);
    json_open(o->json, '{');
    write_op_number(o, "op", d->op);
    write_op_words(o, d->op);
    write_instance(o, d->instance, d->visit);
    json_key(o->json, "kind"), json_string(o->json, kind);
    if (d->kind == DECISION_SPLIT) write_split(o, d->split);
    if (d->kind == DECISION_SPLIT) write_price(o, d->price);
    if (d->kind == DECISION_ON_DEVICE)
      json_key(o->json, "position"), json_uint(o->json, d->device->position);
    if (d->why) json_key(o->json, "why"), json_string(o->json, d->why);
    json_close(o->json, '}');
  }
  json_close(o->json, ']');
}

// Copies that are resharded or rematerialized. Reshards between the caller's shardings and the
// function's follow from the shardings of arguments and results, and are not listed.
static void write_copies(Out *o) {
  Partition *t = o->t;
  json_key(o->json, "copies"), json_open(o->json, '[');
  for (uint32_t i = 0; i < t->decisions.count; i++) {
    const Decision *d = &t->decisions.items[i];
    bool rematerialized = d->kind == DECISION_REMATERIALIZE;
    if (!rematerialized && (d->kind != DECISION_RESHARD || d->is_edge)) continue;
    json_break(o->json, 2);
    json_open(o->json, '{');
    write_op_number(o, "for", rematerialized ? d->user : d->origin);
    write_instance(o, d->instance, d->visit);
    ValueId v = rematerialized ? op_result(t->p, d->op, 0) : d->reshard.value;
    write_value_name(o, v);
    Name name = words_value(&o->words, v);
    if (name) json_key(o->json, "value"), json_string(o->json, name_text(t->context, name));
    json_key(o->json, "kind"), json_string(o->json, rematerialized ? "rematerialize" : "reshard");
    if (!rematerialized) json_key(o->json, "from"), write_sharding(o, d->reshard.from);
    json_key(o->json, "to"), write_sharding(o, rematerialized ? d->required : d->reshard.to);
    if (!rematerialized) write_price(o, d->price);
    json_close(o->json, '}');
  }
  json_close(o->json, ']');
}

// Last, when all meshes have numbers. If nothing is sharded, the mesh of the program: its ops are
// split over no axes of it.
static void write_meshes(Out *o) {
  const Partition *t = o->t;
  for (InstanceId i = 1; !o->meshes.count && i < t->graph->n_instances; i++)
    if (t->meshes[t->roots[i]]) mesh_number(o, t->meshes[t->roots[i]]);
  json_key(o->json, "meshes"), json_open(o->json, '[');
  for (uint32_t i = 0; i < o->meshes.count; i++) {
    json_break(o->json, 2);
    mesh_json(o->t->context, sharding_mesh(o->t->table, o->meshes.items[i]), o->json);
  }
  json_close(o->json, ']');
}

static void release(void *object) {
  words_deinit(&((Out *)object)->words);
  strbuf_deinit(&((Out *)object)->text);
}

void decisions_json(Partition *t, Json *json) {
  Out o = {.t = t, .json = json};
  strbuf_init(&o.text, t->guard);
  words_init(&o.words, t->p, t->table, &t->functions, &t->arena, &t->scratch, t->guard);
  GuardCleanup cleanup = {release, &o, NULL};
  guard_push(t->guard, &cleanup);
  json_break(json, 1), json_key(json, "version"), json_int(json, 1);
  json_key(json, "program_ops"), json_uint(json, t->n_numbers);
  json_break(json, 1), write_instances(&o);
  json_break(json, 1), write_inlined(&o);
  json_break(json, 1), write_values(&o);
  json_break(json, 1), write_ops(&o);
  json_break(json, 1), write_copies(&o);
  json_break(json, 1), write_meshes(&o);
  guard_pop(t->guard, &cleanup);
  release(&o);
}
