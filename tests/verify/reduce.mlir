// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x0: tensor<2x3xf32>, %x1: tensor<3x2xf32>, %z0: tensor<f32>, %z1: tensor<f32>) {
  // expected-error@+1 {{C1: }}
  %r0, %r1 = "stablehlo.reduce"(%x0, %x1, %z0, %z1) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<f32>, %t: tensor<f32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @c2(%x0: tensor<2x3xf32>, %z0: tensor<f64>) {
  // expected-error@+1 {{C2: }}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<f64>) -> tensor<3xf32>
  return
}

// -----

func.func @c3(%x0: tensor<2x3xf32>, %x1: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C3: }}
  %r0 = "stablehlo.reduce"(%x0, %x1, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @c4(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C4: }}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c4_negative(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C4: }}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: -1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c5(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C5: }}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @c6_narrower(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C6: }}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f16>, %q: tensor<f16>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f16>, tensor<f16>) -> tensor<f16>
    "stablehlo.return"(%m) : (tensor<f16>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf16>
  return
}

// -----

func.func @c6_kind(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C6: }}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%m) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xi32>
  return
}

// -----

func.func @c6_arguments(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C6: }}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<f32>, %t: tensor<f32>):
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @c7(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C7: }}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @c8(%x0: tensor<2x3xf32>, %z0: tensor<f32>) {
  // expected-error@+1 {{C8: }}
  %r0 = "stablehlo.reduce"(%x0, %z0) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf64>
  return
}
