// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op C1: source_target_pairs have type tensor<1x3xi64>, expected shape [N, 2]}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @c2(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op C2: source 0 occurs in two source_target_pairs, expected at most one}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @c3(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op C3: target 1 occurs in two source_target_pairs, expected at most one}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @c4(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op C4: source_target_pairs contain id -1, expected ids of at least 0}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @c5(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op C5: channel_handle has type 2, expected 3 (HOST_TO_DEVICE) because is_host_transfer is true}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @c6(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op C6: has no results, expected at least a token}}
  "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false} : (!stablehlo.token) -> ()
  return
}

// -----

func.func @c7(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op C7: result 0 is !stablehlo.token, expected a tensor}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false} : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

func.func @c8(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op C8: the last result is tensor<2xf32>, expected !stablehlo.token}}
  %0 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false} : (!stablehlo.token) -> tensor<2xf32>
  return
}

// -----

func.func @operand(%x: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.recv' op operand is tensor<2xf32>, expected !stablehlo.token}}
  %0 = "stablehlo.recv"(%x) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (tensor<2xf32>) -> !stablehlo.token
  return
}
