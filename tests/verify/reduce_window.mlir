// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x0: tensor<4x2xf32>, %x1: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C1: }}
  %r0 = "stablehlo.reduce_window"(%x0, %x1, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c2(%x0: tensor<4x2xf32>, %x1: tensor<3x2xf32>, %z0: tensor<f32>, %z1: tensor<f32>) {
  // expected-error@+1 {{C2: }}
  %r0, %r1 = "stablehlo.reduce_window"(%x0, %x1, %z0, %z1) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<f32>, %t: tensor<f32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<3x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  return
}

// -----

func.func @c3(%x0: tensor<4x2xf32>, %z0: tensor<f64>) {
  // expected-error@+1 {{C3: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<f64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c4(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C4: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c5(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C5: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 0>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c6(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C6: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c7(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C7: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, -1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c8(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C8: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, base_dilations = array<i64: 1, 1, 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c9(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C9: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, base_dilations = array<i64: 0, 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c10(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C10: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_dilations = array<i64: 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c11(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C11: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_dilations = array<i64: 1, 0>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c12(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C12: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, padding = dense<0> : tensor<1x2xi64>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @c13(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C13: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%m) : (tensor<i32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @c14(%x0: tensor<4x2xf32>, %x1: tensor<4x2xf32>, %z0: tensor<f32>, %z1: tensor<f32>) {
  // expected-error@+1 {{C14: }}
  %r0, %r1 = "stablehlo.reduce_window"(%x0, %x1, %z0, %z1) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<f32>, %t: tensor<f32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<3x2xf32>, tensor<4x2xf32>)
  return
}

// -----

func.func @c15(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C15: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c15_overflow(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C15: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, padding = dense<[[9223372036854775807, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @c16(%x0: tensor<4x2xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C16: }}
  %r0 = "stablehlo.reduce_window"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<4x2xf32>, tensor<f32>) -> tensor<3x2xf64>
  return
}

// -----

func.func @padding_type(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{padding has elements of type i32, expected i64}}
  %r = "stablehlo.reduce_window"(%x, %z) <{padding = dense<1> : tensor<1x2xi32>, window_dimensions = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  return
}
