// Reasons: why each collective is in the local program. A reason is a dictionary that names the op
// and the value of the global program. It is the metadata of a fused location around the
// collective's own location:
//
//   loc(fused<{tessera.why = {cause = "operand", op = {name = "stablehlo.reduce", …}, …}}>[…])
//
// Optimizer passes keep locations, so a reason survives rewrites of its collective. A local program
// printed with --locations can be read back with its reasons.
#ifndef TESSERA_EXPLAIN_REASON_H
#define TESSERA_EXPLAIN_REASON_H

#include "base/json.h"
#include "explain/words.h"

// ---- writing: locations for ops that communicate ----

// `user` (an op or a terminator) needs `value` in sharding `to`, but it has `from`.
Attr reason_reshard(Words *words, ValueId value, Sharding from, Sharding to, OpId user);
// The op itself communicates: halos, gathered rows of other shards, partial results.
Attr reason_op(Words *words, OpId op);
// The op is a collective of the global program, inside a manual computation.
Attr reason_program(Words *words, OpId op);
// The op has side effects and waits for earlier side effects on other devices.
Attr reason_order(Words *words, OpId op);
// One device computes the op, and other devices use its result.
Attr reason_device(Words *words, OpId op, uint32_t device);

// ---- reading ----

typedef struct Reason {
  const char *id;           // "r1": rank by bytes
  const char *kind;         // "all_reduce"
  const char *const *axes;  // mesh axes over which it communicates
  uint32_t n_axes;          // 0: unknown
  const char *why;          // a sentence; "" if unknown
  Attr data;                // the dictionary; 0 if unknown
  uint32_t count;           // number of collectives with this kind and dictionary
  uint32_t others;          // number of other values in the same combined collective
  double bytes;             // sent per device by all `count` collectives, times trip counts
  bool unknown;             // bytes depend on an unknown trip count
} Reason;

// A collective has one reason. A combined collective has one per combined value.
typedef struct ReasonUse {
  OpId op;
  uint32_t reason;
} ReasonUse;

typedef struct Reasons {
  const Reason *rows;  // sorted by bytes, largest first
  uint32_t n;
  const ReasonUse *uses;  // in program order
  uint32_t n_uses;
} Reasons;

// Lists the reasons of all collectives of a local program, in the arena. Without a mesh (NULL) no
// axes are known. O(program + collectives · log collectives).
void reasons_list(const Program *local, const Mesh *mesh, uint32_t n_devices, Guard *guard,
                  Arena *arena, Reasons *out);
// `r1  all_reduce over "model", 24 bytes sent per device: %5 = stablehlo.reduce (mlp.mlir:11) …`
void reason_print(const Reason *reason, bool guess, StrBuf *out);
// Sets tessera.why = "r1" on each collective, or ["r1", "r4"] on a combined one.
void reasons_mark(Program *local, const Reasons *reasons, Arena *arena);
// Writes the keys cause, op, value, source_sharding, target_sharding, partial, axes, result and
// device into the open JSON object.
void reason_json(const Context *context, const Reason *reason, Json *json);

#endif
