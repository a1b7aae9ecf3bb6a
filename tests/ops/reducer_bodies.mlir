// RUN: tessera check %s

// The same body twice: once closed, so that it runs as a list of steps, once with a value from outside, so that it
// runs as a region. Both must give the same.

func.func @sum_in_bf16() {
  %x = stablehlo.constant dense<[1.0, 0.00390625, 0.00390625, 0.00390625, 100.0, 0.3]> : tensor<6xbf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6xbf16>, tensor<bf16>) -> tensor<bf16>
  %b = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<6xbf16>, tensor<bf16>) -> tensor<bf16>
    reducer(%p: tensor<bf16>, %q: tensor<bf16>) {
      %0 = stablehlo.add %p, %q : tensor<bf16>
      %1 = stablehlo.add %0, %zero : tensor<bf16>
      stablehlo.return %1 : tensor<bf16>
    }
  check.expect_eq %a, %b : tensor<bf16>
  return
}

// -----

func.func @wrapping_product() {
  %x = stablehlo.constant dense<[7, 11, 13, -5]> : tensor<4xi8>
  %one = stablehlo.constant dense<1> : tensor<i8>
  %a = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<4xi8>, tensor<i8>) -> tensor<i8>
  %b = stablehlo.reduce(%x init: %one) across dimensions = [0] : (tensor<4xi8>, tensor<i8>) -> tensor<i8>
    reducer(%p: tensor<i8>, %q: tensor<i8>) {
      %0 = stablehlo.multiply %p, %q : tensor<i8>
      %1 = stablehlo.multiply %0, %one : tensor<i8>
      stablehlo.return %1 : tensor<i8>
    }
  check.expect_eq %a, %b : tensor<i8>
  // 7 * 11 * 13 * -5 = -5005 = 115 - 20 * 256
  check.expect_eq_const %a, dense<115> : tensor<i8>
  return
}

// -----

// The largest value and where it is: compare, select, constants and two results.
func.func @argmax() {
  %x = stablehlo.constant dense<[3.0, 9.0, -1.0, 9.0]> : tensor<4xf32>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %a:2 = stablehlo.reduce(%x init: %low), (%i init: %none) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {
      %0 = stablehlo.compare GE, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %1 = stablehlo.select %0, %p, %q : tensor<i1>, tensor<f32>
      %2 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.add %m, %2 : tensor<i32>
      %4 = stablehlo.select %0, %3, %n : tensor<i1>, tensor<i32>
      stablehlo.return %1, %4 : tensor<f32>, tensor<i32>
    }
  %b:2 = stablehlo.reduce(%x init: %low), (%i init: %none) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {
      %0 = stablehlo.compare GE, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %1 = stablehlo.select %0, %p, %q : tensor<i1>, tensor<f32>
      %2 = stablehlo.maximum %1, %low : tensor<f32>
      %3 = stablehlo.select %0, %m, %n : tensor<i1>, tensor<i32>
      stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
    }
  check.expect_eq_const %a#0, dense<9.0> : tensor<f32>
  check.expect_eq_const %a#1, dense<1> : tensor<i32>
  check.expect_eq %a#0, %b#0 : tensor<f32>
  check.expect_eq %a#1, %b#1 : tensor<i32>
  return
}

// -----

// A body that returns an argument, and one that computes nothing from its first.
func.func @first_and_last() {
  %x = stablehlo.constant dense<[3, 9, 5]> : tensor<3xi64>
  %z = stablehlo.constant dense<0> : tensor<i64>
  %a = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
    reducer(%p: tensor<i64>, %q: tensor<i64>) {
      stablehlo.return %p : tensor<i64>
    }
  %b = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
    reducer(%p: tensor<i64>, %q: tensor<i64>) {
      stablehlo.return %q : tensor<i64>
    }
  check.expect_eq_const %a, dense<0> : tensor<i64>
  check.expect_eq_const %b, dense<5> : tensor<i64>
  return
}
