// RUN: not tessera run --engine=eval --memory=1 %s 2>&1 | FileCheck %s
// RUN: not tessera run --engine=eval --memory=1 --entry=inside %s 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not tessera run --engine=eval --memory=1 --entry=arguments %s 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// RUN: not tessera run --engine=eval --memory=1 --partitions=1000 --entry=processes %s 2>&1 | FileCheck %s --check-prefix=PROCESSES
// A result of 4 GiB does not fit into the limit of 1 GiB: nothing runs.
// CHECK: error: @main needs at least 4.0 GiB of memory (arguments 0 bytes, results 4.0 GiB), but --memory allows 1.0 GiB: raise it, or run smaller shapes
func.func @main() -> tensor<1073741824xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<1073741824xf32>
  return %0 : tensor<1073741824xf32>
}
// What types do not show is found when it runs.
// INSIDE: memory.mlir:[[#@LINE+2]]:8: error: 'stablehlo.iota' op: values take 0 bytes and 4294967{{[0-9]+}} more are needed, over the limit of 1073741824
func.func @inside() -> tensor<f32> {
  %0 = stablehlo.iota dim = 0 : tensor<1073741824xf32>
  %1 = stablehlo.slice %0 [0:1] : (tensor<1073741824xf32>) -> tensor<1xf32>
  %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
// An argument that is returned counts once; bits take a byte each.
// ARGUMENTS: error: @arguments needs at least 1.5 GiB of memory (arguments 1.5 GiB, results 0 bytes), but --memory allows 1.0 GiB
func.func @arguments(%a: tensor<1073741824xi1>, %b: tensor<536870912xi4>) -> (tensor<1073741824xi1>, tensor<536870912xi4>, tensor<1073741824xi1>) {
  return %a, %b, %a : tensor<1073741824xi1>, tensor<536870912xi4>, tensor<1073741824xi1>
}
// Each process has its own result.
// PROCESSES: error: @processes needs at least 3.8 GiB of memory (arguments 4.0 MiB, results 3.8 GiB, state of 1000 processes {{.*}}), but --memory allows 1.0 GiB: raise it, or run smaller shapes or fewer devices
func.func @processes(%a: tensor<1048576xi32>) -> tensor<1024x1000xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<1024x1000xf32>
  return %0 : tensor<1024x1000xf32>
}
