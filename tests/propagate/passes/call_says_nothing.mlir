// A call of which nothing is said has what its function gives: here the argument beside the one with a sharding.
// RUN: sdy_opt %s -sdy-propagation-pipeline | FileCheck %s

sdy.mesh @mesh = <["b"=2]>

// CHECK: call @f(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<8xf32>) -> tensor<2xf32> {
  %0 = call @f(%arg0, %arg1) : (tensor<2xf32>, tensor<8xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK: func.func private @f(%arg0: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>})
func.func private @f(%arg0: tensor<2xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>}) -> tensor<2xf32> {
  return %arg0 : tensor<2xf32>
}
