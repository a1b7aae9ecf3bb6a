// For tests: a module around one random instance of an op (its `sample` column).
#ifndef TESSERA_TESTS_SUPPORT_SAMPLE_PROGRAM_H
#define TESSERA_TESTS_SUPPORT_SAMPLE_PROGRAM_H

#include "ops/sample.h"

static inline NamedAttr sample_named(Context *context, const char *name, Attr value) {
  return (NamedAttr){name_of(context, name), value};
}

// module { func.func @main() -> (…) { the instance; return its results } }
// The caller frees the program, also after a throw: *out is set first.
static inline void sample_program(Context *context, Guard *guard, Arena *arena, uint16_t code,
                                  uint64_t seed, Program **out) {
  static const Source nothing = {.path = "<sample>", .text = "", .size = 0};
  Program *p = *out = program_new(context, guard, &nothing);
  OpSpec module = {.code = OP_module, .n_regions = 1, .pos = POS_NONE};
  BlockId top = region_add_block(p, op_region(p, op_create(p, &module), 0));
  OpSpec function = {.code = OP_func_func, .n_regions = 1, .pos = POS_NONE};
  OpId main = op_create(p, &function);
  op_append(p, top, main);
  BlockId body = region_add_block(p, op_region(p, main, 0));
  Sample sample = {.program = p, .context = context, .arena = arena, .block = body, .state = seed};
  OpId op = op_row(code)->def->sample(&sample);
  uint32_t n = op_at(p, op)->n_results;
  ValueId *values = ARENA_ARRAY(arena, ValueId, n + 1);
  Type *types = ARENA_ARRAY(arena, Type, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    values[i] = op_result(p, op, i);
    types[i] = value_type(p, values[i]);
  }
  OpSpec end = {.code = OP_func_return, .n_operands = n, .operands = values, .pos = POS_NONE};
  op_append(p, body, op_create(p, &end));
  NamedAttr fields[2] = {
      sample_named(context, "sym_name", attr_string(context, name_of(context, "main"))),
      sample_named(context, "function_type",
                   attr_type(context, type_function(context, 0, NULL, n, types)))};
  op_at(p, main)->attrs = attr_dict(context, 2, fields);
}

#endif
