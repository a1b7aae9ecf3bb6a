// Problem: write an op of the global program for one device, given the mesh axes of each factor.
//
// Idea: the factor map determines everything that most ops need. A tensor's local shape divides
// each dimension by its factors' axes; a split reduction factor makes results unreduced. So the
// default is a copy of the op with local types. Two things would change its value, and are mended
// on the operands: padding of uneven shards that a reduction would read (masked by the reducer's
// identity), and an init value that every device would contribute (kept on the first device).
//
// Invariant: the reduction of unreduced results over their axes, and the concatenation of sharded
// ones, is the op's global result. O(tensors · rank) per op.
#include "ops/localize.h"

#include "ops/infer.h"

// Can the default `localize` split factor f? True if it passes through or has a plain reducer.
static bool is_default(const Localizer *cx, uint32_t f) {
  const Factor *factor = &cx->map->factors[f];
  return factor->kinds == FACTOR_PASS ||
         (factor->kinds == FACTOR_REDUCE && combine_is_named((Combine)factor->combine));
}

void localize_init(Localizer *cx, Builder *builder, OpId op, const FactorMap *m) {
  uint32_t n = factor_map_n_tensors(m);
  *cx = (Localizer){.builder = builder,
                    .program = builder->p,
                    .context = builder->p->context,
                    .op = op,
                    .map = m,
                    .splits = ARENA_ARRAY(builder->arena, FactorSplit, m->n_factors + 1),
                    .has = ARENA_ARRAY(builder->arena, bool, (size_t)n * m->n_factors + 1)};
  for (uint32_t f = 0; f < m->n_factors; f++)
    if (m->factors[f].kinds & FACTOR_REDUCE && combine_is_named((Combine)m->factors[f].combine))
      cx->splits[f].reducer = (Combine)m->factors[f].combine;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t d = 0; d < factor_map_rank(m, i); d++) {
      FactorList list = factor_map_dim(m, i, d);
      for (uint32_t k = 0; k < list.n; k++) *localize_has(cx, i, list.v[k]) = true;
    }
}

// A user's factor rule replaces the op's own columns, which assume the op's own factors.
static const OpDef *own_def(const Localizer *cx) {
  return cx->map->custom ? NULL : op_row(op_at(cx->program, cx->op)->code)->def;
}

void localize_decide(Localizer *cx) {
  const OpDef *def = own_def(cx);
  if (def && def->splits)
    def->splits(cx);
  else
    localize_only_default(cx);
}

Status *localize_write(Localizer *cx) {
  const OpDef *def = own_def(cx);
  return def && def->localize ? def->localize(cx) : localize_default(cx);
}

// An op that has sizes in its attributes (reshape, pad) may be wrong with local types. Its `infer`
// tells.
bool localize_types_hold(Program *p, OpId copy, const Type *types, Guard *guard) {
  const OpDef *def = op_row(op_at(p, copy)->code)->def;
  bool good = true;
  if (def && def->infer) {
    Diag diag;
    diag_init(&diag, guard, p->source);
    good = op_infer_types(p, copy, &diag);
    diag_deinit(&diag);
  }
  for (uint32_t i = 0; i < op_at(p, copy)->n_results; i++) {
    good = good && op_result_type(p, copy, i) == types[i];
    value_at(p, op_result(p, copy, i))->type = types[i];
  }
  return good;
}

void localize_only_default(Localizer *cx) {
  for (uint32_t f = 0; f < cx->map->n_factors; f++)
    if (!is_default(cx, f)) localize_unsplit(cx, f);
}

// Unsplits the factors of one dimension that a block sharding cannot express. Tiles of a dimension
// of factors (a, b) are contiguous only if b is unsplit or a is split to size 1. True: some were.
static bool unsplit_strided(Localizer *cx, FactorList list) {
  bool full = true, any = false;
  for (uint32_t i = 0; i < list.n; i++) {
    AxisList *axes = &cx->splits[list.v[i]].axes;
    int64_t size = cx->map->factors[list.v[i]].size;
    if (axes->n && ((!full && !cx->strided) || (list.n > 1 && size % axes_size(*axes)))) {
      localize_unsplit(cx, list.v[i]);
      any = true;
    }
    if (size > 1 && axes_size(*axes) != size) full = false;
  }
  return any;
}

// A factor that is unsplit in one dimension may make another dimension strided: iterate. Every
// iteration but the last unsplits a factor, so there are at most n_factors + 1.
void localize_only_blocks(Localizer *cx) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t t = 0; t < factor_map_n_tensors(cx->map); t++)
      for (uint32_t d = 0; d < factor_map_rank(cx->map, t); d++)
        changed |= unsplit_strided(cx, factor_map_dim(cx->map, t, d));
  }
}

int64_t localize_ways(const Localizer *cx, uint32_t factor) {
  return axes_size(cx->splits[factor].axes);
}

uint32_t localize_factor(const Localizer *cx, uint32_t tensor, uint32_t d) {
  FactorList list = factor_map_dim(cx->map, tensor, d);
  for (uint32_t i = 0; i < list.n; i++)
    if (cx->map->factors[list.v[i]].size != 1) return list.v[i];
  return list.v[0];
}

const TypeInfo *localize_type(const Localizer *cx, uint32_t tensor) {
  uint32_t n = cx->map->n_operands;
  Type type = tensor < n ? op_operand_type(cx->program, cx->op, tensor)
                         : op_result_type(cx->program, cx->op, tensor - n);
  return type_info(cx->context, type);
}

int64_t localize_size(const Localizer *cx, uint32_t tensor, uint32_t d) {
  return localize_type(cx, tensor)->dims[d];
}

// The axes of the dimension's factors, major to minor.
AxisList localize_axes(const Localizer *cx, uint32_t tensor, uint32_t d) {
  FactorList list = factor_map_dim(cx->map, tensor, d);
  AxisList axes = {NULL, 0};
  for (uint32_t i = 0; i < list.n; i++)
    if (*localize_has(cx, tensor, list.v[i]) && localize_is_split(cx, list.v[i]))
      axes = axes.n ? axes_concat(cx->builder->arena, axes, cx->splits[list.v[i]].axes)
                    : cx->splits[list.v[i]].axes;
  return axes;
}

int64_t localize_tile(const Localizer *cx, uint32_t tensor, uint32_t d) {
  int64_t n = axes_size(localize_axes(cx, tensor, d));
  return (localize_size(cx, tensor, d) + n - 1) / n;
}

double localize_bytes(const Localizer *cx, uint32_t tensor) {
  const TypeInfo *info = localize_type(cx, tensor);
  double bytes = dtype_width(type_dtype(cx->context, info->elem)) / 8.0;
  for (uint32_t d = 0; d < info->rank; d++) bytes *= (double)localize_tile(cx, tensor, d);
  return bytes;
}

bool localize_is_uneven(const Localizer *cx, uint32_t tensor, uint32_t d) {
  return localize_size(cx, tensor, d) % axes_size(localize_axes(cx, tensor, d)) != 0;
}

double localize_bytes_across(const Localizer *cx, uint32_t tensor, uint32_t d) {
  const TypeInfo *type = localize_type(cx, tensor);
  double bytes = (double)dtype_bytes(type_dtype(cx->context, type->elem));
  for (uint32_t i = 0; i < type->rank; i++)
    if (i != d) bytes *= (double)localize_tile(cx, tensor, i);
  return bytes;
}

ValueId localize_find_replicated(const Localizer *cx, ValueId v) {
  return cx->find ? cx->find(cx, v, 0) : 0;
}

// Builds the sharding that the tensor has under the current splits and looks v up in it.
ValueId localize_find(const Localizer *cx, ValueId v, uint32_t tensor) {
  uint32_t rank = factor_map_rank(cx->map, tensor);
  if (!cx->find || type_info(cx->context, value_type(cx->program, v))->rank != rank) return 0;
  DimSharding *dims = ARENA_ARRAY(cx->builder->arena, DimSharding, rank + 1);
  ShardFactor *factors = ARENA_ARRAY(cx->builder->arena, ShardFactor, rank + 1);
  bool any = false;
  for (uint32_t d = 0; d < rank; d++) {
    factors[d].axes = localize_axes(cx, tensor, d);
    dims[d] = (DimSharding){&factors[d], 1, false, PRIORITY_NONE};
    any |= factors[d].axes.n > 0;
  }
  ShardingInfo info = {.mesh = cx->builder->mesh, .rank = rank, .dims = dims};
  return cx->find(cx, v, any ? sharding_intern(cx->builder->table, &info) : 0);
}

Attr localize_attr(const Localizer *cx, const char *name) {
  return op_attr(cx->program, cx->op, name);
}

Ints localize_ints(const Localizer *cx, const char *name) {
  Attr attr = localize_attr(cx, name);
  return attr ? attr_as_ints(cx->context, attr) : (Ints){.ok = true};
}

ValueId localize_offset(Localizer *cx, uint32_t tensor, uint32_t d) {
  Builder *b = cx->builder;
  AxisList axes = localize_axes(cx, tensor, d);
  if (!axes.n) return build_index(b, 0);
  ValueId tile = build_index(b, localize_tile(cx, tensor, d));
  return build_binary(b, OP_multiply, build_coordinate(b, axes), tile);
}

Status *localize_copy_as(Localizer *cx, const ValueId *operands, Attr attrs, const Type *types,
                         ValueId *out) {
  return cx->copy(cx, operands, attrs ? attrs : op_at(cx->program, cx->op)->attrs, types, out);
}

Status *localize_copy(Localizer *cx, const ValueId *operands, Attr attrs) {
  return localize_copy_as(cx, operands, attrs, cx->out_types, cx->out);
}

OpId localize_inline_body(Localizer *cx, OpId copy, uint32_t region, BlockId to,
                          const ValueId *args) {
  Program *p = cx->builder->p;
  BlockId from = region_block(p, op_region(p, copy, region));
  for (uint32_t i = 0; i < block_at(p, from)->n_args; i++)
    value_replace_uses(p, block_arg(p, from, i), args[i]);
  OpId last = block_at(p, from)->last;
  for (OpId o = block_at(p, from)->first, next; o != last; o = next) {
    next = op_at(p, o)->next;
    op_detach(p, o);
    op_append(p, to, o);
  }
  return last;
}

Attr localize_with(Localizer *cx, Attr attrs, const char *name, Attr value) {
  return attr_dict_with(cx->context, attrs ? attrs : op_at(cx->program, cx->op)->attrs, name,
                        value);
}

// Does a reduction over the dimension read padding? True if it is unevenly sharded and its factor
// makes results unreduced. *out: the reducer.
static bool is_read_padded(const Localizer *cx, uint32_t tensor, uint32_t d, Combine *out) {
  uint32_t f = localize_factor(cx, tensor, d);
  *out = cx->splits[f].reducer;
  return *out && localize_axes(cx, tensor, d).n && localize_is_uneven(cx, tensor, d);
}

// Is the value a splat of x? 0.0 and -0.0 are equal here: a sum that starts with either does not
// change if it starts with it again.
static bool is_splat_of(const Program *p, ValueId value, double x) {
  OpId def = value_def(p, value);
  while (def && op_at(p, def)->code == OP_broadcast_in_dim)
    def = value_def(p, op_operand(p, def, 0));
  if (!def || op_at(p, def)->code != OP_constant) return false;
  const AttrInfo *info = attr_info(p->context, op_attr(p, def, "value"));
  DType dtype = type_dtype(p->context, info->type);
  if (info->kind != ATTR_DENSE || info->bytes != (size_t)dtype_bytes(dtype)) return false;
  if (type_is_quant(p->context, value_type(p, value))) return false;
  Scalar is = dtype_load(dtype, info->data, 0);
  bool floats = dtype_is_float(dtype) || dtype_is_complex(dtype);
  return floats ? is.f == x && is.im == 0 : is.i == (int64_t)x;
}

// May every device contribute the init? True for idempotent reducers and for their identity.
static bool enters_freely(const Program *p, ValueId init, Combine combine) {
  switch (combine) {
  case COMBINE_MAX:
  case COMBINE_MIN:
  case COMBINE_AND:
  case COMBINE_OR: return true;
  case COMBINE_SUM:
  case COMBINE_XOR: return is_splat_of(p, init, 0);
  case COMBINE_MUL: return is_splat_of(p, init, 1);
  default: return false;
  }
}

// The partitioner allows one reducer per op, so the axes of all unreduced factors share it.
ValueId localize_enter_once(Localizer *cx, ValueId value) {
  AxisList axes = {NULL, 0};
  Combine combine = COMBINE_NONE;
  for (uint32_t f = 0; f < cx->map->n_factors; f++)
    if (localize_is_split(cx, f) && cx->splits[f].reducer) {
      axes = axes_concat(cx->builder->arena, axes, cx->splits[f].axes);
      combine = cx->splits[f].reducer;
    }
  if (!axes.n || enters_freely(cx->builder->p, value, combine)) return value;
  return build_unreduced(cx->builder, value, axes, combine);
}

const ValueId *localize_masked(Localizer *cx) {
  Builder *b = cx->builder;
  uint32_t n = cx->map->n_operands;
  ValueId *masked = ARENA_ARRAY(b->arena, ValueId, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    masked[i] = cx->in[i];
    for (uint32_t d = 0; d < factor_map_rank(cx->map, i); d++) {
      Combine combine;
      if (!is_read_padded(cx, i, d, &combine)) continue;
      Type scalar = type_tensor(cx->context, localize_type(cx, i)->elem, 0, NULL, 0);
      masked[i] = build_mask_padding(b, masked[i], d, localize_axes(cx, i, d),
                                     localize_size(cx, i, d), build_identity(b, scalar, combine));
    }
    if (cx->map->enters_once && cx->map->enters_once[i])
      masked[i] = localize_enter_once(cx, masked[i]);
  }
  return masked;
}

Status *localize_default(Localizer *cx) { return localize_copy(cx, localize_masked(cx), 0); }

// ---- constants ----

// Any split: every device has the constant.
void localize_constant_splits(Localizer *cx) { (void)cx; }

// A splat gets the local shape; another constant is sliced at the device's offset.
Status *localize_constant(Localizer *cx) {
  Context *c = cx->context;
  Builder *b = cx->builder;
  const AttrInfo *value = attr_info(c, localize_attr(cx, "value"));
  if (value->kind == ATTR_DENSE && value->splat) {
    const TypeInfo *tile = type_info(c, cx->out_types[0]);
    Type type = type_tensor(c, type_elem(c, value->type), tile->rank, tile->dims, tile->encoding);
    Attr splat = attr_dense(c, type, value->data, value->bytes);
    return localize_copy(cx, NULL, localize_with(cx, 0, "value", splat));
  }
  Type global = op_result_type(cx->program, cx->op, 0);
  TRY(localize_copy_as(cx, NULL, 0, &global, cx->out));
  for (uint32_t d = 0; d < type_info(c, global)->rank; d++) {
    AxisList axes = localize_axes(cx, 0, d);
    if (!axes.n) continue;
    int64_t tile = localize_tile(cx, 0, d);
    cx->out[0] = build_pad_to(b, cx->out[0], d, tile * axes_size(axes));
    cx->out[0] = build_dynamic_slice(b, cx->out[0], d, localize_offset(cx, 0, d), tile);
  }
  return NULL;
}
