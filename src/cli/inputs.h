// Arguments from NumPy files (--inputs): reads arrays and matches them with arguments.
#ifndef TESSERA_CLI_INPUTS_H
#define TESSERA_CLI_INPUTS_H

#include "cli/cli.h"
#include "tensor/literal.h"

typedef struct Inputs {
  const TextList *files;  // --inputs
  Program *program;
  OpId function;
  Arena *arena;
  char **data;  // file contents; owned
  uint32_t n_data;
  struct InputArray *arrays;
  const uint32_t *of;  // per argument: index of its array
} Inputs;

// Reads the files and matches their arrays with the function's arguments: by path, by SSA name, by
// "argK", the rest in order (stderr says so if an array's name is unknown). INVALID_ARGUMENT if the
// numbers differ. Call inputs_close in any case.
Status *inputs_open(Inputs *inputs, const TextList *files, Program *program, OpId function,
                    Arena *arena) MUST_USE;
void inputs_close(Inputs *inputs);  // {0} is fine

// Converts the arrays to literals of the arguments' element types, in argument order, into out
// (owned). Shapes are the files'; check them with inputs_check.
Status *inputs_read(const Inputs *inputs, LiteralHeap *heap, uint32_t n, Literal **out) MUST_USE;
// INVALID_ARGUMENT if the array of argument k does not have the type's shape.
Status *inputs_check(const Inputs *inputs, uint32_t k, Type type, const Literal *array) MUST_USE;

// Text for messages, in the arena: "x.npz (w) for argument 'params.w'".
const char *inputs_text(const Inputs *inputs, uint32_t k);

// Whether a literal has the shape of a type; dynamic dimensions match any size.
bool shape_fits(const Context *context, Type type, const Literal *literal);
#endif
