// What is made from nothing is made in parts: each device counts from its own place and cuts its part of what stands in the text.
// RUN: tessera partition %s --mesh x=4 --shard 'result0=P("x")' --shard 'result1=P("x")' --shard 'result2=P(None,"x")' --verify --stats 2>&1 | FileCheck %s
// RUN: tessera partition %s --mesh x=2,y=3 --shard 'result0=P(("y","x"))' --shard 'result1=P("y","x")' --shard 'result2=P("y","x")' --verify --stats 2>&1 | FileCheck %s --check-prefix=SIX
// CHECK-DAG: 4 devices, 0 collectives, 0 bytes
// CHECK-DAG: verified on 4 devices: 3 results agree
// CHECK-DAG: stablehlo.iota dim = 0 : tensor<3xi64>
// CHECK-DAG: dense<2.500000e+00> : tensor<2x3xf32>
// SIX-DAG: 6 devices, 0 collectives, 0 bytes
// SIX-DAG: verified on 6 devices: 3 results agree
func.func @main() -> (tensor<10xbf16>, tensor<7x3xf32>, tensor<2x5xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<10xbf16>
  %1 = stablehlo.constant dense<2.5> : tensor<7x3xf32>
  %2 = stablehlo.constant dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]> : tensor<2x5xi32>
  return %0, %1, %2 : tensor<10xbf16>, tensor<7x3xf32>, tensor<2x5xi32>
}
