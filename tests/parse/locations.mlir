// Locations in every form, before and behind their definition, on ops, arguments, functions and modules.
// RUN: tessera parse --locations %s | FileCheck %s
// RUN: tessera parse %s | FileCheck %s --check-prefix=PLAIN
// RUN: tessera parse --round-trip %s | FileCheck %s --check-prefix=ROUND

// CHECK: func.func @f(%arg0: tensor<f32> loc("a"), %arg1: tensor<f32> loc(unknown))
// CHECK: stablehlo.add %arg0, %arg1 : tensor<f32> loc(#[[CALL:loc[0-9]*]])
// CHECK: stablehlo.negate %0 : tensor<f32> loc(#[[FUSED:loc[0-9]*]])
// CHECK: return %1 : tensor<f32> loc(#[[FILE:loc[0-9]*]])
// CHECK: } loc(#[[FILE]])
// CHECK-DAG: #[[FILE]] = loc("x.py":1:1)
// CHECK-DAG: #[[RANGE:loc[0-9]*]] = loc("r.py":1:2 to 5:6)
// CHECK-DAG: #[[NAME:loc[0-9]*]] = loc("q"(#[[RANGE]]))
// CHECK-DAG: #[[CALL]] = loc(callsite(#[[FILE]] at #[[NAME]]))
// CHECK-DAG: #[[FUSED]] = loc(fused<{a = 1 : i64}>[#[[FILE]], #[[CALL]]])
// PLAIN-NOT: loc(
// ROUND: 1 passed, 0 failed
#here = loc("x.py":1:1)
module {
  func.func @f(%a: tensor<f32> loc("a"), %b: tensor<f32> loc(unknown)) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<f32> loc(#below)
    %1 = stablehlo.negate %0 : tensor<f32> loc(fused<{a = 1}>[#here, #below])
    return %1 : tensor<f32> loc(#here)
  } loc(#here)
}
#below = loc(callsite(#here at "q"("r.py":1:2 to 5:6)))
