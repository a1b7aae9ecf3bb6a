// RUN: tessera check %s

// bf16 sums are made in f32 and rounded once: 256 + 1 + 1 is 258, not 256.
func.func @sum(%x: tensor<1xbf16>) -> tensor<1xbf16> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<1xbf16>) -> tensor<1xbf16>
  return %0 : tensor<1xbf16>
}
func.func @main() {
  %a = stablehlo.constant dense<256.0> : tensor<1xbf16>
  %b = stablehlo.constant dense<1.0> : tensor<1xbf16>
  %r:3 = "interpreter.run_parallel"(%a, %b, %b) {programs = [[@sum], [@sum], [@sum]]} : (tensor<1xbf16>, tensor<1xbf16>, tensor<1xbf16>) -> (tensor<1xbf16>, tensor<1xbf16>, tensor<1xbf16>)
  check.expect_eq_const %r#0, dense<258.0> : tensor<1xbf16>
  check.expect_eq_const %r#2, dense<258.0> : tensor<1xbf16>
  return
}

// -----

// Across replicas and partitions; a body of several ops; combined in group order: ((a - b) - c) - d.
func.func @sub(%x: tensor<f64>, %y: tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) {
  %0:2 = "stablehlo.all_reduce"(%x, %y) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %n = stablehlo.negate %b : tensor<f64>
    %s = stablehlo.add %a, %n : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
  return %0#0, %0#1 : tensor<f64>, tensor<2xf64>
}
func.func @main() {
  %a = stablehlo.constant dense<100.0> : tensor<f64>
  %b = stablehlo.constant dense<10.0> : tensor<f64>
  %v = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %r:8 = "interpreter.run_parallel"(%a, %v, %b, %v, %b, %v, %b, %v) {programs = [[@sub, @sub], [@sub, @sub]]} : (tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>)
  check.expect_eq_const %r#0, dense<70.0> : tensor<f64>
  check.expect_eq_const %r#6, dense<70.0> : tensor<f64>
  check.expect_eq_const %r#7, dense<[-2.0, -4.0]> : tensor<2xf64>
  return
}

// -----

// Empty groups are one of all replicas; groups of different sizes; a collective in a loop meets once per iteration.
func.func @loop(%x: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %all = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = stablehlo.maximum %a, %b : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<i64>) -> tensor<i64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %r:2 = stablehlo.while(%i = %zero, %acc = %x) : tensor<i64>, tensor<i64>
  cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s = "stablehlo.all_reduce"(%acc) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %t = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %t : tensor<i64>
    }) {replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>} : (tensor<i64>) -> tensor<i64>
    %j = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %j, %s : tensor<i64>, tensor<i64>
  }
  return %all, %r#1 : tensor<i64>, tensor<i64>
}
func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<i64>
  %b = stablehlo.constant dense<2> : tensor<i64>
  %c = stablehlo.constant dense<5> : tensor<i64>
  %r:6 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@loop], [@loop], [@loop]]} : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>)
  check.expect_eq_const %r#0, dense<5> : tensor<i64>
  check.expect_eq_const %r#1, dense<12> : tensor<i64>
  check.expect_eq_const %r#3, dense<12> : tensor<i64>
  check.expect_eq_const %r#5, dense<5> : tensor<i64>
  return
}

// -----

// Operands may be narrower than the body: i8 enters i32. On one process the result is the operand.
func.func @main() {
  %x = stablehlo.constant dense<[100, 27]> : tensor<2xi8>
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2xi8>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[100, 27]> : tensor<2xi32>
  return
}

// -----

// Quantized values are combined by the quantized body.
func.func @sum(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %s = stablehlo.add %a, %b : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
}
func.func @main() {
  %f = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %f : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %r:2 = "interpreter.run_parallel"(%q, %q) {programs = [[@sum], [@sum]]} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>)
  %0 = stablehlo.uniform_dequantize %r#0 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<[2.0, 4.0]> : tensor<2xf32>
  return
}
