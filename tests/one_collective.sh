#!/bin/bash
# A new kind of collective takes at most 4 files: in a scratch copy of the tree, collective_mirror is added (member k of a group of n receives the operand
# of member n - 1 - k): two table rows and the op's own file. It is read, printed, evaluated, counted, priced, explained and folded.
set -eu
cd "$(dirname "$0")/.."
scratch=$PWD/build/one_collective
rm -rf "$scratch"
mkdir -p "$scratch/build/release"
cp -a Makefile tessera.pc.in src include "$scratch/"
# Objects come along with their times, so that only what reads the tables is compiled again.
cp -a build/release/obj "$scratch/build/release/" 2>/dev/null || true

sed -i '/^OP(collective_broadcast,/i OP(collective_mirror, "stablehlo.collective_mirror", 1, 1, 0, TRAIT_COLLECTIVE | TRAIT_MOVES, NULL, ATTRS(REQ(GROUPS, replica_groups) ATTRS_CHANNEL))' "$scratch/src/ops/ops.def"
echo 'COLLECTIVE(collective_mirror, held, SEND, PARTITION, ALL, SHARDED, SHARDED, collective_mirror)' >>"$scratch/src/cost/collectives.def"
cat >"$scratch/src/ops/collective_mirror.c" <<'C'
// collective_mirror: member k of a group of n receives the operand of member n - 1 - k.
#include "ops/factors.h"
#include "ops/groups.h"

static bool infer_collective_mirror(Infer *cx) {
  cx->out[0] = infer_operand(cx, 0);
  return true;
}

static Status *eval_collective_mirror(EvalContext *cx, Literal *const *in, Literal **out) {
  Rendezvous x;
  TRY(groups_meet(cx, false, in, &x));
  out[0] = literal_retain(x.parts[x.n_group - 1 - x.self]);
  cx->host->leave(cx, &x);
  return NULL;
}

const OpDef op_collective_mirror = {
    .infer = infer_collective_mirror, .eval = eval_collective_mirror, .factors = factors_pointwise};
C
env -u MAKEFLAGS -u MAKELEVEL make -s -C "$scratch" build/tessera build/release/tests/src/cost/collectives_test >"$scratch/make.log" 2>&1 ||
  { tail -n 20 "$scratch/make.log"; exit 1; }

cat >"$scratch/mirror.mlir" <<'MLIR'
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %0:2 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>, <@m, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = "stablehlo.collective_mirror"(%b) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.constant dense<1.0> : tensor<4x8xf32>
    %3 = "stablehlo.collective_mirror"(%2) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %1, %3 : tensor<4x8xf32>, tensor<4x8xf32>
  } : (tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>)
  return %0#0, %0#1 : tensor<16x8xf32>, tensor<16x8xf32>
}
MLIR
"$scratch/build/tessera" partition "$scratch/mirror.mlir" --stats --why --verify >"$scratch/local.mlir" 2>"$scratch/said"
expect() {
  grep -qE -- "$1" "$2" || { echo "not found: $1"; cat "$2"; exit 1; }
}
expect '"stablehlo.collective_mirror"\(%arg0\)' "$scratch/local.mlir"                             # printed; of a constant, folded
[ "$(grep -c collective_mirror "$scratch/local.mlir")" = 1 ]
expect '1 collective_mirror +1 group of 4 +128 bytes  over x' "$scratch/said"                       # counted
expect 'r1  collective_mirror over "x", 128 bytes sent per device: the input has' "$scratch/said"  # explained
expect 'verified on 4 devices: 2 results agree' "$scratch/said"
"$scratch/build/release/tests/src/cost/collectives_test" >"$scratch/prices" 2>&1                    # every row's price is checked
expect 'stablehlo.collective_mirror +of 1000 bytes in a group of 8: +1000 bytes' "$scratch/prices"

files=$(diff -rq src "$scratch/src" || true)
echo "$files" | sed "s|$scratch/||"
count=$(wc -l <<<"$files")
[ "$count" -le 4 ]
echo "one collective: $count files changed"
