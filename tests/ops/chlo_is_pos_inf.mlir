// RUN: tessera check %s

func.func @is_pos_inf_f32() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %r = chlo.is_pos_inf %x : tensor<14xf32> -> tensor<14xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, false, false, false, false, false, false, false, true, false, false]> : tensor<14xi1>
  return
}

// -----

func.func @is_pos_inf_f64() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>
  %r = "chlo.is_pos_inf"(%x) : (tensor<14xf64>) -> tensor<14xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, false, false, false, false, false, false, false, true, false, false]> : tensor<14xi1>
  return
}

// -----

func.func @is_pos_inf_bf16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>
  %r = chlo.is_pos_inf %x : tensor<14xbf16> -> tensor<14xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, false, false, false, false, false, false, false, true, false, false]> : tensor<14xi1>
  return
}

// -----

func.func @is_pos_inf_f16() {
  %x = stablehlo.constant dense<[-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 10.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>
  %r = chlo.is_pos_inf %x : tensor<14xf16> -> tensor<14xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, false, false, false, false, false, false, false, true, false, false]> : tensor<14xi1>
  return
}
