// Kinds of ops (fuse.def), and views: ops that become accesses instead of code.
//
// A view op's result element is an element of its operand. Its index is affine in the index of the
// result for broadcasts, transposes, slices and reversals. A reshape keeps the position in memory:
// dimensions that correspond stay affine; where dimensions are merged only the position is known,
// which suffices to load from the operand. Chains of views are composed. O(chain * rank^2).
#include <string.h>

#include "execute/fuse_private.h"
#include "tensor/literal.h"

// ---- kinds ----

typedef struct Row {
  uint8_t kind, scalar;
} Row;

static const Row rows[OP_COUNT] = {
    [OP_NONE] = {FUSE_NONE, 0},
#define POINT(op, scalar) [OP_##op] = {FUSE_POINT, SCALAR_##scalar},
#define KIND(op, kind) [OP_##op] = {kind, SCALAR_COUNT},
#include "execute/fuse.def"
#undef POINT
#undef KIND
};

ScalarOp fuse_scalar(uint16_t code) { return (ScalarOp)rows[code].scalar; }

int64_t fuse_count(const Program *p, ValueId v) {
  int64_t n = 0;
  return type_count(p->context, value_type(p, v), &n) ? n : 0;
}

bool fuse_is_tensor(const Program *p, ValueId v) {
  const TypeInfo *info = fuse_type(p, v);
  return info->kind == TYPE_TENSOR && info->rank <= FUSE_RANK && fuse_count(p, v) > 0 &&
         !type_is_quant(p->context, info->elem) && dtype_kind(fuse_dtype(p, v)) != KIND_OTHER;
}

ScalarOp fuse_compare(const Program *p, OpId op) {
  static const struct {
    const char *name;
    ScalarOp scalar;
  } directions[] = {{"EQ", SCALAR_eq}, {"NE", SCALAR_ne}, {"GE", SCALAR_ge},
                    {"GT", SCALAR_gt}, {"LE", SCALAR_le}, {"LT", SCALAR_lt}};
  Context *cx = p->context;
  if (str_is(name_str(cx, attr_as_name(cx, op_attr(p, op, "compare_type"))), "TOTALORDER"))
    return SCALAR_COUNT;
  Str name = name_str(cx, attr_as_name(cx, op_attr(p, op, "comparison_direction")));
  for (int i = 0; i < 6; i++)
    if (str_is(name, directions[i].name)) return directions[i].scalar;
  return SCALAR_COUNT;
}

ScalarOp fuse_combine(const Program *p, OpId op) {
  BlockId block = region_block(p, op_region(p, op, 0));
  if (op_at(p, op)->n_operands != 2 || !block || block_at(p, block)->n_args != 2)
    return SCALAR_COUNT;
  OpId body = block_at(p, block)->first, end = block_at(p, block)->last;
  if (!body || op_at(p, body)->next != end || op_at(p, end)->n_operands != 1 ||
      op_at(p, body)->n_operands != 2 || op_operand(p, end, 0) != op_result(p, body, 0))
    return SCALAR_COUNT;
  ValueId a = op_operand(p, body, 0), b = op_operand(p, body, 1);
  ValueId x = block_arg(p, block, 0), y = block_arg(p, block, 1);
  if (!((a == x && b == y) || (a == y && b == x))) return SCALAR_COUNT;
  ScalarOp op_ = rows[op_at(p, body)->code].kind == FUSE_POINT ? fuse_scalar(op_at(p, body)->code)
                                                               : SCALAR_COUNT;
  DType type = fuse_dtype(p, op_operand(p, op, 0));
  bool same = fuse_dtype(p, x) == type && fuse_dtype(p, op_result(p, op, 0)) == type;
  return same && op_ < SCALAR_COUNT && loop_lanes_fold(op_, type) && loop_supports(op_, type, type)
             ? op_
             : SCALAR_COUNT;
}

// An elementwise op whose function over lanes exists.
static bool has_lanes(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  if (o->n_results != 1 || o->n_operands == 0 || o->n_operands > POINTWISE_ARITY) return false;
  PointwiseCall call = {
      .code = o->code, .attrs = o->attrs, .context = p->context, .n_in = o->n_operands};
  for (uint32_t i = 0; i < o->n_operands; i++) call.in[i] = fuse_dtype(p, op_operand(p, op, i));
  call.out = fuse_dtype(p, op_result(p, op, 0));
  return pointwise_prepare(&call);
}

static bool point_supported(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  ScalarOp scalar = fuse_scalar(o->code);
  DType type = fuse_dtype(p, op_result(p, op, 0)), from = fuse_dtype(p, op_operand(p, op, 0));
  if (scalar == SCALAR_bitcast &&
      fuse_type(p, op_result(p, op, 0))->rank != fuse_type(p, op_operand(p, op, 0))->rank)
    return false;
  bool changes = scalar == SCALAR_convert || scalar == SCALAR_bitcast || scalar == SCALAR_select ||
                 scalar == SCALAR_finite;
  return (changes || type == from) && loop_supports(scalar, type, from);
}

FuseKind fuse_classify(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  FuseKind kind = (FuseKind)rows[o->code].kind;
  if (o->n_results != 1) return FUSE_NONE;
  for (uint32_t i = 0; i < o->n_operands; i++)
    if (!fuse_is_tensor(p, op_operand(p, op, i))) return FUSE_NONE;
  if (!fuse_is_tensor(p, op_result(p, op, 0))) return FUSE_NONE;
  DType from = o->n_operands ? fuse_dtype(p, op_operand(p, op, 0)) : DT_none_;
  switch (kind) {
  case FUSE_CONSTANT: {
    const AttrInfo *value = attr_info(p->context, op_attr(p, op, "value"));
    bool splat =
        value->kind == ATTR_DENSE && (value->splat || fuse_count(p, op_result(p, op, 0)) == 1);
    return splat && !dtype_is_complex(fuse_dtype(p, op_result(p, op, 0))) ? kind : FUSE_NONE;
  }
  case FUSE_IOTA:
    return loop_supports(SCALAR_index, fuse_dtype(p, op_result(p, op, 0)), DT_none_) ? kind
                                                                                     : FUSE_NONE;
  case FUSE_COMPARE:
    if (fuse_compare(p, op) < SCALAR_COUNT && loop_supports(SCALAR_eq, DT_i1, from)) return kind;
    return has_lanes(p, op) ? FUSE_CALL : FUSE_NONE;
  case FUSE_CLAMP:
    if (loop_supports(SCALAR_max, from, from)) return kind;
    return has_lanes(p, op) ? FUSE_CALL : FUSE_NONE;
  case FUSE_REDUCE: return fuse_combine(p, op) < SCALAR_COUNT ? kind : FUSE_NONE;
  case FUSE_POINT:
    if (point_supported(p, op)) return kind;
    return fuse_scalar(o->code) != SCALAR_bitcast && has_lanes(p, op) ? FUSE_CALL : FUSE_NONE;
  case FUSE_NONE: {
    uint32_t traits = op_traits(p, op);
    bool elementwise = traits & TRAIT_ELEMENTWISE && traits & TRAIT_PURE && o->n_regions == 0;
    return elementwise && has_lanes(p, op) ? FUSE_CALL : FUSE_NONE;
  }
  default: return kind;
  }
}

// ---- views ----

static void dense_strides(const TypeInfo *t, int64_t *out) {
  int64_t stride = 1;
  for (uint32_t d = t->rank; d-- > 0; stride *= t->dims[d]) out[d] = stride;
}

// The position in the root, from its indices.
static void set_position(const Program *p, FuseView *v) {
  if (v->flat) return;
  int64_t strides[FUSE_RANK];
  dense_strides(fuse_type(p, v->root), strides);
  v->base = 0;
  memset(v->stride, 0, sizeof v->stride);
  for (uint32_t k = 0; k < v->root_rank; k++) {
    v->base += strides[k] * v->offset[k];
    for (uint32_t d = 0; d < v->rank; d++) v->stride[d] += strides[k] * v->coef[k][d];
  }
}

typedef struct Dim {
  int64_t coef[FUSE_RANK], offset;
} Dim;

static Dim dim_of(const FuseView *v, uint32_t k) {
  Dim dim = {.offset = v->offset[k]};
  memcpy(dim.coef, v->coef[k], sizeof dim.coef);
  return dim;
}

static void dim_set(FuseView *v, uint32_t k, const Dim *dim, int64_t scale, int64_t add) {
  v->offset[k] = add + scale * dim->offset;
  for (uint32_t d = 0; d < FUSE_RANK; d++) v->coef[k][d] = scale * dim->coef[d];
}

// A reshape from `from` to the view's root shape: groups of dimensions with equal products. False:
// dimensions are merged, so that indices are not affine.
static bool through_reshape(FuseView *v, const TypeInfo *to, const TypeInfo *from) {
  Dim dims[FUSE_RANK];
  for (uint32_t k = 0; k < to->rank; k++) dims[k] = dim_of(v, k);
  uint32_t i = 0, j = 0;  // of to, of from
  while (j < from->rank || i < to->rank) {
    if (j < from->rank && from->dims[j] == 1) {
      dim_set(v, j++, &(Dim){.offset = 0}, 1, 0);
      continue;
    }
    if (i < to->rank && to->dims[i] == 1) {
      i++;
      continue;
    }
    if (i == to->rank || j == from->rank) return false;
    // One dimension of the operand, some of the result.
    int64_t product = to->dims[i];
    Dim sum = dims[i++];
    while (product < from->dims[j] && i < to->rank) {
      int64_t n = to->dims[i];
      for (uint32_t d = 0; d < FUSE_RANK; d++) sum.coef[d] = sum.coef[d] * n + dims[i].coef[d];
      sum.offset = sum.offset * n + dims[i].offset;
      product *= n;
      i++;
    }
    if (product != from->dims[j]) return false;
    dim_set(v, j++, &sum, 1, 0);
  }
  return true;
}

// Composes the view with the op that defines its root. False: not possible.
static bool through(Program *p, FuseKind kind, FuseView *v, OpId op) {
  Context *cx = p->context;
  if (v->flat) return false;
  const TypeInfo *to = fuse_type(p, op_result(p, op, 0)),
                 *from = fuse_type(p, op_operand(p, op, 0));
  FuseView before = *v;
  v->root = op_operand(p, op, 0);
  v->root_rank = from->rank;
  switch (kind) {
  case FUSE_RESHAPE:
    if (through_reshape(v, to, from)) return true;
    *v = before;
    set_position(p, v);
    v->flat = true;
    v->root = op_operand(p, op, 0);
    v->root_rank = from->rank;
    return true;
  case FUSE_TRANSPOSE: {
    Ints order = attr_as_ints(cx, op_attr(p, op, "permutation"));
    for (uint32_t d = 0; d < order.n; d++) {
      Dim dim = dim_of(&before, d);
      dim_set(v, (uint32_t)order.v[d], &dim, 1, 0);
    }
    return true;
  }
  case FUSE_BROADCAST: {
    Ints dims = attr_as_ints(cx, op_attr(p, op, "broadcast_dimensions"));
    for (uint32_t k = 0; k < dims.n; k++) {
      Dim dim = dim_of(&before, (uint32_t)dims.v[k]);
      dim_set(v, k, &dim, from->dims[k] == 1 ? 0 : 1, 0);
    }
    return true;
  }
  case FUSE_SLICE: {
    Ints start = attr_as_ints(cx, op_attr(p, op, "start_indices")),
         step = attr_as_ints(cx, op_attr(p, op, "strides"));
    for (uint32_t k = 0; k < start.n; k++) {
      Dim dim = dim_of(&before, k);
      dim_set(v, k, &dim, step.n > k ? step.v[k] : 1, start.v[k]);
    }
    return true;
  }
  case FUSE_REVERSE: {
    Ints dims = attr_as_ints(cx, op_attr(p, op, "dimensions"));
    for (uint32_t i = 0; i < dims.n; i++) {
      uint32_t k = (uint32_t)dims.v[i];
      Dim dim = dim_of(&before, k);
      dim_set(v, k, &dim, -1, from->dims[k] - 1);
    }
    return true;
  }
  default: *v = before; return false;
  }
}

// Reading with a stride wastes memory bandwidth: such views of large values are materialized.
static bool cheap(const Fuser *f, FuseView *v) {
  enum { SMALL = 4096 };
  set_position(f->p, v);
  for (uint32_t d = v->rank; d-- > 0;) {
    if (!v->stride[d]) continue;
    return v->stride[d] == 1 || d + 1 < v->rank || fuse_count(f->p, v->root) <= SMALL;
  }
  return true;
}

void fuse_view(const Fuser *f, ValueId value, uint32_t rank, bool first, FuseView *out) {
  Program *p = f->p;
  FuseView v = {.root = value, .rank = rank, .root_rank = fuse_type(p, value)->rank};
  if (v.root_rank)
    for (uint32_t d = 0; d < rank; d++) v.coef[d][d] = 1;
  for (;;) {
    OpId op = value_def(p, v.root);
    FuseView next = v;
    if (!op || !f->position[op] || !fuse_is_view((FuseKind)f->kind[op]) ||
        !through(p, (FuseKind)f->kind[op], &next, op) || !(cheap(f, &next) || first))
      break;
    v = next;
    first = false;
  }
  set_position(p, &v);
  *out = v;
}

bool fuse_strides(Program *p, ValueId value, BlockId block, const bool *fused, OperandView *out) {
  if (!fuse_is_tensor(p, value)) return false;
  const TypeInfo *type = fuse_type(p, value);
  FuseView v = {.root = value, .rank = type->rank, .root_rank = type->rank};
  for (uint32_t d = 0; d < v.rank; d++) v.coef[d][d] = 1;
  for (;;) {
    OpId op = value_def(p, v.root);
    FuseView next = v;
    if (!op || op_at(p, op)->block != block || fused[op]) break;
    FuseKind kind = fuse_classify(p, op);
    if (!fuse_is_view(kind) || kind == FUSE_BROADCAST || kind == FUSE_REVERSE ||
        !through(p, kind, &next, op) || next.flat)
      break;
    v = next;
  }
  if (v.root == value) return false;
  set_position(p, &v);
  *out = (OperandView){.root = v.root, .base = v.base};
  for (uint32_t d = 0; d < v.rank; d++) out->strides[d] = v.stride[d];
  return true;
}

void fuse_operand(const Fuser *f, OpId op, uint32_t i, FuseView *out) {
  ValueId result = op_result(f->p, op, 0);
  uint32_t rank = fuse_type(f->p, result)->rank;
  FuseKind kind = (FuseKind)f->kind[op];
  if (kind == FUSE_REDUCE) rank = i ? 0 : fuse_type(f->p, op_operand(f->p, op, 0))->rank;
  bool alone = !fuse_is_step(kind);
  fuse_view(f, alone ? result : op_operand(f->p, op, i), rank, alone, out);
}

bool fuse_splat(const Fuser *f, const FuseView *view, uint64_t *out_bits) {
  OpId op = value_def(f->p, view->root);
  if (!op || rows[op_at(f->p, op)->code].kind != FUSE_CONSTANT) return false;
  if (f->position[op] ? f->kind[op] != FUSE_CONSTANT : fuse_classify(f->p, op) != FUSE_CONSTANT)
    return false;
  const AttrInfo *value = attr_info(f->p->context, op_attr(f->p, op, "value"));
  DType type = fuse_dtype(f->p, view->root);
  uint64_t bits = 0;
  if (!value->data || type_dtype(f->p->context, value->type) != type) return false;
  memcpy(&bits, value->data, (size_t)dtype_bytes(type));
  *out_bits = bits;
  return true;
}
