// RUN: tessera check %s

func.func @log_f32() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7F800000, -1.0, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.log %x : tensor<11xf32>
  %expected = stablehlo.constant dense<[0xFF800000, -1.3862944, -0.6931472, 0.0, 0.4054651, 0.6931472, 2.3025851, 6.9077554, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf32>, tensor<11xf32>
  return
}

// -----

func.func @log_f64() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7FF0000000000000, -1.0, 0x7FF8000000000000]> : tensor<11xf64>
  %r = "stablehlo.log"(%x) : (tensor<11xf64>) -> tensor<11xf64>
  %expected = stablehlo.constant dense<[0xFFF0000000000000, -1.3862943611198906, -0.6931471805599453, 0.0, 0.4054651081081644, 0.6931471805599453, 2.302585092994046, 6.907755278982137, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<11xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf64>, tensor<11xf64>
  return
}

// -----

func.func @log_bf16() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7F80, -1.0, 0x7FC0]> : tensor<11xbf16>
  %r = stablehlo.log %x : tensor<11xbf16>
  %expected = stablehlo.constant dense<[0xFF80, -1.3828125, -0.69140625, 0.0, 0.40625, 0.69140625, 2.296875, 6.90625, 0x7F80, 0x7FC0, 0x7FC0]> : tensor<11xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xbf16>, tensor<11xbf16>
  return
}

// -----

func.func @log_f16() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7C00, -1.0, 0x7E00]> : tensor<11xf16>
  %r = stablehlo.log %x : tensor<11xf16>
  %expected = stablehlo.constant dense<[0xFC00, -1.38671875, -0.693359375, 0.0, 0.405517578125, 0.693359375, 2.302734375, 6.90625, 0x7C00, 0x7E00, 0x7E00]> : tensor<11xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf16>, tensor<11xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.log"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-0.6931472> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.log"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.804719, 1.1071488), (0.45814538, 2.819842), (1.1020725, -1.487655), (0.6950965, -3.0791738), (1.1289246, 0.24497867)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.log"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.8047189562170501, 1.1071487177940904), (0.45814536593707755, 2.819842099193151), (1.1020725100903965, -1.4876550949064553), (0.695096500767774, -3.079173843593836), (1.128924599576327, 0.24497866312686414)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.log"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[0, 5, 20, 100]> : tensor<4xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.log %x : (tensor<4x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<4x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<4xi8>
  check.expect_eq_const %b, dense<[1, 3, 5, 8]> : tensor<4xi8>
  return
}
