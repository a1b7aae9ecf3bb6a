// What the verifier says about the shape of programs: counts, attributes, regions, dominance, symbols, calls.
// RUN: tessera parse --verify-diagnostics %s

func.func @operands(%a: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.add' op expected 2 operands, but found 1}}
  %0 = "stablehlo.add"(%a) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @results(%a: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.negate' op expected 1 result, but found 2}}
  %0:2 = "stablehlo.negate"(%a) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @regions(%a: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.if' op expected 2 regions, but found 1}}
  "stablehlo.if"(%a) ({ stablehlo.return }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @missing(%a: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op requires attribute 'permutation' (an array of 64-bit integers like array<i64: 1, 2>)}}
  %0 = "stablehlo.transpose"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong_shape(%a: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op attribute 'permutation' must be an array of 64-bit integers like array<i64: 1, 2>}}
  %0 = "stablehlo.transpose"(%a) {permutation = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong_class(%a: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.compare' op attribute 'comparison_direction' must be an enum of class #stablehlo.comparison_direction}}
  %0 = "stablehlo.compare"(%a, %a) {comparison_direction = #stablehlo<precision HIGH>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @no_terminator(%a: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.if' op region #0 does not end with a return}}
  %0 = "stablehlo.if"(%a) ({
    %1 = stablehlo.constant dense<0> : tensor<i32>
  }, {
    %1 = stablehlo.constant dense<0> : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return
}

// -----

func.func @early_return(%a: tensor<f32>) {
  // expected-error@+1 {{'func.return' op must be the last op in its block}}
  "func.return"() : () -> ()
  %0 = stablehlo.negate %a : tensor<f32>
}

// -----

func.func @wrong_return(%a: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'sdy.return' op cannot end a 'func.func'; expected 'func.return'}}
  sdy.return %a : tensor<f32>
}

// -----

func.func @returned(%a: tensor<f32>) -> tensor<i32> {
  // expected-error@+1 {{'func.return' op operand 0 has type tensor<f32>, expected tensor<i32>}}
  return %a : tensor<f32>
}

// -----

func.func @returned_count(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-error@+1 {{'func.return' op has 1 operands, expected 2}}
  return %a : tensor<f32>
}

// -----

func.func @declared(%a: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.get_dimension_size' op result 0 has type tensor<i64>, expected tensor<i32> as its operands determine}}
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<2xf32>) -> tensor<i64>
  return
}

// -----

func.func @unknown_callee(%a: tensor<f32>) {
  // expected-error@+1 {{'func.call' op calls @nowhere, which is not a function of this module}}
  %0 = call @nowhere(%a) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func private @f(tensor<i32>) -> tensor<i32>
func.func @call_types(%a: tensor<f32>) {
  // expected-error@+1 {{'func.call' op operand 0 has type tensor<f32>, expected tensor<i32>}}
  %0 = call @f(%a) : (tensor<f32>) -> tensor<i32>
  return
}

// -----

// expected-note@+1 {{@twice is first defined here}}
func.func private @twice()
// expected-error@+1 {{'func.func' op redefines the symbol @twice}}
func.func private @twice()

// -----

func.func @a() {
  call @b() : () -> ()
  return
}
func.func @b() {
  // expected-error@+1 {{'func.call' op calls @a recursively; StableHLO has no recursion}}
  call @a() : () -> ()
  return
}

// -----

// Several errors are gathered before giving up.
func.func @several(%a: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.get_dimension_size' op result 0 has type tensor<i64>, expected tensor<i32> as its operands determine}}
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<2xf32>) -> tensor<i64>
  // expected-error-re@below {{requires attribute '{{[a-z]+}}mutation'}}
  %1 = "stablehlo.transpose"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "stablehlo.negate"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-error@above {{'stablehlo.negate' op expected 1 operand, but found 2}}
  return
}

// -----

func.func @unranked(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.cosine' op result 0 has type tensor<*xf32>, expected a ranked tensor}}
  %0 = "stablehlo.cosine"(%x) : (tensor<2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'sdy.mesh' op must be at the top level of a module}}
  sdy.mesh @mesh = <["a"=2]>
  return %x : tensor<4xf32>
}

// -----

func.func @main(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({
    // expected-error @+1 {{'sdy.mesh' op must be at the top level of a module}}
    "sdy.mesh"() <{sym_name = "mesh", mesh = #sdy.mesh<["a"=2]>}> : () -> ()
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

// -----

module {
  module @inner {
    sdy.mesh @mesh = <["a"=2]>
  }
}
