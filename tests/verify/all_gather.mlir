// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op C1: all_gather_dim is 1, expected it in [0, 1), a dimension of tensor<2xf32>}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c2(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op C2: replica_groups contain id 0 twice, expected each id once}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c4(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op C4: replica_groups contain id 2, expected each id in [0, 2) once}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c5(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op C5: use_global_device_ids requires a channel_handle above 0, got 0}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c6(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op C6: dimension 0 of result 0 has size 6, expected the operand's 2 times the group size 2}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<6xf32>
  return
}

// -----

// Across replicas and partitions the size of a group depends on the grid.
func.func @c6_open(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op C6: dimension 0 of result 0 has size 5, expected a multiple of the operand's 2}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @c6_count(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op C6: the numbers of operands and results are 1 and 2, expected equal}}
  %0:2 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @c6_type(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op C6: result 0 is tensor<4x4xf32>, expected tensor<2x3xf32> except for the size of dimension 0}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<4x4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @axis(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op its replica_groups use the axis or sub-axis "y", which its mesh does not have}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @per_axis(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) {
  // expected-error@+1 {{'stablehlo.all_gather' op operand 0 must be a tensor or a per-tensor quantized tensor, got tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>
  return
}

// -----

func.func @token(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.all_gather' op operand 0 is !stablehlo.token, expected a tensor}}
  %0 = "stablehlo.all_gather"(%t) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (!stablehlo.token) -> !stablehlo.token
  return
}
