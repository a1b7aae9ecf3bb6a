Buffers that the compiled engine must keep apart: unused results of branches, and kernels that read one buffer as two operands.
// RUN: split-file %s %t
// RUN: bash -c 'for f in unused scatter barrier reverse; do %out/tessera run --engine=eval --seed 3 --all %t/$f.mlir > %t/$f.eval && for w in 1 2; do for p in none %out; do TESSERA_PROVIDERS=$p %out/tessera run --engine=compiled --seed 3 --all --workers=$w %t/$f.mlir | cmp - %t/$f.eval || exit 1; done; done; done'

//--- unused.mlir
// A result that is not used is written by the branches.
func.func @main(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xi32>) -> tensor<4xf32> {
  %r:2 = "stablehlo.if"(%c) ({
   %x = stablehlo.sine %a : tensor<4xf32>
   stablehlo.return %b, %x : tensor<4xi32>, tensor<4xf32>
  }, {
   stablehlo.return %b, %a : tensor<4xi32>, tensor<4xf32>
  }) : (tensor<i1>) -> (tensor<4xi32>, tensor<4xf32>)
  return %r#1 : tensor<4xf32>
}

//--- scatter.mlir
// The updates are the operand.
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %i = stablehlo.constant dense<[[7], [6], [5], [4], [3], [2], [1], [0]]> : tensor<8x1xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %y = stablehlo.dynamic_slice %x, %z, sizes = [8] : (tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
  %r = "stablehlo.scatter"(%y, %i, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- barrier.mlir
// The barrier's result is a view.
func.func @main(%a: tensor<40x40xf32>, %i: tensor<i32>) -> tensor<40x40xf32> {
  %x = stablehlo.dynamic_slice %a, %i, %i, sizes = [40, 40] : (tensor<40x40xf32>, tensor<i32>, tensor<i32>) -> tensor<40x40xf32>
  %v = stablehlo.optimization_barrier %x : tensor<40x40xf32>
  %t = stablehlo.transpose %v, dims = [1, 0] : (tensor<40x40xf32>) -> tensor<40x40xf32>
  %d = stablehlo.subtract %x, %t : tensor<40x40xf32>
  return %d : tensor<40x40xf32>
}

//--- reverse.mlir
func.func @main(%a: tensor<50xi32>, %i: tensor<i32>) -> tensor<50xi32> {
  %x = stablehlo.dynamic_slice %a, %i, sizes = [50] : (tensor<50xi32>, tensor<i32>) -> tensor<50xi32>
  %v = stablehlo.optimization_barrier %x : tensor<50xi32>
  %t = stablehlo.reverse %v, dims = [0] : tensor<50xi32>
  %d = stablehlo.subtract %x, %t : tensor<50xi32>
  return %d : tensor<50xi32>
}
