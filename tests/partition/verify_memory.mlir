// --verify holds the global values and all shards at once: what does not fit is refused before anything runs.
// RUN: not tessera partition %s --mesh a=4 --shard 'x=P("a")' --verify --memory=1 2>&1 | FileCheck %s
// CHECK: error: needs at least 3.0 GiB of memory (arguments 2.0 GiB, results 1.0 GiB, state of 4 processes {{.*}}), but --memory allows 1.0 GiB: raise it, or run smaller shapes or fewer devices
func.func @main(%x: tensor<268435456xf32>) -> tensor<134217728xf32> {
  %0 = stablehlo.slice %x [0:268435456:2] : (tensor<268435456xf32>) -> tensor<134217728xf32>
  %1 = stablehlo.add %0, %0 : tensor<134217728xf32>
  return %1 : tensor<134217728xf32>
}
