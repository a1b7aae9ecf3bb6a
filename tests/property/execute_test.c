// Random programs, compiled, against the evaluator, bit for bit: moves, reductions, products,
// updates in place, loops and branches with captured values, results that are arguments or twice
// the same value. Floats are small integers, so that sums are exact in every order. Each program
// runs with one and with two workers, twice.
//
// TESSERA_CASES: how many programs; TESSERA_SEED: which; EXECUTE_CASE=seed: one of them, printed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/execute/execute_fixture.h"
#include "base/sanitize.h"

// ---- making programs ----

enum { MOST_VALUES = 400, MOST_RANK = 4, MOST_TEXT = 1 << 18 };
#define MOST_ELEMENTS (m->big ? 200000 : 600)

typedef enum Elem { I32, F32, I1, UI8, BF16, I64, F64, N_ELEMS } Elem;
static const char *const elem_names[] = {"i32", "f32", "i1", "ui8", "bf16", "i64", "f64"};

typedef struct Shaped {
  Elem elem;
  int rank;
  int dims[MOST_RANK];
} Shaped;

typedef struct Maker {
  uint64_t seed;
  char text[MOST_TEXT];
  size_t used;
  Shaped values[MOST_VALUES];  // %0 … are visible
  int ids[MOST_VALUES], n;
  int next_id, depth;
  bool big;  // tensors of many tiles
} Maker;

static void put(Maker *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(Maker *m, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(m->text + m->used, sizeof m->text - m->used, fmt, args);
  va_end(args);
  assert_true(n >= 0 && (size_t)n < sizeof m->text - m->used);
  m->used += (size_t)n;
}

static int roll(Maker *m, int n) { return (int)(execute_fixture_random(&m->seed) % (uint64_t)n); }

static bool is_real(Elem e) { return e == F32 || e == BF16 || e == F64; }
static bool is_whole(Elem e) { return e == I32 || e == UI8 || e == I64; }

static int elements(const Shaped *t) {
  int n = 1;
  for (int d = 0; d < t->rank; d++) n *= t->dims[d];
  return n;
}

// The text of a type, in one of a few buffers.
static const char *type_of(const Shaped *t) {
  static char buffers[16][64];
  static int turn;
  char *out = buffers[turn++ % 16];
  size_t at = (size_t)snprintf(out, 64, "tensor<");
  for (int d = 0; d < t->rank; d++) at += (size_t)snprintf(out + at, 64 - at, "%dx", t->dims[d]);
  snprintf(out + at, 64 - at, "%s>", elem_names[t->elem]);
  return out;
}

static bool same(const Shaped *a, const Shaped *b) {
  if (a->elem != b->elem || a->rank != b->rank) return false;
  for (int d = 0; d < a->rank; d++)
    if (a->dims[d] != b->dims[d]) return false;
  return true;
}

// Makes the next id visible; the caller has written its definition with `m->next_id`.
static int define(Maker *m, Shaped t) {
  int id = m->next_id++;
  if (m->n < MOST_VALUES) m->values[m->n] = t, m->ids[m->n++] = id;
  return id;
}

static int pick(Maker *m) { return roll(m, 3) || m->n < 6 ? roll(m, m->n) : m->n - 1 - roll(m, 6); }

// A visible value of the type, `other` if there is no other one.
static int pick_same(Maker *m, const Shaped *t, int other) {
  int at = roll(m, m->n);
  for (int k = 0; k < m->n; k++) {
    int i = (at + k) % m->n;
    if (same(&m->values[i], t) && (i != other || roll(m, 8) == 0)) return i;
  }
  return other;
}

static int constant(Maker *m, Shaped t, int value) {
  put(m, "%%%d = stablehlo.constant dense<", m->next_id);
  if (t.elem == I1)
    put(m, "%s", value & 1 ? "true" : "false");
  else
    put(m, is_real(t.elem) ? "%d.0" : "%d", t.elem == UI8 ? abs(value) : value);
  put(m, "> : %s\n", type_of(&t));
  return define(m, t);
}

static int scalar(Maker *m, Elem e, int value) { return constant(m, (Shaped){.elem = e}, value); }

// Small again, so that products and sums stay exact.
static void clamp(Maker *m, int id, Shaped t) {
  int low = scalar(m, t.elem, t.elem == UI8 ? 0 : -8), high = scalar(m, t.elem, 8);
  Shaped s = {.elem = t.elem};
  put(m, "%%%d = stablehlo.clamp %%%d, %%%d, %%%d : (%s, %s, %s) -> %s\n", m->next_id, low, id,
      high, type_of(&s), type_of(&t), type_of(&s), type_of(&t));
  define(m, t);
}

static void list(Maker *m, const char *name, int n, const int *items) {
  put(m, "%s[", name);
  for (int i = 0; i < n; i++) put(m, "%s%d", i ? ", " : "", items[i]);
  put(m, "]");
}
static void array(Maker *m, const char *name, int n, const int *items) {
  put(m, "%s = array<i64", name);
  for (int i = 0; i < n; i++) put(m, "%s%d", i ? ", " : ": ", items[i]);
  put(m, ">");
}

// ---- ops ----

static void make_unary(Maker *m) {
  int v = pick(m);
  Shaped t = m->values[v];
  static const char *const whole[] = {"negate", "abs", "not", "sign"};
  static const char *const real[] = {"negate", "abs", "floor", "sign"};
  const char *op = t.elem == I1 ? "not" : is_real(t.elem) ? real[roll(m, 4)] : whole[roll(m, 4)];
  if (t.elem == UI8 && strcmp(op, "not") != 0) op = "negate";
  put(m, "%%%d = stablehlo.%s %%%d : %s\n", m->next_id, op, m->ids[v], type_of(&t));
  int id = define(m, t);
  if (t.elem == BF16 || t.elem == UI8) clamp(m, id, t);
}

static void make_binary(Maker *m) {
  int v = pick(m);
  Shaped t = m->values[v];
  int w = pick_same(m, &t, v);
  static const char *const all[] = {"add",     "subtract", "multiply", "maximum",
                                    "minimum", "and",      "or",       "xor"};
  int k = t.elem == I1 ? 5 + roll(m, 3) : roll(m, is_real(t.elem) ? 5 : 8);
  put(m, "%%%d = stablehlo.%s %%%d, %%%d : %s\n", m->next_id, all[k], m->ids[v], m->ids[w],
      type_of(&t));
  int id = define(m, t);
  if (is_real(t.elem)) clamp(m, id, t);
}

static int compare(Maker *m, int a, int b, Shaped t) {
  static const char *const how[] = {"LT", "LE", "EQ", "NE", "GT", "GE"};
  Shaped flag = t;
  flag.elem = I1;
  put(m, "%%%d = stablehlo.compare %s, %%%d, %%%d : (%s, %s) -> %s\n", m->next_id, how[roll(m, 6)],
      a, b, type_of(&t), type_of(&t), type_of(&flag));
  return define(m, flag);
}

static void make_select(Maker *m) {
  int v = pick(m);
  Shaped t = m->values[v], flag = t;
  flag.elem = I1;
  int w = pick_same(m, &t, v), a = m->ids[v], b = m->ids[w], p = compare(m, a, b, t);
  put(m, "%%%d = stablehlo.select %%%d, %%%d, %%%d : %s, %s\n", m->next_id, p, b, a, type_of(&flag),
      type_of(&t));
  define(m, t);
}

static void make_convert(Maker *m) {
  int v = pick(m);
  Shaped from = m->values[v], to = from;
  int id = m->ids[v];
  to.elem = (Elem)roll(m, N_ELEMS);
  if (from.elem != I1 && (from.elem != to.elem)) {
    clamp(m, id, from);
    id = m->next_id - 1;
    if (to.elem == UI8) {
      put(m, "%%%d = stablehlo.%s %%%d : %s\n", m->next_id, from.elem == UI8 ? "not" : "abs", id,
          type_of(&from));
      id = define(m, from);
    }
  }
  put(m, "%%%d = stablehlo.convert %%%d : (%s) -> %s\n", m->next_id, id, type_of(&from),
      type_of(&to));
  define(m, to);
}

static void make_transpose(Maker *m) {
  int v = pick(m), order[MOST_RANK];
  Shaped from = m->values[v], to = from;
  for (int d = 0; d < from.rank; d++) {
    int k = roll(m, d + 1);
    order[d] = order[k];
    order[k] = d;
  }
  for (int d = 0; d < from.rank; d++) to.dims[d] = from.dims[order[d]];
  put(m, "%%%d = stablehlo.transpose %%%d, dims = ", m->next_id, m->ids[v]);
  list(m, "", from.rank, order);
  put(m, " : (%s) -> %s\n", type_of(&from), type_of(&to));
  define(m, to);
}

static void make_reshape(Maker *m) {
  int v = pick(m), n;
  Shaped from = m->values[v], to = {.elem = from.elem};
  n = elements(&from);
  for (int d = 2; d < 9 && to.rank < 2; d++)
    if (n % d == 0 && roll(m, 2)) to.dims[to.rank++] = d, n /= d;
  if (n != 1 || roll(m, 2)) to.dims[to.rank++] = n;
  put(m, "%%%d = stablehlo.reshape %%%d : (%s) -> %s\n", m->next_id, m->ids[v], type_of(&from),
      type_of(&to));
  define(m, to);
}

static void make_broadcast(Maker *m) {
  int v = pick(m), dims[MOST_RANK];
  Shaped from = m->values[v], to = from;
  if (from.rank == MOST_RANK || elements(&from) * 4 > MOST_ELEMENTS) return;
  int at = roll(m, from.rank + 1);
  for (int d = from.rank; d > at; d--) to.dims[d] = to.dims[d - 1];
  to.dims[at] = 1 + roll(m, 4);
  to.rank++;
  for (int d = 0; d < from.rank; d++) dims[d] = d + (d >= at);
  put(m, "%%%d = stablehlo.broadcast_in_dim %%%d, dims = ", m->next_id, m->ids[v]);
  list(m, "", from.rank, dims);
  put(m, " : (%s) -> %s\n", type_of(&from), type_of(&to));
  define(m, to);
}

static void make_slice(Maker *m) {
  int v = pick(m), low[MOST_RANK], high[MOST_RANK], step[MOST_RANK];
  Shaped from = m->values[v], to = from;
  for (int d = 0; d < from.rank; d++) {
    low[d] = from.dims[d] > 1 ? roll(m, from.dims[d]) / 2 : 0;
    high[d] = from.dims[d] - (from.dims[d] > low[d] + 1 ? roll(m, 2) : 0);
    step[d] = 1 + roll(m, 2);
    to.dims[d] = (high[d] - low[d] + step[d] - 1) / step[d];
    if (to.dims[d] < 1) return;
  }
  put(m, "%%%d = \"stablehlo.slice\"(%%%d) {", m->next_id, m->ids[v]);
  array(m, "start_indices", from.rank, low);
  array(m, ", limit_indices", from.rank, high);
  array(m, ", strides", from.rank, step);
  put(m, "} : (%s) -> %s\n", type_of(&from), type_of(&to));
  define(m, to);
}

static void make_reverse(Maker *m) {
  int v = pick(m), dims[MOST_RANK], n = 0;
  Shaped t = m->values[v];
  for (int d = 0; d < t.rank; d++)
    if (roll(m, 2)) dims[n++] = d;
  put(m, "%%%d = stablehlo.reverse %%%d, dims = ", m->next_id, m->ids[v]);
  list(m, "", n, dims);
  put(m, " : %s\n", type_of(&t));
  define(m, t);
}

static void make_pad(Maker *m) {
  int v = pick(m), low[MOST_RANK], high[MOST_RANK], inside[MOST_RANK];
  Shaped from = m->values[v], to = from, s = {.elem = from.elem};
  for (int d = 0; d < from.rank; d++) {
    low[d] = roll(m, 4) - 1;
    high[d] = roll(m, 4) - 1;
    inside[d] = roll(m, 3) == 0;
    to.dims[d] = from.dims[d] + (from.dims[d] - 1) * inside[d] + low[d] + high[d];
    if (to.dims[d] < 1) return;
  }
  if (elements(&to) > MOST_ELEMENTS) return;
  int id = m->ids[v], zero = scalar(m, from.elem, roll(m, 5));
  put(m, "%%%d = stablehlo.pad %%%d, %%%d", m->next_id, id, zero);
  list(m, ", low = ", from.rank, low);
  list(m, ", high = ", from.rank, high);
  list(m, ", interior = ", from.rank, inside);
  put(m, " : (%s, %s) -> %s\n", type_of(&from), type_of(&s), type_of(&to));
  define(m, to);
}

static void make_concatenate(Maker *m) {
  int v = pick(m);
  Shaped t = m->values[v], to = t;
  if (!t.rank || 2 * elements(&t) > MOST_ELEMENTS) return;
  int w = pick_same(m, &t, v), d = roll(m, t.rank);
  to.dims[d] *= 2;
  put(m, "%%%d = stablehlo.concatenate %%%d, %%%d, dim = %d : (%s, %s) -> %s\n", m->next_id,
      m->ids[v], m->ids[w], d, type_of(&t), type_of(&t), type_of(&to));
  define(m, to);
}

static void make_reduce(Maker *m) {
  int v = pick(m), dims[MOST_RANK], n = 0;
  Shaped from = m->values[v], to = {.elem = from.elem}, s = {.elem = from.elem};
  if (from.elem == BF16) return;
  for (int d = 0; d < from.rank; d++)
    if (roll(m, 2))
      dims[n++] = d;
    else
      to.dims[to.rank++] = from.dims[d];
  static const char *const ops[] = {"add", "maximum", "minimum"};
  const char *op = from.elem == I1 ? (roll(m, 2) ? "and" : "or") : ops[roll(m, 3)];
  int id = m->ids[v], init = scalar(m, from.elem, roll(m, 3));
  put(m, "%%%d = stablehlo.reduce(%%%d init: %%%d) applies stablehlo.%s across dimensions = ",
      m->next_id, id, init, op);
  list(m, "", n, dims);
  put(m, " : (%s, %s) -> %s\n", type_of(&from), type_of(&s), type_of(&to));
  id = define(m, to);
  if (is_real(to.elem)) clamp(m, id, to);
}

// Start indices: a constant, or any scalar i32, also out of range.
static void indices(Maker *m, int n, int *out) {
  Shaped s = {.elem = I32};
  for (int i = 0; i < n; i++) {
    int at = pick_same(m, &s, -1);
    out[i] = at >= 0 && roll(m, 2) ? m->ids[at] : scalar(m, I32, roll(m, 4));
  }
}

static void make_dynamic_slice(Maker *m) {
  int v = pick(m), at[MOST_RANK] = {0};
  Shaped from = m->values[v], to = from;
  int id = m->ids[v];
  for (int d = 0; d < from.rank; d++) to.dims[d] = 1 + roll(m, from.dims[d]);
  indices(m, from.rank, at);
  put(m, "%%%d = stablehlo.dynamic_slice %%%d", m->next_id, id);
  for (int d = 0; d < from.rank; d++) put(m, ", %%%d", at[d]);
  list(m, ", sizes = ", from.rank, to.dims);
  put(m, " : (%s", type_of(&from));
  for (int d = 0; d < from.rank; d++) put(m, ", tensor<i32>");
  put(m, ") -> %s\n", type_of(&to));
  define(m, to);
}

// The update is a slice of another value of the type, so that both may be one buffer.
static void make_update(Maker *m) {
  int v = pick(m), at[MOST_RANK] = {0}, zero[MOST_RANK] = {0}, one[MOST_RANK];
  Shaped t = m->values[v], small = t;
  if (!t.rank) return;
  int id = m->ids[v], other = m->ids[pick_same(m, &t, v)];
  for (int d = 0; d < t.rank; d++) small.dims[d] = 1 + roll(m, t.dims[d]), one[d] = 1;
  put(m, "%%%d = \"stablehlo.slice\"(%%%d) {", m->next_id, other);
  array(m, "start_indices", t.rank, zero);
  array(m, ", limit_indices", t.rank, small.dims);
  array(m, ", strides", t.rank, one);
  put(m, "} : (%s) -> %s\n", type_of(&t), type_of(&small));
  int update = define(m, small);
  if (roll(m, 2) && t.elem != I1) {
    put(m, "%%%d = stablehlo.negate %%%d : %s\n", m->next_id, update, type_of(&small));
    update = define(m, small);
  }
  indices(m, t.rank, at);
  put(m, "%%%d = stablehlo.dynamic_update_slice %%%d, %%%d", m->next_id, id, update);
  for (int d = 0; d < t.rank; d++) put(m, ", %%%d", at[d]);
  put(m, " : (%s, %s", type_of(&t), type_of(&small));
  for (int d = 0; d < t.rank; d++) put(m, ", tensor<i32>");
  put(m, ") -> %s\n", type_of(&t));
  define(m, t);
}

// [a, b] x [b, c] with the transpose of a value, or two values that fit.
static void make_product(Maker *m) {
  int v = pick(m);
  Shaped a = m->values[v];
  if (a.rank != 2 || a.elem == I1 || a.elem == BF16 || a.elem == UI8) return;
  Shaped out = {.elem = a.elem, .rank = 2, .dims = {a.dims[0], a.dims[0]}};
  if (elements(&out) > MOST_ELEMENTS) return;
  int w = pick_same(m, &a, v), id = m->ids[v], other = m->ids[w];
  if (is_whole(a.elem)) clamp(m, id, a), id = m->next_id - 1;
  put(m, "%%%d = stablehlo.dot_general %%%d, %%%d, contracting_dims = [1] x [1] : (%s, %s) -> %s\n",
      m->next_id, id, other, type_of(&a), type_of(&a), type_of(&out));
  id = define(m, out);
  if (is_real(out.elem)) clamp(m, id, out);
}

static void make_sort(Maker *m) {
  int v = pick(m);
  Shaped t = m->values[v], s = {.elem = t.elem};
  if (!t.rank || t.elem == I1 || t.elem == BF16) return;
  put(m,
      "%%%d = \"stablehlo.sort\"(%%%d) ({\n^bb0(%%p%d: %s, %%q%d: %s):\n  %%r%d = "
      "stablehlo.compare %s, %%p%d, %%q%d : (%s, %s) -> tensor<i1>\n  stablehlo.return %%r%d : "
      "tensor<i1>\n}) {dimension = %d : i64, is_stable = true} : (%s) -> %s\n",
      m->next_id, m->ids[v], m->next_id, type_of(&s), m->next_id, type_of(&s), m->next_id,
      roll(m, 2) ? "LT" : "GT", m->next_id, m->next_id, type_of(&s), type_of(&s), m->next_id,
      roll(m, t.rank), type_of(&t), type_of(&t));
  define(m, t);
}

// Rows of a matrix by a vector of indices.
static void make_gather(Maker *m) {
  int v = pick(m), n = 1 + roll(m, 5);
  Shaped t = m->values[v], rows = {.elem = I32, .rank = 2, .dims = {n, 1}}, out = t;
  if (t.rank != 2 || n * t.dims[1] > MOST_ELEMENTS) return;
  out.dims[0] = n;
  int id = m->ids[v];
  put(m, "%%%d = stablehlo.iota dim = 0 : %s\n", m->next_id, type_of(&rows));
  int index = define(m, rows);
  if (roll(m, 2)) {
    put(m, "%%%d = stablehlo.reverse %%%d, dims = [0] : %s\n", m->next_id, index, type_of(&rows));
    index = define(m, rows);
  }
  if (roll(m, 2)) {
    put(m,
        "%%%d = \"stablehlo.gather\"(%%%d, %%%d) {dimension_numbers = "
        "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
        "index_vector_dim = 1>, slice_sizes = array<i64: 1, %d>} : (%s, %s) -> %s\n",
        m->next_id, id, index, t.dims[1], type_of(&t), type_of(&rows), type_of(&out));
    define(m, out);
    return;
  }
  if (t.elem == I1 || t.elem == BF16 || t.elem == UI8) return;
  Shaped s = {.elem = t.elem};
  int updates = constant(m, out, 1 + roll(m, 3));
  put(m,
      "%%%d = \"stablehlo.scatter\"(%%%d, %%%d, %%%d) ({\n^bb0(%%p%d: %s, %%q%d: %s):\n  %%r%d = "
      "stablehlo.add %%p%d, %%q%d : %s\n  stablehlo.return %%r%d : %s\n}) "
      "{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
      "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : "
      "(%s, %s, %s) -> %s\n",
      m->next_id, id, index, updates, m->next_id, type_of(&s), m->next_id, type_of(&s), m->next_id,
      m->next_id, m->next_id, type_of(&s), m->next_id, type_of(&s), type_of(&t), type_of(&rows),
      type_of(&out), type_of(&t));
  int result = define(m, t);
  if (is_real(t.elem)) clamp(m, result, t);
}

static void make_iota(Maker *m) {
  Shaped t = m->values[pick(m)];
  if (!t.rank || t.elem == I1) return;
  put(m, "%%%d = stablehlo.iota dim = %d : %s\n", m->next_id, roll(m, t.rank), type_of(&t));
  int id = define(m, t);
  if (is_real(t.elem)) clamp(m, id, t);
}

static void make_barrier(Maker *m) {
  int v = pick(m), w = pick(m);
  Shaped a = m->values[v], b = m->values[w];
  int name = m->next_id;
  m->next_id += 1;
  put(m, "%%b%d:2 = stablehlo.optimization_barrier %%%d, %%%d : %s, %s\n", name, m->ids[v],
      m->ids[w], type_of(&a), type_of(&b));
  // Results of several values get names of their own by an op that changes nothing.
  for (int i = 0; i < 2; i++) {
    Shaped t = i ? b : a;
    put(m, "%%%d = stablehlo.reshape %%b%d#%d : (%s) -> %s\n", m->next_id, name, i, type_of(&t),
        type_of(&t));
    define(m, t);
  }
}

static void make_ops(Maker *m, int n);

static void put_list(Maker *m, int n, const int *ids) {
  for (int i = 0; i < n; i++) put(m, "%s%%%d", i ? ", " : "", ids[i]);
}
static void put_types(Maker *m, int n, const Shaped *types) {
  for (int i = 0; i < n; i++) put(m, "%s%s", i ? ", " : "", type_of(&types[i]));
}

// The values that a region returns: any of the types, often carries of the loop in other places.
static void return_any(Maker *m, int n, const Shaped *types, const int *fallback, int *out) {
  for (int i = 0; i < n; i++) {
    int at = roll(m, 4) == 0 ? -1 : pick_same(m, &types[i], -1);
    out[i] = at >= 0 ? m->ids[at] : fallback[i];
  }
}

static void take_results(Maker *m, int name, int n, const Shaped *types) {
  for (int i = 0; i < n; i++) {
    put(m, "%%%d = stablehlo.reshape %%w%d#%d : (%s) -> %s\n", m->next_id, name, i,
        type_of(&types[i]), type_of(&types[i]));
    define(m, types[i]);
  }
}

enum { MOST_CARRIES = 5 };

static void make_while(Maker *m) {
  if (m->depth >= 2) return;
  int n = 1 + roll(m, MOST_CARRIES - 1), init[MOST_CARRIES], carry[MOST_CARRIES] = {0},
      back[MOST_CARRIES];
  Shaped types[MOST_CARRIES];
  init[0] = scalar(m, I32, 0);
  types[0] = (Shaped){.elem = I32};
  int limit = scalar(m, I32, roll(m, 5)), one = scalar(m, I32, 1);
  for (int i = 1; i < n; i++) {
    int v = pick(m);
    init[i] = m->ids[v];
    types[i] = m->values[v];
  }
  int name = m->next_id++, visible = m->n;
  for (int i = 0; i < n; i++) carry[i] = m->next_id++;
  put(m, "%%w%d:%d = stablehlo.while(", name, n);
  for (int i = 0; i < n; i++) put(m, "%s%%%d = %%%d", i ? ", " : "", carry[i], init[i]);
  put(m, ") : ");
  put_types(m, n, types);
  put(m, "\ncond {\n");
  put(m, "  %%c%d = stablehlo.compare LT, %%%d, %%%d : (tensor<i32>, tensor<i32>) -> tensor<i1>\n",
      name, carry[0], limit);
  put(m, "  stablehlo.return %%c%d : tensor<i1>\n} do {\n", name);
  for (int i = 0; i < n && m->n < MOST_VALUES; i++)
    m->values[m->n] = types[i], m->ids[m->n++] = carry[i];
  m->depth++;
  make_ops(m, 1 + roll(m, 6));
  m->depth--;
  return_any(m, n, types, carry, back);
  put(m, "  %%n%d = stablehlo.add %%%d, %%%d : tensor<i32>\n  stablehlo.return %%n%d", name,
      carry[0], one, name);
  for (int i = 1; i < n; i++) put(m, ", %%%d", back[i]);
  put(m, " : ");
  put_types(m, n, types);
  put(m, "\n}\n");
  m->n = visible;
  if (n == 1) {
    put(m, "%%%d = stablehlo.reshape %%w%d : (tensor<i32>) -> tensor<i32>\n", m->next_id, name);
    define(m, types[0]);
    return;
  }
  take_results(m, name, n, types);
}

static void make_branch(Maker *m) {
  if (m->depth >= 2) return;
  int n = 2 + roll(m, 2), values[MOST_CARRIES], back[MOST_CARRIES];
  Shaped types[MOST_CARRIES], s = {.elem = I32};
  int a = pick_same(m, &s, -1);
  int index = a >= 0 ? m->ids[a] : scalar(m, I32, roll(m, 4) - 1);
  bool flag = roll(m, 2);
  if (flag) index = compare(m, index, scalar(m, I32, roll(m, 3)), s);
  int lists = flag ? 2 : 1 + roll(m, 3);
  for (int i = 0; i < n; i++) {
    int v = pick(m);
    values[i] = m->ids[v];
    types[i] = m->values[v];
  }
  int name = m->next_id++;
  put(m, "%%w%d:%d = \"stablehlo.%s\"(%%%d) (", name, n, flag ? "if" : "case", index);
  for (int k = 0; k < lists; k++) {
    int visible = m->n;
    put(m, k ? ", {\n" : "{\n");
    m->depth++;
    make_ops(m, roll(m, 5));
    m->depth--;
    return_any(m, n, types, values, back);
    put(m, "  stablehlo.return ");
    put_list(m, n, back);
    put(m, " : ");
    put_types(m, n, types);
    put(m, "\n}");
    m->n = visible;
  }
  put(m, ") : (tensor<%s>) -> (", flag ? "i1" : "i32");
  put_types(m, n, types);
  put(m, ")\n");
  take_results(m, name, n, types);
}

static void (*const makers[])(Maker *) = {
    make_unary,   make_unary,  make_binary,        make_binary,  make_binary,    make_select,
    make_convert, make_iota,   make_transpose,     make_reshape, make_broadcast, make_slice,
    make_reverse, make_pad,    make_concatenate,   make_reduce,  make_reduce,    make_update,
    make_update,  make_update, make_dynamic_slice, make_product, make_sort,      make_gather,
    make_gather,  make_while,  make_while,         make_barrier, make_branch,
};

static void make_ops(Maker *m, int n) {
  for (int i = 0; i < n && m->n < MOST_VALUES - 20 && m->used < MOST_TEXT / 2; i++)
    makers[roll(m, sizeof makers / sizeof *makers)](m);
}

static void make_program(Maker *m) {
  static const Shaped first[] = {{I32, 0, {0}},       {F32, 2, {8, 8}},       {I32, 2, {4, 3}},
                                 {F32, 3, {2, 3, 4}}, {I1, 1, {5}},           {F32, 1, {33}},
                                 {UI8, 2, {3, 5}},    {BF16, 2, {4, 6}},      {I64, 1, {7}},
                                 {F64, 2, {3, 3}},    {F32, 4, {2, 2, 3, 2}}, {I32, 2, {8, 8}}};
  static const Shaped large[] = {{F32, 2, {300, 256}},
                                 {I32, 2, {300, 256}},
                                 {I32, 1, {100000}},
                                 {F32, 3, {4, 100, 200}},
                                 {BF16, 2, {256, 300}}};
  enum { N_FIRST = sizeof first / sizeof *first, N_LARGE = sizeof large / sizeof *large };
  int n = 1 + roll(m, 5), out[8];
  Shaped types[8];
  put(m, "func.func @main(");
  for (int i = 0; i < n; i++) {
    Shaped t = m->big ? large[roll(m, N_LARGE)] : first[roll(m, N_FIRST)];
    put(m, "%s%%%d: %s", i ? ", " : "", m->next_id, type_of(&t));
    define(m, t);
  }
  size_t types_at = m->used;
  static char rest[MOST_TEXT];
  make_ops(m, 3 + roll(m, m->big ? 12 : 30));
  int n_out = 1 + roll(m, 6);
  for (int i = 0; i < n_out; i++) {
    int v = roll(m, 3) ? pick(m) : roll(m, m->n);
    out[i] = m->ids[v];
    types[i] = m->values[v];
  }
  m->text[m->used] = 0;
  memcpy(rest, m->text + types_at, m->used - types_at + 1);
  m->used = types_at;
  put(m, ") -> (");
  put_types(m, n_out, types);
  put(m, ") {\n%s  return ", rest);
  put_list(m, n_out, out);
  put(m, " : ");
  put_types(m, n_out, types);
  put(m, "\n}\n");
}

// ---- running ----

static void fill(ExecuteFixture *f) {
  for (uint32_t i = 0; i < f->n_args; i++)
    for (int64_t k = 0; k < f->args[i]->count; k++) {
      int64_t x = (int64_t)(execute_fixture_random(&f->seed) % 9) - 4;
      DType t = f->args[i]->dtype;
      literal_set(f->args[i], k,
                  dtype_is_float(t) ? scalar_f((double)x)
                  : t == DT_i1      ? scalar_i(x & 1)
                                    : scalar_i(t == DT_ui8 && x < 0 ? -x : x));
    }
}

static Status *evaluate_all(Guard *guard, void *arg) {
  ExecuteFixture *f = arg;
  f->heap.guard = guard;
  arena_guard(&f->arena, guard);
  EvalReport report;
  Status *status = evaluate(f->program, f->function, &f->options.eval, &f->heap, &f->arena,
                            f->n_args, f->args, f->n_out, f->out + 8, &report);
  arena_guard(&f->arena, NULL);
  return status;
}

// Equal bits, or two NaNs.
static bool agree(const Literal *a, const Literal *b, int64_t *out_at) {
  size_t item = (size_t)dtype_bytes(a->dtype);
  for (int64_t i = 0; i < a->count; i++) {
    const char *x = (const char *)a->data + (size_t)i * item,
               *y = (const char *)b->data + (size_t)i * item;
    if (memcmp(x, y, item) == 0) continue;
    if (dtype_is_float(a->dtype) && isnan(literal_get(a, i).f) && isnan(literal_get(b, i).f))
      continue;
    *out_at = i;
    return false;
  }
  return true;
}

static void check_results(const ExecuteFixture *f, uint64_t seed, uint32_t workers) {
  for (uint32_t i = 0; i < f->n_out; i++) {
    int64_t at;
    if (agree(f->out[i], f->out[8 + i], &at)) continue;
    fputs(f->text, stdout);
    fail_msg("EXECUTE_CASE=%llu, %u workers: element %lld of result %u is %g, expected %g",
             (unsigned long long)seed, workers, (long long)at, i, literal_get(f->out[i], at).f,
             literal_get(f->out[8 + i], at).f);
  }
}

static void check_status(Status *status, const ExecuteFixture *f, uint64_t seed) {
  if (!status) return;
  fputs(f->text, stdout);
  fail_msg("EXECUTE_CASE=%llu: %s", (unsigned long long)seed, status_message(status));
}

static void one_case(uint64_t seed, bool show) {
  static Maker m;
  memset(&m, 0, sizeof m);
  m.seed = seed * 0x9E3779B97F4A7C15u + 1;
  m.big = seed % 50 == 49;
  make_program(&m);
  if (show) fputs(m.text, stdout);
  ExecuteFixture f = {.text = m.text, .seed = seed};
  check_status(execute_fixture_read(&f), &f, seed);
  fill(&f);
  check_status(guard_run(evaluate_all, &f), &f, seed);
  for (uint32_t workers = 1; workers <= 2; workers++) {
    f.options.workers = workers;
    check_status(guard_run(execute_fixture_compile, &f), &f, seed);
    for (int run = 0; run < 2; run++) {
      check_status(execute_fixture_run(&f), &f, seed);
      check_results(&f, seed, workers);
    }
    executable_free(f.exe);
    f.exe = NULL;
  }
  execute_fixture_close(&f);
}

static void test_random_programs(void **state) {
  (void)state;
  const char *one = getenv("EXECUTE_CASE"), *cases = getenv("TESSERA_CASES"),
             *seed = getenv("TESSERA_SEED");
  if (one) {
    one_case(strtoull(one, NULL, 10), true);
    return;
  }
  uint64_t n = cases ? strtoull(cases, NULL, 10) : 300;
  uint64_t first = (seed ? strtoull(seed, NULL, 10) : 0) * 1000003;
  if (SANITIZED) n = n / 5 + 1;
  for (uint64_t i = 0; i < n; i++) one_case(first + i, false);
  print_message("%llu programs agree\n", (unsigned long long)n);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
