// Custom calls with dynamic shapes. At run time every shape is known: random bits are evaluated by
// the static op with the shape filled in. Windows are evaluated here, since their body is a
// function, not a region.
#include "ops/custom_dynamic.h"

#include "ops/move.h"

static bool is_ints(const Literal *literal, uint32_t rank) {
  return literal->kind == LITERAL_ARRAY && literal->rank == rank &&
         literal->count <= 2 * MAX_RANK && dtype_is_integer(literal->dtype);
}

Status *custom_dynamic_rng_bit_generator(EvalContext *cx, Literal *const *in, Literal **out) {
  Context *context = cx->context;
  if (cx->n_in != 2 || cx->n_out != 2 || in[0]->kind != LITERAL_ARRAY || !is_ints(in[1], 1) ||
      in[1]->count > MAX_RANK)
    FAIL(INVALID_ARGUMENT, "requires the operands state and shape, and the results state and bits");
  if (in[0]->rank != 1 || in[0]->count < 2 || in[0]->count > 3 || in[0]->dtype != DT_ui64)
    FAIL(INVALID_ARGUMENT, "the state must be a vector of two or three ui64");
  DType bits = type_dtype(cx->context, eval_result_type(cx, 1));
  if (type_is_quant(cx->context, eval_result_type(cx, 1)) ||
      !(dtype_is_integer(bits) || dtype_is_float(bits)))
    FAIL(INVALID_ARGUMENT, "result 1 is %s, expected integers or floats",
         type_text(cx->context, eval_result_type(cx, 1)));
  Ints shape = move_indices(cx, in[1]);
  for (uint32_t d = 0; d < shape.n; d++)
    if (shape.v[d] < 0)
      FAIL(INVALID_ARGUMENT, "the shape is %s, expected sizes of at least 0",
           move_dims_text(cx, shape.n, shape.v));
  Attr attrs = attr_dict_with(context, 0, "rng_algorithm", eval_attr(cx, "rng_algorithm"));
  Type elem = type_elem(context, eval_result_type(cx, 1));
  Type types[2] = {type_tensor(context, in[0]->elem, in[0]->rank, in[0]->dims, 0),
                   type_tensor(context, elem, shape.n, shape.v, 0)};
  return eval_op(cx, OP_rng_bit_generator, attrs, 1, in, 2, types, out);
}

// A window over the inputs: per dimension its size, stride, window dilation, base dilation and low
// padding.
typedef struct Window {
  uint32_t rank;
  int64_t sizes[MAX_RANK], strides[MAX_RANK], dilations[MAX_RANK], base[MAX_RANK], low[MAX_RANK];
  int64_t results[MAX_RANK];
} Window;

static Status *read_window(const Literal *input, Literal *const *in, Window *w) {
  const int64_t far = INT64_C(1) << 31;
  w->rank = input->rank;
  for (uint32_t i = 0; i < 5; i++)
    if (!is_ints(in[i], i == 4 ? 2 : 1) || in[i]->count != (i == 4 ? 2 : 1) * input->rank)
      FAIL(INVALID_ARGUMENT,
           "operand %u from the end must have one entry for each of the %u dimensions", 5 - i,
           input->rank);
  for (uint32_t d = 0; d < w->rank; d++) {
    int64_t high = move_index(in[4], 2 * d + 1), size = input->dims[d];
    w->sizes[d] = move_index(in[0], d);
    w->strides[d] = move_index(in[1], d);
    w->base[d] = move_index(in[2], d);
    w->dilations[d] = move_index(in[3], d);
    w->low[d] = move_index(in[4], 2 * d);
    const int64_t positive[4] = {w->sizes[d], w->strides[d], w->base[d], w->dilations[d]};
    bool sane = size < far && -far < w->low[d] && w->low[d] < far && -far < high && high < far;
    for (uint32_t i = 0; i < 4; i++) sane &= 0 < positive[i] && positive[i] < far;
    if (!sane)
      FAIL(INVALID_ARGUMENT,
           "dimension %u of size %lld has window %lld, stride %lld, dilations %lld and %lld, "
           "padding %lld and %lld",
           d, (long long)size, (long long)w->sizes[d], (long long)w->strides[d],
           (long long)w->base[d], (long long)w->dilations[d], (long long)w->low[d],
           (long long)high);
    int64_t padded = w->low[d] + (size ? (size - 1) * w->base[d] + 1 : 0) + high;
    int64_t window = (w->sizes[d] - 1) * w->dilations[d] + 1;
    w->results[d] = padded <= 0 || window > padded ? 0 : (padded - window) / w->strides[d] + 1;
  }
  return NULL;
}

// The input's element under entry `entry` of the window of result `at`; false if that is padding.
static bool window_element(const Window *w, const Literal *input, const int64_t *at,
                           const int64_t *entry, int64_t *out) {
  int64_t index[MAX_RANK];
  for (uint32_t d = 0; d < w->rank; d++) {
    int64_t x = at[d] * w->strides[d] + entry[d] * w->dilations[d] - w->low[d];
    if (x < 0 || x % w->base[d] || x / w->base[d] >= input->dims[d]) return false;
    index[d] = x / w->base[d];
  }
  *out = shape_linear(w->rank, input->dims, index);
  return true;
}

Status *custom_dynamic_reduce_window(EvalContext *cx, Literal *const *in, Literal **out) {
  uint32_t n = cx->n_out;
  const AttrInfo *called = attr_info(cx->context, eval_attr(cx, "called_computations"));
  if (n == 0 || cx->n_in != 2 * n + 5 || called->kind != ATTR_ARRAY || called->count != 1)
    FAIL(INVALID_ARGUMENT, "requires inputs, one initial value per input, five lists of integers "
                           "and one called function");
  for (uint32_t i = 0; i < n; i++)
    if (in[i]->kind != LITERAL_ARRAY || in[n + i]->kind != LITERAL_ARRAY || in[n + i]->rank != 0 ||
        in[n + i]->elem != in[i]->elem || !literal_same_shape(in[0], in[i]))
      FAIL(INVALID_ARGUMENT,
           "input %u must have the shape of input 0, and a scalar of its own element type as "
           "initial value",
           i);
  Window w;
  TRY(read_window(in[0], in + 2 * n, &w));
  for (uint32_t i = 0; i < n; i++) {
    TRY(move_new(cx, i, in[i]->elem, w.rank, w.results, &out[i]));
    if (out[i]->elem != in[i]->elem)
      FAIL(INVALID_ARGUMENT, "result %u has element type %s, expected %s", i,
           type_text(cx->context, out[i]->elem), type_text(cx->context, in[i]->elem));
  }
  if (out[0]->count == 0) return NULL;
  Name body = attr_as_name(cx->context, called->items[0]);
  Literal **args = ARENA_ARRAY(cx->scratch, Literal *, 2 * n),
          **next = ARENA_ARRAY(cx->scratch, Literal *, n);
  int64_t at[MAX_RANK] = {0}, result = 0;
  do {
    int64_t entry[MAX_RANK] = {0}, from;
    for (uint32_t i = 0; i < n; i++) args[i] = literal_retain(in[n + i]);
    do {
      if (!window_element(&w, in[0], at, entry, &from)) continue;
      for (uint32_t i = 0; i < n; i++) {
        args[n + i] = literal_new(cx->heap, cx->context, in[i]->elem, 0, NULL);
        literal_copy_elements(args[n + i], 0, in[i], from, 1);
      }
      TRY(cx->host->call(cx, body, 2 * n, args, n, next));
      for (uint32_t i = 0; i < n; i++) {
        literal_release(args[i]);
        literal_release(args[n + i]);
        args[i] = next[i];
      }
    } while (shape_next(w.rank, w.sizes, entry));
    for (uint32_t i = 0; i < n; i++) {
      if (args[i]->kind != LITERAL_ARRAY || args[i]->elem != in[i]->elem || args[i]->count != 1)
        FAIL(INVALID_ARGUMENT, "the called function must return a scalar for input %u", i);
      literal_copy_elements(out[i], result, args[i], 0, 1);
      literal_release(args[i]);
    }
    result++;
  } while (shape_next(w.rank, w.results, at));
  return NULL;
}
