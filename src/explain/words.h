// Names of ops, values and shardings as the user's own text has them: for reasons (reason.h) and
// for work that is computed redundantly (redundant.h).
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
  Arena *scratch;   // of argument paths
  const Pos *ends;  // of the source's lines
  uint32_t n_ends;
} Words;

// Lists the lines of the program's source in the arena. scratch may be rewound between calls.
// O(program + source).
void words_init(Words *words, const Program *p, const ShardingTable *table,
                const SymbolTable *functions, Arena *arena, Arena *scratch, Guard *guard);
void words_deinit(Words *words);

// An op; what is not known is 0.
typedef struct OpWords {
  Name name;   // "stablehlo.reduce"
  Name value;  // "%5", "@layer:%5", "%5:2"
  Name path;   // of its location: "jit(step)/mul"
  Name file;   // of its location, else that of the program's text
  uint32_t line;
} OpWords;
OpWords words_op(Words *words, OpId op);
// `%5 = stablehlo.reduce (jit(step)/mul, model.py:31)`: of the file only the last name.
void words_put_op(const Context *context, const OpWords *op, StrBuf *out);
// An object of name, value, path, file and line, null where not known; null without a name.
void op_words_json(const Context *context, const OpWords *op, Json *json);

// "%5", "%5#1", "@layer:%5", an argument's path ("params.w"); 0 if the value has no name.
Name words_value(Words *words, ValueId v);
// The argument that the value comes from (origin.h), which may be itself; 0 if there is none.
Name words_origin(Words *words, ValueId v);
// `[{"data"}, {}]`, without the mesh; all dimensions of rank `rank` empty for 0.
Name words_sharding(Words *words, Sharding sharding, uint32_t rank);
// `data`; a part of an axis as sdy writes it: `"data":(1)2`.
Name words_axis(Words *words, MeshId mesh, AxisRef axis);

#endif
