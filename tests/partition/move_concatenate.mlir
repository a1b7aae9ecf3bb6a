// B4: tensors put together along the dimension that is cut. Two transfers per tensor, however many devices, and no more elements
// than the new tiles lack.
// RUN: split-file %s %t
// RUN: tessera partition %t/two.mlir --mesh x=8 --shard 'a=P("x")' --shard 'b=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=EIGHT
// RUN: tessera partition %t/two.mlir --mesh x=16 --shard 'a=P("x")' --shard 'b=P("x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=SIXTEEN
// RUN: tessera partition %t/two.mlir --mesh x=6 --shard 'a=P("x")' --shard 'b=P("x")' --verify 2>&1 | FileCheck %s --check-prefix=SIX
// RUN: tessera partition %t/whole.mlir --mesh x=8 --shard 'a=P("x")' --shard 'b=P(None)' --verify --stats 2>&1 | FileCheck %s --check-prefix=WHOLE

// EIGHT-DAG: 8 devices, 4 collectives, 112 bytes sent per device
// EIGHT-DAG: verified on 8 devices: 1 result agrees
// SIXTEEN-DAG: 16 devices, 4 collectives, 60 bytes sent per device
// SIXTEEN-DAG: verified on 16 devices: 1 result agrees
// SIX: verified on 6 devices: 1 result agrees
//--- two.mlir
func.func @main(%a: tensor<128xf32>, %b: tensor<128xf32>) -> tensor<256xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<128xf32>, tensor<128xf32>) -> tensor<256xf32>
  return %0 : tensor<256xf32>
}

// What everybody has is not sent: of the other each device lacks three elements at most.
// WHOLE-DAG: 1 collective_permute {{ *}}7 pairs {{ *}}10 bytes
// WHOLE-DAG: 8 devices, 1 collective,
// WHOLE-DAG: verified on 8 devices: 1 result agrees
//--- whole.mlir
func.func @main(%a: tensor<125xf32>, %b: tensor<3xf32>) -> tensor<128xf32> {
  %0 = stablehlo.concatenate %b, %a, dim = 0 : (tensor<3xf32>, tensor<125xf32>) -> tensor<128xf32>
  return %0 : tensor<128xf32>
}
