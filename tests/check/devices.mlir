// With --devices every program gets random shardings, is partitioned and runs on all of them; its checks hold on each.
// RUN: tessera check %s --devices 6 --random-shardings 1 | FileCheck %s
// RUN: tessera check %s --devices 6 --random-shardings 2 | FileCheck %s
// RUN: tessera check %s --devices 6 --random-shardings 3 | FileCheck %s
// RUN: tessera check %s --devices 8 --random-shardings 4 | FileCheck %s
// RUN: not tessera check %s --devices 2000 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: --devices is at most 1024

// Nothing divides; a loop, a call, a reduction with an init that enters once.
// CHECK-NOT: failed:
func.func @main() {
  %x = stablehlo.iota dim = 0 : tensor<7x5xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<7x5xi32> cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %b = func.call @twice(%a) : (tensor<7x5xi32>) -> tensor<7x5xi32>
    stablehlo.return %n, %b : tensor<i32>, tensor<7x5xi32>
  }
  %s = stablehlo.reduce(%r#1 init: %ten) applies stablehlo.add across dimensions = [0] : (tensor<7x5xi32>, tensor<i32>) -> tensor<5xi32>
  check.expect_eq_const %s, dense<178> : tensor<5xi32>
  %want = stablehlo.constant dense<178> : tensor<5xi32>
  stablehlo.custom_call @check.expect_eq(%s, %want) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
  return
}
func.func private @twice(%x: tensor<7x5xi32>) -> tensor<7x5xi32> {
  %y = stablehlo.add %x, %x : tensor<7x5xi32>
  return %y : tensor<7x5xi32>
}

// -----

// Sizes that are values: the op is done whole.
func.func @sizes() {
  %x = stablehlo.iota dim = 0 : tensor<6xi32>
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %y = stablehlo.dynamic_reshape %x, %shape : (tensor<6xi32>, tensor<2xi64>) -> tensor<2x3xi32>
  check.expect_eq_const %y, dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  return
}

// -----

// Tuples and a composite, whose decomposition has shardings of its own.
func.func @main() {
  %x = stablehlo.iota dim = 0 : tensor<5xi32>
  %t = stablehlo.tuple %x, %x : tuple<tensor<5xi32>, tensor<5xi32>>
  %y = stablehlo.get_tuple_element %t[1] : (tuple<tensor<5xi32>, tensor<5xi32>>) -> tensor<5xi32>
  %z = stablehlo.composite "my.negate" %y {decomposition = @negate} : (tensor<5xi32>) -> tensor<5xi32>
  check.expect_eq_const %z, dense<[0, -1, -2, -3, -4]> : tensor<5xi32>
  return
}
func.func private @negate(%x: tensor<5xi32>) -> tensor<5xi32> {
  %y = stablehlo.negate %x : tensor<5xi32>
  return %y : tensor<5xi32>
}

// -----

// What is quantized along a dimension stays whole.
func.func @quantized() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
  %y = stablehlo.uniform_dequantize %q : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) -> tensor<2x2xf32>
  check.expect_eq_const %y, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}

// -----

// The whole program runs once, as partition 0.
func.func @device() {
  %x = stablehlo.partition_id : tensor<ui32>
  check.expect_eq_const %x, dense<0> : tensor<ui32>
  return
}

// -----

// CHECK: skipped: {{.*}}devices.mlir segment 5
// CHECK-NEXT: does not hold on one device
func.func @wrong() {
  %x = stablehlo.iota dim = 0 : tensor<5xi32>
  check.expect_eq_const %x, dense<7> : tensor<5xi32>
  return
}
// CHECK: 5 passed, 0 failed, 1 skipped
