// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x0: tensor<2x3xf32>, %x1: tensor<3x2xf32>, %z0: tensor<f32>, %z1: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op C1: input 1 has shape [3, 2], expected the shape of input 0, [2, 3]}}
  %r0, %r1 = "stablehlo.reduce"(%x0, %x1, %z0, %z1) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<f32>, %t: tensor<f32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @c2(%x0: tensor<2x3xf32>, %z0: tensor<f64>) {
  // expected-error@+1 {{'stablehlo.reduce' op C2: input 0 has element type f32 and its init value f64, expected equal}}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<f64>) -> tensor<3xf32>
  return
}

// -----

func.func @c3(%x0: tensor<2x3xf32>, %x1: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op C3: there are 3 operands, expected an even number: the inputs and one init value for each}}
  %r0 = "stablehlo.reduce"(%x0, %x1, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @c4(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op C4: dimensions contain 2, expected each in [0, 2)}}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c4_negative(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op C4: dimensions contain -1, expected each in [0, 2)}}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: -1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c5(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op C5: dimension 1 occurs twice in dimensions, expected at most once}}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @c6_narrower(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op C6: the body returns element type f16, expected f32 or a type to which it can be promoted}}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f16>, %q: tensor<f16>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f16>, tensor<f16>) -> tensor<f16>
    "stablehlo.return"(%m) : (tensor<f16>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf16>
  return
}

// -----

func.func @c6_kind(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op C6: the body returns element type i32, expected f32 or a type to which it can be promoted}}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%m) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xi32>
  return
}

// -----

func.func @c6_arguments(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op C6: the body takes 4 arguments, expected 2}}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<f32>, %t: tensor<f32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @c7(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op C7: result 0 has shape [3], expected [2]}}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @c8(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op C8: result 0 has element type f64, expected the type that the body returns, f32}}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf64>
  return
}
