// Why a local program communicates. A reason is data: a dictionary that names the op and the value
// of the global program, kept as the metadata of a fused location around the collective's own:
//
//   loc(fused<{tessera.why = {cause = "operand", op = {name = "stablehlo.reduce", …}, …}}>[…])
//
// Passes keep locations, so a reason outlives whatever is made of its collective, and it is read
// back from a local program that was printed with its locations.
#ifndef TESSERA_EXPLAIN_REASON_H
#define TESSERA_EXPLAIN_REASON_H

#include "base/json.h"
#include "explain/words.h"

// ---- writing: locations for ops that communicate ----

// A value has one sharding, and `user` (an op, or the end of a function or region) needs another.
Attr reason_reshard(Words *words, ValueId value, Sharding from, Sharding to, OpId user);
// An op communicates by itself: halos, rows of other devices, partial results.
Attr reason_op(Words *words, OpId op);
// The op is a collective of the global program, inside a manual computation.
Attr reason_program(Words *words, OpId op);
// An op with side effects waits for those before it, on other devices.
Attr reason_order(Words *words, OpId op);
// An op is computed by one device, and others use its result.
Attr reason_device(Words *words, OpId op, uint32_t device);

// ---- reading ----

typedef struct Reason {
  const char *id;           // "r1", by rank
  const char *kind;         // "all_reduce"
  const char *const *axes;  // of the mesh, over which it communicates
  uint32_t n_axes;          // 0 if they are not known
  const char *why;          // a sentence; "" if nothing is known
  Attr data;                // the dictionary; 0 if nothing is known
  uint32_t count;           // collectives of that kind with that reason
  uint32_t others;          // values that are sent together with it by a combined collective
  double bytes;             // sent per device, for all of them, loops counted as often as they run
  bool unknown;             // that depends on a loop of unknown length
} Reason;

// One collective has one reason, or several if it is a combined one.
typedef struct ReasonUse {
  OpId op;
  uint32_t reason;
} ReasonUse;

typedef struct Reasons {
  const Reason *rows;  // the most expensive first
  uint32_t n;
  const ReasonUse *uses;  // in the order of the program
  uint32_t n_uses;
} Reasons;

// Of all collectives of a local program. mesh may be NULL: then no axes are known. In the arena.
// O(collectives · log).
void reasons_list(const Program *local, const Mesh *mesh, uint32_t n_devices, Guard *guard,
                  Arena *arena, Reasons *out);
// `r1  all_reduce over "model", 24 bytes sent per device: %5 = stablehlo.reduce (mlp.mlir:11) …`
void reason_print(const Reason *reason, bool guess, StrBuf *out);
// Each collective gets its ids: tessera.why = "r1", or ["r1", "r4"] of a combined one.
void reasons_mark(Program *local, const Reasons *reasons, Arena *arena);
// The keys cause, op, value, source_sharding, target_sharding, partial, axes, result and device of
// an open object.
void reason_json(const Context *context, const Reason *reason, Json *json);

#endif
