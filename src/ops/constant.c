// constant: a value in the program text. Dense constants are copied from the context, resources
// from the program's blobs; a quantized constant's text is its storage values. O(bytes).
#include "ops/factors.h"
#include "ops/localize.h"
#include "ops/move.h"

#include <string.h>

static bool infer(Infer *cx) {
  const AttrInfo *value = attr_info(cx->context, infer_attr(cx, "value"));
  REQUIRE(cx, 0,
          (value->kind == ATTR_DENSE || value->kind == ATTR_RESOURCE) &&
              type_is_tensor(cx->context, value->type),
          "attribute 'value' must be a dense tensor constant");
  Type type = value->type, declared = infer_result(cx, 0);
  const QuantInfo *quant = type_quant_info(cx->context, declared);
  if (quant && !type_is_quant(cx->context, type)) {
    // The value is the storage of a quantized type.
    REQUIRE(cx, 1,
            infer_types_compatible(
                cx, type_with_elem(cx->context, declared, type_scalar(quant->storage)), type),
            "the value has type %s, expected the storage type of the result, %s",
            infer_text(cx, type), infer_text(cx, declared));
    cx->out[0] = declared;
    return true;
  }
  REQUIRE(cx, 1,
          !declared ||
              (infer_types_compatible(cx, declared, type) && type_is_static(cx->context, declared)),
          "the value has type %s and the result %s, expected the same", infer_text(cx, type),
          infer_text(cx, declared));
  cx->out[0] = type;
  return true;
}

static const Resource *find_resource(const Program *p, Name key) {
  for (uint32_t i = 0; i < p->resources.count; i++)
    if (p->resources.items[i].key == key) return &p->resources.items[i];
  return NULL;
}

static Status *from_resource(EvalContext *cx, const AttrInfo *value, Literal **out) {
  const Resource *resource = find_resource(cx->program, value->name);
  if (!resource)
    FAIL(NOT_FOUND, "the resource '%s' is not in the file's dialect_resources",
         name_text(cx->context, value->name));
  Literal *literal = literal_new_typed(cx->heap, cx->context, value->type);
  size_t bytes = (size_t)literal->count * (size_t)dtype_bytes(literal->dtype);
  if (bytes != resource->bytes)
    FAIL(INVALID_ARGUMENT, "the resource '%s' has %zu bytes, but %s requires %zu",
         name_text(cx->context, value->name), resource->bytes, type_text(cx->context, value->type),
         bytes);
  if (bytes) memcpy(literal->data, resource->data, bytes);
  *out = literal;
  return NULL;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)in;
  Attr attr = eval_attr(cx, "value");
  const AttrInfo *value = attr_info(cx->context, attr);
  Literal *literal = NULL;
  if (value->kind == ATTR_RESOURCE)
    TRY(from_resource(cx, value, &literal));
  else
    literal = literal_from_dense(cx->heap, cx->context, attr);
  Type elem = type_elem(cx->context, eval_result_type(cx, 0));
  if (elem) literal->elem = elem;
  *out = literal;
  return NULL;
}

static OpId sample(Sample *cx) {
  int64_t dims[4];
  uint32_t rank = sample_shape(cx, 4, dims);
  Type type;
  return value_def(cx->program, move_sample(cx, "bsufc", rank, dims, &type));
}

const OpDef op_constant = {.infer = infer,
                           .eval = eval,
                           .sample = sample,
                           .constraints = 1,
                           .factors = factors_constant,
                           .splits = localize_constant_splits,
                           .localize = localize_constant};
