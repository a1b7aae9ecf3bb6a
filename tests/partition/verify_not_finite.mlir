// Random data may be such that nothing finite comes out: that is told, since NaN agrees with NaN.
// RUN: tessera partition %s --mesh a=2 --shard 'x=P("a")' --verify 2>&1 >/dev/null | FileCheck %s
// CHECK: {{[1-9][0-9]*}} of 16 floats of the global results are not finite
// CHECK: --positive
// CHECK: verified on 2 devices
// RUN: tessera partition %s --mesh a=2 --shard 'x=P("a")' --verify --positive 2>&1 >/dev/null | FileCheck %s --check-prefix=POSITIVE
// POSITIVE-NOT: not finite
// POSITIVE: verified on 2 devices
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.sqrt %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
