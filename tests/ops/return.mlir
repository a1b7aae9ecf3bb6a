// RUN: tessera check %s

// Ends regions: with values, without, in both spellings.
func.func @main() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r:2 = "stablehlo.if"(%p) ({
    stablehlo.return %x, %p : tensor<2xi32>, tensor<i1>
  }, {
    "stablehlo.return"(%x, %p) : (tensor<2xi32>, tensor<i1>) -> ()
  }) : (tensor<i1>) -> (tensor<2xi32>, tensor<i1>)
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    "stablehlo.return"() : () -> ()
  }) : (tensor<i1>) -> ()
  check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi32>
  return
}
