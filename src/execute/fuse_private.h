// Shared by the parts of fuse: views (fuse_view.c), groups (fuse.c), loops of groups
// (fuse_lower.c).
#ifndef TESSERA_EXECUTE_FUSE_PRIVATE_H
#define TESSERA_EXECUTE_FUSE_PRIVATE_H

#include "base/vec.h"
#include "execute/fuse.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "tensor/loop.h"

enum { FUSE_RANK = 8, FUSE_OPS = 96 };
#define NO_GROUP UINT32_MAX

typedef enum FuseKind {
  FUSE_NONE,   // not part of loops
  FUSE_POINT,  // a step
  FUSE_CALL,   // a step that calls the op's function
  FUSE_COMPARE,
  FUSE_CLAMP,
  FUSE_REDUCE,
  FUSE_CONSTANT,  // a splat
  FUSE_IOTA,
  FUSE_VARIADIC,  // a reduction with a body of its own: a loop alone
  FUSE_RESHAPE,   // from here on: views
  FUSE_TRANSPOSE,
  FUSE_BROADCAST,
  FUSE_SLICE,
  FUSE_REVERSE,
} FuseKind;
static inline bool fuse_is_view(FuseKind kind) { return kind >= FUSE_RESHAPE; }
static inline bool fuse_is_step(FuseKind kind) { return kind >= FUSE_POINT && kind <= FUSE_REDUCE; }

// A value as an op sees it through views: for each dimension k of the root its index is
// offset[k] + sum over the op's dimensions d of coef[k][d] * index[d].
typedef struct FuseView {
  ValueId root;
  uint32_t rank;  // of the op's shape
  uint32_t root_rank;
  int64_t coef[FUSE_RANK][FUSE_RANK], offset[FUSE_RANK];
  bool flat;  // indices are unknown; only the position in the root: stride and base
  int64_t stride[FUSE_RANK], base;
} FuseView;

typedef struct Group {
  uint32_t into;  // itself, or the group it was merged into
  uint32_t n_dims;
  int64_t
      dims[FUSE_RANK];   // the iteration space: dimensions of size above 1; the last is innermost
  uint32_t row, column;  // sets of dimensions: reduced within rows; reduced over rows
  uint32_t at;           // position
  VEC(OpId) ops;
} Group;

typedef struct Fuser {
  const FuseRequest *request;
  Program *p;
  Arena *arena;
  BlockId block;
  const LoopEngine *engine;  // preferred; NULL: the tiles
  uint32_t *position;        // per op: 1 … in the block; 0: other blocks
  uint8_t *kind;             // per op: FuseKind
  uint32_t *group;           // per op: NO_GROUP if it is none's
  int8_t (
      *map)[FUSE_RANK];  // per value of a group: the iteration dimension of each dimension, or -1
  int8_t (*in_map)[FUSE_RANK];  // per op of a group: the same for the space in which it reads
  uint16_t *step;               // per value of a group: its step + 1
  bool *leaves;                 // per value: computed by a group that cannot use it again
  bool *loaded;                 // per value: a loop reads it as an input
  bool *dead;  // per op: a view or constant that loops read through and no one else needs
  VEC(Group) groups;
} Fuser;

static inline uint32_t fuse_find(const Fuser *f, uint32_t group) {
  while (group != NO_GROUP && f->groups.items[group].into != group)
    group = f->groups.items[group].into;
  return group;
}
static inline uint32_t fuse_group_of(const Fuser *f, OpId op) {
  return op ? fuse_find(f, f->group[op]) : NO_GROUP;
}

FuseKind fuse_classify(const Program *p, OpId op);
ScalarOp fuse_scalar(uint16_t code);
ScalarOp fuse_compare(const Program *p, OpId op);  // SCALAR_COUNT: a total order
// The combination of a reduction's body; SCALAR_COUNT if it is not a single supported op.
ScalarOp fuse_combine(const Program *p, OpId op);
static inline const TypeInfo *fuse_type(const Program *p, ValueId v) {
  return type_info(p->context, value_type(p, v));
}
static inline DType fuse_dtype(const Program *p, ValueId v) {
  return type_dtype(p->context, value_type(p, v));
}
// A static, unquantized tensor with elements, of rank at most FUSE_RANK.
bool fuse_is_tensor(const Program *p, ValueId v);
int64_t fuse_count(const Program *p, ValueId v);

// Follows views from value v back to a value that is computed, an input, a splat or an iota. rank:
// of the op that uses v; 0-ranked operands of elementwise ops are spread.
// `first`: at least one view is passed, even if reading is expensive.
void fuse_view(const Fuser *f, ValueId v, uint32_t rank, bool first, FuseView *out);
// Operand i of an op of a group in the space in which it reads. A broadcast or iota that is a loop
// of its own reads itself.
void fuse_operand(const Fuser *f, OpId op, uint32_t i, FuseView *out);
// The element of a view of a splat constant, as storage bits.
bool fuse_splat(const Fuser *f, const FuseView *view, uint64_t *out_bits);

// A reduction whose body can be steps of a loop (fuse_variadic.c).
bool fuse_variadic_supported(const Program *p, OpId op);
// Makes its loop: in, out and the kernel.
void fuse_lower_variadic(Fuser *f, OpId op, FusedLoop *out);

// Makes the loop of a group.
void fuse_lower(Fuser *f, uint32_t group, FusedLoop *out);

#endif
