// Storage and evaluation of problems. Strategies and matrix entries are in flat arrays; equal
// matrices are stored once, because a model's layers repeat the same few. Evaluation is the
// definition of the problem in integers of 128 bits, so nothing that the solver does in floating
// point can change what is printed.
#include "solve/problem.h"

#include <string.h>

#include "base/heap.h"
#include "base/mem.h"

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
  // The largest entry of a matrix is found once per edge, but matrices are few: O(text).
  for (uint32_t e = 0; e < problem->edges.count; e++) {
    const PlanMatrix *m = &problem->matrices.items[problem->edges.items[e].matrix];
    cost += largest_allowed(problem->entries.items + m->first, m->n);
  }
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

typedef struct UsageChange {
  int64_t time;
  int64_t bytes;  // freed bytes are negative
} UsageChange;

// At equal times, bytes are freed before others are allocated: intervals are half-open.
static bool change_before(const void *a, const void *b, const void *user) {
  const UsageChange *x = a, *y = b;
  (void)user;
  return x->time != y->time ? x->time < y->time : x->bytes < y->bytes;
}

static Wide peak_bytes(const Problem *problem, const uint32_t *choice) {
  // Reserved at once: nothing is held when that throws.
  HEAPVEC(UsageChange) changes = {0};
  HEAPVEC_RESERVE(problem->guard, &changes, 2 * problem->vars.count);
  for (uint32_t v = 0; v < problem->vars.count; v++) {
    const PlanVar *var = &problem->vars.items[v];
    int64_t bytes = problem->bytes.items[var->first + choice[v]];
    if (var->begin >= var->end) continue;
    HEAPVEC_PUSH(problem->guard, &changes, ((UsageChange){var->begin, bytes}));
    HEAPVEC_PUSH(problem->guard, &changes, ((UsageChange){var->end, -bytes}));
  }
  HeapOrder order = {sizeof(UsageChange), change_before, NULL};
  heap_sort(changes.items, changes.count, &order);
  Wide bytes = 0, peak = 0;
  for (uint32_t i = 0; i < changes.count; i++) {
    bytes += changes.items[i].bytes;
    if (bytes > peak) peak = bytes;
  }
  HEAPVEC_FREE(&changes);
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
