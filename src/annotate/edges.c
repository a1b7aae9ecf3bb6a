// Allow flags become annotations before propagation starts, so the engine does not know them:
// `not allowed` without annotation is a closed replicated sharding.
#include "annotate/edges.h"

#include <inttypes.h>

#include "base/vec.h"
#include "annotate/annotation.h"

// ---- reading ----

// Several entry functions share the flags, so there are as many as the longest list has.
Status *allow_read(const Program *p, TargetKind kind, Str text, Arena *arena, AllowFlags *out) {
  if (str_is(text, "all") || str_is(text, "none")) {
    *out = (AllowFlags){.given = true, .otherwise = str_is(text, "all")};
    return NULL;
  }
  Entries entries = program_entries(p, arena);
  uint32_t n = 0;
  for (uint32_t i = 0; i < entries.n; i++) {
    uint32_t count = kind == TARGET_ARGUMENT ? function_n_arguments(p, entries.v[i])
                                             : function_n_results(p, entries.v[i]);
    if (count > n) n = count;
  }
  bool *flags = ARENA_ARRAY(arena, bool, n + 1);
  for (size_t at = 0; at <= text.n;) {
    const char *comma = at < text.n ? memchr(text.s + at, ',', text.n - at) : NULL;
    size_t end = comma ? (size_t)(comma - text.s) : text.n;
    Str item = {text.s + at, end - at};
    at = end + 1;
    while (item.n && item.s[0] == ' ') item.s++, item.n--;
    while (item.n && item.s[item.n - 1] == ' ') item.n--;
    // Results are named result0, result.loss; here `0` and `loss` suffice.
    bool plain = kind == TARGET_RESULT && !str_starts(item, "result") && !str_starts(item, "out");
    Str name = plain ? str_of(arena_printf(arena, "result.%.*s", (int)item.n, item.s)) : item;
    TargetList list = item.n ? targets_find(p, name, arena) : (TargetList){0};
    bool any = false;
    for (uint32_t i = 0; i < list.n; i++) {
      if (list.v[i].kind != kind || list.v[i].index >= n) continue;
      flags[list.v[i].index] = any = true;
    }
    if (!any)
      FAIL(NOT_FOUND, "'%.*s' is none of the program's %u %s%s%s", (int)item.n, item.s, n,
           kind == TARGET_ARGUMENT ? "argument" : "result", n == 1 ? "" : "s",
           targets_hint(p, name, arena));
  }
  *out = (AllowFlags){true, false, flags, n};
  return NULL;
}

// ---- applying ----

// Allowed and annotated: opens all dimensions. Not allowed and not annotated: replicated, closed.
static void allow_place(Givens *givens, PlaceId place, MeshId mesh, bool allowed,
                        const char *option, Pos pos) {
  ShardingTable *table = givens->table;
  const Given *given = givens_at(givens, place);
  if (!place || (!given && allowed)) return;
  if (!given) {
    const Graph *g = givens->graph;
    uint32_t rank = type_info(g->program->context, g->places[place].type)->rank;
    Given closed = {place, sharding_make_replicated(table, mesh, rank), pos, str_of(option)};
    givens_give(givens, &closed);
  } else if (allowed) {
    Given open = *given;
    for (uint32_t d = 0; d < sharding_info(table, open.sharding)->rank; d++)
      open.sharding = sharding_with_open(table, open.sharding, d, true);
    givens_give(givens, &open);
  }
}

void edges_allow(Givens *givens, MeshId mesh, const AllowFlags *arguments,
                 const AllowFlags *results, Arena *arena) {
  const Graph *g = givens->graph;
  const Program *p = g->program;
  if (!mesh) return;
  Entries entries = program_entries(p, arena);
  for (uint32_t e = 0; e < entries.n; e++) {
    OpId function = entries.v[e];
    InstanceId instance = graph_instance_of(g, function);
    if (!instance) continue;
    Pos pos = op_at(p, function)->pos;
    for (uint32_t i = 0; arguments->given && i < function_n_arguments(p, function); i++) {
      ValueId value = function_argument(p, function, i);
      if (value)
        allow_place(givens, graph_place(g, instance, value), mesh, allow_at(arguments, i),
                    "not in --allow-args", pos);
    }
    for (uint32_t i = 0; results->given && i < g->instances[instance].n_results; i++)
      allow_place(givens, graph_result_place(g, instance, i), mesh, allow_at(results, i),
                  "not in --allow-results", pos);
  }
}

// ---- sizes ----

// Whether the place is an argument or result of an entry function.
static bool is_edge(const Graph *g, PlaceId place) {
  const Place *at = &g->places[place];
  if (g->instances[at->instance].caller) return false;
  OpId function = g->instances[at->instance].function;
  return !at->value || function_argument(g->program, function,
                                         value_at(g->program, at->value)->index) == at->value;
}

enum { MOST_WARNINGS = 10 };

bool edges_check_sizes(const Givens *givens, bool divisible, Diag *diag) {
  const Graph *g = givens->graph;
  ShardingTable *table = givens->table;
  Context *context = g->program->context;
  uint32_t warnings = 0;
  for (PlaceId place = 1; place < g->n_places && !diag_full(diag); place++) {
    const Given *given = givens_at(givens, place);
    if (!given || given->from.n) continue;  // --shard reports its own against the rule's text
    Type type = g->places[place].type;
    int32_t d = sharding_uneven_dim(table, given->sharding, type);
    if (d < 0) continue;
    int64_t size = type_info(context, type)->dims[d];
    int64_t tiles = sharding_tiles(sharding_info(table, given->sharding), (uint32_t)d);
    if (divisible && is_edge(g, place))
      diag_error(
          diag, given->pos,
          "dimension %d of %s has %" PRId64 " elements, which %" PRId64
          " devices do not divide: --edges=divisible (divisible_edges) requires a multiple of "
          "%" PRId64,
          d, type_text(context, type), size, tiles, tiles);
    else if (warnings++ < MOST_WARNINGS)
      diag_warning(diag, given->pos,
                   "dimension %d of %s has %" PRId64 " elements, which %" PRId64
                   " devices do not divide: tiles of %" PRId64 " are padded",
                   d, type_text(context, type), size, tiles, size / tiles + (size % tiles != 0));
  }
  if (warnings > MOST_WARNINGS)
    diag_note(diag, POS_NONE, "%u more annotations do not divide", warnings - MOST_WARNINGS);
  return diag->errors == 0;
}

// The same sharding; each dimension keeps the longest prefix of its axes that divides it.
static Status *even(ShardingTable *table, Attr attr, Type type, Arena *arena, Attr *out) {
  Sharding sharding;
  TRY(sharding_from_attr(table, attr, type, &sharding));
  const TypeInfo *tensor = type_info(sharding_table_context(table), type);
  *out = attr;
  if (sharding_uneven_dim(table, sharding, type) < 0) return NULL;
  for (uint32_t d = 0; d < tensor->rank; d++) {
    AxisList axes = sharding_dim_axes(sharding_info(table, sharding), d);
    AxisRef *kept = ARENA_ARRAY(arena, AxisRef, axes.n);
    uint32_t n = axes_prefix_dividing(axes, tensor->dims[d], kept);
    sharding = sharding_with_axes(table, sharding, d, (AxisList){kept, n});
  }
  return sharding_to_attr(table, sharding, out);
}

Status *edges_make_even(Program *p, ShardingTable *table, Arena *arena) {
  Entries entries = program_entries(p, arena);
  for (uint32_t e = 0; e < entries.n; e++) {
    OpId function = entries.v[e];
    for (uint32_t i = 0; i < function_n_arguments(p, function); i++) {
      ValueId value = function_argument(p, function, i);
      Attr old = value ? annotation_own(p, value) : 0, now;
      if (!old) continue;
      TRY(even(table, old, value_type(p, value), arena, &now));
      if (now != old) annotation_set(p, value, now);
    }
    for (uint32_t i = 0; i < function_n_results(p, function); i++) {
      Attr old = annotation_get_result(p, function, i), now;
      if (!old) continue;
      TRY(even(table, old, function_result_type(p, function, i), arena, &now));
      if (now != old) annotation_set_result(p, function, i, now);
    }
  }
  return NULL;
}
