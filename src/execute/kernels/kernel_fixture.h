// For tests and benches of kernels: makes the kernel of one op of a program, runs its tiles in a
// random order on buffers between guard bytes, and compares with the evaluator.
#ifndef TESSERA_EXECUTE_KERNELS_KERNEL_FIXTURE_H
#define TESSERA_EXECUTE_KERNELS_KERNEL_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/evaluate.h"
#include "execute/kernel.h"
#include "ops/sample.h"
#include "parse/parse.h"

enum { FIXTURE_GUARD = 256, FIXTURE_MOST = 16 };

typedef struct KernelFixture {
  Context *context;
  Program *program;
  Arena arena;
  LiteralHeap heap;
  uint64_t state;
  ScatterRule scatter;
  bool in_place;  // run with shared buffers where the kernel allows it
  uint32_t made, refused;
} KernelFixture;

static inline uint64_t fixture_u64(KernelFixture *f) {
  f->state = f->state * 6364136223846793005u + 1442695040888963407u;
  uint64_t x = f->state;
  return x ^ x >> 29;
}

// A buffer aligned to 64 bytes between guard bytes, filled with junk.
static inline char *guarded_new(size_t bytes) {
  size_t total = (bytes + 2 * FIXTURE_GUARD + 63) / 64 * 64;
  char *block = aligned_alloc(64, total);
  if (!block) abort();
  memset(block, 0xA5, total);
  return block + FIXTURE_GUARD;
}
static inline bool guarded_intact(const char *data, size_t bytes) {
  for (size_t i = 0; i < FIXTURE_GUARD; i++)
    if ((uint8_t)data[-1 - (ptrdiff_t)i] != 0xA5 || (uint8_t)data[bytes + i] != 0xA5) return false;
  return true;
}
static inline void guarded_free(char *data) { free(data - FIXTURE_GUARD); }

static inline size_t fixture_bytes(const Literal *l) {
  return (size_t)l->count * (size_t)dtype_bytes(l->dtype);
}

// Runs all tiles of the kernel and its successors, each in a random order.
static inline void fixture_run(KernelFixture *f, const Kernel *kernel, void *const *buffers) {
  for (const Kernel *k = kernel; k; k = k->next) {
    uint32_t n = k->n_tiles, *order = calloc(n, sizeof *order);
    if (!order) abort();
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    for (uint32_t i = n; i-- > 1;) {
      uint32_t j = (uint32_t)(fixture_u64(f) % (i + 1)), t = order[i];
      order[i] = order[j];
      order[j] = t;
    }
    char *scratch = guarded_new(k->scratch_bytes);
    for (uint32_t i = 0; i < n; i++) k->run(k, buffers, order[i], scratch);
    if (!guarded_intact(scratch, k->scratch_bytes)) {
      fprintf(stderr, "%s writes outside of its scratch memory\n", k->name);
      abort();
    }
    guarded_free(scratch);
    free(order);
  }
}

// The largest distance of two results relative to the scale of the expected one. Exact: 0 only for
// equal bits, or two NaNs.
static inline double fixture_distance(const Literal *want, const char *got, bool exact) {
  double worst = 0, scale = 0;
  for (int64_t i = 0; i < want->count; i++) {
    Scalar a = literal_get(want, i);
    if (isfinite(a.f) && fabs(a.f) > scale) scale = fabs(a.f);
  }
  bool real = dtype_is_float(want->dtype) || dtype_is_complex(want->dtype);
  size_t item = (size_t)dtype_bytes(want->dtype);
  for (int64_t i = 0; i < want->count; i++) {
    if (memcmp((const char *)want->data + (size_t)i * item, got + (size_t)i * item, item) == 0)
      continue;
    if (!real) return INFINITY;
    Scalar a = literal_get(want, i), b = dtype_load(want->dtype, got, i);
    if (isnan(a.f) && isnan(b.f)) continue;
    if (exact && !(a.f == b.f && a.f != 0)) return INFINITY;
    if (exact && a.im != b.im) return INFINITY;
    double d = fmax(fabs(a.f - b.f), dtype_is_complex(want->dtype) ? fabs(a.im - b.im) : 0);
    if (a.f == b.f) d = dtype_is_complex(want->dtype) ? fabs(a.im - b.im) : 0;
    d /= scale > 0 ? scale : 1;
    if (!(d <= worst)) worst = isnan(d) ? INFINITY : d;
  }
  return worst;
}

// The last op of the function's block before its return.
static inline OpId fixture_op(const Program *p, OpId function) {
  BlockId block = region_block(p, op_region(p, function, 0));
  return op_at(p, block_at(p, block)->last)->prev;
}

// Makes and runs the kernel of the function's last op before the return, whose operands are the
// function's arguments or constants. tolerance: relative; 0: bits are equal. Returns a message, or
// NULL.
static inline const char *fixture_check(KernelFixture *f, OpId function, Literal *const *args,
                                        double tolerance) {
  Program *p = f->program;
  OpId op = fixture_op(p, function);
  KernelMaker maker = kernel_maker(op_at(p, op)->code);
  Kernel kernel = {0};
  if (!maker || !maker(&(KernelRequest){.program = p, .arena = &f->arena, .op = op}, &kernel)) {
    f->refused++;
    return NULL;
  }
  f->made++;
  uint32_t n_in = op_at(p, op)->n_operands, n_out = op_at(p, op)->n_results;
  Literal *want[FIXTURE_MOST] = {0};
  EvalReport report;
  uint32_t n_args = evaluate_n_arguments(p, function);
  Status *status = evaluate(p, function, &(EvalOptions){.scatter = f->scatter}, &f->heap, &f->arena,
                            n_args, args, n_out, want, &report);
  if (status) return arena_printf(&f->arena, "evaluator: %s", status_message(status));
  char *buffers[3 * FIXTURE_MOST] = {0};
  size_t bytes[3 * FIXTURE_MOST] = {0};
  Literal *in[FIXTURE_MOST];
  for (uint32_t i = 0; i < n_in; i++) {
    ValueId v = op_operand(p, op, i);
    in[i] = value_at(p, v)->is_arg
                ? args[value_at(p, v)->index]
                : literal_from_dense(&f->heap, f->context, op_attr(p, value_def(p, v), "value"));
    bytes[i] = fixture_bytes(in[i]);
    buffers[i] = guarded_new(bytes[i]);
    if (bytes[i]) memcpy(buffers[i], in[i]->data, bytes[i]);
  }
  bool shared[FIXTURE_MOST] = {false};
  for (uint32_t i = 0; i < n_out; i++) {
    bytes[n_in + i] = fixture_bytes(want[i]);
    uint32_t from = kernel.in_place ? kernel.in_place[i] : KERNEL_APART;
    if (f->in_place && from != KERNEL_APART && !shared[from]) {
      buffers[n_in + i] = buffers[from];
      shared[from] = true;
    } else {
      buffers[n_in + i] = guarded_new(bytes[n_in + i]);
    }
  }
  size_t temp = 0;
  for (const Kernel *k = &kernel; k; k = k->next)
    if (k->temp_bytes > temp) temp = k->temp_bytes;
  bytes[n_in + n_out] = temp;
  buffers[n_in + n_out] = guarded_new(temp);
  void *plain[3 * FIXTURE_MOST];
  for (uint32_t i = 0; i <= n_in + n_out; i++) plain[i] = buffers[i];
  fixture_run(f, &kernel, plain);
  const char *message = NULL;
  for (uint32_t i = 0; i <= n_in + n_out && !message; i++)
    if (!guarded_intact(buffers[i], bytes[i]))
      message = arena_printf(&f->arena, "%s writes outside of buffer %u", kernel.name, i);
  for (uint32_t i = 0; i < n_in && !message; i++)
    if (!shared[i] && bytes[i] && memcmp(buffers[i], in[i]->data, bytes[i]) != 0)
      message = arena_printf(&f->arena, "%s changes input %u", kernel.name, i);
  for (uint32_t i = 0; i < n_out && !message; i++) {
    double d = fixture_distance(want[i], buffers[n_in + i], tolerance == 0);
    if (d > tolerance)
      message = arena_printf(&f->arena, "%s: result %u is off by %g relative, at most %g expected",
                             kernel.name, i, d, tolerance);
  }
  for (uint32_t i = 0; i <= n_in + n_out; i++) {
    bool again = false;
    for (uint32_t j = 0; j < i; j++) again |= buffers[j] == buffers[i];
    if (!again) guarded_free(buffers[i]);
  }
  return message;
}

#endif
