// RUN: tessera run --engine=eval %s --replicas=2 --partitions=2 --args='[dense<1> : tensor<ui32>]' | FileCheck %s
// RUN: not tessera run --engine=eval %s --partitions=0 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: // process (0, 0)
// CHECK-NEXT: tensor<ui32> {2}
// CHECK: // process (1, 1)
// CHECK-NEXT: tensor<ui32> {4}
// NONE: must be at least 1
func.func @main(%x: tensor<ui32>) -> tensor<ui32> {
  %p = stablehlo.partition_id : tensor<ui32>
  %0 = stablehlo.add %x, %p : tensor<ui32>
  %1 = "stablehlo.all_reduce"(%0) ({
  ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
    %s = stablehlo.add %a, %b : tensor<ui32>
    stablehlo.return %s : tensor<ui32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<ui32>) -> tensor<ui32>
  return %1 : tensor<ui32>
}
