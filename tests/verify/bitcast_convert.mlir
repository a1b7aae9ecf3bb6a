// RUN: tessera parse --verify-diagnostics %s

func.func @c1_same(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.bitcast_convert' op C1: operand and result must have the same shape, got tensor<2xf32> and tensor<3xi32>}}
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<2xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @c1_narrower(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.bitcast_convert' op C1: the type with the narrower elements must have one more dimension, the last, of size 4, got tensor<2xf32> and tensor<2x3xi8>}}
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<2xf32>) -> tensor<2x3xi8>
  return
}

// -----

func.func @c1_narrower_rank(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.bitcast_convert' op C1: the type with the narrower elements must have one more dimension, the last, of size 4, got tensor<2xf32> and tensor<8xi8>}}
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<2xf32>) -> tensor<8xi8>
  return
}

// -----

func.func @c1_wider(%x: tensor<2x3xi8>) {
  // expected-error@+1 {{'stablehlo.bitcast_convert' op C1: the type with the narrower elements must have one more dimension, the last, of size 4, got tensor<2x3xi8> and tensor<2xf32>}}
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<2x3xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @c1_widths(%x: tensor<2xf6E2M3FN>) {
  // expected-error@+1 {{'stablehlo.bitcast_convert' op C1: element types have 6 and 4 bits, expected one width to be a multiple of the other}}
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<2xf6E2M3FN>) -> tensor<2xi4>
  return
}

// -----

func.func @c2(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.bitcast_convert' op C2: operand and result must both be complex or both not, got tensor<2xcomplex<f32>> and tensor<2xf64>}}
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}
