// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op C1: scatter_dimension 0 of tensor<4xf32> has size 4, expected a multiple of the group size 3}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, scatter_dimension = 0 : i64} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op C2: scatter_dimension is 1, expected it in [0, 1), a dimension of tensor<4xf32>}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op C3: replica_groups contain id 0 twice, expected each id once}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c5(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op C5: replica_groups contain id 7, expected each id in [0, 2) once}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 7]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c6(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op C6: use_global_device_ids requires a channel_handle above 0, got 0}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c7(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op C7: the body returns element type i8, expected f32 or a type to which it can be promoted}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %s = stablehlo.add %a, %b : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64} : (tensor<4xf32>) -> tensor<2xi8>
  return
}

// -----

func.func @c8(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op C8: dimension 0 of result 0 has size 4, expected 2}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c9(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op C9: result 0 is tensor<2xf32>, expected the element type that the body returns, f64}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64} : (tensor<4xf32>) -> tensor<2xf32>
  return
}
