// Reads `sym_name`, `function_type` and `callee` attributes each time. Nothing is cached, so edits
// of the program invalidate nothing.
#include "ops/functions.h"

#include "ops/op.h"

bool op_is_function(const Program *p, OpId op) {
  return (op_row(op_at(p, op)->code)->traits & TRAIT_FUNCTION) != 0;
}

const char *op_callee_attr(const Program *p, OpId op) {
  const OpDef *def = op_row(op_at(p, op)->code)->def;
  return def ? def->callee : NULL;
}

OpId op_callee(const Program *p, const SymbolTable *symbols, OpId op) {
  const char *attr = op_callee_attr(p, op);
  Attr symbol = attr ? op_attr(p, op, attr) : 0;
  return symbol ? symbols_find(symbols, attr_as_name(p->context, symbol)) : 0;
}

OpId module_first(const Program *p) {
  BlockId block = region_block(p, op_region(p, p->root, 0));
  return block ? block_at(p, block)->first : 0;
}

OpId program_function(const Program *p, Str name) {
  for (OpId op = module_first(p); op; op = op_at(p, op)->next)
    if (op_is_function(p, op) &&
        str_equal(name_str(p->context, attr_as_name(p->context, op_attr(p, op, "sym_name"))), name))
      return op;
  return 0;
}

Entries program_entries(const Program *p, Arena *arena) {
  uint32_t n_functions = 0, n = 0;
  for (OpId op = module_first(p); op; op = op_at(p, op)->next) n_functions += op_is_function(p, op);
  OpId *list = ARENA_ARRAY(arena, OpId, n_functions + 1);
  OpId main = program_function(p, str_of("main"));
  if (main) {
    list[0] = main;
    return (Entries){list, 1};
  }
  ArenaMark mark = arena_mark(arena);
  bool *called = ARENA_ARRAY(arena, bool, p->ops.count);
  SymbolTable symbols;
  symbols_init(&symbols, p, p->root, p->guard);
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (!(op_row(op_at(p, o)->code)->traits & TRAIT_CALL)) continue;
    Name name = attr_as_name(p->context, op_attr(p, o, "callee"));
    called[name ? symbols_find(&symbols, name) : 0] = true;
  }
  symbols_deinit(&symbols);
  for (OpId op = module_first(p); op; op = op_at(p, op)->next)
    if (op_is_function(p, op) && !called[op]) list[n++] = op;
  arena_rewind(arena, mark);
  return (Entries){list, n};
}

static const TypeInfo *function_type(const Program *p, OpId function) {
  return type_info(p->context, attr_info(p->context, op_attr(p, function, "function_type"))->type);
}

uint32_t function_n_arguments(const Program *p, OpId function) {
  return function_type(p, function)->n_inputs;
}

uint32_t function_n_results(const Program *p, OpId function) {
  const TypeInfo *type = function_type(p, function);
  return type->n_items - type->n_inputs;
}

ValueId function_argument(const Program *p, OpId function, uint32_t i) {
  BlockId block = op_at(p, function)->n_regions ? region_block(p, op_region(p, function, 0)) : 0;
  return block && i < block_at(p, block)->n_args ? block_arg(p, block, i) : 0;
}

Type function_argument_type(const Program *p, OpId function, uint32_t i) {
  return function_type(p, function)->items[i];
}

Type function_result_type(const Program *p, OpId function, uint32_t i) {
  const TypeInfo *type = function_type(p, function);
  return type->items[type->n_inputs + i];
}

uint32_t *program_number_ops(const Program *p, Arena *arena, uint32_t *out_n) {
  uint32_t *numbers = ARENA_ARRAY(arena, uint32_t, p->ops.count + 1);
  *out_n = 0;
  for (OpId o = op_walk_next(p, p->root, p->root); o; o = op_walk_next(p, o, p->root))
    if (op_parent(p, o) != p->root || op_is_function(p, o)) numbers[o] = ++*out_n;
  return numbers;
}
