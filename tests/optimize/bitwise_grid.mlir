// A reduce_scatter over device ids of several replicas and partitions stays: an all_to_all has no such ids.
// RUN: tessera optimize %s --devices 4 --collectives=bitwise | FileCheck %s
// RUN: tessera optimize %s --devices 4 --collectives=bitwise | tessera run --engine=eval --replicas=2 --partitions=2 | FileCheck %s --check-prefix=RUNS
// CHECK: "stablehlo.reduce_scatter"
// RUNS: tensor<1xi32>
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
func.func @main(%x: tensor<4xi32>) -> tensor<1xi32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.xor %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}
}
