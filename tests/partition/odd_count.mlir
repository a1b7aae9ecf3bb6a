// The number of partitions becomes an i32, of whatever type it was: as it came it may be one that numbers cannot have.
// RUN: tessera partition %s --mesh x=2 --shard '0=P("x")' | FileCheck %s
// RUN: tessera partition %s --mesh x=2 --shard '0=P("x")' --replica-count 2 | FileCheck %s --check-prefix=REPLICAS
// CHECK: module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32, tessera.mesh = #sdy.mesh<["x"=2]>}
// REPLICAS: module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32, tessera.mesh = #sdy.mesh<["x"=2]>}
module @m attributes {mhlo.num_partitions = 1 : i87} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
