// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: all_gather_dim is 1, expected 0 … rank - 1 of tensor<2xf32>}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c2(%x: tensor<2xf32>) {
  // expected-error@+1 {{C2: replica_groups hold 0 twice, expected each id once}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c4(%x: tensor<2xf32>) {
  // expected-error@+1 {{C4: replica_groups hold 2, expected ids 0 … 1, each once}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c5(%x: tensor<2xf32>) {
  // expected-error@+1 {{C5: use_global_device_ids needs a channel_handle above 0, this one is 0}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c6(%x: tensor<2xf32>) {
  // expected-error@+1 {{C6: dimension 0 of result 0 is 6, expected 4: 2 from each of 2 processes}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @c6_partitions(%x: tensor<2xf32>) {
  // expected-error@+1 {{C6: dimension 0 of result 0 is 6, expected a multiple of 4}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @mesh(%x: tensor<2xf32>) {
  // expected-error@+1 {{the mesh its replica_groups name is not in the module}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<2xf32>) -> tensor<4xf32>
  return
}
