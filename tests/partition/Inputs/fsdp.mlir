// An embedding, two residual layers and a head: a training step as JAX prints it.
module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%embed: tensor<64x32xf32>, %head: tensor<32x64xf32>, %down1: tensor<128x32xf32>, %up1: tensor<32x128xf32>, %down2: tensor<128x32xf32>, %up2: tensor<32x128xf32>, %tokens: tensor<16x32xi32>) -> (tensor<64x32xf32> {jax.result_info = "result['embed']"}, tensor<32x64xf32> {jax.result_info = "result['head']"}, tensor<128x32xf32> {jax.result_info = "result['layers'][0]['down']"}, tensor<32x128xf32> {jax.result_info = "result['layers'][0]['up']"}, tensor<128x32xf32> {jax.result_info = "result['layers'][1]['down']"}, tensor<32x128xf32> {jax.result_info = "result['layers'][1]['up']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x32xi32>
    %1 = stablehlo.compare LT, %tokens, %0, SIGNED : (tensor<16x32xi32>, tensor<16x32xi32>) -> tensor<16x32xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16x32xi32>
    %3 = stablehlo.add %tokens, %2 : tensor<16x32xi32>
    %4 = stablehlo.select %1, %3, %tokens : tensor<16x32xi1>, tensor<16x32xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<16x32xi32>) -> tensor<16x32x1xi32>
    %6 = "stablehlo.gather"(%embed, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<64x32xf32>, tensor<16x32x1xi32>) -> tensor<16x32x32xf32>
    %7 = stablehlo.dot_general %6, %up1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x32xf32>, tensor<32x128xf32>) -> tensor<16x32x128xf32>
    %8 = call @relu(%7) : (tensor<16x32x128xf32>) -> tensor<16x32x128xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x32x128xf32>
    %10 = stablehlo.compare GT, %7, %9, FLOAT : (tensor<16x32x128xf32>, tensor<16x32x128xf32>) -> tensor<16x32x128xi1>
    %11 = stablehlo.dot_general %8, %down1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x128xf32>, tensor<128x32xf32>) -> tensor<16x32x32xf32>
    %12 = stablehlo.add %6, %11 : tensor<16x32x32xf32>
    %13 = stablehlo.dot_general %12, %up2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x32xf32>, tensor<32x128xf32>) -> tensor<16x32x128xf32>
    %14 = call @relu(%13) : (tensor<16x32x128xf32>) -> tensor<16x32x128xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x32x128xf32>
    %16 = stablehlo.compare GT, %13, %15, FLOAT : (tensor<16x32x128xf32>, tensor<16x32x128xf32>) -> tensor<16x32x128xi1>
    %17 = stablehlo.dot_general %14, %down2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x128xf32>, tensor<128x32xf32>) -> tensor<16x32x32xf32>
    %18 = stablehlo.add %12, %17 : tensor<16x32x32xf32>
    %19 = stablehlo.dot_general %18, %head, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x32xf32>, tensor<32x64xf32>) -> tensor<16x32x64xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x32x64xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<16x32x64xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<3.276800e+04> : tensor<f32>
    %22 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<f32>) -> tensor<16x32x64xf32>
    %24 = stablehlo.multiply %23, %21 : tensor<16x32x64xf32>
    %25 = stablehlo.dot_general %24, %18, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<16x32x32xf32>) -> tensor<64x32xf32>
    %26 = stablehlo.transpose %25, dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %27 = stablehlo.dot_general %24, %head, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<32x64xf32>) -> tensor<16x32x32xf32>
    %28 = stablehlo.dot_general %27, %14, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x32xf32>, tensor<16x32x128xf32>) -> tensor<32x128xf32>
    %29 = stablehlo.transpose %28, dims = [1, 0] : (tensor<32x128xf32>) -> tensor<128x32xf32>
    %30 = stablehlo.dot_general %27, %down2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x32xf32>, tensor<128x32xf32>) -> tensor<16x32x128xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x32x128xf32>
    %32 = stablehlo.select %16, %30, %31 : tensor<16x32x128xi1>, tensor<16x32x128xf32>
    %33 = stablehlo.dot_general %32, %12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x128xf32>, tensor<16x32x32xf32>) -> tensor<128x32xf32>
    %34 = stablehlo.transpose %33, dims = [1, 0] : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %35 = stablehlo.dot_general %32, %up2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x128xf32>, tensor<32x128xf32>) -> tensor<16x32x32xf32>
    %36 = stablehlo.add %27, %35 : tensor<16x32x32xf32>
    %37 = stablehlo.dot_general %36, %8, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x32xf32>, tensor<16x32x128xf32>) -> tensor<32x128xf32>
    %38 = stablehlo.transpose %37, dims = [1, 0] : (tensor<32x128xf32>) -> tensor<128x32xf32>
    %39 = stablehlo.dot_general %36, %down1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x32xf32>, tensor<128x32xf32>) -> tensor<16x32x128xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16x32x128xf32>
    %41 = stablehlo.select %10, %39, %40 : tensor<16x32x128xi1>, tensor<16x32x128xf32>
    %42 = stablehlo.dot_general %41, %6, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x128xf32>, tensor<16x32x32xf32>) -> tensor<128x32xf32>
    %43 = stablehlo.transpose %42, dims = [1, 0] : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %44 = stablehlo.dot_general %41, %up1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x128xf32>, tensor<32x128xf32>) -> tensor<16x32x32xf32>
    %45 = stablehlo.add %36, %44 : tensor<16x32x32xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %47 = "stablehlo.scatter"(%46, %5, %45) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %66 = stablehlo.add %arg7, %arg8 : tensor<f32>
      stablehlo.return %66 : tensor<f32>
    }) : (tensor<64x32xf32>, tensor<16x32x1xi32>, tensor<16x32x32xf32>) -> tensor<64x32xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %49 = stablehlo.multiply %48, %47 : tensor<64x32xf32>
    %50 = stablehlo.subtract %embed, %49 : tensor<64x32xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %52 = stablehlo.multiply %51, %26 : tensor<32x64xf32>
    %53 = stablehlo.subtract %head, %52 : tensor<32x64xf32>
    %cst_10 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %55 = stablehlo.multiply %54, %38 : tensor<128x32xf32>
    %56 = stablehlo.subtract %down1, %55 : tensor<128x32xf32>
    %cst_11 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %58 = stablehlo.multiply %57, %43 : tensor<32x128xf32>
    %59 = stablehlo.subtract %up1, %58 : tensor<32x128xf32>
    %cst_12 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %61 = stablehlo.multiply %60, %29 : tensor<128x32xf32>
    %62 = stablehlo.subtract %down2, %61 : tensor<128x32xf32>
    %cst_13 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %64 = stablehlo.multiply %63, %34 : tensor<32x128xf32>
    %65 = stablehlo.subtract %up2, %64 : tensor<32x128xf32>
    return %50, %53, %56, %59, %62, %65 : tensor<64x32xf32>, tensor<32x64xf32>, tensor<128x32xf32>, tensor<32x128xf32>, tensor<128x32xf32>, tensor<32x128xf32>
  }
  func.func private @relu(%arg0: tensor<16x32x128xf32>) -> tensor<16x32x128xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x32x128xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<16x32x128xf32>
    return %1 : tensor<16x32x128xf32>
  }
}
