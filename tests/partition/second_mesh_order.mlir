// RUN: tessera partition --verify %s > /dev/null 2> %t
// RUN: FileCheck %s < %t
// An argument on a second mesh over the same devices in another order: its axes are not those of the first.
// CHECK: verified on 4 devices: 2 results agree
module {
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=1, "b"=2, "c"=2], device_ids=[2, 3, 1, 0]>
func.func public @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %b: tensor<6xf32> {sdy.sharding = #sdy.sharding<@other, [{"c"}]>}) -> (tensor<3xf32>, tensor<6xf32>) {
  %0 = stablehlo.slice %b [0:3] : (tensor<6xf32>) -> tensor<3xf32>
  return %0, %a : tensor<3xf32>, tensor<6xf32>
}
}
