// Data movement against the specification's formulas, element by element: for random instances of
// each op, every result element must have the bits of its source element by the formula (for
// scatter: of the formula's value). The formulas use full index vectors and no strides, unlike the
// ops.
#include "ops/move.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct Index {
  uint32_t n;
  int64_t v[MAX_RANK];
} Index;

typedef struct Instance {
  Program *p;
  Context *context;
  OpId op;
  Literal *in[8], *out[3];
} Instance;

static Ints ints_of(const Instance *t, const char *name) {
  return attr_as_ints(t->context, op_attr(t->p, t->op, name));
}

static int64_t int_of(const Instance *t, const char *name) {
  return attr_as_int(t->context, op_attr(t->p, t->op, name), -99);
}

static Ints field_of(const Instance *t, const char *attr, const char *name) {
  return attr_as_ints(t->context, attr_get(t->context, op_attr(t->p, t->op, attr), name));
}

static int64_t vector_dim(const Instance *t, const char *attr) {
  return attr_as_int(t->context,
                     attr_get(t->context, op_attr(t->p, t->op, attr), "index_vector_dim"), 0);
}

static int64_t read_int(const Literal *l, int64_t i) {
  Scalar s = literal_get(l, i);
  return dtype_kind(l->dtype) == KIND_UINT ? (int64_t)s.u : s.i;
}

static int64_t at(const Literal *l, const int64_t *index) {
  int64_t linear = 0;
  for (uint32_t d = 0; d < l->rank; d++) {
    assert_true(index[d] >= 0 && index[d] < l->dims[d]);
    linear = linear * l->dims[d] + index[d];
  }
  return linear;
}

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

static bool has(Ints list, int64_t x) {
  for (uint32_t i = 0; i < list.n; i++)
    if (list.v[i] == x) return true;
  return false;
}

// The source of result element `r`: the operand, and the index in it.
typedef uint32_t (*Origin)(const Instance *t, const int64_t *r, int64_t *from);

static uint32_t from_transpose(const Instance *t, const int64_t *r, int64_t *from) {
  Ints order = ints_of(t, "permutation");
  for (uint32_t d = 0; d < order.n; d++) from[order.v[d]] = r[d];
  return 0;
}

static uint32_t from_reverse(const Instance *t, const int64_t *r, int64_t *from) {
  for (uint32_t d = 0; d < t->in[0]->rank; d++)
    from[d] = has(ints_of(t, "dimensions"), d) ? t->in[0]->dims[d] - 1 - r[d] : r[d];
  return 0;
}

static uint32_t from_broadcast_in_dim(const Instance *t, const int64_t *r, int64_t *from) {
  Ints to = ints_of(t, "broadcast_dimensions");
  for (uint32_t d = 0; d < to.n; d++) from[d] = t->in[0]->dims[d] == 1 ? 0 : r[to.v[d]];
  return 0;
}

static uint32_t from_broadcast(const Instance *t, const int64_t *r, int64_t *from) {
  for (uint32_t d = 0; d < t->in[0]->rank; d++) from[d] = r[t->out[0]->rank - t->in[0]->rank + d];
  return 0;
}

static uint32_t from_slice(const Instance *t, const int64_t *r, int64_t *from) {
  for (uint32_t d = 0; d < t->in[0]->rank; d++)
    from[d] = ints_of(t, "start_indices").v[d] + r[d] * ints_of(t, "strides").v[d];
  return 0;
}

static uint32_t from_real_dynamic_slice(const Instance *t, const int64_t *r, int64_t *from) {
  for (uint32_t d = 0; d < t->in[0]->rank; d++)
    from[d] = read_int(t->in[1], d) + r[d] * read_int(t->in[3], d);
  return 0;
}

static uint32_t from_concatenate(const Instance *t, const int64_t *r, int64_t *from) {
  int64_t along = int_of(t, "dimension"), left = r[along];
  uint32_t k = 0;
  while (left >= t->in[k]->dims[along]) left -= t->in[k++]->dims[along];
  for (uint32_t d = 0; d < t->in[0]->rank; d++) from[d] = d == along ? left : r[d];
  return k;
}

static uint32_t padded(const Instance *t, const int64_t *r, const int64_t *low,
                       const int64_t *interior, int64_t *from) {
  for (uint32_t d = 0; d < t->in[0]->rank; d++) {
    int64_t x = r[d] - low[d];
    if (x < 0 || x % (interior[d] + 1) || x / (interior[d] + 1) >= t->in[0]->dims[d]) return 1;
    from[d] = x / (interior[d] + 1);
  }
  return 0;
}

static uint32_t from_pad(const Instance *t, const int64_t *r, int64_t *from) {
  return padded(t, r, ints_of(t, "edge_padding_low").v, ints_of(t, "interior_padding").v, from);
}

static uint32_t from_dynamic_pad(const Instance *t, const int64_t *r, int64_t *from) {
  int64_t low[8], interior[8];
  for (uint32_t d = 0; d < t->in[0]->rank; d++) {
    low[d] = read_int(t->in[2], d);
    interior[d] = read_int(t->in[4], d);
  }
  return padded(t, r, low, interior, from);
}

static uint32_t from_reshape(const Instance *t, const int64_t *r, int64_t *from) {
  int64_t linear = at(t->out[0], r);
  for (uint32_t d = t->in[0]->rank; d-- > 0;) {
    from[d] = linear % t->in[0]->dims[d];
    linear /= t->in[0]->dims[d];
  }
  return 0;
}

static uint32_t from_dynamic_slice(const Instance *t, const int64_t *r, int64_t *from) {
  for (uint32_t d = 0; d < t->in[0]->rank; d++)
    from[d] = r[d] + clamp(read_int(t->in[1 + d], 0), 0, t->in[0]->dims[d] - t->out[0]->dims[d]);
  return 0;
}

static uint32_t from_dynamic_update_slice(const Instance *t, const int64_t *r, int64_t *from) {
  bool inside = true;
  for (uint32_t d = 0; d < t->in[0]->rank; d++) {
    from[d] = r[d] - clamp(read_int(t->in[2 + d], 0), 0, t->in[0]->dims[d] - t->in[1]->dims[d]);
    inside &= from[d] >= 0 && from[d] < t->in[1]->dims[d];
  }
  if (inside) return 1;
  for (uint32_t d = 0; d < t->in[0]->rank; d++) from[d] = r[d];
  return 0;
}

static uint32_t from_set_dimension_size(const Instance *t, const int64_t *r, int64_t *from) {
  for (uint32_t d = 0; d < t->in[0]->rank; d++) from[d] = r[d];
  return 0;
}

static uint32_t from_torch_index_select(const Instance *t, const int64_t *r, int64_t *from) {
  int64_t dim = int_of(t, "dim"), batch = int_of(t, "batch_dims"), chosen[8];
  uint32_t extra = t->in[1]->rank - (uint32_t)batch;
  for (uint32_t d = 0; d < t->in[1]->rank; d++) chosen[d] = d < batch ? r[d] : r[dim + d - batch];
  for (uint32_t d = 0; d < t->in[0]->rank; d++)
    from[d] = d < dim   ? r[d]
              : d > dim ? r[d + extra - 1]
                        : clamp(read_int(t->in[1], at(t->in[1], chosen)), 0, t->in[0]->dims[d] - 1);
  return 0;
}

static uint32_t gathered(const Instance *t, const int64_t *r, const int64_t *slice_sizes,
                         int64_t *from) {
  const Literal *operand = t->in[0], *start_indices = t->in[1];
  const char *name = "dimension_numbers";
  Ints offset_dims = field_of(t, name, "offset_dims"),
       collapsed = field_of(t, name, "collapsed_slice_dims"),
       batching = field_of(t, name, "operand_batching_dims"),
       start_batching = field_of(t, name, "start_indices_batching_dims"),
       map = field_of(t, name, "start_index_map");
  int64_t vector = vector_dim(t, name);
  Index batch_index = {0}, offset_index = {0}, full_offset = {0};
  for (uint32_t d = 0; d < t->out[0]->rank; d++) {
    Index *to = has(offset_dims, d) ? &offset_index : &batch_index;
    to->v[to->n++] = r[d];
  }
  int64_t full_start[MAX_RANK] = {0}, full_batching[MAX_RANK] = {0};
  for (uint32_t i = 0; i < map.n; i++) {
    Index place = {0};
    for (uint32_t d = 0, b = 0; d < start_indices->rank; d++)
      place.v[d] = d == vector ? i : batch_index.v[b++];
    int64_t d_operand = map.v[i];
    full_start[d_operand] = clamp(read_int(start_indices, at(start_indices, place.v)), 0,
                                  operand->dims[d_operand] - slice_sizes[d_operand]);
  }
  for (uint32_t i = 0; i < batching.n; i++) {
    int64_t d_start = start_batching.v[i];
    full_batching[batching.v[i]] = batch_index.v[d_start - (d_start < vector ? 0 : 1)];
  }
  for (uint32_t d = 0, o = 0; d < operand->rank; d++)
    full_offset.v[d] = has(collapsed, d) || has(batching, d) ? 0 : offset_index.v[o++];
  for (uint32_t d = 0; d < operand->rank; d++)
    from[d] = full_start[d] + full_batching[d] + full_offset.v[d];
  return 0;
}

static uint32_t from_gather(const Instance *t, const int64_t *r, int64_t *from) {
  Ints sizes = ints_of(t, "slice_sizes");
  // A collapsed slice of size 0 has no defined elements.
  for (uint32_t d = 0; d < sizes.n; d++)
    if (sizes.v[d] == 0) return UINT32_MAX;
  return gathered(t, r, sizes.v, from);
}

static uint32_t from_dynamic_gather(const Instance *t, const int64_t *r, int64_t *from) {
  int64_t sizes[8];
  for (uint32_t d = 0; d < t->in[0]->rank; d++) {
    sizes[d] = read_int(t->in[2], d);
    if (sizes[d] == 0) return UINT32_MAX;
  }
  return gathered(t, r, sizes, from);
}

static void check_origin(const Instance *t, Origin origin) {
  const Literal *result = t->out[0];
  size_t bytes = (size_t)dtype_bytes(result->dtype);
  int64_t r[MAX_RANK] = {0}, from[MAX_RANK] = {0};
  if (result->count == 0) return;
  do {
    uint32_t k = origin(t, r, from);
    if (k == UINT32_MAX) continue;
    assert_memory_equal((char *)result->data + (size_t)at(result, r) * bytes,
                        (char *)t->in[k]->data + (size_t)at(t->in[k], from) * bytes, bytes);
  } while (shape_next(result->rank, result->dims, r));
}

static Scalar combine(DType type, uint16_t code, Scalar a, Scalar b) {
  bool is_float = dtype_is_float(type), is_signed = dtype_is_signed(type);
  Scalar out = a;
  if (is_float && (isnan(a.f) || isnan(b.f))) return dtype_round(type, scalar_f(NAN));
  bool less = is_float ? a.f < b.f : is_signed ? a.i < b.i : a.u < b.u;
  switch (code) {
  case OP_add: out = is_float ? scalar_f(a.f + b.f) : scalar_u(a.u + b.u); break;
  case OP_multiply: out = is_float ? scalar_f(a.f * b.f) : scalar_u(a.u * b.u); break;
  case OP_maximum: out = less ? b : a; break;
  case OP_minimum: out = less ? a : b; break;
  case OP_and: out = scalar_u(a.u & b.u); break;
  case OP_or: out = scalar_u(a.u | b.u); break;
  case OP_xor: out = scalar_u(a.u ^ b.u); break;
  default: fail();
  }
  return dtype_round(type, out);
}

static void check_scatter(const Instance *t) {
  const Literal *input = t->in[0], *indices = t->in[1], *updates = t->in[2];
  const char *name = "scatter_dimension_numbers";
  Ints window_dims = field_of(t, name, "update_window_dims"),
       inserted = field_of(t, name, "inserted_window_dims"),
       batching = field_of(t, name, "input_batching_dims"),
       index_batching = field_of(t, name, "scatter_indices_batching_dims"),
       map = field_of(t, name, "scatter_dims_to_operand_dims");
  int64_t vector = vector_dim(t, name), u[MAX_RANK] = {0};
  uint16_t code =
      op_at(t->p, block_at(t->p, region_block(t->p, op_region(t->p, t->op, 0)))->first)->code;
  Literal *expected = literal_copy(input);
  if (updates->count) do {
      Index scatter_index = {0}, window_index = {0};
      for (uint32_t d = 0; d < updates->rank; d++) {
        Index *to = has(window_dims, d) ? &window_index : &scatter_index;
        to->v[to->n++] = u[d];
      }
      int64_t full[MAX_RANK] = {0};
      for (uint32_t i = 0; i < map.n; i++) {
        Index place = {0};
        for (uint32_t d = 0, b = 0; d < indices->rank; d++)
          place.v[d] = d == vector ? i : scatter_index.v[b++];
        full[map.v[i]] += read_int(indices, at(indices, place.v));
      }
      for (uint32_t i = 0; i < batching.n; i++) {
        int64_t d_start = index_batching.v[i];
        full[batching.v[i]] += scatter_index.v[d_start - (d_start < vector ? 0 : 1)];
      }
      for (uint32_t d = 0, w = 0; d < input->rank; d++)
        if (!has(inserted, d) && !has(batching, d)) full[d] += window_index.v[w++];
      bool inside = true;
      for (uint32_t d = 0; d < input->rank; d++) inside &= full[d] >= 0 && full[d] < input->dims[d];
      if (!inside) continue;
      int64_t k = at(expected, full);
      literal_set(expected, k,
                  combine(input->dtype, code, literal_get(expected, k),
                          literal_get(updates, at(updates, u))));
    } while (shape_next(updates->rank, updates->dims, u));
  assert_memory_equal(t->out[0]->data, expected->data,
                      (size_t)expected->count * (size_t)dtype_bytes(expected->dtype));
  literal_release(expected);
}

static void check_sort(const Instance *t) {
  // Along the dimension: a permutation of the input that respects the comparator, equal entries in
  // old order. The last input with distinct entries is not known, so order is checked by counting
  // how many go before.
  const Op *op = op_at(t->p, t->op);
  BlockId body = region_block(t->p, op_region(t->p, t->op, 0));
  OpId compare = block_at(t->p, body)->first;
  uint32_t k = value_at(t->p, op_operand(t->p, compare, 0))->index / 2;
  Name direction = attr_as_name(t->context, op_attr(t->p, compare, "comparison_direction"));
  bool greater = str_is(name_str(t->context, direction), "GT");
  int64_t along = int_of(t, "dimension");
  if (along < 0) along += t->in[0]->rank;
  int64_t index[MAX_RANK] = {0};
  const Literal *key = t->in[k];
  if (key->count == 0) return;
  do {
    int64_t other[MAX_RANK], before = 0;
    memcpy(other, index, sizeof other);
    Scalar mine = literal_get(key, at(key, index));
    for (other[along] = 0; other[along] < key->dims[along]; other[along]++) {
      Scalar theirs = literal_get(key, at(key, other));
      int order;
      if (dtype_is_float(key->dtype)) {
        if (isnan(mine.f) || isnan(theirs.f)) return;  // no order: any stable result will do
        order = (theirs.f > mine.f) - (theirs.f < mine.f);
      } else if (dtype_kind(key->dtype) == KIND_UINT)
        order = (theirs.u > mine.u) - (theirs.u < mine.u);
      else
        order = (theirs.i > mine.i) - (theirs.i < mine.i);
      if (!greater) order = -order;
      before += order > 0 || (order == 0 && other[along] < index[along]);
    }
    memcpy(other, index, sizeof other);
    other[along] = before;
    for (uint32_t i = 0; i < op->n_operands; i++) {
      size_t bytes = (size_t)dtype_bytes(t->in[i]->dtype);
      assert_memory_equal((char *)t->out[i]->data + (size_t)at(key, other) * bytes,
                          (char *)t->in[i]->data + (size_t)at(key, index) * bytes, bytes);
    }
  } while (shape_next(key->rank, key->dims, index));
}

static void check_iota(const Instance *t) {
  const Literal *result = t->out[0];
  int64_t r[MAX_RANK] = {0}, along = int_of(t, "iota_dimension");
  if (result->count) do {
      Scalar got = literal_get(result, at(result, r)),
             want = dtype_round(result->dtype,
                                dtype_convert(DT_i64, result->dtype, scalar_i(r[along])));
      assert_true(dtype_ulp_distance(result->dtype, got, want) == 0);
    } while (shape_next(result->rank, result->dims, r));
}

typedef struct Case {
  uint16_t code;
  Origin origin;
  void (*check)(const Instance *t);
} Case;

static const Case cases[] = {
    {OP_transpose, from_transpose, NULL},
    {OP_reverse, from_reverse, NULL},
    {OP_broadcast_in_dim, from_broadcast_in_dim, NULL},
    {OP_dynamic_broadcast_in_dim, from_broadcast_in_dim, NULL},
    {OP_broadcast, from_broadcast, NULL},
    {OP_slice, from_slice, NULL},
    {OP_real_dynamic_slice, from_real_dynamic_slice, NULL},
    {OP_concatenate, from_concatenate, NULL},
    {OP_pad, from_pad, NULL},
    {OP_dynamic_pad, from_dynamic_pad, NULL},
    {OP_reshape, from_reshape, NULL},
    {OP_dynamic_reshape, from_reshape, NULL},
    {OP_chlo_dynamic_reshape, from_reshape, NULL},
    {OP_dynamic_slice, from_dynamic_slice, NULL},
    {OP_dynamic_update_slice, from_dynamic_update_slice, NULL},
    {OP_set_dimension_size, from_set_dimension_size, NULL},
    {OP_torch_index_select, from_torch_index_select, NULL},
    {OP_gather, from_gather, NULL},
    {OP_dynamic_gather, from_dynamic_gather, NULL},
    {OP_scatter, NULL, check_scatter},
    {OP_sort, NULL, check_sort},
    {OP_iota, NULL, check_iota},
    {OP_dynamic_iota, NULL, check_iota},
};

// The operands of a sample are constants.
static Literal *constant_value(const Instance *t, LiteralHeap *heap, ValueId value) {
  OpId def = value_def(t->p, value);
  assert_int_equal(op_at(t->p, def)->code, OP_constant);
  Literal *literal = literal_from_dense(heap, t->context, op_attr(t->p, def, "value"));
  literal->elem = type_elem(t->context, value_type(t->p, value));
  return literal;
}

static void run_instance(Guard *guard, const Case *c, uint64_t seed) {
  Context *context = context_new(guard);
  Program *p = program_new(context, guard, NULL);
  Arena arena;
  arena_init(&arena, guard);
  LiteralHeap heap;
  literal_heap_init(&heap, guard, 0);
  OpId module = op_create(p, &(OpSpec){.code = OP_module, .n_regions = 1, .pos = POS_NONE});
  Sample sample = {.program = p, .context = context, .arena = &arena, .state = seed};
  sample.block = region_add_block(p, op_region(p, module, 0));
  Instance t = {.p = p, .context = context};
  t.op = op_row(c->code)->def->sample(&sample);
  const Op *op = op_at(p, t.op);
  assert_int_equal(op->code, c->code);
  assert_true(op->n_operands <= 8 && op->n_results <= 3);
  for (uint32_t i = 0; i < op->n_operands; i++)
    t.in[i] = constant_value(&t, &heap, op_operand(p, t.op, i));
  EvalContext cx = {.program = p,
                    .context = context,
                    .heap = &heap,
                    .scratch = &arena,
                    .op = t.op,
                    .attrs = op->attrs,
                    .n_in = op->n_operands,
                    .n_out = op->n_results,
                    .code = op->code};
  Status *status = op_row(c->code)->def->eval(&cx, t.in, t.out);
  if (status)
    fail_msg("%s, seed %llu: %s", op_row(c->code)->name, (unsigned long long)seed,
             status_message(status));
  if (c->origin) check_origin(&t, c->origin);
  if (c->check) c->check(&t);
  literal_heap_deinit(&heap);
  arena_deinit(&arena);
  program_free(p);
  context_free(context);
}

static Status *run_all(Guard *guard, void *arg) {
  const Case *c = arg;
  for (uint64_t seed = 1; seed <= 400; seed++) run_instance(guard, c, seed * 7919);
  return NULL;
}

static void test_formula(void **state) {
  Case c = *(const Case *)*state;
  Status *status = guard_run(run_all, &c);
  if (status) fail_msg("%s: %s", op_row(c.code)->name, status_message(status));
}

int main(void) {
  enum { N = sizeof cases / sizeof *cases };
  struct CMUnitTest tests[N];
  for (size_t i = 0; i < N; i++)
    tests[i] = (struct CMUnitTest){.name = op_row(cases[i].code)->name,
                                   .test_func = test_formula,
                                   .initial_state = (void *)(uintptr_t)&cases[i]};
  return _cmocka_run_group_tests("data movement", tests, N, NULL, NULL);
}
