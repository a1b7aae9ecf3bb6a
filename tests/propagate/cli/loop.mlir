// A loop's result and its body's argument have one sharding: two rules that differ are told, with both names.
// RUN: not tessera propagate %s --shard '%0=P("x")' --shard '%iterArg=P("y")' 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: --shard:2:1: error: %iterArg and %0 have one sharding, but this rule gives <@mesh, [{"y"}]> and --shard '%0=P("x")' gives <@mesh, [{"x"}]>
// RUN: tessera propagate %s --shard '%0=P("x")' --shard '%iterArg=P("x")' --emit=table | FileCheck %s
// RUN: tessera propagate %s --shard '%2=P("x")' --emit=table | FileCheck %s --check-prefix=BODY
// RUN: tessera propagate %s --shard 'loop.mlir:21=P("x")' --emit=table | FileCheck %s --check-prefix=BODY
// CHECK: arg0 {{.*}} tensor<2xf32>  <@mesh, [{"x", ?}]>
// CHECK: %0 while {{.*}} <@mesh, [{"x"}]>
// CHECK: result0 {{.*}} <@mesh, [{"x", ?}]>
// BODY: %0 while {{.*}} <@mesh, [{"x", ?}]>
// BODY: %2 tanh {{.*}} <@mesh, [{"x"}]>
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %c_0 = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c) : tensor<8xf32>, tensor<i32>
   cond {
    %1 = stablehlo.compare GT, %iterArg_1, %c_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.tanh %iterArg : tensor<8xf32>
    %3 = stablehlo.subtract %iterArg_1, %c_0 : tensor<i32>
    stablehlo.return %2, %3 : tensor<8xf32>, tensor<i32>
  }
  return %0#0 : tensor<8xf32>
}
