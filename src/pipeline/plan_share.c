// Problem: programs that run in turn on the same weights (prefill and decode) need one layout of
// the weights: a reshard between them would cost more than any plan saves.
//
// Idea: the joint problem is the sum of the programs' problems, times their weights, one behind the
// other in time so that each has all memory. Arguments with the same path are joined by a matrix
// that forbids different shardings. Its solution is one layout. The own best plan of each program
// gives another one. Each layout is planned for in all programs; the least weighted sum of
// simulated steps wins.
//
// Invariant: shared arguments have the same sharding in all plans.
//
// Cost: meshes · (joint solution + programs² plans for one mesh).
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "pipeline/plan_private.h"
#include "report/show_simulated.h"

// An argument that programs share.
typedef struct Group {
  const char *name;
  Type type;  // in the context of `first`
  const char *type_words;
  uint32_t first;      // a program that has it
  uint32_t *argument;  // per program: its number; UINT32_MAX: it has none
} Group;

typedef VEC(Group) GroupVec;
typedef struct Layout {
  const char **shardings;  // per group, as text
} Layout;

typedef struct Share {
  const ShareRequest *request;
  Guard *guard;
  Arena *arena;
  GroupVec groups;
  OpId *entries;  // per program
  double most_weight;
  const char *mesh;
  // While the joint problem is made: the programs' models.
  Session **sessions;
  Model **models;
  uint32_t at;  // program
  PlanMesh *bounds;
  Layout joint;
  bool has_joint;
  double joint_seconds, joint_bound_seconds;
} Share;

// ---- the arguments ----

static OpId entry_of(const Program *p, Arena *arena) {
  Entries entries = program_entries(p, arena);
  return entries.n ? entries.v[0] : 0;
}

static Group *find_group(Share *s, Str name) {
  for (uint32_t i = 0; i < s->groups.count; i++)
    if (str_equal(str_of(s->groups.items[i].name), name)) return &s->groups.items[i];
  return NULL;
}

static Status *add_argument(Share *s, uint32_t program, uint32_t k, Str name) {
  const ShareProgram *of = &s->request->programs[program];
  Type type = function_argument_type(of->program, s->entries[program], k);
  const char *words = arena_printf(s->arena, "%s", type_text(of->program->context, type));
  Group *g = find_group(s, name);
  if (!g) {
    Group new = {.name = arena_printf(s->arena, "%.*s", (int)name.n, name.s),
                 .type_words = words,
                 .first = program};
    new.argument = ARENA_ARRAY(s->arena, uint32_t, s->request->n_programs);
    for (uint32_t i = 0; i < s->request->n_programs; i++) new.argument[i] = UINT32_MAX;
    VEC_PUSH(s->arena, &s->groups, new);
    g = &s->groups.items[s->groups.count - 1];
  }
  if (strcmp(g->type_words, words) != 0)
    FAIL(INVALID_ARGUMENT, "--share: '%s' is %s in %s and %s in %s: shared arguments have one type",
         g->name, g->type_words, s->request->programs[g->first].path, words, of->path);
  g->argument[program] = k;
  return NULL;
}

static uint32_t count_programs(const Share *s, const Group *g) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->request->n_programs; i++) n += g->argument[i] != UINT32_MAX;
  return n;
}

static Status *match_glob(Share *s, const char *glob) {
  uint32_t found = 0;
  Str dotted = path_dotted(s->arena, str_of(glob));
  for (uint32_t i = 0; i < s->request->n_programs; i++) {
    const Program *p = s->request->programs[i].program;
    for (uint32_t k = 0; k < function_n_arguments(p, s->entries[i]); k++) {
      Str name = argument_path(p, s->entries[i], k, s->arena);
      const TypeInfo *info = type_info(p->context, function_argument_type(p, s->entries[i], k));
      if (!name.n || info->kind != TYPE_TENSOR || !info->rank) continue;
      if (!path_matches(str_of(glob), name) && !path_matches(dotted, name)) continue;
      found++;
      TRY(add_argument(s, i, k, name));
    }
  }
  if (!found)
    FAIL(INVALID_ARGUMENT, "--share: no argument is called '%s'%s", glob,
         targets_near_text(s->request->programs[0].program, str_of(glob), s->arena));
  return NULL;
}

static Status *find_groups(Share *s) {
  for (uint32_t i = 0; i < s->request->n_globs; i++) TRY(match_glob(s, s->request->globs[i]));
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->groups.count; i++)
    if (count_programs(s, &s->groups.items[i]) > 1) s->groups.items[n++] = s->groups.items[i];
  const char *alone = s->groups.count ? s->groups.items[0].name : "";
  s->groups.count = n;
  if (!n)
    FAIL(INVALID_ARGUMENT, "--share: no argument is in two programs: '%s' is only in one", alone);
  return NULL;
}

// ---- the joint problem ----

static bool same_sharding(const Model *a, Sharding x, const Model *b, Sharding y) {
  const ShardingInfo *p = sharding_info(a->strategies.table, x),
                     *q = sharding_info(b->strategies.table, y);
  uint32_t rank = x ? p->rank : y ? q->rank : 0;
  for (uint32_t d = 0; d < rank; d++)
    if (!axes_equal(x ? sharding_dim_axes(p, d) : (AxisList){NULL, 0},
                    y ? sharding_dim_axes(q, d) : (AxisList){NULL, 0}))
      return false;
  return true;
}

static int64_t weighted(int64_t cost, double weight) {
  return cost >= PLAN_FORBIDDEN ? PLAN_FORBIDDEN : (int64_t)((double)cost * weight);
}

// Adds a program's problem, its times moved behind `begin`. Returns the end of its times.
static int64_t add_problem(Problem *out, const Problem *from, double weight, int64_t begin,
                           Arena *arena) {
  uint32_t base = out->vars.count;
  int64_t end = begin;
  for (uint32_t i = 0; i < from->vars.count; i++) {
    const PlanVar *v = &from->vars.items[i];
    ArenaMark mark = arena_mark(arena);
    int64_t *costs = ARENA_ARRAY(arena, int64_t, v->n);
    for (uint32_t k = 0; k < v->n; k++)
      costs[k] = weighted(from->costs.items[v->first + k], weight);
    problem_add_var(out, v->n, costs, from->bytes.items + v->first, begin + v->begin,
                    begin + v->end);
    if (begin + v->end > end) end = begin + v->end;
    arena_rewind(arena, mark);
  }
  uint32_t *matrices = ARENA_ARRAY(arena, uint32_t, from->matrices.count + 1);
  for (uint32_t i = 0; i < from->matrices.count; i++) {
    const PlanMatrix *m = &from->matrices.items[i];
    ArenaMark mark = arena_mark(arena);
    int64_t *entries = ARENA_ARRAY(arena, int64_t, m->n + 1);
    for (uint32_t k = 0; k < m->n; k++)
      entries[k] = weighted(from->entries.items[m->first + k], weight);
    matrices[i] = problem_matrix(out, entries, m->n);
    arena_rewind(arena, mark);
  }
  for (uint32_t i = 0; i < from->edges.count; i++) {
    PlanEdge e = from->edges.items[i];
    HEAPVEC_PUSH(out->guard, &out->edges, ((PlanEdge){base + e.a, base + e.b, matrices[e.matrix]}));
  }
  return end + 1;
}

// Joins the variables of one argument in two programs.
static void add_equality(Share *s, Problem *out, const uint32_t *first, uint32_t i, uint32_t k,
                         uint32_t var_i, uint32_t var_k, Arena *arena) {
  const Model *a = s->models[i], *b = s->models[k];
  ShardingList x = strategies_list(&a->strategies, a->vars.items[var_i].list),
               y = strategies_list(&b->strategies, b->vars.items[var_k].list);
  ArenaMark mark = arena_mark(arena);
  int64_t *entries = ARENA_ARRAY(arena, int64_t, (size_t)x.n *y.n + 1);
  for (uint32_t p = 0; p < x.n; p++)
    for (uint32_t q = 0; q < y.n; q++)
      entries[p * y.n + q] = same_sharding(a, x.v[p], b, y.v[q]) ? 0 : PLAN_FORBIDDEN;
  problem_add_edge(out, first[i] + var_i, first[k] + var_k, entries);
  arena_rewind(arena, mark);
}

typedef struct Joint {
  Problem problem;
  uint32_t *first;  // per program: its first variable
} Joint;

static void make_joint(Share *s, double limit_bytes, Arena *arena, Joint *j) {
  uint32_t n = s->request->n_programs;
  int64_t begin = 0;
  j->first = ARENA_ARRAY(arena, uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    j->first[i] = j->problem.vars.count;
    begin = add_problem(&j->problem, &s->models[i]->problem,
                        s->request->programs[i].weight / s->most_weight, begin, arena);
  }
  for (uint32_t g = 0; g < s->groups.count; g++) {
    const Group *group = &s->groups.items[g];
    uint32_t i = group->first;
    for (uint32_t k = i + 1; k < n; k++)
      if (group->argument[k] != UINT32_MAX)
        add_equality(s, &j->problem, j->first, i, k,
                     s->models[i]->argument_vars[group->argument[i]],
                     s->models[k]->argument_vars[group->argument[k]], arena);
  }
  j->problem.limit_bytes = (int64_t)limit_bytes;
}

static Status *solve_joint(Share *s, const Joint *j, Arena *arena) {
  SolveResult result;
  SolveOptions options = {.level = s->request->request.level,
                          .threads = s->request->request.threads};
  uint32_t *choice = ARENA_ARRAY(arena, uint32_t, j->problem.vars.count + 1);
  TRY(problem_check(&j->problem));
  TRY(solve_problem(&j->problem, &options, s->sessions[s->at]->guard, choice, &result));
  s->joint_bound_seconds = model_seconds(result.bound) * s->most_weight;
  s->has_joint = result.outcome == SOLVE_OPTIMAL || result.outcome == SOLVE_FEASIBLE;
  if (!s->has_joint) return NULL;
  s->joint_seconds = model_seconds(result.cost) * s->most_weight;
  for (uint32_t g = 0; g < s->groups.count; g++) {
    const Group *group = &s->groups.items[g];
    uint32_t i = group->first, var = s->models[i]->argument_vars[group->argument[i]];
    Type type = function_argument_type(s->models[i]->p, s->models[i]->entry, group->argument[i]);
    s->joint.shardings[g] = plan_sharding_text(
        s->sessions[i], model_sharding(s->models[i], var, choice[j->first[i] + var]),
        type_info(s->sessions[i]->context, type)->rank, s->arena);
  }
  return NULL;
}

// All models exist. Scratch is of the innermost trial.
static Status *run_joint(Share *s, double limit_bytes) {
  Guard *guard = s->sessions[s->at]->guard;
  Joint j = {.first = NULL};
  problem_init(&j.problem, guard);
  GuardCleanup cleanup = {problem_release, &j.problem, NULL};
  guard_push(guard, &cleanup);
  Arena *arena = &s->sessions[s->at]->arena;
  make_joint(s, limit_bytes, arena, &j);
  Status *status = solve_joint(s, &j, arena);
  guard_pop(guard, &cleanup);
  problem_deinit(&j.problem);
  return status;
}

// Each program's trial opens the next one inside of itself, so that all models exist at once.
static Status *joint_built(void *user, Session *session, Model *model, double limit_bytes,
                           bool *out_stop) {
  Share *s = user;
  *out_stop = true;
  s->sessions[s->at] = session;
  s->models[s->at] = model;
  TRY(plan_bound_mesh(session, model, limit_bytes, false, s->arena, &s->bounds[s->at]));
  if (s->at + 1 == s->request->n_programs) return run_joint(s, limit_bytes);
  PlanHook hook = {.built = joint_built, .user = s};
  Plan plan;
  s->at++;
  return plan_try_mesh(s->request->programs[s->at].program, &s->request->request, s->mesh, false,
                       &hook, NULL, s->arena, &plan);
}

// ---- plans with a layout ----

typedef struct Fixed {
  Share *s;
  const Layout *layout;
  uint32_t program;
  bool fits;  // the program has all shardings of the layout
} Fixed;

static Status *fixed_built(void *user, Session *session, Model *m, double limit_bytes,
                           bool *out_stop) {
  Fixed *f = user;
  Share *s = f->s;
  (void)limit_bytes;
  f->fits = true;
  for (uint32_t g = 0; g < s->groups.count && f->fits; g++) {
    uint32_t k = s->groups.items[g].argument[f->program];
    if (k == UINT32_MAX) continue;
    BlockId block = region_block(m->p, op_region(m->p, m->entry, 0));
    Target target = {m->entry, TARGET_ARGUMENT, k, block_arg(m->p, block, k)};
    PlanPort port;
    const char *why;
    Sharding sharding;
    if (!plan_port(m, &target, s->arena, &port, &why)) continue;
    TRY(plan_read_sharding(session, str_of(f->layout->shardings[g]), &target, s->arena, &sharding));
    f->fits = plan_keep(m, port, sharding) > 0;
  }
  *out_stop = !f->fits;
  return NULL;
}

static bool is_good(const Plan *plan) {
  return plan->decisions && plan->best.peak_bytes <= plan->usable_bytes;
}

// Plans all programs with a layout. *out_total: the weighted sum of their steps; INFINITY if one
// does not fit. own: plans that have the layout already (of program `owner`); NULL = none.
static Status *try_layout(Share *s, const Layout *layout, const Plan *own, uint32_t owner,
                          Plan *plans, double *out_total) {
  *out_total = 0;
  for (uint32_t i = 0; i < s->request->n_programs && isfinite(*out_total); i++) {
    Fixed fixed = {.s = s, .layout = layout, .program = i};
    PlanHook hook = {.built = fixed_built, .user = &fixed};
    if (own && i == owner)
      plans[i] = *own;
    else
      TRY(plan_try_mesh(s->request->programs[i].program, &s->request->request, s->mesh, false,
                        &hook, s->guard, s->arena, &plans[i]));
    plans[i].program = program_hash(s->request->programs[i].program);
    plans[i].best.overlap_bound_seconds = s->bounds[i].overlap_seconds;
    plans[i].best.links = s->bounds[i].links;
    *out_total += is_good(&plans[i]) ? s->request->programs[i].weight * plans[i].best.seconds
                                     : (double)INFINITY;
  }
  return NULL;
}

static Layout layout_of(Share *s, const Plan *plan, uint32_t program) {
  Layout l = {ARENA_ARRAY(s->arena, const char *, s->groups.count + 1)};
  for (uint32_t g = 0; g < s->groups.count; g++) {
    uint32_t k = s->groups.items[g].argument[program];
    l.shardings[g] = k != UINT32_MAX ? plan->arguments[k].sharding : s->joint.shardings[g];
  }
  return l;
}

static bool same_layout(const Share *s, const Layout *a, const Layout *b) {
  for (uint32_t g = 0; g < s->groups.count; g++)
    if (strcmp(a->shardings[g], b->shardings[g]) != 0) return false;
  return true;
}

static void keep_layout(Share *s, const Layout *layout, const Plan *plans, double total,
                        SharedPlan *out) {
  SharedValue *values = ARENA_ARRAY(s->arena, SharedValue, s->groups.count + 1);
  for (uint32_t g = 0; g < s->groups.count; g++)
    values[g] =
        (SharedValue){s->groups.items[g].name, s->groups.items[g].type_words, layout->shardings[g]};
  out->values = values;
  out->n_values = s->groups.count;
  out->total_seconds = total;
  out->plans = arena_copy(s->arena, plans, s->request->n_programs * sizeof *plans);
}

// The best layout for one mesh. *out has no plans if none fits.
static Status *share_mesh(Share *s, SharedPlan *out) {
  uint32_t n = s->request->n_programs;
  Plan *own = ARENA_ARRAY(s->arena, Plan, n), *plans = ARENA_ARRAY(s->arena, Plan, n);
  Layout *layouts = ARENA_ARRAY(s->arena, Layout, n + 1);
  double total;
  *out = (SharedPlan){.mesh = s->mesh,
                      .n_programs = n,
                      .total_seconds = INFINITY,
                      .joint_seconds = s->joint_seconds,
                      .joint_bound_seconds = s->joint_bound_seconds,
                      .own_seconds = ARENA_ARRAY(s->arena, double, n)};
  layouts[0] = s->joint;
  TRY(try_layout(s, &layouts[0], NULL, 0, plans, &total));
  if (isfinite(total)) keep_layout(s, &layouts[0], plans, total, out);
  for (uint32_t i = 0; i < n; i++) {
    TRY(plan_try_mesh(s->request->programs[i].program, &s->request->request, s->mesh, false, NULL,
                      s->guard, s->arena, &own[i]));
    out->own_seconds[i] = is_good(&own[i]) ? own[i].best.seconds : 0;
    out->own_total_seconds += s->request->programs[i].weight * out->own_seconds[i];
    if (!is_good(&own[i])) continue;
    layouts[i + 1] = layout_of(s, &own[i], i);
    bool known = false;
    for (uint32_t k = 0; k <= i && !known; k++)
      known = layouts[k].shardings && same_layout(s, &layouts[k], &layouts[i + 1]);
    if (known) continue;
    TRY(try_layout(s, &layouts[i + 1], &own[i], i, plans, &total));
    if (total < out->total_seconds) keep_layout(s, &layouts[i + 1], plans, total, out);
  }
  return NULL;
}

// ---- all meshes ----

static Status *list_meshes(Share *s, PlanMeshVec *out) {
  const PlanRequest *request = &s->request->request;
  bool has_mesh = false;
  for (uint32_t i = 0; i < s->request->n_programs; i++)
    has_mesh |= plan_has_mesh(s->request->programs[i].program);
  if (has_mesh && !request->annotations.n_meshes)
    VEC_PUSH(s->arena, out, ((PlanMesh){.text = NULL}));
  else if (request->annotations.n_meshes)
    VEC_PUSH(s->arena, out, ((PlanMesh){.text = request->annotations.meshes[0]}));
  else if (request->devices)
    plan_list_meshes(request->devices, request->level, s->arena, out);
  else
    FAIL(INVALID_ARGUMENT, "how many devices? Give the machine a shape (--machine h100:8x4), "
                           "--devices N, or a mesh (--mesh data=8,model=4)");
  return NULL;
}

// Solves the joint problem of a mesh. *out_least: no weighted sum of steps is less.
static Status *bound_mesh(Share *s, double *out_least) {
  PlanHook hook = {.built = joint_built, .user = s};
  Plan plan;
  s->at = 0;
  s->has_joint = false;
  s->joint_seconds = s->joint_bound_seconds = 0;
  memset(s->bounds, 0, s->request->n_programs * sizeof *s->bounds);
  s->joint.shardings = ARENA_ARRAY(s->arena, const char *, s->groups.count + 1);
  TRY(plan_try_mesh(s->request->programs[0].program, &s->request->request, s->mesh, false, &hook,
                    NULL, s->arena, &plan));
  *out_least = 0;
  for (uint32_t i = 0; i < s->request->n_programs; i++)
    *out_least += s->request->programs[i].weight * s->bounds[i].overlap_seconds;
  return NULL;
}

Status *plan_share(const ShareRequest *request, Guard *guard, Arena *arena, SharedPlan *out) {
  uint32_t n = request->n_programs;
  if (request->request.tactics)
    FAIL(INVALID_ARGUMENT, "--tactics takes one program, and --share has %u", n);
  Share s = {.request = request, .guard = guard, .arena = arena};
  PlanMeshVec meshes = {0};
  s.entries = ARENA_ARRAY(arena, OpId, n);
  s.sessions = ARENA_ARRAY(arena, Session *, n);
  s.models = ARENA_ARRAY(arena, Model *, n);
  s.bounds = ARENA_ARRAY(arena, PlanMesh, n);
  for (uint32_t i = 0; i < n; i++) {
    s.entries[i] = entry_of(request->programs[i].program, arena);
    if (!s.entries[i])
      FAIL(INVALID_ARGUMENT, "%s: the program has no function with a body: nothing can be planned",
           request->programs[i].path);
    s.most_weight = fmax(s.most_weight, request->programs[i].weight);
  }
  TRY(find_groups(&s));
  TRY(list_meshes(&s, &meshes));
  *out = (SharedPlan){.n_programs = n, .total_seconds = INFINITY};
  for (uint32_t i = 0; i < meshes.count; i++) {
    SharedPlan one;
    double least = 0;
    s.mesh = meshes.items[i].text;
    guard_tell(guard, "planning", i, meshes.count);
    TRY(bound_mesh(&s, &least));
    if (!s.has_joint || least > out->total_seconds) continue;
    TRY(share_mesh(&s, &one));
    if (one.plans && one.total_seconds < out->total_seconds) *out = one;
  }
  for (uint32_t i = 0; out->plans && i < n; i++)
    TRY(plan_describe(request->programs[i].program, &request->request, guard, arena,
                      &out->plans[i]));
  if (!out->plans)
    out->refused = "no layout of the shared arguments fits in memory in all programs";
  return NULL;
}

// ---- text and JSON ----

static double percent(double from, double to) { return from > 0 ? 100 * (to / from - 1) : 0; }

void plan_share_put(const SharedPlan *shared, const ShareRequest *request, const char *machine,
                    StrBuf *out) {
  char a[32], b[32];
  strbuf_printf(out, "%u argument%s shared by %u programs, mesh %s on %s\n", shared->n_values,
                shared->n_values == 1 ? "" : "s", shared->n_programs,
                shared->mesh ? shared->mesh : "of the program", machine);
  strbuf_printf(out, "total   %s weighted; without sharing %s: sharing costs %.2f %%\n",
                simulated_seconds(shared->total_seconds, a, sizeof a),
                simulated_seconds(shared->own_total_seconds, b, sizeof b),
                fmax(0, percent(shared->own_total_seconds, shared->total_seconds)));
  strbuf_printf(out, "bound   %s of %s without overlap, for the weighted sum\n",
                simulated_seconds(shared->joint_bound_seconds, a, sizeof a),
                simulated_seconds(shared->joint_seconds, b, sizeof b));
  for (uint32_t i = 0; i < shared->n_programs; i++)
    strbuf_printf(out, "  %s ×%g: %s per step, alone %s (%+.2f %%)\n", request->programs[i].path,
                  request->programs[i].weight,
                  simulated_seconds(shared->plans[i].best.seconds, a, sizeof a),
                  simulated_seconds(shared->own_seconds[i], b, sizeof b),
                  percent(shared->own_seconds[i], shared->plans[i].best.seconds));
  strbuf_puts(out, "shared arguments\n");
  for (uint32_t g = 0; g < shared->n_values; g++)
    strbuf_printf(out, "  %s %s of %s\n", shared->values[g].name, shared->values[g].sharding,
                  shared->values[g].type);
  for (uint32_t i = 0; i < shared->n_programs; i++) {
    strbuf_printf(out, "\n%s\n", request->programs[i].path);
    plan_put(&shared->plans[i], machine, out);
  }
}

void plan_share_json(const SharedPlan *shared, const ShareRequest *request, const char *machine,
                     StrBuf *out) {
  Json json = {.out = out};
  json_open(&json, '{');
  json_key(&json, "shared_plan_version"), json_int(&json, 1);
  json_key(&json, "machine"), json_string(&json, machine);
  if (shared->mesh) json_key(&json, "mesh"), json_string(&json, shared->mesh);
  json_key(&json, "total_seconds"), json_double(&json, shared->total_seconds);
  json_key(&json, "own_total_seconds"), json_double(&json, shared->own_total_seconds);
  json_key(&json, "cost_seconds"), json_double(&json, shared->joint_seconds);
  json_key(&json, "bound_seconds"), json_double(&json, shared->joint_bound_seconds);
  json_break(&json, 1);
  json_key(&json, "shared"), json_open(&json, '[');
  for (uint32_t g = 0; g < shared->n_values; g++) {
    json_break(&json, 2);
    json_open(&json, '{');
    json_key(&json, "name"), json_string(&json, shared->values[g].name);
    json_key(&json, "type"), json_string(&json, shared->values[g].type);
    json_key(&json, "sharding"), json_string(&json, shared->values[g].sharding);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_break(&json, 1);
  json_key(&json, "programs"), json_open(&json, '[');
  for (uint32_t i = 0; i < shared->n_programs; i++) {
    StrBuf text;
    strbuf_init(&text, out->guard);
    GuardCleanup cleanup = {plan_release_text, &text, NULL};
    guard_push(out->guard, &cleanup);
    plan_json(&shared->plans[i], machine, &text);
    json_break(&json, 2);
    json_open(&json, '{');
    json_key(&json, "file"), json_string(&json, request->programs[i].path);
    json_key(&json, "weight"), json_double(&json, request->programs[i].weight);
    json_key(&json, "own_seconds"), json_double(&json, shared->own_seconds[i]);
    json_key(&json, "plan"), json_raw(&json, (Str){text.data, text.used - 1});
    json_close(&json, '}');
    guard_pop(out->guard, &cleanup);
    strbuf_deinit(&text);
  }
  json_close(&json, ']');
  json_close(&json, '}');
  json_newline(&json);
}
