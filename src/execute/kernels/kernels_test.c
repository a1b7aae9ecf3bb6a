// Kernels against the evaluator: random instances from the op table's `sample` column, and
// instances in the shapes that JAX's programs have (kernel_cases.def). Tiles run in random order on
// buffers between guard bytes. TESSERA_SEED gives other values.
#include "execute/kernels/kernel_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "tensor/lapack.h"

enum { INSTANCES = 300 };

typedef struct Case {
  const char *name, *text;
  double tolerance;   // relative to the largest element; 0: equal bits
  int64_t low, high;  // of integer arguments
  bool special;       // float arguments contain NaN, infinities and zeros of both signs
  bool in_place;
  bool lapack;  // the kernel needs the provider
  ScatterRule scatter;
} Case;

static const Case cases[] = {
#define CASE(name_, tolerance_, text_, ...)                                                        \
  {.name = name_, .text = text_, .tolerance = tolerance_, __VA_ARGS__},
#include "execute/kernels/kernel_cases.def"
#undef CASE
};

static uint64_t seed_base(void) {
  const char *text = getenv("TESSERA_SEED");
  return text ? strtoull(text, NULL, 10) : 0;
}

static void fixture_open(KernelFixture *f, Guard *guard) {
  f->context = context_new(guard);
  arena_init(&f->arena, guard);
  literal_heap_init(&f->heap, guard, 0);
}

static void fixture_close(KernelFixture *f) {
  literal_heap_deinit(&f->heap);
  arena_deinit(&f->arena);
  program_free(f->program);
  context_free(f->context);
}

static Literal *random_literal(KernelFixture *f, Type type, const Case *c) {
  Literal *l = literal_new_typed(&f->heap, f->context, type);
  for (int64_t i = 0; i < l->count; i++) {
    uint64_t bits = fixture_u64(f) >> 16;
    double re = (double)(int64_t)(bits % 65536) / 32768 - 1,
           im = (double)(int64_t)(bits / 65536 % 65536) / 32768 - 1;
    static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1, -1, 1e-42};
    if (c->special && bits % 8 == 0) re = special[bits / 8 % 8];
    if (c->special && bits % 8 == 1) re = (double)((int64_t)(bits / 8 % 7) - 3);
    bool real = dtype_is_float(l->dtype) || dtype_is_complex(l->dtype);
    int64_t low = c->high > c->low ? c->low : -1000, high = c->high > c->low ? c->high : 1000;
    literal_set(l, i,
                real ? scalar_c(re, im)
                     : scalar_i(low + (int64_t)(bits % (uint64_t)(high - low + 1))));
  }
  return l;
}

typedef struct CaseRun {
  const Case *c;
  KernelFixture f;
} CaseRun;

static Status *run_case(Guard *guard, void *arg) {
  CaseRun *run = arg;
  KernelFixture *f = &run->f;
  fixture_open(f, guard);
  f->state = seed_base() + 7;
  f->in_place = run->c->in_place;
  f->scatter = run->c->scatter;
  Source source = {.path = run->c->name, .text = run->c->text, .size = strlen(run->c->text)};
  Diag diag;
  diag_init(&diag, guard, &source);
  Status *status = program_parse(f->context, guard, &source, 0, source.size, &(ParseOptions){0},
                                 &diag, &f->program);
  if (!status && !program_verify(f->program, &diag)) status = diag_status(&diag);
  diag_deinit(&diag);
  OpId function = 0;
  if (!status) status = evaluate_entry(f->program, NULL, &function);
  if (!status) {
    Literal *args[FIXTURE_MOST];
    uint32_t n = evaluate_n_arguments(f->program, function);
    for (uint32_t i = 0; i < n; i++)
      args[i] = random_literal(f, evaluate_argument_type(f->program, function, i), run->c);
    const char *message = fixture_check(f, function, args, run->c->tolerance);
    if (!message && !f->made) message = "no kernel was made";
    if (message) status = status_new(INTERNAL, __FILE__, __LINE__, "%s", message);
  }
  fixture_close(f);
  return status;
}

static void test_cases(void **state) {
  (void)state;
  int failures = 0;
  const char *only = getenv("TESSERA_CASE");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (only && !strstr(cases[i].name, only)) continue;
    if (cases[i].lapack && lapack_engine() == &lapack_own) continue;
    CaseRun run = {.c = &cases[i]};
    if (getenv("TESSERA_VERBOSE")) fprintf(stderr, "case %s\n", cases[i].name);
    Status *status = guard_run(run_case, &run);
    if (!status) continue;
    fprintf(stderr, "case '%s': %s\n", cases[i].name, status_message(status));
    status_free(status);
    failures++;
  }
  assert_int_equal(failures, 0);
}

// ---- samples ----

typedef struct SampleRun {
  uint16_t code;
  uint64_t seed;
  KernelFixture f;
} SampleRun;

static OpId make(Program *p, uint16_t code, BlockId block, Attr attrs, uint32_t n,
                 const ValueId *operands, uint32_t n_regions) {
  OpId op = op_create(p, &(OpSpec){.code = code,
                                   .n_operands = n,
                                   .operands = operands,
                                   .n_regions = n_regions,
                                   .attrs = attrs,
                                   .pos = POS_NONE});
  if (block) op_append(p, block, op);
  return op;
}

static Status *run_sample(Guard *guard, void *arg) {
  SampleRun *run = arg;
  KernelFixture *f = &run->f;
  fixture_open(f, guard);
  Program *p = f->program = program_new(f->context, guard, NULL);
  f->state = run->seed;
  f->in_place = run->seed % 2;
  OpId module = make(p, OP_module, 0, 0, 0, NULL, 1);
  BlockId top = region_add_block(p, op_region(p, module, 0));
  NamedAttr name = {name_of(f->context, "sym_name"),
                    attr_string(f->context, name_of(f->context, "main"))};
  OpId function = make(p, OP_func_func, top, attr_dict(f->context, 1, &name), 0, NULL, 1);
  Sample sample = {.program = p,
                   .context = f->context,
                   .arena = &f->arena,
                   .block = region_add_block(p, op_region(p, function, 0)),
                   .state = run->seed};
  OpId op = op_row(run->code)->def->sample(&sample);
  uint32_t n = op_at(p, op)->n_results;
  Type types[FIXTURE_MOST];
  ValueId values[FIXTURE_MOST];
  bool fit = n <= FIXTURE_MOST && op_at(p, op)->n_operands <= FIXTURE_MOST;
  for (uint32_t i = 0; fit && i < n; i++) {
    values[i] = op_result(p, op, i);
    types[i] = value_type(p, values[i]);
    fit = type_is_static(f->context, types[i]) && type_is_tensor(f->context, types[i]) &&
          !type_is_quant(f->context, types[i]);
  }
  for (uint32_t i = 0; fit && i < op_at(p, op)->n_operands; i++) {
    OpId def = value_def(p, op_operand(p, op, i));
    fit = def && op_at(p, def)->code == OP_constant &&
          type_is_static(f->context, op_operand_type(p, op, i)) &&
          !type_is_quant(f->context, op_operand_type(p, op, i));
  }
  Status *status = NULL;
  if (fit) {
    make(p, OP_func_return, sample.block, 0, n, values, 0);
    op_set_attr(p, function, "function_type",
                attr_type(f->context, type_function(f->context, 0, NULL, n, types)));
    const char *message = fixture_check(f, function, NULL, 2e-2);
    if (message)
      status = status_new(INTERNAL, __FILE__, __LINE__, "%s (%s)", message,
                          type_text(f->context, types[0]));
  }
  fixture_close(f);
  return status;
}

static void test_samples(void **state) {
  (void)state;
  int failures = 0;
  const char *only = getenv("TESSERA_CASE");
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    const OpRow *row = op_row(code);
    if (!kernel_maker(code) || !row->def || !row->def->sample) continue;
    if (only && !strstr(row->name, only)) continue;
    uint32_t made = 0, refused = 0;
    for (uint64_t i = 0; i < INSTANCES; i++) {
      SampleRun run = {.code = code, .seed = (seed_base() * INSTANCES + i) * 1000 + code};
      Status *status = guard_run(run_sample, &run);
      made += run.f.made;
      refused += run.f.refused;
      if (!status) continue;
      fprintf(stderr, "%s, instance %llu: %s\n", row->name, (unsigned long long)i,
              status_message(status));
      status_free(status);
      failures++;
      break;
    }
    if (getenv("TESSERA_VERBOSE"))
      fprintf(stderr, "%-32s %u kernels made, %u refused\n", row->name, made, refused);
  }
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
