// RUN: not tessera propagate %s 2>&1 | FileCheck %s
// A device list that is no mesh is refused where it stands, and the string before it is not blamed.
// CHECK: bad.mlir:[[#@LINE+4]]:{{[0-9]+}}: error: 'stablehlo.negate' op has mhlo.sharding "{devices=[8]0,1,2,3,4,5,7,6}": no mesh has it together with the shardings before it
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dim_replicate}"}) -> tensor<8xf32> {
    %0 = stablehlo.tanh %arg0 {mhlo.sharding = "{devices=[8]<=[8]}"} : tensor<8xf32>
    %1 = stablehlo.negate %0 {mhlo.sharding = "{devices=[8]0,1,2,3,4,5,7,6}"} : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
