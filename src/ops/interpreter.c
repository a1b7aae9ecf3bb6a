// The interpreter dialect: programs on a grid of processes; probes and prints of values.
#include "ops/eval.h"
#include "ops/infer.h"

static bool infer_run_parallel(Infer *cx) {
  const AttrInfo *rows = attr_info(cx->context, infer_attr(cx, "programs"));
  REQUIRE(cx, 0, rows->kind == ATTR_ARRAY && rows->count > 0,
          "has no programs, expected a list of lists of symbols");
  uint32_t width = attr_info(cx->context, rows->items[0])->count;
  for (uint32_t i = 0; i < rows->count; i++) {
    const AttrInfo *row = attr_info(cx->context, rows->items[i]);
    REQUIRE(
        cx, 0, row->kind == ATTR_ARRAY && row->count == width && width > 0,
        "row %u of programs has %u entries, expected %u: a row per replica, a column per partition",
        i, row->count, width);
    for (uint32_t k = 0; k < row->count; k++)
      REQUIRE(cx, 0, attr_info(cx->context, row->items[k])->kind == ATTR_SYMBOL,
              "programs must be symbols like @name");
  }
  return infer_declared(cx);
}

static Status *eval_run_parallel(EvalContext *cx, Literal *const *in, Literal **out) {
  const AttrInfo *rows = attr_info(cx->context, eval_attr(cx, "programs"));
  uint32_t replicas = rows->count, partitions = attr_info(cx->context, rows->items[0])->count;
  Name *programs = ARENA_ARRAY(cx->scratch, Name, (size_t)replicas * partitions);
  for (uint32_t r = 0; r < replicas; r++)
    for (uint32_t p = 0; p < partitions; p++)
      programs[r * partitions + p] =
          attr_as_name(cx->context, attr_info(cx->context, rows->items[r])->items[p]);
  const AttrInfo *feeds = attr_info(cx->context, eval_attr(cx, "infeed"));
  uint32_t n_feeds = feeds->kind == ATTR_ARRAY ? feeds->count : 0;
  Name *infeed = ARENA_ARRAY(cx->scratch, Name, n_feeds + 1);
  for (uint32_t i = 0; i < n_feeds; i++) infeed[i] = attr_as_name(cx->context, feeds->items[i]);
  return cx->host->run_parallel(cx, replicas, partitions, programs, n_feeds, infeed, cx->n_in, in,
                                cx->n_out, out);
}

static bool infer_probe(Infer *cx) {
  cx->out[0] = infer_operand(cx, 0);
  return true;
}

static Status *eval_probe(EvalContext *cx, Literal *const *in, Literal **out) {
  TRY(cx->host->probe(
      cx, name_str(cx->context, attr_as_name(cx->context, eval_attr(cx, "probe_id"))), in[0]));
  out[0] = literal_retain(in[0]);
  return NULL;
}

static bool infer_print(Infer *cx) {
  (void)cx;
  return true;
}

static Status *eval_print(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)out;
  return cx->host->print(cx, in[0]);
}

const OpDef op_interpreter_run_parallel = {.infer = infer_run_parallel, .eval = eval_run_parallel};
const OpDef op_interpreter_probe = {.infer = infer_probe, .eval = eval_probe};
const OpDef op_interpreter_print = {.infer = infer_print, .eval = eval_print};
