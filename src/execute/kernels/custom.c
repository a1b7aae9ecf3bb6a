// Custom calls: the kernel of the target.
#include "execute/kernels/custom.h"

#include <string.h>

#include "execute/kernels/kernels.h"

static const struct CustomKernel {
  const char *target;
  KernelMaker maker;
} custom_kernels[] = {
#define CUSTOM_KERNEL(target, maker) {target, maker},
#include "execute/kernels/custom_kernels.def"
#undef CUSTOM_KERNEL
};

bool kernel_custom_call(const KernelRequest *r, Kernel *out) {
  Context *c = r->program->context;
  Str target = name_str(c, attr_as_name(c, op_attr(r->program, r->op, "call_target_name")));
  for (size_t i = 0; i < sizeof custom_kernels / sizeof *custom_kernels; i++)
    if (str_is(target, custom_kernels[i].target)) return custom_kernels[i].maker(r, out);
  return false;
}

Attr custom_config(const KernelRequest *r, const char *name) {
  Context *c = r->program->context;
  Attr config = op_attr(r->program, r->op, "mhlo.backend_config");
  if (attr_info(c, config)->kind != ATTR_DICT)
    config = op_attr(r->program, r->op, "backend_config");
  return attr_get(c, config, name);
}

bool matrices_operand(const KernelRequest *r, uint32_t i, Matrices *out) {
  Dense d;
  if (op_at(r->program, r->op)->n_operands <= i || !dense_operand(r, i, &d) || d.rank < 2)
    return false;
  switch (d.dtype) {
  case DT_f32: out->type = LAPACK_S; break;
  case DT_f64: out->type = LAPACK_D; break;
  case DT_c64: out->type = LAPACK_C; break;
  case DT_c128: out->type = LAPACK_Z; break;
  default: return false;
  }
  out->dtype = d.dtype;
  out->item = d.item;
  out->m = d.dims[d.rank - 2];
  out->n = d.dims[d.rank - 1];
  if (d.count == 0) return false;
  out->batches = d.count / (out->m * out->n);
  return true;
}

bool matrices_result(const KernelRequest *r, uint32_t i, DType dtype, int64_t count) {
  Dense d;
  return i < op_at(r->program, r->op)->n_results && dense_result(r, i, &d) && d.dtype == dtype &&
         d.count == count;
}
