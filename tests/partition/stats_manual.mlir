// A manual computation is what each device does: the whole is as often as there are devices along its axes.
// RUN: tessera partition %s --stats 2>&1 -o /dev/null | FileCheck %s
// CHECK: 1.02e+03 FLOPs per device, 1.00 times the ideal (global FLOPs / devices)
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%c: tensor<2x16xf32>, %d: tensor<16x16xf32>) {
    %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<2x16xf32>, tensor<16x16xf32>) -> tensor<2x16xf32>
    sdy.return %1 : tensor<2x16xf32>
  } : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
