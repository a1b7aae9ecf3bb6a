// The sizes of a 70B transformer's attention output on 32 nodes of 8 devices: activations over "data" (between nodes) and heads over "model" (inside a
// node), weights over both. The all-reduce over "model" uses the links inside a node, so that the machine does not change the collectives: no permute
// crosses both axes.
// RUN: tessera partition %s --stats -o %t.mlir 2>&1 | FileCheck %s
// RUN: tessera partition %s --machine h100 --stats -o %t.mlir 2>&1 | FileCheck %s
// RUN: tessera partition %s --machine a100 --stats -o %t.mlir 2>&1 | FileCheck %s
// CHECK-NOT: permute
// CHECK-DAG: 1 all_gather {{.*}} 16252928 bytes over data
// CHECK-DAG: 1 all_reduce {{.*}} 234881024 bytes over model
// CHECK: 2 collectives, 251133952 bytes sent per device
sdy.mesh @m = <["data"=32, "model"=8]>
func.func @main(%x: tensor<128x2048x64x128xbf16> {sdy.sharding = #sdy.sharding<@m, [{"data"}, {}, {"model"}, {}]>},
                %wo: tensor<64x128x8192xbf16> {sdy.sharding = #sdy.sharding<@m, [{"model"}, {}, {"data"}]>},
                %residual: tensor<128x2048x8192xbf16> {sdy.sharding = #sdy.sharding<@m, [{"data"}, {}, {}]>})
    -> (tensor<128x2048x8192xbf16> {sdy.sharding = #sdy.sharding<@m, [{"data"}, {}, {}]>}) {
  %0 = stablehlo.dot_general %x, %wo, contracting_dims = [2, 3] x [0, 1] : (tensor<128x2048x64x128xbf16>, tensor<64x128x8192xbf16>) -> tensor<128x2048x8192xbf16>
  %1 = stablehlo.add %residual, %0 : tensor<128x2048x8192xbf16>
  return %1 : tensor<128x2048x8192xbf16>
}
