// Conservative propagation takes no parts of axes through ops; what a function returns is as it is.
// RUN: sdy_opt %s -sdy-user-priority-propagate='conservative-propagation=true' | FileCheck %s

sdy.mesh @mesh = <["a"=4]>

// CHECK: func.func @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2, ?}]>}, tensor<8xf32>)
// CHECK: stablehlo.sine %0 : tensor<8xf32>
func.func @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}]>]>} : tensor<8xf32>
  %1 = stablehlo.sine %0 : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
