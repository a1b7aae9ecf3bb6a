// Names of ops, values and shardings as the user's program has them, interned. reason.h and
// partition/redundant.h use them in messages.
#ifndef TESSERA_EXPLAIN_WORDS_H
#define TESSERA_EXPLAIN_WORDS_H

#include "base/json.h"
#include "explain/origin.h"
#include "sharding/sharding.h"

typedef struct Words {
  const Program *p;  // the global program
  const ShardingTable *table;
  Origins origins;
  StrBuf text;      // scratch: empty between calls
  Arena *scratch;   // for argument paths
  const Pos *ends;  // offsets of the newlines in the source
  uint32_t n_ends;
} Words;

// Indexes the source's lines in the arena. `scratch` may be rewound between calls.
// O(program + source).
void words_init(Words *words, const Program *p, const ShardingTable *table,
                const SymbolTable *functions, Arena *arena, Arena *scratch, Guard *guard);
void words_deinit(Words *words);

// The parts of an op's description. An unknown part is 0.
typedef struct OpWords {
  Name name;   // "stablehlo.reduce"
  Name value;  // "%5", "@layer:%5", "%5:2"
  Name path;   // from its location: "jit(step)/mul"
  Name file;   // from its location, else the program's own path
  uint32_t line;
} OpWords;
OpWords words_op(Words *words, OpId op);
// Prints `%5 = stablehlo.reduce (jit(step)/mul, model.py:31)`; the file without its directory.
void words_put_op(const Context *context, const OpWords *op, StrBuf *out);
// Writes an object with name, value, path, file and line; null for unknown parts. An op without a
// name is null.
void op_words_json(const Context *context, const OpWords *op, Json *json);

// The function's symbol in the user's program: for a copy that propagation made, that of the
// function it was copied from.
Name words_function(const Words *words, OpId function);
// "%5", "%5#1", "@layer:%5" or an argument's path ("params.w"); 0 if the value has no name.
Name words_value(Words *words, ValueId v);
// The name of the value's origin (origin.h), possibly the value itself; 0 if it has none.
Name words_origin(Words *words, ValueId v);
// `[{"data"}, {}]`, without the mesh. Sharding 0 gives `rank` empty dimensions.
Name words_sharding(Words *words, Sharding sharding, uint32_t rank);
// `data`; a sub-axis in sdy syntax: `"data":(1)2`.
Name words_axis(Words *words, MeshId mesh, AxisRef axis);

#endif
