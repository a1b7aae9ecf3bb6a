// What is only declared stays, without shardings: the mesh that they speak of is gone.
// RUN: tessera partition %s | FileCheck %s
// CHECK: func.func private @f(tensor<4x6xf32> {x.y = 1 : i64}) -> tensor<2xf32>
sdy.mesh @mesh = <["x"=2]>
func.func private @f(tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, x.y = 1 : i64}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
