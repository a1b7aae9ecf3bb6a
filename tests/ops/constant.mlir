// RUN: tessera check %s
// constant: values of every element type, as lists, splats, hex strings and quantized storage.

func.func @every_class() {
  %a0 = stablehlo.constant dense<[[false, false, false], [true, false, false]]> : tensor<2x3xi1>
  check.expect_eq_const %a0, dense<[[false, false, false], [true, false, false]]> : tensor<2x3xi1>
  %a1 = stablehlo.constant dense<[[0, 1, 0], [1, 0, 1]]> : tensor<2x3xi4>
  check.expect_eq_const %a1, dense<[[0, 1, 0], [1, 0, 1]]> : tensor<2x3xi4>
  %a2 = stablehlo.constant dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xui8>
  check.expect_eq_const %a2, dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xui8>
  %a3 = stablehlo.constant dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xi16>
  check.expect_eq_const %a3, dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xi16>
  %a4 = stablehlo.constant dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xi32>
  check.expect_eq_const %a4, dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xi32>
  %a5 = stablehlo.constant dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xui64>
  check.expect_eq_const %a5, dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xui64>
  %a6 = stablehlo.constant dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf16>
  check.expect_eq_const %a6, dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf16>
  %a7 = stablehlo.constant dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xbf16>
  check.expect_eq_const %a7, dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xbf16>
  %a8 = stablehlo.constant dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf8E4M3FN>
  check.expect_eq_const %a8, dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf8E4M3FN>
  %a9 = stablehlo.constant dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf64>
  check.expect_eq_const %a9, dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf64>
  %a10 = stablehlo.constant dense<[[(1.0, 1.5), (0.0, 0.5), (1.0, 1.5)], [(0.0, 0.5), (1.0, 1.5), (0.0, 0.5)]]> : tensor<2x3xcomplex<f32>>
  check.expect_eq_const %a10, dense<[[(1.0, 1.5), (0.0, 0.5), (1.0, 1.5)], [(0.0, 0.5), (1.0, 1.5), (0.0, 0.5)]]> : tensor<2x3xcomplex<f32>>
  %a11 = stablehlo.constant dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xi2>
  check.expect_eq_const %a11, dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xi2>
  %a12 = stablehlo.constant dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xui4>
  check.expect_eq_const %a12, dense<[[1, 0, 1], [0, 1, 0]]> : tensor<2x3xui4>
  %a13 = stablehlo.constant dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf4E2M1FN>
  check.expect_eq_const %a13, dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf4E2M1FN>
  %a14 = stablehlo.constant dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf8E5M2>
  check.expect_eq_const %a14, dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf8E5M2>
  %a15 = stablehlo.constant dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf32>
  check.expect_eq_const %a15, dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf32>
  %a16 = stablehlo.constant dense<[[(1.0, 1.5), (0.0, 0.5), (1.0, 1.5)], [(0.0, 0.5), (1.0, 1.5), (0.0, 0.5)]]> : tensor<2x3xcomplex<f64>>
  check.expect_eq_const %a16, dense<[[(1.0, 1.5), (0.0, 0.5), (1.0, 1.5)], [(0.0, 0.5), (1.0, 1.5), (0.0, 0.5)]]> : tensor<2x3xcomplex<f64>>
  return
}

// -----

func.func @splat_and_generic() {
  %a = "stablehlo.constant"() <{value = dense<7> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
  check.expect_eq_const %a, dense<[[7, 7], [7, 7]]> : tensor<2x2xi32>
  %b = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_eq_const %b, dense<> : tensor<0x3xf32>
  %c = stablehlo.constant dense<-1.5> : tensor<f64>
  check.expect_eq_const %c, dense<-1.5> : tensor<f64>
  return
}

// -----

func.func @hex_strings() {
  %a = stablehlo.constant dense<"0x0000803F00000040000040C0"> : tensor<3xf32>
  check.expect_eq_const %a, dense<[1.0, 2.0, -3.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<"0x010001"> : tensor<3xi1>
  check.expect_eq_const %b, dense<[true, false, true]> : tensor<3xi1>
  return
}

// -----

func.func @quantized_by_storage() {
  %a = stablehlo.constant() <{value = dense<[1, -2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5:-2>>
  %f = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 0.5:-2>>) -> tensor<2xf32>
  check.expect_eq_const %f, dense<[1.5, 0.0]> : tensor<2xf32>
  return
}
