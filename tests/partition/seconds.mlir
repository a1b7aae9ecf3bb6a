// Without a machine fewer bytes win: operands are all-gathered, and each device computes entire gradients. With one, the program is partitioned with
// and without a penalty for bytes, both are simulated, and the faster one is written: on eight H100s one all-reduce, of more bytes.
// RUN: tessera partition %s --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=BYTES
// RUN: tessera partition %s --machine=h100:8 --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=SECONDS
// RUN: tessera partition %s --machine=h100:8 --verify -o /dev/null
// RUN: tessera partition %s --weigh=seconds --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=SECONDS
// RUN: tessera partition %s --machine=h100:8 --weigh=bytes --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=BYTES
// RUN: not tessera partition %s --weigh=steps 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: --weigh {{.*}}best
// Given decisions are obeyed: there is no trial.
// RUN: tessera partition %s --save-decisions %t.json -o %t.mlir
// RUN: tessera partition %s --machine=h100:8 --decisions %t.json --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=BYTES
// BYTES: 2 all_gather
// BYTES-NOT: all_reduce
// SECONDS: 1 all_reduce
// SECONDS-NOT: all_gather
sdy.mesh @mesh = <["x"=8]>
func.func @main(%x: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %y: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %z: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %dw1 = stablehlo.dot_general %x, %z, contracting_dims = [0] x [0] : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<256x256xf32>
  %dz = stablehlo.tanh %z : tensor<64x256xf32>
  %dw2 = stablehlo.dot_general %y, %dz, contracting_dims = [0] x [0] : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<256x256xf32>
  return %dw1, %dw2 : tensor<256x256xf32>, tensor<256x256xf32>
}
