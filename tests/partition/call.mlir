// Functions that others may know get local types of their own; private ones that are called once are written out, as is the
// copy of this one for other shardings.
// RUN: tessera partition %s --mesh x=4 --shard 'a=P("x")' --shard 'b=P(None, "x")' --verify 2>&1 | FileCheck %s
// CHECK: tessera: verified on 4 devices: 2 results agree
// CHECK: call @square
// CHECK-NOT: call @
// CHECK: func.func @square
//
// Reasons name the function that the copy was made of, since only that one is in the file; arguments have their SSA names.
// RUN: tessera partition %s --mesh x=4 --shard 'a=P("x")' --shard 'b=P(None, "x")' --why -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: tessera propagate %s --mesh x=4 --shard 'a=P("x")' --shard 'b=P(None, "x")' --why '@square:%%0'
// WHY: r1 {{.*}}: @square:%0 = stablehlo.dot_general (call.mlir:[[#]]) needs @square:%x (from %a) as replicated; @square:%x is
// WHY: r2 {{.*}}: @square:%0 = stablehlo.dot_general (call.mlir:[[#]]) needs @square:%x (from %b) as replicated; @square:%x is
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @square(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @square(%b) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @square(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
