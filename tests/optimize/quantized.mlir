// A quantized constant's stored number is not its value: a stored 1 is no one.
// RUN: tessera optimize %s --devices 2 | FileCheck %s
// CHECK: stablehlo.multiply
func.func @main(%x: tensor<!quant.uniform<i8:f32, 6.250000e-01:-3>>) -> tensor<!quant.uniform<i8:f32, 6.250000e-01:-3>> {
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 6.250000e-01:-3>>
  %0 = stablehlo.multiply %x, %one : tensor<!quant.uniform<i8:f32, 6.250000e-01:-3>>
  return %0 : tensor<!quant.uniform<i8:f32, 6.250000e-01:-3>>
}
