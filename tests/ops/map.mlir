// RUN: tessera check %s

func.func @two_inputs() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[[10, 20], [30, 40]]> : tensor<2x2xi32>
  %r = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %0 = stablehlo.subtract %b, %a : tensor<i32>
    stablehlo.return %0 : tensor<i32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[9, 18], [27, 36]]> : tensor<2x2xi32>
  return
}

// -----

// The body changes the element type and uses a constant of its own and a value from outside.
func.func @other_type() {
  %k = stablehlo.constant dense<0.5> : tensor<f32>
  %x = stablehlo.constant dense<[1.0, 2.0, -3.0]> : tensor<3xf32>
  %r = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<f32>):
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.add %a, %c : tensor<f32>
    %1 = stablehlo.compare GT, %0, %k : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %r, dense<[true, true, false]> : tensor<3xi1>
  return
}

// -----

func.func @scalar_and_empty() {
  %x = stablehlo.constant dense<3.0> : tensor<f64>
  %r = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<f64>):
    %0 = stablehlo.multiply %a, %a : tensor<f64>
    stablehlo.return %0 : tensor<f64>
  }) {dimensions = array<i64>} : (tensor<f64>) -> tensor<f64>
  check.expect_eq_const %r, dense<9.0> : tensor<f64>
  %e = stablehlo.constant dense<> : tensor<0xf64>
  %s = "stablehlo.map"(%e) ({
  ^bb0(%a: tensor<f64>):
    stablehlo.return %a : tensor<f64>
  }) {dimensions = array<i64: 0>} : (tensor<0xf64>) -> tensor<0xf64>
  check.expect_eq_const %s, dense<> : tensor<0xf64>
  return
}
