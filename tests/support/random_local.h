// For tests: random programs as devices run them, as text: arithmetic, moves, collectives over the
// axes of a mesh of 2 x 2 or 2 x 4, parts taken at a device's own place, loops that sum and stack,
// barriers. The same dice give the same text.
#ifndef TESSERA_TESTS_SUPPORT_RANDOM_LOCAL_H
#define TESSERA_TESTS_SUPPORT_RANDOM_LOCAL_H

#include <stdio.h>
#include <string.h>

#include "sharding/sharding_fixture.h"

enum { LOCAL_VALUES = 200, LOCAL_ARGS = 6 };

typedef struct LocalShape {
  uint32_t rank;
  int64_t dims[3];
} LocalShape;

typedef struct LocalValue {
  uint32_t number;  // %v<number>
  LocalShape shape;
} LocalValue;

typedef struct RandomLocal {
  Dice dice;
  StrBuf *out;
  const char *elem;               // i32, f32; bf16, f16: then most sums are formed in f32
  uint32_t a, b;                  // sizes of the axes: position = i * b + j
  uint32_t order[8];              // the device at each position
  bool in_function;               // one that main calls
  LocalShape gives;               // what that returns
  uint32_t arg_axes[LOCAL_ARGS];  // bit 0: differs along a, bit 1: along b
  LocalValue values[LOCAL_VALUES];
  uint32_t n_values, first, next, depth;
} RandomLocal;

static inline uint32_t local_roll(RandomLocal *r, uint32_t n) { return dice_roll(&r->dice, n); }

static inline const char *local_text(const RandomLocal *r, LocalShape shape, char *text) {
  int n = sprintf(text, "tensor<");
  for (uint32_t d = 0; d < shape.rank; d++)
    n += sprintf(text + n, "%lldx", (long long)shape.dims[d]);
  sprintf(text + n, "%s>", r->elem);
  return text;
}
#define LOCAL_TYPE(r, shape) local_text((r), (shape), (char[96]){0})

static inline LocalValue local_new(RandomLocal *r, LocalShape shape) {
  LocalValue v = {r->next++, shape};
  if (r->n_values < LOCAL_VALUES) r->values[r->n_values++] = v;
  return v;
}

static inline LocalValue local_pick(RandomLocal *r) {
  uint32_t n = r->n_values, near = n < 6 || local_roll(r, 3) ? (n < 6 ? n : 6) : n;
  return r->values[n - 1 - local_roll(r, near)];
}

// One of the same shape: itself if there is no other.
static inline LocalValue local_like(RandomLocal *r, LocalValue x) {
  LocalValue found = x;
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->n_values; i++) {
    LocalShape s = r->values[i].shape;
    bool same = s.rank == x.shape.rank;
    for (uint32_t d = 0; same && d < s.rank; d++) same = s.dims[d] == x.shape.dims[d];
    if (same && local_roll(r, ++n) == 0) found = r->values[i];
  }
  return found;
}

static inline void local_constant(RandomLocal *r, LocalShape shape) {
  LocalValue v = local_new(r, shape);
  static const char *const ints[] = {"0", "1", "3"}, *const floats[] = {"0.0", "1.0", "-0.0"};
  strbuf_printf(r->out, "%%v%u = stablehlo.constant dense<%s> : %s\n", v.number,
                (r->elem[0] == 'i' ? ints : floats)[local_roll(r, 3)], LOCAL_TYPE(r, shape));
}

static inline void local_binary(RandomLocal *r) {
  static const char *const ops[] = {"add", "add", "add", "subtract", "maximum", "multiply"};
  LocalValue x = local_pick(r), y = local_like(r, x);
  const char *op = ops[local_roll(r, r->elem[0] == 'i' ? 6 : 5)];
  LocalValue v = local_new(r, x.shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.%s %%v%u, %%v%u : %s\n", v.number, op, x.number,
                y.number, LOCAL_TYPE(r, x.shape));
}

static inline void local_unary(RandomLocal *r) {
  LocalValue x = local_pick(r), v = local_new(r, x.shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.negate %%v%u : %s\n", v.number, x.number,
                LOCAL_TYPE(r, x.shape));
}

// ---- collectives ----

// 1: a, 2: b, 3: both, 4 and 5: the major and the minor half of b.
static inline uint32_t local_axes(RandomLocal *r) { return 1 + local_roll(r, r->b == 4 ? 5 : 3); }

static inline uint32_t local_ways(const RandomLocal *r, uint32_t axes) {
  return axes > 3 ? 2 : (axes & 1 ? r->a : 1) * (axes & 2 ? r->b : 1);
}

static inline const char *local_coordinate_name(uint32_t axes) {
  return (const char *[]){"", "a", "b", "ab", "bh", "bl"}[axes];
}

// The position of member m of group k.
static inline uint32_t local_member(const RandomLocal *r, uint32_t axes, uint32_t k, uint32_t m) {
  switch (axes) {
  case 1: return m * r->b + k;
  case 2: return k * r->b + m;
  case 3: return m;
  case 4: return k / 2 * r->b + m * 2 + k % 2;
  default: return k / 2 * r->b + k % 2 * 2 + m;
  }
}

typedef struct LocalGroups {
  uint32_t axes, width;
  char text[256];
} LocalGroups;

static inline LocalGroups local_groups_of(const RandomLocal *r, uint32_t axes) {
  LocalGroups g = {.axes = axes, .width = local_ways(r, axes)};
  uint32_t n = r->a * r->b / g.width;
  int at = sprintf(g.text, "replica_groups = dense<[");
  for (uint32_t k = 0; k < n; k++) {
    at += sprintf(g.text + at, k ? ", [" : "[");
    for (uint32_t m = 0; m < g.width; m++) {
      uint32_t id = r->order[local_member(r, axes, k, m)];
      at += sprintf(g.text + at, m ? ", %u" : "%u", id);
    }
    at += sprintf(g.text + at, "]");
  }
  sprintf(
      g.text + at,
      "]> : tensor<%ux%uxi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>", n,
      g.width);
  return g;
}

// Body and types of a collective that combines x to v. Its text before that begins with
// local_combined.
static inline void local_body(RandomLocal *r, LocalValue x, LocalValue v, const char *op,
                              bool wide) {
  RandomLocal like = {.elem = wide ? "f32" : r->elem};
  strbuf_printf(r->out,
                "({\n^bb0(%%p: tensor<%s>, %%q: tensor<%s>):\n%%s = stablehlo.%s %%p, %%q : "
                "tensor<%s>\nstablehlo.return %%s : tensor<%s>\n})",
                like.elem, like.elem, op, like.elem, like.elem);
  strbuf_printf(r->out, " : (%s) -> %s\n", LOCAL_TYPE(r, x.shape), LOCAL_TYPE(&like, v.shape));
  if (wide)
    strbuf_printf(r->out, "%%v%u = stablehlo.convert %%u%u : (%s) -> %s\n", v.number, v.number,
                  LOCAL_TYPE(&like, v.shape), LOCAL_TYPE(r, v.shape));
}

// Is it summed in a wider type and rounded?
static inline bool local_combined(RandomLocal *r, LocalValue v, const char *op) {
  bool wide = strstr(r->elem, "16") && op[0] == 'a' && local_roll(r, 4);
  strbuf_printf(r->out, "%%%c%u = ", wide ? 'u' : 'v', v.number);
  return wide;
}

static inline LocalValue local_all_reduce_of(RandomLocal *r, LocalValue x, uint32_t axes,
                                             const char *op) {
  LocalGroups g = local_groups_of(r, axes);
  LocalValue v = local_new(r, x.shape);
  bool wide = local_combined(r, v, op);
  strbuf_printf(r->out, "\"stablehlo.all_reduce\"(%%v%u) <{%s, use_global_device_ids}> ", x.number,
                g.text);
  local_body(r, x, v, op, wide);
  return v;
}

static inline void local_all_reduce(RandomLocal *r) {
  LocalValue x = local_pick(r);
  local_all_reduce_of(r, x, local_axes(r), local_roll(r, 4) ? "add" : "maximum");
}

static inline LocalValue local_all_gather_of(RandomLocal *r, LocalValue x, uint32_t d,
                                             uint32_t axes) {
  LocalGroups g = local_groups_of(r, axes);
  LocalShape shape = x.shape;
  shape.dims[d] *= g.width;
  LocalValue v = local_new(r, shape);
  strbuf_printf(r->out,
                "%%v%u = \"stablehlo.all_gather\"(%%v%u) <{all_gather_dim = %u : i64, %s, "
                "use_global_device_ids}> : (%s) -> %s\n",
                v.number, x.number, d, g.text, LOCAL_TYPE(r, x.shape), LOCAL_TYPE(r, shape));
  return v;
}

static inline void local_all_gather(RandomLocal *r) {
  LocalValue x = local_pick(r);
  if (!x.shape.rank) return;
  uint32_t d = local_roll(r, x.shape.rank);
  if (x.shape.dims[d] <= 8) local_all_gather_of(r, x, d, local_axes(r));
}

// A sum of several values, some of them summed over devices.
static inline void local_terms(RandomLocal *r) {
  LocalValue total = local_pick(r);
  uint32_t axes = local_axes(r);
  for (uint32_t i = 0; i < 4; i++) {
    LocalValue x = local_like(r, total);
    if (local_roll(r, 3)) x = local_all_reduce_of(r, x, axes, "add");
    uint32_t number = r->next++;
    bool swap = local_roll(r, 2);
    strbuf_printf(r->out, "%%v%u = stablehlo.add %%v%u, %%v%u : %s\n", number,
                  swap ? x.number : total.number, swap ? total.number : x.number,
                  LOCAL_TYPE(r, total.shape));
    total.number = number;
  }
  if (r->n_values < LOCAL_VALUES) r->values[r->n_values++] = total;
}

static inline void local_reduce_scatter_of(RandomLocal *r, LocalValue x, uint32_t d,
                                           uint32_t axes) {
  LocalGroups g = local_groups_of(r, axes);
  if (x.shape.dims[d] % g.width) return;
  LocalShape shape = x.shape;
  shape.dims[d] /= g.width;
  LocalValue v = local_new(r, shape);
  bool wide = local_combined(r, v, "add");
  strbuf_printf(r->out,
                "\"stablehlo.reduce_scatter\"(%%v%u) <{scatter_dimension = %u : i64, %s, "
                "use_global_device_ids}> ",
                x.number, d, g.text);
  local_body(r, x, v, "add", wide);
}

static inline void local_reduce_scatter(RandomLocal *r) {
  LocalValue x = local_pick(r);
  if (x.shape.rank) local_reduce_scatter_of(r, x, local_roll(r, x.shape.rank), local_axes(r));
}

// From each device to one `by` further; with a hole nobody sends to the first.
static inline LocalValue local_permute_of(RandomLocal *r, LocalValue x, uint32_t by, bool hole) {
  LocalValue v = local_new(r, x.shape);
  uint32_t n = r->a * r->b, written = 0;
  strbuf_printf(r->out,
                "%%v%u = \"stablehlo.collective_permute\"(%%v%u) <{source_target_pairs = dense<[",
                v.number, x.number);
  for (uint32_t i = 0; i < n; i++)
    if (!hole || (i + by) % n)
      strbuf_printf(r->out, written++ ? ", [%u, %u]" : "[%u, %u]", i, (i + by) % n);
  strbuf_printf(
      r->out,
      "]> : tensor<%ux2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = "
      "1>}> : (%s) -> %s\n",
      written, LOCAL_TYPE(r, x.shape), LOCAL_TYPE(r, x.shape));
  return v;
}

static inline void local_permute(RandomLocal *r) {
  LocalValue x = local_pick(r);
  uint32_t by = 1 + local_roll(r, r->a * r->b - 1);
  local_permute_of(r, x, by, local_roll(r, 4) == 0);
}

static inline LocalValue local_all_to_all_of(RandomLocal *r, LocalValue x, uint32_t split,
                                             uint32_t concat, uint32_t axes) {
  LocalGroups g = local_groups_of(r, axes);
  if (x.shape.dims[split] % g.width || x.shape.dims[concat] > 8) return x;
  LocalShape shape = x.shape;
  shape.dims[split] /= g.width, shape.dims[concat] *= g.width;
  LocalValue v = local_new(r, shape);
  strbuf_printf(r->out,
                "%%v%u = \"stablehlo.all_to_all\"(%%v%u) <{split_dimension = %u : i64, "
                "concat_dimension = %u : i64, split_count = %u : i64, %s}> : (%s) -> %s\n",
                v.number, x.number, split, concat, g.width, g.text, LOCAL_TYPE(r, x.shape),
                LOCAL_TYPE(r, shape));
  return v;
}

// Through a narrower type and back: smaller numbers, or the question whether it is zero.
static inline LocalValue local_through_narrow(RandomLocal *r, LocalValue x) {
  LocalValue v = local_new(r, x.shape);
  char wide[96], narrow[96];
  RandomLocal like = {.elem = local_roll(r, 2)        ? "i1"
                              : r->elem[0] == 'i'     ? "i8"
                              : strstr(r->elem, "16") ? r->elem
                                                      : "bf16"};
  local_text(r, x.shape, wide);
  local_text(&like, x.shape, narrow);
  if (strcmp(like.elem, "i1") != 0) {
    strbuf_printf(r->out, "%%n%u = stablehlo.convert %%v%u : (%s) -> %s\n", v.number, x.number,
                  wide, narrow);
  } else {
    strbuf_printf(r->out, "%%m%u = stablehlo.constant dense<%s> : %s\n", v.number,
                  r->elem[0] == 'i' ? "0" : "0.0", wide);
    strbuf_printf(r->out, "%%n%u = stablehlo.compare %s, %%v%u, %%m%u : (%s, %s) -> %s\n", v.number,
                  local_roll(r, 2) ? "EQ" : "GT", x.number, v.number, wide, wide, narrow);
  }
  strbuf_printf(r->out, "%%v%u = stablehlo.convert %%n%u : (%s) -> %s\n", v.number, v.number,
                narrow, wide);
  return v;
}

static inline LocalValue local_repeat(RandomLocal *r, LocalValue x) {
  LocalShape shape = {2, {4, x.shape.dims[0]}};
  LocalValue v = local_new(r, shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.broadcast_in_dim %%v%u, dims = [1] : (%s) -> %s\n",
                v.number, x.number, LOCAL_TYPE(r, x.shape), LOCAL_TYPE(r, shape));
  return v;
}

// Exchanged, with what makes it narrower or wider, or repeats it, before or behind.
static inline void local_narrow(RandomLocal *r) {
  LocalValue x = local_pick(r);
  if (x.shape.rank == 1 && local_roll(r, 2)) x = local_repeat(r, x);
  if (local_roll(r, 2)) x = local_through_narrow(r, x);
  uint32_t kind = local_roll(r, 3), axes = local_axes(r), rank = x.shape.rank;
  uint32_t d = rank ? local_roll(r, rank) : 0, e = rank ? local_roll(r, rank) : 0;
  if (kind == 0) x = local_permute_of(r, x, 1, local_roll(r, 2));
  if (kind == 1 && rank && x.shape.dims[d] <= 8) x = local_all_gather_of(r, x, d, axes);
  if (kind == 2 && rank) x = local_all_to_all_of(r, x, d, e, axes);
  if (local_roll(r, 2)) x = local_through_narrow(r, x);
  if (local_roll(r, 4) == 0) local_through_narrow(r, x);
}

// ---- moves ----

// The part at this device's place along the axes (%a, %b, %ab are its coordinates).
static inline LocalValue local_part_of(RandomLocal *r, LocalValue x, uint32_t d, uint32_t axes) {
  uint32_t ways = local_ways(r, axes);
  LocalShape shape = x.shape;
  shape.dims[d] /= ways;
  LocalValue v = local_new(r, shape);
  strbuf_printf(r->out, "%%t%u = stablehlo.constant dense<%lld> : tensor<i64>\n", v.number,
                (long long)shape.dims[d]);
  strbuf_printf(r->out, "%%o%u = stablehlo.multiply %%%s, %%t%u : tensor<i64>\n", v.number,
                local_coordinate_name(axes), v.number);
  strbuf_printf(r->out, "%%v%u = stablehlo.dynamic_slice %%v%u", v.number, x.number);
  for (uint32_t k = 0; k < shape.rank; k++)
    k == d ? strbuf_printf(r->out, ", %%o%u", v.number) : strbuf_printf(r->out, ", %%zero");
  strbuf_printf(r->out, ", sizes = [");
  for (uint32_t k = 0; k < shape.rank; k++)
    strbuf_printf(r->out, k ? ", %lld" : "%lld", (long long)shape.dims[k]);
  strbuf_printf(r->out, "] : (%s", LOCAL_TYPE(r, x.shape));
  for (uint32_t k = 0; k < shape.rank; k++) strbuf_puts(r->out, ", tensor<i64>");
  strbuf_printf(r->out, ") -> %s\n", LOCAL_TYPE(r, shape));
  return v;
}

static inline void local_part(RandomLocal *r) {
  LocalValue x = local_pick(r);
  if (!x.shape.rank) return;
  uint32_t d = local_roll(r, x.shape.rank), axes = local_axes(r);
  uint32_t ways = local_ways(r, axes);
  if (x.shape.dims[d] % ways == 0 && x.shape.dims[d] >= ways) local_part_of(r, x, d, axes);
}

// What is gathered or summed and then cut, with a little in between: mostly by the same axes.
static inline void local_there_and_back(RandomLocal *r) {
  LocalValue x = local_pick(r);
  if (!x.shape.rank) return;
  uint32_t d = local_roll(r, x.shape.rank), axes = local_axes(r), back = axes;
  if (local_roll(r, 3) == 0) back = local_axes(r);
  bool gather = local_roll(r, 2);
  if (gather && x.shape.dims[d] > 8) return;
  LocalValue v =
      gather ? local_all_gather_of(r, x, d, axes) : local_all_reduce_of(r, x, axes, "add");
  if (local_roll(r, 3) == 0) {
    LocalValue w = local_new(r, v.shape);
    strbuf_printf(r->out, "%%v%u = stablehlo.negate %%v%u : %s\n", w.number, v.number,
                  LOCAL_TYPE(r, v.shape));
    v = w;
  }
  if (local_roll(r, 6) == 0) d = local_roll(r, v.shape.rank);
  uint32_t ways = local_ways(r, back);
  if (v.shape.dims[d] % ways || v.shape.dims[d] < ways) return;
  LocalValue w = local_part_of(r, v, d, back);
  uint32_t e = local_roll(r, w.shape.rank), more = 1 + local_roll(r, 2);
  ways = more & 1 ? r->a : r->b;
  if (local_roll(r, 3) == 0 && w.shape.dims[e] % ways == 0 && w.shape.dims[e] >= ways)
    local_part_of(r, w, e, more);
}

static inline void local_slice(RandomLocal *r) {
  LocalValue x = local_pick(r);
  if (!x.shape.rank) return;
  uint32_t at = local_roll(r, x.shape.rank);
  LocalShape shape = x.shape;
  if (shape.dims[at] < 2) return;
  shape.dims[at] /= 2;
  int64_t from = local_roll(r, 2) ? shape.dims[at] : 0;
  LocalValue v = local_new(r, shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.slice %%v%u [", v.number, x.number);
  for (uint32_t d = 0; d < shape.rank; d++)
    strbuf_printf(r->out, d ? ", %lld:%lld" : "%lld:%lld", d == at ? (long long)from : 0,
                  (long long)((d == at ? from : 0) + shape.dims[d]));
  strbuf_printf(r->out, "] : (%s) -> %s\n", LOCAL_TYPE(r, x.shape), LOCAL_TYPE(r, shape));
}

static inline void local_transpose(RandomLocal *r) {
  LocalValue x = local_pick(r);
  if (x.shape.rank != 2) return;
  LocalShape shape = {2, {x.shape.dims[1], x.shape.dims[0]}};
  LocalValue v = local_new(r, shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.transpose %%v%u, dims = [1, 0] : (%s) -> %s\n", v.number,
                x.number, LOCAL_TYPE(r, x.shape), LOCAL_TYPE(r, shape));
}

static inline void local_reshape(RandomLocal *r) {
  LocalValue x = local_pick(r);
  if (x.shape.rank != 2) return;
  LocalShape shape = {1, {x.shape.dims[0] * x.shape.dims[1]}};
  LocalValue v = local_new(r, shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.reshape %%v%u : (%s) -> %s\n", v.number, x.number,
                LOCAL_TYPE(r, x.shape), LOCAL_TYPE(r, shape));
}

static inline void local_broadcast(RandomLocal *r) {
  LocalValue x = local_pick(r);
  if (x.shape.rank == 1) local_repeat(r, x);
}

static inline void local_reduce(RandomLocal *r) {
  LocalValue x = local_pick(r);
  if (x.shape.rank != 2) return;
  LocalShape shape = {1, {x.shape.dims[1]}};
  LocalValue v = local_new(r, shape);
  strbuf_printf(r->out,
                "%%i%u = stablehlo.constant dense<%s> : tensor<%s>\n%%v%u = stablehlo.reduce(%%v%u "
                "init: %%i%u) applies stablehlo.add across dimensions = [0] : (%s, tensor<%s>) -> "
                "%s\n",
                v.number, r->elem[0] == 'i' ? "0" : "0.0", r->elem, v.number, x.number, v.number,
                LOCAL_TYPE(r, x.shape), r->elem, LOCAL_TYPE(r, shape));
}

static inline void local_dot(RandomLocal *r) {
  LocalValue x = local_pick(r), y = local_like(r, x);
  if (x.shape.rank != 2) return;
  LocalShape shape = {2, {x.shape.dims[0], y.shape.dims[0]}};
  if (shape.dims[0] * shape.dims[1] > 256) return;
  LocalValue v = local_new(r, shape);
  strbuf_printf(
      r->out,
      "%%v%u = stablehlo.dot_general %%v%u, %%v%u, contracting_dims = [1] x [1] : (%s, %s) "
      "-> %s\n",
      v.number, x.number, y.number, LOCAL_TYPE(r, x.shape), LOCAL_TYPE(r, y.shape),
      LOCAL_TYPE(r, shape));
}

// A contraction of what is gathered, or one whose result is scattered.
static inline void local_ring(RandomLocal *r) {
  LocalValue x = local_pick(r), y = local_like(r, x);
  if (x.shape.rank != 2 || x.shape.dims[0] > 8 || x.shape.dims[1] > 8) return;
  uint32_t axes = local_axes(r), kind = local_roll(r, 3);
  if (kind == 0) x = local_all_gather_of(r, x, 0, axes);
  if (kind == 1) x = local_all_gather_of(r, x, 1, axes), y = local_all_gather_of(r, y, 1, axes);
  LocalShape shape = {2, {x.shape.dims[0], y.shape.dims[0]}};
  LocalValue v = local_new(r, shape);
  bool swap = local_roll(r, 2);
  if (swap) {
    LocalValue z = x;
    x = y, y = z;
    v.shape = r->values[r->n_values - 1].shape =
        (LocalShape){2, {x.shape.dims[0], y.shape.dims[0]}};
  }
  strbuf_printf(
      r->out,
      "%%v%u = stablehlo.dot_general %%v%u, %%v%u, contracting_dims = [1] x [1] : (%s, %s) "
      "-> %s\n",
      v.number, x.number, y.number, LOCAL_TYPE(r, x.shape), LOCAL_TYPE(r, y.shape),
      LOCAL_TYPE(r, v.shape));
  if (kind == 2) local_reduce_scatter_of(r, v, local_roll(r, 2), axes);
}

static inline void local_barrier(RandomLocal *r) {
  LocalValue x = local_pick(r), v = local_new(r, x.shape);
  strbuf_printf(r->out, "%%v%u = stablehlo.optimization_barrier %%v%u : %s\n", v.number, x.number,
                LOCAL_TYPE(r, x.shape));
}

// A new dimension in front: [1, …].
static inline LocalValue local_row(RandomLocal *r, LocalValue x) {
  LocalShape shape = {x.shape.rank + 1, {1}};
  for (uint32_t d = 0; d < x.shape.rank; d++) shape.dims[d + 1] = x.shape.dims[d];
  LocalValue v = {r->next++, shape};
  strbuf_printf(r->out, "%%v%u = stablehlo.reshape %%v%u : (%s) -> %s\n", v.number, x.number,
                LOCAL_TYPE(r, x.shape), LOCAL_TYPE(r, shape));
  return v;
}

static inline void local_ops(RandomLocal *r, uint32_t n);

static inline LocalValue local_turned(RandomLocal *r, LocalValue x) {
  LocalShape shape = {2, {x.shape.dims[1], x.shape.dims[0]}};
  LocalValue v = {r->next++, shape};
  strbuf_printf(r->out, "%%v%u = stablehlo.transpose %%v%u, dims = [1, 0] : (%s) -> %s\n", v.number,
                x.number, LOCAL_TYPE(r, x.shape), LOCAL_TYPE(r, shape));
  return v;
}

// Parts like x of a sum over devices, at times turned round for it.
static inline LocalValue local_scattered_like(RandomLocal *r, LocalValue x) {
  uint32_t axes = local_axes(r), width = local_groups_of(r, axes).width;
  if (!x.shape.rank || width < 2) return x;
  uint32_t d = local_roll(r, x.shape.rank);
  LocalValue whole = {0, x.shape}, parts[8];
  for (uint32_t k = 0; k < width; k++) parts[k] = local_like(r, x);
  whole.number = r->next++;
  whole.shape.dims[d] *= width;
  strbuf_printf(r->out, "%%v%u = stablehlo.concatenate ", whole.number);
  for (uint32_t k = 0; k < width; k++)
    strbuf_printf(r->out, "%s%%v%u", k ? ", " : "", parts[k].number);
  strbuf_printf(r->out, ", dim = %u : (", d);
  for (uint32_t k = 0; k < width; k++)
    strbuf_printf(r->out, "%s%s", k ? ", " : "", LOCAL_TYPE(r, x.shape));
  strbuf_printf(r->out, ") -> %s\n", LOCAL_TYPE(r, whole.shape));
  bool turn = x.shape.rank == 2 && local_roll(r, 2);
  if (turn) whole = local_turned(r, whole);
  uint32_t made = r->next;
  local_reduce_scatter_of(r, whole, turn ? 1 - d : d, axes);
  LocalValue part = {made, x.shape};
  if (!turn) return part;
  part.shape = (LocalShape){2, {x.shape.dims[1], x.shape.dims[0]}};
  return local_turned(r, part);
}

// What a loop is to sum up: as it is, or summed over devices.
static inline LocalValue local_term(RandomLocal *r, LocalValue x) {
  uint32_t kind = local_roll(r, 4);
  if (kind == 0) return x;
  return kind == 1 ? local_scattered_like(r, x) : local_all_reduce_of(r, x, local_axes(r), "add");
}

// Three times: one carry that sums, one that only goes through, one that stacks, one of any kind.
static inline void local_loop(RandomLocal *r) {
  if (r->depth) return;
  LocalValue init = local_pick(r), same = local_pick(r), any = local_pick(r);
  if (init.shape.rank > 2) return;
  uint32_t id = r->next++, visible = r->n_values;
  LocalShape stack = {init.shape.rank + 1, {3}};
  for (uint32_t d = 0; d < init.shape.rank; d++) stack.dims[d + 1] = init.shape.dims[d];
  const char *zero = r->elem[0] == 'i' ? "0" : "0.0";
  strbuf_printf(r->out, "%%k%u = stablehlo.constant dense<%s> : %s\n", id, zero,
                LOCAL_TYPE(r, stack));
  strbuf_printf(r->out, "%%z%u = stablehlo.constant dense<%s> : %s\n", id, zero,
                LOCAL_TYPE(r, init.shape));
  char start[32];
  local_roll(r, 2) ? sprintf(start, "%%z%u", id) : sprintf(start, "%%v%u", init.number);
  uint32_t sum = r->next++, through = r->next++, other = r->next++;
  strbuf_printf(
      r->out,
      "%%w%u:5 = stablehlo.while(%%n%u = %%zero, %%v%u = %s, %%v%u = %%v%u, %%s%u = %%k%u, "
      "%%v%u = %%v%u) : tensor<i64>, %s, %s, %s, %s\ncond {\n",
      id, id, sum, start, through, same.number, id, id, other, any.number,
      LOCAL_TYPE(r, init.shape), LOCAL_TYPE(r, same.shape), LOCAL_TYPE(r, stack),
      LOCAL_TYPE(r, any.shape));
  strbuf_printf(r->out,
                "%%c%u = stablehlo.compare LT, %%n%u, %%three : (tensor<i64>, tensor<i64>) -> "
                "tensor<i1>\nstablehlo.return %%c%u : tensor<i1>\n} do {\n",
                id, id, id);
  r->depth++;
  r->values[r->n_values++] = (LocalValue){through, same.shape};
  r->values[r->n_values++] = (LocalValue){other, any.shape};
  local_ops(r, 2 + local_roll(r, 5));
  LocalValue x = local_like(r, (LocalValue){sum, init.shape});
  bool again = x.number == sum;
  if (again) x = (LocalValue){init.number, init.shape};
  LocalValue y = local_term(r, x);
  uint32_t next = r->next++, step = r->next++;
  strbuf_printf(r->out, "%%v%u = stablehlo.add %%v%u, %%v%u : %s\n", next, sum, y.number,
                LOCAL_TYPE(r, init.shape));
  LocalValue row_of = local_roll(r, 2) ? local_all_reduce_of(r, x, local_axes(r), "add") : x;
  LocalValue row = local_row(r, row_of);
  uint32_t stacked = r->next++;
  strbuf_printf(r->out, "%%v%u = stablehlo.dynamic_update_slice %%s%u, %%v%u, %%n%u", stacked, id,
                row.number, id);
  for (uint32_t d = 0; d < init.shape.rank; d++) strbuf_puts(r->out, ", %zero");
  strbuf_printf(r->out, " : (%s, %s", LOCAL_TYPE(r, stack), LOCAL_TYPE(r, row.shape));
  for (uint32_t d = 0; d <= init.shape.rank; d++) strbuf_puts(r->out, ", tensor<i64>");
  strbuf_printf(r->out, ") -> %s\n", LOCAL_TYPE(r, stack));
  LocalValue last = local_like(r, (LocalValue){other, any.shape});
  strbuf_printf(r->out, "%%v%u = stablehlo.add %%n%u, %%one : tensor<i64>\n", step, id);
  strbuf_printf(
      r->out,
      "stablehlo.return %%v%u, %%v%u, %%v%u, %%v%u, %%v%u : tensor<i64>, %s, %s, %s, %s\n}\n", step,
      next, through, stacked, last.number, LOCAL_TYPE(r, init.shape), LOCAL_TYPE(r, same.shape),
      LOCAL_TYPE(r, stack), LOCAL_TYPE(r, any.shape));
  r->depth--;
  r->n_values = visible;
  LocalShape shapes[] = {init.shape, same.shape, stack, any.shape};
  for (uint32_t i = 0; i < 4; i++) {
    if (local_roll(r, 3) == 0) continue;  // nobody needs it
    LocalValue v = local_new(r, shapes[i]);
    strbuf_printf(r->out, "%%v%u = stablehlo.negate %%w%u#%u : %s\n", v.number, id, i + 1,
                  LOCAL_TYPE(r, shapes[i]));
  }
}

// One of two blocks, the same on all devices.
static inline void local_if(RandomLocal *r) {
  if (r->depth) return;
  LocalValue like = local_pick(r);
  uint32_t id = r->next++, visible = r->n_values;
  strbuf_printf(r->out,
                "%%c%u = stablehlo.compare %s, %%three, %%nb : (tensor<i64>, tensor<i64>) -> "
                "tensor<i1>\n%%v%u = \"stablehlo.if\"(%%c%u) ({\n",
                id, local_roll(r, 2) ? "LT" : "GT", id, id);
  r->depth++;
  for (uint32_t k = 0; k < 2; k++) {
    local_ops(r, 1 + local_roll(r, 4));
    LocalValue v = local_like(r, like);
    strbuf_printf(r->out, "stablehlo.return %%v%u : %s\n%s", v.number, LOCAL_TYPE(r, like.shape),
                  k ? "})" : "}, {\n");
    r->n_values = visible;
  }
  r->depth--;
  strbuf_printf(r->out, " : (tensor<i1>) -> %s\n", LOCAL_TYPE(r, like.shape));
  if (r->n_values < LOCAL_VALUES) r->values[r->n_values++] = (LocalValue){id, like.shape};
}

static inline void local_call(RandomLocal *r) {
  if (r->in_function) return;
  LocalShape shape = {2, {4, 8}};
  LocalValue x = local_like(r, r->values[0]), y = local_like(r, r->values[0]);
  LocalValue v = local_new(r, r->gives);
  strbuf_printf(r->out, "%%v%u = call @f(%%v%u, %%v%u) : (%s, %s) -> %s\n", v.number, x.number,
                y.number, LOCAL_TYPE(r, shape), LOCAL_TYPE(r, shape), LOCAL_TYPE(r, v.shape));
}

static inline void local_ops(RandomLocal *r, uint32_t n) {
  static void (*const ops[])(RandomLocal *) = {local_binary,
                                               local_binary,
                                               local_binary,
                                               local_unary,
                                               local_all_reduce,
                                               local_all_reduce,
                                               local_all_reduce,
                                               local_all_gather,
                                               local_all_gather,
                                               local_reduce_scatter,
                                               local_part,
                                               local_part,
                                               local_part,
                                               local_slice,
                                               local_transpose,
                                               local_reshape,
                                               local_broadcast,
                                               local_reduce,
                                               local_dot,
                                               local_barrier,
                                               local_there_and_back,
                                               local_there_and_back,
                                               local_there_and_back,
                                               local_ring,
                                               local_ring,
                                               local_permute,
                                               local_narrow,
                                               local_narrow,
                                               local_terms,
                                               local_if,
                                               local_call,
                                               local_loop};
  for (uint32_t i = 0; i < n; i++) {
    if (local_roll(r, 12) == 0) local_constant(r, local_pick(r).shape);
    ops[local_roll(r, sizeof ops / sizeof *ops)](r);
  }
}

// This device's coordinates: %a, %b, %ab, and the halves of %b.
static inline void local_preamble(RandomLocal *r) {
  strbuf_printf(r->out,
                "%%zero = stablehlo.constant dense<0> : tensor<i64>\n"
                "%%one = stablehlo.constant dense<1> : tensor<i64>\n"
                "%%two = stablehlo.constant dense<2> : tensor<i64>\n"
                "%%three = stablehlo.constant dense<3> : tensor<i64>\n"
                "%%nb = stablehlo.constant dense<%u> : tensor<i64>\n"
                "%%id = stablehlo.partition_id : tensor<ui32>\n"
                "%%number = stablehlo.convert %%id : (tensor<ui32>) -> tensor<i64>\n"
                "%%places = stablehlo.constant dense<[",
                r->b);
  uint32_t n = r->a * r->b;
  for (uint32_t device = 0; device < n; device++)
    for (uint32_t k = 0; k < n; k++)
      if (r->order[k] == device) strbuf_printf(r->out, device ? ", %u" : "%u", k);
  strbuf_printf(
      r->out,
      "]> : tensor<%uxi64>\n"
      "%%place = stablehlo.dynamic_slice %%places, %%number, sizes = [1] : (tensor<%uxi64>, "
      "tensor<i64>) -> tensor<1xi64>\n"
      "%%ab = stablehlo.reshape %%place : (tensor<1xi64>) -> tensor<i64>\n"
      "%%a = stablehlo.divide %%ab, %%nb : tensor<i64>\n"
      "%%b = stablehlo.remainder %%ab, %%nb : tensor<i64>\n"
      "%%bh = stablehlo.divide %%b, %%two : tensor<i64>\n"
      "%%bl = stablehlo.remainder %%b, %%two : tensor<i64>\n",
      n, n);
}

// A function of two arguments that main calls now and then.
static inline void local_function(RandomLocal *r, StrBuf *out) {
  LocalShape shape = {2, {4, 8}};
  r->n_values = 0;
  r->in_function = true;
  StrBuf body;
  strbuf_init(&body, out->guard);
  r->out = &body;
  LocalValue x = local_new(r, shape), y = local_new(r, shape);
  local_preamble(r);
  local_ops(r, 3 + local_roll(r, 5));
  LocalValue last = r->values[r->n_values - 1];
  r->gives = last.shape;
  strbuf_printf(
      out, "func.func private @f(%%v%u: %s, %%v%u: %s) -> %s {\n%.*sreturn %%v%u : %s\n}\n",
      x.number, LOCAL_TYPE(r, shape), y.number, LOCAL_TYPE(r, shape), LOCAL_TYPE(r, last.shape),
      (int)body.used, body.data, last.number, LOCAL_TYPE(r, last.shape));
  strbuf_deinit(&body);
  r->in_function = false;
  r->n_values = 0;
}

// The whole text; with `elem`, of that type. Arguments that differ along an axis say so by a
// sharding on @mesh.
static inline void random_local(RandomLocal *r, uint64_t seed, const char *elem, StrBuf *out) {
  static const char *const shardings[] = {"", "[{\"a\"}, {}]", "[{}, {\"b\"}]",
                                          "[{\"a\"}, {\"b\"}]"};
  *r = (RandomLocal){.dice = dice_new(seed), .out = out, .a = 2};
  r->elem = local_roll(r, 3) ? "i32" : "f32";
  if (elem) r->elem = elem;
  r->b = local_roll(r, 3) ? 2 : 4;
  uint32_t n_devices = r->a * r->b;
  bool shuffled = local_roll(r, 3) == 0;
  for (uint32_t i = 0; i < n_devices; i++) r->order[i] = i;
  for (uint32_t i = n_devices; shuffled && i > 1; i--) {
    uint32_t k = local_roll(r, i), swap = r->order[i - 1];
    r->order[i - 1] = r->order[k];
    r->order[k] = swap;
  }
  local_function(r, out);
  LocalShape shape = {2, {4, 8}};
  strbuf_puts(out, "func.func @main(");
  for (uint32_t i = 0; i < LOCAL_ARGS; i++) {
    r->arg_axes[i] = local_roll(r, 4);
    LocalValue v = local_new(r, shape);
    strbuf_printf(out, "%s%%v%u: %s", i ? ", " : "", v.number, LOCAL_TYPE(r, shape));
    if (r->arg_axes[i]) {
      LocalShape global = {
          2, {4 * (r->arg_axes[i] & 1 ? r->a : 1), 8 * (r->arg_axes[i] & 2 ? r->b : 1)}};
      strbuf_printf(out, " {tessera.global = %s, tessera.sharding = #sdy.sharding<@mesh, %s>}",
                    LOCAL_TYPE(r, global), shardings[r->arg_axes[i]]);
    }
  }
  StrBuf body;
  strbuf_init(&body, out->guard);
  r->out = &body;
  local_preamble(r);
  local_ops(r, 12 + local_roll(r, 14));
  uint32_t results[LOCAL_VALUES], n = 0;
  for (uint32_t i = LOCAL_ARGS; i < r->n_values; i++)
    if (i + 3 >= r->n_values || local_roll(r, 4) == 0) results[n++] = i;
  if (!n) results[n++] = 0;
  strbuf_puts(out, ") -> (");
  for (uint32_t i = 0; i < n; i++)
    strbuf_printf(out, i ? ", %s" : "%s", LOCAL_TYPE(r, r->values[results[i]].shape));
  strbuf_printf(out, ") {\n%.*sreturn ", (int)body.used, body.data);
  for (uint32_t i = 0; i < n; i++)
    strbuf_printf(out, i ? ", %%v%u" : "%%v%u", r->values[results[i]].number);
  strbuf_puts(out, " : ");
  for (uint32_t i = 0; i < n; i++)
    strbuf_printf(out, i ? ", %s" : "%s", LOCAL_TYPE(r, r->values[results[i]].shape));
  strbuf_puts(out, "\n}\n");
  strbuf_deinit(&body);
}

#endif
