// Arguments and the results that replace them: paths say more than tf.aliasing_output. JAX gives the buffer of a donated argument to the
// first result of its type, which is a gradient here.
// RUN: tessera plan %s --machine h100:2 --json | sed 's/{"name"/\n&/g; s/"decisions"/\n/' | FileCheck %s
// CHECK: "name":"params.w"{{.*}}"new_value":1
// CHECK: "name":"opt.m.w"{{.*}}"new_value":2
// CHECK: "name":"ema.w"{{.*}}"new_value":3
// CHECK: "name":"count"{{.*}}"new_value":4
// CHECK: "name":"batch.x"
// CHECK-NOT: "new_value"

func.func @main(%arg0: tensor<64x64xf32> {tf.aliasing_output = 0 : i32} loc("params['w']"),
                %arg1: tensor<64x64xf32> {tf.aliasing_output = 1 : i32} loc("opt['m']['w']"),
                %arg2: tensor<64x64xf32> loc("ema['w']"),
                %arg3: tensor<i32> {tf.aliasing_output = 4 : i32} loc("count"),
                %arg4: tensor<32x64xf32> loc("batch['x']"))
    -> (tensor<64x64xf32> {jax.result_info = "result.grads['w']"}, tensor<64x64xf32> {jax.result_info = "result.params['w']"},
        tensor<64x64xf32> {jax.result_info = "result.opt['m']['w']"}, tensor<64x64xf32> {jax.result_info = "result.0['w']"},
        tensor<i32> {jax.result_info = "result.n"}) {
  %g = stablehlo.dot_general %arg4, %arg4, contracting_dims = [0] x [0] : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %m = stablehlo.add %arg1, %g : tensor<64x64xf32>
  %p = stablehlo.subtract %arg0, %m : tensor<64x64xf32>
  %e = stablehlo.maximum %arg2, %p : tensor<64x64xf32>
  return %g, %p, %m, %e, %arg3 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<i32>
}
