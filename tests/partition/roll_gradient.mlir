// The gradient of a roll: two slices are padded to the whole and added. Each device sends a row to the one before it, the first to the
// last: a row that stands alone goes where its place is, not to all, and nobody sends nothing.
// RUN: tessera partition %s --verify --poison --stats 2>&1 >/dev/null | FileCheck %s
// RUN: sed -e 's/16x8/18x8/g' -e 's/15x8/17x8/g' -e 's/1:16/1:18/' -e 's/low = .15/low = [17/' %s | tessera partition --verify --poison 2>&1 >/dev/null | FileCheck %s --check-prefix=UNEVEN
// CHECK: 1 collective_permute 3 pairs 24 bytes over r
// CHECK-NEXT: 1 collective_permute 1 pair 8 bytes over r
// CHECK-NEXT: 4 devices, 2 collectives
// CHECK: verified on 4 devices
// UNEVEN: verified on 4 devices
sdy.mesh @mesh = <["r"=4]>
func.func @main(%y: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"r"}, {}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"r"}, {}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.slice %y [0:1, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
  %1 = stablehlo.slice %y [1:16, 0:8] : (tensor<16x8xf32>) -> tensor<15x8xf32>
  %2 = stablehlo.pad %1, %zero, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<15x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %3 = stablehlo.pad %0, %zero, low = [15, 0], high = [0, 0], interior = [0, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %4 = stablehlo.add %3, %2 : tensor<16x8xf32>
  return %4 : tensor<16x8xf32>
}
