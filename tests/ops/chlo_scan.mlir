// RUN: tessera check %s

func.func @running_product() {
  %x = stablehlo.constant dense<2> : tensor<4xi32>
  %i = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = chlo.scan(%x) inits(%i) dimension=0 {
  ^bb0(%a: tensor<i32>, %c: tensor<i32>):
    %m = stablehlo.multiply %a, %c : tensor<i32>
    stablehlo.return %m, %m : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  check.expect_eq_const %r#0, dense<[4, 8, 16, 32]> : tensor<4xi32>
  check.expect_eq_const %r#1, dense<32> : tensor<i32>
  return
}

// -----

func.func @columns_backwards() {
  %x = stablehlo.constant dense<[[-2.3125, 3.4375, 0.75], [-3.5625, -1.875, 2.5]]> : tensor<2x3xf32>
  %i = stablehlo.constant dense<0.0> : tensor<2xf32>
  %r:2 = chlo.scan(%x) inits(%i) dimension=1 attributes {is_reverse = true} {
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>):
    %m = stablehlo.add %a, %c : tensor<2xf32>
    stablehlo.return %m, %m : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  check.expect_eq_const %r#0, dense<[[1.875, 4.1875, 0.75], [-2.9375, 0.625, 2.5]]> : tensor<2x3xf32>
  check.expect_eq_const %r#1, dense<[1.875, -2.9375]> : tensor<2xf32>
  return
}

// -----

func.func @no_steps() {
  %x = stablehlo.constant dense<> : tensor<0xi64>
  %i = stablehlo.constant dense<5> : tensor<i64>
  %r:2 = chlo.scan(%x) inits(%i) dimension=0 {
  ^bb0(%a: tensor<i64>, %c: tensor<i64>):
    %m = stablehlo.add %a, %c : tensor<i64>
    stablehlo.return %a, %m : tensor<i64>, tensor<i64>
  } : (tensor<0xi64>, tensor<i64>) -> (tensor<0xi64>, tensor<i64>)
  check.expect_eq_const %r#0, dense<> : tensor<0xi64>
  check.expect_eq_const %r#1, dense<5> : tensor<i64>
  return
}
