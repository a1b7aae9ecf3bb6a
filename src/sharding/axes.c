// Problem: shardings refer to sub-axes that may overlap, touch or divide an axis differently.
//
// Idea: a sub-axis is the interval [pre_size, pre_size · size) of an axis's divisors. Overlap,
// prefix, merge and subtraction are comparisons of interval ends and divisibility tests.
//
//   axis of size 8      1 ──2── 2 ──2── 4 ──2── 8
//   "x":(1)2            [1, 2)                       "x":(2)4      [2, 8)      merge: [1, 8) = "x"
//
// Invariant: two references coexist in a sharding if all their ends divide each other, in order.
// Cost: O(1) per pair; lists are short, so operations on two lists are quadratic.
#include "sharding/axes.h"

#include <stdlib.h>

#include "base/vec.h"

int axis_compare(AxisRef a, AxisRef b) {
  if (a.axis != b.axis) return a.axis < b.axis ? -1 : 1;
  if (a.pre_size != b.pre_size) return a.pre_size < b.pre_size ? -1 : 1;
  return (a.size > b.size) - (a.size < b.size);
}

// Intervals that intersect. An axis of size 1 is an empty interval, so equality is tested first.
bool axis_overlaps(AxisRef a, AxisRef b) {
  if (a.axis != b.axis) return false;
  return axis_equal(a, b) || (a.pre_size < axis_next(b) && b.pre_size < axis_next(a));
}

bool axis_contains(AxisRef outer, AxisRef inner) {
  return outer.axis == inner.axis && inner.pre_size % outer.pre_size == 0 &&
         axis_next(outer) % axis_next(inner) == 0;
}

bool axis_is_prefix(AxisRef prefix, AxisRef of) {
  return axis_contains(of, prefix) && prefix.pre_size == of.pre_size;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

bool axis_can_coexist(AxisRef a, AxisRef b) {
  if (a.axis != b.axis) return true;
  // The four interval ends, sorted, must divide each other to be ends of digits.
  uint32_t first = smaller(a.pre_size, b.pre_size), second = larger(a.pre_size, b.pre_size);
  uint32_t third = smaller(axis_next(a), axis_next(b)), last = larger(axis_next(a), axis_next(b));
  if (second > third) {
    uint32_t swap = second;
    second = third;
    third = swap;
  }
  return second % first == 0 && third % second == 0 && last % third == 0;
}

bool axis_overlap(AxisRef a, AxisRef b, AxisRef *out_ref) {
  if (!axis_overlaps(a, b) || !axis_can_coexist(a, b)) return false;
  uint32_t pre = larger(a.pre_size, b.pre_size), next = smaller(axis_next(a), axis_next(b));
  *out_ref = (AxisRef){a.axis, pre, next / pre};
  return true;
}

bool axis_can_merge(AxisRef major, AxisRef minor) {
  return major.axis == minor.axis && axis_next(major) == minor.pre_size &&
         !axis_equal(major, minor);
}

AxisRef axis_merge(AxisRef major, AxisRef minor) {
  return (AxisRef){major.axis, major.pre_size, major.size * minor.size};
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Disjoint, and digits of one factorization of the axis.
static bool apart(AxisRef a, AxisRef b) { return !axis_overlaps(a, b) && axis_can_coexist(a, b); }

// Up to where b begins, as far as that divides a.
bool axis_prefix_without(AxisRef a, AxisRef b, AxisRef *out_ref) {
  if (apart(a, b)) {
    *out_ref = a;
    return true;
  }
  if (b.pre_size <= a.pre_size || b.pre_size % a.pre_size) return false;
  uint32_t size = (uint32_t)gcd(b.pre_size / a.pre_size, a.size);
  if (size == 1) return false;
  *out_ref = (AxisRef){a.axis, a.pre_size, size};
  return true;
}

// From where b ends, as far as that divides a.
bool axis_suffix_without(AxisRef a, AxisRef b, AxisRef *out_ref) {
  if (apart(a, b)) {
    *out_ref = a;
    return true;
  }
  if (axis_next(b) >= axis_next(a) || axis_next(a) % axis_next(b)) return false;
  uint32_t size = (uint32_t)gcd(axis_next(a) / axis_next(b), a.size);
  if (size == 1) return false;
  *out_ref = (AxisRef){a.axis, axis_next(a) / size, size};
  return true;
}

// At most a prefix before b and a suffix behind it.
uint32_t axis_subtract(AxisRef a, AxisRef b, AxisRef out_refs[2]) {
  uint32_t n = 0;
  if (apart(a, b)) {
    out_refs[0] = a;
    return 1;
  }
  if (axis_prefix_without(a, b, &out_refs[n])) n++;
  if (axis_suffix_without(a, b, &out_refs[n])) n++;
  return n;
}

static void put_string(Str text, StrBuf *out) {
  strbuf_putc(out, '"');
  for (size_t i = 0; i < text.n; i++) {
    if (text.s[i] == '"' || text.s[i] == '\\') strbuf_putc(out, '\\');
    strbuf_putc(out, text.s[i]);
  }
  strbuf_putc(out, '"');
}

void axis_print(const Context *context, const Mesh *mesh, AxisRef a, StrBuf *out) {
  put_string(name_str(context, mesh->axes[a.axis].name), out);
  if (!axis_is_full(mesh, a)) strbuf_printf(out, ":(%u)%u", a.pre_size, a.size);
}

const char *axis_text(Context *context, const Mesh *mesh, AxisRef a) {
  const char *name = name_text(context, mesh->axes[a.axis].name);
  if (axis_is_full(mesh, a)) return arena_printf(context_arena(context), "\"%s\"", name);
  return arena_printf(context_arena(context), "\"%s\":(%u)%u", name, a.pre_size, a.size);
}

int64_t axes_size(AxisList list) {
  int64_t size = 1;
  for (uint32_t i = 0; i < list.n; i++) size *= list.v[i].size;
  return size;
}

bool axes_equal(AxisList a, AxisList b) {
  return a.n == b.n && (!a.n || !memcmp(a.v, b.v, a.n * sizeof *a.v));
}

bool axes_overlap_ref(AxisList list, AxisRef a) {
  for (uint32_t i = 0; i < list.n; i++)
    if (axis_overlaps(list.v[i], a)) return true;
  return false;
}

bool axes_overlap(AxisList a, AxisList b) {
  for (uint32_t i = 0; i < a.n; i++)
    if (axes_overlap_ref(b, a.v[i])) return true;
  return false;
}

bool axes_contain_ref(AxisList list, AxisRef a) {
  for (uint32_t i = 0; i < list.n; i++)
    if (axis_contains(list.v[i], a)) return true;
  return false;
}

uint32_t axes_canonicalize(AxisRef *v, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (kept && axis_can_merge(v[kept - 1], v[i]))
      v[kept - 1] = axis_merge(v[kept - 1], v[i]);
    else
      v[kept++] = v[i];
  return kept;
}

static int compare_refs(const void *a, const void *b) {
  return axis_compare(*(const AxisRef *)a, *(const AxisRef *)b);
}

uint32_t axes_canonicalize_set(AxisRef *v, uint32_t n) {
  if (n > 1) qsort(v, n, sizeof *v, compare_refs);
  return axes_canonicalize(v, n);
}

// Only the last axis may be a proper prefix: an earlier one would leave a gap.
bool axes_is_prefix(AxisList prefix, AxisList of) {
  for (uint32_t i = 0; i < prefix.n; i++) {
    if (i >= of.n) return false;
    if (axis_equal(prefix.v[i], of.v[i])) continue;
    return i + 1 == prefix.n && axis_is_prefix(prefix.v[i], of.v[i]);
  }
  return true;
}

// Equal references, then at most one that is a prefix of its counterpart.
uint32_t axes_common_prefix(AxisList a, AxisList b, AxisRef *out) {
  for (uint32_t i = 0;; i++) {
    if (i >= a.n || i >= b.n) return i;
    if (axis_equal(a.v[i], b.v[i])) {
      out[i] = a.v[i];
      continue;
    }
    if (axis_is_prefix(a.v[i], b.v[i])) {
      out[i] = a.v[i];
      return i + 1;
    }
    if (axis_is_prefix(b.v[i], a.v[i])) {
      out[i] = b.v[i];
      return i + 1;
    }
    return i;
  }
}

// The rest of the reference that the prefix's last one covers partly, then the others.
uint32_t axes_without_prefix(AxisList of, AxisList prefix, AxisRef *out) {
  uint32_t n = 0, i = prefix.n;
  if (i) {
    AxisRef last = prefix.v[i - 1], full = of.v[i - 1];
    if (axis_next(last) != axis_next(full))
      out[n++] = (AxisRef){full.axis, axis_next(last), axis_next(full) / axis_next(last)};
  }
  for (; i < of.n; i++) out[n++] = of.v[i];
  return n;
}

// Takes the greatest common divisor with each axis; stops at the first that is not taken
// completely.
uint32_t axes_prefix_dividing(AxisList list, int64_t n, AxisRef *out) {
  for (uint32_t i = 0; i < list.n; i++) {
    int64_t common = gcd(n, list.v[i].size);
    if (common == 1 && list.v[i].size > 1) return i;
    out[i] = list.v[i];
    out[i].size = (uint32_t)common;
    if (common != list.v[i].size) return i + 1;
    n /= common;
  }
  return list.n;
}

typedef VEC(AxisRef) RefVec;

static AxisList canonical_list(RefVec *refs) {
  refs->count = axes_canonicalize(refs->items, refs->count);
  return (AxisList){refs->items, refs->count};
}

// Subtracts one reference after the other; each may leave two sub-axes.
AxisList axes_subtract(Arena *arena, AxisList list, AxisList taken) {
  RefVec left = {0}, next = {0};
  for (uint32_t i = 0; i < list.n; i++) VEC_PUSH(arena, &left, list.v[i]);
  for (uint32_t k = 0; k < taken.n; k++) {
    next.count = 0;
    for (uint32_t i = 0; i < left.count; i++) {
      AxisRef rest[2];
      uint32_t n = axis_subtract(left.items[i], taken.v[k], rest);
      for (uint32_t j = 0; j < n; j++) VEC_PUSH(arena, &next, rest[j]);
    }
    RefVec swap = left;
    left = next;
    next = swap;
  }
  return canonical_list(&left);
}

AxisList axes_complement(Arena *arena, const Mesh *mesh, AxisList taken) {
  RefVec all = {0};
  for (uint32_t i = 0; i < mesh->n_axes; i++) VEC_PUSH(arena, &all, axis_full(mesh, i));
  return axes_subtract(arena, (AxisList){all.items, all.count}, taken);
}

AxisList axes_concat(Arena *arena, AxisList a, AxisList b) {
  RefVec all = {0};
  VEC_RESERVE(arena, &all, a.n + b.n);
  for (uint32_t i = 0; i < a.n; i++) VEC_PUSH(arena, &all, a.v[i]);
  for (uint32_t i = 0; i < b.n; i++) VEC_PUSH(arena, &all, b.v[i]);
  return canonical_list(&all);
}

void axes_print(const Context *context, const Mesh *mesh, AxisList list, StrBuf *out) {
  for (uint32_t i = 0; i < list.n; i++) {
    if (i) strbuf_puts(out, ", ");
    axis_print(context, mesh, list.v[i], out);
  }
}
