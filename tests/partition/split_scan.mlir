// Splits that change attributes or bodies: the sizes of a broadcast, the value of a chlo.constant, and the body of a chlo.scan, whose values have the shape
// of a slice.
// RUN: tessera partition %s --mesh x=2 --shard 'a=P(None,"x")' --shard 'b=P("x")' --shard 'result0=P(None,"x")' --shard 'result1=P("x")' --shard 'result2=P("x")' --shard 'result3=P("x")' --verify --stats 2>&1 | FileCheck %s
// CHECK: 2 devices, 0 collectives
// CHECK: verified on 2 devices: 4 results agree
// CHECK: chlo.scan
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<3xf32>
// CHECK: stablehlo.broadcast %{{.*}}, sizes = [2] : (tensor<f32>) -> tensor<2xf32>
func.func @main(%a: tensor<4x6xf32>, %b: tensor<6xf32>, %c: tensor<f32>) -> (tensor<4x6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xi32>) {
  %0:2 = chlo.scan(%a) inits (%b) dimension=0 {
  ^bb0(%x: tensor<6xf32>, %s: tensor<6xf32>):
    %sum = stablehlo.add %x, %s : tensor<6xf32>
    stablehlo.return %sum, %sum : tensor<6xf32>, tensor<6xf32>
  } : (tensor<4x6xf32>, tensor<6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>)
  %2 = stablehlo.broadcast %c, sizes = [4] : (tensor<f32>) -> tensor<4xf32>
  %3 = chlo.constant dense<[3, 1, 4, 1]> : tensor<4xi32>
  return %0#0, %0#1, %2, %3 : tensor<4x6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xi32>
}
