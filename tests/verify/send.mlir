// RUN: tessera parse --verify-diagnostics %s

func.func @c1(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.send' op C1: source_target_pairs have type tensor<1x3xi64>, expected shape [N, 2]}}
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @c2(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.send' op C2: source 0 occurs in two source_target_pairs, expected at most one}}
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @c3(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.send' op C3: target 1 occurs in two source_target_pairs, expected at most one}}
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @c4(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.send' op C4: source_target_pairs contain id -1, expected ids of at least 0}}
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @c5(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.send' op C5: channel_handle has type 1, expected 2 (DEVICE_TO_HOST) because is_host_transfer is true}}
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @payload(%t: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.send' op operand 0 is !stablehlo.token, expected a tensor}}
  %0 = "stablehlo.send"(%t, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  return
}
