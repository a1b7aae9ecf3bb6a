// RUN: tessera check %s

// A composite means what its decomposition computes; its attributes and version change nothing.
func.func private @twice_plus(%x: tensor<2xi32>, %y: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = stablehlo.add %x, %x : tensor<2xi32>
  %1 = stablehlo.add %0, %y : tensor<2xi32>
  return %1, %0 : tensor<2xi32>, tensor<2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %0:2 = stablehlo.composite "my.twice_plus" %x, %y {composite_attributes = {k = 1 : i64}, decomposition = @twice_plus, version = 3 : i32} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  %1:2 = "stablehlo.composite"(%y, %x) {name = "my.ns.twice_plus", decomposition = @twice_plus} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[12, 24]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[2, 4]> : tensor<2xi32>
  check.expect_eq_const %1#0, dense<[21, 42]> : tensor<2xi32>
  return
}
