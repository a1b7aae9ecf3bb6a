// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.case' op C1: has no branches, expected at least one}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

func.func @c2(%i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.case' op C2: branch 0 takes 1 arguments, expected none}}
  "stablehlo.case"(%i) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return
}

// -----

func.func @c3(%i: tensor<i32>, %x: tensor<f32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.case' op C3: branch 1 returns tensor<2xf32> as value 0, expected tensor<f32> as branch 0 returns}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %y : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @c4(%i: tensor<i32>, %x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.case' op C4: result 0 is tensor<f64>, expected tensor<f32> as its branches return}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i32>) -> tensor<f64>
  return
}

// -----

func.func @index(%i: tensor<i64>, %x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.case' op index is tensor<i64>, expected tensor<i32>}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i64>) -> tensor<f32>
  return
}

// -----

func.func @c4_scale(%i: tensor<i32>, %x: tensor<2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.case' op C4: result 0 is tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>, expected tensor<2x!quant.uniform<i8:f32, 5.000000e-01>> as its branches return}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<2x!quant.uniform<i8:f32, 0.5:0>>
  }) : (tensor<i32>) -> tensor<2x!quant.uniform<i8:f32, 0.25:0>>
  return
}
