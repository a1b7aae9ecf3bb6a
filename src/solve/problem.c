// Storage and evaluation of problems. Strategies and matrix entries are in flat arrays; equal
// matrices are stored once, because a model's layers repeat the same few. Evaluation is the
// definition of the problem in integers of 128 bits, so nothing that the solver does in floating
// point can change what is printed.
#include "solve/problem.h"

#include <string.h>

#include "base/mem.h"
#include "solve/order.h"

void problem_init(Problem *problem, Guard *guard) { *problem = (Problem){.guard = guard}; }

void problem_deinit(Problem *problem) {
  HEAPVEC_FREE(&problem->vars);
  HEAPVEC_FREE(&problem->costs);
  HEAPVEC_FREE(&problem->bytes);
  HEAPVEC_FREE(&problem->matrices);
  HEAPVEC_FREE(&problem->entries);
  HEAPVEC_FREE(&problem->edges);
  idmap_deinit(&problem->interned);
}

void problem_release(void *problem) { problem_deinit(problem); }

// ---- building ----

typedef struct MatrixKey {
  const int64_t *entries;
  uint32_t n;
} MatrixKey;

static bool same_matrix(const void *owner, uint32_t id, const void *key) {
  const Problem *problem = owner;
  const MatrixKey *k = key;
  const PlanMatrix *m = &problem->matrices.items[id - 1];
  return m->n == k->n &&
         (!k->n || !memcmp(problem_entries(problem, id - 1), k->entries, k->n * sizeof(int64_t)));
}

uint32_t problem_matrix(Problem *problem, const int64_t *entries, uint32_t n) {
  Guard *guard = problem->guard;
  uint64_t hash = hash_bytes(entries, n * sizeof(int64_t));
  MatrixKey key = {entries, n};
  uint32_t id = idmap_find(&problem->interned, hash, same_matrix, problem, &key);
  if (id) return id - 1;
  PlanMatrix matrix = {problem->entries.count, n};
  HEAPVEC_RESERVE(guard, &problem->entries, problem->entries.count + n);
  if (n) memcpy(problem->entries.items + matrix.first, entries, n * sizeof(int64_t));
  problem->entries.count += n;
  HEAPVEC_PUSH(guard, &problem->matrices, matrix);
  idmap_add(&problem->interned, guard, hash, problem->matrices.count);
  return problem->matrices.count - 1;
}

uint32_t problem_add_var(Problem *problem, uint32_t n, const int64_t *costs, const int64_t *bytes,
                         int64_t begin, int64_t end) {
  Guard *guard = problem->guard;
  PlanVar var = {problem->costs.count, n, begin, end};
  for (uint32_t i = 0; i < n; i++) {
    HEAPVEC_PUSH(guard, &problem->costs, costs[i]);
    HEAPVEC_PUSH(guard, &problem->bytes, bytes[i]);
  }
  HEAPVEC_PUSH(guard, &problem->vars, var);
  return problem->vars.count - 1;
}

void problem_add_edge(Problem *problem, uint32_t a, uint32_t b, const int64_t *entries) {
  uint32_t n = problem->vars.items[a].n * problem->vars.items[b].n;
  PlanEdge edge = {a, b, problem_matrix(problem, entries, n)};
  HEAPVEC_PUSH(problem->guard, &problem->edges, edge);
}

// ---- checks ----

static int64_t largest_allowed(const int64_t *costs, uint32_t n) {
  int64_t most = 0;
  for (uint32_t i = 0; i < n; i++)
    if (costs[i] < PLAN_FORBIDDEN && costs[i] > most) most = costs[i];
  return most;
}

static Status *check_edge(const Problem *problem, uint32_t index) {
  const PlanEdge *e = &problem->edges.items[index];
  uint32_t n_vars = problem->vars.count;
  if (e->a >= n_vars || e->b >= n_vars)
    FAIL(INVALID_ARGUMENT, "edge %u joins nodes %u and %u, but there are %u nodes", index, e->a,
         e->b, n_vars);
  if (e->a == e->b) FAIL(INVALID_ARGUMENT, "edge %u joins node %u with itself", index, e->a);
  uint64_t rows = problem->vars.items[e->a].n, columns = problem->vars.items[e->b].n;
  uint32_t n = problem->matrices.items[e->matrix].n;
  if (rows * columns != n)
    FAIL(INVALID_ARGUMENT, "edge %u has %u costs; nodes %u and %u have %u times %u strategies",
         index, n, e->a, e->b, (uint32_t)rows, (uint32_t)columns);
  return NULL;
}

// The solver adds costs in 64 bits: sums of allowed costs must fit with a wide margin.
static Status *check_sums(const Problem *problem) {
  Wide cost = 0, bytes = 0, most = (Wide)1 << 62;
  for (uint32_t v = 0; v < problem->vars.count; v++) {
    const PlanVar *var = &problem->vars.items[v];
    cost += largest_allowed(problem->costs.items + var->first, var->n);
    int64_t own = 0;
    for (uint32_t i = 0; i < var->n; i++)
      if (problem->bytes.items[var->first + i] > own) own = problem->bytes.items[var->first + i];
    bytes += own;
  }
  // Many edges share a matrix: its largest entry is found once.
  HEAPVEC(int64_t) largest = {0};
  HEAPVEC_RESERVE(problem->guard, &largest, problem->matrices.count);
  for (uint32_t m = 0; m < problem->matrices.count; m++)
    largest.items[m] = largest_allowed(problem_entries(problem, m), problem->matrices.items[m].n);
  for (uint32_t e = 0; e < problem->edges.count; e++)
    cost += largest.items[problem->edges.items[e].matrix];
  HEAPVEC_FREE(&largest);
  if (cost >= most) FAIL(INVALID_ARGUMENT, "the costs may add up to more than 2^62; scale them");
  if (bytes >= most) FAIL(INVALID_ARGUMENT, "the usages may add up to more than 2^62; scale them");
  return NULL;
}

Status *problem_check(const Problem *problem) {
  for (uint32_t v = 0; v < problem->vars.count; v++)
    if (!problem->vars.items[v].n) FAIL(INVALID_ARGUMENT, "node %u has no strategies", v);
  for (uint32_t e = 0; e < problem->edges.count; e++) TRY(check_edge(problem, e));
  return check_sums(problem);
}

// ---- evaluation ----

// Intervals are half-open: at equal times bytes are freed before others are allocated, which is the
// same as looking at the sum after all changes of a time.
static Wide peak_bytes(const Problem *problem, const uint32_t *choice) {
  Arena arena;
  arena_init(&arena, problem->guard);
  GuardCleanup cleanup = {arena_release, &arena, NULL};
  guard_push(problem->guard, &cleanup);
  uint32_t n = 0, count = problem->vars.count;
  int64_t *times = arena_alloc(&arena, (2 * (size_t)count + 1) * sizeof *times);
  int64_t *changes = arena_alloc(&arena, (2 * (size_t)count + 1) * sizeof *changes);
  for (uint32_t v = 0; v < count; v++) {
    const PlanVar *var = &problem->vars.items[v];
    int64_t bytes = problem->bytes.items[var->first + choice[v]];
    if (var->begin >= var->end || !bytes) continue;
    times[n] = var->begin, changes[n++] = bytes;
    times[n] = var->end, changes[n++] = -bytes;
  }
  const uint32_t *order = order_by_key(times, n, &arena);
  Wide bytes = 0, peak = 0;
  for (uint32_t i = 0; i < n; i++) {
    bytes += changes[order[i]];
    bool last = i + 1 == n || times[order[i + 1]] != times[order[i]];
    if (last && bytes > peak) peak = bytes;
  }
  guard_pop(problem->guard, &cleanup);
  arena_deinit(&arena);
  return peak;
}

static void add_cost(PlanValue *value, int64_t cost) {
  value->cost += cost;
  value->forbidden += cost >= PLAN_FORBIDDEN;
}

PlanValue problem_evaluate(const Problem *problem, const uint32_t *choice) {
  PlanValue value = {0};
  for (uint32_t v = 0; v < problem->vars.count; v++)
    add_cost(&value, problem->costs.items[problem->vars.items[v].first + choice[v]]);
  for (uint32_t e = 0; e < problem->edges.count; e++) {
    const PlanEdge *edge = &problem->edges.items[e];
    uint32_t columns = problem->vars.items[edge->b].n;
    const int64_t *entries = problem_entries(problem, edge->matrix);
    add_cost(&value, entries[(uint64_t)choice[edge->a] * columns + choice[edge->b]]);
  }
  value.peak_bytes = peak_bytes(problem, choice);
  return value;
}
