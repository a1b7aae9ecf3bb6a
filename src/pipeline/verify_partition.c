// The parts of arguments are cut from the whole ones as the local function's attributes say, and
// results are compared part by part: nothing is assembled, so that replicas that differ show.
#include "pipeline/verify_partition.h"

#include <math.h>
#include <stdio.h>

#include "evaluate/evaluate.h"
#include "partition/single_device.h"
#include "partition/tiles.h"
#include "pipeline/verify_tolerance.h"

// Ops of a local program per op of the whole, collectives and offsets included.
enum { MOST_STEPS_PER_STEP = 1000 };

typedef struct Verify {
  Program *global, *local;
  ShardingTable *table;
  Context *context;
  const VerifyOptions *options;
  LiteralHeap heap;
  Arena *arena;
  uint32_t n_devices, n_args, n_results;
  const Edge *args, *results;
  const double *tolerances;               // per result
  Literal **whole_args, **whole_results;  // of the global program
  Literal **args_of, **results_of;        // of the local one, device by device
  double **slack;  // per result and element: what is allowed beside the tolerance; NULL: nothing
} Verify;

static void release(void *object) { literal_heap_deinit(object); }

// splitmix64
static uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// -1.5 … 1.5 in halves (positive: 0 … 3), 0 … 3: sums of them are exact as long as they are short.
static void fill(Literal *l, const VerifyOptions *options, uint32_t k) {
  double least = options->positive ? 0 : -1.5;
  for (int64_t i = 0; i < l->count; i++) {
    uint64_t bits = mix(mix(mix(options->seed) + k) + (uint64_t)i);
    double x = (double)(bits % 7) / 2 + least, y = (double)(bits / 7 % 7) / 2 + least;
    switch (dtype_kind(l->dtype)) {
    case KIND_FLOAT: literal_set(l, i, scalar_f(x)); break;
    case KIND_COMPLEX: literal_set(l, i, scalar_c(x, y)); break;
    default: literal_set(l, i, scalar_i((int64_t)(bits % (dtype_width(l->dtype) < 3 ? 2 : 4))));
    }
  }
}

static Status *make_arguments(Verify *v) {
  bool given = v->options->arguments != NULL;
  if (given) TRY(v->options->arguments(v->options->to, &v->heap, v->n_args, v->whole_args));
  for (uint32_t i = 0; i < v->n_args && !given; i++) {
    Type type = v->args[i].global;
    const TypeInfo *info = type_info(v->context, type);
    if (info->kind == TYPE_TOKEN) {
      v->whole_args[i] = literal_token(&v->heap);
    } else if (info->kind == TYPE_TENSOR && type_is_static(v->context, type)) {
      v->whole_args[i] = literal_new_typed(&v->heap, v->context, type);
      fill(v->whole_args[i], v->options, i);
    } else {
      FAIL(UNIMPLEMENTED, "argument %u is %s: random data are made for tensors of known sizes only",
           i, type_text(v->context, type));
    }
  }
  for (uint32_t i = 0; i < v->n_args; i++)
    for (uint32_t k = 0; k < v->n_devices; k++)
      v->args_of[(size_t)k * v->n_args + i] =
          tile_cut(v->table, &v->args[i], k, v->whole_args[i], PADDING_POISON);
  return NULL;
}

// "[2, 0]" of an element's number.
static const char *index_text(Arena *arena, const Literal *whole, int64_t number) {
  char *text = arena_alloc(arena, 24 * (size_t)whole->rank + 8);
  int64_t at[MAX_RANK];
  for (uint32_t d = whole->rank; d-- > 0; number /= whole->dims[d]) at[d] = number % whole->dims[d];
  size_t used = 0;
  text[used++] = '[';
  for (uint32_t d = 0; d < whole->rank; d++)
    used += (size_t)snprintf(text + used, 24, d ? ", %lld" : "%lld", (long long)at[d]);
  text[used++] = ']';
  text[used] = 0;
  return text;
}

static const char *say(Verify *v, uint32_t result, uint32_t device, const Literal *part,
                       const TileDifference *difference) {
  if (difference->number < 0)
    return arena_printf(v->arena, "result %u on device %u has another shape", result, device);
  char got[DTYPE_TEXT_MAX], want[DTYPE_TEXT_MAX];
  dtype_format(part->dtype, difference->got, got, sizeof got);
  dtype_format(part->dtype, difference->want, want, sizeof want);
  return arena_printf(v->arena,
                      "result %u, element %s on device %u: %s instead of %s (%lld of the %lld "
                      "elements there differ)",
                      result, index_text(v->arena, v->whole_results[result], difference->number),
                      device, got, want, (long long)difference->count, (long long)part->count);
}

static void compare_part(Verify *v, uint32_t result, uint32_t device, Verified *out) {
  const Edge *edge = &v->results[result];
  Literal *part = v->results_of[(size_t)device * v->n_results + result];
  if (part->kind != LITERAL_ARRAY) return;
  Literal *reduced = NULL;
  if (sharding_info(v->table, edge->sharding)->unreduced.n) {
    Literal **parts = ARENA_ARRAY(v->arena, Literal *, v->n_devices);
    for (uint32_t k = 0; k < v->n_devices; k++)
      parts[k] = v->results_of[(size_t)k * v->n_results + result];
    reduced = tile_reduce(v->table, edge, device, v->n_devices, parts, v->arena);
    if (!reduced) return;
    part = reduced;
  }
  double tolerance = v->tolerances[result];
  if (tolerance > 0 && v->options->tolerance > 0) tolerance = v->options->tolerance;
  TileDifference d;
  tile_compare(v->table, edge, device, part, v->whole_results[result], tolerance, v->slack[result],
               &d);
  if (tolerance > out->tolerance) out->tolerance = tolerance;
  if (d.worst > out->worst) out->worst = d.worst;
  if (d.count && out->agree) {
    out->agree = false;
    out->where = say(v, result, device, part, &d);
  }
  literal_release(reduced);
}

// NaN agrees with NaN: a comparison of many says little.
static void count_finite(Literal *whole, Verified *out) {
  if (whole->kind != LITERAL_ARRAY) return;
  bool complex = dtype_kind(whole->dtype) == KIND_COMPLEX;
  if (!complex && dtype_kind(whole->dtype) != KIND_FLOAT) return;
  out->n_floats += (uint64_t)whole->count;
  for (int64_t i = 0; i < whole->count; i++)
    if (!isfinite(literal_get(whole, i).f) || (complex && !isfinite(literal_get(whole, i).im)))
      out->not_finite++;
}

// Manual computations mean something on their mesh only: then every device has the whole program
// and whole arguments, and the first one's results count.
static bool has_manual(const Program *p) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_attr(p, o, "manual_axes")) return true;
  return false;
}

static Status *run_whole(Verify *v, OpId function, EvalOptions *options, EvalReport *report) {
  uint32_t n = has_manual(v->global) ? v->n_devices : 1;
  Literal **args = ARENA_ARRAY(v->arena, Literal *, (size_t)n * v->n_args + 1);
  Literal **results = ARENA_ARRAY(v->arena, Literal *, (size_t)n * v->n_results + 1);
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < v->n_args; i++) args[(size_t)k * v->n_args + i] = v->whole_args[i];
  options->partitions = n;
  TRY(evaluate(v->global, function, options, &v->heap, v->arena, n * v->n_args, args,
               n * v->n_results, results, report));
  for (uint32_t i = 0; i < v->n_results; i++) v->whole_results[i] = results[i];
  return NULL;
}

// ---- rounding ----

// In how many other brackets the whole program's sums are put, and how many times as far as that
// moves an element devices may.
enum { BRACKETS = 4 };
static const double times_moved = 8;

// What the change made of each element of a result, as far as that is more than before.
static void add_slack(const Literal *a, const Literal *b, double *slack) {
  if (!slack || !literal_same_shape(a, b)) return;
  bool complex = dtype_is_complex(a->dtype);
  for (int64_t i = 0; i < a->count; i++) {
    Scalar x = literal_get(a, i), y = literal_get(b, i);
    double d = fabs(x.f - y.f) / (1 + fabs(y.f));
    if (complex) d = fmax(d, fabs(x.im - y.im) / (1 + fabs(y.im)));
    if (isfinite(d) && times_moved * d > slack[i]) slack[i] = times_moved * d;
  }
}

// Are the differences such as other brackets make in the whole program, too? Element by element:
// what is stable must agree, and sums that are exact are.
static Status *allow_rounding(Verify *v, OpId whole, EvalOptions *options, Verified *out) {
  Literal **results = v->whole_results;
  for (uint32_t i = 0; i < v->n_results; i++) {
    bool floats = results[i]->kind == LITERAL_ARRAY &&
                  (dtype_is_float(results[i]->dtype) || dtype_is_complex(results[i]->dtype));
    if (floats) v->slack[i] = ARENA_ARRAY(v->arena, double, (size_t)results[i]->count + 1);
  }
  v->whole_results = ARENA_ARRAY(v->arena, Literal *, v->n_results + 1);
  for (options->brackets = 1; options->brackets <= BRACKETS; options->brackets++) {
    EvalReport report;
    TRY(run_whole(v, whole, options, &report));
    for (uint32_t i = 0; i < v->n_results; i++) {
      add_slack(v->whole_results[i], results[i], v->slack[i]);
      literal_release(v->whole_results[i]);
    }
  }
  v->whole_results = results;
  Verified again = {.agree = true};
  for (uint32_t i = 0; i < v->n_results; i++)
    for (uint32_t k = 0; k < v->n_devices; k++) compare_part(v, i, k, &again);
  if (!again.agree) return NULL;
  out->agree = out->rounded = true;
  out->where = NULL;
  return NULL;
}

// Both programs' arguments and results are alive when they are compared.
static Status *check_memory(Verify *v, OpId whole, OpId part) {
  EvalNeed all, need;
  evaluate_need(v->global, whole, 1, &all);
  evaluate_need(v->local, part, v->n_devices, &need);
  evaluate_need_add(&all.result_bytes, need.result_bytes, 1);
  all.process_bytes = need.process_bytes;
  all.n_processes = v->n_devices;
  for (uint32_t i = 0; i < v->n_args; i++)
    if (v->args[i].sharding)
      evaluate_need_add(&all.argument_bytes,
                        evaluate_type_bytes(v->context, evaluate_argument_type(v->local, part, i)),
                        v->n_devices);
  return evaluate_check_need(&all, v->options->most_bytes, "--memory");
}

static Status *run(Verify *v, Verified *out) {
  OpId whole, part;
  TRY(evaluate_entry(v->global, v->options->entry, &whole));
  TRY(evaluate_entry(v->local, v->options->entry, &part));
  TRY(tiles_edges(v->local, part, false, v->table, v->arena, &v->n_args, &v->args));
  TRY(tiles_edges(v->local, part, true, v->table, v->arena, &v->n_results, &v->results));
  TRY(check_memory(v, whole, part));
  v->tolerances = verify_tolerances(v->global, whole, v->arena);
  size_t n = v->n_devices;
  if (n * v->n_args > UINT32_MAX || n * v->n_results > UINT32_MAX)
    FAIL(RESOURCE_EXHAUSTED, "%u devices have too many arguments or results in all", v->n_devices);
  v->whole_args = ARENA_ARRAY(v->arena, Literal *, v->n_args + 1);
  v->whole_results = ARENA_ARRAY(v->arena, Literal *, v->n_results + 1);
  v->args_of = ARENA_ARRAY(v->arena, Literal *, n * v->n_args + 1);
  v->results_of = ARENA_ARRAY(v->arena, Literal *, n * v->n_results + 1);
  v->slack = ARENA_ARRAY(v->arena, double *, v->n_results + 1);
  TRY(make_arguments(v));
  EvalOptions options = {.seed = v->options->seed,
                         .most_steps = v->options->most_steps,
                         .scatter = v->options->scatter};
  EvalReport said_whole, said;
  TRY(run_whole(v, whole, &options, &said_whole));
  options.partitions = v->n_devices;
  // What the partitioner gets wrong must not run for ever.
  options.most_steps = (said_whole.steps + 1000) * MOST_STEPS_PER_STEP * v->n_devices;
  Status *status = evaluate(v->local, part, &options, &v->heap, v->arena, (uint32_t)n * v->n_args,
                            v->args_of, (uint32_t)n * v->n_results, v->results_of, &said);
  bool endless = said.steps >= options.most_steps;
  if (status && status_code(status) == RESOURCE_EXHAUSTED && !endless) return status;
  *out = (Verified){.n_devices = v->n_devices, .n_results = v->n_results, .agree = true};
  if (status) {  // the whole one ran
    out->agree = false;
    out->where = arena_printf(v->arena, "it does not run: %s", status_message(status));
    status_free(status);
    return NULL;
  }
  for (uint32_t i = 0; i < v->n_results; i++) {
    count_finite(v->whole_results[i], out);
    for (uint32_t k = 0; k < v->n_devices; k++) compare_part(v, i, k, out);
  }
  options.most_steps = v->options->most_steps;
  if (!out->agree && v->options->tolerance == 0) TRY(allow_rounding(v, whole, &options, out));
  if (out->agree && said.failed_checks && !said_whole.failed_checks) {
    out->agree = false;
    out->where = said.n_messages ? said.messages[0] : "a check fails that holds in the whole";
  }
  return NULL;
}

Status *verify_partition(Program *global, Program *local, ShardingTable *table, MeshId mesh,
                         const VerifyOptions *options, Guard *guard, Arena *arena, Verified *out) {
  const Mesh *devices = sharding_mesh(table, mesh);
  Verify v = {.global = global,
              .local = local,
              .table = table,
              .context = local->context,
              .options = options,
              .arena = arena,
              .n_devices = devices ? devices->n_devices : 1};
  literal_heap_init(&v.heap, guard, options->most_bytes);
  GuardCleanup cleanup = {release, &v.heap, NULL};
  guard_push(guard, &cleanup);
  Status *status = single_device_ids(global, guard, NULL);
  if (!status) status = run(&v, out);
  guard_pop(guard, &cleanup);
  literal_heap_deinit(&v.heap);
  return status;
}
