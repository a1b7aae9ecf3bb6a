// RUN: tessera check %s

// Powers of two in a loop inside a loop; the outer one carries several values and captures %one.
func.func @main() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %acc = stablehlo.constant dense<1.0> : tensor<2xf32>
  %r:3 = stablehlo.while(%i = %zero, %x = %acc, %steps = %zero) : tensor<i32>, tensor<2xf32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.add %x, %x : tensor<2xf32>
    %inner:2 = stablehlo.while(%k = %zero, %s = %steps) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %k1 = stablehlo.add %k, %one : tensor<i32>
      %s1 = stablehlo.add %s, %one : tensor<i32>
      stablehlo.return %k1, %s1 : tensor<i32>, tensor<i32>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %y, %inner#1 : tensor<i32>, tensor<2xf32>, tensor<i32>
  }
  check.expect_eq_const %r#0, dense<4> : tensor<i32>
  check.expect_eq_const %r#1, dense<16.0> : tensor<2xf32>
  check.expect_eq_const %r#2, dense<6> : tensor<i32>
  return
}

// -----

// Never entered: the operands come back. Generic spelling, a token among them.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xui8>
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = "stablehlo.while"(%x, %t) ({
  ^bb0(%a: tensor<2xui8>, %b: !stablehlo.token):
    %f = stablehlo.constant dense<false> : tensor<i1>
    "stablehlo.return"(%f) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<2xui8>, %b: !stablehlo.token):
    %y = stablehlo.add %a, %a : tensor<2xui8>
    "stablehlo.return"(%y, %b) : (tensor<2xui8>, !stablehlo.token) -> ()
  }) : (tensor<2xui8>, !stablehlo.token) -> (tensor<2xui8>, !stablehlo.token)
  check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xui8>
  return
}

// -----

// A hundred thousand iterations take no more memory than one.
func.func @main() {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<100000> : tensor<i64>
  %v = stablehlo.constant dense<0> : tensor<64xi64>
  %ones = stablehlo.constant dense<1> : tensor<64xi64>
  %r:2 = stablehlo.while(%i = %zero, %x = %v) : tensor<i64>, tensor<64xi64>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %y = stablehlo.add %x, %ones : tensor<64xi64>
    stablehlo.return %j, %y : tensor<i64>, tensor<64xi64>
  }
  check.expect_eq_const %r#1, dense<100000> : tensor<64xi64>
  return
}
