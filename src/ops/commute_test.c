// The proof of commutes.def, on random instances of every op with a row: unreduced operands are
// replaced by partial values that reduce to them. The op on the partial values gives results that
// must reduce to the op's result. Floats are small multiples of a half, so that sums are exact.
// TESSERA_SEED gives other instances; TESSERA_VERBOSE=1 prints what was tested.
#include "ops/commute.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "ops/infer.h"
#include "ops/world_fixture.h"
#include "parse/parse.h"

enum { INSTANCES = 60, MOST_PARTS = 3, MOST_OPERANDS = 6 };

struct Counts {
  uint32_t commuting, other;
};

static uint64_t next(World *w) {
  w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
  return w->seed >> 33;
}

// Can the reducer combine elements of this type, and exactly?
static bool fits(const World *w, const Literal *l, Combine combine) {
  if (l->kind != LITERAL_ARRAY || type_is_quant(w->context, l->elem)) return false;
  if (combine >= COMBINE_AND) return dtype_is_integer(l->dtype) || l->dtype == DT_i1;
  if (dtype_is_complex(l->dtype)) return combine == COMBINE_SUM || combine == COMBINE_MUL;
  return !dtype_is_float(l->dtype) || dtype_bytes(l->dtype) >= 2;
}

// Replicated operands keep their values (they may be indices), except for floats: these become
// powers of two, so that products and quotients are exact.
static Literal *exact_whole(World *w, Literal *l) {
  if (l->kind != LITERAL_ARRAY || type_is_quant(w->context, l->elem) ||
      !(dtype_is_float(l->dtype) || dtype_is_complex(l->dtype)))
    return l;
  static const double values[] = {1, -1, 2, -2};
  Literal *out = literal_copy(l);
  for (int64_t i = 0; i < out->count; i++) literal_set(out, i, scalar_c(values[next(w) % 4], 0));
  return out;
}

static Literal *part(World *w, const Literal *l) {
  Literal *out = literal_new(&w->heap, w->context, l->elem, l->rank, l->dims);
  bool real = dtype_is_float(l->dtype) || dtype_is_complex(l->dtype);
  for (int64_t i = 0; i < out->count; i++) {
    int64_t v = (int64_t)(next(w) % 5) - 2, im = (int64_t)(next(w) % 5) - 2;
    // Integers of all sizes, so that some wrap.
    uint64_t bits = next(w) << 33 ^ next(w);
    literal_set(out, i,
                real                ? scalar_c((double)v / 2, (double)im / 2)
                : l->dtype == DT_i1 ? scalar_i(v & 1)
                : next(w) % 2       ? scalar_i(v)
                                    : dtype_from_bits(l->dtype, bits));
  }
  return out;
}

// commutes.def holds for finite values, and a constant divisor may be 0.
static bool is_finite(Literal *l) {
  bool real = l->kind == LITERAL_ARRAY && dtype_is_float(l->dtype);
  if (!real && !(l->kind == LITERAL_ARRAY && dtype_is_complex(l->dtype))) return true;
  for (int64_t i = 0; i < l->count; i++)
    if (!isfinite(literal_get(l, i).f) || (!real && !isfinite(literal_get(l, i).im))) return false;
  return true;
}

static Status *check_set(World *w, OpId function, Literal *const *given, Combine combine,
                         uint32_t set) {
  uint32_t n = op_at(w->program, w->op)->n_operands,
           n_results = op_at(w->program, w->op)->n_results;
  bool partial[MOST_OPERANDS];
  for (uint32_t i = 0; i < n; i++) {
    partial[i] = set >> i & 1;
    if (partial[i] && !fits(w, given[i], combine)) return NULL;
  }
  Combine out_combine = op_commutes(w->program, w->op, combine, partial);
  if (out_combine == COMBINE_NONE) {
    w->counts->other++;
    return NULL;
  }
  uint32_t parts = 2 + (uint32_t)next(w) % (MOST_PARTS - 1);
  Literal *in[MOST_PARTS][MOST_OPERANDS], *whole[MOST_OPERANDS];
  for (uint32_t i = 0; i < n; i++) {
    bool kept = op_reduces_to_itself(w->program, op_operand(w->program, w->op, i), combine);
    whole[i] = partial[i] ? part(w, given[i]) : kept ? given[i] : exact_whole(w, given[i]);
    in[0][i] = whole[i];
    for (uint32_t k = 1; k < parts; k++) {
      in[k][i] = partial[i] ? part(w, given[i]) : whole[i];
      if (partial[i]) TRY(combined(w, combine, whole[i], in[k][i], &whole[i]));
    }
  }
  Literal **expected = ARENA_ARRAY(&w->arena, Literal *, n_results + 1),
          **sums = ARENA_ARRAY(&w->arena, Literal *, n_results + 1),
          **out = ARENA_ARRAY(&w->arena, Literal *, n_results + 1);
  TRY(run(w, function, n, whole, n_results, expected));
  for (uint32_t k = 0; k < parts; k++) {
    TRY(run(w, function, n, in[k], n_results, out));
    for (uint32_t i = 0; i < n_results; i++) {
      if (k == 0)
        sums[i] = out[i];
      else
        TRY(combined(w, out_combine, sums[i], out[i], &sums[i]));
    }
  }
  for (uint32_t i = 0; i < n_results; i++)
    if (is_finite(expected[i]) && !equal(sums[i], expected[i]))
      return status_new(
          INTERNAL, __FILE__, __LINE__,
          "operands %#x in %u parts by %s: the parts of result %u do not combine by %s", set, parts,
          combine_name(combine), i, combine_name(out_combine));
  w->counts->commuting++;
  return NULL;
}

static Status *check_instance(World *w, OpId main_function) {
  const Op *o = op_at(w->program, w->op);
  uint32_t n = o->n_operands, n_results = o->n_results;
  if (n > MOST_OPERANDS || !op_row(w->code)->def->eval) return NULL;
  Literal **given = ARENA_ARRAY(&w->arena, Literal *, n + n_results + 1);
  TRY(run(w, main_function, 0, NULL, n + n_results, given));
  // Sums of many products are exact in formats with enough bits only.
  if (!(op_row(w->code)->traits & TRAIT_ELEMENTWISE))
    for (uint32_t i = 0; i < n + n_results; i++)
      if (dtype_is_float(given[i]->dtype) && dtype_bytes(given[i]->dtype) < 4) return NULL;
  OpId function = world_function(w);
  for (Combine combine = COMBINE_SUM; combine <= COMBINE_XOR; combine++)
    for (uint32_t set = 1; set < 1u << n; set++) TRY(check_set(w, function, given, combine, set));
  return NULL;
}

static Status *one_instance(Guard *guard, void *arg) {
  World *w = arg;
  OpId function = world_init(w, guard);
  Status *status = check_instance(w, function);
  world_deinit(w);
  return status;
}

static const uint16_t rows[] = {
#define COMMUTES(id, ...) OP_##id,
#include "ops/commutes.def"
#undef COMMUTES
};

static void test_parts(void **state) {
  (void)state;
  const char *text = getenv("TESSERA_SEED");
  uint64_t base = text ? strtoull(text, NULL, 10) : 0;
  int failures = 0;
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    Counts counts = {0};
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
      World w = {.code = rows[r], .seed = (base * INSTANCES + seed) * 1000 + r, .counts = &counts};
      Status *status = guard_run(one_instance, &w);
      if (!status) continue;
      fprintf(stderr, "%s, TESSERA_SEED=%llu, instance %llu: %s\n", op_row(rows[r])->name,
              (unsigned long long)base, (unsigned long long)seed, status_message(status));
      status_free(status);
      failures++;
      break;
    }
    if (getenv("TESSERA_VERBOSE"))
      fprintf(stderr, "%-36s %5u commute, %5u not known to\n", op_row(rows[r])->name,
              counts.commuting, counts.other);
    if (!counts.commuting) {
      fprintf(stderr, "%s: its row was never tested\n", op_row(rows[r])->name);
      failures++;
    }
  }
  assert_int_equal(failures, 0);
}

// ---- cases that must not commute ----

typedef struct TextJob {
  const char *text;
  Combine combine;
  uint32_t set, n;
  Combine out[8];  // of the ops between the first and the last, in order
} TextJob;

static Status *read_text(Guard *guard, void *arg) {
  TextJob *job = arg;
  Context *context = context_new(guard);
  Source source = {.path = "<text>", .text = job->text, .size = strlen(job->text)};
  Diag diag;
  diag_init(&diag, guard, &source);
  Program *p = NULL;
  Status *status =
      program_parse(context, guard, &source, 0, source.size, &(ParseOptions){0}, &diag, &p);
  if (!status && !program_verify(p, &diag)) status = diag_status(&diag);
  for (OpId o = status ? 0 : p->root; o; o = op_walk_next(p, o, p->root)) {
    if (!op_at(p, o)->n_results) continue;
    bool partial[8];
    for (uint32_t i = 0; i < 8; i++) partial[i] = job->set >> i & 1;
    bool joins = job->combine == COMBINE_NONE;  // tests op_binary_reducer, else op_commutes
    job->out[job->n++] = joins ? op_binary_reducer(p, o) : op_commutes(p, o, job->combine, partial);
  }
  program_free(p);
  diag_deinit(&diag);
  context_free(context);
  return status;
}

static void expect(const char *text, Combine combine, uint32_t set, uint32_t n,
                   const Combine *expected) {
  TextJob job = {.text = text, .combine = combine, .set = set};
  Status *status = guard_run(read_text, &job);
  if (status) fprintf(stderr, "%s\n", status_message(status));
  assert_null(status);
  assert_int_equal(job.n, n);
  for (uint32_t i = 0; i < n; i++) assert_int_equal(job.out[i], expected[i]);
}

static void test_known(void **state) {
  (void)state;
  const char *binary = "func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) {\n"
                       "  %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
                       "  %1 = stablehlo.multiply %a, %b : tensor<4xf32>\n"
                       "  %2 = stablehlo.maximum %a, %b : tensor<4xf32>\n"
                       "  %3 = stablehlo.subtract %b, %a : tensor<4xf32>\n"
                       "  return\n}\n";
  const Combine NONE = COMBINE_NONE, SUM = COMBINE_SUM, MAX = COMBINE_MAX, MIN = COMBINE_MIN;
  expect(binary, COMBINE_SUM, 1, 4, (Combine[]){NONE, SUM, NONE, NONE});
  expect(binary, COMBINE_SUM, 3, 4, (Combine[]){SUM, NONE, NONE, SUM});
  expect(binary, COMBINE_MAX, 1, 4, (Combine[]){MAX, NONE, MAX, MAX});
  expect(binary, COMBINE_MAX, 2, 4, (Combine[]){MAX, NONE, MAX, MIN});
  expect(binary, COMBINE_MAX, 3, 4, (Combine[]){NONE, NONE, MAX, NONE});
  expect(binary, COMBINE_ARG, 3, 4, (Combine[]){NONE, NONE, NONE, NONE});
  expect(binary, COMBINE_SUM, 0, 4, (Combine[]){NONE, NONE, NONE, NONE});
  expect(binary, COMBINE_NONE, 0, 4, (Combine[]){SUM, COMBINE_MUL, MAX, NONE});
  const char *unary = "func.func @f(%a: tensor<4xf32>, %i: tensor<4xi8>, %j: tensor<4xi32>) {\n"
                      "  %0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xbf16>\n"
                      "  %1 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf64>\n"
                      "  %2 = stablehlo.convert %i : (tensor<4xi8>) -> tensor<4xi32>\n"
                      "  %3 = stablehlo.convert %j : (tensor<4xi32>) -> tensor<4xi8>\n"
                      "  %4 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi32>\n"
                      "  return\n}\n";
  expect(unary, COMBINE_SUM, 1, 5, (Combine[]){NONE, SUM, NONE, SUM, NONE});
  expect(unary, COMBINE_MAX, 1, 5, (Combine[]){MAX, MAX, MAX, NONE, NONE});
  const char *kept = "func.func @f(%a: tensor<4xf32>, %p: tensor<4xi1>, %j: tensor<i32>) {\n"
                     "  %0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
                     "  %1 = stablehlo.constant dense<1.0> : tensor<f32>\n"
                     "  %2 = stablehlo.pad %a, %0, low = [1], high = [0], interior = [0] :\n"
                     "    (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>\n"
                     "  %3 = stablehlo.pad %a, %1, low = [1], high = [0], interior = [0] :\n"
                     "    (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>\n"
                     "  %4 = stablehlo.reduce(%a init: %0) applies stablehlo.add across\n"
                     "    dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
                     "  return\n}\n";
  expect(kept, COMBINE_SUM, 1, 6, (Combine[]){NONE, NONE, SUM, NONE, SUM, NONE});
  expect(kept, COMBINE_MAX, 1, 6, (Combine[]){NONE, NONE, MAX, MAX, NONE, MAX});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts), cmocka_unit_test(test_known)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
