// Problem: why does the plan not give this tensor another sharding?
//
// Idea: forbid all other shardings of it, plan for the same mesh again, and compare: the problem's
// cost, the simulated step, memory and collectives. Without a sharding in the question, forbid the
// plan's own: the next best remains.
//
// Invariant: the plan is not changed. Values that are tied to this one (repeated layers, state)
// change with it.
//
// Cost: that of planning for one mesh, per question.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/show_traffic.h"
#include "pipeline/plan_private.h"
#include "report/show_simulated.h"

typedef struct Question {
  const Program *program;
  const PlanRequest *request;
  const Plan *plan;
  Str name, sharding;  // sharding: empty = the next best
  Arena *arena;
  PlanAnswer *answer;
  Target target;
  PlanHook hook;
  Session *session;  // of the model, while `built` runs
  uint32_t var;
  const char **words;  // per strategy of it: the value's sharding
} Question;

// `%w1: [{"y"},{}]`: the sharding begins with '[', '<' or P(. Names can contain colons.
static void split_question(Question *q, const char *text) {
  q->name = str_of(text);
  q->sharding = (Str){text, 0};
  for (const char *c = text; *c; c++) {
    if (*c != ':' && *c != '=') continue;
    const char *next = c + 1 + strspn(c + 1, " \t");
    if (*next != '[' && *next != '<' && strncmp(next, "P(", 2) != 0) continue;
    q->name = (Str){text, (size_t)(c - text)};
    q->sharding = str_of(next);
    break;
  }
  while (q->name.n && q->name.s[q->name.n - 1] == ' ') q->name.n--;
}

static Status *find_target(Question *q, const Program *p) {
  TargetList found = targets_find(p, q->name, q->arena);
  int n = (int)q->name.n;
  if (!found.n)
    FAIL(INVALID_ARGUMENT, "--why-not: nothing is called '%.*s'%s%s", n, q->name.s,
         targets_near_text(p, q->name, q->arena), targets_hint(p, q->name, q->arena));
  if (found.n > 1)
    FAIL(INVALID_ARGUMENT,
         "--why-not: '%.*s' is the name of %u values, %s and %s among them: name "
         "one",
         n, q->name.s, found.n, target_text(p, &found.v[0], q->arena),
         target_text(p, &found.v[1], q->arena));
  q->target = found.v[0];
  return NULL;
}

// ---- no strategy has the sharding ----

enum { MOST_LISTED = 8 };

static const char *list_shardings(Question *q, const Model *m, PlanPort port) {
  ShardingList list = strategies_list(&m->strategies, port.list);
  uint32_t rank = type_info(m->p->context, port.type)->rank, n = 0;
  const char *text = "";
  for (uint32_t k = 0; k < list.n; k++) {
    bool before = m->vars.items[port.var].costs[k] >= PLAN_FORBIDDEN;
    for (uint32_t i = 0; i < k && !before; i++) before = list.v[i] == list.v[k];
    if (before) continue;
    if (n++ < MOST_LISTED)
      text = arena_printf(q->arena, "%s%s%s", text, *text ? ", " : "",
                          plan_sharding_text(q->session, list.v[k], rank, q->arena));
  }
  return n > MOST_LISTED ? arena_printf(q->arena, "%s and %u more", text, n - MOST_LISTED) : text;
}

static bool has_sub_axes(const ShardingInfo *info, const Mesh *mesh) {
  for (uint32_t d = 0; d < info->rank; d++) {
    AxisList axes = sharding_dim_axes(info, d);
    for (uint32_t i = 0; i < axes.n; i++)
      if (!axis_is_full(mesh, axes.v[i])) return true;
  }
  return false;
}

static bool out_of_order(const ShardingInfo *info) {
  for (uint32_t d = 0; d < info->rank; d++) {
    AxisList axes = sharding_dim_axes(info, d);
    for (uint32_t i = 1; i < axes.n; i++)
      if (axes.v[i].axis < axes.v[i - 1].axis) return true;
  }
  return false;
}

static const char *why_none(Question *q, const Model *m, PlanPort port, Sharding wanted) {
  const ShardingTable *table = m->strategies.table;
  const ShardingInfo *info = sharding_info(table, wanted);
  bool op = m->vars.items[port.var].kind == VAR_OP;
  int32_t uneven = wanted ? sharding_uneven_dim(table, wanted, port.type) : -1;
  if (uneven >= 0 && !op)
    return arena_printf(
        q->arena,
        "dimension %d of size %lld is not a multiple of %lld shards, and arguments, "
        "results and loop carries are only split evenly",
        uneven, (long long)type_info(m->p->context, port.type)->dims[uneven],
        (long long)sharding_tiles(info, (uint32_t)uneven));
  if (strategies_list(&m->strategies, port.list).n == 1 && !op)
    return "an annotation fixes its sharding";
  if (wanted && has_sub_axes(info, sharding_mesh(table, info->mesh)))
    return q->request->level > 1 ? "no strategy has these sub-axes"
                                 : "without -O2 strategies have whole axes, no sub-axes";
  if (wanted && out_of_order(info)) return "strategies have axes in the order of the mesh";
  if (op && uneven >= 0)
    return "its dimension is not a multiple of the shards, and too small to be padded";
  if (op)
    return arena_printf(q->arena, "no strategy of '%s' makes it in this sharding",
                        op_name(m->p, m->vars.items[port.var].op));
  return "it is not among the enumerated shardings";
}

// ---- the other plan ----

// Forbids the plan's sharding, and, if the next best is known, all others, too.
static Status *forbid_planned(Question *q, Model *m, PlanPort port, Sharding planned) {
  ShardingList list = strategies_list(&m->strategies, port.list);
  const char *next = q->answer->other;
  uint32_t left = 0;
  for (uint32_t k = 0; k < list.n; k++) {
    if (list.v[k] == planned || (next && strcmp(q->words[k], next) != 0))
      plan_forbid(m, port.var, k);
    else
      left += m->vars.items[port.var].costs[k] < PLAN_FORBIDDEN;
  }
  if (left) return NULL;
  FAIL(INVALID_ARGUMENT, "--why-not: %s has no sharding but %s: %s", q->answer->value,
       q->answer->planned,
       m->vars.items[port.var].kind == VAR_OP ? "its op cannot be split otherwise"
                                              : "an annotation fixes it, or nothing divides it");
}

// Is the plan one of this model's solutions? Not if repeated layers were planned as one.
static bool has_choice(const Question *q, const Model *m) {
  return m->vars.count == q->plan->n_choice && q->plan->choice;
}

static int by_cost(const void *a, const void *b) {
  const PlanOther *x = a, *y = b;
  if (!(x->cost_seconds > 0) != !(y->cost_seconds > 0)) return x->cost_seconds > 0 ? -1 : 1;
  if (x->cost_seconds != y->cost_seconds) return x->cost_seconds < y->cost_seconds ? -1 : 1;
  return strcmp(x->sharding, y->sharding);
}

static PlanOther *other_of(PlanOther *all, uint32_t *n, const char *sharding) {
  for (uint32_t i = 0; i < *n; i++)
    if (strcmp(all[i].sharding, sharding) == 0) return &all[i];
  all[*n] = (PlanOther){.sharding = sharding};
  return &all[(*n)++];
}

enum { MOST_SOLVED = 64 };

// Solves again with each strategy of the value's variable, from the plan's choices on. Several
// strategies of an op can give one sharding: the cheapest counts.
static Status *price_others(Question *q, Session *s, const Model *m) {
  const char *next = NULL;  // the cheapest sharding but the plan's
  double least = INFINITY;
  const PlanVar *v = &m->problem.vars.items[q->var];
  uint32_t n = v->n < MOST_SOLVED ? v->n : MOST_SOLVED, count = 0;
  PlanOther *others = ARENA_ARRAY(q->arena, PlanOther, n + 1);
  uint32_t *choice = ARENA_ARRAY(q->arena, uint32_t, m->vars.count + 1);
  SolveOptions options = {.level = 1,
                          .threads = q->request->threads,
                          .start = has_choice(q, m) ? q->plan->choice : NULL};
  for (uint32_t k = 0; k < n; k++) {
    SolveResult r;
    if (m->problem.costs.items[v->first + k] >= PLAN_FORBIDDEN) continue;
    guard_tell(s->guard, "pricing other shardings", k, n);
    TRY(solve_fixed(&m->problem, &options, q->var, k, s->guard, choice, &r));
    bool found = r.outcome == SOLVE_OPTIMAL || r.outcome == SOLVE_FEASIBLE;
    PlanOther *other = other_of(others, &count, q->words[k]);
    double seconds = found ? model_seconds(r.cost) : 0;
    if (found && (other->cost_seconds <= 0 || seconds < other->cost_seconds))
      other->cost_seconds = seconds;
    if (!found || strcmp(other->sharding, q->answer->planned) == 0 || seconds >= least) continue;
    least = seconds;
    next = other->sharding;
    q->hook.start = arena_copy(q->arena, choice, (m->vars.count + 1) * sizeof *choice);
  }
  q->answer->other = next;
  qsort(others, count, sizeof *others, by_cost);
  q->answer->others = others;
  q->answer->n_others = count;
  return NULL;
}

// The sharding that the plan gives the value.
static Status *read_planned(Question *q, Session *s, const Model *m, PlanPort port, Sharding *out) {
  const Plan *plan = q->plan;
  if (has_choice(q, m)) {
    *out = strategies_list(&m->strategies, port.list).v[plan->choice[port.var]];
    return NULL;
  }
  bool argument = q->target.kind == TARGET_ARGUMENT;
  uint32_t n = argument ? plan->n_arguments : plan->n_results;
  if (q->target.kind == TARGET_VALUE || q->target.index >= n)
    FAIL(INVALID_ARGUMENT,
         "--why-not: repeated layers were planned as one, without %s: ask about an argument or "
         "result, or plan the whole program with --layers=all",
         q->answer->value);
  const PlannedValue *value = &(argument ? plan->arguments : plan->results)[q->target.index];
  return plan_read_sharding(s, str_of(value->sharding), &q->target, q->arena, out);
}

static Status *question_built(void *user, Session *s, Model *m, double limit_bytes,
                              bool *out_stop) {
  Question *q = user;
  PlanAnswer *a = q->answer;
  PlanPort port;
  const char *why = NULL;
  q->session = s;
  TRY(find_target(q, s->program));
  a->value = target_text(s->program, &q->target, q->arena);
  if (!plan_port(m, &q->target, q->arena, &port, &why))
    FAIL(INVALID_ARGUMENT, "--why-not: the plan does not choose the sharding of %s: %s", a->value,
         why);
  uint32_t rank = type_info(s->context, port.type)->rank;
  ShardingList list = strategies_list(&m->strategies, port.list);
  Sharding planned = 0, wanted = 0;
  TRY(read_planned(q, s, m, port, &planned));
  a->type = arena_printf(q->arena, "%s", type_text(s->context, port.type));
  a->planned = plan_sharding_text(s, planned, rank, q->arena);
  q->var = port.var;
  q->words = ARENA_ARRAY(q->arena, const char *, list.n + 1);
  for (uint32_t k = 0; k < list.n; k++)
    q->words[k] = plan_sharding_text(s, list.v[k], rank, q->arena);
  q->hook.exact = q->target.kind == TARGET_VALUE;
  a->next_best = !q->sharding.n;
  if (a->next_best) {
    model_scale(m, 1, limit_bytes);
    TRY(price_others(q, s, m));
    return forbid_planned(q, m, port, planned);
  }
  Status *status = plan_read_sharding(s, q->sharding, &q->target, q->arena, &wanted);
  if (status) {
    const char *said = arena_printf(q->arena, "%s", status_message(status));
    status_free(status);
    FAIL(INVALID_ARGUMENT, "--why-not '%s': %s", a->question, said);
  }
  a->other = plan_sharding_text(s, wanted, rank, q->arena);
  a->same = plan_sharding_fits(s->table, wanted, planned);
  *out_stop = a->same;
  if (a->same) return NULL;
  q->hook.start = has_choice(q, m) ? q->plan->choice : NULL;
  if (!plan_keep(m, port, wanted))
    FAIL(INVALID_ARGUMENT, "--why-not: %s cannot have %s: %s; it can have %s", a->value, a->other,
         why_none(q, m, port, wanted), list_shardings(q, m, port));
  return NULL;
}

// ---- collectives ----

typedef VEC(PlanChange) ChangeVec;

typedef struct Measure {
  const Question *q;
  const Plan *plan;
  uint32_t side;  // of bytes[], seconds[]
  ChangeVec *changes;
  Session session;
} Measure;

static PlanChange *change_of(Measure *m, const char *kind, const char *axes) {
  for (uint32_t i = 0; i < m->changes->count; i++) {
    PlanChange *c = &m->changes->items[i];
    if (!strcmp(c->kind, kind) && !strcmp(c->axes, axes)) return c;
  }
  PlanChange new = {.kind = kind, .axes = arena_printf(m->q->arena, "%s", axes)};
  VEC_PUSH(m->q->arena, m->changes, new);
  return &m->changes->items[m->changes->count - 1];
}

// Compiles a plan and adds its collectives.
static Status *measure_body(Guard *guard, void *arg) {
  Measure *m = arg;
  const Plan *plan = m->plan;
  arena_guard(m->q->arena, guard);
  session_clone(&m->session, guard, m->q->program, NULL);
  CompileRequest request;
  const char *mesh;
  Source rules;
  plan_request(plan, m->q->request, &mesh, &rules, &request);
  request.simulate = true;
  request.stop_after = STAGE_MEASURE;
  Compiled compiled;
  TRY(compile(&m->session, &request, &compiled));
  const Simulated *s = compiled.prediction.simulated;
  for (uint32_t i = 0; i < s->n_rows; i++) {
    PlanChange *c = change_of(m, traffic_kind(s->rows[i].code), s->rows[i].axes);
    c->bytes[m->side] += s->rows[i].bytes;
    c->seconds[m->side] += s->rows[i].seconds;
  }
  return NULL;
}

static Status *measure(const Question *q, const Plan *plan, uint32_t side, ChangeVec *changes) {
  Measure m = {.q = q, .plan = plan, .side = side, .changes = changes};
  Guard *before = q->arena->guard;
  Status *status = guard_run(measure_body, &m);
  arena_guard(q->arena, before);
  session_deinit(&m.session);
  return status;
}

static int by_change(const void *a, const void *b) {
  const PlanChange *x = a, *y = b;
  double p = fabs(x->seconds[1] - x->seconds[0]), q = fabs(y->seconds[1] - y->seconds[0]);
  if (p != q) return p > q ? -1 : 1;
  int order = strcmp(x->kind, y->kind);
  return order ? order : strcmp(x->axes, y->axes);
}

enum { MOST_CHANGES = 4 };

static Status *compare_collectives(const Question *q, const Plan *other) {
  ChangeVec changes = {0};
  TRY(measure(q, q->plan, 0, &changes));
  TRY(measure(q, other, 1, &changes));
  if (changes.count) qsort(changes.items, changes.count, sizeof *changes.items, by_change);
  uint32_t n = 0;
  while (n < changes.count && n < MOST_CHANGES &&
         changes.items[n].seconds[0] != changes.items[n].seconds[1])
    n++;
  q->answer->changes = changes.items;
  q->answer->n_changes = n;
  return NULL;
}

Status *plan_why_not(const Program *program, const PlanRequest *request, const Plan *plan,
                     const char *question, Guard *guard, Arena *arena, PlanAnswer *out) {
  *out = (PlanAnswer){.question = question};
  if (request->tactics)
    FAIL(INVALID_ARGUMENT,
         "--why-not is about plans of the search: leave out --tactics, or compare "
         "two lists of tactics");
  Question q = {.program = program,
                .request = request,
                .plan = plan,
                .arena = arena,
                .answer = out,
                .hook = {.built = question_built, .climbs = true}};
  Plan other;
  q.hook.user = &q;
  split_question(&q, question);
  TRY(plan_try_mesh(program, request, plan->best.mesh, false, &q.hook, guard, arena, &other));
  if (out->same) return NULL;
  out->cost_seconds = other.best.cost_seconds;
  out->bound_seconds = other.best.bound_seconds;
  if (!other.decisions) {
    out->refused = other.best.refused ? other.best.refused : "no plan was found";
    return NULL;
  }
  out->seconds = other.best.seconds;
  out->peak_bytes = other.best.peak_bytes;
  if (out->next_best) out->other = q.words[other.choice[q.var]];
  return compare_collectives(&q, &other);
}

// ---- text and JSON ----

static double percent(double from, double to) { return from > 0 ? 100 * (to / from - 1) : 0; }

static void put_change(const PlanChange *c, StrBuf *out) {
  char a[32], b[32], x[32], y[32];
  strbuf_printf(out, "  %-8s%s%s%s: %s -> %s, %s -> %s sent per device\n", "", c->kind,
                *c->axes ? " along " : "", c->axes, simulated_seconds(c->seconds[0], a, sizeof a),
                simulated_seconds(c->seconds[1], b, sizeof b),
                simulated_bytes(c->bytes[0], x, sizeof x),
                simulated_bytes(c->bytes[1], y, sizeof y));
}

enum { MOST_OTHERS = 6 };

static void put_answer(const Plan *plan, const PlanAnswer *a, StrBuf *out) {
  char x[32], y[32], z[32];
  if (a->same) {
    strbuf_printf(out, "why not %s: the plan gives it %s\n", a->value, a->planned);
    return;
  }
  strbuf_printf(out, "why not %s: %s%s instead of %s of %s\n", a->value,
                a->next_best ? "the next best is " : "", a->other ? a->other : "none", a->planned,
                a->type);
  if (a->refused) {
    strbuf_printf(out, "  no plan: %s\n", a->refused);
    return;
  }
  bool exact = a->cost_seconds <= a->bound_seconds * (1 + 1e-9);
  const PlanTrial *t = &plan->best;
  strbuf_printf(out, "  problem %s -> %s without overlap (%+.2f %%), %s",
                simulated_seconds(t->cost_seconds, x, sizeof x),
                simulated_seconds(a->cost_seconds, y, sizeof y),
                percent(t->cost_seconds, a->cost_seconds), exact ? "exact\n" : "");
  if (!exact)
    strbuf_printf(out, "no less than %s\n", simulated_seconds(a->bound_seconds, z, sizeof z));
  strbuf_printf(out, "  step    %s -> %s (%+.2f %%)\n", simulated_seconds(t->seconds, x, sizeof x),
                simulated_seconds(a->seconds, y, sizeof y), percent(t->seconds, a->seconds));
  strbuf_printf(
      out, "  memory  %s -> %s of %s per device%s\n", simulated_bytes(t->peak_bytes, x, sizeof x),
      simulated_bytes(a->peak_bytes, y, sizeof y), simulated_bytes(plan->usable_bytes, z, sizeof z),
      a->peak_bytes > plan->usable_bytes ? ": it does not fit" : "");
  for (uint32_t i = 0; i < a->n_changes; i++) put_change(&a->changes[i], out);
  for (uint32_t i = 0; i < a->n_others && i < MOST_OTHERS; i++)
    strbuf_printf(out, "  %s %s %s\n", i ? "       " : "costs  ",
                  a->others[i].cost_seconds > 0
                      ? simulated_seconds(a->others[i].cost_seconds, x, sizeof x)
                      : "does not fit",
                  a->others[i].sharding);
  if (a->n_others > MOST_OTHERS)
    strbuf_printf(out, "          and %u more (--json)\n", a->n_others - MOST_OTHERS);
}

void plan_put_answers(const Plan *plan, StrBuf *out) {
  for (uint32_t i = 0; i < plan->n_answers; i++) put_answer(plan, &plan->answers[i], out);
}

static void json_pair(Json *json, const char *key, const double *values) {
  json_key(json, key), json_open(json, '[');
  json_double(json, values[0]), json_double(json, values[1]);
  json_close(json, ']');
}

void plan_json_answers(const Plan *plan, Json *json) {
  if (!plan->n_answers) return;
  json_break(json, 1);
  json_key(json, "why_not"), json_open(json, '[');
  for (uint32_t i = 0; i < plan->n_answers; i++) {
    const PlanAnswer *a = &plan->answers[i];
    json_break(json, 2);
    json_open(json, '{');
    json_key(json, "question"), json_string(json, a->question);
    json_key(json, "value"), json_string(json, a->value);
    json_key(json, "type"), json_string(json, a->type);
    json_key(json, "planned"), json_string(json, a->planned);
    if (a->other) json_key(json, "other"), json_string(json, a->other);
    json_key(json, "same"), json_bool(json, a->same);
    if (a->refused) json_key(json, "refused"), json_string(json, a->refused);
    if (!a->same && !a->refused) {
      json_key(json, "cost_seconds"), json_double(json, a->cost_seconds);
      json_key(json, "bound_seconds"), json_double(json, a->bound_seconds);
      json_key(json, "seconds"), json_double(json, a->seconds);
      json_key(json, "peak_bytes"), json_double(json, a->peak_bytes);
      if (a->n_others) {
        json_key(json, "costs"), json_open(json, '[');
        for (uint32_t k = 0; k < a->n_others; k++) {
          json_open(json, '{');
          json_key(json, "sharding"), json_string(json, a->others[k].sharding);
          json_key(json, "cost_seconds");
          if (a->others[k].cost_seconds > 0)
            json_double(json, a->others[k].cost_seconds);
          else
            json_null(json);
          json_close(json, '}');
        }
        json_close(json, ']');
      }
      json_key(json, "collectives"), json_open(json, '[');
      for (uint32_t k = 0; k < a->n_changes; k++) {
        json_open(json, '{');
        json_key(json, "kind"), json_string(json, a->changes[k].kind);
        json_key(json, "axes"), json_string(json, a->changes[k].axes);
        json_pair(json, "seconds", a->changes[k].seconds);
        json_pair(json, "bytes", a->changes[k].bytes);
        json_close(json, '}');
      }
      json_close(json, ']');
    }
    json_close(json, '}');
  }
  json_close(json, ']');
}
