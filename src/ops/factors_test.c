// The proof that the factors of ops are right, on random instances of every op that has them.
//
// Form: every dimension is the product of its factors, every factor is in some dimension, and the
// map round-trips through Shardy's text form. Semantics: for one factor that passes through or
// reduces, the op is evaluated on every slice of its operands; the results are slices of the global
// result, or reduce to it. TESSERA_SEED gives other instances; TESSERA_VERBOSE=1 prints what was
// tested.
#include "ops/factors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/infer.h"
#include "ops/world_fixture.h"
#include "parse/parse.h"

enum { INSTANCES = 60 };

struct Counts {
  uint32_t instances, rules, passed, reduced;
};

// One split: factor f into `parts` slices; parts == 1: unsplit.
typedef struct Split {
  uint32_t factor;
  int64_t parts;
} Split;

// ---- slices ----

// Is dimension d of tensor t split? Also checks that its factors multiply to its size.
static bool dim_has(const World *w, uint32_t t, uint32_t d, uint32_t factor) {
  FactorList list = factor_map_dim(&w->map, t, d);
  for (uint32_t k = 0; k < list.n; k++)
    if (list.v[k] == factor) return true;
  return false;
}

static void local_dims(const World *w, uint32_t t, const Literal *whole, Split split,
                       int64_t *out) {
  for (uint32_t d = 0; d < whole->rank; d++)
    out[d] = dim_has(w, t, d, split.factor) ? whole->dims[d] / split.parts : whole->dims[d];
}

// The global index of index i of slice `part`.
static int64_t global_index(const World *w, uint32_t t, uint32_t d, Split split, int64_t part,
                            int64_t i) {
  FactorList list = factor_map_dim(&w->map, t, d);
  int64_t index = 0, stride = 1;
  for (uint32_t k = list.n; k-- > 0;) {
    int64_t size = w->map.factors[list.v[k]].size;
    int64_t own = list.v[k] == split.factor ? size / split.parts : size;
    int64_t digit = i % own;
    i /= own;
    if (list.v[k] == split.factor) digit += part * own;
    index += digit * stride;
    stride *= size;
  }
  return index;
}

static Literal *slice(World *w, uint32_t t, Literal *whole, Split split, int64_t part) {
  if (whole->kind != LITERAL_ARRAY) return literal_retain(whole);
  int64_t dims[MAX_RANK], index[MAX_RANK] = {0}, from[MAX_RANK], at = 0;
  local_dims(w, t, whole, split, dims);
  Literal *out = literal_new(&w->heap, w->context, whole->elem, whole->rank, dims);
  if (out->count == 0) return out;
  do {
    for (uint32_t d = 0; d < whole->rank; d++)
      from[d] =
          dim_has(w, t, d, split.factor) ? global_index(w, t, d, split, part, index[d]) : index[d];
    literal_copy_elements(out, at++, whole, shape_linear(whole->rank, whole->dims, from), 1);
  } while (shape_next(whole->rank, dims, index));
  return out;
}

// ---- the op on slices ----

static Attr with_ints(World *w, Attr attrs, const char *name, uint32_t n, const int64_t *v) {
  return attr_dict_with(w->context, attrs, name, attr_i64s(w->context, n, v));
}

// Attributes that contain sizes of dimensions get the sizes of the slices.
static Attr local_attrs(World *w, Literal *const *whole, Split split) {
  Attr attrs = op_at(w->program, w->op)->attrs;
  static const char *const of_operand[] = {"slice_sizes", "limit_indices"};
  for (int k = 0; k < 2; k++) {
    Ints old = attr_as_ints(w->context, attr_get(w->context, attrs, of_operand[k]));
    int64_t v[MAX_RANK];
    for (uint32_t d = 0; old.ok && d < old.n; d++)
      v[d] = dim_has(w, 0, d, split.factor) && old.v[d] == whole[0]->dims[d]
                 ? old.v[d] / split.parts
                 : old.v[d];
    if (old.ok) attrs = with_ints(w, attrs, of_operand[k], old.n, v);
  }
  uint32_t result = w->map.n_operands;
  Ints sizes = attr_as_ints(w->context, attr_get(w->context, attrs, "broadcast_sizes"));
  if (sizes.ok) {
    int64_t v[MAX_RANK];
    for (uint32_t d = 0; d < sizes.n; d++)
      v[d] = dim_has(w, result, d, split.factor) ? sizes.v[d] / split.parts : sizes.v[d];
    attrs = with_ints(w, attrs, "broadcast_sizes", sizes.n, v);
  }
  static const char *const groups[] = {"feature_group_count", "batch_group_count"};
  for (int k = 0; k < 2; k++) {
    int64_t count = attr_as_int(w->context, attr_get(w->context, attrs, groups[k]), 1);
    // The factor of the groups is the one that all three tensors have.
    if (count > 1 && factor_map_find(&w->map, 0, split.factor, NULL, NULL) &&
        factor_map_find(&w->map, 1, split.factor, NULL, NULL) &&
        factor_map_find(&w->map, result, split.factor, NULL, NULL))
      attrs =
          attr_dict_with(w->context, attrs, groups[k], attr_i64(w->context, count / split.parts));
  }
  Attr value = attr_get(w->context, attrs, "value");
  const AttrInfo *dense = attr_info(w->context, value);
  if (value && dense->kind == ATTR_DENSE && dense->splat && w->map.n_operands == 0) {
    int64_t dims[MAX_RANK];
    local_dims(w, result, whole[result], split, dims);
    Type type = type_tensor(w->context, whole[result]->elem, whole[result]->rank, dims, 0);
    attrs = attr_dict_with(w->context, attrs, "value",
                           attr_dense(w->context, type, dense->data, dense->bytes));
  }
  return attrs;
}

static Type sharding_local_type(World *w, uint32_t t, Literal *whole, Split split) {
  Type type = t < w->map.n_operands ? op_operand_type(w->program, w->op, t)
                                    : op_result_type(w->program, w->op, t - w->map.n_operands);
  if (whole->kind != LITERAL_ARRAY) return type;
  int64_t dims[MAX_RANK];
  local_dims(w, t, whole, split, dims);
  return type_tensor(w->context, whole->elem, whole->rank, dims, 0);
}

// The values inside a body that takes tensors (scan) have the shape of a slice.
static void localize_body(World *w, OpId op, uint32_t rank, const int64_t *dims) {
  for (OpId o = op; o; o = op_walk_next(w->program, o, op)) {
    for (uint32_t i = 0; o != op && i < op_at(w->program, o)->n_results; i++) {
      Value *v = value_at(w->program, op_result(w->program, o, i));
      v->type = type_tensor(w->context, type_elem(w->context, v->type), rank, dims, 0);
    }
  }
  BlockId block = region_block(w->program, op_region(w->program, op, 0));
  for (uint32_t i = 0; i < block_at(w->program, block)->n_args; i++) {
    Value *v = value_at(w->program, block_arg(w->program, block, i));
    v->type = type_tensor(w->context, type_elem(w->context, v->type), rank, dims, 0);
  }
}

// A function that runs the op on one slice. whole: the global operands, then results.
static OpId local_function(World *w, Literal *const *whole, Split split) {
  uint32_t n = w->map.n_operands, n_results = w->map.n_results;
  Type *types = ARENA_ARRAY(&w->arena, Type, n + n_results + 1);
  for (uint32_t t = 0; t < n + n_results; t++)
    types[t] = sharding_local_type(w, t, whole[t], split);
  BlockId body;
  OpId function = make_function(w, n, types, &body);
  uint32_t n_values = w->program->values.count;
  ValueId *values = ARENA_ARRAY(&w->arena, ValueId, n_values * 2 + 64);
  OpId clone = op_clone(w->program, w->op, values, n_values);
  op_append(w->program, body, clone);
  for (uint32_t i = 0; i < n; i++)
    operand_set(w->program, op_at(w->program, clone)->operands + i, block_arg(w->program, body, i));
  op_at(w->program, clone)->attrs = local_attrs(w, whole, split);
  ValueId *results = ARENA_ARRAY(&w->arena, ValueId, n_results + 1);
  for (uint32_t i = 0; i < n_results; i++) {
    results[i] = op_result(w->program, clone, i);
    value_at(w->program, results[i])->type = types[n + i];
  }
  if (w->code == OP_chlo_scan && split.parts > 1) {
    int64_t dims[MAX_RANK],
        along = attr_as_int(w->context, op_attr(w->program, clone, "dimension"), 0);
    uint32_t rank = 0;
    const TypeInfo *info = type_info(w->context, types[0]);
    for (uint32_t d = 0; d < info->rank; d++)
      if (d != along) dims[rank++] = info->dims[d];
    localize_body(w, clone, rank, dims);
  }
  finish_function(w, function, body, n_results, results);
  return function;
}

// ---- combining ----

// The reducer's identity.
static Literal *identity_like(World *w, Combine combine, const Literal *like) {
  Literal *out = literal_new(&w->heap, w->context, like->elem, like->rank, like->dims);
  bool integer = !dtype_is_float(like->dtype) && !dtype_is_complex(like->dtype);
  Scalar v = integer ? scalar_i(0) : scalar_c(0, 0);
  if (combine == COMBINE_MUL) v = integer ? scalar_i(1) : scalar_c(1, 0);
  if (combine == COMBINE_MAX) v = integer ? dtype_min(like->dtype) : scalar_f(-INFINITY);
  if (combine == COMBINE_MIN) v = integer ? dtype_max(like->dtype) : scalar_f(INFINITY);
  if (combine == COMBINE_AND)
    v = dtype_is_signed(like->dtype) ? scalar_i(-1) : dtype_max(like->dtype);
  for (int64_t i = 0; i < out->count; i++) literal_set(out, i, v);
  return out;
}

// Small integers in floats, so that sums and products are exact in any order; NULL if the type does
// not allow that.
static Literal *exact(World *w, Literal *literal, uint64_t *state) {
  bool complex = dtype_is_complex(literal->dtype);
  if (literal->kind != LITERAL_ARRAY || (!dtype_is_float(literal->dtype) && !complex) ||
      type_is_quant(w->context, literal->elem))
    return literal_retain(literal);
  if (dtype_bytes(literal->dtype) < 2) return NULL;
  Literal *out = literal_copy(literal);
  for (int64_t i = 0; i < out->count; i++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    double v = (double)((int64_t)(*state >> 60) % 3 - 1);
    Scalar s = complex ? scalar_c(v, (double)((*state >> 40) % 3) - 1) : scalar_f(v);
    literal_set(out, i, s);
  }
  return out;
}

// ---- one factor ----

static Status *wrong(World *w, uint32_t factor, const char *what, uint32_t i) {
  return status_new(INTERNAL, __FILE__, __LINE__, "factor %u of size %lld, kinds %d: %s %u", factor,
                    (long long)w->map.factors[factor].size, w->map.factors[factor].kinds, what, i);
}

// The number of slices for a test of the factor, if it can be tested.
static int64_t parts_of(const World *w, Literal *const *whole, uint32_t f) {
  const Factor *factor = &w->map.factors[f];
  if (factor->size < 2 ||
      (factor->kinds & (FACTOR_PERMUTE | FACTOR_REPLICATE | FACTOR_OFFSET)) != 0)
    return 0;
  if ((factor->kinds & FACTOR_REDUCE) && !combine_code[factor->combine]) return 0;
  for (uint32_t t = 0; t < factor_map_n_tensors(&w->map); t++)
    for (uint32_t d = 0; d < factor_map_rank(&w->map, t); d++) {
      if (!dim_has(w, t, d, f)) continue;
      FactorList list = factor_map_dim(&w->map, t, d);
      int64_t product = 1;
      for (uint32_t k = 0; k < list.n; k++) product *= w->map.factors[list.v[k]].size;
      if (product != whole[t]->dims[d]) return 0;
    }
  int64_t parts = 2;
  while (factor->size % parts) parts++;
  return w->seed % 3 ? parts : factor->size;
}

// The tensor whose shape an operand contains, -1 for other operands: on slices it must contain the
// slice's shape.
static int shape_of(const World *w, uint32_t operand) {
  bool first = w->code == OP_dynamic_iota, second = w->code == OP_dynamic_broadcast_in_dim ||
                                                    w->code == OP_dynamic_reshape ||
                                                    w->code == OP_chlo_dynamic_reshape;
  if ((first && operand == 0) || (second && operand == 1)) return (int)w->map.n_operands;
  return w->code == OP_dynamic_gather && operand == 2 ? 0 : -1;
}

static Literal *local_shape(World *w, Literal *shape, Literal *const *whole, uint32_t tensor,
                            Split split) {
  Literal *out = literal_copy(shape);
  for (uint32_t d = 0; d < whole[tensor]->rank; d++) {
    int64_t size = literal_get(shape, d).i;
    if (dim_has(w, tensor, d, split.factor) && size == whole[tensor]->dims[d])
      literal_set(out, d, scalar_i(size / split.parts));
  }
  return out;
}

static Status *check_part(World *w, Literal *const *whole, Split split, OpId function, int64_t part,
                          Literal **sums) {
  uint32_t n = w->map.n_operands, n_results = w->map.n_results;
  const Factor *factor = &w->map.factors[split.factor];
  bool reduces = factor->kinds & FACTOR_REDUCE;
  Literal **args = ARENA_ARRAY(&w->arena, Literal *, n + 1),
          **out = ARENA_ARRAY(&w->arena, Literal *, n_results + 1);
  for (uint32_t t = 0; t < n; t++) {
    args[t] = slice(w, t, whole[t], split, part);
    if (reduces && part && w->map.enters_once[t])
      args[t] = identity_like(w, factor->combine, args[t]);
    int shape = shape_of(w, t);
    if (shape >= 0) args[t] = local_shape(w, whole[t], whole, (uint32_t)shape, split);
  }
  TRY(run(w, function, n, args, n_results, out));
  for (uint32_t i = 0; i < n_results; i++) {
    if (factor_map_find(&w->map, n + i, split.factor, NULL, NULL)) {
      if (!equal(out[i], slice(w, n + i, whole[n + i], split, part)))
        return wrong(w, split.factor, "a slice of the operands does not give the slice of result",
                     i);
    } else if (!reduces) {
      if (!equal(out[i], whole[n + i]))
        return wrong(w, split.factor, "a slice of the operands does not give the whole result", i);
    } else if (part == 0) {
      sums[i] = out[i];
    } else {
      TRY(combined(w, factor->combine, sums[i], out[i], &sums[i]));
    }
  }
  return NULL;
}

static Status *check_factor(World *w, Literal *const *given, uint32_t f) {
  uint32_t n = w->map.n_operands, n_results = w->map.n_results;
  Split split = {f, parts_of(w, given, f)};
  if (!split.parts) return NULL;
  bool reduces = w->map.factors[f].kinds & FACTOR_REDUCE;
  Literal **whole = ARENA_ARRAY(&w->arena, Literal *, n + n_results + 1),
          **sums = ARENA_ARRAY(&w->arena, Literal *, n_results + 1);
  uint64_t state = w->seed;
  for (uint32_t t = 0; t < n + n_results; t++) {
    whole[t] = reduces && t < n ? exact(w, given[t], &state) : given[t];
    if (!whole[t] ||
        (reduces && dtype_is_float(given[t]->dtype) && dtype_bytes(given[t]->dtype) < 2))
      return NULL;
  }
  if (reduces) TRY(run(w, local_function(w, given, (Split){f, 1}), n, whole, n_results, whole + n));
  OpId function = local_function(w, whole, split);
  static const Source nothing = {.path = "<factors>", .text = "", .size = 0};
  Diag diag;
  diag_init(&diag, w->program->guard, &nothing);
  Status *status = program_verify(w->program, &diag) ? NULL : diag_status(&diag);
  diag_deinit(&diag);
  if (status) return status;
  for (int64_t part = 0; part < split.parts; part++)
    TRY(check_part(w, whole, split, function, part, sums));
  for (uint32_t i = 0; reduces && i < n_results; i++)
    if (!factor_map_find(&w->map, n + i, f, NULL, NULL) && !equal(sums[i], whole[n + i]))
      return wrong(w, f, "the partial results do not combine to result", i);
  if (reduces)
    w->counts->reduced++;
  else
    w->counts->passed++;
  return NULL;
}

// ---- one instance ----

static Status *check_form(World *w) {
  uint32_t n_tensors = factor_map_n_tensors(&w->map);
  int64_t *dims = ARENA_ARRAY(&w->arena, int64_t, w->map.tensor_dims[n_tensors] + 1);
  uint32_t *ranks = ARENA_ARRAY(&w->arena, uint32_t, n_tensors + 1);
  for (uint32_t t = 0; t < n_tensors; t++) {
    Type type = t < w->map.n_operands ? op_operand_type(w->program, w->op, t)
                                      : op_result_type(w->program, w->op, t - w->map.n_operands);
    const TypeInfo *info = type_info(w->context, type);
    ranks[t] = info->kind == TYPE_TENSOR ? info->rank : 0;
    if (ranks[t] != factor_map_rank(&w->map, t))
      return status_new(INTERNAL, __FILE__, __LINE__, "tensor %u has another rank", t);
    for (uint32_t d = 0; d < ranks[t]; d++) dims[w->map.tensor_dims[t] + d] = info->dims[d];
  }
  const char *error = factor_map_check(&w->map, dims);
  if (error) return status_new(INTERNAL, __FILE__, __LINE__, "%s", error);
  Attr attr = factor_map_to_attr(&w->map, w->context);
  FactorMap again;
  if (attr && (!factor_map_from_attr(&again, w->context, &w->arena, attr, w->map.n_operands,
                                     w->map.n_results, ranks, &error) ||
               factor_map_to_attr(&again, w->context) != attr))
    return status_new(INTERNAL, __FILE__, __LINE__, "does not survive Shardy's form: %s",
                      error ? error : "another one");
  return NULL;
}

static bool same_map(const FactorMap *a, const FactorMap *b) {
  uint32_t n = factor_map_n_tensors(a), dims = a->tensor_dims[n], places = a->dim_occurrences[dims];
  for (uint32_t i = 0; i < a->n_factors && a->n_factors == b->n_factors; i++) {
    Factor x = a->factors[i], y = b->factors[i];
    if (x.size != y.size || x.kinds != y.kinds || x.sdy_kinds != y.sdy_kinds ||
        x.combine != y.combine)
      return false;
  }
  return a->n_operands == b->n_operands && a->n_results == b->n_results &&
         a->n_factors == b->n_factors && a->custom == b->custom && a->own == b->own &&
         !memcmp(a->tensor_dims, b->tensor_dims, (n + 1) * sizeof *a->tensor_dims) &&
         !memcmp(a->dim_occurrences, b->dim_occurrences, (dims + 1) * sizeof *a->dim_occurrences) &&
         !memcmp(a->places, b->places, places * sizeof *a->places) &&
         !memcmp(a->enters_once, b->enters_once, a->n_operands * sizeof *a->enters_once);
}

// The same op on a function's arguments, its results unused, has the same factors if those are
// local.
static Status *check_local(World *w, bool has, bool local) {
  uint32_t n = op_at(w->program, w->op)->n_operands, n_values = w->program->values.count;
  Type *types = ARENA_ARRAY(&w->arena, Type, n + 1);
  for (uint32_t i = 0; i < n; i++) types[i] = op_operand_type(w->program, w->op, i);
  BlockId body;
  OpId function = make_function(w, n, types, &body);
  ValueId *values = ARENA_ARRAY(&w->arena, ValueId, n_values * 2 + 64);
  OpId clone = op_clone(w->program, w->op, values, n_values);
  op_append(w->program, body, clone);
  for (uint32_t i = 0; i < n; i++)
    operand_set(w->program, op_at(w->program, clone)->operands + i, block_arg(w->program, body, i));
  finish_function(w, function, body, 0, NULL);
  FactorMap other;
  bool again, other_has = op_factors_local(w->program, clone, NULL, &w->arena, &other, &again);
  if (local && (!again || has != other_has || (has && !same_map(&w->map, &other))))
    return status_new(INTERNAL, __FILE__, __LINE__, "another factor map without what is around it");
  return NULL;
}

// A dynamic dimension is never split: its factors are blocked, for Shardy too.
static Status *check_dynamic(World *w, ValueId value) {
  Type old = value_type(w->program, value);
  const TypeInfo *info = type_info(w->context, old);
  for (uint32_t d = 0; info->kind == TYPE_TENSOR && d < info->rank; d++) {
    int64_t dims[MAX_RANK];
    memcpy(dims, info->dims, info->rank * sizeof *dims);
    dims[d] = DIM_DYNAMIC;
    value_at(w->program, value)->type =
        type_tensor(w->context, info->elem, info->rank, dims, info->encoding);
    FactorMap map;
    bool has = op_factors(w->program, w->op, NULL, &w->arena, &map);
    for (uint32_t t = 0; has && t < factor_map_n_tensors(&map); t++) {
      ValueId tensor = t < map.n_operands ? op_operand(w->program, w->op, t)
                                          : op_result(w->program, w->op, t - map.n_operands);
      if (tensor != value) continue;
      FactorList list = factor_map_dim(&map, t, d);
      for (uint32_t k = 0; k < list.n; k++) {
        const Factor *f = &map.factors[list.v[k]];
        if (!(f->kinds & FACTOR_BLOCK) || !(f->sdy_kinds & FACTOR_BLOCK))
          return status_new(INTERNAL, __FILE__, __LINE__,
                            "dimension %u of tensor %u is dynamic, and not blocked", d, t);
      }
    }
    value_at(w->program, value)->type = old;
  }
  return NULL;
}

static Status *check_instance(World *w, OpId main_function) {
  w->counts->instances++;
  for (uint32_t i = 0; i < op_at(w->program, w->op)->n_operands; i++)
    TRY(check_dynamic(w, op_operand(w->program, w->op, i)));
  for (uint32_t i = 0; i < op_at(w->program, w->op)->n_results; i++)
    TRY(check_dynamic(w, op_result(w->program, w->op, i)));
  bool local, has = op_factors_local(w->program, w->op, NULL, &w->arena, &w->map, &local);
  TRY(check_local(w, has, local));
  if (!has) return NULL;
  w->counts->rules++;
  TRY(check_form(w));
  if (!op_row(w->code)->def->eval) return NULL;
  uint32_t n = factor_map_n_tensors(&w->map);
  Literal **whole = ARENA_ARRAY(&w->arena, Literal *, n + 1);
  TRY(run(w, main_function, 0, NULL, n, whole));
  for (uint32_t f = 0; f < w->map.n_factors; f++) TRY(check_factor(w, whole, f));
  return NULL;
}

static Status *one_instance(Guard *guard, void *arg) {
  World *w = arg;
  OpId function = world_init(w, guard);
  Status *status = check_instance(w, function);
  world_deinit(w);
  return status;
}

static void test_factors(void **state) {
  (void)state;
  int failures = 0;
  const char *text = getenv("TESSERA_SEED");
  uint64_t base = text ? strtoull(text, NULL, 10) : 0;
  Counts all = {0};
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    const OpRow *row = op_row(code);
    if (!row->def || !row->def->sample) continue;
    Counts counts = {0};
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
      World w = {.code = code, .seed = (base * INSTANCES + seed) * 1000 + code, .counts = &counts};
      Status *status = guard_run(one_instance, &w);
      if (!status) continue;
      fprintf(stderr, "%s, TESSERA_SEED=%llu, instance %llu: %s\n", row->name,
              (unsigned long long)base, (unsigned long long)seed, status_message(status));
      status_free(status);
      failures++;
      break;
    }
    if (getenv("TESSERA_VERBOSE"))
      fprintf(stderr, "%-36s %3u rules, %4u splits passed through, %4u reduced\n", row->name,
              counts.rules, counts.passed, counts.reduced);
    all.passed += counts.passed;
    all.reduced += counts.reduced;
  }
  assert_int_equal(failures, 0);
  assert_true(all.passed > 1000 && all.reduced > 100);
}

// ---- bodies, rules from outside ----

// The reducers of the reduces in a text, in order, and the factors of its custom calls.
typedef struct TextJob {
  const char *text;
  uint32_t n;
  Combine combine[8];
  uint32_t n_custom, n_rules, n_around, n_permuted, n_sdy_permuted, n_passing, n_elementwise;
} TextJob;

static bool transposed(void *user, Str target, FactorContext *cx) {
  if (!str_is(target, "my_transpose")) return false;
  ++*(uint32_t *)user;
  uint32_t factor = factors_on(cx, factors_dim(cx, 0, 0), FACTOR_PASS, 0, 0);
  factors_also(cx, factor, factors_result(cx, 0), 1);
  factor = factors_on(cx, factors_dim(cx, 0, 1), FACTOR_PASS, 0, 1);
  factors_also(cx, factor, factors_result(cx, 0), 0);
  return true;
}

static Status *read_text(Guard *guard, void *arg) {
  TextJob *job = arg;
  Context *context = context_new(guard);
  Source source = {.path = "<text>", .text = job->text, .size = strlen(job->text)};
  Diag diag;
  diag_init(&diag, guard, &source);
  Program *p = NULL;
  Status *status =
      program_parse(context, guard, &source, 0, source.size, &(ParseOptions){0}, &diag, &p);
  if (!status && !program_verify(p, &diag)) status = diag_status(&diag);
  Arena arena;
  arena_init(&arena, guard);
  FactorOptions options = {.custom_call = transposed, .user = &job->n_custom};
  for (OpId o = status ? 0 : p->root; o; o = op_walk_next(p, o, p->root)) {
    FactorMap map;
    bool local, has = op_factors_local(p, o, &options, &arena, &map, &local);
    if (op_at(p, o)->code == OP_custom_call) job->n_rules += has;
    job->n_around += !local;
    for (uint32_t f = 0; has && f < map.n_factors; f++) {
      job->n_permuted += (map.factors[f].kinds & FACTOR_PERMUTE) != 0;
      job->n_sdy_permuted += (map.factors[f].sdy_kinds & FACTOR_PERMUTE) != 0;
    }
    job->n_passing += (op_traits(p, o) & TRAIT_PASSES) != 0;
    job->n_elementwise += (op_traits(p, o) & TRAIT_ELEMENTWISE) != 0;
    if (op_at(p, o)->code == OP_reduce) job->combine[job->n++] = map.factors[0].combine;
  }
  arena_deinit(&arena);
  program_free(p);
  diag_deinit(&diag);
  context_free(context);
  return status;
}

static void run_text(TextJob *job) {
  Status *status = guard_run(read_text, job);
  if (status) fprintf(stderr, "%s\n", status_message(status));
  assert_null(status);
}

static void test_bodies(void **state) {
  (void)state;
  TextJob job = {
      .text =
          "func.func @f(%a: tensor<4xf32>, %b: tensor<4xi32>, %x: tensor<f32>, %i: tensor<i32>) {\n"
          "  %0 = stablehlo.reduce(%a init: %x) applies stablehlo.maximum across dimensions = [0] "
          ": "
          "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
          "  %1:2 = stablehlo.reduce(%a init: %x), (%b init: %i) across dimensions = [0] : "
          "(tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)\n"
          "   reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: tensor<i32>, %s: tensor<i32>) {\n"
          "    %2 = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "    %3 = stablehlo.select %2, %p, %q : tensor<i1>, tensor<f32>\n"
          "    %4 = stablehlo.select %2, %r, %s : tensor<i1>, tensor<i32>\n"
          "    stablehlo.return %3, %4 : tensor<f32>, tensor<i32>\n"
          "  }\n"
          "  %5:2 = stablehlo.reduce(%a init: %x), (%b init: %i) across dimensions = [0] : "
          "(tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)\n"
          "   reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: tensor<i32>, %s: tensor<i32>) {\n"
          "    %6 = stablehlo.add %q, %p : tensor<f32>\n"
          "    %7 = stablehlo.add %r, %s : tensor<i32>\n"
          "    stablehlo.return %6, %7 : tensor<f32>, tensor<i32>\n"
          "  }\n"
          "  %8:2 = stablehlo.reduce(%a init: %x), (%b init: %i) across dimensions = [0] : "
          "(tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)\n"
          "   reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: tensor<i32>, %s: tensor<i32>) {\n"
          "    %9 = stablehlo.add %p, %q : tensor<f32>\n"
          "    %10 = stablehlo.maximum %r, %s : tensor<i32>\n"
          "    stablehlo.return %9, %10 : tensor<f32>, tensor<i32>\n"
          "  }\n"
          "  return\n}\n"};
  run_text(&job);
  assert_int_equal(job.n, 4);
  assert_int_equal(job.combine[0], COMBINE_MAX);
  assert_int_equal(job.combine[1], COMBINE_ARG);
  assert_int_equal(job.combine[2], COMBINE_SUM);
  assert_int_equal(job.combine[3], COMBINE_BODY);
}

static void test_custom_calls(void **state) {
  (void)state;
  // By the callback; by the user's rule; an unknown target; known targets with invalid shapes.
  TextJob job = {
      .text =
          "func.func @f(%a: tensor<4x2xf32>) {\n"
          "  %0 = stablehlo.custom_call @my_transpose(%a) : (tensor<4x2xf32>) -> tensor<2x4xf32>\n"
          "  %1 = stablehlo.custom_call @my_transpose(%a) {sdy.sharding_rule = "
          "#sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=2}, custom>} : (tensor<4x2xf32>) -> "
          "tensor<2x4xf32>\n"
          "  %2 = stablehlo.custom_call @nobody(%a) : (tensor<4x2xf32>) -> tensor<2x4xf32>\n"
          "  %3 = stablehlo.custom_call @MoveToHost(%a) : (tensor<4x2xf32>) -> tensor<2x4xf32>\n"
          "  return\n}\n"};
  run_text(&job);
  assert_int_equal(job.n_custom, 1);
  assert_int_equal(job.n_rules, 2);
  assert_int_equal(job.n_around, 3);  // the calls that reached the callback
}

// Rolls and stencils: shards read from their neighbours along one dimension; for Shardy it passes
// through. A config without a dimension of the operand gives no rule.
static void test_neighbours(void **state) {
  (void)state;
  TextJob job = {
      .text = "func.func @f(%a: tensor<4x2xf32>, %x: tensor<f32>) {\n"
              "  %0 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%a) {backend_config = "
              "\"dimension=0,amount=1\"} : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
              "  %1:2 = stablehlo.custom_call @_SPMDInternalOp_MultiPad(%a, %x) {backend_config = "
              "\"dimension=0,amt=1,bufferize=0\"} : (tensor<4x2xf32>, tensor<f32>) -> "
              "(tensor<5x2xf32>, tensor<5x2xf32>)\n"
              "  %2 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%a) {backend_config = "
              "\"dimension=2,amount=1\"} : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
              "  %3 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%a) {backend_config = "
              "\"xdimension=0,dimension=99999999999999999999\"} : (tensor<4x2xf32>) -> "
              "tensor<4x2xf32>\n"
              "  %4 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%a) : (tensor<4x2xf32>) "
              "-> tensor<4x2xf32>\n"
              "  return\n}\n"};
  run_text(&job);
  assert_int_equal(job.n_rules, 2);
  assert_int_equal(job.n_permuted, 2);
  assert_int_equal(job.n_sdy_permuted, 0);
}

// Propagation order: as in Shardy, elementwise ops and ops that only move values come first.
static void test_traits(void **state) {
  (void)state;
  TextJob job = {
      .text =
          "func.func @f(%a: tensor<4xf32>, %p: tensor<i1>) {\n"
          "  %0 = stablehlo.custom_call @MoveToHost(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
          "  %1 = stablehlo.custom_call @MoveToDevice(%0) : (tensor<4xf32>) -> tensor<4xf32>\n"
          "  %2 = stablehlo.custom_call @LayoutConstraint(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
          "  %3 = stablehlo.custom_call @nobody(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
          "  %4 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4xi32>\n"
          "  %5 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4x4xi8>\n"
          "  %6 = stablehlo.select %p, %a, %0 : tensor<i1>, tensor<4xf32>\n"
          "  return\n}\n"};
  run_text(&job);
  assert_int_equal(job.n_passing, 2);
  assert_int_equal(job.n_elementwise, 2);
}

// The ops whose factors depend on more than the op itself.
static void test_local(void **state) {
  (void)state;
  TextJob job = {
      .text =
          "func.func @f(%a: tensor<4xf32>, %x: tensor<f32>, %i: tensor<i32>) {\n"
          "  %0 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>\n"
          "  %1 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> "
          "tensor<4xf32>\n"
          "  %2 = stablehlo.dynamic_update_slice %a, %0, %i : (tensor<4xf32>, tensor<2xf32>, "
          "tensor<i32>) -> tensor<4xf32>\n"
          "  %3 = stablehlo.reduce(%a init: %x) applies stablehlo.add across dimensions = [0] : "
          "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
          "  %4 = stablehlo.add %1, %2 : tensor<4xf32>\n"
          "  return\n}\n"};
  run_text(&job);
  assert_int_equal(job.n_around, 2);  // concatenate and dynamic_update_slice
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_factors),      cmocka_unit_test(test_bodies),
      cmocka_unit_test(test_custom_calls), cmocka_unit_test(test_local),
      cmocka_unit_test(test_neighbours),   cmocka_unit_test(test_traits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
