// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x0: tensor<4x2xf32>, %x1: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C1: there are 3 operands, expected an even number: the inputs and one init value for each}}
  %r0 = "stablehlo.reduce_window"(%x0, %x1, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c2(%x0: tensor<4x2xf32>, %x1: tensor<3x2xf32>, %z0: tensor<f32>, %z1: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C2: input 1 has shape [3, 2], expected the shape of input 0, [4, 2]}}
  %r0, %r1 = "stablehlo.reduce_window"(%x0, %x1, %z0, %z1) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<f32>, %t: tensor<f32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<3x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  return
}

// -----

func.func @c3(%x0: tensor<4x2xf32>, %z0: tensor<f64>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C3: input 0 has element type f32 and its init value f64, expected equal}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<f64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c4(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C4: window_dimensions has length 1, expected 2, one entry per window dimension}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c5(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C5: window_dimensions[1] is 0, expected a positive number}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 0>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c6(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C6: window_strides has length 1, expected 2, one entry per window dimension}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c7(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C7: window_strides[1] is -1, expected a positive number}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, -1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c8(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C8: base_dilations has length 3, expected 2, one entry per window dimension}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, base_dilations = array<i64: 1, 1, 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c9(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C9: base_dilations[0] is 0, expected a positive number}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, base_dilations = array<i64: 0, 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c10(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C10: window_dilations has length 1, expected 2, one entry per window dimension}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_dilations = array<i64: 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c11(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C11: window_dilations[1] is 0, expected a positive number}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_dilations = array<i64: 1, 0>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c12(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C12: padding has shape [1, 2], expected [2, 2]}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, padding = dense<0> : tensor<1x2xi64>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c13(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C13: the body returns element type i32, expected f32 or a type to which it can be promoted}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%m) : (tensor<i32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @c14(%x0: tensor<4x2xf32>, %x1: tensor<4x2xf32>, %z0: tensor<f32>, %z1: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C14: result 1 has shape [4, 2], expected the shape of result 0, [3, 2]}}
  %r0, %r1 = "stablehlo.reduce_window"(%x0, %x1, %z0, %z1) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<f32>, %t: tensor<f32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<3x2xf32>, tensor<4x2xf32>)
  return
}

// -----

func.func @c15(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C15: result 0 has shape [4, 2], expected [3, 2]}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c15_overflow(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C15: the padded size of dimension 0 exceeds 64 bits}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, padding = dense<[[9223372036854775807, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c16(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C16: result 0 has element type f64, expected the type that the body returns, f32}}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf64>
  return
}

// -----

func.func @padding_type(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op C12: padding has element type i32, expected i64}}
  %r = "stablehlo.reduce_window"(%x, %z) <{padding = dense<1> : tensor<1x2xi32>, window_dimensions = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  return
}
