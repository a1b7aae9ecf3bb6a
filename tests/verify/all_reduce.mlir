// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op C1: replica_groups contain id 1 twice, expected each id once}}
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1], [1, -1]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c3(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op C3: replica_groups contain id 3, expected each id in [0, 2) once}}
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 3]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c4(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op C4: use_global_device_ids requires a channel_handle above 0, got -1}}
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = -1, type = 0>, replica_groups = dense<[[0]]> : tensor<1x1xi64>, use_global_device_ids} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c5(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op C5: the body returns element type i32, expected f32 or a type to which it can be promoted}}
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @c6(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op C6: result 0 is tensor<3xf32>, expected the shape of operand 0, tensor<2xf32>}}
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @c7(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op C7: result 0 is tensor<2xf32>, expected the element type that the body returns, f64}}
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
