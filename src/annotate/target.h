// What a user calls a value: `%12` as in the text, `model.py:31`, `params.layer_0.kernel`, `arg3`,
// `result0`, or a glob over these.
//
//   params['layer_0']["kernel"]  state.params  x[0].y       as JAX prints paths
//   params.layer_0.kernel        state.params  x.0.y        as they are here, and in patterns
#ifndef TESSERA_ANNOTATE_TARGET_H
#define TESSERA_ANNOTATE_TARGET_H

#include "ir/program.h"
#include "ops/functions.h"

typedef enum TargetKind { TARGET_ARGUMENT, TARGET_RESULT, TARGET_VALUE } TargetKind;

typedef struct Target {
  OpId function;
  uint8_t kind;    // TargetKind
  uint32_t index;  // of the argument or result
  ValueId value;   // 0 for a function's result
} Target;

typedef struct TargetList {
  const Target *v;
  uint32_t n;
} TargetList;

// The path in dots; text that is no path stays as it is. In the arena.
Str path_dotted(Arena *arena, Str text);
// `*` is any run of letters, dots too; `?` is one letter; `[qkv]`, `[a-z]` one of these, `[!x]` or
// `[^x]` one that is none of them; a letter behind a backslash is itself. A `[` that no `]` closes
// is itself, too. O(|glob| |path|).
bool path_matches(Str glob, Str path);

// Dotted path of an argument: from jax.arg_info, its location, or its name in the text; empty if it
// has but a number. Of a result: from jax.result_info, always beginning with `result`.
Str argument_path(const Program *p, OpId function, uint32_t i, Arena *arena);
// The text that path is read from, as the program spells it: params['w']; empty likewise.
Str argument_name(const Program *p, OpId function, uint32_t i);
Str result_path(const Program *p, OpId function, uint32_t i, Arena *arena);

// All that the pattern means, arguments first, then results; if there are none of these, values.
// A name or path comes before another word for one (out, result0), and that before a number (arg0,
// result0): what one finds, the next is not asked for.
//   0  arg0  %arg0          arguments; also by path or glob
//   result0  result[0]  out.loss
//   %12  %12#1              a value by its name in the text; several if scopes repeat the name
//   model.mlir:7            what the ops of that line of the text define
//   model.py:31             what the last op of that line of the user's program defines, of its
//                           gradient only if there is no other; in called functions, too
//   @f:PATTERN              in the function @f instead
// Brackets are first read as JAX prints paths: w[qkv] and layers[12] are the keys qkv and 12. If
// nothing is called so they are classes of letters, those that have only digits last.
// Empty if nothing is called so. O(program).
TargetList targets_find(const Program *p, Str pattern, Arena *arena);
// The names nearest to a pattern that means nothing; at most `most`; gives how many. O(names).
uint32_t targets_near(const Program *p, Str pattern, Arena *arena, uint32_t most, Str *out);
// The same for messages: "; near names: …"; if there are none, what arguments are called.
const char *targets_near_text(const Program *p, Str pattern, Arena *arena);
// For messages on a pattern that means nothing: why it cannot, as in "; the nearest line …"; or "".
// O(program).
const char *targets_hint(const Program *p, Str pattern, Arena *arena);
// For messages: `argument 3 'params.w'`, `result 0`, `%12`.
const char *target_text(const Program *p, const Target *target, Arena *arena);
Type target_type(const Program *p, const Target *target);
// Where it stands in the text: its op, or its function's.
Pos target_pos(const Program *p, const Target *target);

#endif
