// Names for values in options and rules: `%12`, `model.py:31`, `params.layer_0.kernel`, `arg3`,
// `result0`, or a glob over these.
//
//   params['layer_0']["kernel"]  state.params  x[0].y       JAX's paths
//   params.layer_0.kernel        state.params  x.0.y        the dotted form used in patterns
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

// Converts a path to its dotted form; other text is unchanged. In the arena.
Str path_dotted(Arena *arena, Str text);
// `*` matches any characters, dots too; `?` one character; `[qkv]`, `[a-z]` one of these; `[!x]` or
// `[^x]` one other than these. A backslash quotes a character. A `[` without `]` matches itself.
// O(|glob| · |path|).
bool path_matches(Str glob, Str path);

// The dotted path of an argument, from jax.arg_info, its location or its SSA name; empty if it has
// only a number. Of a result: from jax.result_info, always beginning with `result`.
Str argument_path(const Program *p, OpId function, uint32_t i, Arena *arena);
// The text that the path is made from, as in the program: params['w']; empty likewise.
Str argument_name(const Program *p, OpId function, uint32_t i);
Str result_path(const Program *p, OpId function, uint32_t i, Arena *arena);

// All targets of a pattern: arguments, then results; values only if there are none of these. A name
// or path is preferred to a synonym (out, result0), and a synonym to a number (arg0, result0).
//   0  arg0  %arg0          arguments; also by path or glob
//   result0  result[0]  out.loss
//   result#3               by number alone, whatever the paths: result3 may be the path result[3]
//   %12  %12#1              a value by its name in the text; several if scopes repeat the name
//   model.mlir:7            the values that ops on that line of the program's text define
//   model.py:31             the values of the last op of that line of the user's program; ops of
//                           the backward pass only if there are no others; in callees, too
//   @f:PATTERN              in the function @f instead
// Brackets are first read as JAX's keys: w[qkv] and layers[12] are the keys qkv and 12. If nothing
// matches, they are character classes; brackets with only digits are tried as classes last.
// Empty if nothing matches. O(program).
TargetList targets_find(const Program *p, Str pattern, Arena *arena);

// Paths of a function's arguments and results (argument_path, result_path), for many patterns.
typedef struct EdgePaths {
  OpId function;
  const Str *arguments, *results;
} EdgePaths;
// The same; paths may be NULL.
TargetList targets_find_by(const Program *p, const EdgePaths *paths, Str pattern, Arena *arena);
// The names nearest to a pattern without matches, at most `most`; returns their number. O(names).
uint32_t targets_near(const Program *p, Str pattern, Arena *arena, uint32_t most, Str *out);
// The same as text: "; near names: …"; without near names, the names of some arguments.
const char *targets_near_text(const Program *p, Str pattern, Arena *arena);
// Why a pattern has no matches, as text: "; the nearest line …"; or "". O(program).
const char *targets_hint(const Program *p, Str pattern, Arena *arena);
// Text for messages: `argument 3 'params.w'`, `result 0`, `%12`.
const char *target_text(const Program *p, const Target *target, Arena *arena);
Type target_type(const Program *p, const Target *target);
// The position of the target's op, or of its function.
Pos target_pos(const Program *p, const Target *target);

#endif
