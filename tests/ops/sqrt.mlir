// RUN: tessera check %s

func.func @sqrt_f32() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7F800000, -1.0, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.sqrt %x : tensor<11xf32>
  %expected = stablehlo.constant dense<[0.0, 0.5, 0.70710677, 1.0, 1.2247449, 1.4142135, 3.1622777, 31.622776, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<11xf32>, tensor<11xf32>
  return
}

// -----

func.func @sqrt_f64() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7FF0000000000000, -1.0, 0x7FF8000000000000]> : tensor<11xf64>
  %r = "stablehlo.sqrt"(%x) : (tensor<11xf64>) -> tensor<11xf64>
  %expected = stablehlo.constant dense<[0.0, 0.5, 0.7071067811865476, 1.0, 1.224744871391589, 1.4142135623730951, 3.1622776601683795, 31.622776601683793, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<11xf64>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<11xf64>, tensor<11xf64>
  return
}

// -----

func.func @sqrt_bf16() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7F80, -1.0, 0x7FC0]> : tensor<11xbf16>
  %r = stablehlo.sqrt %x : tensor<11xbf16>
  %expected = stablehlo.constant dense<[0.0, 0.5, 0.70703125, 1.0, 1.2265625, 1.4140625, 3.15625, 31.625, 0x7F80, 0x7FC0, 0x7FC0]> : tensor<11xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xbf16>, tensor<11xbf16>
  return
}

// -----

func.func @sqrt_f16() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 1000.0, 0x7C00, -1.0, 0x7E00]> : tensor<11xf16>
  %r = stablehlo.sqrt %x : tensor<11xf16>
  %expected = stablehlo.constant dense<[0.0, 0.5, 0.70703125, 1.0, 1.224609375, 1.4140625, 3.162109375, 31.625, 0x7C00, 0x7E00, 0x7E00]> : tensor<11xf16>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<11xf16>, tensor<11xf16>
  return
}

// -----

func.func @scalar() {
  %x = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.sqrt"(%x) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.70710677> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_f32() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f32>>
  %r = "stablehlo.sqrt"(%x) : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.2720196, 0.78615135), (0.2014185, 1.2411968), (1.2767926, -1.1748189), (0.04417263, -1.4149033), (1.7453265, 0.21485952)]> : tensor<5xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @complex_f64() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-1.5, 0.5), (0.25, -3.0), (-2.0, -0.125), (3.0, 0.75)]> : tensor<5xcomplex<f64>>
  %r = "stablehlo.sqrt"(%x) : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.272019649514069, 0.7861513777574233), (0.2014185071985562, 1.2411967672541266), (1.2767925917505305, -1.1748188466095686), (0.04417263143154747, -1.4149032551265077), (1.745326505157881, 0.21485951132454598)]> : tensor<5xcomplex<f64>>
  check.expect_close %r, %expected, max_ulp_difference = 3 : tensor<5xcomplex<f64>>, tensor<5xcomplex<f64>>
  return
}

// -----

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %r = "stablehlo.sqrt"(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

// -----

func.func @quantized() {
  %s = stablehlo.constant dense<[-3, 0, 5, 20, 100]> : tensor<5xi8>
  %x = stablehlo.bitcast_convert %s : (tensor<5xi8>) -> tensor<5x!quant.uniform<i8:f32, 0.25:-3>>
  %r = stablehlo.sqrt %x : (tensor<5x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<5x!quant.uniform<i8:f32, 0.5:2>>
  %b = stablehlo.bitcast_convert %r : (tensor<5x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<5xi8>
  check.expect_eq_const %b, dense<[2, 4, 5, 7, 12]> : tensor<5xi8>
  return
}
