// Many random instances of every op with a `sample` column: the instance verifies, prints and reads
// back to an equal program, evaluates, and gives results of its declared types. New rows are tested
// automatically. TESSERA_SEED gives other instances.
#include "ops/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "evaluate/evaluate.h"
#include "ops/infer.h"
#include "parse/parse.h"
#include "parse/print.h"

enum { INSTANCES = 200 };

typedef struct World {
  Context *context;
  Program *program;
  Arena arena;
  BlockId module, body;
  uint16_t code;
  uint64_t seed;
} World;

static OpId make(World *w, uint16_t code, BlockId block, Attr attrs, uint32_t n,
                 const ValueId *operands, uint32_t n_regions) {
  OpId op = op_create(w->program, &(OpSpec){.code = code,
                                            .n_operands = n,
                                            .operands = operands,
                                            .n_regions = n_regions,
                                            .attrs = attrs,
                                            .pos = POS_NONE});
  if (block) op_append(w->program, block, op);
  return op;
}

// func.func @main() -> (types of `op`'s results), whose body ends by returning them.
static OpId make_function(World *w) {
  NamedAttr name = {name_of(w->context, "sym_name"),
                    attr_string(w->context, name_of(w->context, "main"))};
  OpId function = make(w, OP_func_func, w->module, attr_dict(w->context, 1, &name), 0, NULL, 1);
  w->body = region_add_block(w->program, op_region(w->program, function, 0));
  return function;
}

static void finish_function(World *w, OpId function, OpId op) {
  uint32_t n = op_at(w->program, op)->n_results;
  Type *types = ARENA_ARRAY(&w->arena, Type, n + 1);
  ValueId *values = ARENA_ARRAY(&w->arena, ValueId, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    values[i] = op_result(w->program, op, i);
    types[i] = value_type(w->program, values[i]);
  }
  make(w, OP_func_return, w->body, 0, n, values, 0);
  op_set_attr(w->program, function, "function_type",
              attr_type(w->context, type_function(w->context, 0, NULL, n, types)));
}

// The type a literal has.
static bool literal_has_type(const Context *context, const Literal *l, Type type) {
  const TypeInfo *info = type_info(context, type);
  if (l->kind == LITERAL_TOKEN) return info->kind == TYPE_TOKEN;
  if (l->kind == LITERAL_TUPLE || l->kind == LITERAL_FUTURE) {
    if (l->n_items != info->n_items) return false;
    for (uint32_t i = 0; i < l->n_items; i++)
      if (!literal_has_type(context, l->items[i], info->items[i])) return false;
    return true;
  }
  if (info->kind != TYPE_TENSOR || info->elem != l->elem || info->rank != l->rank) return false;
  for (uint32_t d = 0; d < l->rank; d++)
    if (info->dims[d] != DIM_DYNAMIC && info->dims[d] != l->dims[d]) return false;
  return true;
}

static Status *verified(World *w, Guard *guard) {
  static const Source nothing = {.path = "<sample>", .text = "", .size = 0};
  Diag diag;
  diag_init(&diag, guard, &nothing);
  bool ok = program_verify(w->program, &diag);
  Status *status = ok ? NULL : diag_status(&diag);
  diag_deinit(&diag);
  return status;
}

static Status *read_back(World *w, Guard *guard) {
  StrBuf text;
  strbuf_init(&text, guard);
  program_print(w->program, &(PrintOptions){0}, &text);
  Source source = {.path = "<printed>", .text = text.data, .size = text.used};
  Diag diag;
  diag_init(&diag, guard, &source);
  Program *again = NULL;
  Status *status =
      program_parse(w->context, guard, &source, 0, text.used, &(ParseOptions){0}, &diag, &again);
  if (!status && program_hash(again) != program_hash(w->program))
    status = status_new(INTERNAL, __FILE__, __LINE__, "the program read back is another one");
  if (status) fprintf(stderr, "%s\n", text.data);
  program_free(again);
  diag_deinit(&diag);
  strbuf_deinit(&text);
  return status;
}

static Status *evaluated(World *w, Guard *guard, OpId function, OpId op) {
  LiteralHeap heap;
  literal_heap_init(&heap, guard, 0);
  uint32_t n = op_at(w->program, op)->n_results;
  Literal **out = ARENA_ARRAY(&w->arena, Literal *, n + 1);
  EvalReport report;
  Status *status = evaluate(w->program, function, &(EvalOptions){.seed = 1}, &heap, &w->arena, 0,
                            NULL, n, out, &report);
  for (uint32_t i = 0; !status && i < n; i++)
    if (!literal_has_type(w->context, out[i], op_result_type(w->program, op, i)))
      status = status_new(INTERNAL, __FILE__, __LINE__, "result %u is not of its type %s", i,
                          type_text(w->context, op_result_type(w->program, op, i)));
  literal_heap_deinit(&heap);
  return status;
}

static Status *one_instance(Guard *guard, void *arg) {
  World *w = arg;
  w->context = context_new(guard);
  w->program = program_new(w->context, guard, NULL);
  arena_init(&w->arena, guard);
  OpId module = make(w, OP_module, 0, 0, 0, NULL, 1);
  w->module = region_add_block(w->program, op_region(w->program, module, 0));
  OpId function = make_function(w);
  Sample sample = {.program = w->program,
                   .context = w->context,
                   .arena = &w->arena,
                   .block = w->body,
                   .state = w->seed};
  OpId op = op_row(w->code)->def->sample(&sample);
  finish_function(w, function, op);
  Status *status = verified(w, guard);
  if (!status) status = read_back(w, guard);
  if (!status && op_row(w->code)->def->eval) status = evaluated(w, guard, function, op);
  arena_deinit(&w->arena);
  program_free(w->program);
  context_free(w->context);
  return status;
}

static void test_samples(void **state) {
  (void)state;
  int failures = 0;
  const char *text = getenv("TESSERA_SEED");
  uint64_t base = text ? strtoull(text, NULL, 10) : 0;
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    const OpRow *row = op_row(code);
    if (!row->def || !row->def->sample) continue;
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
      World w = {.code = code, .seed = (base * INSTANCES + seed) * 1000 + code};
      Status *status = guard_run(one_instance, &w);
      if (!status) continue;
      fprintf(stderr, "%s, TESSERA_SEED=%llu, instance %llu: %s\n", row->name,
              (unsigned long long)base, (unsigned long long)seed, status_message(status));
      status_free(status);
      failures++;
      break;
    }
  }
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
