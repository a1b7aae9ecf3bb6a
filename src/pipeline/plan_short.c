// Problem: a plan has a sharding for every value. A person wants to write down a few annotations
// that have the same effect.
//
// Idea: begin with the shardings of all arguments and results, as rules of --shard. Arguments of
// repeated layers share a rule with a glob. Drop rules as long as propagation infers the same
// shardings of arguments and results, large groups first. Then the program with these rules alone
// is partitioned and simulated. If it is slower than the plan, add rules for values inside, the
// largest difference first, and drop again those that are not needed.
//
// Invariant: the list is for the program as the user has it, before calls were inlined. What is
// said of it was simulated.
//
// Cost: a budget of compilations, counted in ops. A list that is cut short by it is valid, but
// longer than necessary.
#include <stdlib.h>
#include <string.h>

#include "annotate/names.h"
#include "annotate/target.h"
#include "cost/fusion.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "ops/work.h"
#include "pipeline/plan_private.h"
#include "reshard/memo.h"

// Slower than the plan by this much at most.
static const double most_slower = 1.05;

// Budgets in ops. A simulation costs about as much as several propagations.
enum { BUDGET = 1000000, BUDGET_2 = 8000000, SIMULATION = 6, MOST_INSIDE = 64 };

typedef struct Rule {
  const char *pattern, *sharding;
  double bytes;  // of a value inside
  bool inside, kept;
} Rule;

typedef VEC(Rule) RuleVec;

// What must not change if a rule is dropped.
typedef enum Same {
  SAME_EDGES,    // shardings of arguments and results are the plan's
  SAME_ALL,      // … and those of all values are as before: then so is the simulation
  SAME_SECONDS,  // … or the simulation is near the plan
} Same;

typedef struct Score {
  bool valid, reproduces;
  uint64_t hash;  // of all shardings that propagation gives
  double seconds, peak_bytes;
} Score;

typedef struct Short {
  const Program *source;
  const PlanRequest *request;
  const Plan *plan;
  Arena *arena;
  RuleVec rules;
  uint64_t work, budget;
  uint64_t hash;  // of a list that is near the plan
  ReshardMemo *memo;
  // of one trial
  bool simulate, list_inside;
  const char *layout;  // instead of the rules
  Source text;
  const char *mesh;
  Session session;
  Score score;
  RuleVec inside;  // values whose shardings are not the plan's
  Status *failed;  // no memory; ends the search
} Short;

// ---- texts ----

static bool equals_plan(const Session *s, Sharding sharding, uint32_t rank, const char *planned,
                        StrBuf *text) {
  const ShardingInfo *info = sharding_info(s->table, sharding);
  const Mesh *mesh = sharding ? sharding_mesh(s->table, info->mesh) : NULL;
  text->used = 0;
  strbuf_putc(text, '[');
  for (uint32_t d = 0; d < rank; d++) {
    strbuf_puts(text, d ? ", {" : "{");
    AxisList axes = sharding ? sharding_dim_axes(info, d) : (AxisList){NULL, 0};
    for (uint32_t i = 0; i < axes.n; i++)
      strbuf_printf(text, "%s%s", i ? ", " : "", axis_text(s->context, mesh, axes.v[i]));
    strbuf_putc(text, '}');
  }
  strbuf_putc(text, ']');
  return str_equal((Str){text->data, text->used}, str_of(planned));
}

// Characters that patterns and rules read otherwise.
static bool is_plain(Str path) {
  for (size_t i = 0; i < path.n; i++)
    if (strchr("*?[]\\=#'\"@%{}() \t\n", path.s[i])) return false;
  return path.n > 0;
}

// The end of a path from its component `from` on, behind `*.`, with `*` for each number. Patterns
// of results begin with `result`.
static Str glob_of(Str path, size_t from, bool argument, Arena *arena) {
  const char *any = argument ? "*." : "result*.";
  char *text = arena_alloc(arena, path.n + 10);
  size_t n = from ? strlen(any) : 0;
  memcpy(text, any, n);
  for (size_t i = from; i < path.n; i++) {
    bool digit = path.s[i] >= '0' && path.s[i] <= '9';
    if (!digit)
      text[n++] = path.s[i];
    else if (!n || text[n - 1] != '*')
      text[n++] = '*';
  }
  return (Str){text, n};
}

bool plan_is_named(const char *sharding) {
  for (const char *c = sharding; *c; c++)
    if (*c == ':' || (c > sharding && *c == '{' && c[-1] >= '0' && c[-1] <= '9')) return false;
  return true;
}

// The beginning of the component before `at`; `at` may be the path's end.
static size_t component_before(Str path, size_t at) {
  size_t i = at ? at - 1 : 0;
  while (i > 0 && path.s[i - 1] != '.') i--;
  return i;
}

const char *plan_spec(const char *sharding, Arena *arena) {
  if (!plan_is_named(sharding)) return sharding;
  char *text = arena_alloc(arena, 5 * strlen(sharding) + 8);
  size_t n = 0, end;
  text[n++] = 'P', text[n++] = '(';
  end = n;
  for (const char *c = strchr(sharding, '{'); c; c = strchr(c + 1, '{')) {
    size_t width = strcspn(c, "}") - 1;
    bool several = memchr(c + 1, ',', width) != NULL;
    if (n > 2) text[n++] = ',', text[n++] = ' ';
    if (several) text[n++] = '(';
    memcpy(text + n, width ? c + 1 : "None", width ? width : 4);
    n += width ? width : 4;
    if (several) text[n++] = ')';
    if (width) end = n;
  }
  text[end] = ')';
  text[end + 1] = 0;
  return text;
}

// ---- rules of arguments and results ----

typedef struct Edges {
  Str *paths;
  const char **specs;
  bool *covered;  // by a rule, or without dimensions
  uint32_t n, n_arguments;
} Edges;

static bool has_dims(const PlannedValue *v) { return v->sharding[1] != ']'; }

static Edges list_edges(Short *h, OpId entry) {
  const Plan *plan = h->plan;
  Edges e = {.n = plan->n_arguments + plan->n_results, .n_arguments = plan->n_arguments};
  e.paths = ARENA_ARRAY(h->arena, Str, e.n + 1);
  e.specs = ARENA_ARRAY(h->arena, const char *, e.n + 1);
  e.covered = ARENA_ARRAY(h->arena, bool, e.n + 1);
  for (uint32_t i = 0; i < e.n; i++) {
    bool argument = i < e.n_arguments;
    uint32_t k = argument ? i : i - e.n_arguments;
    const PlannedValue *v = argument ? &plan->arguments[k] : &plan->results[k];
    e.paths[i] = argument ? argument_path(h->source, entry, k, h->arena)
                          : result_path(h->source, entry, k, h->arena);
    e.specs[i] = plan_spec(v->sharding, h->arena);
    e.covered[i] = !has_dims(v);
  }
  return e;
}

// Have all arguments, or results, that the glob is the first rule for the spec? Then they are
// covered.
static bool cover(Edges *e, Str glob, const char *spec, bool argument) {
  uint32_t begin = argument ? 0 : e->n_arguments, end = argument ? e->n_arguments : e->n;
  for (uint32_t i = begin; i < end; i++)
    if (!e->covered[i] && strcmp(e->specs[i], spec) && path_matches(glob, e->paths[i]))
      return false;
  for (uint32_t i = begin; i < end; i++)
    if (!e->covered[i] && path_matches(glob, e->paths[i])) e->covered[i] = true;
  return true;
}

enum { MOST_GLOBBED = 4000 };  // arguments and results, of which patterns are compared

static void add_rule(Short *h, Str pattern, const char *spec) {
  Rule rule = {.pattern = arena_printf(h->arena, "%.*s", (int)pattern.n, pattern.s),
               .sharding = spec,
               .kept = true};
  VEC_PUSH(h->arena, &h->rules, rule);
}

// The shortest end of the value's path that only values with its spec have, then the path itself,
// then its number.
static void add_edge_rule(Short *h, Edges *e, uint32_t i, bool globs) {
  bool argument = i < e->n_arguments, found = false;
  Str path = e->paths[i], pattern = path;
  globs = globs && e->n <= MOST_GLOBBED && is_plain(path);
  for (size_t from = path.n + 1; globs && from && !found;) {
    from = component_before(path, from);
    pattern = glob_of(path, from, argument, h->arena);
    found = cover(e, pattern, e->specs[i], argument);
  }
  if (globs && !found) found = cover(e, pattern = path, e->specs[i], argument);
  if (!found)
    pattern = str_of(
        arena_printf(h->arena, argument ? "%u" : "result#%u", argument ? i : i - e->n_arguments));
  e->covered[i] = true;
  add_rule(h, pattern, e->specs[i]);
}

// Rules of all values with axes; then of those without, one rule for all of them if `rest`.
static void add_edge_rules(Short *h, Edges *e, bool globs, bool rest) {
  for (uint32_t pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < e->n; i++) {
      bool replicated = strcmp(e->specs[i], "P()") == 0;
      if (!e->covered[i] && replicated == (pass == 1) && !(replicated && rest))
        add_edge_rule(h, e, i, globs);
    }
  if (rest) add_rule(h, str_of("*"), "P()");
  if (rest) add_rule(h, str_of("result*"), "P()");
}

// ---- trials ----

static void write_rules(Short *h, StrBuf *out) {
  for (uint32_t i = 0; i < h->rules.count; i++)
    if (h->rules.items[i].kept)
      strbuf_printf(out, "%s=%s\n", h->rules.items[i].pattern, h->rules.items[i].sharding);
}

static bool check_edges(const Short *h, OpId entry, StrBuf *text) {
  const Session *s = &h->session;
  const Graph *g = propagation_graph(s->propagation);
  InstanceId instance = graph_instance_of(g, entry);
  BlockId block = region_block(s->program, op_region(s->program, entry, 0));
  const Plan *plan = h->plan;
  for (uint32_t i = 0; i < plan->n_arguments + plan->n_results; i++) {
    bool argument = i < plan->n_arguments;
    uint32_t k = argument ? i : i - plan->n_arguments;
    const PlannedValue *v = argument ? &plan->arguments[k] : &plan->results[k];
    if (!has_dims(v) || (!argument && h->layout)) continue;
    PlaceId place = argument ? graph_place(g, instance, block_arg(s->program, block, k))
                             : graph_result_place(g, instance, k);
    Type type = argument ? function_argument_type(s->program, entry, k)
                         : function_result_type(s->program, entry, k);
    uint32_t rank = type_info(s->context, type)->rank;
    if (!equals_plan(s, propagation_get(s->propagation, place), rank, v->sharding, text))
      return false;
  }
  return true;
}

static uint64_t mix(uint64_t hash, uint64_t x) { return (hash ^ x) * 0x100000001b3u; }

static uint64_t hash_places(const Session *s) {
  const Graph *g = propagation_graph(s->propagation);
  uint64_t hash = 0xcbf29ce484222325u;
  for (PlaceId place = 1; place < g->n_places; place++) {
    Sharding sharding = propagation_get(s->propagation, place);
    const ShardingInfo *info = sharding_info(s->table, sharding);
    for (uint32_t d = 0; sharding && d < info->rank; d++) {
      AxisList axes = sharding_dim_axes(info, d);
      for (uint32_t i = 0; i < axes.n; i++)
        hash = mix(mix(mix(hash, place), d), axes.v[i].axis * 4096u + (uint32_t)axes.v[i].size);
    }
  }
  return hash;
}

static int by_bytes(const void *a, const void *b) {
  const Rule *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return strcmp(x->pattern, y->pattern);
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(const PlannedInside *const *)a)->name, (*(const PlannedInside *const *)b)->name);
}

// The plan's value of this name; NULL if there is none, or several.
static const PlannedInside *find_inside(const PlannedInside *const *sorted, uint32_t n,
                                        const char *name) {
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (strcmp(sorted[middle]->name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == n || strcmp(sorted[low]->name, name)) return NULL;
  return low + 1 < n && strcmp(sorted[low + 1]->name, name) == 0 ? NULL : sorted[low];
}

// Values of the entry function that have a unique name and, by propagation, another sharding than
// in the plan: the largest first, those of contractions before others.
static void find_differences(Short *h, OpId entry, StrBuf *text) {
  Session *s = &h->session;
  Program *p = s->program;
  const Graph *g = propagation_graph(s->propagation);
  InstanceId instance = graph_instance_of(g, entry);
  uint32_t n = h->plan->n_inside;
  const PlannedInside **sorted = ARENA_ARRAY(&s->arena, const PlannedInside *, n + 1);
  for (uint32_t i = 0; i < n; i++) sorted[i] = &h->plan->inside[i];
  qsort(sorted, n, sizeof *sorted, by_name);
  for (OpId op = entry; op; op = op_walk_next(p, op, entry)) {
    ValueId v = op_at(p, op)->n_results == 1 ? op_result(p, op, 0) : 0;
    if (!v || !value_at(p, v)->name || op_flow(p, op)) continue;
    const TypeInfo *type = type_info(p->context, value_type(p, v));
    if (type->kind != TYPE_TENSOR || !type->rank || !graph_place(g, instance, v)) continue;
    const char *name = arena_printf(&s->arena, "%%%s", name_text(p->context, value_at(p, v)->name));
    const PlannedInside *planned = find_inside(sorted, n, name);
    if (!planned || strstr(planned->sharding, "], ")) continue;
    Sharding now = propagation_get(s->propagation, graph_place(g, instance, v));
    if (equals_plan(s, now, type->rank, planned->sharding, text)) continue;
    double bytes = fusion_bytes(p, value_type(p, v));
    Rule rule = {.pattern = arena_printf(h->arena, "%s", name),
                 .sharding = planned->sharding,
                 .bytes = op_contracts(p, op) ? 4 * bytes : bytes,
                 .inside = true};
    VEC_PUSH(h->arena, &h->inside, rule);
  }
  if (h->inside.count) qsort(h->inside.items, h->inside.count, sizeof(Rule), by_bytes);
  if (h->inside.count > MOST_INSIDE) h->inside.count = MOST_INSIDE;
}

static Status *trial_body(Guard *guard, void *arg) {
  Short *h = arg;
  Session *s = &h->session;
  StrBuf text;
  arena_guard(h->arena, guard);
  strbuf_init(&text, guard);
  GuardCleanup cleanup = {plan_release_text, &text, NULL};
  guard_push(guard, &cleanup);
  session_view(s, guard, h->source);
  CompileRequest request = {.annotations = h->request->annotations,
                            .local.memo = h->memo,
                            .simulate = h->simulate,
                            .stop_after = h->simulate ? STAGE_MEASURE : STAGE_PROPAGATE};
  if (h->plan->best.mesh) {
    request.annotations.meshes = &h->mesh;
    request.annotations.n_meshes = 1;
  }
  request.annotations.devices = 0;
  // One partition per list. WEIGH_BEST, which a user gets, is no slower.
  request.annotations.weigh = WEIGH_SECONDS;
  plan_annotations(&request.annotations, h->layout ? NULL : &h->text);
  if (h->layout) {
    request.annotations.layout = &h->text;
    request.annotations.names = h->request->annotations.names;
  }
  Compiled compiled;
  Status *status = compile(s, &request, &compiled);
  Entries entries = s->program ? program_entries(s->program, &s->arena) : (Entries){0};
  if (!status && h->simulate) {
    h->score.seconds = compiled.prediction.simulated->seconds;
    h->score.peak_bytes = compiled.prediction.simulated->peak_bytes;
  } else if (!status) {
    h->score.reproduces = entries.n && check_edges(h, entries.v[0], &text);
    h->score.hash = hash_places(s);
    if (h->list_inside && entries.n) find_differences(h, entries.v[0], &text);
  }
  guard_pop(guard, &cleanup);
  strbuf_deinit(&text);
  return status;
}

// Ends a trial. Its error is that the list is refused, except without memory.
static void end_trial(Short *h, Status *status, Guard *outer) {
  arena_guard(h->arena, outer);
  session_deinit(&h->session);
  h->session = (Session){0};
  if (status && status_code(status) == RESOURCE_EXHAUSTED && !h->failed)
    h->failed = status;
  else
    status_free(status);
}

// One compilation with the kept rules, or with the layout. A list that is refused is not valid.
static Score run_trial(Short *h, bool simulate) {
  Guard *outer = h->arena->guard;
  StrBuf rules;
  h->score = (Score){0};
  h->simulate = simulate;
  strbuf_init(&rules, outer);
  GuardCleanup cleanup = {plan_release_text, &rules, NULL};
  guard_push(outer, &cleanup);
  if (h->layout)
    strbuf_puts(&rules, h->layout);
  else
    write_rules(h, &rules);
  h->text = (Source){.path = "<plan>", .text = rules.used ? rules.data : "", .size = rules.used};
  h->mesh = h->plan->best.mesh;
  Status *status = guard_run(trial_body, h);
  h->score.valid = !status;
  end_trial(h, status, outer);
  guard_pop(outer, &cleanup);
  strbuf_deinit(&rules);
  h->work += (uint64_t)h->source->ops.count * (simulate ? SIMULATION : 1);
  return h->score;
}

static bool has_budget(const Short *h) {
  return h->work < h->budget && !h->failed && !plan_is_late(h->request);
}

static bool is_near(const Short *h, const Score *s) {
  double most = h->plan->usable_bytes > h->plan->best.peak_bytes ? h->plan->usable_bytes
                                                                 : h->plan->best.peak_bytes;
  return s->valid && s->seconds <= most_slower * h->plan->best.seconds && s->peak_bytes <= most;
}

static bool is_good(Short *h, Same same) {
  Score score = run_trial(h, false);
  if (!score.valid || !score.reproduces) return false;
  if (same == SAME_EDGES || score.hash == h->hash) return true;
  if (same == SAME_ALL) return false;
  Score simulated = run_trial(h, true);
  if (!is_near(h, &simulated)) return false;
  h->hash = score.hash;
  return true;
}

// ---- search ----

// Drops rules in groups, from the last to the first, as long as the rest is good.
static void drop_rules(Short *h, Same same) {
  RuleVec *r = &h->rules;
  uint32_t *dropped = ARENA_ARRAY(h->arena, uint32_t, r->count + 1);
  for (uint32_t size = (r->count + 1) / 2; size; size = size > 1 ? (size + 1) / 2 : 0)
    for (uint32_t end = r->count; end && has_budget(h); end = end > size ? end - size : 0) {
      uint32_t n = 0;
      for (uint32_t i = end > size ? end - size : 0; i < end; i++)
        if (r->items[i].kept) dropped[n++] = i;
      for (uint32_t i = 0; i < n; i++) r->items[dropped[i]].kept = false;
      if (!n || is_good(h, same)) continue;
      for (uint32_t i = 0; i < n; i++) r->items[dropped[i]].kept = true;
    }
}

static void keep_all(Short *h) {
  for (uint32_t i = 0; i < h->rules.count; i++) h->rules.items[i].kept = true;
}

// Adds rules for values inside until the simulation is near the plan; refused ones are left out.
// Returns whether it is.
static bool add_inside(Short *h) {
  h->list_inside = true;
  h->inside = (RuleVec){0};
  run_trial(h, false);
  h->list_inside = false;
  uint32_t next = 1;
  for (uint32_t i = 0; i < h->inside.count && has_budget(h); i++) {
    h->inside.items[i].kept = true;
    VEC_PUSH(h->arena, &h->rules, h->inside.items[i]);
    Score score = run_trial(h, false);
    if (!score.valid || !score.reproduces) {
      h->rules.count--;
      continue;
    }
    if (i + 1 < next && i + 1 < h->inside.count) continue;
    next *= 2;
    score = run_trial(h, true);
    if (is_near(h, &score)) return true;
  }
  return false;
}

static void keep_list(Short *h, const Score *score, bool reproduces, ShortList *out) {
  uint32_t n = 0;
  const char **rules = ARENA_ARRAY(h->arena, const char *, h->rules.count + 1);
  for (uint32_t i = 0; i < h->rules.count; i++) {
    const Rule *rule = &h->rules.items[i];
    if (rule->kept) rules[n++] = arena_printf(h->arena, "%s=%s", rule->pattern, rule->sharding);
  }
  *out = (ShortList){.rules = rules,
                     .n = n,
                     .computed = true,
                     .reproduces = reproduces,
                     .seconds = score->valid ? score->seconds : 0,
                     .peak_bytes = score->peak_bytes};
}

// The rules of arguments and results: with globs if these are read as intended, else by number.
static bool begin_rules(Short *h, OpId entry, bool rest) {
  for (uint32_t globs = 2; globs-- > 0;) {
    Edges edges = list_edges(h, entry);
    h->rules = (RuleVec){0};
    add_edge_rules(h, &edges, globs, rest);
    if (is_good(h, SAME_EDGES)) return true;
  }
  return false;
}

// Lists of both forms: each class of values that propagation does not infer has a rule, or all
// that have axes have one and `*=P()` is the last. Returns whether there is one; the shorter one is
// in h->rules.
static bool find_edges(Short *h, OpId entry) {
  RuleVec first = {0};
  uint32_t n_first = UINT32_MAX;
  for (uint32_t rest = 0; rest < 2; rest++) {
    bool good = begin_rules(h, entry, rest);
    if (good) drop_rules(h, SAME_EDGES);
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->rules.count; i++) n += h->rules.items[i].kept;
    if (!rest && good) first = h->rules, n_first = n;
    if (rest && good && n < n_first) return true;
  }
  if (n_first == UINT32_MAX) return false;
  h->rules = first;
  return true;
}

static void find_list(Short *h, OpId entry, ShortList *out) {
  bool reproduces = find_edges(h, entry);
  Score score = run_trial(h, true);
  keep_list(h, &score, reproduces, out);
  if (is_near(h, &score) || !reproduces) return;
  uint32_t n_edges = h->rules.count;
  bool near = add_inside(h);
  if (!near && has_budget(h)) {  // propagation from fewer rules may take another way
    h->rules.count = n_edges;
    keep_all(h);
    Score all = run_trial(h, true);
    near = is_near(h, &all) || add_inside(h);
  }
  h->hash = run_trial(h, false).hash;
  h->budget = h->work + h->budget / 2;  // to drop what is not needed, a share of its own
  drop_rules(h, SAME_ALL);
  if (near) drop_rules(h, SAME_SECONDS);
  Score last = run_trial(h, true);
  bool better = last.valid && (!score.valid || last.seconds < score.seconds);
  if (better && (near || last.seconds < 0.99 * score.seconds || !score.valid))
    keep_list(h, &last, true, out);
}

// ---- layouts ----

// The text of dimension d in `[{"x", "y"}, {}]`, as "x+y".
static const char *layout_axes(const char *sharding, uint32_t d, Arena *arena) {
  char *text = arena_alloc(arena, strlen(sharding) + 1);
  size_t n = 0;
  const char *c = sharding;
  for (uint32_t i = 0; i <= d && c; i++) c = strchr(c + 1, '{');
  for (; c && *c && *c != '}'; c++) {
    if (*c == ',') text[n++] = '+';
    if (strchr("{\", ", *c)) continue;
    text[n++] = *c;
  }
  text[n] = 0;
  return text;
}

// One entry per class of dimensions that the plan shards; NULL if a class is sharded in two ways.
static const char *write_layout(Short *h, const Names *names, OpId entry, StrBuf *out) {
  const Session *s = &h->session;
  const Graph *g = names->graph;
  InstanceId instance = graph_instance_of(g, entry);
  BlockId block = region_block(s->program, op_region(s->program, entry, 0));
  const char **axes = ARENA_ARRAY(&h->session.arena, const char *, names->classes.n_classes + 1);
  for (uint32_t i = 0; i < h->plan->n_arguments; i++) {
    PlaceId place = graph_place(g, instance, block_arg(s->program, block, i));
    Type type = function_argument_type(s->program, entry, i);
    for (uint32_t d = 0; place && d < type_info(s->context, type)->rank; d++) {
      ClassId id = names_class(names, place, d);
      const char *on = layout_axes(h->plan->arguments[i].sharding, d, h->arena);
      if (axes[id] && strcmp(axes[id], on)) return NULL;
      bool first = !axes[id];
      axes[id] = on;
      if (!first || !*on) continue;
      if (!names->names[id].text) return NULL;
      strbuf_printf(out, "%s%s:%s", out->used ? ", " : "",
                    name_text(s->context, names->names[id].text), on);
    }
  }
  if (!out->used) return NULL;
  return arena_printf(h->arena, "%.*s", (int)out->used, out->data);
}

static Status *layout_body(Guard *guard, void *arg) {
  Short *h = arg;
  Session *s = &h->session;
  arena_guard(h->arena, guard);
  session_view(s, guard, h->source);
  CompileRequest request = {.annotations = h->request->annotations, .stop_after = STAGE_ANNOTATE};
  if (h->plan->best.mesh) {
    request.annotations.meshes = &h->mesh;
    request.annotations.n_meshes = 1;
  }
  request.annotations.devices = 0;
  plan_annotations(&request.annotations, NULL);
  Compiled compiled;
  TRY(compile(s, &request, &compiled));
  Names names;
  Entries entries = program_entries(s->program, &s->arena);
  Diag *file = NULL;
  if (h->request->annotations.names) {
    file = &s->side_diags[s->n_side_diags];
    diag_init(file, guard, h->request->annotations.names);
    s->n_side_diags++;
  }
  if (!entries.n ||
      !names_build(propagation_graph(s->propagation), &s->arena, &s->diag, file, &names))
    return NULL;
  StrBuf text;
  strbuf_init(&text, guard);
  GuardCleanup cleanup = {plan_release_text, &text, NULL};
  guard_push(guard, &cleanup);
  h->layout = write_layout(h, &names, entries.v[0], &text);
  guard_pop(guard, &cleanup);
  strbuf_deinit(&text);
  return NULL;
}

// The layout by names, if it gives the plan's arguments by propagation; else NULL.
static const char *find_layout(Short *h) {
  Guard *outer = h->arena->guard;
  h->mesh = h->plan->best.mesh;
  end_trial(h, guard_run(layout_body, h), outer);
  h->work += h->source->ops.count;
  if (!h->layout) return NULL;
  Score score = run_trial(h, false);
  const char *layout = score.valid && score.reproduces ? h->layout : NULL;
  h->layout = NULL;
  return layout;
}

// ---- all ----

Status *plan_shorten(const Program *source, const PlanRequest *request, Guard *guard, Arena *arena,
                     Plan *plan) {
  guard_tell(guard, "shortening the annotations", 0, 0);
  Short h = {.source = source,
             .request = request,
             .plan = plan,
             .arena = arena,
             .budget = request->level > 1 ? BUDGET_2 : BUDGET};
  Entries entries = program_entries(source, arena);
  if (!entries.n) return NULL;
  plan->layout = find_layout(&h);
  h.memo = reshard_memo_new(guard);
  GuardCleanup cleanup = {reshard_memo_free, h.memo, NULL};
  guard_push(guard, &cleanup);
  find_list(&h, entries.v[0], &plan->short_list);
  guard_pop(guard, &cleanup);
  reshard_memo_free(h.memo);
  return h.failed;
}
