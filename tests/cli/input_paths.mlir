// Arrays go to arguments by their paths, as JAX prints them, in dots or in brackets; which is taken in order is told.
// RUN: tessera run --engine=eval --entry=numbers %s --outputs %t.npz
// RUN: python3 -c "import sys, zipfile as z; a = z.ZipFile(sys.argv[1]); [(lambda b: ([b.writestr(to + '.npy', a.read('result%%d.npy' %% i)) for i, to in enumerate(names.split())], b.close()))(z.ZipFile(path, 'w')) for path, names in zip(sys.argv[2::2], sys.argv[3::2])]" %t.npz %t1.npz "x params.w params.b" %t2.npz "x params['w'] params['b']" %t3.npz "x weight bias" %t4.npz "arr_0 arr_1 arr_2"
// RUN: tessera run --engine=eval %s --inputs %t1.npz --dense 2>&1 | FileCheck %s --check-prefix=MATCHED --implicit-check-not=tessera
// RUN: tessera run --engine=eval %s --inputs %t2.npz --dense 2>&1 | FileCheck %s --check-prefix=MATCHED --implicit-check-not=tessera
// RUN: tessera run --engine=eval %s --inputs %t3.npz --dense 2>&1 | FileCheck %s --check-prefix=TOLD
// RUN: tessera run --engine=eval %s --inputs %t4.npz --dense 2>&1 | FileCheck %s --check-prefix=ORDER --implicit-check-not=tessera
// RUN: not tessera run --engine=eval %s --inputs %t1.npz %t1.npz 2>&1 | FileCheck %s --check-prefix=COUNT

// MATCHED: dense<3.000000e+00>
// MATCHED-NEXT: dense<2.000000e+00>
// MATCHED-NEXT: dense<1.000000e+00>
// TOLD: tessera: no argument is called 'weight': it is taken in order, for argument 'params.b' (so is 1 more)
// TOLD: dense<2.000000e+00>
// TOLD-NEXT: dense<3.000000e+00>
// TOLD-NEXT: dense<1.000000e+00>
// ORDER: dense<1.000000e+00>
// ORDER-NEXT: dense<2.000000e+00>
// ORDER-NEXT: dense<3.000000e+00>
// COUNT: the inputs hold 6 arrays (x, params.w, params.b, x, params.w, params.b), @main takes 3 ('params.b', 'params.w', 'x')
func.func @main(%arg0: tensor<f32> loc("params['b']"), %arg1: tensor<f32> loc("params['w']"), %arg2: tensor<f32> loc("x")) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  return %arg0, %arg1, %arg2 : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func @numbers() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.constant dense<2.0> : tensor<f32>
  %2 = stablehlo.constant dense<3.0> : tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}
