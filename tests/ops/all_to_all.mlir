// RUN: tessera check %s

// Across partitions; split and concatenated along different dimensions.
func.func @t(%x: tensor<1x4xi16>) -> tensor<2x2xi16> {
  %0 = "stablehlo.all_to_all"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<1x4xi16>) -> tensor<2x2xi16>
  return %0 : tensor<2x2xi16>
}
func.func @main() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi16>
  %b = stablehlo.constant dense<[[5, 6, 7, 8]]> : tensor<1x4xi16>
  %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@t, @t]]} : (tensor<1x4xi16>, tensor<1x4xi16>) -> (tensor<2x2xi16>, tensor<2x2xi16>)
  check.expect_eq_const %r#0, dense<[[7, 8], [3, 4]]> : tensor<2x2xi16>
  check.expect_eq_const %r#1, dense<[[5, 6], [1, 2]]> : tensor<2x2xi16>
  return
}

// -----

// The same dimension: pieces change places. Several operands, one of them empty.
func.func @t(%x: tensor<4xcomplex<f32>>, %y: tensor<2x0xf32>) -> (tensor<4xcomplex<f32>>, tensor<2x0xf32>) {
  %0:2 = "stablehlo.all_to_all"(%x, %y) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4xcomplex<f32>>, tensor<2x0xf32>) -> (tensor<4xcomplex<f32>>, tensor<2x0xf32>)
  return %0#0, %0#1 : tensor<4xcomplex<f32>>, tensor<2x0xf32>
}
func.func @main() {
  %e = stablehlo.constant dense<> : tensor<2x0xf32>
  %a = stablehlo.constant dense<[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)]> : tensor<4xcomplex<f32>>
  %b = stablehlo.constant dense<[(5.0, 1.0), (6.0, 1.0), (7.0, 1.0), (8.0, 1.0)]> : tensor<4xcomplex<f32>>
  %r:4 = "interpreter.run_parallel"(%a, %e, %b, %e) {programs = [[@t], [@t]]} : (tensor<4xcomplex<f32>>, tensor<2x0xf32>, tensor<4xcomplex<f32>>, tensor<2x0xf32>) -> (tensor<4xcomplex<f32>>, tensor<2x0xf32>, tensor<4xcomplex<f32>>, tensor<2x0xf32>)
  check.expect_eq_const %r#0, dense<[(1.0, 0.0), (2.0, 0.0), (5.0, 1.0), (6.0, 1.0)]> : tensor<4xcomplex<f32>>
  check.expect_eq_const %r#2, dense<[(3.0, 0.0), (4.0, 0.0), (7.0, 1.0), (8.0, 1.0)]> : tensor<4xcomplex<f32>>
  check.expect_eq_const %r#3, dense<> : tensor<2x0xf32>
  return
}
