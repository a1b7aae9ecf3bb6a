// Problem: programs cut a value before a product (heads of attention, a layer of a cache) and
// reorder dimensions for it. As ops of their own these copy each element once more.
// Idea: a kernel that takes strides gets the larger value and the strides of the view in it. It may
// refuse; then the view is materialized. A view without other uses is dropped, from the last op to
// the first, so that chains vanish.
// Invariant: a dropped op has no use but by folds and by dropped ops. Cost: O(block).
#include "execute/views.h"

#include "execute/fuse.h"

static bool has_unit_stride(const Program *p, ValueId v, const OperandView *view) {
  const TypeInfo *type = type_info(p->context, value_type(p, v));
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->dims[d] > 1 && view->strides[d] == 1) return true;
  return false;
}

static void try_fold(const ViewRequest *r, BlockId block, OpId o) {
  Program *p = r->program;
  uint32_t n = op_at(p, o)->n_operands, found = 0;
  if (n > VIEW_OPERANDS) return;
  ViewFold fold = {.views = {{0}}};
  for (uint32_t i = 0; i < n; i++) {
    OperandView view;
    ValueId v = op_operand(p, o, i);
    if (!fuse_strides(p, v, block, r->fused, &view) || !has_unit_stride(p, v, &view)) continue;
    fold.views[i] = view;
    found++;
  }
  KernelRequest request = {.program = p, .arena = r->arena, .op = o, .views = fold.views};
  if (!found || !kernel_maker(op_at(p, o)->code)(&request, &fold.kernel)) return;
  r->folds[o] = arena_copy(r->arena, &fold, sizeof fold);
  for (uint32_t i = 0; i < n; i++)
    if (fold.views[i].root) {
      r->n_read_inside[op_operand(p, o, i)]++;
      r->is_root[fold.views[i].root] = true;
    }
}

void views_fold(const ViewRequest *r, BlockId block) {
  Program *p = r->program;
  for (OpId o = block_at(p, block)->first; o; o = op_at(p, o)->next)
    if (kernel_reads_views(op_at(p, o)->code) && !r->fused[o]) try_fold(r, block, o);
  for (OpId o = block_at(p, block)->last; o; o = op_at(p, o)->prev) {
    if (r->fused[o] || op_at(p, o)->n_results != 1 || op_at(p, o)->n_operands != 1) continue;
    ValueId v = op_result(p, o, 0);
    if (r->is_root[v] || !r->n_read_inside[v] || r->n_read_inside[v] != value_count_uses(p, v))
      continue;
    r->dropped[o] = true;
    r->n_read_inside[op_operand(p, o, 0)]++;
  }
}
