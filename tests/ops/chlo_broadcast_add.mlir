// RUN: tessera check %s

func.func @broadcast() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %r = chlo.broadcast_add %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[11, 22, 33], [14, 25, 36]]> : tensor<2x3xi32>
  return
}

// -----

func.func @dimensions() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %r = "chlo.broadcast_add"(%x, %y) {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[11, 12, 13], [24, 25, 26]]> : tensor<2x3xi32>
  return
}

// -----

func.func @both_stretch() {
  %x = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %y = stablehlo.constant dense<[[10, 20, 30]]> : tensor<1x3xi32>
  %r = chlo.broadcast_add %x, %y : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[11, 21, 31], [12, 22, 32]]> : tensor<2x3xi32>
  %k = stablehlo.constant dense<5> : tensor<i32>
  %s = chlo.broadcast_add %k, %x : (tensor<i32>, tensor<2x1xi32>) -> tensor<2x1xi32>
  check.expect_eq_const %s, dense<[[6], [7]]> : tensor<2x1xi32>
  %e = stablehlo.constant dense<> : tensor<0x1xi32>
  %z = chlo.broadcast_add %e, %y : (tensor<0x1xi32>, tensor<1x3xi32>) -> tensor<0x3xi32>
  check.expect_eq_const %z, dense<> : tensor<0x3xi32>
  return
}
