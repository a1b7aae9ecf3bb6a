// Arguments from NumPy files: which array is which argument, read and matched the same way by every
// verb that takes --inputs.
#ifndef TESSERA_CLI_INPUTS_H
#define TESSERA_CLI_INPUTS_H

#include "cli/cli.h"
#include "tensor/literal.h"

typedef struct Inputs {
  const TextList *files;  // of --inputs
  Program *program;
  OpId function;
  Arena *arena;
  char **data;  // of the files; owned
  uint32_t n_data;
  struct InputArray *arrays;
  const uint32_t *of;  // by argument: which array
} Inputs;

// Reads the files and matches their arrays with the function's arguments: by path, SSA name,
// "argK", the rest in order, which is told on stderr where a name means nothing. INVALID_ARGUMENT
// if there are more or fewer than arguments. inputs_close after it, whatever happened.
Status *inputs_open(Inputs *inputs, const TextList *files, Program *program, OpId function,
                    Arena *arena) MUST_USE;
void inputs_close(Inputs *inputs);  // {0} is fine

// The arrays, in the order of the arguments and of their element types, into out (owned). Their
// shapes are what the files have: inputs_check.
Status *inputs_read(const Inputs *inputs, LiteralHeap *heap, uint32_t n, Literal **out) MUST_USE;
// INVALID_ARGUMENT if array k has not the type's shape.
Status *inputs_check(const Inputs *inputs, uint32_t k, Type type, const Literal *array) MUST_USE;

// For messages: "x.npz (w) for argument 'params.w'"; in the arena.
const char *inputs_text(const Inputs *inputs, uint32_t k);

// A literal has the shape of a type; dimensions that the type leaves open may have any size.
bool shape_fits(const Context *context, Type type, const Literal *literal);
#endif
