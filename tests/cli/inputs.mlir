// Arrays go to arguments by name; what has no argument's name goes to what is left, each once.
// RUN: tessera run --engine=eval --entry=@numbers %s --outputs %t.npz
// RUN: python3 -c "import sys, zipfile as z; a = z.ZipFile(sys.argv[1]); b = z.ZipFile(sys.argv[2], 'w'); [b.writestr(to + '.npy', a.read('result%%d.npy' %% i)) for i, to in enumerate(['bias', 'w', 'x'])]" %t.npz %t2.npz
// RUN: tessera run --engine=eval %s --inputs %t2.npz --dense | FileCheck %s --check-prefix=MATCHED
// RUN: tessera run --engine=eval --entry=pair %s --outputs %t3.npz
// RUN: not tessera run --engine=eval %s --inputs %t3.npz 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: tessera run --engine=eval --entry=half %s --outputs %t4.npy
// RUN: not tessera run --engine=eval --entry=whole %s --inputs %t4.npy 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not tessera run --engine=eval --entry=rows %s --inputs %t4.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not tessera run --engine=eval --entry=half %s --outputs %t.txt 2>&1 | FileCheck %s --check-prefix=ENDING
// RUN: not tessera run --engine=eval /dev/null 2>&1 | FileCheck %s --check-prefix=EMPTY

// MATCHED: dense<3.000000e+00>
// MATCHED-NEXT: dense<2.000000e+00>
// MATCHED-NEXT: dense<1.000000e+00>
func.func @main(%x: tensor<f32>, %w: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  return %x, %w, %b : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func @numbers() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.constant dense<2.0> : tensor<f32>
  %2 = stablehlo.constant dense<3.0> : tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}
// COUNT: the inputs hold 2 arrays (result0, result1), @main takes 3 (%x, %w, %b)
func.func @pair() -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  return %0, %0 : tensor<f32>, tensor<f32>
}
// TYPE: for argument %a: holds f16, expected f32: save it with .astype('f4')
func.func @whole(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
// SHAPE: for argument %a: holds tensor<3xf16>, expected tensor<2x3xf16>
func.func @rows(%a: tensor<2x3xf16>) -> tensor<2x3xf16> {
  return %a : tensor<2x3xf16>
}
// ENDING: --outputs takes a name ending in .npz, or .npy for one result, not '{{.*}}.txt'
func.func @half() -> tensor<3xf16> {
  %0 = stablehlo.constant dense<1.0> : tensor<3xf16>
  return %0 : tensor<3xf16>
}
// EMPTY: /dev/null is empty: there is no program
