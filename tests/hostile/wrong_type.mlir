// What is said of a value and what it is: types, numbers and names that do not agree.
// RUN: not tessera parse %s 2>&1 | FileCheck %s

func.func @f(%a: tensor<2xf32>, %i: tensor<i32>) {
  // CHECK: [[@LINE+1]]:25: error: operand 0 has type tensor<2xf32>, but the op declares tensor<3xf32>
  %0 = "stablehlo.tanh"(%a) : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: [[@LINE+1]]:34: error: the op has 2 operands, but declares 1 operand type
  %1 = "stablehlo.add"(%a, %a) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: [[@LINE+1]]:3: error: 2 results are named, but 'stablehlo.tanh' has 1
  %2:2 = "stablehlo.tanh"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: [[@LINE+1]]:25: error: '%a' has 1 result, there is no #1 (the first is #0)
  %3 = "stablehlo.tanh"(%a#1) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: [[@LINE+1]]:25: error: '%nothing' is not defined before this use
  %4 = "stablehlo.tanh"(%nothing) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: [[@LINE+2]]:3: error: '%a' is defined twice
  // CHECK: note: the first definition is here
  %a = "stablehlo.tanh"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: [[@LINE+1]]:52: error: '1' is not a value of type f32 (write 1.0 or the bits in hex)
  %5 = "stablehlo.constant"() {value = dense<[1.0, 1]> : tensor<2xf32>} : () -> tensor<2xf32>
  // CHECK: [[@LINE+1]]:46: error: '256' is not a value of type i8
  %6 = "stablehlo.constant"() {value = dense<256> : tensor<i8>} : () -> tensor<i8>
  // CHECK: [[@LINE+1]]:46: error: the type of a constant must be static, got tensor<?xi8>
  %7 = "stablehlo.constant"() {value = dense<1> : tensor<?xi8>} : () -> tensor<?xi8>
  // CHECK: [[@LINE+1]]:8: error: unknown op 'stablehlo.multiplyy'; did you mean 'stablehlo.multiply'?
  %8 = "stablehlo.multiplyy"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  // Uses of what did not read say nothing more.
  // CHECK-NOT: error:
  %9 = "stablehlo.tanh"(%8) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
