// A custom call is planned by its rule, of the text or of --call-rule, and with the FLOPs that are given: here 100000000 per element. With many
// FLOPs it is worth sharding, with few it is not worth the latency of gathering the result.
// RUN: tessera plan %s --machine h100:8 --mesh x=8 --shard 'x=P()' --shard 'result0=P()' --call-rule 'my.norm=([i,j])->([i,j])' --plan-out %t.json > /dev/null
// RUN: tessera partition %s --machine h100:8 --plan %t.json --call-rule 'my.norm=([i,j])->([i,j])' | FileCheck %s --check-prefix=MANY
// RUN: sed 's/i64: 100000000,/i64: 1,/' %s > %t.few.mlir
// RUN: tessera plan %t.few.mlir --machine h100:8 --mesh x=8 --shard 'x=P()' --shard 'result0=P()' --call-rule 'my.norm=([i,j])->([i,j])' --plan-out %t.json > /dev/null
// RUN: tessera partition %t.few.mlir --machine h100:8 --plan %t.json --call-rule 'my.norm=([i,j])->([i,j])' | FileCheck %s --check-prefix=FEW
// MANY: stablehlo.custom_call @my.norm({{.*}} -> tensor<{{16x128|128x16}}xf32>
// FEW: stablehlo.custom_call @my.norm({{.*}} (tensor<128x128xf32>) -> tensor<128x128xf32>
func.func @main(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = stablehlo.custom_call @my.norm(%x) {tessera.flops = array<i64: 100000000, 0, 0, 0, 1>} : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}
