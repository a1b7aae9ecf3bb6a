// RUN: tessera run --engine=eval %s | FileCheck %s
// RUN: tessera run --engine=eval --dense %s | FileCheck %s --check-prefix=DENSE
// RUN: tessera run --engine=eval --all %s | FileCheck %s --check-prefix=ALL

// Results of a pack keep its name; big tensors are summed up unless asked for.
// CHECK: %p#1 = tensor<i1> {true}
// CHECK: tensor<2x2xcomplex<f64>> {
// CHECK-NEXT:   [
// CHECK-NEXT{LITERAL}:     [[1.000000e+00, -2.000000e+00], [0.000000e+00, 0.000000e+00]],
// CHECK: !stablehlo.token
// CHECK: tensor<2000xi32> {2000 elements, range 0 … 1999, mean 999.5}
// CHECK: tuple<tensor<i8>, !stablehlo.token> (
// CHECK-NEXT: tensor<i8> {-1}
// CHECK-NEXT: !stablehlo.token
// CHECK-NEXT: )
// DENSE: %p#1 = dense<true> : tensor<i1>
// DENSE{LITERAL}: dense<[[(1.000000e+00,-2.000000e+00), (0.000000e+00,0.000000e+00)], [(1.000000e+00,0.000000e+00), (0.000000e+00,1.000000e+00)]]> : tensor<2x2xcomplex<f64>>
// ALL: 1998, 1999]
func.func @main() -> (tensor<2x2xcomplex<f64>>, !stablehlo.token, tensor<2000xi32>, tuple<tensor<i8>, !stablehlo.token>) {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %p:2 = stablehlo.optimization_barrier %t, %t : tensor<i1>, tensor<i1>
  interpreter.print %p#1 : tensor<i1>
  %c = stablehlo.constant dense<[[(1.0, -2.0), (0.0, 0.0)], [(1.0, 0.0), (0.0, 1.0)]]> : tensor<2x2xcomplex<f64>>
  %k = stablehlo.create_token : !stablehlo.token
  %i = stablehlo.iota dim = 0 : tensor<2000xi32>
  %m = stablehlo.constant dense<-1> : tensor<i8>
  %u = stablehlo.tuple %m, %k : tuple<tensor<i8>, !stablehlo.token>
  return %c, %k, %i, %u : tensor<2x2xcomplex<f64>>, !stablehlo.token, tensor<2000xi32>, tuple<tensor<i8>, !stablehlo.token>
}
