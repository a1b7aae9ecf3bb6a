// A program that somebody else propagated: what has no sharding at its edges stays whole, and sdy's collectives are the same
// value with another sharding.
// RUN: tessera partition %s --verify --stats > %t 2> %t.err
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=WORDS < %t.err
// RUN: tessera partition %s --replica-count=4 --partition-count=1 | FileCheck %s --check-prefix=REPLICA
// RUN: not tessera partition %s --replica-count=2 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not tessera partition %s --replica-count=4 --partition-count=4 2>&1 | FileCheck %s --check-prefix=BOTH
sdy.mesh @m = <["x"=2, "y"=2]>

// CHECK: func.func @main(%arg0: tensor<4x8xf32> {jax.arg_info = "{{.*}}"}, %arg1: tensor<4x4xf32> {jax.arg_info = "{{.*}}", tessera.global = tensor<8x4xf32>
// CHECK-SAME: -> tensor<4x4xf32>
// WORDS: 4 devices, 1 collective
// WORDS: verified on 4 devices
// REPLICA: func.func @main
// REPLICA-NOT: {{partition_id|channel_handle|use_global_device_ids}}
// TWO: error: there are 4 devices: --replica-count and --partition-count take 1 or that number
// BOTH: error: --replica-count and --partition-count cannot both be above 1
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = sdy.all_slice [{}, {"x"}] %a out_sharding=<@m, [{}, {"x"}]> : tensor<4x8xf32>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = sdy.all_reduce {"x"} %1 out_sharding=<@m, [{}, {}]> : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
