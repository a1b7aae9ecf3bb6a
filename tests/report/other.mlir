// RUN: tessera check %s
// A local program of another tool: no attributes of tessera. An argument has a name that would be markup.
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<2x8xf32>, %y: tensor<f32> {jax.arg_info = "</script><img>"}) -> tensor<2x8xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}
