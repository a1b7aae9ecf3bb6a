// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%p: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.if' op C1: branch 1 takes 1 arguments, expected none}}
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
  ^bb0(%a: tensor<f32>):
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @c2(%p: tensor<i1>, %x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.if' op C2: branch 1 returns 0 values, expected 1 as branch 0 returns}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @c3(%p: tensor<i1>, %x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.if' op C3: result 0 is tensor<3xf32>, expected tensor<f32> as its branches return}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<3xf32>
  return
}

// -----

func.func @predicate(%p: tensor<2xi1>) {
  // expected-error@+1 {{'stablehlo.if' op pred is tensor<2xi1>, expected tensor<i1>}}
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<2xi1>) -> ()
  return
}

// -----

func.func @c2_scale(%p: tensor<i1>, %x: tensor<2x!quant.uniform<i8:f32, 0.5:0>>, %y: tensor<2x!quant.uniform<i8:f32, 0.25:0>>) {
  // expected-error@+1 {{'stablehlo.if' op C2: branch 1 returns tensor<2x!quant.uniform<i8:f32, 2.500000e-01>> as value 0, expected tensor<2x!quant.uniform<i8:f32, 5.000000e-01>> as branch 0 returns}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2x!quant.uniform<i8:f32, 0.5:0>>
  }, {
    stablehlo.return %y : tensor<2x!quant.uniform<i8:f32, 0.25:0>>
  }) : (tensor<i1>) -> tensor<2x!quant.uniform<i8:f32, 0.5:0>>
  return
}
