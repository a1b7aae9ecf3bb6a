// The functions of a module: lookup by name, entry functions, arguments and results.
#ifndef TESSERA_OPS_FUNCTIONS_H
#define TESSERA_OPS_FUNCTIONS_H

#include "ir/program.h"

bool op_is_function(const Program *p, OpId op);
// The attribute of an op (a call, a composite) that names the function it runs; NULL: none.
const char *op_callee_attr(const Program *p, OpId op);
// The function that this attribute names; 0 = none.
OpId op_callee(const Program *p, const SymbolTable *symbols, OpId op);
OpId module_first(const Program *p);                // the first op of the module; 0 = none
OpId program_function(const Program *p, Str name);  // 0 = none. O(functions)

// The entry functions: @main if it exists, else all functions without callers. In the arena.
// O(program).
typedef struct Entries {
  const OpId *v;
  uint32_t n;
} Entries;
Entries program_entries(const Program *p, Arena *arena);
uint32_t function_n_arguments(const Program *p, OpId function);
uint32_t function_n_results(const Program *p, OpId function);
ValueId function_argument(const Program *p, OpId function, uint32_t i);  // 0: it has no body
Type function_argument_type(const Program *p, OpId function, uint32_t i);
Type function_result_type(const Program *p, OpId function, uint32_t i);

// Numbers that name ops in JSON: functions and the ops in them, in program order, from 1. Other ops
// of the module (meshes) have none, since annotations add them. Per op, in the arena; *out_n: how
// many. O(ops).
uint32_t *program_number_ops(const Program *p, Arena *arena, uint32_t *out_n);

#endif
