// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<4xf32>, %s: tensor<2xf64>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C1: source has element type f64, expected the operand's f32}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf64>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @c2(%x: tensor<4xf32>, %s: tensor<3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C2: source has shape [3], expected [2], one element per window}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @c3(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f64>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C3: init_value has element type f64, expected the operand's f32}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f64>) -> tensor<4xf32>
  return
}

// -----

func.func @c4(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C4: window_dimensions has length 2, expected 1, one entry per window dimension}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @c5(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C5: window_dimensions[0] is 0, expected a positive number}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 0>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @c6(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C6: window_strides has length 2, expected 1, one entry per window dimension}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2, 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @c7(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C7: window_strides[0] is 0, expected a positive number}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 0>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @c8(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C8: padding has shape [2, 2], expected [1, 2]}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<2x2xi64>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @c9(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C9: argument 0 of select has type tensor<f64>, expected tensor<f32>}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @c9_returns(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C9: select returns tensor<f32>, expected tensor<i1>}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @c10(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C10: the body returns element type i32, expected f32 or a type to which it can be promoted}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%m) : (tensor<i32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xi32>
  return
}

// -----

func.func @c11(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C11: the result has shape [3], expected the operand's [4]}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @c12(%x: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op C12: the result has element type f64, expected that of scatter, f32}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.compare"(%p, %q) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%m) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf64>
  return
}
