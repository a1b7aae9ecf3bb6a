// RUN: tessera optimize %s --stats 2>&1 | FileCheck %s
// CHECK: tessera: no pass found anything to change
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
