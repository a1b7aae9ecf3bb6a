// Problem: a loop with a body of a few small ops spends its time on everything but them: a kernel
// for the condition and for the counter, one per op that reads or writes a slice, addresses, calls.
//
// Idea: translate the body to steps of one row (tensor/loop.h), with the iterations as a grid
// dimension whose rows run in order. Counters, and integers computed from them, are affine in the
// iteration and need no memory:
//
//   i < 100, i += 1            → 100 rows
//   x = dynamic_slice xs, i    → an access of xs that advances by a row of xs
//   ys = dynamic_update_slice  → a store that advances
//   c' = f(c, x)               → loads and stores of c that do not advance
//
// Invariant: a carry is stored behind the last load of its old value: stores to carries are the
// last steps, in a pass in which no later one reads the carry. All other stores are to memory that
// the body does not read. Steps, and so bits, are those of the loops that are merged.
// Cost: O(steps of the body · accesses).
#include "execute/scan.h"

#include <string.h>

#include "execute/fuse.h"
#include "ops/op.h"
#include "tensor/loop.h"

enum { MOST_STEPS = 300, MOST_CARRIES = 64, MOST_INSTRS = 64, OUTPUT = 0x4000, INDEX = UINT16_MAX };
#define NO_STEP UINT16_MAX
// A body above it is better shared by workers; a scan above it could not be cancelled soon.
#define MOST_BODY_SECONDS 20e-6
#define MOST_SECONDS 50e-3

// base + slope · iteration.
typedef struct Affine {
  int64_t base, slope;
} Affine;

typedef enum DefKind {
  DEF_STEP,    // computed by `step`, stored by `access`
  DEF_AFFINE,  // a scalar integer
  DEF_BLOCK,   // `count` elements of the value `from`, at the position `at`
  DEF_UPDATE,  // the carry `from` with the elements of `part` written at the position `at`
} DefKind;

typedef struct Def {
  ValueId value;
  DefKind kind;
  Affine at;  // also of DEF_AFFINE
  ValueId from, part;
  uint16_t step;
  int64_t inner;  // of DEF_STEP: 1: an element per element of the row; 0: one
} Def;

// A step of a body's loop in the scan: one of its steps, or an integer that is affine.
typedef struct Mapped {
  bool affine;
  Affine value;
  uint16_t step;  // NO_STEP: not made yet
} Mapped;

typedef struct Scan {
  const Executable *exe;
  const Program *p;
  Arena *arena;
  const Instr *loop;
  int64_t trips;  // -1: not known yet
  bool counts[MOST_CARRIES];
  Affine counter[MOST_CARRIES];
  ValueId result[MOST_CARRIES];  // of the body
  int64_t inner;                 // of the row
  VEC(Def) defs;
  VEC(LoopStep) steps;
  VEC(LoopAccess) accesses;
  VEC(ValueId) in;
} Scan;

// ---- values ----

static ValueId root_of(const Scan *x, ValueId v) {
  while (x->exe->alias[v]) v = x->exe->alias[v];
  return v;
}

static DType dtype_of(const Scan *x, ValueId v) {
  return type_dtype(x->p->context, value_type(x->p, v));
}

static int64_t count_of(const Scan *x, ValueId v) {
  const TypeInfo *t = type_info(x->p->context, value_type(x->p, v));
  int64_t n = 1;
  for (uint32_t d = 0; d < t->rank; d++) n *= t->dims[d];  // fits: its bytes do
  return n;
}

static const Def *find_def(const Scan *x, ValueId root) {
  for (uint32_t i = x->defs.count; i-- > 0;)
    if (x->defs.items[i].value == root) return &x->defs.items[i];
  return NULL;
}

static uint32_t carry_of(const Scan *x, ValueId root) {
  uint32_t k = 0;
  while (k < x->loop->n_out && x->loop->carries[k] != root) k++;
  return k;
}

// ---- affine integers ----

static bool is_integer(DType t) {
  return t == DT_i1 || t == DT_i8 || t == DT_i16 || t == DT_i32 || t == DT_i64 || t == DT_ui8 ||
         t == DT_ui16 || t == DT_ui32;
}

static int64_t integer_of(DType t, uint64_t bits) {
  int width = dtype_width(t);
  if (width == 64) return (int64_t)bits;
  bits &= ((uint64_t)1 << width) - 1;
  if (dtype_is_signed(t) && t != DT_i1 && bits >> (width - 1))
    return (int64_t)bits - ((int64_t)1 << width);
  return (int64_t)bits;
}

static bool in_range(DType t, int64_t v) {
  int width = dtype_width(t);
  return width == 64 || integer_of(t, (uint64_t)v) == v;
}

static bool value_at_iteration(Affine a, int64_t t, int64_t *out) {
  int64_t product;
  return !__builtin_mul_overflow(a.slope, t, &product) &&
         !__builtin_add_overflow(a.base, product, out);
}

// The type holds the value in iterations 0 … last.
static bool holds(DType t, Affine a, int64_t last) {
  int64_t value;
  return is_integer(t) && in_range(t, a.base) && value_at_iteration(a, last, &value) &&
         in_range(t, value);
}

static bool constant_of(const Scan *x, ValueId v, int64_t *out) {
  DType t = dtype_of(x, v);
  if (!executable_is_constant(x->exe, v) || !is_integer(t) || count_of(x, v) != 1) return false;
  const AttrInfo *value = attr_info(x->p->context, op_attr(x->p, value_at(x->p, v)->def, "value"));
  uint64_t bits = 0;
  if (!value->data || type_dtype(x->p->context, value->type) != t) return false;
  memcpy(&bits, value->data, (size_t)dtype_bytes(t));
  *out = integer_of(t, bits);
  return true;
}

static bool affine_of(const Scan *x, ValueId v, Affine *out) {
  ValueId root = root_of(x, v);
  const Def *def = find_def(x, root);
  uint32_t k = carry_of(x, root);
  *out = (Affine){0};
  if (dtype_of(x, v) != dtype_of(x, root)) return false;
  if (k < x->loop->n_out && x->counts[k]) return *out = x->counter[k], true;
  if (def && def->kind == DEF_AFFINE) return *out = def->at, true;
  return !def && k == x->loop->n_out && constant_of(x, root, &out->base);
}

// a - b has one sign in all iterations: -1, 0, 1; 2: not.
static int compare_affine(const Scan *x, Affine a, Affine b) {
  Affine d;
  int64_t last = 0;
  if (__builtin_sub_overflow(a.base, b.base, &d.base) ||
      __builtin_sub_overflow(a.slope, b.slope, &d.slope))
    return 2;
  if (d.slope == 0) return (d.base > 0) - (d.base < 0);
  if (x->trips < 1 || !value_at_iteration(d, x->trips - 1, &last)) return 2;
  int first_sign = (d.base > 0) - (d.base < 0), last_sign = (last > 0) - (last < 0);
  return first_sign == last_sign && first_sign ? first_sign : 2;
}

static bool affine_compare(const Scan *x, ScalarOp op, Affine a, Affine b, Affine *out) {
  int order = compare_affine(x, a, b);
  if (order == 2) return false;
  bool is = op == SCALAR_eq   ? order == 0
            : op == SCALAR_ne ? order != 0
            : op == SCALAR_ge ? order >= 0
            : op == SCALAR_gt ? order > 0
            : op == SCALAR_le ? order <= 0
                              : order < 0;
  *out = (Affine){is, 0};
  return true;
}

// The step's result, if it is affine for affine operands.
static bool affine_step(const Scan *x, const LoopStep *s, const Affine *in, Affine *out) {
  Affine r = {0};
  switch ((ScalarOp)s->op) {
  case SCALAR_constant:
    if (!is_integer((DType)s->dtype)) return false;
    r.base = integer_of((DType)s->dtype, s->bits);
    break;
  case SCALAR_convert:
    if (!is_integer((DType)s->from) || s->dtype == DT_i1) return false;
    r = in[0];
    break;
  case SCALAR_add:
    if (s->dtype == DT_i1 || __builtin_add_overflow(in[0].base, in[1].base, &r.base) ||
        __builtin_add_overflow(in[0].slope, in[1].slope, &r.slope))
      return false;
    break;
  case SCALAR_sub:
    if (s->dtype == DT_i1 || __builtin_sub_overflow(in[0].base, in[1].base, &r.base) ||
        __builtin_sub_overflow(in[0].slope, in[1].slope, &r.slope))
      return false;
    break;
  case SCALAR_mul: {
    Affine a = in[0].slope ? in[0] : in[1], b = in[0].slope ? in[1] : in[0];
    if (s->dtype == DT_i1 || b.slope || __builtin_mul_overflow(a.base, b.base, &r.base) ||
        __builtin_mul_overflow(a.slope, b.base, &r.slope))
      return false;
    break;
  }
  case SCALAR_max:
  case SCALAR_min: {
    int order = compare_affine(x, in[0], in[1]);
    if (order == 2) return false;
    r = in[(order < 0) == (s->op == SCALAR_max)];
    break;
  }
  case SCALAR_select:
    if (in[0].slope) return false;
    r = in[in[0].base ? 1 : 2];
    break;
  case SCALAR_eq:
  case SCALAR_ne:
  case SCALAR_ge:
  case SCALAR_gt:
  case SCALAR_le:
  case SCALAR_lt:
    if (!affine_compare(x, (ScalarOp)s->op, in[0], in[1], &r)) return false;
    break;
  default: return false;
  }
  if (!holds((DType)s->dtype, r, x->trips > 0 ? x->trips - 1 : 0)) return false;
  *out = r;
  return true;
}

// ---- the trip count ----

// The loop's step whose value the kernel stores as `v`; NULL: another kernel computes it.
static const Loop *loop_of(const Scan *x, const InstrList *list, ValueId v, const Instr **out_instr,
                           uint16_t *out_step) {
  ValueId root = root_of(x, v);
  for (uint32_t i = 0; i < list->count; i++) {
    const Instr *instr = &list->items[i];
    const Loop *l = instr->kind == INSTR_KERNEL ? fuse_loop(instr->kernel) : NULL;
    for (uint32_t k = 0; l && k < instr->n_out; k++)
      for (uint32_t s = 0; instr->out[k] == root && s < l->n_steps; s++)
        if (l->steps[s].op == SCALAR_store &&
            l->accesses[l->steps[s].access].buffer == instr->n_in + k) {
          *out_instr = instr;
          *out_step = l->steps[s].in[0];
          return l;
        }
  }
  return NULL;
}

// The operand is the value of a carry or a constant.
static bool simple_operand(const Scan *x, const Loop *l, const Instr *instr, uint16_t step,
                           uint32_t *out_carry, int64_t *out_constant) {
  const LoopStep *s = &l->steps[step];
  *out_carry = x->loop->n_out;
  *out_constant = 0;
  if (!is_integer((DType)s->dtype)) return false;
  if (s->op == SCALAR_constant) return *out_constant = integer_of((DType)s->dtype, s->bits), true;
  if (s->op != SCALAR_load) return false;
  ValueId root = root_of(x, instr->in[l->accesses[s->access].buffer]);
  if (dtype_of(x, root) != s->dtype) return false;
  *out_carry = carry_of(x, root);
  return *out_carry < x->loop->n_out || constant_of(x, root, out_constant);
}

// Counters: a constant at first, plus a constant per iteration.
static void find_counters(Scan *x) {
  for (uint32_t k = 0; k < x->loop->n_out; k++) {
    const Instr *instr;
    uint16_t at;
    uint32_t a, b;
    int64_t first, second, init;
    ValueId operand = op_operand(x->p, x->loop->op, value_at(x->p, x->loop->carries[k])->index);
    DType type = dtype_of(x, x->loop->carries[k]);
    if (dtype_of(x, root_of(x, operand)) != type || dtype_of(x, root_of(x, x->result[k])) != type ||
        !constant_of(x, root_of(x, operand), &init))
      continue;
    const Loop *l = loop_of(x, &x->loop->lists[1], x->result[k], &instr, &at);
    const LoopStep *s = l ? &l->steps[at] : NULL;
    if (!s || (s->op != SCALAR_add && s->op != SCALAR_sub) || s->dtype == DT_i1 ||
        !simple_operand(x, l, instr, s->in[0], &a, &first) ||
        !simple_operand(x, l, instr, s->in[1], &b, &second))
      continue;
    if (s->op == SCALAR_add && b == k && a == x->loop->n_out) {
      a = k, second = first;
      b = x->loop->n_out;
    }
    if (a != k || b != x->loop->n_out || second == INT64_MIN) continue;
    x->counter[k] = (Affine){init, s->op == SCALAR_add ? second : -second};
    x->counts[k] = true;
  }
}

// The number of iterations in which d(t) > 0 from the first one on.
static bool positive_for(Affine d, int64_t *out) {
  if (d.base <= 0) return *out = 0, true;
  if (d.slope >= 0 || d.slope == INT64_MIN) return false;
  *out = (d.base - 1) / -d.slope + 1;
  return true;
}

static bool find_trips(Scan *x) {
  const Instr *instr;
  uint16_t at;
  const Loop *l = loop_of(x, &x->loop->lists[0], x->loop->in[0], &instr, &at);
  if (!l || x->loop->lists[0].count != 1) return false;
  const LoopStep *s = &l->steps[at];
  if (s->op != SCALAR_lt && s->op != SCALAR_le && s->op != SCALAR_gt && s->op != SCALAR_ge)
    return false;
  Affine in[2] = {{0}};
  for (int i = 0; i < 2; i++) {
    uint32_t carry;
    int64_t constant;
    if (!simple_operand(x, l, instr, s->in[i], &carry, &constant)) return false;
    if (carry < x->loop->n_out && !x->counts[carry]) return false;
    in[i] = carry < x->loop->n_out ? x->counter[carry] : (Affine){constant, 0};
  }
  bool less = s->op == SCALAR_lt || s->op == SCALAR_le;
  Affine d, low = in[less ? 0 : 1], high = in[less ? 1 : 0];
  if (__builtin_sub_overflow(high.base, low.base, &d.base) ||
      __builtin_sub_overflow(high.slope, low.slope, &d.slope) ||
      ((s->op == SCALAR_le || s->op == SCALAR_ge) && __builtin_add_overflow(d.base, 1, &d.base)) ||
      !positive_for(d, &x->trips))
    return false;
  for (uint32_t k = 0; k < x->loop->n_out; k++)  // no counter wraps
    if (x->counts[k] && !holds(dtype_of(x, x->loop->carries[k]), x->counter[k], x->trips))
      return false;
  return true;
}

// ---- steps ----

static uint16_t add_step(Scan *x, LoopStep step) {
  VEC_PUSH(x->arena, &x->steps, step);
  return (uint16_t)(x->steps.count - 1);
}

static uint16_t add_access(Scan *x, const LoopAccess *a) {
  for (uint32_t i = 0; i < x->accesses.count; i++)
    if (memcmp(&x->accesses.items[i], a, sizeof *a) == 0) return (uint16_t)i;
  VEC_PUSH(x->arena, &x->accesses, *a);
  return (uint16_t)(x->accesses.count - 1);
}

static uint16_t source(Scan *x, ScalarOp op, DType dtype, const LoopAccess *a) {
  uint16_t access = add_access(x, a);
  for (uint32_t i = 0; i < x->steps.count; i++) {
    const LoopStep *s = &x->steps.items[i];
    if (s->op == op && s->access == access && s->dtype == dtype) return (uint16_t)i;
  }
  return add_step(x, (LoopStep){.op = (uint8_t)op, .dtype = (uint8_t)dtype, .access = access});
}

static LoopAccess access_at(uint16_t buffer, DType dtype, Affine at, int64_t inner) {
  LoopAccess a;
  memset(&a, 0, sizeof a);  // compared as bytes
  a.buffer = buffer;
  a.dtype = (uint8_t)dtype;
  a.offset = at.base;
  a.grid[0] = at.slope;
  a.inner = inner;
  return a;
}

static uint16_t affine_value(Scan *x, DType dtype, Affine a) {
  if (a.slope) {
    LoopAccess access = access_at(INDEX, DT_i64, a, 0);
    return source(x, SCALAR_index, dtype, &access);
  }
  return add_step(
      x, (LoopStep){.op = SCALAR_constant, .dtype = (uint8_t)dtype, .bits = (uint64_t)a.base});
}

static uint16_t input_of(Scan *x, ValueId v) {
  for (uint32_t i = x->loop->n_out; i < x->in.count; i++)
    if (x->in.items[i] == v) return (uint16_t)i;
  VEC_PUSH(x->arena, &x->in, v);
  return (uint16_t)(x->in.count - 1);
}

// All loops of the body have rows of one length, or of one element.
static bool set_inner(Scan *x, int64_t inner) {
  if (inner == 1 || inner == x->inner) return true;
  if (x->inner != 1 || inner < 1) return false;
  x->inner = inner;
  return true;
}

// A step that gives elements `offset` + inner · i of a value that the body does not compute.
static bool load(Scan *x, ValueId root, Affine at, int64_t inner, uint16_t *out) {
  uint32_t k = carry_of(x, root);
  bool carry = k < x->loop->n_out;
  if (carry && find_def(x, root)) return false;  // updated in place
  uint16_t buffer = carry ? (uint16_t)(OUTPUT + k) : input_of(x, root);
  LoopAccess a = access_at(buffer, dtype_of(x, root), at, inner);
  *out = source(x, SCALAR_load, dtype_of(x, root), &a);
  return true;
}

// A step for a use of the value as a row: offset + inner · i. The dtype of views may differ.
static bool use(Scan *x, ValueId v, DType dtype, int64_t offset, int64_t inner, Mapped *out) {
  ValueId root = root_of(x, v);
  const Def *def = find_def(x, root);
  *out = (Mapped){.step = NO_STEP};
  if (dtype_of(x, root) != dtype) return false;
  if (is_integer(dtype) && count_of(x, root) == 1 && affine_of(x, v, &out->value))
    return out->affine = true;
  if (!def) return load(x, root, (Affine){offset, 0}, inner, &out->step);
  switch (def->kind) {
  case DEF_STEP:
    out->step = def->step;
    return offset == 0 && (def->inner == inner || (!def->inner && count_of(x, root) == 1));
  case DEF_BLOCK: {
    Affine at = def->at;
    if (__builtin_add_overflow(at.base, offset, &at.base)) return false;
    return load(x, def->from, at, inner, &out->step);
  }
  default: return false;
  }
}

static uint16_t step_of(Scan *x, Mapped *m, DType dtype) {
  if (m->step == NO_STEP) m->step = affine_value(x, dtype, m->value);
  return m->step;
}

static uint32_t arity(const LoopStep *s) {
  return s->op == SCALAR_call ? s->call->n_in : scalar_op_info((ScalarOp)s->op)->operands;
}

static bool translate_step(Scan *x, const Instr *instr, const Loop *l, const LoopStep *s,
                           Mapped *map, Mapped *out) {
  const LoopAccess *a = &l->accesses[s->access];
  int64_t inner = s->op == SCALAR_load || s->op == SCALAR_index || s->op == SCALAR_store
                      ? (l->inner == 1 ? 0 : a->inner)
                      : 0;
  *out = (Mapped){.step = NO_STEP};
  if (s->op == SCALAR_load)
    return use(x, instr->in[a->buffer], (DType)s->dtype, a->offset, inner, out);
  if (s->op == SCALAR_index) {
    LoopAccess access = access_at(INDEX, DT_i64, (Affine){a->offset, 0}, inner);
    out->step = source(x, SCALAR_index, (DType)s->dtype, &access);
    return true;
  }
  if (s->op == SCALAR_store) {
    Mapped *value = &map[s->in[0]];
    Def def = {.value = instr->out[a->buffer - instr->n_in], .kind = DEF_STEP, .inner = inner};
    if (a->offset || inner > 1 || inner < 0) return false;
    if (value->affine && count_of(x, def.value) == 1)
      def.kind = DEF_AFFINE, def.at = value->value;
    else
      def.step = step_of(x, value, (DType)s->dtype);
    VEC_PUSH(x->arena, &x->defs, def);
    return true;
  }
  Affine in[3] = {{0}};
  bool affine = s->op != SCALAR_call && s->op != SCALAR_reduce;
  for (uint32_t k = 0; k < arity(s) && affine; k++) {
    affine = map[s->in[k]].affine;
    in[k] = map[s->in[k]].value;
  }
  if (affine && affine_step(x, s, in, &out->value)) return out->affine = true;
  LoopStep made = *s;
  made.init = made.access = 0;
  memset(made.in, 0, sizeof made.in);
  for (uint32_t k = 0; k < arity(s); k++)
    made.in[k] = step_of(x, &map[s->in[k]], (DType)l->steps[s->in[k]].dtype);
  // Of a row of one element a reduction is that element; merged into a longer row it is not.
  if (s->op == SCALAR_reduce && l->inner == 1) return false;
  if (s->op == SCALAR_reduce) made.access = LOOP_UNUSED;
  out->step = add_step(x, made);
  return true;
}

static bool translate_loop(Scan *x, const Instr *instr, const Loop *l) {
  if (l->n_grid || l->outer != 1 || l->split || l->n_columns || !set_inner(x, l->inner))
    return false;
  Mapped *map = ARENA_ARRAY(x->arena, Mapped, l->n_steps + 1);
  for (uint32_t i = 0; i < l->n_steps; i++) {
    if (x->steps.count > MOST_STEPS) return false;
    if (!translate_step(x, instr, l, &l->steps[i], map, &map[i])) return false;
  }
  return true;
}

// ---- blocks at run-time positions ----

typedef enum BlockKind { BLOCK_NONE, BLOCK_READ, BLOCK_WRITE } BlockKind;

static BlockKind block_kind(uint16_t code) {
  static const uint8_t kinds[OP_COUNT] = {
#define READ(op) [OP_##op] = BLOCK_READ,
#define WRITE(op) [OP_##op] = BLOCK_WRITE,
#include "execute/scan.def"
#undef READ
#undef WRITE
  };
  return code < OP_COUNT ? (BlockKind)kinds[code] : BLOCK_NONE;
}

// The position of a contiguous block of type `part` in a tensor of type `all`. Starts must be in
// bounds in all iterations, where clamping changes nothing.
static bool block_position(const Scan *x, OpId op, uint32_t first, const TypeInfo *all,
                           const TypeInfo *part, Affine *out) {
  int64_t stride = 1;
  bool whole = true;  // all dimensions behind are
  *out = (Affine){0};
  for (uint32_t d = all->rank; d-- > 0; stride *= all->dims[d]) {
    Affine start, step;
    Affine most = {all->dims[d] - part->dims[d], 0}, zero = {0};
    if (!whole && part->dims[d] != 1) return false;
    whole &= part->dims[d] == all->dims[d];
    if (most.base == 0) continue;
    if (!affine_of(x, op_operand(x->p, op, first + d), &start)) return false;
    int low = compare_affine(x, start, zero), high = compare_affine(x, start, most);
    // A counter may touch the bounds at the first or the last iteration.
    int64_t last;
    if (!value_at_iteration(start, x->trips ? x->trips - 1 : 0, &last)) return false;
    if ((low == 2 || low < 0) && (start.base < 0 || last < 0)) return false;
    if ((high == 2 || high > 0) && (start.base > most.base || last > most.base)) return false;
    if (__builtin_mul_overflow(start.base, stride, &step.base) ||
        __builtin_mul_overflow(start.slope, stride, &step.slope) ||
        __builtin_add_overflow(out->base, step.base, &out->base) ||
        __builtin_add_overflow(out->slope, step.slope, &out->slope))
      return false;
  }
  return true;
}

static bool translate_block(Scan *x, const Instr *instr) {
  BlockKind kind = block_kind(op_at(x->p, instr->op)->code);
  if (kind == BLOCK_NONE || instr->kind != INSTR_KERNEL) return false;
  ValueId part =
      kind == BLOCK_READ ? op_result(x->p, instr->op, 0) : op_operand(x->p, instr->op, 1);
  ValueId from = root_of(x, op_operand(x->p, instr->op, 0));
  Def def = {.value = op_result(x->p, instr->op, 0),
             .kind = kind == BLOCK_READ ? DEF_BLOCK : DEF_UPDATE,
             .from = from,
             .part = part};
  const Context *context = x->p->context;
  if (dtype_of(x, from) != dtype_of(x, part) || find_def(x, from) ||
      !block_position(x, instr->op, kind == BLOCK_READ ? 1 : 2,
                      type_info(context, op_operand_type(x->p, instr->op, 0)),
                      type_info(context, value_type(x->p, part)), &def.at))
    return false;
  if (kind == BLOCK_WRITE) {
    uint32_t k = carry_of(x, from);
    // The result is the carry's next value and nothing else, and no one reads the old one.
    if (k == x->loop->n_out || root_of(x, x->result[k]) != def.value) return false;
    for (uint32_t i = 0; i < x->accesses.count; i++)
      if (x->accesses.items[i].buffer == OUTPUT + k) return false;
    VEC_PUSH(x->arena, &x->defs, ((Def){.value = from, .kind = DEF_UPDATE}));
  }
  VEC_PUSH(x->arena, &x->defs, def);
  return true;
}

// ---- stores ----

// A step for all elements of a value: one, or one per element of the row.
static bool whole_value(Scan *x, ValueId v, uint16_t *out_step, int64_t *out_inner) {
  ValueId root = root_of(x, v);
  DType dtype = dtype_of(x, root);
  int64_t count = count_of(x, root);
  Mapped m;
  if (!set_inner(x, count)) return false;
  *out_inner = count > 1;
  if (!use(x, v, dtype, 0, *out_inner, &m)) return false;
  *out_step = step_of(x, &m, dtype);
  return true;
}

static void add_store(Scan *x, uint32_t carry, uint16_t step, Affine at, int64_t inner) {
  DType dtype = dtype_of(x, x->loop->carries[carry]);
  LoopAccess a = access_at((uint16_t)(OUTPUT + carry), dtype, at, inner);
  uint16_t access = add_access(x, &a);
  add_step(x,
           (LoopStep){.op = SCALAR_store, .dtype = (uint8_t)dtype, .in = {step}, .access = access});
}

static const Def *update_of(const Scan *x, uint32_t k) {
  const Def *def = find_def(x, root_of(x, x->result[k]));
  return def && def->kind == DEF_UPDATE && def->part ? def : NULL;
}

static bool add_stores(Scan *x) {
  uint16_t step[MOST_CARRIES];
  int64_t inner[MOST_CARRIES];
  for (uint32_t k = 0; k < x->loop->n_out; k++) {
    const Def *update = update_of(x, k);
    if (update && update->from != x->loop->carries[k]) return false;
    if (x->counts[k]) continue;
    // The next value of a carry must not be another carry, whose store may come before.
    if (!update && carry_of(x, root_of(x, x->result[k])) < x->loop->n_out) return false;
    ValueId value = update ? update->part : x->result[k];
    if (dtype_of(x, root_of(x, value)) != dtype_of(x, x->loop->carries[k]) ||
        !whole_value(x, value, &step[k], &inner[k]))
      return false;
  }
  for (uint32_t k = 0; k < x->loop->n_out; k++) {
    const Def *update = update_of(x, k);
    if (update) add_store(x, k, step[k], update->at, inner[k]);
  }
  for (uint32_t k = 0; k < x->loop->n_out; k++)
    if (!x->counts[k] && !update_of(x, k)) add_store(x, k, step[k], (Affine){0}, inner[k]);
  return true;
}

// ---- the loop ----

static bool is_carry_store(const Scan *x, const LoopStep *s) {
  if (s->op != SCALAR_store) return false;
  uint16_t buffer = x->accesses.items[s->access].buffer;
  return !update_of(x, (uint32_t)buffer - OUTPUT);
}

// Levels and passes; carries are stored in the pass of the last step that loads them, or later.
static void finish_steps(Scan *x, Loop *l) {
  l->n_passes = 1;
  for (uint32_t i = 0; i < x->steps.count; i++) {
    LoopStep *s = &x->steps.items[i];
    uint8_t level = s->op == SCALAR_constant ? LOOP_ONCE : LOOP_ROW, pass = 0;
    for (uint32_t k = 0; k < arity(s); k++) {
      const LoopStep *v = &x->steps.items[s->in[k]];
      uint8_t behind = (uint8_t)(v->pass + (v->op == SCALAR_reduce));
      if (v->level > level) level = v->level;
      if (behind > pass) pass = behind;
    }
    bool accesses = s->op == SCALAR_load || s->op == SCALAR_index || s->op == SCALAR_store;
    if (accesses && x->accesses.items[s->access].inner) level = LOOP_ELEMENT;
    if (s->op == SCALAR_reduce) level = LOOP_ROW, l->n_rows++;
    if (is_carry_store(x, s)) {
      const LoopAccess *to = &x->accesses.items[s->access];
      for (uint32_t u = 0; u < i; u++) {
        const LoopStep *user = &x->steps.items[u];
        for (uint32_t k = 0; k < arity(user); k++) {
          const LoopStep *v = &x->steps.items[user->in[k]];
          const LoopAccess *a = &x->accesses.items[v->access];
          if (v->op != SCALAR_load || a->buffer != to->buffer || !a->inner) continue;
          uint8_t behind = (uint8_t)(user->pass + (v->access != s->access));
          if (behind > pass) pass = behind;
        }
      }
    }
    s->level = level;
    s->pass = pass;
    uint32_t passes = pass + 1u + (s->op == SCALAR_reduce);
    if (passes > l->n_passes) l->n_passes = passes;
  }
}

// A measure of one iteration's time.
static double body_seconds(const Scan *x) {
  double each = 0;
  for (uint32_t i = 0; i < x->steps.count; i++) {
    const LoopStep *s = &x->steps.items[i];
    each += s->op == SCALAR_call                         ? 10e-9
            : scalar_op_info((ScalarOp)s->op)->expensive ? 0.5e-9
                                                         : 0.15e-9;
  }
  return 10e-9 + each * (double)x->inner;
}

// ---- the kernel ----

typedef struct ScanData {
  LoopPlan plan;
  uint32_t n_carries, n_in;
  bool runs;  // there are steps and iterations
  const bool *counts;
  const int64_t *last;  // of counters
  const size_t *bytes;  // per carry
} ScanData;

static void run_scan(const Kernel *kernel, void *const *buffers, uint32_t tile, void *scratch) {
  const ScanData *d = kernel->data;
  (void)tile;
  for (uint32_t k = 0; k < d->n_carries; k++) {
    void *to = buffers[d->n_in + k];
    if (d->counts[k])
      memcpy(to, &d->last[k], d->bytes[k]);
    else if (to != buffers[k] && d->bytes[k])
      memcpy(to, buffers[k], d->bytes[k]);
  }
  if (d->runs) loop_run(&d->plan, buffers, NULL, 0, d->plan.items, scratch);
}

static void finish_accesses(Scan *x) {
  for (uint32_t i = 0; i < x->accesses.count; i++) {
    LoopAccess *a = &x->accesses.items[i];
    if (a->buffer != INDEX && a->buffer >= OUTPUT)
      a->buffer = (uint16_t)(a->buffer - OUTPUT + x->in.count);
  }
}

static bool make_plan(Scan *x, ScanData *d) {
  Loop l = {
      .n_grid = 1, .n_kept = 1, .grid = {x->trips}, .outer = 1, .inner = x->inner, .ordered = true};
  finish_steps(x, &l);
  finish_accesses(x);
  l.steps = x->steps.items, l.n_steps = x->steps.count;
  l.accesses = x->accesses.items, l.n_accesses = x->accesses.count;
  l.n_buffers = x->in.count + x->loop->n_out;
  const LoopEngine *compiled = loop_compiled();
  return (compiled && loop_plan(&d->plan, &l, compiled, x->arena)) ||
         loop_plan(&d->plan, &l, &loop_tiles, x->arena);
}

static bool make_kernel(Scan *x, ScanKernel *out) {
  uint32_t n = x->loop->n_out;
  ScanData *d = ARENA_NEW(x->arena, ScanData);
  bool *counts = ARENA_ARRAY(x->arena, bool, n + 1);
  int64_t *last = ARENA_ARRAY(x->arena, int64_t, n + 1);
  size_t *bytes = ARENA_ARRAY(x->arena, size_t, n + 1);
  uint32_t *in_place = ARENA_ARRAY(x->arena, uint32_t, n + 1);
  for (uint32_t k = 0; k < n; k++) {
    counts[k] = x->counts[k];
    bytes[k] = executable_value_bytes(x->exe, x->loop->out[k]);
    in_place[k] = k;
    if (counts[k] && !value_at_iteration(x->counter[k], x->trips, &last[k])) return false;
  }
  *d = (ScanData){
      .n_carries = n, .n_in = x->in.count, .counts = counts, .last = last, .bytes = bytes};
  d->runs = x->steps.count && x->trips;
  if (d->runs && (!make_plan(x, d) || d->plan.segments != 1 || d->plan.temp_bytes)) return false;
  out->n_in = x->in.count;
  out->in = x->in.items;
  out->kernel = (Kernel){.name = "scan",
                         .run = run_scan,
                         .data = d,
                         .n_tiles = 1,
                         .scratch_bytes = d->runs ? d->plan.scratch_bytes : 0,
                         .in_place = in_place};
  return true;
}

bool scan_make(Executable *exe, const Instr *loop, ScanKernel *out) {
  const Program *p = exe->program;
  const InstrList *body = &loop->lists[1];
  if (!loop->n_out || loop->n_out > MOST_CARRIES || body->count > MOST_INSTRS) return false;
  Scan x = {.exe = exe, .p = p, .arena = &exe->arena, .loop = loop, .trips = -1, .inner = 1};
  OpId end = block_at(p, region_block(p, op_region(p, loop->op, 1)))->last;
  for (uint32_t k = 0; k < loop->n_out; k++) {
    uint32_t index = value_at(p, loop->carries[k])->index;
    x.result[k] = op_operand(p, end, index);
    VEC_PUSH(x.arena, &x.in, op_operand(p, loop->op, index));
  }
  find_counters(&x);
  if (!find_trips(&x)) return false;
  for (uint32_t i = 0; i < body->count; i++) {
    const Instr *instr = &body->items[i];
    const Loop *l = instr->kind == INSTR_KERNEL ? fuse_loop(instr->kernel) : NULL;
    if (l ? !translate_loop(&x, instr, l) : !translate_block(&x, instr)) return false;
  }
  if (!add_stores(&x)) return false;
  double seconds = body_seconds(&x);
  if (seconds > MOST_BODY_SECONDS || seconds * (double)x.trips > MOST_SECONDS) return false;
  return make_kernel(&x, out);
}
