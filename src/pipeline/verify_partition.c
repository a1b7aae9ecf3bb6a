// Problem. Does the local program compute the same as the global program, on every device?
//
// Idea. Evaluate both on the same arguments: the global program on one device, the local program on
// all, with arguments sharded by its attributes and padding poisoned. Compare each device's shard
// with the global result.
//
// Invariant. Results are not joined before they are compared, so that replicas which differ are
// found. Rounding is no excuse by itself: a difference beyond the tolerance counts, unless
// reassociating the sums of the global program moves the same element as far.
//
// Cost. Evaluates both programs; after a difference, the global program 4 times more.
#include "pipeline/verify_partition.h"

#include <math.h>
#include <stdio.h>

#include "evaluate/evaluate.h"
#include "partition/single_device.h"
#include "partition/tiles.h"
#include "pipeline/engine.h"
#include "pipeline/verify_tolerance.h"

// Bound on the ops that a local program executes per op of the global program: with collectives and
// offsets.
enum { MOST_STEPS_PER_GLOBAL_STEP = 1000 };

typedef struct Verify {
  Program *global, *local;
  ShardingTable *table;
  Context *context;
  const VerifyOptions *options;
  LiteralHeap heap;
  Arena *arena;
  Guard *guard;
  uint32_t n_devices, n_args, n_results;
  const Edge *args, *results;
  const double *tolerances;                 // per result
  Literal **global_args, **global_results;  // of the global program
  Literal **local_args, **local_results;    // of the local program, device by device
  double **slack;  // per result and element: added to the tolerance; NULL = none
} Verify;

static void release(void *object) { literal_heap_deinit(object); }

// splitmix64
static uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Random floats of -1.5 … 1.5 in halves (positive: 0 … 3), integers of 0 … 3: short sums and
// products of them are exact in any order.
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
  if (given) TRY(v->options->arguments(v->options->to, &v->heap, v->n_args, v->global_args));
  for (uint32_t i = 0; i < v->n_args && !given; i++) {
    Type type = v->args[i].global;
    const TypeInfo *info = type_info(v->context, type);
    if (info->kind == TYPE_TOKEN) {
      v->global_args[i] = literal_token(&v->heap);
    } else if (info->kind == TYPE_TENSOR && type_is_static(v->context, type)) {
      v->global_args[i] = literal_new_typed(&v->heap, v->context, type);
      fill(v->global_args[i], v->options, i);
    } else {
      FAIL(UNIMPLEMENTED, "argument %u is %s: random data are made for tensors of known sizes only",
           i, type_text(v->context, type));
    }
  }
  for (uint32_t i = 0; i < v->n_args; i++)
    for (uint32_t k = 0; k < v->n_devices; k++)
      v->local_args[(size_t)k * v->n_args + i] =
          tile_shard(v->table, &v->args[i], k, v->global_args[i], PADDING_POISON);
  return NULL;
}

// "[2, 0]": the index of an element from its row-major number.
static const char *index_text(Arena *arena, const Literal *global, int64_t number) {
  char *text = arena_alloc(arena, 24 * (size_t)global->rank + 8);
  int64_t at[MAX_RANK];
  for (uint32_t d = global->rank; d-- > 0; number /= global->dims[d])
    at[d] = number % global->dims[d];
  size_t used = 0;
  text[used++] = '[';
  for (uint32_t d = 0; d < global->rank; d++)
    used += (size_t)snprintf(text + used, 24, d ? ", %lld" : "%lld", (long long)at[d]);
  text[used++] = ']';
  text[used] = 0;
  return text;
}

static const char *difference_text(Verify *v, uint32_t result, uint32_t device,
                                   const Literal *shard, const TileDifference *difference) {
  if (difference->number < 0)
    return arena_printf(v->arena, "result %u on device %u has another shape", result, device);
  char got[DTYPE_TEXT_MAX], want[DTYPE_TEXT_MAX];
  dtype_format(shard->dtype, difference->got, got, sizeof got);
  dtype_format(shard->dtype, difference->want, want, sizeof want);
  return arena_printf(v->arena,
                      "result %u, element %s on device %u: %s instead of %s (%lld of the %lld "
                      "elements there differ)",
                      result, index_text(v->arena, v->global_results[result], difference->number),
                      device, got, want, (long long)difference->count, (long long)shard->count);
}

// Compares one device's shard of a result. Of an unreduced result the first device of each group
// has the sum.
static void compare_shard(Verify *v, uint32_t result, uint32_t device, Verified *out) {
  const Edge *edge = &v->results[result];
  Literal *shard = v->local_results[(size_t)device * v->n_results + result];
  if (shard->kind != LITERAL_ARRAY) return;
  Literal *reduced = NULL;
  if (sharding_info(v->table, edge->sharding)->unreduced.n) {
    Literal **shards = ARENA_ARRAY(v->arena, Literal *, v->n_devices);
    for (uint32_t k = 0; k < v->n_devices; k++)
      shards[k] = v->local_results[(size_t)k * v->n_results + result];
    reduced = tile_reduce(v->table, edge, device, v->n_devices, shards, v->arena);
    if (!reduced) return;
    shard = reduced;
  }
  double tolerance = v->tolerances[result];
  if (tolerance > 0 && v->options->tolerance > 0) tolerance = v->options->tolerance;
  TileDifference d;
  tile_compare(v->table, edge, device, shard, v->global_results[result], tolerance,
               v->slack[result], &d);
  if (tolerance > out->tolerance) out->tolerance = tolerance;
  if (d.worst > out->worst) out->worst = d.worst;
  if (d.count && out->agree) {
    out->agree = false;
    out->where = difference_text(v, result, device, shard, &d);
  }
  literal_release(reduced);
}

// Counts NaN and infinite elements: NaN agrees with NaN, so a comparison of many NaNs proves
// little.
static void count_finite(Literal *global, Verified *out) {
  if (global->kind != LITERAL_ARRAY) return;
  bool complex = dtype_kind(global->dtype) == KIND_COMPLEX;
  if (!complex && dtype_kind(global->dtype) != KIND_FLOAT) return;
  out->n_floats += (uint64_t)global->count;
  for (int64_t i = 0; i < global->count; i++)
    if (!isfinite(literal_get(global, i).f) || (complex && !isfinite(literal_get(global, i).im)))
      out->not_finite++;
}

// Manual computations need their mesh: then the global program runs on every device with replicated
// arguments, and the results of the first device count.
static bool has_manual(const Program *p) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_attr(p, o, "manual_axes")) return true;
  return false;
}

// Both programs run by the same engine: ops that are rounded in one way then agree exactly. The
// compiled engine counts no steps, so that a loop without end is not found.
static Status *run_program(Verify *v, Program *program, OpId function, const EvalOptions *options,
                           uint32_t n_args, Literal *const *args, uint32_t n_out, Literal **out,
                           EvalReport *report) {
  EngineRequest request = {.engine = v->options->compiled ? ENGINE_COMPILED : ENGINE_EVAL,
                           .options = {.eval = *options}};
  if (v->options->compiled) request.options.eval.most_steps = 0;
  EngineReport engine;
  Status *status = engine_run(program, function, &request, v->guard, &v->heap, v->arena, n_args,
                              args, n_out, out, &engine);
  *report = engine.eval;
  return status;
}

static Status *run_global(Verify *v, OpId function, EvalOptions *options, EvalReport *report) {
  uint32_t n = has_manual(v->global) ? v->n_devices : 1;
  Literal **args = ARENA_ARRAY(v->arena, Literal *, (size_t)n * v->n_args + 1);
  Literal **results = ARENA_ARRAY(v->arena, Literal *, (size_t)n * v->n_results + 1);
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < v->n_args; i++) args[(size_t)k * v->n_args + i] = v->global_args[i];
  options->partitions = n;
  TRY(run_program(v, v->global, function, options, n * v->n_args, args, n * v->n_results, results,
                  report));
  for (uint32_t i = 0; i < v->n_results; i++) v->global_results[i] = results[i];
  return NULL;
}

// ---- rounding ----

// The number of reassociations of the global program's sums that are tried. Devices may differ by
// times_moved times the distance that these move an element.
enum { REASSOCIATIONS = 4 };
static const double times_moved = 8;

// Raises the slack of each element to what one reassociation allows.
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

// Does rounding explain the differences? Evaluates the global program with reassociated sums, and
// compares again with the slack of each element. Elements that reassociation does not move, such as
// exact sums, get none.
static Status *allow_rounding(Verify *v, OpId global_entry, EvalOptions *options, Verified *out) {
  Literal **results = v->global_results;
  for (uint32_t i = 0; i < v->n_results; i++) {
    bool floats = results[i]->kind == LITERAL_ARRAY &&
                  (dtype_is_float(results[i]->dtype) || dtype_is_complex(results[i]->dtype));
    if (floats) v->slack[i] = ARENA_ARRAY(v->arena, double, (size_t)results[i]->count + 1);
  }
  v->global_results = ARENA_ARRAY(v->arena, Literal *, v->n_results + 1);
  for (options->reassociation = 1; options->reassociation <= REASSOCIATIONS;
       options->reassociation++) {
    EvalReport report;
    TRY(run_global(v, global_entry, options, &report));
    for (uint32_t i = 0; i < v->n_results; i++) {
      add_slack(v->global_results[i], results[i], v->slack[i]);
      literal_release(v->global_results[i]);
    }
  }
  v->global_results = results;
  Verified again = {.agree = true};
  for (uint32_t i = 0; i < v->n_results; i++)
    for (uint32_t k = 0; k < v->n_devices; k++) compare_shard(v, i, k, &again);
  if (!again.agree) return NULL;
  out->agree = out->rounded = true;
  out->where = NULL;
  return NULL;
}

// RESOURCE_EXHAUSTED if both programs' arguments and results, which are alive together when they
// are compared, exceed the limit.
static Status *check_memory(Verify *v, OpId global_entry, OpId local_entry) {
  EvalNeed all, need;
  evaluate_need(v->global, global_entry, 1, &all);
  evaluate_need(v->local, local_entry, v->n_devices, &need);
  evaluate_need_add(&all.result_bytes, need.result_bytes, 1);
  all.process_bytes = need.process_bytes;
  all.n_processes = v->n_devices;
  for (uint32_t i = 0; i < v->n_args; i++)
    if (v->args[i].sharding)
      evaluate_need_add(
          &all.argument_bytes,
          evaluate_type_bytes(v->context, evaluate_argument_type(v->local, local_entry, i)),
          v->n_devices);
  return evaluate_check_need(&all, v->options->most_bytes, "--memory");
}

static Status *run(Verify *v, Verified *out) {
  OpId global_entry, local_entry;
  TRY(evaluate_entry(v->global, v->options->entry, &global_entry));
  TRY(evaluate_entry(v->local, v->options->entry, &local_entry));
  TRY(tiles_edges(v->local, local_entry, false, v->table, v->arena, &v->n_args, &v->args));
  TRY(tiles_edges(v->local, local_entry, true, v->table, v->arena, &v->n_results, &v->results));
  TRY(check_memory(v, global_entry, local_entry));
  v->tolerances = verify_tolerances(v->global, global_entry, v->arena);
  size_t n = v->n_devices;
  if (n * v->n_args > UINT32_MAX || n * v->n_results > UINT32_MAX)
    FAIL(RESOURCE_EXHAUSTED, "%u devices have too many arguments or results in all", v->n_devices);
  v->global_args = ARENA_ARRAY(v->arena, Literal *, v->n_args + 1);
  v->global_results = ARENA_ARRAY(v->arena, Literal *, v->n_results + 1);
  v->local_args = ARENA_ARRAY(v->arena, Literal *, n * v->n_args + 1);
  v->local_results = ARENA_ARRAY(v->arena, Literal *, n * v->n_results + 1);
  v->slack = ARENA_ARRAY(v->arena, double *, v->n_results + 1);
  TRY(make_arguments(v));
  EvalOptions options = {.seed = v->options->seed,
                         .most_steps = v->options->most_steps,
                         .scatter = v->options->scatter};
  EvalReport global_report, local_report;
  TRY(run_global(v, global_entry, &options, &global_report));
  options.partitions = v->n_devices;
  // A loop that the partitioner got wrong must end.
  options.most_steps = (global_report.steps + 1000) * MOST_STEPS_PER_GLOBAL_STEP * v->n_devices;
  Status *status =
      run_program(v, v->local, local_entry, &options, (uint32_t)n * v->n_args, v->local_args,
                  (uint32_t)n * v->n_results, v->local_results, &local_report);
  bool endless = local_report.steps >= options.most_steps;
  if (status && status_code(status) == RESOURCE_EXHAUSTED && !endless) return status;
  *out = (Verified){.n_devices = v->n_devices, .n_results = v->n_results, .agree = true};
  if (status) {  // the global program ran
    out->agree = false;
    out->where = arena_printf(v->arena, "it does not run: %s", status_message(status));
    status_free(status);
    return NULL;
  }
  for (uint32_t i = 0; i < v->n_results; i++) {
    count_finite(v->global_results[i], out);
    for (uint32_t k = 0; k < v->n_devices; k++) compare_shard(v, i, k, out);
  }
  options.most_steps = v->options->most_steps;
  if (!out->agree && v->options->tolerance == 0)
    TRY(allow_rounding(v, global_entry, &options, out));
  if (out->agree && local_report.failed_checks && !global_report.failed_checks) {
    out->agree = false;
    out->where = local_report.n_messages ? local_report.messages[0]
                                         : "a check fails that holds in the global program";
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
              .guard = guard,
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
