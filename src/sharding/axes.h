// References to mesh axes and sub-axes, and lists of them, major to minor.
//
// The sub-axis "x":(pre)size of an axis of size n is the middle of the axis seen as [pre, size,
// n/(pre·size)]. It covers the interval [pre, pre·size) of the axis's divisors, and every function
// here is arithmetic on such intervals. A full axis is the interval [1, n). References name axes by
// their index in the mesh, so they can be compared without the mesh. Functions allocate only if
// they take an arena.
#ifndef TESSERA_SHARDING_AXES_H
#define TESSERA_SHARDING_AXES_H

#include "sharding/mesh.h"

typedef struct AxisRef {
  uint32_t axis;  // index in the mesh
  uint32_t pre_size;
  uint32_t size;
} AxisRef;

typedef struct AxisList {
  const AxisRef *v;
  uint32_t n;
} AxisList;

static inline AxisRef axis_full(const Mesh *mesh, uint32_t axis) {
  return (AxisRef){axis, 1, mesh->axes[axis].size};
}
static inline bool axis_is_full(const Mesh *mesh, AxisRef a) {
  return a.pre_size == 1 && a.size == mesh->axes[a.axis].size;
}
static inline uint32_t axis_next(AxisRef a) { return a.pre_size * a.size; }  // end of its interval
static inline bool axis_equal(AxisRef a, AxisRef b) {
  return a.axis == b.axis && a.pre_size == b.pre_size && a.size == b.size;
}
// The mesh's order: by axis, then major sub-axes first, then the shorter one.
int axis_compare(AxisRef a, AxisRef b);

// An axis of size 1 covers nothing and overlaps only itself.
bool axis_overlaps(AxisRef a, AxisRef b);
bool axis_contains(AxisRef outer, AxisRef inner);
bool axis_is_prefix(AxisRef prefix, AxisRef of);  // same start, not longer; equal counts
// Both can be digits of one factorization of the axis: disjoint, or with an overlap that divides
// both.
bool axis_can_coexist(AxisRef a, AxisRef b);
// The common sub-axis; false if there is none or they cannot coexist.
bool axis_overlap(AxisRef a, AxisRef b, AxisRef *out_ref);
bool axis_can_merge(AxisRef major, AxisRef minor);  // minor begins where major ends
AxisRef axis_merge(AxisRef major, AxisRef minor);   // requires axis_can_merge
// The longest prefix or suffix of `a` that coexists with b without overlap; false if it is empty.
bool axis_prefix_without(AxisRef a, AxisRef b, AxisRef *out_ref);
bool axis_suffix_without(AxisRef a, AxisRef b, AxisRef *out_ref);
// The sub-axes of `a` without b, major first: 0, 1 or 2. All of `a` if the two coexist without
// overlap.
uint32_t axis_subtract(AxisRef a, AxisRef b, AxisRef out_refs[2]);
// The coordinate of a position along the reference, 0 … size-1.
static inline uint32_t axis_coordinate(const Mesh *mesh, AxisRef a, uint32_t position) {
  const MeshAxis *axis = &mesh->axes[a.axis];
  return position / (axis->stride * (axis->size / axis_next(a))) % a.size;
}
// `"x"` or `"x":(1)2`.
void axis_print(const Context *context, const Mesh *mesh, AxisRef a, StrBuf *out);
const char *axis_text(Context *context, const Mesh *mesh, AxisRef a);  // in the context's arena

// ---- lists ----

int64_t axes_size(AxisList list);  // product of the sizes; 1 for none
bool axes_equal(AxisList a, AxisList b);
bool axes_overlap_ref(AxisList list, AxisRef a);  // some reference of the list overlaps a
bool axes_overlap(AxisList a, AxisList b);
bool axes_contain_ref(AxisList list, AxisRef a);  // some reference of the list contains a
// Merges neighbours that can be merged, in place; returns the new count. The canonical form of a
// list.
uint32_t axes_canonicalize(AxisRef *v, uint32_t n);
// The same after sorting by axis_compare: the canonical form of a set.
uint32_t axes_canonicalize_set(AxisRef *v, uint32_t n);
// True if `of` begins with `prefix`, whose last axis may be a prefix of the axis there. The empty
// list is a prefix of every list.
bool axes_is_prefix(AxisList prefix, AxisList of);
// The longest common prefix (the last axis may be a common sub-axis). Writes at most min(a.n, b.n)
// references; returns the count.
uint32_t axes_common_prefix(AxisList a, AxisList b, AxisRef *out);
// `of` without its prefix (requires axes_is_prefix). Writes at most of.n references; returns the
// count.
uint32_t axes_without_prefix(AxisList of, AxisList prefix, AxisRef *out);
// The longest prefix whose size divides n; its last axis may be shortened to the largest divisor
// that fits. Writes at most list.n references; returns the count.
uint32_t axes_prefix_dividing(AxisList list, int64_t n, AxisRef *out);
// All sub-axes of the list that are not in `taken`, in order, merged; in the arena.
AxisList axes_subtract(Arena *arena, AxisList list, AxisList taken);
// All axes of the mesh that are not in `taken`, in the mesh's order.
AxisList axes_complement(Arena *arena, const Mesh *mesh, AxisList taken);
AxisList axes_concat(Arena *arena, AxisList a, AxisList b);  // merged where they meet
// The coordinates of a position along the list as one number, row-major.
static inline int64_t axes_coordinate(const Mesh *mesh, AxisList list, uint32_t position) {
  int64_t index = 0;
  for (uint32_t i = 0; i < list.n; i++)
    index = index * list.v[i].size + axis_coordinate(mesh, list.v[i], position);
  return index;
}
void axes_print(const Context *context, const Mesh *mesh, AxisList list, StrBuf *out);  // "x", "y"

#endif
