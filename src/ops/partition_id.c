// partition_id and replica_id: a process's ids in the grid.
#include "ops/eval.h"
#include "ops/infer.h"
#include "ops/sample.h"

static bool infer_id(Infer *cx) {
  cx->out[0] = type_tensor(cx->context, DT_ui32, 0, NULL, 0);
  Type declared = infer_result(cx, 0);
  REQUIRE(cx, 0, !declared || declared == cx->out[0], "result is %s, expected tensor<ui32>",
          infer_text(cx, declared));
  return true;
}

static Status *eval_partition_id(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)in;
  uint32_t replicas, partitions;
  ProcessId self;
  cx->host->grid(cx, &replicas, &partitions, &self);
  out[0] = literal_scalar(cx->heap, DT_ui32, scalar_u(self.partition));
  return NULL;
}

static Status *eval_replica_id(EvalContext *cx, Literal *const *in, Literal **out) {
  (void)in;
  uint32_t replicas, partitions;
  ProcessId self;
  cx->host->grid(cx, &replicas, &partitions, &self);
  out[0] = literal_scalar(cx->heap, DT_ui32, scalar_u(self.replica));
  return NULL;
}

static OpId sample_partition_id(Sample *cx) {
  return sample_op(cx, OP_partition_id, 0, 0, NULL, 1, NULL, 0);
}

static OpId sample_replica_id(Sample *cx) {
  return sample_op(cx, OP_replica_id, 0, 0, NULL, 1, NULL, 0);
}

const OpDef op_partition_id = {
    .infer = infer_id, .eval = eval_partition_id, .sample = sample_partition_id};
const OpDef op_replica_id = {
    .infer = infer_id, .eval = eval_replica_id, .sample = sample_replica_id};
