// Ops that have exchanges of their own, at sizes at which these pay: random sorts (of one or more
// operands, by any comparison, ties and all), largest entries and random bits, cut over random
// meshes, with poisoned padding, against the program itself. Samples of ops are too small for them.
// TESSERA_SEED gives others, TESSERA_CASES=n more.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cost/network.h"
#include "ops/infer.h"
#include "ops/localize.h"
#include "parse/parse.h"
#include "partition/partition.h"
#include "propagate/propagate.h"
#include "propagate/write.h"
#include "pipeline/verify_partition.h"
#include "sharding/sharding_fixture.h"

enum { CASES = 60 };

typedef struct Case {
  Dice dice;
  Context *context;
  ShardingTable *table;
  Program *global, *local;
  Propagation *propagation;
  Arena arena;
  Diag diag;
  StrBuf text;
  Source source;
  bool split;  // something was
} Case;

static uint32_t roll(Case *c, uint32_t n) { return dice_roll(&c->dice, n); }

#define put(c, ...) strbuf_printf(&(c)->text, __VA_ARGS__)

typedef struct Shape {
  uint32_t rank, along;
  int64_t dims[2];
  const char *sharding;  // of values like it
} Shape;

static void put_type(Case *c, const Shape *s, const char *elem) {
  put(c, "tensor<");
  for (uint32_t d = 0; d < s->rank; d++) put(c, "%lldx", (long long)s->dims[d]);
  put(c, "%s>", elem);
}

static void put_value(Case *c, const Shape *s, const char *elem) {
  put_type(c, s, elem);
  put(c, " {sdy.sharding = #sdy.sharding<@mesh, %s>}", s->sharding);
}

// A dimension of about n tiles as long as a sort needs them, or too short, and perhaps a small one
// beside it.
static Shape shape_of(Case *c) {
  static const char *const one[] = {"[{\"x\", \"y\"}]", "[{\"y\", \"x\"}]", "[{\"x\"}]"};
  static const uint32_t meshes[][2] = {{4, 1}, {4, 2}, {8, 1}, {5, 1}, {2, 4}, {3, 2}};
  const uint32_t *mesh = meshes[roll(c, 6)];
  put(c, "sdy.mesh @mesh = <[\"x\"=%u, \"y\"=%u]>\n", mesh[0], mesh[1]);
  int64_t n = mesh[0] * mesh[1], size = n * 2 * (n - 1) * (n - 1) / (roll(c, 3) ? 1 : 8);
  Shape s = {.rank = 1, .dims = {size + (int64_t)roll(c, 12) - 4}, .sharding = one[roll(c, 3)]};
  if (roll(c, 4)) return s;
  s.rank = 2;
  s.along = roll(c, 2);
  s.dims[!s.along] = 1 + (int64_t)roll(c, 3);
  s.dims[s.along] = size + (int64_t)roll(c, 12) - 4;
  s.sharding = s.along ? "[{}, {\"x\", \"y\"}]" : "[{\"x\", \"y\"}, {}]";
  return s;
}

static const char *const elems[] = {"i32", "f32", "i8", "f64", "i1", "ui8"};

static void put_types(Case *c, const Shape *s, uint32_t n, const char *const *types) {
  for (uint32_t i = 0; i < n; i++) {
    put(c, "%s", i ? ", " : "");
    put_type(c, s, types[i]);
  }
}

static void put_sort(Case *c) {
  Shape s = shape_of(c);
  uint32_t n = 1 + roll(c, 3), key = roll(c, n);
  uint32_t iota = n > 1 && roll(c, 2) ? (key + 1) % n : n;
  const char *types[3];
  for (uint32_t i = 0; i < n; i++) types[i] = i == iota ? "i32" : elems[roll(c, 6)];
  put(c, "func.func @main(");
  for (uint32_t i = 0, first = 1; i < n; i++) {
    if (i == iota) continue;
    put(c, "%s%%a%u: ", first ? "" : ", ", i);
    put_value(c, &s, types[i]);
    first = 0;
  }
  put(c, ") -> (");
  for (uint32_t i = 0; i < n; i++) {
    put(c, "%s", i ? ", " : "");
    put_value(c, &s, types[i]);
  }
  put(c, ") {\n");
  if (iota < n) {
    put(c, "  %%a%u = stablehlo.iota dim = %u : ", iota, s.along);
    put_type(c, &s, "i32");
    put(c, "\n");
  }
  put(c, "  %%0:%u = \"stablehlo.sort\"(", n);
  for (uint32_t i = 0; i < n; i++) put(c, "%s%%a%u", i ? ", " : "", i);
  put(c, ") <{dimension = %u : i64, is_stable = true}> ({\n  ^bb0(", s.along);
  for (uint32_t i = 0; i < n; i++)
    put(c, "%s%%l%u: tensor<%s>, %%r%u: tensor<%s>", i ? ", " : "", i, types[i], i, types[i]);
  static const char *const ways[] = {"LT", "GT", "LE", "GE"};
  bool swapped = roll(c, 4) == 0, is_float = types[key][0] == 'f';
  put(c, "):\n    %%c = stablehlo.compare %s, %%%c%u, %%%c%u%s : (tensor<%s>, tensor<%s>) -> ",
      ways[roll(c, 4)], swapped ? 'r' : 'l', key, swapped ? 'l' : 'r', key,
      is_float && roll(c, 2) ? ", TOTALORDER" : "", types[key], types[key]);
  put(c, "tensor<i1>\n    stablehlo.return %%c : tensor<i1>\n  }) : (");
  put_types(c, &s, n, types);
  put(c, ") -> (");
  put_types(c, &s, n, types);
  put(c, ")\n  return ");
  for (uint32_t i = 0; i < n; i++) put(c, "%s%%0#%u", i ? ", " : "", i);
  put(c, " : ");
  put_types(c, &s, n, types);
  put(c, "\n}\n");
}

static void put_top_k(Case *c) {
  Shape s = shape_of(c);
  if (s.rank == 2 && !s.along) s.rank = 1, s.sharding = "[{\"x\", \"y\"}]";
  Shape best = s;
  best.dims[s.rank - 1] = 1 + (int64_t)roll(c, 6);
  const char *elem = elems[roll(c, 6)];
  put(c, "func.func @main(%%a: ");
  put_value(c, &s, elem);
  put(c, ") -> (");
  put_type(c, &best, elem);
  put(c, ", ");
  put_type(c, &best, "i32");
  put(c, ") {\n  %%0:2 = chlo.top_k(%%a, k = %lld) : ", (long long)best.dims[s.rank - 1]);
  put_type(c, &s, elem);
  put(c, " -> (");
  put_type(c, &best, elem);
  put(c, ", ");
  put_type(c, &best, "i32");
  put(c, ")\n  return %%0#0, %%0#1 : ");
  put_type(c, &best, elem);
  put(c, ", ");
  put_type(c, &best, "i32");
  put(c, "\n}\n");
}

static void put_bits(Case *c) {
  static const char *const algorithms[] = {"THREE_FRY", "PHILOX", "DEFAULT"};
  static const char *const types[] = {"ui32", "ui64", "i8", "i16"};
  Shape s = shape_of(c);
  uint32_t which = roll(c, 3), words = which ? 2 + roll(c, 2) : 2;
  const char *elem = types[roll(c, 4)];
  put(c, "func.func @main(%%s: tensor<%uxui64>) -> (tensor<%uxui64>, ", words, words);
  put_value(c, &s, elem);
  put(c, ") {\n  %%0:2 = stablehlo.rng_bit_generator %%s, algorithm = %s : (tensor<%uxui64>) -> ",
      algorithms[which], words);
  put(c, "(tensor<%uxui64>, ", words);
  put_type(c, &s, elem);
  put(c, ")\n  return %%0#0, %%0#1 : tensor<%uxui64>, ", words);
  put_type(c, &s, elem);
  put(c, "\n}\n");
}

static void close_case(void *object) {
  Case *c = object;
  propagation_free(c->propagation);
  program_free(c->global);
  program_free(c->local);
  strbuf_deinit(&c->text);
  sharding_table_free(c->table);
  diag_deinit(&c->diag);
  arena_deinit(&c->arena);
  context_free(c->context);
}

// Where nothing but bytes costs anything they are spared also where that takes many steps.
static const Network bytes_network = {.all = {.bytes_per_second = 1}};

static void on_split(void *user, const Localizer *cx) {
  Case *c = user;
  uint16_t code = op_at(cx->program, cx->op)->code;
  bool ours = code == OP_sort || code == OP_chlo_top_k || code == OP_rng_bit_generator;
  for (uint32_t f = 0; ours && f < cx->map->n_factors; f++) c->split |= localize_is_split(cx, f);
}

static Status *run_case(Guard *guard, Case *c) {
  void (*const kinds[])(Case *) = {put_sort, put_sort, put_top_k, put_bits};
  kinds[roll(c, 4)](c);
  c->source = (Source){.path = "<random>", .text = c->text.data, .size = c->text.used};
  c->context = context_new(guard);
  c->table = sharding_table_new(c->context, guard);
  ParseOptions options = {0};
  TRY(program_parse(c->context, guard, &c->source, 0, c->source.size, &options, &c->diag,
                    &c->global));
  TRY(program_parse(c->context, guard, &c->source, 0, c->source.size, &options, &c->diag,
                    &c->local));
  if (!program_verify(c->global, &c->diag) || !program_verify(c->local, &c->diag))
    return diag_status(&c->diag);

  TRY(propagation_new(c->local, c->table, &(PropagateOptions){0}, guard, &c->diag,
                      &c->propagation));
  TRY(propagation_read(c->propagation, &c->diag));
  propagation_run(c->propagation);
  TRY(propagation_write(c->propagation, c->local, &(WriteOptions){.close = true}, &c->diag));
  MeshId mesh;
  PartitionOptions to = {
      .poison = true, .network = &bytes_network, .on_split = on_split, .user = c};
  TRY(partition_program(c->local, c->table, &to, guard, &c->diag, &mesh));
  if (!program_verify(c->local, &c->diag)) return diag_status(&c->diag);
  VerifyOptions verify = {.seed = c->dice.state, .tolerance = 1e-300};
  Verified verified;
  TRY(verify_partition(c->global, c->local, c->table, mesh, &verify, guard, &c->arena, &verified));
  if (!verified.agree) FAIL(INTERNAL, "%s", verified.where);
  return NULL;
}

static Status *one_case(Guard *guard, void *arg) {
  Case *c = arg;
  arena_init(&c->arena, guard);
  diag_init(&c->diag, guard, &c->source);
  strbuf_init(&c->text, guard);
  GuardCleanup cleanup = {close_case, c, NULL};
  guard_push(guard, &cleanup);
  Status *status = run_case(guard, c);
  if (status) fprintf(stderr, "%s\n", c->text.data);
  guard_pop(guard, &cleanup);
  close_case(c);
  return status;
}

static uint64_t number_of(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : otherwise;
}

static void test_exchanges_are_right(void **state) {
  (void)state;
  uint64_t seed = number_of("TESSERA_SEED", 0), cases = number_of("TESSERA_CASES", CASES);
  uint64_t split = 0;
  for (uint64_t i = 0; i < cases; i++) {
    Case c = {.dice = dice_new(i)};
    Status *status = guard_run(one_case, &c);
    if (status)
      fprintf(stderr, "TESSERA_SEED=%llu, case %llu: %s\n", (unsigned long long)seed,
              (unsigned long long)i, status_message(status));
    assert_null(status);
    split += c.split;
  }
  printf("%llu of %llu were done on parts\n", (unsigned long long)split, (unsigned long long)cases);
  assert_true(split > cases / 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exchanges_are_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
