// RUN: tessera check %s

// Captured values, nested branches, one side does not run.
func.func @abs_or_double(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %ten = stablehlo.constant dense<10.0> : tensor<f64>
  %neg = stablehlo.compare LT, %x, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %big = stablehlo.compare GT, %x, %ten : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %r = "stablehlo.if"(%neg) ({
    %n = stablehlo.negate %x : tensor<f64>
    stablehlo.return %n : tensor<f64>
  }, {
    %d = "stablehlo.if"(%big) ({
      %s = stablehlo.add %x, %x : tensor<f64>
      "stablehlo.return"(%s) : (tensor<f64>) -> ()
    }, {
      "stablehlo.return"(%x) : (tensor<f64>) -> ()
    }) : (tensor<i1>) -> tensor<f64>
    stablehlo.return %d : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %r : tensor<f64>
}
func.func @main() {
  %a = stablehlo.constant dense<-3.0> : tensor<f64>
  %b = stablehlo.constant dense<4.0> : tensor<f64>
  %c = stablehlo.constant dense<12.0> : tensor<f64>
  %0 = call @abs_or_double(%a) : (tensor<f64>) -> tensor<f64>
  %1 = call @abs_or_double(%b) : (tensor<f64>) -> tensor<f64>
  %2 = call @abs_or_double(%c) : (tensor<f64>) -> tensor<f64>
  check.expect_eq_const %0, dense<3.0> : tensor<f64>
  check.expect_eq_const %1, dense<4.0> : tensor<f64>
  check.expect_eq_const %2, dense<24.0> : tensor<f64>
  return
}

// -----

func.func @main() {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %e = stablehlo.constant dense<> : tensor<0xcomplex<f32>>
  "stablehlo.if"(%t) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  %r:2 = "stablehlo.if"(%t) ({
    stablehlo.return %e, %t : tensor<0xcomplex<f32>>, tensor<i1>
  }, {
    stablehlo.return %e, %t : tensor<0xcomplex<f32>>, tensor<i1>
  }) : (tensor<i1>) -> (tensor<0xcomplex<f32>>, tensor<i1>)
  check.expect_eq_const %r#0, dense<> : tensor<0xcomplex<f32>>
  check.expect_eq_const %r#1, dense<true> : tensor<i1>
  return
}
