// RUN: not tessera check %s 2>&1 | FileCheck %s
// Shapes that turn out wrong at run time end the run with the values at odds.

// CHECK: 'stablehlo.slice' op: C3: dimension 0 is sliced from 0 to 3, expected 0 <= start <= limit <= size 2
func.func @slice() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %r = stablehlo.slice %d [0:3] : (tensor<?xi32>) -> tensor<3xi32>
  return
}

// -----

// CHECK: 'stablehlo.reshape' op: C2: the operand has 2 elements and the result 3, expected equal numbers (shapes [2] and [3])
func.func @reshape() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %r = stablehlo.reshape %d : (tensor<?xi32>) -> tensor<3xi32>
  return
}

// -----

// CHECK: 'stablehlo.dynamic_reshape' op: the result would have the shape [-2] with a negative size
func.func @dynamic_reshape() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %n = stablehlo.negate %s : tensor<1xi64>
  %r = stablehlo.dynamic_reshape %d, %n : (tensor<?xi32>, tensor<1xi64>) -> tensor<?xi32>
  return
}

// -----

// CHECK: 'stablehlo.dynamic_iota' op: the result has the shape [2] at run time, which its type tensor<3xi32> does not allow
func.func @declared() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %r = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<3xi32>
  return
}

// -----

// CHECK: 'stablehlo.dynamic_iota' op: the result has the shape [2] at run time, which its type tensor<?xi32, #stablehlo.bounds<1>> does not allow
func.func @bound() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %r = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32, #stablehlo.bounds<1>>
  return
}

// -----

// CHECK: 'stablehlo.dynamic_broadcast_in_dim' op: dimension 0 of the operand [2] cannot be broadcast to dimension 0 of the result [3]
func.func @broadcast() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %n = stablehlo.add %s, %o : tensor<1xi64>
  %r = stablehlo.dynamic_broadcast_in_dim %d, %n, dims = [0] : (tensor<?xi32>, tensor<1xi64>) -> tensor<?xi32>
  return
}

// -----

// CHECK: 'stablehlo.dynamic_pad' op: dimension 0 of size 2 cannot be padded by low 0, high 0, interior -1
func.func @pad() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %z = stablehlo.subtract %o, %o : tensor<1xi64>
  %n = stablehlo.negate %o : tensor<1xi64>
  %v = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.dynamic_pad %d, %v, %z, %z, %n : (tensor<?xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  return
}

// -----

// CHECK: 'stablehlo.dynamic_gather' op: slice_sizes are [3], expected each at most the operand's [2]
func.func @gather() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %n = stablehlo.add %s, %o : tensor<1xi64>
  %r = "stablehlo.dynamic_gather"(%d, %o, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>}> : (tensor<?xi32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  return
}

// -----

// CHECK: 'stablehlo.concatenate' op: C2: inputs 0 and 1 have shapes [1, 2] and [1, 3], expected equal except in dimension 0
func.func @concatenate() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %n = stablehlo.add %s, %o : tensor<1xi64>
  %e = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %p = stablehlo.reshape %d : (tensor<?xi32>) -> tensor<1x?xi32>
  %q = stablehlo.reshape %e : (tensor<?xi32>) -> tensor<1x?xi32>
  %r = stablehlo.concatenate %p, %q, dim = 0 : (tensor<1x?xi32>, tensor<1x?xi32>) -> tensor<2x?xi32>
  return
}

// -----

// CHECK: 'stablehlo.set_dimension_size' op: the size is 7, expected at least 0 and at most dimension 0 of the operand tensor<2xi32>
func.func @set_size() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %n = stablehlo.constant dense<7> : tensor<i32>
  %r = stablehlo.set_dimension_size %d, %n, dim = 0 : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  return
}

// -----

// CHECK: a value has too many elements
func.func @huge() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %n = stablehlo.constant dense<[4611686018427387904, 4]> : tensor<2xi64>
  %r = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
  return
}

// -----

// CHECK: k is 4, expected 0 to 2, the size of the last dimension
func.func @top_k() {
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %m = stablehlo.multiply %s, %o : tensor<1xi64>
  %d = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %k = stablehlo.constant dense<4> : tensor<i32>
  %r:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%d, %k) : (tensor<?xi32>, tensor<i32>) -> (tensor<?xi32>, tensor<?xi32>)
  return
}
