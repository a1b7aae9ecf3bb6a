// Annotations from the shell, in both spellings; the first rule that matches holds.
// RUN: tessera propagate %s --mesh data=4,model=2 --shard 'x=P("data")' --shard 'params.l0.*=P(None, "model")' | FileCheck %s
// RUN: tessera propagate %s --mesh data=4,model=2 --shard '0=[{"data"}, {}]' --shard '%w0=<@mesh, [{}, {"model"}]>' | FileCheck %s
// RUN: printf '# what is split\nx=P(data)   # by examples\n\nparams.*.kernel=P(None, model)\nparams.l1.*=P()\n' > %t.rules
// RUN: tessera propagate %s --mesh data=4,model=2 --shard 'params.l1.kernel=P(..., None)' --shard-file %t.rules | FileCheck %s
// RUN: tessera propagate %s --mesh data=4,model=2 --shard 'x=P("data")' --shard 'params.l0.*=P(None, "model")' -o %t.out
// RUN: FileCheck %s < %t.out
// RUN: tessera propagate %t.out > %t.again
// RUN: diff %t.out %t.again
// Priorities: what is said later gives way, in JAX's spelling as in sdy's.
// RUN: tessera propagate %s --mesh data=8 --shard 'x=P("data")' --shard 'params.*.kernel=P(None, "data")p1' > %t.later
// RUN: tessera propagate %s --mesh data=8 --shard 'x=P("data")' --shard 'params.*.kernel=[{}, {"data"}p1]' | diff %t.later -
// RUN: FileCheck %s --check-prefix=LATER < %t.later
// RUN: not tessera propagate %s --mesh data=8 --shard 'x=P("data")p' 2>&1 | FileCheck %s --check-prefix=NONUMBER
// LATER: dot_general %arg0, %arg1, {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", ?}, {?}]>]>}
// NONUMBER: --shard:1:13: error: the sharding ends here; expected a number
// A program that has the mesh keeps it.
// RUN: tessera propagate %t.out --mesh data=4,model=2 --devices 8 | diff %t.out -

// CHECK: sdy.mesh @mesh = <["data"=4, "model"=2]>
// CHECK: func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
// CHECK-SAME: %arg1: tensor<8x32xf32> {jax.arg_info = "params['l0']['kernel']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
// CHECK-SAME: %arg2: tensor<32x8xf32> {jax.arg_info = "params['l1']['kernel']", sdy.sharding = #sdy.sharding<@mesh, [{"model", ?}, {
// CHECK-SAME: -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", ?}, {?}]>}) {
// CHECK: dot_general %arg0, %arg1, {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", ?}, {"model", ?}]>]>}
// CHECK: tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", ?}, {"model", ?}]>]>}
// CHECK: dot_general %1, %arg2, {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", ?}, {?}]>]>}
func.func @main(%x: tensor<16x8xf32>, %w0: tensor<8x32xf32> {jax.arg_info = "params['l0']['kernel']"},
                %w1: tensor<32x8xf32> {jax.arg_info = "params['l1']['kernel']"}) -> tensor<16x8xf32> {
  %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %1 = stablehlo.tanh %0 : tensor<16x32xf32>
  %2 = stablehlo.dot_general %1, %w1, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}
