// RUN: not tessera run --memory=1 %s 2>&1 | FileCheck %s
// A tensor of 4 GiB does not fit into the limit of 1 GiB.
// CHECK: memory.mlir:[[#@LINE+2]]:8: error: 'stablehlo.iota' op: values take 0 bytes and 4294967{{[0-9]+}} more are needed, over the limit of 1073741824
func.func @main() -> tensor<1073741824xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<1073741824xf32>
  return %0 : tensor<1073741824xf32>
}
