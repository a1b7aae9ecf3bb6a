// What no verifier compares: custom calls and programs of a grid with values of other types.
// RUN: not tessera run --engine=eval %s 2>&1 | FileCheck %s

// CHECK: values.mlir:[[#@LINE+4]]:10: error: 'stablehlo.custom_call' op: the results have element types f16 and i32, expected ui64 and i32
func.func @main() {
  %a = stablehlo.constant dense<[3, 1, 4]> : tensor<3xui64>
  %k = stablehlo.constant dense<2> : tensor<ui64>
  %v:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%a, %k) : (tensor<3xui64>, tensor<ui64>) -> (tensor<?xf16>, tensor<?xi32>)
  return
}

// -----

// CHECK: values.mlir:[[#@LINE+3]]:8: error: 'stablehlo.custom_call' op: result 0 is a token, declared tensor<2xf32>
func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %v = stablehlo.custom_call @Sharding(%t) : (!stablehlo.token) -> tensor<2xf32>
  %w = stablehlo.add %v, %v : tensor<2xf32>
  return
}

// -----

// CHECK: values.mlir:[[#@LINE+3]]:3: error: 'stablehlo.custom_call' op: operand 0 must be a tensor<i1>, the condition to assert
func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  stablehlo.custom_call @shape_assertion(%t) : (!stablehlo.token) -> ()
  return
}

// -----

func.func @f(%a: tensor<7xf64>) -> tensor<1xf64> {
  %s = stablehlo.slice %a [5:6] : (tensor<7xf64>) -> tensor<1xf64>
  return %s : tensor<1xf64>
}
// CHECK: values.mlir:[[#@LINE+3]]:8: error: 'interpreter.run_parallel' op: argument 0 of @f is tensor<i1>, declared tensor<7xf64>
func.func @main() -> tensor<1xf64> {
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = "interpreter.run_parallel"(%c) {programs = [[@f]]} : (tensor<i1>) -> tensor<1xf64>
  return %0 : tensor<1xf64>
}

// -----

// CHECK: values.mlir:[[#@LINE+3]]:8: error: 'stablehlo.custom_call' op: operand 0 and the result differ in type, expected equal types
func.func @main() -> tensor<3xf64> {
  %c = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.custom_call @mhlo.erf(%c) : (tensor<2xf32>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// -----

// Programs that run themselves in parallel.
// CHECK: values.mlir:[[#@LINE+2]]:8: error: 'interpreter.run_parallel' op: regions and calls stand more than 400 deep
func.func @main() -> tensor<i32> {
  %0 = "interpreter.run_parallel"() {programs = [[@main]]} : () -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// CHECK: values.mlir:[[#@LINE+2]]:10: error: 'interpreter.run_parallel' op: regions and calls stand more than 400 deep
func.func @main() -> tensor<i32> {
  %0:2 = "interpreter.run_parallel"() {programs = [[@main, @main]]} : () -> (tensor<i32>, tensor<i32>)
  return %0#0 : tensor<i32>
}

// -----

// No elements, but more lists than anybody can print.
// CHECK: tensor<9223372036854775807x9223372036854775807x0xi8> {
// CHECK-NEXT: []
// CHECK-NEXT: }
func.func @main() -> tensor<9223372036854775807x9223372036854775807x0xi8> {
  %0 = stablehlo.iota dim = 0 : tensor<9223372036854775807x9223372036854775807x0xi8>
  return %0 : tensor<9223372036854775807x9223372036854775807x0xi8>
}
