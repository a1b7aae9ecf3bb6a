// Factor maps are built dimension by dimension in any order, then stored flat, so that readers walk
// arrays. factor_build sorts the occurrences by tensor and dimension with a stable counting sort:
// the order of insertion is major to minor. O(occurrences + dims).
#include "sharding/factor.h"

#include <inttypes.h>

bool factor_map_find(const FactorMap *m, uint32_t tensor, uint32_t factor, uint32_t *out_dim,
                     uint32_t *out_place) {
  for (uint32_t d = 0; d < factor_map_rank(m, tensor); d++) {
    FactorList list = factor_map_dim(m, tensor, d);
    for (uint32_t k = 0; k < list.n; k++) {
      if (list.v[k] != factor) continue;
      if (out_dim) *out_dim = d;
      if (out_place) *out_place = k;
      return true;
    }
  }
  return false;
}

void factor_builder_init(FactorBuilder *b, Arena *arena, uint32_t n_operands, uint32_t n_results,
                         const uint32_t *ranks) {
  *b = (FactorBuilder){
      .arena = arena, .n_operands = n_operands, .n_results = n_results, .ranks = ranks};
  b->enters_once = ARENA_ARRAY(arena, bool, n_operands + 1);
}

// Shardy's rule only blocks propagation; here the factor is also needed in full.
void factor_set_blocked(FactorBuilder *b, uint32_t factor) {
  b->factors.items[factor].kinds |= FACTOR_REPLICATE | FACTOR_BLOCK;
  b->factors.items[factor].sdy_kinds |= FACTOR_BLOCK;
}

// Shardy has no FACTOR_OFFSET.
uint32_t factor_add(FactorBuilder *b, int64_t size, uint8_t kinds) {
  Factor factor = {.size = size, .kinds = kinds, .sdy_kinds = kinds & (uint8_t)~FACTOR_OFFSET};
  VEC_PUSH(b->arena, &b->factors, factor);
  if (size == DIM_DYNAMIC) factor_set_blocked(b, b->factors.count - 1);
  return b->factors.count - 1;
}

void factor_set_kinds(FactorBuilder *b, uint32_t factor, uint8_t kinds) {
  if (b->factors.items[factor].size == DIM_DYNAMIC) kinds |= FACTOR_REPLICATE | FACTOR_BLOCK;
  b->factors.items[factor].kinds = kinds;
}

void factor_set_dynamic(FactorBuilder *b, uint32_t factor) {
  b->factors.items[factor].size = DIM_DYNAMIC;
  factor_set_blocked(b, factor);
}

void factor_set_combine(FactorBuilder *b, uint32_t factor, Combine combine) {
  b->factors.items[factor].combine = (uint8_t)combine;
}

void factor_put(FactorBuilder *b, uint32_t factor, uint32_t tensor, uint32_t dim) {
  if (tensor >= b->n_operands + b->n_results || dim >= b->ranks[tensor]) {
    b->misfit = true;
    return;
  }
  if (b->factors.items[factor].size == 1)
    for (uint32_t i = 0; i < b->places.count; i++)
      if (b->places.items[i].tensor == tensor && b->places.items[i].dim == dim) return;
  VEC_PUSH(b->arena, &b->places, ((FactorOccurrence){tensor, dim, factor}));
}

// Drops factors that occur in no dimension and renumbers the others.
static void drop_unused(FactorBuilder *b) {
  uint32_t *renumber = ARENA_ARRAY(b->arena, uint32_t, b->factors.count + 1), n = 0;
  for (uint32_t i = 0; i < b->places.count; i++) renumber[b->places.items[i].factor] = 1;
  for (uint32_t f = 0; f < b->factors.count; f++) {
    if (!renumber[f]) continue;
    b->factors.items[n] = b->factors.items[f];
    renumber[f] = n++;
  }
  b->factors.count = n;
  for (uint32_t i = 0; i < b->places.count; i++)
    b->places.items[i].factor = renumber[b->places.items[i].factor];
}

void factor_build(FactorBuilder *b, FactorMap *out) {
  uint32_t n_tensors = b->n_operands + b->n_results;
  uint32_t *tensor_dims = ARENA_ARRAY(b->arena, uint32_t, n_tensors + 1);
  for (uint32_t t = 0; t < n_tensors; t++) tensor_dims[t + 1] = tensor_dims[t] + b->ranks[t];
  uint32_t n_dims = tensor_dims[n_tensors];
  drop_unused(b);
  // dim_occurrences[d + 1] first counts the occurrences in dim d, then becomes their end.
  uint32_t *dim_occurrences = ARENA_ARRAY(b->arena, uint32_t, n_dims + 2);
  for (uint32_t i = 0; i < b->places.count; i++)
    dim_occurrences[tensor_dims[b->places.items[i].tensor] + b->places.items[i].dim + 1]++;
  for (uint32_t t = 0; t < n_tensors; t++)
    for (uint32_t d = 0; d < b->ranks[t]; d++) {
      if (dim_occurrences[tensor_dims[t] + d + 1]) continue;
      // A dimension without factors cannot be split; in Shardy its factor of size 1 passes through.
      uint32_t factor = factor_add(b, 1, FACTOR_PASS);
      factor_set_kinds(b, factor, FACTOR_REPLICATE);
      factor_put(b, factor, t, d);
      dim_occurrences[tensor_dims[t] + d + 1]++;
    }
  for (uint32_t d = 0; d < n_dims; d++) dim_occurrences[d + 1] += dim_occurrences[d];
  uint32_t *places = ARENA_ARRAY(b->arena, uint32_t, b->places.count + 1);
  uint32_t *next = arena_copy(b->arena, dim_occurrences, (n_dims + 1) * sizeof *next);
  for (uint32_t i = 0; i < b->places.count; i++) {
    const FactorOccurrence *p = &b->places.items[i];
    places[next[tensor_dims[p->tensor] + p->dim]++] = p->factor;
  }
  *out = (FactorMap){.n_operands = b->n_operands,
                     .n_results = b->n_results,
                     .n_factors = b->factors.count,
                     .custom = b->custom,
                     .own = b->own,
                     .factors = b->factors.items,
                     .tensor_dims = tensor_dims,
                     .dim_occurrences = dim_occurrences,
                     .places = places,
                     .enters_once = b->enters_once};
}

// ---- Shardy's text form ----

// The factors of n tensors as an array of arrays of array<i64>.
static Attr tensors_attr(const FactorMap *m, Context *context, uint32_t first, uint32_t n) {
  Arena *arena = context_arena(context);
  Attr *tensors = ARENA_ARRAY(arena, Attr, n + 1);
  for (uint32_t t = 0; t < n; t++) {
    uint32_t rank = factor_map_rank(m, first + t);
    Attr *dims = ARENA_ARRAY(arena, Attr, rank + 1);
    for (uint32_t d = 0; d < rank; d++) {
      FactorList list = factor_map_dim(m, first + t, d);
      int64_t *ids = ARENA_ARRAY(arena, int64_t, list.n + 1);
      for (uint32_t k = 0; k < list.n; k++) ids[k] = list.v[k];
      dims[d] = attr_i64s(context, list.n, ids);
    }
    tensors[t] = attr_array(context, rank, dims);
  }
  return attr_array(context, n, tensors);
}

typedef struct KindField {
  const char *name;
  uint8_t kind, unless;  // written if the factor has `kind` and none of `unless`
} KindField;
static const KindField kind_fields[] = {
    {"reduction", FACTOR_REDUCE, FACTOR_REPLICATE},
    {"need_replication", FACTOR_REPLICATE, 0},
    {"permutation", FACTOR_PERMUTE, FACTOR_REPLICATE | FACTOR_REDUCE},
    {"blocked_propagation", FACTOR_BLOCK, 0},
};
enum { N_KIND_FIELDS = sizeof kind_fields / sizeof kind_fields[0] };

Attr factor_map_to_attr(const FactorMap *m, Context *context) {
  if (m->own) return 0;
  int64_t *list = ARENA_ARRAY(context_arena(context), int64_t, m->n_factors + 1);
  NamedAttr fields[4 + N_KIND_FIELDS];
  uint32_t n = 0;
  fields[n++] =
      (NamedAttr){name_of(context, "operands"), tensors_attr(m, context, 0, m->n_operands)};
  fields[n++] = (NamedAttr){name_of(context, "results"),
                            tensors_attr(m, context, m->n_operands, m->n_results)};
  for (uint32_t f = 0; f < m->n_factors; f++) list[f] = m->factors[f].size;
  fields[n++] =
      (NamedAttr){name_of(context, "factor_sizes"), attr_i64s(context, m->n_factors, list)};
  for (uint32_t k = 0; k < N_KIND_FIELDS; k++) {
    uint32_t count = 0;
    for (uint32_t f = 0; f < m->n_factors; f++)
      if ((m->factors[f].sdy_kinds & kind_fields[k].kind) &&
          !(m->factors[f].sdy_kinds & kind_fields[k].unless))
        list[count++] = f;
    if (count)
      fields[n++] =
          (NamedAttr){name_of(context, kind_fields[k].name), attr_i64s(context, count, list)};
  }
  if (m->custom) fields[n++] = (NamedAttr){name_of(context, "custom"), attr_unit(context)};
  return attr_struct(context, "sdy.op_sharding_rule", n, fields);
}

// Reads the factors of tensors [first, first + n) from an array of arrays of array<i64>.
static const char *read_tensors(FactorBuilder *b, Context *context, Attr attr, const char *what,
                                uint32_t first, uint32_t n) {
  const AttrInfo *tensors = attr_info(context, attr);
  if (tensors->kind != ATTR_ARRAY || tensors->count != n)
    return arena_printf(b->arena, "it lists %u %ss, expected %u",
                        tensors->kind == ATTR_ARRAY ? tensors->count : 0, what, n);
  for (uint32_t t = 0; t < n; t++) {
    const AttrInfo *dims = attr_info(context, tensors->items[t]);
    if (dims->kind != ATTR_ARRAY || dims->count != b->ranks[first + t])
      return arena_printf(
          b->arena, "%s %u has rank %u in the rule and rank %u in the program, expected equal",
          what, t, dims->kind == ATTR_ARRAY ? dims->count : 0, b->ranks[first + t]);
    for (uint32_t d = 0; d < dims->count; d++) {
      Ints ids = attr_as_ints(context, dims->items[d]);
      if (!ids.ok || !ids.n) return "a dimension has no factors";
      for (uint32_t k = 0; k < ids.n; k++) {
        if (ids.v[k] < 0 || ids.v[k] >= b->factors.count)
          return "it uses a factor that has no size, expected {i=size, …} for each factor";
        VEC_PUSH(b->arena, &b->places, ((FactorOccurrence){first + t, d, (uint32_t)ids.v[k]}));
      }
    }
  }
  return NULL;
}

// Returns the error, NULL if there is none.
static const char *read_rule(FactorBuilder *b, Context *context, Attr attr) {
  const AttrInfo *info = attr_info(context, attr);
  if (info->kind != ATTR_STRUCT || !str_is(name_str(context, info->cls), "sdy.op_sharding_rule"))
    return "it is not a #sdy.op_sharding_rule";
  Ints sizes = attr_as_ints(context, attr_get(context, attr, "factor_sizes"));
  for (uint32_t f = 0; sizes.ok && f < sizes.n; f++) {
    if (sizes.v[f] < 0 && sizes.v[f] != DIM_DYNAMIC) return "a factor has a negative size";
    factor_add(b, sizes.v[f], FACTOR_PASS);
  }
  for (uint32_t k = 0; k < N_KIND_FIELDS; k++) {
    Ints list = attr_as_ints(context, attr_get(context, attr, kind_fields[k].name));
    for (uint32_t i = 0; list.ok && i < list.n; i++) {
      if (list.v[i] < 0 || list.v[i] >= b->factors.count)
        return "it uses a factor that has no size, expected {i=size, …} for each factor";
      Factor *factor = &b->factors.items[list.v[i]];
      factor->kinds |= kind_fields[k].kind;
      factor->sdy_kinds |= kind_fields[k].kind;
      if (kind_fields[k].kind == FACTOR_REDUCE) factor->combine = COMBINE_SUM;
    }
  }
  const char *error =
      read_tensors(b, context, attr_get(context, attr, "operands"), "operand", 0, b->n_operands);
  return error ? error
               : read_tensors(b, context, attr_get(context, attr, "results"), "result",
                              b->n_operands, b->n_results);
}

bool factor_map_from_attr(FactorMap *out, Context *context, Arena *arena, Attr attr,
                          uint32_t n_operands, uint32_t n_results, const uint32_t *ranks,
                          const char **out_error) {
  FactorBuilder b;
  factor_builder_init(&b, arena, n_operands, n_results, ranks);
  const char *error = read_rule(&b, context, attr);
  if (error) {
    *out_error = error;
    return false;
  }
  FactorMap map;
  factor_build(&b, &map);
  map.custom = attr_get(context, attr, "custom") != 0;
  *out = map;
  return true;
}

// ---- consistency ----

// loose: the product need not match, because a size is unknown or a factor needs more than its
// slice.
static const char *check_dim(const FactorMap *m, FactorList list, int64_t size) {
  int64_t product = 1;
  bool loose = size == DIM_DYNAMIC;
  for (uint32_t k = 0; k < list.n; k++) {
    if (list.v[k] >= m->n_factors) return "a dimension uses a factor that is not defined";
    const Factor *f = &m->factors[list.v[k]];
    if (f->size == DIM_DYNAMIC || (f->kinds & (FACTOR_PERMUTE | FACTOR_REPLICATE | FACTOR_OFFSET)))
      loose = true;
    else if (f->size && product > INT64_MAX / f->size)
      return "the factors of a dimension overflow";
    else
      product *= f->size;
    for (uint32_t j = 0; j < k; j++)
      if (list.v[j] == list.v[k]) return "a factor occurs twice in a dimension";
  }
  return loose || product == size ? NULL : "a dimension is not the product of its factors";
}

// Every dimension has factors that fit it, every factor occurs, and reductions have reducers.
const char *factor_map_check(const FactorMap *m, const int64_t *dims) {
  uint32_t n_tensors = factor_map_n_tensors(m);
  for (uint32_t t = 0; t < n_tensors; t++)
    for (uint32_t d = 0; d < factor_map_rank(m, t); d++) {
      FactorList list = factor_map_dim(m, t, d);
      if (!list.n) return "a dimension has no factor";
      const char *error = check_dim(m, list, dims[m->tensor_dims[t] + d]);
      if (error) return error;
    }
  for (uint32_t f = 0; f < m->n_factors; f++) {
    uint32_t t = 0;
    while (t < n_tensors && !factor_map_find(m, t, f, NULL, NULL)) t++;
    if (t == n_tensors) return "a factor is in no dimension";
    if (((m->factors[f].kinds & FACTOR_REDUCE) != 0) != (m->factors[f].combine != COMBINE_NONE))
      return "a factor reduces without a reducer, or the other way round";
  }
  return NULL;
}

void factor_print(int64_t factor, StrBuf *out) {
  enum { LETTERS = 'z' - 'i' + 1 };
  if (factor < LETTERS)
    strbuf_putc(out, (char)('i' + factor));
  else
    strbuf_printf(out, "z_%" PRId64, factor - LETTERS + 1);
}
