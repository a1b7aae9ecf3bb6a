// Problem: a program that was planned has changed a little. A new plan that is hardly faster is not
// worth that all checkpoints must be resharded.
//
// Idea: the old plan becomes a candidate. Arguments and results that have the path of an old one
// get its sharding; ops are aligned with the old ones (the longest common subsequence of names and
// numbers of factors) and get their axes. All else is solved. If the new plan is more than 1 %
// faster than that, ops are left free and only arguments and results keep their shardings; if it
// still is, it replaces the old plan.
//
// Invariant: strategies are only forbidden where the old one exists, so a change of sizes that an
// old sharding does not divide leaves that value free.
//
// Cost: O(ops · old ops) to align, limited to MOST_CELLS; two plans for one mesh at most, beside
// the new one.
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/mem.h"
#include "pipeline/plan_private.h"

#define BETTER 1.01                      // times faster: then the new plan replaces the old one
enum { MOST_CELLS = 16 * 1000 * 1000 };  // of the alignment's table

typedef struct Old {
  const JsonValue *arguments, *results, *ops;
  const char *mesh;
} Old;

typedef struct From {
  Old old;
  bool with_ops;
  Arena *arena;
  PlanFrom *out;
} From;

// ---- the old plan ----

static Status *read_old(Str text, const char *path, Arena *arena, Old *out) {
  const JsonValue *root;
  Status *status = plan_read_json(text, arena, &root);
  if (status) {
    const char *why = arena_printf(arena, "%s", status_message(status));
    status_free(status);
    FAIL(INVALID_ARGUMENT, "%s: %s", path, why);
  }
  const JsonValue *mesh = json_get(root, "mesh");
  const JsonValue *decisions = json_get(root, "decisions");
  *out = (Old){json_get(root, "arguments"), json_get(root, "results"),
               decisions ? json_get(decisions, "ops") : NULL,
               mesh && mesh->kind == JSON_STRING ? mesh->string : NULL};
  if (!out->arguments || out->arguments->kind != JSON_ARRAY || !out->results ||
      out->results->kind != JSON_ARRAY)
    FAIL(INVALID_ARGUMENT, "%s: this is no plan: its arguments or results are missing", path);
  return NULL;
}

static const char *member(const JsonValue *object, const char *key) {
  const JsonValue *value = json_get(object, key);
  return value && value->kind == JSON_STRING ? value->string : NULL;
}

// The product of the sizes in "x=4,y=2"; 0 if it is none.
static uint64_t devices_of(const char *mesh) {
  uint64_t n = 1;
  for (const char *c = strchr(mesh, '='); c; c = strchr(c + 1, '=')) {
    uint64_t size = 0;
    for (const char *d = c + 1; *d >= '0' && *d <= '9'; d++)
      size = 10 * size + (uint64_t)(*d - '0');
    n *= size;
    if (n > UINT32_MAX) return 0;
  }
  return n;
}

// Why the old plan is no candidate for this request; NULL = it is one.
static const char *unusable(const Old *old, const PlanRequest *request, Arena *arena) {
  const PropagateRequest *given = &request->annotations;
  if (given->n_meshes && old->mesh && strcmp(given->meshes[0], old->mesh) != 0)
    return arena_printf(arena, "it is for the mesh %s, not %s", old->mesh, given->meshes[0]);
  if (!given->n_meshes && request->devices && old->mesh &&
      devices_of(old->mesh) != request->devices)
    return arena_printf(arena, "its mesh %s is not of %u devices", old->mesh, request->devices);
  return NULL;
}

// ---- arguments and results ----

// The old value of this name and rank; the one at the same position first.
static const JsonValue *find_old(const JsonValue *list, uint32_t index, const char *name) {
  for (uint32_t i = 0; i <= list->count; i++) {
    uint32_t at = i ? i - 1 : index;
    if (at >= list->count) continue;
    const char *has = member(&list->items[at], "name");
    if (has && strcmp(has, name) == 0) return &list->items[at];
  }
  return NULL;
}

static bool keep_value(From *f, Session *s, Model *m, const JsonValue *old, const Target *target) {
  const char *text = old ? member(old, "sharding") : NULL;
  PlanPort port;
  const char *why;
  Sharding sharding;
  if (!text || !plan_port(m, target, f->arena, &port, &why)) return false;
  Status *status = plan_read_sharding(s, str_of(text), target, f->arena, &sharding);
  bool good = !status;
  status_free(status);
  return good && plan_keep(m, port, sharding) > 0;
}

static void keep_borders(From *f, Session *s, Model *m) {
  f->out->n_arguments = f->out->n_results = 0;
  for (uint32_t i = 0; i < m->n_arguments + m->n_results; i++) {
    bool argument = i < m->n_arguments;
    uint32_t k = argument ? i : i - m->n_arguments;
    Str path = argument ? argument_path(s->program, m->entry, k, f->arena)
                        : result_path(s->program, m->entry, k, f->arena);
    const char *name = path.n ? arena_printf(f->arena, "%.*s", (int)path.n, path.s)
                              : arena_printf(f->arena, argument ? "%u" : "result %u", k);
    BlockId block = region_block(s->program, op_region(s->program, m->entry, 0));
    Target target = {.function = m->entry,
                     .kind = argument ? TARGET_ARGUMENT : TARGET_RESULT,
                     .index = k,
                     .value = argument ? block_arg(s->program, block, k) : 0};
    const JsonValue *old = find_old(argument ? f->old.arguments : f->old.results, k, name);
    if (keep_value(f, s, m, old, &target))
      *(argument ? &f->out->n_arguments : &f->out->n_results) += 1;
  }
}

// ---- ops ----

static bool same_op(const Model *m, uint32_t var, const JsonValue *old) {
  const ModelVar *v = &m->vars.items[var];
  const char *name = member(old, "name");
  const JsonValue *factors = json_get(old, "factors");
  return name && factors && factors->kind == JSON_ARRAY &&
         factors->count == m->strategies.sets.items[v->set].map.n_factors &&
         strcmp(name, op_name(m->p, v->op)) == 0;
}

static bool axes_are(const Model *m, AxisList axes, const JsonValue *factor) {
  const Mesh *mesh = sharding_mesh(m->strategies.table, m->strategies.mesh);
  const JsonValue *list = json_get(factor, "axes");
  uint32_t n = list && list->kind == JSON_ARRAY ? list->count : 0;
  if (axes.n != n) return false;
  for (uint32_t i = 0; i < n; i++) {
    AxisRef axis = axes.v[i];
    const char *name = name_text(m->p->context, mesh->axes[axis.axis].name);
    char text[256];  // a longer name is not found: the op is planned anew
    if (axis_is_full(mesh, axis))
      snprintf(text, sizeof text, "%s", name);
    else
      snprintf(text, sizeof text, "%s:(%u)%u", name, axis.pre_size, axis.size);
    if (list->items[i].kind != JSON_STRING || strcmp(list->items[i].string, text) != 0)
      return false;
  }
  return true;
}

// Is the factor, or the op, strided as before?
static bool strides_are(const OpStrategy *strategy, uint32_t factor, const JsonValue *old) {
  bool has = strategy->strides && strategy->stride_factor == factor;
  return has == (json_get(old, "strides") != NULL);
}

// Forbids all strategies but those with the old axes. False if there is none.
static bool keep_op(Model *m, uint32_t var, const JsonValue *old) {
  const StrategySet *set = &m->strategies.sets.items[m->vars.items[var].set];
  const JsonValue *factors = json_get(old, "factors"), *partial = json_get(old, "partial");
  bool sums = partial && partial->kind == JSON_BOOL && partial->truth;
  uint32_t n = 0;
  for (uint32_t round = 0; round < 2 && (!round || n); round++) {
    for (uint32_t k = 0; k < set->n; k++) {
      bool same = (set->items[k].partial != 0) == sums &&
                  set->items[k].strided == (json_get(old, "strided") != NULL);
      for (uint32_t i = 0; i < set->map.n_factors && same; i++)
        same = axes_are(m, set->items[k].axes[i], &factors->items[i]) &&
               strides_are(&set->items[k], i, &factors->items[i]);
      if (round && !same) plan_forbid(m, var, k);
      if (!round && same && m->vars.items[var].costs[k] < PLAN_FORBIDDEN) n++;
    }
  }
  return n > 0;
}

// The longest common subsequence of vars[0 … n) and the old ops [0 … n_old): out[i] is the old op
// of var i, or UINT32_MAX. Without a table for the whole, only the common beginning and end are
// found.
static void align(const Model *m, const uint32_t *vars, uint32_t n, const JsonValue *old,
                  uint32_t *out) {
  uint32_t n_old = old->count, front = 0, back = 0;
  for (uint32_t i = 0; i < n; i++) out[i] = UINT32_MAX;
  for (; front < n && front < n_old && same_op(m, vars[front], &old->items[front]); front++)
    out[front] = front;
  while (back < n - front && back < n_old - front &&
         same_op(m, vars[n - 1 - back], &old->items[n_old - 1 - back])) {
    out[n - 1 - back] = n_old - 1 - back;
    back++;
  }
  uint64_t rows = n - front - back, columns = n_old - front - back;
  if (!rows || !columns || rows * columns > MOST_CELLS) return;
  uint16_t *best = mem_alloc((rows + 1) * (columns + 1) * sizeof *best);
  if (!best) return;
  memset(best, 0, (rows + 1) * (columns + 1) * sizeof *best);
  uint64_t width = columns + 1;
  for (uint64_t i = rows; i-- > 0;)
    for (uint64_t k = columns; k-- > 0;) {
      uint16_t down = best[(i + 1) * width + k], right = best[i * width + k + 1];
      best[i * width + k] = down > right ? down : right;
      if (same_op(m, vars[front + i], &old->items[front + k]))
        best[i * width + k] = (uint16_t)(best[(i + 1) * width + k + 1] + 1);
    }
  for (uint64_t i = 0, k = 0; i < rows && k < columns;) {
    bool same = same_op(m, vars[front + i], &old->items[front + k]);
    if (same)
      out[front + i++] = (uint32_t)(front + k++);
    else if (best[(i + 1) * width + k] >= best[i * width + k + 1])
      i++;
    else
      k++;
  }
  mem_free(best);
}

static void keep_ops(From *f, Model *m) {
  const JsonValue *old = f->old.ops;
  uint32_t *vars = ARENA_ARRAY(f->arena, uint32_t, m->vars.count + 1), n = 0;
  for (uint32_t i = 0; i < m->vars.count; i++)
    if (m->vars.items[i].kind == VAR_OP && m->vars.items[i].set) vars[n++] = i;
  f->out->all_ops = n;
  f->out->n_ops = 0;
  if (!old || old->kind != JSON_ARRAY) return;
  uint32_t *of = ARENA_ARRAY(f->arena, uint32_t, n + 1);
  align(m, vars, n, old, of);
  for (uint32_t i = 0; i < n; i++)
    if (of[i] != UINT32_MAX) f->out->n_ops += keep_op(m, vars[i], &old->items[of[i]]);
}

static Status *from_built(void *user, Session *s, Model *m, double limit_bytes, bool *out_stop) {
  From *f = user;
  (void)limit_bytes;
  (void)out_stop;
  keep_borders(f, s, m);
  if (f->with_ops) keep_ops(f, m);
  return NULL;
}

// ---- old or new ----

static bool fits(const Plan *plan) {
  return plan->decisions && plan->best.peak_bytes <= plan->usable_bytes;
}

static bool is_replaced(const Plan *old, const Plan *new) {
  if (!fits(old)) return true;
  return new->decisions &&new->best.seconds *BETTER < old->best.seconds;
}

// Puts the old plan in the place of the new one, beside what the search has found.
static void keep_old(const Plan *old, Plan *out) {
  Plan kept = *old;
  kept.trials = out->trials;
  kept.n_trials = out->n_trials;
  kept.program = out->program;
  kept.hurried = out->hurried;
  kept.model_seconds += out->model_seconds;
  kept.solve_seconds += out->solve_seconds;
  kept.check_seconds += out->check_seconds;
  for (uint32_t i = 0; i < out->n_trials; i++) {
    const PlanTrial *t = &out->trials[i];
    if (t->mesh && kept.best.mesh && strcmp(t->mesh, kept.best.mesh) != 0) continue;
    kept.best.overlap_bound_seconds = t->overlap_bound_seconds;
    kept.best.links = t->links;
  }
  *out = kept;
}

Status *plan_from(const Program *program, const PlanRequest *given, Str text, const char *path,
                  Guard *guard, Arena *arena, Plan *out) {
  PlanFrom *about = ARENA_NEW(arena, PlanFrom);
  From f = {.with_ops = true, .arena = arena, .out = about};
  PlanHook hook = {.built = from_built, .user = &f};
  PlanRequest request = *given;
  Plan old = {0}, again = {0};
  about->path = path;
  TRY(read_old(text, path, arena, &f.old));
  about->unusable = unusable(&f.old, &request, arena);
  if (!about->unusable) {
    guard_tell(guard, "the old plan", 0, 0);
    TRY(plan_try_mesh(program, given, f.old.mesh, false, &hook, NULL, arena, &old));
    if (fits(&old)) request.known_seconds = old.best.seconds;
  }
  TRY(plan_program(program, &request, guard, arena, out));
  about->seconds = fits(&old) ? old.best.seconds : 0;
  about->new_seconds = out->decisions ? out->best.seconds : 0;
  bool replaced = is_replaced(&old, out);
  if (replaced && !about->unusable) {
    f.with_ops = false;
    TRY(plan_try_mesh(program, given, f.old.mesh, false, &hook, NULL, arena, &again));
    if (fits(&again) && (!fits(&old) || again.best.seconds < old.best.seconds)) {
      old = again;
      about->replanned = true;
      about->seconds = old.best.seconds;
      replaced = is_replaced(&old, out);
    }
  }
  if (!replaced) {
    keep_old(&old, out);
    about->kept = true;
  }
  out->from = about;
  return NULL;
}

// ---- text and JSON ----

void plan_put_from(const Plan *plan, StrBuf *out) {
  const PlanFrom *f = plan->from;
  if (!f) return;
  strbuf_printf(out, "from    %s ", f->path);
  if (f->unusable)
    strbuf_printf(out, "is not used: %s\n", f->unusable);
  else if (f->kept && f->new_seconds > 0 && f->new_seconds < f->seconds)
    strbuf_printf(out, "is kept: the new plan is %.1f %% faster, less than 1 %%\n",
                  100 * (f->seconds / f->new_seconds - 1));
  else if (f->kept)
    strbuf_puts(out, "is kept: no new plan is faster\n");
  else if (f->seconds > 0)
    strbuf_printf(out, "is replaced: %.1f %% faster\n", 100 * (f->seconds / f->new_seconds - 1));
  else
    strbuf_puts(out, "is replaced: it has no counterpart here that fits in memory\n");
  if (f->unusable) return;
  strbuf_printf(out, "        %u of %u arguments and %u of %u results matched", f->n_arguments,
                plan->n_arguments, f->n_results, plan->n_results);
  strbuf_printf(out, f->replanned ? "; ops planned again\n" : ", %u of %u ops\n", f->n_ops,
                f->all_ops);
}

void plan_json_from(const Plan *plan, Json *json) {
  const PlanFrom *f = plan->from;
  if (!f) return;
  json_break(json, 1);
  json_key(json, "from"), json_open(json, '{');
  json_key(json, "path"), json_string(json, f->path);
  json_key(json, "kept"), json_bool(json, f->kept);
  if (f->unusable) json_key(json, "unusable"), json_string(json, f->unusable);
  json_key(json, "seconds"), json_double(json, f->seconds);
  json_key(json, "new_seconds"), json_double(json, f->new_seconds);
  json_key(json, "matched_arguments"), json_uint(json, f->n_arguments);
  json_key(json, "matched_results"), json_uint(json, f->n_results);
  json_key(json, "matched_ops"), json_uint(json, f->replanned ? 0 : f->n_ops);
  json_close(json, '}');
}
