// Every assignment of strategies is a plan: random programs, random meshes, and for each variable
// of the planning problem a strategy drawn at random. Its decisions are obeyed by the partitioner,
// and the local program computes what the global one does.
//
// Programs are drawn from every op's samples (support/sampled_program.h) and compared exactly, with
// poisoned padding. TESSERA_SEED gives others, TESSERA_CASES more of them; a failing one is made
// smaller and printed with its decisions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sharding/sharding_fixture.h"
#include "ops/infer.h"
#include "partition/partition.h"
#include "pipeline/partition.h"
#include "pipeline/plan.h"
#include "pipeline/verify_partition.h"
#include "plan/decisions.h"

#include "../support/sampled_program.h"
#include "../support/shrink_text.h"

static const double EXACTLY = 1e-300;  // 0 would be the usual tolerance

typedef enum Outcome {
  AGREES,
  UNPLANNED,
  DOES_NOT_RUN,
  NOT_FINITE,  // results have infinities, and 0 times infinity is NaN on devices that hold 0 of a
               // sum
  REFUSED,
  DIFFERS,
  BREAKS
} Outcome;

typedef struct Planned {
  uint64_t seed;    // of the program, the mesh and the values,
  uint64_t choice;  // and of the assignment
  uint32_t devices;
  const char *text;  // read this instead of drawing one
  double tolerance;  // 0 = by element type
  Outcome outcome;
  char why[512];
  char *program, *decisions;  // on the heap if `print`
  bool print;
  // Of the strategies that were drawn: of ops on shards, of ops on partial sums, of loop carries
  // that are partial sums.
  uint32_t n_sharded, n_partial, n_strided, n_sums;
  SampledProgram sampled;
  Context *context;
  ShardingTable *table;
  Program *global, *local;
  Model model;
  bool has_model;
  Machine machine;
  Arena arena;
  Diag diag;
  Source source;
  StrBuf json;
} Planned;

static void close_planned(void *object) {
  Planned *x = object;
  if (x->has_model) model_release(&x->model);
  program_free(x->global);
  program_free(x->local);
  sharding_table_free(x->table);
  strbuf_deinit(&x->json);
  diag_deinit(&x->diag);
  arena_deinit(&x->arena);
  context_free(x->context);
}

static Status *read_text(Planned *x, Guard *guard, Program **out) {
  TRY(program_parse(x->context, guard, &x->source, 0, x->source.size, &(ParseOptions){0}, &x->diag,
                    out));
  return program_verify(*out, &x->diag) ? NULL : diag_status(&x->diag);
}

// Two of the same; calls are inlined in the one that is planned, as `tessera plan` does.
static Status *draw(Planned *x, Guard *guard) {
  x->context = context_new(guard);
  x->table = sharding_table_new(x->context, guard);
  if (x->text) {
    TRY(read_text(x, guard, &x->global));
    TRY(read_text(x, guard, &x->local));
  } else {
    uint64_t seed = x->seed * 0x9E3779B97F4A7C15u;
    sampled_program(&x->sampled, x->context, guard, &x->arena, seed, 8, &x->global);
    sampled_program(&x->sampled, x->context, guard, &x->arena, seed, 8, &x->local);
    if (!program_verify(x->global, &x->diag)) return diag_status(&x->diag);
    if (!x->sampled.loose) x->tolerance = EXACTLY;
  }
  plan_flatten(x->local, guard, &x->arena);
  return NULL;
}

// A random factorization of the devices into one to three axes.
static Status *draw_mesh(Planned *x, Dice *dice, MeshId *out) {
  static const char *const letters[] = {"a", "b", "c"};
  Name names[3];
  int64_t sizes[3];
  uint32_t n = 0, left = x->devices;
  while (n < 3 && left > 1) {
    uint32_t size = left;
    while (n < 2 && (dice_roll(dice, 2) || left % size)) size = size > 2 ? size - 1 : left;
    names[n] = name_of(x->context, letters[n]);
    sizes[n++] = size;
    left /= size;
  }
  const Mesh *mesh;
  TRY(mesh_new(x->context, 0, n, names, sizes, 0, NULL, &mesh));
  *out = sharding_mesh_add(x->table, mesh);
  return NULL;
}

// 0 / 0 is NaN: on devices that hold 0 of a partial sum, a division by 0 gives another value than
// on one device. Random divisors have zeros, so such strategies are not drawn.
static bool divides_sums(const Model *m, const ModelVar *var, uint32_t k) {
  return var->kind == VAR_OP && var->set && op_at(m->p, var->op)->code == OP_divide &&
         m->strategies.sets.items[var->set].items[k].partial;
}

// A strategy per variable, each as likely. Some assignments are mostly replicated, so that single
// strategies are seen alone.
static uint32_t *draw_choice(Planned *x, Dice *dice) {
  const Model *m = &x->model;
  uint32_t *choice = ARENA_ARRAY(&x->arena, uint32_t, m->vars.count + 1);
  uint32_t of_four = 1 + dice_roll(dice, 4);
  for (uint32_t v = 0; v < m->vars.count; v++) {
    const ModelVar *var = &m->vars.items[v];
    if (dice_roll(dice, 4) < of_four) choice[v] = dice_roll(dice, var->n);
    if (divides_sums(m, var, choice[v])) choice[v] = 0;
    x->n_sums += var->kind == VAR_BORDER &&
                 sharding_info(x->table, model_sharding(m, v, choice[v]))->unreduced.n > 0;
    if (var->kind != VAR_OP || !var->set) continue;
    const OpStrategy *s = &m->strategies.sets.items[var->set].items[choice[v]];
    x->n_sharded += s->work < 1;
    x->n_partial += s->partial != 0;
    x->n_strided += s->strided || s->strides;
  }
  return choice;
}

static Status *write_decisions(Planned *x, Guard *guard) {
  Dice dice = {x->seed * 0xD1342543DE82EF95u + 1};
  MeshId mesh = 0;
  TRY(draw_mesh(x, &dice, &mesh));
  TRY(machine_read(str_of(machine_text("h100")), &x->arena, &x->machine));
  ModelOptions options = {.machine = &x->machine,
                          .n_devices = x->devices,
                          .level = 1 + dice_roll(&dice, 2),
                          .least_uneven = 1 + dice_roll(&dice, 2),
                          .untied = true};
  x->has_model = true;
  TRY(model_build(&x->model, x->local, x->table, mesh, &options, guard, &x->diag));
  dice.state ^= x->choice * 0x9E3779B97F4A7C15u;
  const uint32_t *choice = draw_choice(x, &dice);
  Json json = {.out = &x->json};
  json_open(&json, '{');
  plan_decisions(&x->model, choice, NULL, &json);
  json_close(&json, '}');
  return NULL;
}

static Outcome say(Planned *x, Outcome outcome, const char *why) {
  snprintf(x->why, sizeof x->why, "%s", why);
  return outcome;
}

static Outcome say_status(Planned *x, Outcome outcome, Status *status) {
  say(x, outcome, status_message(status));
  status_free(status);
  return outcome;
}

// A program that does not verify is an error of ours only if the global one runs: constants that
// appear when calls are inlined may be invalid.
static Outcome unverified(Planned *x, Guard *guard) {
  Outcome outcome = say_status(x, BREAKS, diag_status(&x->diag));
  VerifyOptions verify = {.seed = x->seed, .most_steps = 200000};
  Verified verified;
  Status *status =
      verify_partition(x->global, x->global, x->table, 0, &verify, guard, &x->arena, &verified);
  if (status) outcome = DOES_NOT_RUN;
  status_free(status);
  return outcome;
}

static Outcome obey(Planned *x, Guard *guard) {
  MeshId mesh = 0;
  Status *status = write_decisions(x, guard);
  if (status) return say_status(x, UNPLANNED, status);
  PartitionOptions options = {
      .poison = true, .machine = &x->machine, .decisions = {x->json.data, x->json.used}};
  status = partition_program(x->local, x->table, &options, guard, &x->diag, &mesh);
  if (status) return say_status(x, REFUSED, status);
  const char *wrong = program_check(x->local);
  if (wrong) return say(x, BREAKS, wrong);
  if (!program_verify(x->local, &x->diag)) return unverified(x, guard);
  if (x->seed % 2) {
    status = pipeline_optimize(x->local, x->table, mesh, &(LocalOptions){0}, guard, &x->diag);
    if (status) return say_status(x, BREAKS, status);
    wrong = program_check(x->local);
    if (wrong) return say(x, BREAKS, wrong);
    if (!program_verify(x->local, &x->diag)) return unverified(x, guard);
  }
  VerifyOptions verify = {.seed = x->seed, .most_steps = 200000, .tolerance = x->tolerance};
  Verified verified;
  status =
      verify_partition(x->global, x->local, x->table, mesh, &verify, guard, &x->arena, &verified);
  if (status) return say_status(x, DOES_NOT_RUN, status);
  if (verified.agree) return AGREES;
  return say(x, x->n_partial && verified.not_finite ? NOT_FINITE : DIFFERS, verified.where);
}

static Status *run_planned(Guard *guard, void *arg) {
  Planned *x = arg;
  arena_init(&x->arena, guard);
  x->source = (Source){
      .path = "<planned>", .text = x->text ? x->text : "", .size = x->text ? strlen(x->text) : 0};
  diag_init(&x->diag, guard, &x->source);
  strbuf_init(&x->json, guard);
  GuardCleanup cleanup = {close_planned, x, NULL};
  guard_push(guard, &cleanup);
  Status *status = draw(x, guard);
  if (!status && x->print) x->program = shrink_print(x->global, guard);
  if (!status) x->outcome = obey(x, guard);
  if (!status && x->print && x->json.used) {
    x->decisions = malloc(x->json.used + 1);
    memcpy(x->decisions, x->json.data, x->json.used);
    x->decisions[x->json.used] = 0;
  }
  guard_pop(guard, &cleanup);
  close_planned(x);
  return status;
}

static bool is_bad(Outcome outcome) {
  return outcome == DIFFERS || outcome == BREAKS || outcome == REFUSED;
}

// ---- a failing case ----

// Another program has other variables: some of many assignments shall fail as before.
enum { ASSIGNMENTS = 40 };

static bool still_fails(const char *text, void *user) {
  Planned *as = user;
  for (uint32_t i = 0; i < ASSIGNMENTS; i++) {
    Planned *x = calloc(1, sizeof *x);
    x->text = text;
    x->seed = as->seed;
    x->choice = i;
    x->devices = as->devices;
    x->tolerance = as->tolerance;
    Status *status = guard_run(run_planned, x);
    bool bad = !status && x->outcome == as->outcome;
    if (bad) as->choice = i, snprintf(as->why, sizeof as->why, "%s", x->why);
    status_free(status);
    free(x);
    if (bad) return true;
  }
  return false;
}

static void show(const Planned *failed) {
  Planned *x = calloc(1, sizeof *x), *as = calloc(1, sizeof *as);
  *as = (Planned){.seed = failed->seed,
                  .choice = failed->choice,
                  .devices = failed->devices,
                  .tolerance = failed->tolerance,
                  .outcome = failed->outcome};
  memcpy(as->why, failed->why, sizeof as->why);
  *x = (Planned){.seed = as->seed, .choice = as->choice, .devices = as->devices, .print = true};
  status_free(guard_run(run_planned, x));
  char *text = x->program, *decisions = x->decisions;
  if (text && still_fails(text, as)) {
    shrink_text(&text, still_fails, as);
    free(decisions);
    still_fails(text, as);
    *x = (Planned){.seed = as->seed, .choice = as->choice, .devices = as->devices, .print = true};
    x->text = text;
    x->tolerance = as->tolerance;
    status_free(guard_run(run_planned, x));
    decisions = x->decisions;
    free(x->program);
  }
  fprintf(stderr, "// case %llu, assignment %llu, %u devices: %s\n%s\n%s\n",
          (unsigned long long)failed->seed, (unsigned long long)as->choice, failed->devices,
          as->why, text ? text : "", decisions ? decisions : "");
  free(decisions);
  free(text);
  free(x);
  free(as);
}

// ---- many ----

enum { CASES = 1000, MOST_SHOWN = 3 };

static uint64_t number_of(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : otherwise;
}

static void test_any_assignment_is_a_plan(void **state) {
  (void)state;
  static const uint32_t devices[] = {2, 2, 3, 4, 4, 6, 8, 8};
  uint32_t cases = (uint32_t)number_of("TESSERA_CASES", CASES), count[BREAKS + 1] = {0};
  uint32_t shown = 0, most_shown = (uint32_t)number_of("TESSERA_SHOWN", MOST_SHOWN);
  uint64_t sharded = 0, partial = 0, strided = 0;
  Dice dice = dice_new(6013);
  Planned *x = malloc(sizeof *x);
  for (uint32_t i = 0; i < cases; i++) {
    *x = (Planned){.seed = number_of("TESSERA_CASE", dice_roll(&dice, 1u << 30))};
    x->devices = (uint32_t)number_of("TESSERA_DEVICES", devices[dice_roll(&dice, 8)]);
    Status *status = guard_run(run_planned, x);
    if (status) fail_msg("case %llu: %s", (unsigned long long)x->seed, status_message(status));
    count[x->outcome]++;
    sharded += x->n_sharded, partial += x->n_partial, strided += x->n_strided;
    if (is_bad(x->outcome))
      printf("case %llu on %u devices: %s\n", (unsigned long long)x->seed, x->devices, x->why);
    if (is_bad(x->outcome) && shown++ < most_shown) show(x);
    if (x->outcome == UNPLANNED) printf("not planned: %s\n", x->why);
  }
  free(x);
  printf("%u cases: %u agree, %u differ, %u break, %u refused, %u not planned, %u do not run "
         "whole, %u not finite; %llu sharded ops, %llu on partial sums, %llu strided\n",
         cases, count[AGREES], count[DIFFERS], count[BREAKS], count[REFUSED], count[UNPLANNED],
         count[DOES_NOT_RUN], count[NOT_FINITE], (unsigned long long)sharded,
         (unsigned long long)partial, (unsigned long long)strided);
  assert_int_equal(count[DIFFERS] + count[BREAKS] + count[REFUSED], 0);
  assert_true(count[UNPLANNED] + count[DOES_NOT_RUN] + count[NOT_FINITE] <= cases / 20);
}

// ---- accumulators ----

// Gradients that loops sum up: the carries may be partial sums. One is scaled, one is added to in
// an inner loop, one is looked at in the body, so that it must be reduced there.
static const char accumulators[] =
    "func.func @main(%x: tensor<4x8x8xf32>, %w: tensor<8x4xf32>, %s: tensor<8x4xf32>)"
    " -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {\n"
    "  %i0 = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<8x4xf32>\n"
    "  %t = stablehlo.constant dense<0.0> : tensor<4x8xf32>\n"
    "  %r:5 = stablehlo.while(%i = %i0, %a = %z, %b = %t, %c = %s, %d = %s) : tensor<i32>,"
    " tensor<8x4xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>\n"
    "  cond {\n"
    "    %n = stablehlo.constant dense<4> : tensor<i32>\n"
    "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  } do {\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %half = stablehlo.constant dense<5.000000e-01> : tensor<8x4xf32>\n"
    "    %next = stablehlo.add %i, %one : tensor<i32>\n"
    "    %x1 = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 8, 8] :"
    " (tensor<4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>\n"
    "    %x2 = stablehlo.reshape %x1 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>\n"
    "    %y = stablehlo.dot_general %x2, %w, contracting_dims = [1] x [0] :"
    " (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>\n"
    "    %g = stablehlo.dot_general %x2, %y, contracting_dims = [0] x [0] :"
    " (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>\n"
    "    %a1 = stablehlo.add %a, %g : tensor<8x4xf32>\n"
    "    %gt = stablehlo.transpose %g, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>\n"
    "    %b1 = stablehlo.subtract %b, %gt : tensor<4x8xf32>\n"
    "    %c1 = stablehlo.multiply %c, %half : tensor<8x4xf32>\n"
    "    %in:2 = stablehlo.while(%k = %zero, %e = %c1) : tensor<i32>, tensor<8x4xf32>\n"
    "    cond {\n"
    "      %m = stablehlo.constant dense<2> : tensor<i32>\n"
    "      %q = stablehlo.compare LT, %k, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %q : tensor<i1>\n"
    "    } do {\n"
    "      %k1 = stablehlo.add %k, %one : tensor<i32>\n"
    "      %e1 = stablehlo.add %e, %g : tensor<8x4xf32>\n"
    "      stablehlo.return %k1, %e1 : tensor<i32>, tensor<8x4xf32>\n"
    "    }\n"
    "    %d1 = stablehlo.tanh %d : tensor<8x4xf32>\n"
    "    %d2 = stablehlo.add %d1, %g : tensor<8x4xf32>\n"
    "    stablehlo.return %next, %a1, %b1, %in#1, %d2 : tensor<i32>, tensor<8x4xf32>,"
    " tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>\n"
    "  }\n"
    "  return %r#1, %r#2, %r#3, %r#4 : tensor<8x4xf32>, tensor<4x8xf32>, tensor<8x4xf32>,"
    " tensor<8x4xf32>\n"
    "}\n";

enum { ACCUMULATIONS = 300 };

static void test_accumulators(void **state) {
  (void)state;
  static const uint32_t devices[] = {2, 4, 8};
  Dice dice = dice_new(6014);
  uint64_t carries = 0;
  Planned *x = malloc(sizeof *x);
  for (uint32_t i = 0; i < ACCUMULATIONS; i++) {
    *x = (Planned){.text = accumulators, .choice = i};
    x->seed = dice_roll(&dice, 1u << 30);
    x->devices = devices[dice_roll(&dice, 3)];
    Status *status = guard_run(run_planned, x);
    if (status) fail_msg("case %llu: %s", (unsigned long long)x->seed, status_message(status));
    if (x->outcome != AGREES)
      fail_msg("case %llu, assignment %u, %u devices: %s", (unsigned long long)x->seed, i,
               x->devices, x->why);
    carries += x->n_sums;
  }
  free(x);
  printf("%d assignments agree, %llu carries are partial sums\n", ACCUMULATIONS,
         (unsigned long long)carries);
  assert_true(carries > ACCUMULATIONS / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_assignment_is_a_plan),
                                     cmocka_unit_test(test_accumulators)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
