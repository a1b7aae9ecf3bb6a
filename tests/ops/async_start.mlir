// RUN: tessera check %s

func.func @work(%x: tensor<2xi32>) -> tensor<2xi32> {
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xi32>):
    %s = "stablehlo.all_reduce"(%a) ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %m = stablehlo.maximum %p, %q : tensor<i32>
      stablehlo.return %m : tensor<i32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
    stablehlo.return %s : tensor<2xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<2xi32>>
  %y = stablehlo.add %x, %x : tensor<2xi32>
  %d = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xi32>>) -> tensor<2xi32>
  %r = stablehlo.add %y, %d : tensor<2xi32>
  return %r : tensor<2xi32>
}
func.func @main() {
  %a = stablehlo.constant dense<[1, 20]> : tensor<2xi32>
  %b = stablehlo.constant dense<[10, 2]> : tensor<2xi32>
  %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@work], [@work]]} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[12, 60]> : tensor<2xi32>
  check.expect_eq_const %r#1, dense<[30, 24]> : tensor<2xi32>
  return
}
