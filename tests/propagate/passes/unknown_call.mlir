// Custom calls that nothing is known of: one warning, for the first of them.
// RUN: sdy_opt %s -sdy-user-priority-propagate -verify-diagnostics | FileCheck %s

// CHECK: stablehlo.custom_call @mystery(%arg0)
func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla_python_cpu_callback(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @ruled(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<8xf32>
  // expected-warning@below {{custom call @mystery is unknown to SDY sharding rule registry: no sharding travels along it; give it an sdy.sharding_rule}}
  %2 = stablehlo.custom_call @mystery(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.custom_call @mystery(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
