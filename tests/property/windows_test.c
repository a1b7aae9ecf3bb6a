// Windows that lie across the borders of tiles and beyond the end of the whole: random
// select_and_scatter ops whose operands have NaN, and random scatter ops by both rules
// (ScatterRule), cut over random axes and compared exactly with the op on one device, with poisoned
// padding. TESSERA_SEED gives others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "parse/parse.h"
#include "partition/partition.h"
#include "pipeline/partition.h"
#include "pipeline/verify_partition.h"

#include "../support/random_program.h"

enum { CASES = 600, MOST_DIMS = 3 };

typedef struct Windows {
  Dice *dice;
  ScatterRule rule;
  uint64_t seed;
  char text[8192];
  size_t used;
  char why[512];  // "" if both agree
  bool cut;       // the local program is another one
} Windows;

static void put(Windows *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void put(Windows *w, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, fmt, args);
  va_end(args);
  assert_true(w->used < sizeof w->text);
}

static int64_t roll(Windows *w, int64_t from, int64_t to) {
  return from + (int64_t)dice_roll(w->dice, (uint32_t)(to - from + 1));
}

static void put_type(Windows *w, uint32_t n, const int64_t *dims, const char *elem) {
  put(w, "tensor<");
  for (uint32_t d = 0; d < n; d++) put(w, "%lldx", (long long)dims[d]);
  put(w, "%s>", elem);
}

static void put_list(Windows *w, uint32_t n, const int64_t *v) {
  for (uint32_t i = 0; i < n; i++) put(w, "%s%lld", i ? ", " : "", (long long)v[i]);
}

// An argument, perhaps cut over axes that no dimension before has.
static void put_argument(Windows *w, const char *name, uint32_t n, const int64_t *dims,
                         const char *elem) {
  static const char *const axes[] = {"\"x\"", "\"y\"", "\"x\", \"y\"", "\"y\", \"x\""};
  put(w, "%s: ", name);
  put_type(w, n, dims, elem);
  put(w, " {sdy.sharding = #sdy.sharding<@mesh, [");
  uint32_t taken = 0;
  for (uint32_t d = 0; d < n; d++) {
    uint32_t kind = dice_roll(w->dice, 6), uses = kind == 0 ? 1 : kind == 1 ? 2 : 3;
    bool cut = kind < 4 && !(taken & uses);
    if (cut) taken |= uses;
    put(w, "%s{%s}", d ? ", " : "", cut ? axes[kind] : "");
  }
  put(w, "]>}");
}

static void put_mesh(Windows *w) {
  put(w, "sdy.mesh @mesh = <[\"x\"=%d, \"y\"=%d]>\n", (int)roll(w, 2, 4), (int)roll(w, 1, 3));
}

// x / x is NaN where x is 0; selects are orderings, or not.
static void put_select_and_scatter(Windows *w) {
  static const char *const ways[] = {"GE", "GE", "LE", "GT", "LT", "NE"};
  uint32_t n = (uint32_t)roll(w, 1, MOST_DIMS);
  int64_t dims[MOST_DIMS], size[MOST_DIMS], step[MOST_DIMS], counts[MOST_DIMS], low[MOST_DIMS],
      high[MOST_DIMS];
  for (uint32_t d = 0; d < n; d++) {
    dims[d] = roll(w, 1, n == 1 ? 40 : 9);
    size[d] = roll(w, 1, n == 1 ? 20 : 4);
    step[d] = roll(w, 1, 4);
    low[d] = roll(w, -1, 3);
    high[d] = roll(w, -1, 3);
    int64_t padded = dims[d] + low[d] + high[d];
    if (padded < size[d]) size[d] = 1, low[d] = high[d] = 0, padded = dims[d];
    counts[d] = (padded - size[d]) / step[d] + 1;
  }
  put_mesh(w);
  put(w, "func.func @main(");
  put_argument(w, "%x", n, dims, "f32");
  put(w, ", ");
  put_argument(w, "%g", n, counts, "f32");
  put(w, ", %%i: tensor<f32>) -> ");
  put_type(w, n, dims, "f32");
  put(w, " {\n  %%one = stablehlo.divide %%x, %%x : ");
  put_type(w, n, dims, "f32");
  put(w, "\n  %%y = stablehlo.multiply %%x, %%one : ");
  put_type(w, n, dims, "f32");
  put(w, "\n  %%0 = \"stablehlo.select_and_scatter\"(%%y, %%g, %%i) <{window_dimensions = "
         "array<i64: ");
  put_list(w, n, size);
  put(w, ">, window_strides = array<i64: ");
  put_list(w, n, step);
  put(w, ">, padding = dense<[");
  for (uint32_t d = 0; d < n; d++) put(w, "%s[%d, %d]", d ? ", " : "", (int)low[d], (int)high[d]);
  put(w, "]> : tensor<%ux2xi64>}> ({\n  ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n", n);
  put(w,
      "    %%c = stablehlo.compare %s, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    stablehlo.return %%c : tensor<i1>\n  }, {\n"
      "  ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n    %%c = stablehlo.%s %%a, %%b : tensor<f32>\n"
      "    stablehlo.return %%c : tensor<f32>\n  }) : (",
      ways[dice_roll(w->dice, 6)], roll(w, 0, 3) ? "%a, %b" : "%b, %a",
      roll(w, 0, 2) ? "add" : "maximum");
  put_type(w, n, dims, "f32");
  put(w, ", ");
  put_type(w, n, counts, "f32");
  put(w, ", tensor<f32>) -> ");
  put_type(w, n, dims, "f32");
  put(w, "\n  return %%0 : ");
  put_type(w, n, dims, "f32");
  put(w, "\n}\n");
}

// Every dimension of the input has a window or is inserted; most have an index, from two windows
// before the beginning to behind the end.
static void put_scatter(Windows *w) {
  static const char *const bodies[] = {"add", "maximum", "multiply"};
  uint32_t n = (uint32_t)roll(w, 1, MOST_DIMS), n_map = 0, n_window = 0, n_inserted = 0;
  int64_t dims[MOST_DIMS], updates[MOST_DIMS + 1], map[MOST_DIMS], window[MOST_DIMS],
      inserted[MOST_DIMS], places = roll(w, 1, 9), from[MOST_DIMS], to[MOST_DIMS];
  updates[0] = places;
  for (uint32_t d = 0; d < n; d++) {
    dims[d] = roll(w, 1, n == 1 ? 24 : 8);
    int64_t size = 1;
    if (roll(w, 0, 3)) {
      size = roll(w, 1, roll(w, 0, 2) && dims[d] > 3 ? 3 : dims[d]);
      window[n_window] = n_window + 1;
      updates[++n_window] = size;
    } else {
      inserted[n_inserted++] = d;
    }
    from[n_map] = -2 * size;
    to[n_map] = dims[d] + 1;
    if (roll(w, 0, 6)) map[n_map++] = d;
  }
  bool keeps_last = !roll(w, 0, 3);
  put_mesh(w);
  put(w, "func.func @main(");
  put_argument(w, "%a", n, dims, "i32");
  put(w, ", ");
  put_argument(w, "%u", n_window + 1, updates, "i32");
  put(w, ") -> ");
  put_type(w, n, dims, "i32");
  put(w, " {\n  %%i = stablehlo.constant dense<[");
  for (int64_t k = 0; k < places; k++) {
    put(w, "%s[", k ? ", " : "");
    for (uint32_t i = 0; i < n_map; i++)
      put(w, "%s%d", i ? ", " : "", (int)roll(w, from[i], to[i]));
    put(w, "]");
  }
  put(w, "]> : tensor<%lldx%uxi32>\n", (long long)places, n_map);
  put(w, "  %%0 = \"stablehlo.scatter\"(%%a, %%i, %%u) <{scatter_dimension_numbers = "
         "#stablehlo.scatter<update_window_dims = [");
  put_list(w, n_window, window);
  put(w, "], inserted_window_dims = [");
  put_list(w, n_inserted, inserted);
  put(w, "], scatter_dims_to_operand_dims = [");
  put_list(w, n_map, map);
  put(w, "], index_vector_dim = 1>}> ({\n  ^bb0(%%p: tensor<i32>, %%q: tensor<i32>):\n");
  if (!keeps_last)
    put(w, "    %%c = stablehlo.%s %%p, %%q : tensor<i32>\n", bodies[dice_roll(w->dice, 3)]);
  put(w, "    stablehlo.return %s : tensor<i32>\n  }) : (", keeps_last ? "%q" : "%c");
  put_type(w, n, dims, "i32");
  put(w, ", tensor<%lldx%uxi32>, ", (long long)places, n_map);
  put_type(w, n_window + 1, updates, "i32");
  put(w, ") -> ");
  put_type(w, n, dims, "i32");
  put(w, "\n  return %%0 : ");
  put_type(w, n, dims, "i32");
  put(w, "\n}\n");
}

static Status *read_program(Windows *w, Context *context, Guard *guard, Diag *diag, Source *source,
                            Program **out) {
  TRY(program_parse(context, guard, source, 0, w->used, &(ParseOptions){0}, diag, out));
  return program_verify(*out, diag) ? NULL : diag_status(diag);
}

static Status *compare(Windows *w, Context *context, ShardingTable *table, Guard *guard, Diag *diag,
                       Source *source, Arena *arena, Program **global, Program **local) {
  TRY(read_program(w, context, guard, diag, source, global));
  TRY(read_program(w, context, guard, diag, source, local));
  MeshId mesh;
  TRY(partition_program(*local, table, &(PartitionOptions){.poison = true}, guard, diag, &mesh));
  if (!program_verify(*local, diag)) return diag_status(diag);
  if (w->seed % 2) TRY(pipeline_optimize(*local, table, mesh, &(LocalOptions){0}, guard, diag));
  for (OpId o = (*local)->root; o; o = op_walk_next(*local, o, (*local)->root))
    w->cut |= op_at(*local, o)->code == OP_partition_id;
  VerifyOptions options = {.seed = w->seed, .tolerance = 1e-300, .scatter = w->rule};
  Verified verified;
  TRY(verify_partition(*global, *local, table, mesh, &options, guard, arena, &verified));
  if (!verified.agree) snprintf(w->why, sizeof w->why, "%s", verified.where);
  return NULL;
}

static Status *one_case(Guard *guard, void *arg) {
  Windows *w = arg;
  Source source = {.path = "<windows>", .text = w->text, .size = w->used};
  Arena arena;
  Diag diag;
  arena_init(&arena, guard);
  diag_init(&diag, guard, &source);
  Context *context = context_new(guard);
  ShardingTable *table = sharding_table_new(context, guard);
  Program *global = NULL, *local = NULL;
  Status *status = compare(w, context, table, guard, &diag, &source, &arena, &global, &local);
  program_free(global);
  program_free(local);
  sharding_table_free(table);
  context_free(context);
  diag_deinit(&diag);
  arena_deinit(&arena);
  return status;
}

static void run_cases(uint64_t seed, void (*draw)(Windows *), ScatterRule rule) {
  Dice dice = dice_new(seed);
  Windows *w = malloc(sizeof *w);
  uint32_t cut = 0;
  for (uint32_t i = 0; i < CASES; i++) {
    *w = (Windows){.dice = &dice, .rule = rule, .seed = i};
    draw(w);
    Status *status = guard_run(one_case, w);
    if (status) snprintf(w->why, sizeof w->why, "%s", status_message(status));
    status_free(status);
    if (w->why[0])
      fail_msg("case %u (seed=%u%s): %s\n%s", i, i, rule ? ", xla" : "", w->why, w->text);
    cut += w->cut;
  }
  printf("%u cases, %u on tiles\n", CASES, cut);
  assert_true(cut > CASES / 4);
  free(w);
}

static void test_select_and_scatter(void **state) {
  (void)state;
  run_cases(7101, put_select_and_scatter, SCATTER_SPEC);
}

static void test_scatter_spec(void **state) {
  (void)state;
  run_cases(7102, put_scatter, SCATTER_SPEC);
}

static void test_scatter_xla(void **state) {
  (void)state;
  run_cases(7102, put_scatter, SCATTER_XLA);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_select_and_scatter),
                                     cmocka_unit_test(test_scatter_spec),
                                     cmocka_unit_test(test_scatter_xla)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
