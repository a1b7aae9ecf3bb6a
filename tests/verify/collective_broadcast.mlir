// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op C1: replica_groups contain id 3 twice, expected each id once}}
  %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[3, 3]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c2(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op C2: replica_groups contain id -2, expected ids of at least 0}}
  %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c3(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op C3: result 0 is tensor<2xf64>, expected tensor<2xf32>}}
  %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @per_axis(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op operand 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}

// -----

func.func @c3_scale(%x: tensor<2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op C3: result 0 is tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>, expected tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>}}
  %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:0>>
  return
}
