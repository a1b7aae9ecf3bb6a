// Problem: experts shard by recipes (data parallel, Megatron, ZeRO); a user should compose them in
// a line, for any program, and see what each one does.
//
// Idea (automap, PartIR): a list of tactics in order. Each reads the program's structure (view.c),
// adds axes to dimensions of arguments (shard.c), and propagation does the rest. The dimensions of
// each tactic have a user priority of their own, so what an earlier tactic implies is in place
// before a later one propagates.
//
// Invariant: axes are only added. Cost: O(graph) per tactic.
#include "tactics/tactics.h"

#include <stdio.h>
#include <string.h>

#include "tactics/tactics_private.h"

typedef struct TacticRow {
  const char *name, *doc;
  Status *(*apply)(Tactics *t, uint32_t axis, TacticStep *step);
} TacticRow;

static const TacticRow rows[TACTIC_COUNT] = {
#define TACTIC(name, doc) {#name, doc, tactic_##name},
#include "tactics/tactics.def"
#undef TACTIC
};

const char *tactic_name(TacticKind kind) { return rows[kind].name; }
const char *tactic_doc(TacticKind kind) { return rows[kind].doc; }

// ---- reading ----

static Str trimmed(Str s) { return str_trim(s, " \t\n"); }

static Status *read_kind(Str word, Arena *arena, TacticKind *out) {
  const char *all = "", *near = NULL;
  uint32_t least = 3;
  for (uint32_t i = 0; i < TACTIC_COUNT; i++) {
    if (str_is(word, rows[i].name)) {
      *out = (TacticKind)i;
      return NULL;
    }
    all = arena_printf(arena, "%s%s%s", all, i ? ", " : "", rows[i].name);
    uint32_t far = str_distance(word, str_of(rows[i].name), least);
    if (far >= least) continue;
    least = far;
    near = rows[i].name;
  }
  FAIL(INVALID_ARGUMENT, "there is no tactic '%.*s'%s%s%s (tactics: %s)", (int)word.n, word.s,
       near ? "; did you mean " : "", near ? near : "", near ? "?" : "", all);
}

static Status *read_axis(Str word, const Context *context, const Mesh *mesh, Arena *arena,
                         uint32_t *out) {
  const char *all = "";
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    Str name = name_str(context, mesh->axes[i].name);
    if (str_equal(word, name)) {
      *out = i;
      return NULL;
    }
    all = arena_printf(arena, "%s%s%.*s=%u", all, i ? "," : "", (int)name.n, name.s,
                       mesh->axes[i].size);
  }
  FAIL(INVALID_ARGUMENT, "the mesh has no axis '%.*s': it is %s", (int)word.n, word.s, all);
}

// `data:x`, `data(x)` or `auto`.
static Status *read_item(Str item, const Context *context, const Mesh *mesh, Arena *arena,
                         Tactic *out) {
  size_t at = 0;
  while (at < item.n && item.s[at] != ':' && item.s[at] != '(') at++;
  Str axis = at < item.n ? (Str){item.s + at + 1, item.n - at - 1} : (Str){item.s, 0};
  if (at < item.n && item.s[at] == '(') {
    if (!axis.n || axis.s[axis.n - 1] != ')')
      FAIL(INVALID_ARGUMENT, "the tactic '%.*s' has no closing parenthesis", (int)item.n, item.s);
    axis.n--;
  }
  out->axis = MESH_NO_AXIS;
  TRY(read_kind(trimmed((Str){item.s, at}), arena, &out->kind));
  axis = trimmed(axis);
  if (axis.n) return read_axis(axis, context, mesh, arena, &out->axis);
  if (out->kind != TACTIC_auto || at < item.n)
    FAIL(INVALID_ARGUMENT, "along which axis? Write '%s:AXIS' instead of '%.*s'",
         rows[out->kind].name, (int)item.n, item.s);
  return NULL;
}

Status *tactics_read(Str text, const Context *context, const Mesh *mesh, Arena *arena,
                     TacticList *out) {
  VEC(Tactic) list = {0};
  for (size_t begin = 0; begin <= text.n;) {
    size_t end = begin;
    while (end < text.n && text.s[end] != ',') end++;
    Str item = trimmed((Str){text.s + begin, end - begin});
    begin = end + 1;
    Tactic tactic;
    if (!item.n)
      FAIL(INVALID_ARGUMENT, "a tactic is missing in '%.*s'; example: data:x, megatron:y, auto",
           (int)text.n, text.s);
    TRY(read_item(item, context, mesh, arena, &tactic));
    if (list.count && list.items[list.count - 1].kind == TACTIC_auto &&
        list.items[list.count - 1].axis == MESH_NO_AXIS)
      FAIL(INVALID_ARGUMENT, "'auto' leaves nothing to the tactics after it: write it last");
    VEC_PUSH(arena, &list, tactic);
  }
  *out = (TacticList){list.items, list.count};
  return NULL;
}

// ---- state ----

// Takes over the given annotation of an argument. Returns whether it has one.
static bool read_given(Tactics *t, uint32_t argument) {
  const TacticArgument *a = &t->arguments[argument];
  TacticSharding *s = &t->shardings[argument];
  const Given *given = t->in.givens && a->place ? givens_at(t->in.givens, a->place) : NULL;
  if (!given || !given->sharding) return false;
  const ShardingInfo *info = sharding_info(t->in.table, given->sharding);
  for (uint32_t d = 0; d < a->rank && d < info->rank; d++) {
    bool block = info->dims[d].n_factors == 1;
    s->dims[d].axes = sharding_dim_axes(info, d);
    s->dims[d].closed = !info->dims[d].open || !block || info->mesh != t->in.mesh;
    s->dims[d].priority = info->dims[d].priority;
  }
  s->replicated = info->replicated;
  return true;
}

Status *tactics_new(const TacticInput *in, Tactics **out) {
  Tactics *t = ARENA_NEW(in->arena, Tactics);
  *t = (Tactics){.in = *in, .arena = in->arena, .mesh = sharding_mesh(in->table, in->mesh)};
  TRY(view_build(t));
  t->shardings = ARENA_ARRAY(t->arena, TacticSharding, t->n_arguments + 1);
  for (uint32_t i = 0; i < t->n_arguments; i++) {
    uint32_t rank = t->arguments[i].rank;
    t->shardings[i].dims = ARENA_ARRAY(t->arena, TacticDim, rank + 1);
    for (uint32_t d = 0; d < rank; d++) t->shardings[i].dims[d].priority = PRIORITY_NONE;
    if (read_given(t, i)) t->priority = 1;  // annotations propagate before tactics
  }
  *out = t;
  return NULL;
}

struct TacticMark {
  TacticSharding *arguments, *gradients;
  uint32_t n_gradients;
  int32_t priority;
};

// Copies shardings with their dimensions. Lists of axes are never changed in place.
static TacticSharding *copy_all(const Tactics *t, const TacticSharding *from, uint32_t n) {
  TacticSharding *to = ARENA_ARRAY(t->arena, TacticSharding, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t rank = t->arguments[i].rank;
    to[i] = from[i];
    to[i].dims = ARENA_ARRAY(t->arena, TacticDim, rank + 1);
    memcpy(to[i].dims, from[i].dims, rank * sizeof *to[i].dims);
  }
  return to;
}

TacticMark *tactics_save(Tactics *t) {
  TacticMark *mark = ARENA_NEW(t->arena, TacticMark);
  *mark = (TacticMark){.arguments = copy_all(t, t->shardings, t->n_arguments),
                       .n_gradients = t->n_gradients,
                       .priority = t->priority};
  // Shardings of gradients are replaced, not changed: their dimensions need no copy.
  mark->gradients = ARENA_ARRAY(t->arena, TacticSharding, t->n_gradients + 1);
  if (t->n_gradients)
    memcpy(mark->gradients, t->gradient_shardings, t->n_gradients * sizeof *mark->gradients);
  return mark;
}

void tactics_restore(Tactics *t, const TacticMark *mark) {
  t->shardings = copy_all(t, mark->arguments, t->n_arguments);
  t->priority = mark->priority;
  for (uint32_t i = 0; i < t->n_gradients; i++)
    t->gradient_shardings[i] =
        i < mark->n_gradients ? mark->gradients[i] : (TacticSharding){.changed = false};
}

// ---- applying ----

Status *tactic_auto(Tactics *t, uint32_t axis, TacticStep *step) {
  (void)t, (void)axis, (void)step;
  FAIL(FAILED_PRECONDITION, "the planner runs 'auto'");
}

Status *tactics_apply(Tactics *t, Tactic tactic, TacticStep *out) {
  TacticMark *mark = tactics_save(t);
  TacticStep step = {.tactic = tactic, .found = ""};
  Status *status = rows[tactic.kind].apply(t, tactic.axis, &step);
  if (status) {
    tactics_restore(t, mark);
    char why[512];
    snprintf(why, sizeof why, "%s", status_message(status));
    StatusCode code = status_code(status);
    status_free(status);
    return status_new(code, __FILE__, __LINE__, "tactic %s: %s", rows[tactic.kind].name, why);
  }
  t->priority++;
  *out = step;
  return NULL;
}

uint32_t tactics_n_classes(const Tactics *t) { return t->n_of_edges; }

bool tactics_shard_class(Tactics *t, uint32_t i, uint32_t axis, TacticStep *out) {
  TacticStep step = {.tactic = {TACTIC_auto, axis}};
  if (!shard_class(t, t->of_edges[i], ALL_KINDS, axis, &step)) return false;
  step.found = view_class_text(t, t->of_edges[i]);
  t->priority++;
  *out = step;
  return true;
}

// ---- rules ----

static void put_axes(const Tactics *t, AxisList axes, StrBuf *out) {
  axes_print(t->in.graph->program->context, t->mesh, axes, out);
}

// `[{"x", ?}p1, {?}]`, or with axes that must not be added `<@mesh, […], replicated={"x"}>`.
static void put_sharding(const Tactics *t, const TacticSharding *s, uint32_t rank, StrBuf *out) {
  const Context *context = t->in.graph->program->context;
  if (s->replicated.n) strbuf_printf(out, "<@%s, ", name_text(context, t->mesh->symbol));
  strbuf_putc(out, '[');
  for (uint32_t d = 0; d < rank; d++) {
    const TacticDim *dim = &s->dims[d];
    strbuf_puts(out, d ? ", {" : "{");
    put_axes(t, dim->axes, out);
    if (!dim->closed) strbuf_puts(out, dim->axes.n ? ", ?" : "?");
    strbuf_putc(out, '}');
    if (dim->priority > 0 && dim->axes.n) strbuf_printf(out, "p%d", dim->priority);
  }
  strbuf_putc(out, ']');
  if (s->replicated.n) {
    strbuf_puts(out, ", replicated={");
    put_axes(t, s->replicated, out);
    strbuf_puts(out, "}>");
  }
}

static void put_rules(const Tactics *t, StrBuf *out) {
  const Graph *g = t->in.graph;
  for (uint32_t i = 0; i < t->n_arguments; i++) {
    const TacticArgument *a = &t->arguments[i];
    if (!t->shardings[i].changed) continue;
    strbuf_printf(out, "%u=", i);
    put_sharding(t, &t->shardings[i], a->rank, out);
    strbuf_putc(out, '\n');
    if (!a->result) continue;
    strbuf_printf(out, "result#%u=", a->result - 1);
    put_sharding(t, &t->shardings[i], a->rank, out);
    strbuf_putc(out, '\n');
  }
  for (uint32_t i = 0; i < t->n_gradients; i++) {
    if (!t->gradient_shardings[i].changed) continue;
    uint32_t rank = type_info(g->program->context, g->places[t->gradients[i].place].type)->rank;
    strbuf_printf(out, "%s=", t->gradients[i].name);
    put_sharding(t, &t->gradient_shardings[i], rank, out);
    strbuf_putc(out, '\n');
  }
}

static void release_text(void *text) { strbuf_deinit(text); }

const char *tactics_rules(const Tactics *t) {
  StrBuf text;
  Guard *guard = t->arena->guard;
  strbuf_init(&text, guard);
  GuardCleanup cleanup = {release_text, &text, NULL};
  guard_push(guard, &cleanup);
  put_rules(t, &text);
  const char *kept = arena_printf(t->arena, "%.*s", (int)text.used, text.used ? text.data : "");
  guard_pop(guard, &cleanup);
  strbuf_deinit(&text);
  return kept;
}
