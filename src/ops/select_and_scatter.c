// stablehlo.select_and_scatter: `select` selects one element of every window of the operand, and
// `scatter` combines the window's source element into the result there. Windows are in row-major
// order; padding is never selected. O(windows * taps) applications of `select`.
#include "ops/eval.h"
#include "ops/factors.h"
#include "ops/infer.h"
#include "ops/reduction.h"
#include "ops/sample.h"
#include "ops/select_and_scatter_local.h"
#include "ops/windows.h"
#include "ops/work.h"

static bool infer(Infer *cx) {
  if (!infer_ranked(cx) || !infer_per_tensor(cx)) return false;
  const TypeInfo *operand = infer_operand_info(cx, 0), *source = infer_operand_info(cx, 1),
                 *init = infer_operand_info(cx, 2);
  Type elem = operand->elem, scattered;
  uint32_t rank = operand->rank;
  REQUIRE(cx, 1, source->elem == elem, "source has element type %s, expected the operand's %s",
          infer_text(cx, source->elem), infer_text(cx, elem));
  REQUIRE(cx, 3, init->elem == elem, "init_value has element type %s, expected the operand's %s",
          infer_text(cx, init->elem), infer_text(cx, elem));
  REQUIRE(cx, 0, init->rank == 0, "init_value has type %s, expected rank 0",
          infer_text(cx, infer_operand(cx, 2)));
  if (!windows_check(cx, "window_dimensions", rank, false, 4, 5) ||
      !windows_check(cx, "window_strides", rank, false, 6, 7) ||
      !windows_check_padding(cx, rank, 8))
    return false;
  WindowDim windows[MAX_RANK];
  int64_t counts[MAX_RANK];
  windows_read(cx->context, op_at(cx->program, cx->op)->attrs, rank, windows);
  for (uint32_t d = 0; d < rank; d++) {
    counts[d] = window_count(&windows[d], operand->dims[d]);
    REQUIRE(cx, 2, counts[d] != -1, "the padded size of dimension %u exceeds 64 bits", d);
  }
  REQUIRE(cx, 2,
          infer_shapes_compatible(cx, infer_operand(cx, 1),
                                  type_tensor(cx->context, elem, rank, counts, 0)),
          "source has shape %s, expected %s, one element per window",
          infer_dims_text(cx, source->rank, source->dims), infer_dims_text(cx, rank, counts));
  Type scalar = type_tensor(cx->context, elem, 0, NULL, 0);
  REQUIRE(cx, 9, infer_region_n_args(cx, 0) == 2 && infer_region_n_returned(cx, 0) == 1,
          "select takes %u arguments and returns %u values, expected 2 and 1",
          infer_region_n_args(cx, 0), infer_region_n_returned(cx, 0));
  for (uint32_t i = 0; i < 2; i++)
    REQUIRE(cx, 9, infer_region_arg(cx, 0, i) == scalar,
            "argument %u of select has type %s, expected %s", i,
            infer_text(cx, infer_region_arg(cx, 0, i)), infer_text(cx, scalar));
  REQUIRE(cx, 9, infer_region_returned(cx, 0, 0) == type_tensor(cx->context, DT_i1, 0, NULL, 0),
          "select returns %s, expected tensor<i1>",
          infer_text(cx, infer_region_returned(cx, 0, 0)));
  if (!reduction_check_body(cx, 1, 1, &elem, 10, &scattered)) return false;
  Type declared = infer_result(cx, 0);
  if (declared) {
    const TypeInfo *r = type_info(cx->context, declared);
    REQUIRE(cx, 11, infer_shapes_compatible(cx, declared, infer_operand(cx, 0)),
            "the result has shape %s, expected the operand's %s",
            infer_dims_text(cx, r->rank, r->dims), infer_dims_text(cx, rank, operand->dims));
    REQUIRE(cx, 12, r->elem == scattered,
            "the result has element type %s, expected that of scatter, %s", infer_text(cx, r->elem),
            infer_text(cx, scattered));
  }
  cx->out[0] = type_with_elem(cx->context, infer_operand(cx, 0), scattered);
  return true;
}

static Status *eval(EvalContext *cx, Literal *const *in, Literal **out) {
  const Literal *operand = in[0];
  uint32_t rank = operand->rank;
  WindowDim windows[MAX_RANK];
  int64_t taps[MAX_RANK], strides[MAX_RANK], index[MAX_RANK] = {0};
  windows_read(cx->context, cx->attrs, rank, windows);
  for (uint32_t d = 0; d < rank; d++) taps[d] = windows[d].size;
  shape_strides(rank, operand->dims, strides);
  Type elem;
  reduction_elems(cx, 1, 1, &elem);
  Literal *result = out[0] = literal_like(operand, cx->context, elem);
  Literal *source = reduction_promote(cx, in[1], elem), *start = reduction_promote(cx, in[2], elem);
  Scalar init = literal_get(start, 0);
  literal_release(start);
  for (int64_t k = 0; k < result->count; k++) literal_set(result, k, init);
  Reducer select, scatter;
  reducer_init(&select, cx, op_region(cx->program, cx->op, 0), 1);
  reducer_init(&scatter, cx, op_region(cx->program, cx->op, 1), 1);
  Type both[2] = {operand->elem, operand->elem};
  for (int64_t k = 0; k < source->count; k++) {
    int64_t tap[MAX_RANK] = {0}, selected = -1;
    Scalar pair[2];  // the selected element so far, the current one
    do {
      int64_t at = 0;
      for (uint32_t d = 0; d < rank && at >= 0; d++) {
        int64_t x = window_tap(&windows[d], operand->dims[d], index[d], tap[d]);
        at = x < 0 ? -1 : at + x * strides[d];
      }
      if (at < 0) continue;  // padding
      bool keep = false;
      pair[1] = literal_get(operand, at);
      if (selected >= 0) TRY(reducer_test(&select, 2, both, pair, &keep));
      if (keep) continue;
      selected = at;
      pair[0] = pair[1];
    } while (shape_next(rank, taps, tap));
    if (selected >= 0) {
      Scalar acc = literal_get(result, selected);
      Scalar value = literal_get(source, k);
      TRY(reducer_apply(&scatter, &elem, &acc, &value));
      literal_set(result, selected, acc);
    }
    shape_next(rank, source->dims, index);
  }
  literal_release(source);
  return NULL;
}

// The body of `select`: argument 0 >= argument 1.
static void sample_select(Sample *cx, OpId op, Type elem) {
  Program *p = cx->program;
  Type scalar = type_tensor(cx->context, elem, 0, NULL, 0);
  BlockId outer = cx->block, body = region_add_block(p, op_region(p, op, 0));
  block_add_arg(p, body, scalar, 0);
  block_add_arg(p, body, scalar, 0);
  ValueId args[2] = {block_arg(p, body, 0), block_arg(p, body, 1)};
  NamedAttr direction = {name_of(cx->context, "comparison_direction"),
                         attr_enum(cx->context, "stablehlo.comparison_direction", "GE")};
  cx->block = body;
  OpId compare =
      sample_op(cx, OP_compare, attr_dict(cx->context, 1, &direction), 2, args, 1, NULL, 0);
  ValueId chosen = op_result(p, compare, 0);
  sample_op(cx, OP_return, 0, 1, &chosen, 0, NULL, 0);
  cx->block = outer;
}

static OpId sample(Sample *cx) {
  Context *c = cx->context;
  int64_t dims[2], counts[2], size[2], stride[2], pad[4];
  uint32_t rank = (uint32_t)sample_int(cx, 1, 2);
  for (uint32_t d = 0; d < rank; d++) {
    WindowDim w = {.base_dilation = 1, .window_dilation = 1};
    dims[d] = sample_int(cx, 1, 5);
    int64_t windows = sample_chance(cx, 70);  // else a window of size 1
    w.size = size[d] = 1 + windows * sample_int(cx, 0, 2);
    w.stride = stride[d] = 1 + windows * sample_int(cx, 0, 2);
    w.pad_low = pad[2 * d] = windows * sample_int(cx, 0, 1);
    w.pad_high = pad[2 * d + 1] = windows * sample_int(cx, 0, 1);
    counts[d] = window_count(&w, dims[d]);
  }
  Type elem = type_scalar(sample_dtype(cx, "suf"));
  ValueId operands[3] = {sample_value(cx, type_tensor(c, elem, rank, dims, 0)),
                         sample_value(cx, type_tensor(c, elem, rank, counts, 0)),
                         sample_value(cx, type_tensor(c, elem, 0, NULL, 0))};
  NamedAttr fields[] = {
      {name_of(c, "window_dimensions"), attr_i64s(c, rank, size)},
      {name_of(c, "window_strides"), attr_i64s(c, rank, stride)},
      {name_of(c, "padding"), attr_dense(c, type_tensor(c, DT_i64, 2, (int64_t[]){rank, 2}, 0), pad,
                                         sizeof(int64_t) * 2 * rank)}};
  OpId op = sample_op(cx, OP_select_and_scatter, attr_dict(c, 3, fields), 3, operands, 1, NULL, 2);
  sample_select(cx, op, elem);
  sample_binary_body(cx, op, 1, elem, OP_add);
  sample_infer(cx, op);
  return op;
}

static bool factors(FactorContext *cx) {
  WindowDim windows[MAX_RANK];
  uint32_t result = factors_result(cx, 0), rank = factors_rank(cx, 0);
  windows_read(cx->context, op_at(cx->program, cx->op)->attrs, rank, windows);
  for (uint32_t d = 0; d < rank; d++) {
    if (window_is_plain(&windows[d])) {
      factors_on_all(cx, factors_dim(cx, 0, d), FACTOR_PASS, d);
      continue;
    }
    uint8_t block = cx->options.conservative ? FACTOR_BLOCK : 0;
    if (cx->options.own) {  // windows are split with the elements that they read
      factors_on_all(cx, factors_dim(cx, 0, d), FACTOR_PERMUTE | block, d);
      continue;
    }
    factors_on(cx, factors_dim(cx, 1, d), FACTOR_REPLICATE | block, 1, d);
    uint32_t factor = factors_on(cx, factors_dim(cx, 0, d), FACTOR_PERMUTE | block, 0, d);
    factors_also(cx, factor, result, d);
  }
  return true;
}

const OpDef op_select_and_scatter = {
    .infer = infer,
    .eval = eval,
    .sample = sample,
    .constraints = 12,
    .factors = factors,
    .splits = select_and_scatter_splits,
    .localize = select_and_scatter_localize,
    .work = work_windows,
};
