// Sums of many floats are taken by halves, as backends take them in lanes: one after the other, 4096 tenths in f32 are off
// by 0.01 and more, and 1024 ones in bf16 stop at 256.
// RUN: tessera check %s

func.func @reduce() {
  %x = stablehlo.constant dense<0.1> : tensor<4096xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096xf32>, tensor<f32>) -> tensor<f32>
  check.expect_almost_eq_const %0, dense<409.6> : tensor<f32>
  func.return
}

func.func @reduce_bf16() {
  %x = stablehlo.constant dense<1.0> : tensor<3x1024xbf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x1024xbf16>, tensor<bf16>) -> tensor<3xbf16>
  check.expect_eq_const %0, dense<1024.0> : tensor<3xbf16>
  func.return
}

// Every length from nothing to three runs and more: no value is lost, none counts twice, the init value enters once.
func.func @lengths() {
  %zero = stablehlo.constant dense<100> : tensor<i32>
  %none = stablehlo.iota dim = 0 : tensor<0xi32>
  %0 = stablehlo.reduce(%none init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<0xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %0, dense<100> : tensor<i32>
  %x = stablehlo.iota dim = 0 : tensor<29xi32>
  %1 = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %2 = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }) {window_dimensions = array<i64: 29>, padding = dense<[[28, 0]]> : tensor<1x2xi64>} : (tensor<29xi32>, tensor<i32>) -> tensor<29xi32>
  check.expect_eq_const %1, dense<100> : tensor<29xi32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %sums = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %2 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }) {window_dimensions = array<i64: 29>, padding = dense<[[28, 0]]> : tensor<1x2xi64>} : (tensor<29xi32>, tensor<i32>) -> tensor<29xi32>
  check.expect_eq_const %sums, dense<[0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171, 190, 210, 231, 253, 276, 300, 325, 351, 378, 406]> : tensor<29xi32>
  func.return
}

// Values stay in their order: the body keeps its second argument, so the last one is left.
func.func @order() {
  %zero = stablehlo.constant dense<100> : tensor<i32>
  %x = stablehlo.iota dim = 0 : tensor<77xi32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<77xi32>, tensor<i32>) -> tensor<i32>
    reducer(%a: tensor<i32>, %b: tensor<i32>) {
    stablehlo.return %b : tensor<i32>
  }
  check.expect_eq_const %0, dense<76> : tensor<i32>
  func.return
}

func.func @dot() {
  %x = stablehlo.constant dense<0.1> : tensor<2x4097xf32>
  %y = stablehlo.constant dense<1.0> : tensor<4097xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x4097xf32>, tensor<4097xf32>) -> tensor<2xf32>
  check.expect_almost_eq_const %0, dense<409.7> : tensor<2xf32>
  func.return
}
