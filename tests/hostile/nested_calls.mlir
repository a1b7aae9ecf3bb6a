// Functions that call each other deeper than any stack are written where they are called only so deep.
// RUN: python3 -c "print('func.func @main(%v: tensor<4xf32>) -> tensor<4xf32> { %0 = func.call @f0(%v) : (tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> }')" > %t.mlir
// RUN: python3 -c "n = 8000; [print(f'func.func private @f{i}(%v: tensor<4xf32>) -> tensor<4xf32> {{ %0 = func.call @f{i + 1}(%v) : (tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> }}') for i in range(n)]" >> %t.mlir
// RUN: python3 -c "print('func.func private @f8000(%v: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.negate %v : tensor<4xf32> return %0 : tensor<4xf32> }')" >> %t.mlir
// RUN: echo '0=P("a")' > %t.rules
// RUN: bash -c "ulimit -s 2048; tessera partition %t.mlir --mesh a=2 --shard-file %t.rules" | FileCheck %s
// CHECK: func.func @main(%arg0: tensor<2xf32>
// CHECK: stablehlo.negate %{{.*}} : tensor<2xf32>

// In a manual computation all are.
// RUN: sed -e 's/%0 = func.call @f0(%v)/%0 = sdy.manual_computation(%v) in_shardings=[<@m, [{"a"}]>] out_shardings=[<@m, [{"a"}]>] manual_axes={"a"} (%w: tensor<2xf32>) { %1 = func.call @f0(%w) : (tensor<2xf32>) -> tensor<2xf32> sdy.return %1 : tensor<2xf32> }/' -e '2,$s/4xf32/2xf32/g' -e '1s/^/sdy.mesh @m = <["a"=2]> /' %t.mlir > %t.manual.mlir
// RUN: not tessera partition %t.manual.mlir 2>&1 | FileCheck %s --check-prefix=MANUAL
// MANUAL: error: regions and calls stand more than 1024 deep inside each other
