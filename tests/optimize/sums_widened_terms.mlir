// reduce_scatters that add in a wider type than they are given stay two: in the narrow one their sum may overflow.
// RUN: tessera optimize %s --devices 2 | FileCheck %s
// CHECK-COUNT-2: "stablehlo.reduce_scatter"(%arg{{.}})
func.func @main(%a: tensor<4xi8>, %b: tensor<4xi8>, %x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.reduce_scatter"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi8>) -> tensor<2xi32>
  %1 = stablehlo.add %x, %0 : tensor<2xi32>
  %2 = stablehlo.add %1, %y : tensor<2xi32>
  %3 = "stablehlo.reduce_scatter"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi8>) -> tensor<2xi32>
  %4 = stablehlo.add %2, %3 : tensor<2xi32>
  return %4 : tensor<2xi32>
}
