// Several meshes: rules and layouts say which they mean; what is not allowed a sharding is replicated all the same.
// RUN: tessera propagate %s --allow-args none --emit=table | FileCheck %s
// CHECK: x {{.*}} <@a, [{"x"}]>
// CHECK: y {{.*}} <@a, [{}]>
// RUN: not tessera propagate %s --layout d4:x 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: --layout:1:1: error: the program has several meshes (@a ["x"=2], @b ["y"=2]): say which, --mesh NAME:AXIS=N,…
// RUN: not tessera propagate %s --shard 'y=P("y")' 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: --shard:1:3: error: the program has several meshes (@a ["x"=2], @b ["y"=2]): write which, <@mesh, [{"x"}, {}]>
// RUN: tessera propagate %s --mesh b:y=2 --shard 'z=P("y")' --emit=table | FileCheck %s --check-prefix=ONE
// ONE: z {{.*}} <@b, [{"y"}]>
// RUN: tessera propagate %s --shard 'z=<@b, [{"y"}]>' --emit=table | FileCheck %s --check-prefix=ONE
// RUN: tessera propagate %s --mesh c:z=3 --emit=sdy | FileCheck %s --check-prefix=ADDED
// ADDED: sdy.mesh @c = <["z"=3]>
// RUN: not tessera propagate %s --mesh b:y=3 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: mesh 'b:y=3': the program has another @b; its meshes: @a ["x"=2], @b ["y"=2]
// RUN: not tessera propagate %s --mesh main:y=3 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: mesh 'main:y=3': the program has another @main
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["y"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  return %0, %z : tensor<4xf32>, tensor<4xf32>
}
