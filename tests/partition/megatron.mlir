// Megatron's layer: the first weight by columns, the second by rows, one all-reduce of the activations and nothing else.
// RUN: tessera partition %s --mesh model=4 --shard 'w1=P(None, "model")' --shard 'w2=P("model")' --verify --stats 2>&1 | FileCheck %s
// RUN: tessera partition %s --mesh data=2,model=4 --shard 'x=P("data")' --shard 'w1=P(None, "model")' --shard 'w2=P("model")' --verify --json 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: tessera partition %s --mesh model=4 --shard 'w1=P(None, "model")' | tessera parse - | FileCheck %s --check-prefix=AGAIN
// CHECK-DAG: tessera: 1 all_reduce 1 group of 4 192 bytes
// CHECK-DAG: tessera: 4 devices, 1 collective, 192 bytes sent per device
// CHECK-DAG: tessera: verified on 4 devices: 1 result agrees (floats: |difference| <= 0.0001 (1 + |value|), the largest is 0)
// CHECK-DAG: @main(%arg0: tensor<8x4xf32> {jax.arg_info = "x"}, %arg1: tensor<4x4xf32> {jax.arg_info = "w1", tessera.global = tensor<4x16xf32>, tessera.sharding = #sdy.sharding<mesh<["model"=4]>, [{}, {"model"}]>}, %arg2: tensor<4x4xf32> {{.*}}) -> tensor<8x4xf32> {
// CHECK-DAG: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
// CHECK-DAG: replica_groups = dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi64>
// TWO-DAG: "devices":8,"collectives":[{"kind":"all_reduce","count":1,"in_loops":0,"groups":2,"group_size":4,"axes":"model","runs":1,"bytes":96,"guess":false}],"bytes":96,"steps":1,"flops":{{[0-9.]+}},"flops_whole":{{[0-9.]+}},"argument_bytes":{{[0-9.]+}},"result_bytes":{{[0-9.]+}},"unknown_loops":0,"trip_count":100,"guesses":[],"redundant":[{{.*}}],"verified":{"agree":true,"results":1,
// TWO-DAG: tessera: verified on 8 devices: 1 result agrees
// AGAIN: tessera.sharding = #sdy.sharding<mesh<["model"=4]>, [{}, {"model"}]>
// AGAIN: "stablehlo.all_reduce"
func.func @main(%x: tensor<8x4xf32>, %w1: tensor<4x16xf32>, %w2: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<8x16xf32>
  %1 = stablehlo.maximum %0, %zero : tensor<8x16xf32>
  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
