// A matrix product over four processes, each with its quarter of the contracted dimension, summed by an
// all_reduce; every process ends up with the whole product.
//   tessera run --partitions=4 examples/grid.mlir
module @grid {
  func.func public @main(%x: tensor<2x8xf32>, %w: tensor<8x3xf32>) -> tensor<2x3xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %id = stablehlo.partition_id : tensor<ui32>
    %partition = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %at = stablehlo.multiply %partition, %two : tensor<i32>
    %my_x = stablehlo.dynamic_slice %x, %zero, %at, sizes = [2, 2] : (tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %my_w = stablehlo.dynamic_slice %w, %at, %zero, sizes = [2, 3] : (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %part = stablehlo.dot_general %my_x, %my_w, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %sum = "stablehlo.all_reduce"(%part) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %sum : tensor<2x3xf32>
  }
}
