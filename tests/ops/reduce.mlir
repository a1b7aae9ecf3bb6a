// RUN: tessera check %s

func.func @sum_rows_pretty() {
  %x = stablehlo.constant dense<[[8, 2, 3], [8, 1, 5]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<10> : tensor<i32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[23, 24]> : tensor<2xi32>
  return
}

// -----

func.func @all_dimensions_generic() {
  %x = stablehlo.constant dense<[[[2.6875, -2.1875], [-3.5625, -1.625], [-1.75, 3.0]], [[3.3125, -4.0], [0.0, 2.5625], [-3.0, 2.375]]]> : tensor<2x3x2xf32>
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {dimensions = array<i64: 0, 1, 2>} : (tensor<2x3x2xf32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<3.3125> : tensor<f32>
  return
}

// -----

func.func @no_dimensions() {
  %x = stablehlo.constant dense<[-7, -1, 6]> : tensor<3xi8>
  %z = stablehlo.constant dense<1> : tensor<i8>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [] : (tensor<3xi8>, tensor<i8>) -> tensor<3xi8>
  check.expect_eq_const %r, dense<[-6, 0, 7]> : tensor<3xi8>
  return
}

// -----

func.func @empty_dimension_gives_init() {
  %x = stablehlo.constant dense<> : tensor<2x0xf64>
  %z = stablehlo.constant dense<7.0> : tensor<f64>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.multiply across dimensions = [1] : (tensor<2x0xf64>, tensor<f64>) -> tensor<2xf64>
  check.expect_eq_const %r, dense<7.0> : tensor<2xf64>
  return
}

// -----

func.func @integers_wrap() {
  %x = stablehlo.constant dense<[200, 100, 7]> : tensor<3xui8>
  %z = stablehlo.constant dense<0> : tensor<ui8>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xui8>, tensor<ui8>) -> tensor<ui8>
  check.expect_eq_const %r, dense<51> : tensor<ui8>
  return
}

// -----

func.func @booleans() {
  %x = stablehlo.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %z = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.and across dimensions = [0] : (tensor<2x2xi1>, tensor<i1>) -> tensor<2xi1>
  check.expect_eq_const %r, dense<[true, false]> : tensor<2xi1>
  return
}

// -----

func.func @complex_product() {
  %x = stablehlo.constant dense<[[(-1.5625, -2.0), (-1.25, 3.9375)], [(-1.8125, -0.4375), (1.75, -0.1875)]]> : tensor<2x2xcomplex<f64>>
  %z = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.multiply across dimensions = [0] : (tensor<2x2xcomplex<f64>>, tensor<complex<f64>>) -> tensor<2xcomplex<f64>>
  %w1 = stablehlo.constant dense<[(1.95703125, 4.30859375), (-1.44921875, 7.125)]> : tensor<2xcomplex<f64>>
  check.expect_close %r, %w1, max_ulp_difference = 1 : tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>
  return
}

// -----

func.func @arg_max_of_two_inputs() {
  %x = stablehlo.constant dense<[[3, 1, 5], [2, 8, 8]]> : tensor<2x3xi64>
  %i = stablehlo.constant dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi64>
  %lo = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %z = stablehlo.constant dense<0> : tensor<i64>
  %v, %k = stablehlo.reduce(%x init: %lo), (%i init: %z) across dimensions = [1] : (tensor<2x3xi64>, tensor<2x3xi64>, tensor<i64>, tensor<i64>) -> (tensor<2xi64>, tensor<2xi64>)
    reducer(%a: tensor<i64>, %c: tensor<i64>) (%b: tensor<i64>, %d: tensor<i64>) {
    %g = stablehlo.compare GE, %a, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %m = stablehlo.select %g, %a, %c : tensor<i1>, tensor<i64>
    %n = stablehlo.select %g, %b, %d : tensor<i1>, tensor<i64>
    stablehlo.return %m, %n : tensor<i64>, tensor<i64>
  }
  check.expect_eq_const %v, dense<[5, 8]> : tensor<2xi64>
  check.expect_eq_const %k, dense<[2, 1]> : tensor<2xi64>
  return
}

// -----

func.func @body_wider_than_inputs() {
  %x = stablehlo.constant dense<100> : tensor<3xi8>
  %z = stablehlo.constant dense<0> : tensor<i8>
  %r = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<3xi8>, tensor<i8>) -> tensor<i32>
  check.expect_eq_const %r, dense<300> : tensor<i32>
  return
}
