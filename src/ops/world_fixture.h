// For unit tests: a random instance of an op in a program of its own, functions around it, and
// their evaluation.
#ifndef TESSERA_OPS_WORLD_FIXTURE_H
#define TESSERA_OPS_WORLD_FIXTURE_H

#include <math.h>
#include <stdio.h>

#include "evaluate/evaluate.h"
#include "ops/factors.h"
#include "ops/sample.h"

typedef struct Counts Counts;  // the test's own

typedef struct World {
  Context *context;
  Program *program;
  Arena arena;
  LiteralHeap heap;
  BlockId module;
  OpId op;
  FactorMap map;  // of tests of factors
  uint16_t code;
  uint64_t seed;
  uint32_t n_functions;
  Counts *counts;
} World;

static inline OpId make(World *w, uint16_t code, BlockId block, Attr attrs, uint32_t n,
                        const ValueId *operands, uint32_t n_results, const Type *types,
                        uint32_t n_regions) {
  OpId op = op_create(w->program, &(OpSpec){.code = code,
                                            .n_operands = n,
                                            .operands = operands,
                                            .n_results = n_results,
                                            .result_types = types,
                                            .n_regions = n_regions,
                                            .attrs = attrs,
                                            .pos = POS_NONE});
  if (block) op_append(w->program, block, op);
  return op;
}

static inline OpId make_function(World *w, uint32_t n_args, const Type *types, BlockId *out_body) {
  char text[32];
  snprintf(text, sizeof text, "f%u", w->n_functions++);
  NamedAttr name = {name_of(w->context, "sym_name"),
                    attr_string(w->context, name_of(w->context, text))};
  OpId function =
      make(w, OP_func_func, w->module, attr_dict(w->context, 1, &name), 0, NULL, 0, NULL, 1);
  *out_body = region_add_block(w->program, op_region(w->program, function, 0));
  for (uint32_t i = 0; i < n_args; i++) block_add_arg(w->program, *out_body, types[i], 0);
  return function;
}

static inline void finish_function(World *w, OpId function, BlockId body, uint32_t n,
                                   const ValueId *values) {
  uint32_t n_args = block_at(w->program, body)->n_args;
  Type *args = ARENA_ARRAY(&w->arena, Type, n_args + 1),
       *types = ARENA_ARRAY(&w->arena, Type, n + 1);
  for (uint32_t i = 0; i < n_args; i++)
    args[i] = value_type(w->program, block_arg(w->program, body, i));
  for (uint32_t i = 0; i < n; i++) types[i] = value_type(w->program, values[i]);
  make(w, OP_func_return, body, 0, n, values, 0, NULL, 0);
  op_set_attr(w->program, function, "function_type",
              attr_type(w->context, type_function(w->context, n_args, args, n, types)));
}

static inline Status *run(World *w, OpId function, uint32_t n_args, Literal *const *args,
                          uint32_t n_out, Literal **out) {
  EvalReport report;
  return evaluate(w->program, function, &(EvalOptions){.seed = 1}, &w->heap, &w->arena, n_args,
                  args, n_out, out, &report);
}

static inline bool equal(const Literal *a, const Literal *b) {
  if (a->kind != LITERAL_ARRAY) return a->kind == b->kind;
  if (!literal_same_shape(a, b)) return false;
  for (int64_t i = 0; i < a->count; i++) {
    Scalar x = literal_get(a, i), y = literal_get(b, i);
    if (dtype_is_float(a->dtype) || dtype_is_complex(a->dtype)) {
      if (x.f != y.f && !(isnan(x.f) && isnan(y.f))) return false;
      if (dtype_is_complex(a->dtype) && x.im != y.im && !(isnan(x.im) && isnan(y.im))) return false;
    } else if (x.i != y.i) {
      return false;
    }
  }
  return true;
}

static const uint16_t combine_code[COMBINE_COUNT] = {
    [COMBINE_SUM] = OP_add,      [COMBINE_MAX] = OP_maximum, [COMBINE_MIN] = OP_minimum,
    [COMBINE_MUL] = OP_multiply, [COMBINE_AND] = OP_and,     [COMBINE_OR] = OP_or,
    [COMBINE_XOR] = OP_xor};

static inline Status *combined(World *w, Combine combine, Literal *a, Literal *b, Literal **out) {
  Type type = type_tensor(w->context, a->elem, a->rank, a->dims, 0);
  BlockId body;
  OpId function = make_function(w, 2, (Type[]){type, type}, &body);
  ValueId args[2] = {block_arg(w->program, body, 0), block_arg(w->program, body, 1)};
  OpId op = make(w, combine_code[combine], body, 0, 2, args, 1, &type, 0);
  ValueId value = op_result(w->program, op, 0);
  finish_function(w, function, body, 1, &value);
  return run(w, function, 2, (Literal *[]){a, b}, 1, out);
}

// Builds the world of w->code and w->seed. Returns a function that returns the op's operands and
// results.
static inline OpId world_init(World *w, Guard *guard) {
  w->context = context_new(guard);
  w->program = program_new(w->context, guard, NULL);
  arena_init(&w->arena, guard);
  literal_heap_init(&w->heap, guard, 0);
  OpId module = make(w, OP_module, 0, 0, 0, NULL, 0, NULL, 1);
  w->module = region_add_block(w->program, op_region(w->program, module, 0));
  BlockId body;
  OpId function = make_function(w, 0, NULL, &body);
  Sample sample = {.program = w->program,
                   .context = w->context,
                   .arena = &w->arena,
                   .block = body,
                   .state = w->seed};
  w->op = op_row(w->code)->def->sample(&sample);
  uint32_t n = op_at(w->program, w->op)->n_operands,
           n_results = op_at(w->program, w->op)->n_results;
  ValueId *values = ARENA_ARRAY(&w->arena, ValueId, n + n_results + 1);
  for (uint32_t i = 0; i < n; i++) values[i] = op_operand(w->program, w->op, i);
  for (uint32_t i = 0; i < n_results; i++) values[n + i] = op_result(w->program, w->op, i);
  finish_function(w, function, body, n + n_results, values);
  return function;
}

static inline void world_deinit(World *w) {
  literal_heap_deinit(&w->heap);
  arena_deinit(&w->arena);
  program_free(w->program);
  context_free(w->context);
}

// The op in a function of its own, on its arguments.
static inline OpId world_function(World *w) {
  const Op *o = op_at(w->program, w->op);
  uint32_t n = o->n_operands, n_results = o->n_results, n_values = w->program->values.count;
  Type *types = ARENA_ARRAY(&w->arena, Type, n + 1);
  for (uint32_t i = 0; i < n; i++) types[i] = op_operand_type(w->program, w->op, i);
  BlockId body;
  OpId function = make_function(w, n, types, &body);
  ValueId *values = ARENA_ARRAY(&w->arena, ValueId, n_values * 2 + 64),
          *results = ARENA_ARRAY(&w->arena, ValueId, n_results + 1);
  OpId clone = op_clone(w->program, w->op, values, n_values);
  op_append(w->program, body, clone);
  for (uint32_t i = 0; i < n; i++)
    operand_set(w->program, op_at(w->program, clone)->operands + i, block_arg(w->program, body, i));
  for (uint32_t i = 0; i < n_results; i++) results[i] = op_result(w->program, clone, i);
  finish_function(w, function, body, n_results, results);
  return function;
}

#endif
