// send and recv: values from one process to another through a channel. Transfers to and from the
// host have no peer: in the interpreter the other end is a process with the matching op on the same
// channel.
#include "ops/groups.h"

// Values of #stablehlo.channel_handle<type = …>.
enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };

static bool is_token(const Infer *cx, Type type) {
  return type_info(cx->context, type)->kind == TYPE_TOKEN;
}

static bool is_tensor(const Infer *cx, Type type) {
  TypeKind kind = type_info(cx->context, type)->kind;
  return kind == TYPE_TENSOR || kind == TYPE_UNRANKED;
}

static bool check_pairs(Infer *cx) {
  return !infer_attr(cx, "source_target_pairs") || groups_check_pairs(cx, 1, 2, 3, 4);
}

static bool check_channel(Infer *cx, int constraint, int64_t host_type) {
  Attr handle = infer_attr(cx, "channel_handle");
  int64_t type = attr_as_int(cx->context, attr_get(cx->context, handle, "type"), 0);
  bool host = attr_as_bool(cx->context, infer_attr(cx, "is_host_transfer"), false);
  int64_t want = host ? host_type : DEVICE_TO_DEVICE;
  static const char *const names[] = {[DEVICE_TO_DEVICE] = "DEVICE_TO_DEVICE",
                                      [DEVICE_TO_HOST] = "DEVICE_TO_HOST",
                                      [HOST_TO_DEVICE] = "HOST_TO_DEVICE"};
  REQUIRE(cx, constraint, type == want,
          "channel_handle has type %lld, expected %lld (%s) because is_host_transfer is %s",
          (long long)type, (long long)want, names[want], host ? "true" : "false");
  return true;
}

static bool infer_send(Infer *cx) {
  uint32_t n = infer_n_operands(cx);
  REQUIRE(cx, 0, n > 0 && is_token(cx, infer_operand(cx, n - 1)),
          "the last operand is %s, expected !stablehlo.token",
          n > 0 ? infer_text(cx, infer_operand(cx, n - 1)) : "missing");
  for (uint32_t i = 0; i + 1 < n; i++)
    REQUIRE(cx, 0, is_tensor(cx, infer_operand(cx, i)), "operand %u is %s, expected a tensor", i,
            infer_text(cx, infer_operand(cx, i)));
  if (!check_pairs(cx) || !check_channel(cx, 5, DEVICE_TO_HOST)) return false;
  cx->out[0] = type_token(cx->context);
  return true;
}

static bool infer_recv(Infer *cx) {
  uint32_t n = infer_n_results(cx);
  REQUIRE(cx, 0, is_token(cx, infer_operand(cx, 0)), "operand is %s, expected !stablehlo.token",
          infer_text(cx, infer_operand(cx, 0)));
  if (!check_pairs(cx) || !check_channel(cx, 5, HOST_TO_DEVICE)) return false;
  REQUIRE(cx, 6, n > 0, "has no results, expected at least a token");
  if (!infer_declared(cx)) return false;
  for (uint32_t i = 0; i + 1 < n; i++)
    REQUIRE(cx, 7, is_tensor(cx, cx->out[i]), "result %u is %s, expected a tensor", i,
            infer_text(cx, cx->out[i]));
  REQUIRE(cx, 8, is_token(cx, cx->out[n - 1]), "the last result is %s, expected !stablehlo.token",
          infer_text(cx, cx->out[n - 1]));
  return true;
}

// The peer's flattened id: column 1 of the pair whose column 0 is this process, or the reverse. Ids
// are partitions if the grid has several, else replicas. -1: no pairs, any peer; -2: this process
// is in no pair.
static int64_t find_peer(EvalContext *cx, bool sending) {
  Ints ids = eval_ints(cx, "source_target_pairs");
  if (!ids.ok || ids.n < 2 || eval_bool(cx, "is_host_transfer", false)) return -1;
  uint32_t replicas, partitions;
  ProcessId self;
  cx->host->grid(cx, &replicas, &partitions, &self);
  int64_t mine = partitions > 1 ? self.partition : self.replica;
  for (uint32_t i = 0; i + 1 < ids.n; i += 2) {
    if (ids.v[i + !sending] != mine) continue;
    int64_t other = ids.v[i + sending];
    return partitions > 1 ? (int64_t)self.replica * partitions + other : other * partitions;
  }
  return -2;
}

static Status *eval_send(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t peer = find_peer(cx, true);
  if (peer != -2)
    TRY(cx->host->send(cx, groups_channel(cx->context, cx->attrs), peer, cx->n_in - 1, in));
  out[0] = literal_retain(in[cx->n_in - 1]);
  return NULL;
}

static Status *eval_recv(EvalContext *cx, Literal *const *in, Literal **out) {
  int64_t peer = find_peer(cx, false);
  if (peer != -2) {
    TRY(cx->host->receive(cx, groups_channel(cx->context, cx->attrs), peer, cx->n_out - 1, out));
  } else {
    // No process sends to this one: zeros, as in collective_permute.
    for (uint32_t i = 0; i + 1 < cx->n_out; i++) {
      out[i] = eval_new_result(cx, i);
      groups_fill_zero(cx->context, out[i]);
    }
  }
  out[cx->n_out - 1] = literal_retain(in[0]);
  return NULL;
}

const OpDef op_send = {.infer = infer_send, .eval = eval_send, .constraints = 5};
const OpDef op_recv = {.infer = infer_recv, .eval = eval_recv, .constraints = 8};
