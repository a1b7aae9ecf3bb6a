// gradcheck FILE [FILE2 | --adamw FILE2]: checks the gradients and the optimizer of a training step
// that gen has written.
//
// FILE is a step (params, m, v, step, batch) -> (params, m, v, step, loss) with names, in f64. It
// is evaluated once on random data. The new first moment is 0.9 m + 0.1 g, which gives the gradient
// g. For every parameter, finite differences of the loss along a random direction d must agree with
// g·d. Adam is computed here once more and compared.
//
// --adamw FILE2: the same step with AdamW, which must give what AdamW does with those gradients.
// FILE2: another form of the same model, whose results must agree. Data depend on names and indices
// only; a stacked parameter layer_[0:4:2] has the rows layer_0 and layer_2.
//
// Prints the largest errors; exits 1 if one is too large. 4 to 12 evaluations per parameter.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "evaluate/evaluate.h"
#include "ops/infer.h"
#include "parse/parse.h"

static const double DECAY1 = 0.9, DECAY2 = 0.999, RATE = 1e-3, EPSILON = 1e-8;
static const double SHRINK = 0.1, NORM = 1;  // of AdamW
static const double GRAD_BOUND = 1e-6;       // relative
static const double SAME_BOUND = 1e-11;

typedef struct Step {
  const char *path;
  char *text;
  Source source;
  Context *context;
  Diag diag;
  Program *program;
  OpId function;
  uint32_t n_args, n_results, n_params;
  Literal **args, **results;
} Step;

typedef struct Job {
  int n_files;
  char **files;
  Arena arena;
  LiteralHeap heap;
  Step steps[2];
  bool adamw, good;
} Job;

// ---- names and data ----

static const char *info_of(const Step *s, const char *list, const char *key, uint32_t i) {
  Attr dicts = op_attr(s->program, s->function, list);
  if (attr_info(s->context, dicts)->kind != ATTR_ARRAY) return "";
  Name name =
      attr_as_name(s->context, attr_get(s->context, attr_info(s->context, dicts)->items[i], key));
  return name ? name_text(s->context, name) : "";
}

static const char *arg_name(const Step *s, uint32_t i) {
  return info_of(s, "arg_attrs", "jax.arg_info", i);
}

static const char *result_name(const Step *s, uint32_t i) {
  return info_of(s, "res_attrs", "jax.result_info", i);
}

// The number of named pieces of a value: the rows of a stacked parameter, else 1.
static int64_t n_pieces(const char *name, const Literal *l) {
  return strchr(name, '[') ? l->dims[0] : 1;
}

// "params.layer_[1:9:2].x", 3 -> "params.layer_7.x"
static const char *piece_name(Arena *arena, const char *name, int64_t row) {
  const char *open = strchr(name, '[');
  if (!open) return name;
  const char *close = strchr(open, ']'), *colon = strchr(open, ':');
  const char *second = colon ? strchr(colon + 1, ':') : NULL;
  if (!close || !colon) return name;
  long long first = strtoll(open + 1, NULL, 10);
  long long by = second && second < close ? strtoll(second + 1, NULL, 10) : 1;
  return arena_printf(arena, "%.*s%lld%s", (int)(open - name), name, first + by * (long long)row,
                      close + 1);
}

static uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

static uint64_t hash_name(const char *name) {
  uint64_t h = 0;
  for (; *name; name++) h = mix(h + (unsigned char)*name);
  return h;
}

static double noise(uint64_t key, int64_t i) {
  return (double)(mix(key + (uint64_t)i) >> 11) * 0x1p-52 - 1;
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && strcmp(text + n - k, end) == 0;
}

// A random element: scales are about 1, second moments positive, integers 0 … 7.
static Scalar element(const char *name, DType dtype, uint64_t key, int64_t i) {
  if (dtype_kind(dtype) != KIND_FLOAT) return scalar_i((int64_t)(mix(key + (uint64_t)i) % 8));
  double x = noise(key, i);
  if (strncmp(name, "v.", 2) == 0) return scalar_f(0.5 + 0.4 * x);
  return scalar_f(ends_with(name, "scale") ? 1 + 0.4 * x : 0.7 * x);
}

static void fill(Job *job, const char *name, Literal *l) {
  int64_t rows = n_pieces(name, l), each = rows ? l->count / rows : 0;
  for (int64_t r = 0; r < rows; r++) {
    const char *piece = piece_name(&job->arena, name, r);
    uint64_t key = hash_name(piece);
    for (int64_t i = 0; i < each; i++)
      literal_set(l, r * each + i, element(piece, l->dtype, key, i));
  }
}

// ---- loading and running ----

static Status *load(Job *job, Guard *guard, Step *s, const char *path) {
  size_t bytes;
  s->path = path;
  TRY(file_read(path, FILE_MOST_TEXT, &s->text, &bytes));
  s->source = (Source){.path = path, .text = s->text, .size = bytes};
  diag_init(&s->diag, guard, &s->source);
  s->context = context_new(guard);
  TRY(program_parse(s->context, guard, &s->source, 0, bytes, &(ParseOptions){0}, &s->diag,
                    &s->program));
  if (!program_verify(s->program, &s->diag)) FAIL(INVALID_ARGUMENT, "%s is not valid", path);
  TRY(evaluate_entry(s->program, NULL, &s->function));
  s->n_args = evaluate_n_arguments(s->program, s->function);
  s->n_results = evaluate_n_results(s->program, s->function);
  s->n_params = (s->n_results - 2) / 3;
  if (s->n_results % 3 != 2 || s->n_args < 3 * s->n_params + 1 || !*arg_name(s, 0))
    FAIL(INVALID_ARGUMENT, "%s is no training step of gen --names", path);
  s->args = ARENA_ARRAY(&job->arena, Literal *, s->n_args);
  s->results = ARENA_ARRAY(&job->arena, Literal *, s->n_results);
  for (uint32_t i = 0; i < s->n_args; i++) {
    s->args[i] = literal_new_typed(&job->heap, s->context,
                                   evaluate_argument_type(s->program, s->function, i));
    fill(job, arg_name(s, i), s->args[i]);
  }
  return NULL;
}

static Status *run_step(Job *job, Step *s, Literal **results) {
  EvalReport report;
  return evaluate(s->program, s->function, &(EvalOptions){0}, &job->heap, &job->arena, s->n_args,
                  s->args, s->n_results, results, &report);
}

static double at(const Literal *l, int64_t i) { return literal_get(l, i).f; }

// ---- the checks ----

static double gradient(const Step *s, uint32_t k, int64_t i) {
  double before = at(s->args[s->n_params + k], i), after = at(s->results[s->n_params + k], i);
  return (after - DECAY1 * before) / (1 - DECAY1);
}

// The loss with parameter k moved by `by` along its direction.
static Status *loss_at(Job *job, Step *s, uint32_t k, uint64_t key, double by, double *out) {
  Literal *own = s->args[k], *moved = literal_copy(own);
  for (int64_t i = 0; i < own->count; i++)
    literal_set(moved, i, scalar_f(at(own, i) + by * noise(key, i)));
  s->args[k] = moved;
  Literal **results = ARENA_ARRAY(&job->arena, Literal *, s->n_results);
  Status *status = run_step(job, s, results);
  s->args[k] = own;
  TRY(status);
  *out = at(results[s->n_results - 1], 0);
  for (uint32_t i = 0; i < s->n_results; i++) literal_release(results[i]);
  literal_release(moved);
  return NULL;
}

// The slope of the loss along parameter k's direction, of fourth order in h.
static Status *slope_at(Job *job, Step *s, uint32_t k, uint64_t key, double h, double *out) {
  double near[2], far[2];
  for (int side = 0; side < 2; side++) {
    TRY(loss_at(job, s, k, key, side ? h : -h, &near[side]));
    TRY(loss_at(job, s, k, key, side ? 2 * h : -2 * h, &far[side]));
  }
  *out = (8 * (near[1] - near[0]) - (far[1] - far[0])) / (12 * h);
  return NULL;
}

// A finite difference across a kink (relu, a token's choice of expert), or with too much rounding,
// proves nothing. So three step sizes are tried, and the gradient must agree with one.
static Status *check_gradient(Job *job, Step *s, uint32_t k, double *worst, double *size) {
  static const double steps[] = {1e-5, 1e-6, 1e-4};
  uint64_t key = mix(hash_name(arg_name(s, k)));
  double product = 0, best = INFINITY, slopes[3] = {0};
  for (int64_t i = 0; i < s->args[k]->count; i++) product += gradient(s, k, i) * noise(key, i);
  for (int i = 0; i < 3 && !(best <= GRAD_BOUND); i++) {
    TRY(slope_at(job, s, k, key, steps[i], &slopes[i]));
    best = fmin(best, fabs(slopes[i] - product) / (fmax(fabs(slopes[i]), fabs(product)) + 1e-3));
  }
  *worst = fmax(*worst, best);
  *size += fabs(product);
  if (best <= GRAD_BOUND) return NULL;
  printf("%s: %s: g·d = %.10g, differences say %.10g, %.10g, %.10g\n", s->path, arg_name(s, k),
         product, slopes[0], slopes[1], slopes[2]);
  job->good = false;
  return NULL;
}

static Status *check_gradients(Job *job, Step *s) {
  double worst = 0, size = 0;
  for (uint32_t k = 0; k < s->n_params; k++) {
    ArenaMark mark = arena_mark(&job->arena);
    TRY(check_gradient(job, s, k, &worst, &size));
    arena_rewind(&job->arena, mark);
  }
  if (!(size > 0)) {
    printf("%s: all gradients are zero\n", s->path);
    job->good = false;
  }
  printf("%s: %u gradients, largest error %.1e\n", s->path, s->n_params, worst);
  return NULL;
}

// Compares step s with Adam or AdamW, computed here from the gradients of step t. For AdamW t is
// the step with Adam, since s clips its gradients.
static void check_adam(Job *job, const Step *s, const Step *t, bool adamw) {
  double worst = 0, step = (double)literal_get(s->args[3 * s->n_params], 0).i + 1, squares = 0;
  double correct1 = 1 - pow(DECAY1, step), correct2 = 1 - pow(DECAY2, step);
  for (uint32_t k = 0; k < s->n_params; k++)
    for (int64_t i = 0; i < s->args[k]->count; i++) squares += pow(gradient(t, k, i), 2);
  double factor = adamw && squares > NORM * NORM ? NORM / sqrt(squares) : 1;
  for (uint32_t k = 0; k < s->n_params; k++)
    for (int64_t i = 0; i < s->args[k]->count; i++) {
      double g = factor * gradient(t, k, i), before = at(s->args[k], i);
      double m = DECAY1 * at(s->args[s->n_params + k], i) + (1 - DECAY1) * g;
      double v = DECAY2 * at(s->args[2 * s->n_params + k], i) + (1 - DECAY2) * g * g;
      double change = (m / correct1) / (sqrt(v / correct2) + EPSILON) + adamw * SHRINK * before;
      worst = fmax(worst, fabs(m - at(s->results[s->n_params + k], i)));
      worst = fmax(worst, fabs(v - at(s->results[2 * s->n_params + k], i)));
      worst = fmax(worst, fabs(before - RATE * change - at(s->results[k], i)));
    }
  double next = (double)literal_get(s->results[3 * s->n_params], 0).i;
  printf("%s: %s, norm of the gradients %.3g, largest error %.1e\n", s->path,
         adamw ? "AdamW" : "Adam", sqrt(squares), worst);
  if (worst <= SAME_BOUND && next == step) return;
  printf("%s: off by %.3g, step %g\n", s->path, worst, next);
  job->good = false;
}

typedef struct Piece {
  const char *name;
  const Literal *literal;
  int64_t first, count;
} Piece;

static Piece *list_pieces(Job *job, const Step *s, uint32_t *out_count) {
  VEC(Piece) list = {0};
  for (uint32_t k = 0; k < s->n_results; k++) {
    const Literal *l = s->results[k];
    int64_t rows = n_pieces(result_name(s, k), l), each = rows ? l->count / rows : 0;
    for (int64_t r = 0; r < rows; r++) {
      Piece piece = {piece_name(&job->arena, result_name(s, k), r), l, r * each, each};
      VEC_PUSH(&job->arena, &list, piece);
    }
  }
  *out_count = list.count;
  return list.items;
}

static double number_at(const Literal *l, int64_t i) {
  return dtype_kind(l->dtype) == KIND_FLOAT ? literal_get(l, i).f : (double)literal_get(l, i).i;
}

static void check_same(Job *job, const Step *s, const Step *t) {
  uint32_t n, m, found = 0;
  const Piece *a = list_pieces(job, s, &n), *b = list_pieces(job, t, &m);
  double worst = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < m; k++) {
      if (strcmp(a[i].name, b[k].name) != 0 || a[i].count != b[k].count) continue;
      found++;
      for (int64_t e = 0; e < a[i].count; e++) {
        double x = number_at(a[i].literal, a[i].first + e);
        double y = number_at(b[k].literal, b[k].first + e);
        double error = fabs(x - y) / (1 + fabs(x));
        if (!(error <= worst)) worst = error;  // keeps NaN
      }
    }
  printf("%s, %s: %u results, largest difference %.1e\n", s->path, t->path, found, worst);
  if (found == n && n == m && worst <= SAME_BOUND) return;
  printf("%u and %u results, %u of them matched\n", n, m, found);
  job->good = false;
}

static Status *check(Guard *guard, void *arg) {
  Job *job = arg;
  arena_init(&job->arena, guard);
  literal_heap_init(&job->heap, guard, 0);
  for (int i = 0; i < job->n_files; i++) {
    Step *s = &job->steps[i];
    TRY(load(job, guard, s, job->files[i]));
    TRY(run_step(job, s, s->results));
    printf("%s: loss %.10g\n", s->path, at(s->results[s->n_results - 1], 0));
    bool other = i == 1 && job->adamw;
    if (other && s->n_results != job->steps[0].n_results)
      FAIL(INVALID_ARGUMENT, "%s and %s are not the same step", job->files[0], job->files[1]);
    check_adam(job, s, other ? &job->steps[0] : s, other);
  }
  if (job->n_files == 2 && !job->adamw) check_same(job, &job->steps[0], &job->steps[1]);
  // Steps that agree have the same gradients: one is checked.
  if (!job->adamw) TRY(check_gradients(job, &job->steps[0]));
  return NULL;
}

int main(int argc, char **argv) {
  bool adamw = argc == 4 && strcmp(argv[2], "--adamw") == 0;
  if (argc < 2 || (argc > 3 && !adamw) || argv[1][0] == '-') {
    printf("usage: gradcheck FILE [FILE2 | --adamw FILE2]\n"
           "  gen --model gpt --dtype f64 --names … > a.mlir; gradcheck a.mlir\n"
           "  gen … --loop > b.mlir; gradcheck a.mlir b.mlir\n"
           "  gen … --adamw > c.mlir; gradcheck a.mlir --adamw c.mlir\n");
    return 2;
  }
  char *files[] = {argv[1], argc > 2 ? argv[argc - 1] : NULL};
  Job job = {.n_files = argc > 2 ? 2 : 1, .files = files, .adamw = adamw, .good = true};
  Status *status = guard_run(check, &job);
  if (status) fprintf(stderr, "gradcheck: %s\n", status_message(status));
  int code = status ? 2 : job.good ? 0 : 1;
  status_free(status);
  literal_heap_deinit(&job.heap);
  for (int i = 0; i < job.n_files; i++) {
    program_free(job.steps[i].program);
    context_free(job.steps[i].context);
    if (job.steps[i].diag.source) diag_deinit(&job.steps[i].diag);
    mem_free(job.steps[i].text);
  }
  arena_deinit(&job.arena);
  return code;
}
