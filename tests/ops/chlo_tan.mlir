// RUN: tessera check %s

func.func @tan_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7FC00000]> : tensor<8xf32>
  %r = chlo.tan %x : tensor<8xf32> -> tensor<8xf32>
  %expected = stablehlo.constant dense<[0.7470223, -1.5574077, -0.0, 0.0, 0.5463025, 1.5574077, -0.14254655, 0x7FC00000]> : tensor<8xf32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @tan_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7FF8000000000000]> : tensor<8xf64>
  %r = "chlo.tan"(%x) : (tensor<8xf64>) -> tensor<8xf64>
  %expected = stablehlo.constant dense<[0.7470222972386603, -1.5574077246549023, -0.0, 0.0, 0.5463024898437905, 1.5574077246549023, -0.1425465430742778, 0x7FF8000000000000]> : tensor<8xf64>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<8xf64>, tensor<8xf64>
  return
}

// -----

func.func @tan_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7FC0]> : tensor<8xbf16>
  %r = chlo.tan %x : tensor<8xbf16> -> tensor<8xbf16>
  %expected = stablehlo.constant dense<[0.74609375, -1.5546875, -0.0, 0.0, 0.546875, 1.5546875, -0.142578125, 0x7FC0]> : tensor<8xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<8xbf16>, tensor<8xbf16>
  return
}

// -----

func.func @tan_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 0x7E00]> : tensor<8xf16>
  %r = chlo.tan %x : tensor<8xf16> -> tensor<8xf16>
  %expected = stablehlo.constant dense<[0.7470703125, -1.5576171875, -0.0, 0.0, 0.54638671875, 1.5576171875, -0.142578125, 0x7E00]> : tensor<8xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<8xf16>, tensor<8xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.tan"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.5463025> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "chlo.tan"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.033812825, 1.0147936), (-0.25514922, 2.124799), (0.002366444, -0.995656), (2.0033448, -0.6686944), (-0.08434981, 0.64278585)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "chlo.tan"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.03381282607989669, 1.0147936161466335), (-0.2551492218136517, 2.1247991277429965), (0.002366444157003991, -0.9956560179073011), (2.0033447309700536, -0.6686943515558469), (-0.08434981388349302, 0.6427858400872473)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.tan"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
