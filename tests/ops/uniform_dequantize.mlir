// RUN: tessera check %s

func.func @per_tensor() {
  %s = stablehlo.constant dense<[-128, -3, 0, 127]> : tensor<4xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<4xf32>
  check.expect_eq_const %r, dense<[-31.25, 0.0, 0.75, 32.5]> : tensor<4xf32>
  return
}

// -----

func.func @per_axis() {
  %s = stablehlo.constant dense<[[-8, 7], [0, 1]]> : tensor<2x2xi4>
  %x = stablehlo.bitcast_convert %s : (tensor<2x2xi4>) -> tensor<2x2x!quant.uniform<i4:bf16:0, {0.5:1, 0.25:-2}>>
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<2x2x!quant.uniform<i4:bf16:0, {0.5:1, 0.25:-2}>>) -> tensor<2x2xbf16>
  check.expect_eq_const %r, dense<[[-4.5, 3.0], [0.5, 0.75]]> : tensor<2x2xbf16>
  return
}
