// RUN: tessera check %s

func.func @atanh_f32() {
  %x = stablehlo.constant dense<[-0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 0x7FC00000]> : tensor<8xf32>
  %r = chlo.atanh %x : tensor<8xf32> -> tensor<8xf32>
  %expected = stablehlo.constant dense<[-0.97295505, -0.54930615, -0.0, 0.0, 0.12565722, 0.54930615, 0.97295505, 0x7FC00000]> : tensor<8xf32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @atanh_f64() {
  %x = stablehlo.constant dense<[-0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 0x7FF8000000000000]> : tensor<8xf64>
  %r = "chlo.atanh"(%x) : (tensor<8xf64>) -> tensor<8xf64>
  %expected = stablehlo.constant dense<[-0.9729550745276566, -0.5493061443340549, -0.0, 0.0, 0.12565721414045303, 0.5493061443340549, 0.9729550745276566, 0x7FF8000000000000]> : tensor<8xf64>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<8xf64>, tensor<8xf64>
  return
}

// -----

func.func @atanh_bf16() {
  %x = stablehlo.constant dense<[-0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 0x7FC0]> : tensor<8xbf16>
  %r = chlo.atanh %x : tensor<8xbf16> -> tensor<8xbf16>
  %expected = stablehlo.constant dense<[-0.97265625, -0.55078125, -0.0, 0.0, 0.1259765625, 0.55078125, 0.97265625, 0x7FC0]> : tensor<8xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<8xbf16>, tensor<8xbf16>
  return
}

// -----

func.func @atanh_f16() {
  %x = stablehlo.constant dense<[-0.75, -0.5, -0.0, 0.0, 0.125, 0.5, 0.75, 0x7E00]> : tensor<8xf16>
  %r = chlo.atanh %x : tensor<8xf16> -> tensor<8xf16>
  %expected = stablehlo.constant dense<[-0.97314453125, -0.54931640625, -0.0, 0.0, 0.1256103515625, 0.54931640625, 0.97314453125, 0x7E00]> : tensor<8xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<8xf16>, tensor<8xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "chlo.atanh"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.54930615> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "chlo.atanh"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.1732868, 1.1780972), (-0.6412373, 1.276795), (0.024865199, -1.2509115), (-0.54586375, -1.5294402), (0.3223176, 1.484085)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "chlo.atanh"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.17328679513998632, 1.1780972450961724), (-0.6412373393653842, 1.2767950250211129), (0.024865198382659503, -1.2509114353815838), (-0.5458637491531156, -1.52944011907081), (0.32231759620945777, 1.4840849666574578)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "chlo.atanh"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
