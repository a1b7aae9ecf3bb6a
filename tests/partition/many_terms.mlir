// A weight that is used in four places, as in the steps of a pipeline: the terms of its gradient are partial sums over the batch, and are
// added up before they are summed over devices, once. Each alone would rather gather its operands (6144 bytes), all together not.
// RUN: tessera partition %s --mesh data=2 --shard 'x*=P("data")' --shard 'y*=P("data")' --verify --stats 2>&1 | FileCheck %s
// CHECK: tessera: 1 all_reduce 1 group of 2 16384 bytes over data
// CHECK: tessera: 2 devices, 1 collective, 16384 bytes sent per device
// CHECK: tessera: verified on 2 devices: 1 result agrees
func.func @main(%x0: tensor<24x64xf32>, %y0: tensor<24x64xf32>, %x1: tensor<24x64xf32>, %y1: tensor<24x64xf32>, %x2: tensor<24x64xf32>, %y2: tensor<24x64xf32>, %x3: tensor<24x64xf32>, %y3: tensor<24x64xf32>) -> tensor<64x64xf32> {
  %d0 = stablehlo.dot_general %x0, %y0, contracting_dims = [0] x [0] : (tensor<24x64xf32>, tensor<24x64xf32>) -> tensor<64x64xf32>
  %t0 = stablehlo.transpose %d0, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d1 = stablehlo.dot_general %x1, %y1, contracting_dims = [0] x [0] : (tensor<24x64xf32>, tensor<24x64xf32>) -> tensor<64x64xf32>
  %t1 = stablehlo.transpose %d1, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = stablehlo.add %t0, %t1 : tensor<64x64xf32>
  %d2 = stablehlo.dot_general %x2, %y2, contracting_dims = [0] x [0] : (tensor<24x64xf32>, tensor<24x64xf32>) -> tensor<64x64xf32>
  %t2 = stablehlo.transpose %d2, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s2 = stablehlo.add %s1, %t2 : tensor<64x64xf32>
  %d3 = stablehlo.dot_general %x3, %y3, contracting_dims = [0] x [0] : (tensor<24x64xf32>, tensor<24x64xf32>) -> tensor<64x64xf32>
  %t3 = stablehlo.transpose %d3, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s3 = stablehlo.add %s2, %t3 : tensor<64x64xf32>
  return %s3 : tensor<64x64xf32>
}
