// RUN: tessera check %s

// Each index takes its branch; one out of range takes the last.
func.func @pick(%i: tensor<i32>) -> (tensor<2xf32>, tensor<i1>) {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r:2 = "stablehlo.case"(%i) ({
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %a, %t : tensor<2xf32>, tensor<i1>
  }, {
    %n = stablehlo.negate %a : tensor<2xf32>
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %n, %t : tensor<2xf32>, tensor<i1>
  }, {
    %s = stablehlo.add %a, %a : tensor<2xf32>
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %s, %t : tensor<2xf32>, tensor<i1>
  }) : (tensor<i32>) -> (tensor<2xf32>, tensor<i1>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<i1>
}
func.func @main() {
  %m1 = stablehlo.constant dense<-1> : tensor<i32>
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %2 = stablehlo.constant dense<2> : tensor<i32>
  %9 = stablehlo.constant dense<2147483647> : tensor<i32>
  %a:2 = call @pick(%0) : (tensor<i32>) -> (tensor<2xf32>, tensor<i1>)
  check.expect_eq_const %a#0, dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %a#1, dense<true> : tensor<i1>
  %b:2 = call @pick(%1) : (tensor<i32>) -> (tensor<2xf32>, tensor<i1>)
  check.expect_eq_const %b#0, dense<[-1.0, -2.0]> : tensor<2xf32>
  check.expect_eq_const %b#1, dense<false> : tensor<i1>
  %c:2 = call @pick(%2) : (tensor<i32>) -> (tensor<2xf32>, tensor<i1>)
  check.expect_eq_const %c#0, dense<[2.0, 4.0]> : tensor<2xf32>
  %d:2 = call @pick(%m1) : (tensor<i32>) -> (tensor<2xf32>, tensor<i1>)
  check.expect_eq_const %d#0, dense<[2.0, 4.0]> : tensor<2xf32>
  %e:2 = call @pick(%9) : (tensor<i32>) -> (tensor<2xf32>, tensor<i1>)
  check.expect_eq_const %e#0, dense<[2.0, 4.0]> : tensor<2xf32>
  return
}

// -----

// One branch, no results, a token, an empty tensor.
func.func @main() {
  %i = stablehlo.constant dense<5> : tensor<i32>
  %z = stablehlo.constant dense<> : tensor<0x3xi8>
  "stablehlo.case"(%i) ({
    stablehlo.return
  }) : (tensor<i32>) -> ()
  %t, %e = "stablehlo.case"(%i) ({
    %a = stablehlo.after_all : !stablehlo.token
    stablehlo.return %a, %z : !stablehlo.token, tensor<0x3xi8>
  }) : (tensor<i32>) -> (!stablehlo.token, tensor<0x3xi8>)
  check.expect_eq_const %e, dense<> : tensor<0x3xi8>
  return
}
