// RUN: tessera check %s

func.func @tan_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7F800000, 0x7FC00000]> : tensor<10xf32>
  %r = stablehlo.tan %x : tensor<10xf32>
  %expected = stablehlo.constant dense<[0.7470223, -1.5574077, -0.0, 0.0, 0.5463025, 1.5574077, -0.14254655, -0.58721393, 0x7FC00000, 0x7FC00000]> : tensor<10xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xf32>, tensor<10xf32>
  return
}

// -----

func.func @tan_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>
  %r = "stablehlo.tan"(%x) : (tensor<10xf64>) -> tensor<10xf64>
  %expected = stablehlo.constant dense<[0.7470222972386603, -1.5574077246549023, -0.0, 0.0, 0.5463024898437905, 1.5574077246549023, -0.1425465430742778, -0.5872139151569291, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<10xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xf64>, tensor<10xf64>
  return
}

// -----

func.func @tan_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7F80, 0x7FC0]> : tensor<10xbf16>
  %r = stablehlo.tan %x : tensor<10xbf16>
  %expected = stablehlo.constant dense<[0.74609375, -1.5546875, -0.0, 0.0, 0.546875, 1.5546875, -0.142578125, -0.5859375, 0x7FC0, 0x7FC0]> : tensor<10xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xbf16>, tensor<10xbf16>
  return
}

// -----

func.func @tan_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 100.0, 0x7C00, 0x7E00]> : tensor<10xf16>
  %r = stablehlo.tan %x : tensor<10xf16>
  %expected = stablehlo.constant dense<[0.7470703125, -1.5576171875, -0.0, 0.0, 0.54638671875, 1.5576171875, -0.142578125, -0.58740234375, 0x7E00, 0x7E00]> : tensor<10xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<10xf16>, tensor<10xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.tan"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.5463025> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.tan"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.033812825, 1.0147936), (-0.25514922, 2.124799), (0.002366444, -0.995656), (2.0033448, -0.6686944), (-0.08434981, 0.64278585)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.tan"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.03381282607989669, 1.0147936161466335), (-0.2551492218136517, 2.1247991277429965), (0.002366444157003991, -0.9956560179073011), (2.0033447309700536, -0.6686943515558469), (-0.08434981388349302, 0.6427858400872473)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.tan"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-40, -8, -3, 0, 5, 20, 100]> : tensor<7xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<7xi8>) -> tensor<7x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.tan %x : (tensor<7x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<7x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<7xi8>
  check.expect_eq_const %b, dense<[2, -4, 2, 4, -2, 1, 3]> : tensor<7xi8>
  return
}
