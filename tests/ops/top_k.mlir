// RUN: tessera check %s
// top_k: the largest entries along the last dimension and where they were.

func.func @integers() {
  %a = stablehlo.constant dense<[[3, 1, 4, 1], [2, 7, 1, 8]]> : tensor<2x4xi32>
  %v, %i = chlo.top_k(%a, k = 2) : tensor<2x4xi32> -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %v, dense<[[4, 3], [8, 7]]> : tensor<2x2xi32>
  check.expect_eq_const %i, dense<[[2, 0], [3, 1]]> : tensor<2x2xi32>
  return
}

// -----

func.func @generic_ties() {
  %a = stablehlo.constant dense<[5, 5, 6, 5]> : tensor<4xui8>
  %r:2 = "chlo.top_k"(%a) <{k = 3 : i64}> : (tensor<4xui8>) -> (tensor<3xui8>, tensor<3xi32>)
  check.expect_eq_const %r#0, dense<[6, 5, 5]> : tensor<3xui8>
  check.expect_eq_const %r#1, dense<[2, 0, 1]> : tensor<3xi32>
  return
}

// -----

func.func @total_order() {
  %a = stablehlo.constant dense<[-0.0, 0x7F800000, 0.0, 0x7FC00000, -1.0, 0xFF800000]> : tensor<6xf32>
  %v, %i = chlo.top_k(%a, k = 6) : tensor<6xf32> -> (tensor<6xf32>, tensor<6xi32>)
  check.expect_eq_const %i, dense<[3, 1, 2, 0, 4, 5]> : tensor<6xi32>
  return
}

// -----

func.func @signed_bytes() {
  %a = stablehlo.constant dense<[-1, 127, -128, 0]> : tensor<4xi8>
  %v, %i = chlo.top_k(%a, k = 4) : tensor<4xi8> -> (tensor<4xi8>, tensor<4xi32>)
  check.expect_eq_const %v, dense<[127, 0, -1, -128]> : tensor<4xi8>
  %b = stablehlo.constant dense<[-2.0, 1.5, -3.0]> : tensor<3xbf16>
  %w, %j = chlo.top_k(%b, k = 1) : tensor<3xbf16> -> (tensor<1xbf16>, tensor<1xi32>)
  check.expect_eq_const %j, dense<1> : tensor<1xi32>
  return
}

// -----

func.func @none() {
  %a = stablehlo.constant dense<1> : tensor<2x3xi32>
  %v, %i = chlo.top_k(%a, k = 0) : tensor<2x3xi32> -> (tensor<2x0xi32>, tensor<2x0xi32>)
  check.expect_eq_const %v, dense<> : tensor<2x0xi32>
  return
}
