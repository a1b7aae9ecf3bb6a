// custom_call: the target's row in custom_calls.def gives its semantics.
#include <string.h>

#include "ops/compare_values.h"
#include "ops/custom_lapack.h"
#include "ops/custom_dynamic.h"
#include "ops/custom_factors.h"
#include "ops/custom_linalg.h"
#include "ops/custom_numeric.h"
#include "ops/custom_topk.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/sample.h"
#include "ops/work.h"

typedef Status *(*CustomFn)(EvalContext *cx, Literal *const *in, Literal **out);

// Annotations: the operands are the results.
static Status *custom_identity(EvalContext *cx, Literal *const *in, Literal **out) {
  if (cx->n_in < cx->n_out)
    FAIL(INVALID_ARGUMENT, "has %u results and %u operands, expected equal numbers", cx->n_out,
         cx->n_in);
  for (uint32_t i = 0; i < cx->n_out; i++) out[i] = literal_retain(in[i]);
  return NULL;
}

// Conversions between global and local shape: the identity on one device, if the shapes are equal.
static Status *custom_reshard(EvalContext *cx, Literal *const *in, Literal **out) {
  if (cx->n_in != 1 || cx->n_out != 1)
    FAIL(INVALID_ARGUMENT, "has %u operands and %u results, expected 1 and 1", cx->n_in, cx->n_out);
  const TypeInfo *type = type_info(cx->context, eval_result_type(cx, 0));
  for (uint32_t d = 0; d < in[0]->rank && d < type->rank; d++)
    if (type->dims[d] != DIM_DYNAMIC && type->dims[d] != in[0]->dims[d])
      FAIL(UNIMPLEMENTED, "converts between a global tensor and its shards on several devices; "
                          "partition the program before running it");
  out[0] = literal_retain(in[0]);
  return NULL;
}

enum { MOST_MESSAGE = 1000 };

// An assertion about shapes: the first operand must be true. `{k}` in its message is replaced by
// operand k + 1.
static Status *custom_shape_assertion(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)out;
  if (cx->n_in == 0 || in[0]->kind != LITERAL_ARRAY || in[0]->count != 1 || in[0]->dtype != DT_i1)
    FAIL(INVALID_ARGUMENT, "operand 0 must be a tensor<i1>, the condition to assert");
  if (literal_get(in[0], 0).i != 0) return NULL;
  Str text = name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "error_message")));
  char message[MOST_MESSAGE + DTYPE_TEXT_MAX];
  size_t used = 0;
  for (size_t i = 0; i < text.n && used < MOST_MESSAGE; i++) {
    uint32_t k = i + 2 < text.n && text.s[i] == '{' && text.s[i + 2] == '}'
                     ? (uint32_t)(text.s[i + 1] - '0')
                     : 10;
    if (k > 9 || k + 1 >= cx->n_in || in[k + 1]->kind != LITERAL_ARRAY || in[k + 1]->count == 0) {
      message[used++] = text.s[i];
      continue;
    }
    dtype_format(in[k + 1]->dtype, literal_get(in[k + 1], 0), message + used, DTYPE_TEXT_MAX);
    used += strlen(message + used);
    i += 2;
  }
  message[used] = '\0';
  FAIL(FAILED_PRECONDITION, "a shape assertion does not hold%s%s", *message ? ": " : "", message);
}

// A new buffer: zeros.
static Status *custom_create_buffer(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)in;
  for (uint32_t i = 0; i < cx->n_out; i++) {
    const TypeInfo *type = type_info(cx->context, eval_result_type(cx, i));
    if (type->kind != TYPE_MEMREF && type->kind != TYPE_TENSOR)
      FAIL(INVALID_ARGUMENT, "result is %s, expected a buffer",
           type_text(cx->context, eval_result_type(cx, i)));
    out[i] = literal_new(cx->heap, cx->context, type->elem, type->rank, type->dims);
  }
  return NULL;
}

// Rolls a dimension: elements beyond its end come first.
static Status *custom_rotate_right(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t along, amount;
  if (cx->n_in != 1 || cx->n_out != 1 || in[0]->kind != LITERAL_ARRAY ||
      !custom_config_int(cx->program, cx->op, "dimension", &along) ||
      !custom_config_int(cx->program, cx->op, "amount", &amount) || along >= in[0]->rank ||
      amount > in[0]->dims[along])
    FAIL(INVALID_ARGUMENT,
         "expected one operand, one result and a backend_config \"dimension=D,amount=N\" with a "
         "dimension of the operand and at most its size");
  const Literal *from = in[0];
  int64_t size = from->dims[along], inner = 1;
  for (uint32_t d = (uint32_t)along + 1; d < from->rank; d++)
    inner = shape_times(inner, from->dims[d]);
  Literal *to = literal_new(cx->heap, cx->context, from->elem, from->rank, from->dims);
  for (int64_t at = 0; at < from->count; at += size * inner) {
    literal_copy_elements(to, at, from, at + (size - amount) * inner, amount * inner);
    literal_copy_elements(to, at + amount * inner, from, at, (size - amount) * inner);
  }
  out[0] = to;
  return NULL;
}

static Status *custom_nothing(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)in, (void)out;
  if (cx->n_out)
    FAIL(UNIMPLEMENTED, "has %u results whose values are unknown, expected none", cx->n_out);
  return NULL;
}

static Status *custom_on_host(EvalContext *cx, Literal *const *in, Literal **out);

typedef struct Custom {
  const char *target;
  CustomFn run;
  bool (*factors)(FactorContext *cx);
  uint32_t traits;
} Custom;

static const Custom customs[] = {
#define CUSTOM(id, target, fn, factors, traits) {target, fn, factors, traits},
#include "ops/custom_calls.def"
#undef CUSTOM
};

// NULL if the target is unknown.
static const Custom *custom_find(Str target) {
  for (size_t i = 0; i < sizeof customs / sizeof customs[0]; i++)
    if (str_is(target, customs[i].target)) return &customs[i];
  return NULL;
}

bool op_custom_call_known(const Program *p, OpId op) {
  return op_at(p, op)->code != OP_custom_call ||
         custom_find(name_str(
             p->context, attr_as_name(p->context, op_attr(p, op, "call_target_name")))) != NULL;
}

static uint32_t traits(const Program *p, OpId op) {
  const Custom *custom = custom_find(
      name_str(p->context, attr_as_name(p->context, op_attr(p, op, "call_target_name"))));
  return custom ? custom->traits : 0;
}

bool op_calls_host(const Program *p, OpId op) {
  if (op_at(p, op)->code != OP_custom_call) return false;
  const Custom *custom = custom_find(
      name_str(p->context, attr_as_name(p->context, op_attr(p, op, "call_target_name"))));
  return custom && custom->run == custom_on_host;
}

// A literal for each result; the host fills in the elements.
static Status *new_results(EvalContext *cx, Literal **out) {
  for (uint32_t i = 0; i < cx->n_out; i++) {
    Type type = eval_result_type(cx, i);
    TypeKind kind = type_info(cx->context, type)->kind;
    if (kind != TYPE_TOKEN && (kind != TYPE_TENSOR || !type_is_static(cx->context, type)))
      FAIL(UNIMPLEMENTED, "has a result of type %s, expected tensors of static shape and tokens",
           type_text(cx->context, type));
    out[i] = kind == TYPE_TOKEN ? literal_token(cx->heap) : eval_new_result(cx, i);
  }
  return NULL;
}

// Code outside of the program: the host process may have it.
static Status *custom_on_host(EvalContext *cx, Literal *const *in, Literal **out) {
  Str target = name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "call_target_name")));
  bool done = false;
  if (cx->host && cx->host->custom_call) {
    TRY(new_results(cx, out));
    TRY(cx->host->custom_call(cx, in, out, &done));
  }
  if (done) return NULL;
  FAIL(UNIMPLEMENTED,
       "custom call @%.*s is unknown: its code is not part of the program. Replace it by StableHLO "
       "ops (JAX: lower for another platform, or give the primitive a composite rule), or add a "
       "row to src/ops/custom_calls.def",
       (int)target.n, target.s);
}

static Status *eval_custom_call(EvalContext *cx, Literal *const *in, Literal **out) {
  Str target = name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "call_target_name")));
  const Custom *custom = custom_find(target);
  return custom && custom->run ? custom->run(cx, in, out) : custom_on_host(cx, in, out);
}

enum { MOST_API_VERSION = 4 };  // API_VERSION_TYPED_FFI

// A tensor's layout lists its dimensions from minor to major; that of other types is empty.
static bool check_layout(Infer *cx, Attr layout, Type type, const char *whose, uint32_t index) {
  const AttrInfo *info = attr_info(cx->context, layout);
  const TypeInfo *listed = type_info(cx->context, info->type);
  REQUIRE(cx, 0,
          info->kind == ATTR_DENSE && listed->kind == TYPE_TENSOR && listed->rank == 1 &&
              listed->elem == DT_index,
          "the layout of %s %u is not a list of dimensions, expected dense<…> : tensor<Nxindex>",
          whose, index);
  const TypeInfo *shape = type_info(cx->context, type);
  uint32_t rank = shape->kind == TYPE_TENSOR ? shape->rank : 0;
  Ints dims = attr_as_ints(cx->context, layout);
  bool seen[MAX_RANK] = {false}, fits = dims.ok && dims.n == rank;
  for (uint32_t i = 0; fits && i < rank; i++) {
    fits = dims.v[i] >= 0 && dims.v[i] < rank && !seen[dims.v[i]];
    if (fits) seen[dims.v[i]] = true;
  }
  REQUIRE(cx, 0, fits,
          "the layout of %s %u is %s, expected a permutation of the %u dimensions of %s", whose,
          index, infer_dims_text(cx, dims.ok ? dims.n : 0, dims.v), rank, infer_text(cx, type));
  return true;
}

static bool check_layouts(Infer *cx, const AttrInfo *in, const AttrInfo *out) {
  REQUIRE(
      cx, 0, in->kind == ATTR_ARRAY && out->kind == ATTR_ARRAY,
      "operand_layouts and result_layouts must be arrays with one layout per operand and result");
  uint32_t n_results = infer_n_results(cx);
  const Type *parts = NULL;
  const TypeInfo *only = type_info(cx->context, n_results == 1 ? infer_result(cx, 0) : 0);
  if (only->kind == TYPE_TUPLE) {
    n_results = only->n_items;
    parts = only->items;
  }
  REQUIRE(cx, 0, in->count == infer_n_operands(cx),
          "operand_layouts has length %u, expected %u, one per operand", in->count,
          infer_n_operands(cx));
  REQUIRE(cx, 0, out->count == n_results,
          "result_layouts has length %u, expected %u, one per result", out->count, n_results);
  for (uint32_t i = 0; i < in->count; i++)
    if (!check_layout(cx, in->items[i], infer_operand(cx, i), "operand", i)) return false;
  for (uint32_t i = 0; i < out->count; i++)
    if (!check_layout(cx, out->items[i], parts ? parts[i] : infer_result(cx, i), "result", i))
      return false;
  return true;
}

static bool infer_custom_call(Infer *cx) {
  REQUIRE(cx, 0, attr_as_name(cx->context, infer_attr(cx, "call_target_name")),
          "call_target_name is empty, expected the name of a function");
  int64_t version = infer_int(cx, "api_version", 1);
  REQUIRE(cx, 0, version >= 0 && version <= MOST_API_VERSION,
          "api_version is %lld, expected 0 to %d", (long long)version, MOST_API_VERSION);
  const AttrInfo *in = attr_info(cx->context, infer_attr(cx, "operand_layouts"));
  const AttrInfo *out = attr_info(cx->context, infer_attr(cx, "result_layouts"));
  REQUIRE(cx, 0, (in->kind == ATTR_NONE) == (out->kind == ATTR_NONE),
          "has only one of operand_layouts and result_layouts, expected both or none");
  if (in->kind != ATTR_NONE && !check_layouts(cx, in, out)) return false;
  return infer_declared(cx);
}

static OpId sample_custom_call(Sample *cx) {
  int64_t dims[3];
  uint32_t rank = sample_shape(cx, 3, dims);
  Type type = type_tensor(cx->context, type_scalar(sample_dtype(cx, "bsufc")), rank, dims, 0);
  ValueId operand = sample_value(cx, type);
  NamedAttr target = {name_of(cx->context, "call_target_name"),
                      attr_string(cx->context, name_of(cx->context, "Sharding"))};
  return sample_op(cx, OP_custom_call, attr_dict(cx->context, 1, &target), 1, &operand, 1, &type,
                   0);
}

static bool factors(FactorContext *cx) {
  Str target =
      name_str(cx->context, attr_as_name(cx->context, factors_attr(cx, "call_target_name")));
  if (cx->options.custom_call) {
    cx->reads_context = true;  // the user's function may read anything
    if (cx->options.custom_call(cx->options.user, target, cx)) return true;
  }
  const Custom *custom = custom_find(target);
  return custom && custom->factors && custom->factors(cx);
}

// Targets with their own local columns.
static const struct {
  const char *target;
  void (*splits)(Localizer *cx);
  Status *(*localize)(Localizer *cx);
} locals[] = {
    {"mhlo.topk", top_k_splits, top_k_localize},
    {"ApproxTopK", approx_top_k_splits, approx_top_k_localize},
    {"PartialReduce", approx_top_k_splits, approx_top_k_localize},
    {"_SPMDInternalOp_RotateRight", rotate_splits, rotate_localize},
};

// The op's row in that table; -1 if there is none.
static int local_find(const Localizer *cx) {
  Str target =
      name_str(cx->context, attr_as_name(cx->context, localize_attr(cx, "call_target_name")));
  int i = (int)(sizeof locals / sizeof locals[0]) - 1;
  while (i >= 0 && !str_is(target, locals[i].target)) i--;
  return i;
}

static void splits(Localizer *cx) {
  int i = local_find(cx);
  if (i >= 0)
    locals[i].splits(cx);
  else
    localize_only_default(cx);
}

static Status *localize(Localizer *cx) {
  int i = local_find(cx);
  return i >= 0 ? locals[i].localize(cx) : localize_default(cx);
}

const OpDef op_custom_call = {.infer = infer_custom_call,
                              .eval = eval_custom_call,
                              .sample = sample_custom_call,
                              .factors = factors,
                              .splits = splits,
                              .localize = localize,
                              .work = work_given,
                              .traits = traits};
