// RUN: tessera check %s

func.func @per_tensor() {
  %x = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.125, 0.375, 10.3, 100.0, -100.0, 0x7F800000, 0xFF800000]> : tensor<10xf32>
  %r = stablehlo.uniform_quantize %x : (tensor<10xf32>) -> tensor<10x!quant.uniform<i8:f32, 0.25:-3>>
  %b = stablehlo.bitcast_convert %r : (tensor<10x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<10xi8>
  check.expect_eq_const %b, dense<[-3, 1, -7, -2, -2, 38, 127, -128, 127, -128]> : tensor<10xi8>
  return
}

// -----

func.func @storage_range() {
  %x = stablehlo.constant dense<[-100.0, 0.0, 3.25, 1000.0]> : tensor<4xf32>
  %r = "stablehlo.uniform_quantize"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<ui8<2:250>:f32, 0.5:10>>
  %b = stablehlo.bitcast_convert %r : (tensor<4x!quant.uniform<ui8<2:250>:f32, 0.5:10>>) -> tensor<4xui8>
  check.expect_eq_const %b, dense<[2, 10, 16, 250]> : tensor<4xui8>
  return
}

// -----

func.func @per_axis() {
  %x = stablehlo.constant dense<[[1.0, 1.0, 1.0], [3.0, -2.0, 7.0]]> : tensor<2x3xf32>
  %r = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.5:1, 0.25:-2, 2.0:0}>>
  %b = stablehlo.bitcast_convert %r : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5:1, 0.25:-2, 2.0:0}>>) -> tensor<2x3xi8>
  check.expect_eq_const %b, dense<[[3, 2, 0], [7, -10, 4]]> : tensor<2x3xi8>
  return
}

// -----

func.func @requantize() {
  %s = stablehlo.constant dense<[-128, -3, 0, 127]> : tensor<4xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.uniform_quantize %x : (tensor<4x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<4x!quant.uniform<i16:f32, 0.0625:100>>
  %b = stablehlo.bitcast_convert %r : (tensor<4x!quant.uniform<i16:f32, 0.0625:100>>) -> tensor<4xi16>
  check.expect_eq_const %b, dense<[-400, 100, 112, 620]> : tensor<4xi16>
  return
}
