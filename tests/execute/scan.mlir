Counted loops with small bodies run as one kernel, with the evaluator's results: slices forward and backward, carries that several passes
read, reversed, of one element, of three; counters that step down; no iteration. Also without compiled code.
// RUN: split-file %s %t
// RUN: bash -c 'for f in reverse passes carries backward scalar counter zero three half; do %out/tessera run --engine=eval %t/$f.mlir > %t/$f.eval && for p in "" TESSERA_PROVIDERS=none; do env $p %out/tessera run --engine=compiled --repeat=3 --stats %t/$f.mlir 2>%t/$f.stats | cmp - %t/$f.eval || exit 1; grep -q " scan$" %t/$f.stats || exit 1; done; done'

//--- reverse.mlir
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<50x16xf32>) -> (tensor<16xf32> {jax.result_info = "result[0]"}, tensor<50x16xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<50x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %c, %iterArg_1 = %arg0, %iterArg_2 = %0) : tensor<50x16xf32>, tensor<i32>, tensor<16xf32>, tensor<50x16xf32>
    cond {
      %c_3 = stablehlo.constant dense<50> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<50> : tensor<i32>
      %2 = stablehlo.subtract %c_3, %iterArg_0 : tensor<i32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %2, %c_4 : tensor<i32>
      %4 = func.call @dynamic_index_in_dim(%iterArg, %3) : (tensor<50x16xf32>, tensor<i32>) -> tensor<16xf32>
      %5:2 = func.call @closed_call(%iterArg_1, %4) : (tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_2, %5#1, %3) : (tensor<50x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<50x16xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %iterArg_0, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %7, %5#0, %6 : tensor<50x16xf32>, tensor<i32>, tensor<16xf32>, tensor<50x16xf32>
    }
    return %1#2, %1#3 : tensor<16xf32>, tensor<50x16xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<50x16xf32>, %arg1: tensor<i32>) -> tensor<16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 16] : (tensor<50x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16xf32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  func.func private @closed_call(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<16xf32>
    %2 = stablehlo.add %1, %arg1 : tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.multiply %4, %arg1 : tensor<16xf32>
    return %2, %5 : tensor<16xf32>, tensor<16xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<50x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<i32>) -> tensor<50x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<50x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<50x16xf32>
    return %1 : tensor<50x16xf32>
  }
}

//--- passes.mlir
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<50x16xf32>) -> (tensor<16xf32> {jax.result_info = "result[0]"}, tensor<50x16xf32> {jax.result_info = "result[1][0]"}, tensor<50xf32> {jax.result_info = "result[1][1]"}, tensor<50x16xf32> {jax.result_info = "result[1][2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<50x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<50xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<50x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3:6 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c, %iterArg_3 = %arg0, %iterArg_4 = %0, %iterArg_5 = %1, %iterArg_6 = %2) : tensor<50x16xf32>, tensor<i32>, tensor<16xf32>, tensor<50x16xf32>, tensor<50xf32>, tensor<50x16xf32>
    cond {
      %c_7 = stablehlo.constant dense<50> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_2, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_2) : (tensor<50x16xf32>, tensor<i32>) -> tensor<16xf32>
      %5:4 = func.call @closed_call(%iterArg_3, %4) : (tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<f32>, tensor<16xf32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_4, %5#1, %iterArg_2) : (tensor<50x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<50x16xf32>
      %7 = func.call @dynamic_update_index_in_dim_0(%iterArg_5, %5#2, %iterArg_2) : (tensor<50xf32>, tensor<f32>, tensor<i32>) -> tensor<50xf32>
      %8 = func.call @dynamic_update_index_in_dim(%iterArg_6, %5#3, %iterArg_2) : (tensor<50x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<50x16xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg_2, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %9, %5#0, %6, %7, %8 : tensor<50x16xf32>, tensor<i32>, tensor<16xf32>, tensor<50x16xf32>, tensor<50xf32>, tensor<50x16xf32>
    }
    return %3#2, %3#3, %3#4, %3#5 : tensor<16xf32>, tensor<50x16xf32>, tensor<50xf32>, tensor<50x16xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<50x16xf32>, %arg1: tensor<i32>) -> tensor<16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 16] : (tensor<50x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16xf32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  func.func private @closed_call(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<f32>, tensor<16xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<16xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %2 = stablehlo.add %1, %cst_0 : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.divide %0, %3 : tensor<16xf32>
    %5 = stablehlo.slice %arg0 [3:4] : (tensor<16xf32>) -> tensor<1xf32>
    %6 = stablehlo.reshape %5 : (tensor<1xf32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %7 = stablehlo.reduce(%arg1 init: %cst_1) applies stablehlo.minimum across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %9 = stablehlo.multiply %8, %arg0 : tensor<16xf32>
    return %4, %arg0, %6, %9 : tensor<16xf32>, tensor<16xf32>, tensor<f32>, tensor<16xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<50x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<i32>) -> tensor<50x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<50x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<50x16xf32>
    return %1 : tensor<50x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<50xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<50xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<50xf32>, tensor<1xf32>, tensor<i32>) -> tensor<50xf32>
    return %1 : tensor<50xf32>
  }
}

//--- carries.mlir
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<50x16xf32>) -> (tensor<16xf32> {jax.result_info = "result[0][0]"}, tensor<16xf32> {jax.result_info = "result[0][1]"}, tensor<50x16xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<50x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3:5 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %c, %iterArg_2 = %arg0, %iterArg_3 = %1, %iterArg_4 = %2) : tensor<50x16xf32>, tensor<i32>, tensor<16xf32>, tensor<16xf32>, tensor<50x16xf32>
    cond {
      %c_5 = stablehlo.constant dense<50> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_1, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_1) : (tensor<50x16xf32>, tensor<i32>) -> tensor<16xf32>
      %5:3 = func.call @closed_call(%iterArg_2, %iterArg_3, %4) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_4, %5#2, %iterArg_1) : (tensor<50x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<50x16xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %iterArg_1, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %7, %5#0, %5#1, %6 : tensor<50x16xf32>, tensor<i32>, tensor<16xf32>, tensor<16xf32>, tensor<50x16xf32>
    }
    return %3#2, %3#3, %3#4 : tensor<16xf32>, tensor<16xf32>, tensor<50x16xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<50x16xf32>, %arg1: tensor<i32>) -> tensor<16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 16] : (tensor<50x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16xf32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  func.func private @closed_call(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
    %0 = stablehlo.multiply %arg1, %arg2 : tensor<16xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<16xf32>
    %2 = stablehlo.subtract %arg0, %arg1 : tensor<16xf32>
    return %1, %2, %arg0 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<50x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<i32>) -> tensor<50x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<50x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<50x16xf32>
    return %1 : tensor<50x16xf32>
  }
}

//--- backward.mlir
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<50x16xf32>) -> (tensor<16xf32> {jax.result_info = "result[0]"}, tensor<50xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<50xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %c, %iterArg_1 = %arg0, %iterArg_2 = %0) : tensor<50x16xf32>, tensor<i32>, tensor<16xf32>, tensor<50xf32>
    cond {
      %c_3 = stablehlo.constant dense<50> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_0) : (tensor<50x16xf32>, tensor<i32>) -> tensor<16xf32>
      %3:2 = func.call @closed_call(%iterArg_1, %2) : (tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<f32>)
      %4 = func.call @dynamic_update_index_in_dim(%iterArg_2, %3#1, %iterArg_0) : (tensor<50xf32>, tensor<f32>, tensor<i32>) -> tensor<50xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_0, %c_3 : tensor<i32>
      stablehlo.return %iterArg, %5, %3#0, %4 : tensor<50x16xf32>, tensor<i32>, tensor<16xf32>, tensor<50xf32>
    }
    return %1#2, %1#3 : tensor<16xf32>, tensor<50xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<50x16xf32>, %arg1: tensor<i32>) -> tensor<16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 16] : (tensor<50x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16xf32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  func.func private @closed_call(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>) -> (tensor<16xf32>, tensor<f32>) {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<16xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<16xf32>
    %3 = stablehlo.add %2, %arg1 : tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    return %3, %4 : tensor<16xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<50xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<50xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<50xf32>, tensor<1xf32>, tensor<i32>) -> tensor<50xf32>
    return %1 : tensor<50xf32>
  }
}

//--- scalar.mlir
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<50xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<50xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<50xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %c, %iterArg_1 = %arg0, %iterArg_2 = %0) : tensor<50xf32>, tensor<i32>, tensor<f32>, tensor<50xf32>
    cond {
      %c_3 = stablehlo.constant dense<50> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_0) : (tensor<50xf32>, tensor<i32>) -> tensor<f32>
      %3:2 = func.call @closed_call(%iterArg_1, %2) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
      %4 = func.call @dynamic_update_index_in_dim(%iterArg_2, %3#1, %iterArg_0) : (tensor<50xf32>, tensor<f32>, tensor<i32>) -> tensor<50xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_0, %c_3 : tensor<i32>
      stablehlo.return %iterArg, %5, %3#0, %4 : tensor<50xf32>, tensor<i32>, tensor<f32>, tensor<50xf32>
    }
    return %1#2, %1#3 : tensor<f32>, tensor<50xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<50xf32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<50xf32>, tensor<i32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %cst : tensor<f32>
    %1 = stablehlo.add %0, %arg1 : tensor<f32>
    %2 = stablehlo.sign %arg0 : tensor<f32>
    return %1, %2 : tensor<f32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<50xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<50xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<50xf32>, tensor<1xf32>, tensor<i32>) -> tensor<50xf32>
    return %1 : tensor<50xf32>
  }
}

//--- counter.mlir
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<16xf32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<31> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c) : tensor<16xf32>, tensor<i32>
    cond {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.compare GE, %iterArg_0, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = stablehlo.multiply %iterArg, %1 : tensor<16xf32>
      %3 = stablehlo.convert %iterArg_0 : (tensor<i32>) -> tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %5 = stablehlo.add %2, %4 : tensor<16xf32>
      %c_1 = stablehlo.constant dense<2> : tensor<i32>
      %6 = stablehlo.subtract %iterArg_0, %c_1 : tensor<i32>
      stablehlo.return %5, %6 : tensor<16xf32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<16xf32>, tensor<i32>
  }
}

//--- zero.mlir
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<16xf32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c) : tensor<16xf32>, tensor<i32>
    cond {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.compare GE, %iterArg_0, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = stablehlo.multiply %iterArg, %1 : tensor<16xf32>
      %3 = stablehlo.convert %iterArg_0 : (tensor<i32>) -> tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %5 = stablehlo.add %2, %4 : tensor<16xf32>
      %c_1 = stablehlo.constant dense<2> : tensor<i32>
      %6 = stablehlo.subtract %iterArg_0, %c_1 : tensor<i32>
      stablehlo.return %5, %6 : tensor<16xf32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<16xf32>, tensor<i32>
  }
}

//--- three.mlir
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xi32>, %arg1: tensor<50x3xi32>) -> (tensor<3xi32> {jax.result_info = "result[0]"}, tensor<50xi32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<50xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %c_0, %iterArg_2 = %arg0, %iterArg_3 = %0) : tensor<50x3xi32>, tensor<i32>, tensor<3xi32>, tensor<50xi32>
    cond {
      %c_4 = stablehlo.constant dense<50> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_1) : (tensor<50x3xi32>, tensor<i32>) -> tensor<3xi32>
      %3:2 = func.call @closed_call(%iterArg_2, %2) : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<i32>)
      %4 = func.call @dynamic_update_index_in_dim(%iterArg_3, %3#1, %iterArg_1) : (tensor<50xi32>, tensor<i32>, tensor<i32>) -> tensor<50xi32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_1, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %5, %3#0, %4 : tensor<50x3xi32>, tensor<i32>, tensor<3xi32>, tensor<50xi32>
    }
    return %1#2, %1#3 : tensor<3xi32>, tensor<50xi32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<50x3xi32>, %arg1: tensor<i32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<50x3xi32>, tensor<i32>, tensor<i32>) -> tensor<1x3xi32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xi32>) -> tensor<3xi32>
    return %1 : tensor<3xi32>
  }
  func.func private @closed_call(%arg0: tensor<3xi32>, %arg1: tensor<3xi32>) -> (tensor<3xi32>, tensor<i32>) {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<3xi32>
    %2 = stablehlo.add %1, %arg1 : tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    return %2, %3 : tensor<3xi32>, tensor<i32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<50xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<50xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<50xi32>, tensor<1xi32>, tensor<i32>) -> tensor<50xi32>
    return %1 : tensor<50xi32>
  }
}

//--- half.mlir
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xbf16>, %arg1: tensor<50x16xbf16>) -> (tensor<16xbf16> {jax.result_info = "result[0]"}, tensor<50xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<50xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %c, %iterArg_1 = %arg0, %iterArg_2 = %0) : tensor<50x16xbf16>, tensor<i32>, tensor<16xbf16>, tensor<50xbf16>
    cond {
      %c_3 = stablehlo.constant dense<50> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_0) : (tensor<50x16xbf16>, tensor<i32>) -> tensor<16xbf16>
      %3:2 = func.call @closed_call(%iterArg_1, %2) : (tensor<16xbf16>, tensor<16xbf16>) -> (tensor<16xbf16>, tensor<bf16>)
      %4 = func.call @dynamic_update_index_in_dim(%iterArg_2, %3#1, %iterArg_0) : (tensor<50xbf16>, tensor<bf16>, tensor<i32>) -> tensor<50xbf16>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_0, %c_3 : tensor<i32>
      stablehlo.return %iterArg, %5, %3#0, %4 : tensor<50x16xbf16>, tensor<i32>, tensor<16xbf16>, tensor<50xbf16>
    }
    return %1#2, %1#3 : tensor<16xbf16>, tensor<50xbf16>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<50x16xbf16>, %arg1: tensor<i32>) -> tensor<16xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 16] : (tensor<50x16xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x16xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x16xbf16>) -> tensor<16xbf16>
    return %1 : tensor<16xbf16>
  }
  func.func private @closed_call(%arg0: tensor<16xbf16>, %arg1: tensor<16xbf16>) -> (tensor<16xbf16>, tensor<bf16>) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<16xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<16xbf16>
    %2 = stablehlo.add %0, %1 : tensor<16xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %3 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<16xbf16>, tensor<bf16>) -> tensor<bf16>
    return %2, %3 : tensor<16xbf16>, tensor<bf16>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<50xbf16>, %arg1: tensor<bf16>, %arg2: tensor<i32>) -> tensor<50xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<bf16>) -> tensor<1xbf16>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<50xbf16>, tensor<1xbf16>, tensor<i32>) -> tensor<50xbf16>
    return %1 : tensor<50xbf16>
  }
}

