// Ops that are not in the table: refused by name, or kept with everything they have.
// RUN: not tessera parse %s 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: tessera parse --allow-unregistered %s | FileCheck %s
// RUN: tessera parse --allow-unregistered --round-trip %s | FileCheck %s --check-prefix=ROUND

// REFUSED: [[@LINE+9]]:14: error: unknown op 'other.thing'
// REFUSED-NOT: error:
// CHECK: %0:3 = "other.thing"(%arg0) <{p = 1 : i64}> ({
// CHECK: ^bb0(%arg1: i32):
// CHECK: "other.end"(%arg1) : (i32) -> ()
// CHECK: }, {
// CHECK: }) {q = #other.attr<[1] -> "x">, r} : (tensor<f32>) -> (i32, !other.type<4>, tensor<f32>)
// ROUND: 1 passed, 0 failed
func.func @f(%a: tensor<f32>) -> tensor<f32> {
  %x:2, %y = "other.thing"(%a) <{p = 1}> ({
  ^bb0(%i: i32):
    "other.end"(%i) : (i32) -> ()
  }, {
  }) {q = #other.attr<[1] -> "x">, r} : (tensor<f32>) -> (i32, !other.type<4>, tensor<f32>)
  return %y : tensor<f32>
}
