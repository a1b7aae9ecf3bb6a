// RUN: tessera parse --json %s | FileCheck %s --check-prefix=PARSE
// RUN: tessera run --engine=eval --json %s | FileCheck %s --check-prefix=RUN-JSON
// RUN: tessera run --engine=eval --json %s | python3 -c "import json, sys; [json.loads(line) for line in sys.stdin]"
// PARSE: {"file":"{{.*}}json.mlir","segment":0,"valid":true,"hash":"{{[0-9a-f]+}}","functions":[{"name":"main","arguments":[],"results":["tensor<2x2xf32>","tensor<2xi1>","tensor<complex<f64>>"],"ops":4}],"diagnostics":[]}
// RUN-JSON: {"process":[0,0],"result":0,"type":"tensor<2x2xf32>","value":{{\[\[}}1,"inf"],["nan",-0.5]]}
// RUN-JSON-NEXT: {"process":[0,0],"result":1,"type":"tensor<2xi1>","value":[true,false]}
// RUN-JSON-NEXT: {"process":[0,0],"result":2,"type":"tensor<complex<f64>>","value":[1,2]}
func.func @main() -> (tensor<2x2xf32>, tensor<2xi1>, tensor<complex<f64>>) {
  %0 = stablehlo.constant dense<[[1.0, 0x7F800000], [0x7FC00000, -0.5]]> : tensor<2x2xf32>
  %1 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %2 = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f64>>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2xi1>, tensor<complex<f64>>
}
