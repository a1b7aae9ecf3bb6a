// RUN: tessera check %s
// concatenate: the inputs one after another along a dimension.

func.func @three() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %b = stablehlo.constant dense<[[51, 52], [53, 54]]> : tensor<2x2xi32>
  %r = stablehlo.concatenate %a, %b, %a, dim = 1 : (tensor<2x3xi32>, tensor<2x2xi32>, tensor<2x3xi32>) -> tensor<2x8xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3, 51, 52, 1, 2, 3], [4, 5, 6, 53, 54, 4, 5, 6]]> : tensor<2x8xi32>
  return
}

// -----

func.func @generic() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = "stablehlo.concatenate"(%a, %a) <{dimension = 0 : i64}> : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3], [4, 5, 6], [1, 2, 3], [4, 5, 6]]> : tensor<4x3xi32>
  return
}

// -----

func.func @one_input() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = stablehlo.concatenate %a, dim = 0 : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  return
}

// -----

func.func @empty_inputs() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %b = stablehlo.constant dense<> : tensor<2x0xi32>
  %r = stablehlo.concatenate %b, %a, %b, dim = 1 : (tensor<2x0xi32>, tensor<2x3xi32>, tensor<2x0xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %s = stablehlo.concatenate %b, %b, dim = 1 : (tensor<2x0xi32>, tensor<2x0xi32>) -> tensor<2x0xi32>
  check.expect_eq_const %s, dense<> : tensor<2x0xi32>
  return
}

// -----

func.func @every_class() {
  %a0 = stablehlo.constant dense<[[true, true], [true, true]]> : tensor<2x2xi1>
  %r0 = stablehlo.concatenate %a0, %a0, dim = 1 : (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x4xi1>
  check.expect_eq_const %r0, dense<[[true, true, true, true], [true, true, true, true]]> : tensor<2x4xi1>
  %a1 = stablehlo.constant dense<[[-6, -5], [-4, -3]]> : tensor<2x2xi4>
  %r1 = stablehlo.concatenate %a1, %a1, dim = 1 : (tensor<2x2xi4>, tensor<2x2xi4>) -> tensor<2x4xi4>
  check.expect_eq_const %r1, dense<[[-6, -5, -6, -5], [-4, -3, -4, -3]]> : tensor<2x4xi4>
  %a2 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>
  %r2 = stablehlo.concatenate %a2, %a2, dim = 1 : (tensor<2x2xui8>, tensor<2x2xui8>) -> tensor<2x4xui8>
  check.expect_eq_const %r2, dense<[[1, 2, 1, 2], [3, 4, 3, 4]]> : tensor<2x4xui8>
  %a3 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>
  %r3 = stablehlo.concatenate %a3, %a3, dim = 1 : (tensor<2x2xi16>, tensor<2x2xi16>) -> tensor<2x4xi16>
  check.expect_eq_const %r3, dense<[[1, 2, 1, 2], [3, 4, 3, 4]]> : tensor<2x4xi16>
  %a4 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %r4 = stablehlo.concatenate %a4, %a4, dim = 1 : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %r4, dense<[[1, 2, 1, 2], [3, 4, 3, 4]]> : tensor<2x4xi32>
  %a5 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xui64>
  %r5 = stablehlo.concatenate %a5, %a5, dim = 1 : (tensor<2x2xui64>, tensor<2x2xui64>) -> tensor<2x4xui64>
  check.expect_eq_const %r5, dense<[[1, 2, 1, 2], [3, 4, 3, 4]]> : tensor<2x4xui64>
  %a6 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
  %r6 = stablehlo.concatenate %a6, %a6, dim = 1 : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x4xf16>
  check.expect_eq_const %r6, dense<[[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]> : tensor<2x4xf16>
  %a7 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xbf16>
  %r7 = stablehlo.concatenate %a7, %a7, dim = 1 : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x4xbf16>
  check.expect_eq_const %r7, dense<[[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]> : tensor<2x4xbf16>
  %a8 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf8E4M3FN>
  %r8 = stablehlo.concatenate %a8, %a8, dim = 1 : (tensor<2x2xf8E4M3FN>, tensor<2x2xf8E4M3FN>) -> tensor<2x4xf8E4M3FN>
  check.expect_eq_const %r8, dense<[[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]> : tensor<2x4xf8E4M3FN>
  %a9 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %r9 = stablehlo.concatenate %a9, %a9, dim = 1 : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x4xf64>
  check.expect_eq_const %r9, dense<[[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]> : tensor<2x4xf64>
  %a10 = stablehlo.constant dense<[[(1.0, 1.5), (2.0, 2.5)], [(3.0, 3.5), (4.0, 4.5)]]> : tensor<2x2xcomplex<f32>>
  %r10 = stablehlo.concatenate %a10, %a10, dim = 1 : (tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  check.expect_eq_const %r10, dense<[[(1.0, 1.5), (2.0, 2.5), (1.0, 1.5), (2.0, 2.5)], [(3.0, 3.5), (4.0, 4.5), (3.0, 3.5), (4.0, 4.5)]]> : tensor<2x4xcomplex<f32>>
  return
}
