// RUN: not tessera check %s > %t; FileCheck %s < %t
// RUN: not tessera check --json %s > %t; FileCheck %s --check-prefix=JSON < %t

// Every failed check is told with its place, both values, and how many differ; the run goes on.
// CHECK: failed: {{.*}}failing.mlir segment 0 (line 1)
// CHECK-NEXT: failing.mlir:{{[0-9]+}}:3: element [1] of tensor<3xi32> is 2, expected 5; 1 of 3 elements are at odds
// CHECK-NEXT: failing.mlir:{{[0-9]+}}:3: element [] of tensor<f32> is 1.000000e+00, expected 1.00000048, 4 ULP apart (allowed 3); 1 of 1 elements are at odds
// CHECK-NEXT: failing.mlir:{{[0-9]+}}:3: element [] of tensor<f32> is 0x7FC00000, expected 0x7FC00000; 1 of 1 elements are at odds
// CHECK-NEXT: failed: {{.*}} segment 2
// CHECK-NEXT: error: {{.*}}
// CHECK: 2 passed, 2 failed, 0 skipped
// JSON: "segment":0,"line":1,"status":"failed","reason":"{{.*}}at odds{{.*}}","disabled":false,"checks":4,"failed_checks":3,"max_ulp":4
// JSON: "segment":1,{{.*}}"status":"passed","reason":null
// JSON: "segment":2,{{.*}}"status":"failed"
// JSON: "segment":3,{{.*}}"reason":"takes arguments: not run, only read, verified, printed and read back"
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  check.expect_eq_const %x, dense<[1, 5, 3]> : tensor<3xi32>
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<0x3F800004> : tensor<f32>
  stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
  %n = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  check.expect_eq %n, %n : tensor<f32>
  check.expect_almost_eq %n, %n : tensor<f32>
  return
}

// -----

func.func @only() {
  %x = stablehlo.constant dense<1.0> : tensor<f16>
  check.expect_almost_eq_const %x, dense<1.05> : tensor<f16> {tolerance = 0.1 : f64}
  return
}

// -----

func.func @wrong() -> tensor<f32> {
  %x = stablehlo.constant dense<1> : tensor<i32>
  return %x : tensor<i32>
}

// -----

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
