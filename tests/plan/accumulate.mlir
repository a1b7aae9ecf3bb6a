// Gradients of four microbatches, summed up by a loop. The batch is sharded, so that each device has partial sums of the gradient. The loop may carry
// them (one reduction behind the loop, an accumulator of the size of the weight) or reduce in each iteration into a sharded accumulator. The weight is
// gathered before the loop, or in each iteration. Memory decides.
// RUN: tessera plan %s --machine h100:8 --mesh x=8 --shard 'xs=P(None,"x")' --memory 30000000 --plan-out %t.json > /dev/null
// RUN: tessera partition %s --machine h100:8 --plan %t.json --stats -o /dev/null 2>&1 | FileCheck %s --check-prefix=AMPLE
// RUN: tessera plan %s --machine h100:8 --mesh x=8 --shard 'xs=P(None,"x")' --memory 24000000 --plan-out %t.json > /dev/null
// RUN: tessera partition %s --machine h100:8 --plan %t.json --stats -o /dev/null 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: tessera plan %s --machine h100:8 --mesh x=8 --shard 'xs=P(None,"x")' --memory 18000000 --plan-out %t.json > /dev/null
// RUN: tessera partition %s --machine h100:8 --plan %t.json --stats -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIGHT
// AMPLE: 1 all_gather {{.*}} over x{{$}}
// AMPLE: 1 reduce_scatter {{.*}} over x{{$}}
// LESS: 1 all_gather {{.*}} over x (1 in loops, 4 runs)
// LESS: 1 reduce_scatter {{.*}} over x{{$}}
// TIGHT: 1 all_gather {{.*}} over x (1 in loops, 4 runs)
// TIGHT: 1 reduce_scatter {{.*}} over x (1 in loops, 4 runs)
func.func @main(%xs: tensor<4x4096x1024xf32>, %w: tensor<1024x1024xf32> {tf.aliasing_output = 0 : i32}) -> tensor<1024x1024xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %g0 = stablehlo.constant dense<0.0> : tensor<1024x1024xf32>
  %r:4 = stablehlo.while(%i = %zero, %g = %g0, %v = %w, %x = %xs) : tensor<i32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<4x4096x1024xf32>
  cond {
    %end = stablehlo.constant dense<4> : tensor<i32>
    %t = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %o = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %s = stablehlo.dynamic_slice %x, %i, %o, %o, sizes = [1, 4096, 1024] : (tensor<4x4096x1024xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4096x1024xf32>
    %a = stablehlo.reshape %s : (tensor<1x4096x1024xf32>) -> tensor<4096x1024xf32>
    %y = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : (tensor<4096x1024xf32>, tensor<1024x1024xf32>) -> tensor<4096x1024xf32>
    %z = stablehlo.tanh %y : tensor<4096x1024xf32>
    %d = stablehlo.dot_general %a, %z, contracting_dims = [0] x [0] : (tensor<4096x1024xf32>, tensor<4096x1024xf32>) -> tensor<1024x1024xf32>
    %g1 = stablehlo.add %g, %d : tensor<1024x1024xf32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %g1, %v, %x : tensor<i32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<4x4096x1024xf32>
  }
  %1 = stablehlo.subtract %w, %r#1 : tensor<1024x1024xf32>
  return %1 : tensor<1024x1024xf32>
}
