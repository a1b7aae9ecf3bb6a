// A roll along a cut dimension: the last device sends to the first and all others to the next: one permute.
// RUN: tessera optimize %s --devices 4 --passes=permutes,dead | FileCheck %s
// CHECK: %[[ROLLED:[0-9]+]] = "stablehlo.collective_permute"(%arg0) {{.*}}dense<{{\[\[}}3, 0], [0, 1], [1, 2], [2, 3]]>
// CHECK-NOT: select
// CHECK: return %[[ROLLED]]
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %zero = stablehlo.constant dense<0> : tensor<ui32>
    %first = stablehlo.compare EQ, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %0 = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[3, 0]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    %1 = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    %2 = stablehlo.select %first, %0, %1 : tensor<i1>, tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
