// RUN: tessera parse --verify-diagnostics %s

func.func @c1_arguments(%x: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.while' op C1: argument 0 of cond is tensor<f32>, expected the type of the operand, tensor<i32>}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<f32>):
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @c1_predicate(%x: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.while' op C1: cond returns tensor<i32>, expected tensor<i1>}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @c2(%x: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.while' op C2: body returns tensor<i1> as value 0, expected tensor<i32> as in the operands}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i32>):
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>):
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @c3(%x: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.while' op C3: result 0 is tensor<2xi32>, expected the type of the operand, tensor<i32>}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i32>):
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<2xi32>
  return
}

// -----

func.func @c1_scale(%x: tensor<2x!quant.uniform<i8:f32, 0.5:0>>, %p: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.while' op C1: argument 0 of cond is tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>, expected the type of the operand, tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<2x!quant.uniform<i8:f32, 0.25:0>>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<2x!quant.uniform<i8:f32, 0.5:0>>):
    stablehlo.return %a : tensor<2x!quant.uniform<i8:f32, 0.5:0>>
  }) : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:0>>
  return
}
