// RUN: tessera run --engine=eval %s --seed=3 --outputs %t.npz 2>&1 | FileCheck %s --check-prefix=SEED
// RUN: tessera run --engine=eval %s --inputs %t.npz --outputs %t2.npz
// RUN: tessera run --engine=eval %s --inputs %t2.npz --outputs %t3.npz
// RUN: cmp %t.npz %t3.npz
// RUN: python3 -c "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(z.namelist())" %t.npz | FileCheck %s --check-prefix=ZIP
// RUN: not tessera run --engine=eval %s --inputs %s 2>&1 | FileCheck %s --check-prefix=BAD
// SEED: no --inputs: 7 arguments of seeded random data (--seed=3)
// ZIP: ['result0.npy', 'result1.npy', 'result2.npy', 'result3.npy', 'result4.npy', 'result5.npy', 'result6.npy']
// BAD: the inputs hold 1 array (npz.mlir), @main takes 7 (%a, %b, %c, %d, %e, %f, %g)

// Twice negated is what it was, for every kind of element NumPy has or has not.
func.func @main(%a: tensor<2x3xf32>, %b: tensor<bf16>, %c: tensor<4xi4>, %d: tensor<2xcomplex<f64>>, %e: tensor<3xi1>, %f: tensor<0x2xui16>, %g: tensor<3xf8E4M3FN>) -> (tensor<2x3xf32>, tensor<bf16>, tensor<4xi4>, tensor<2xcomplex<f64>>, tensor<3xi1>, tensor<0x2xui16>, tensor<3xf8E4M3FN>) {
  %0 = stablehlo.negate %a : tensor<2x3xf32>
  %1 = stablehlo.negate %b : tensor<bf16>
  %2 = stablehlo.negate %c : tensor<4xi4>
  %3 = stablehlo.negate %d : tensor<2xcomplex<f64>>
  %4 = stablehlo.not %e : tensor<3xi1>
  %5 = stablehlo.not %f : tensor<0x2xui16>
  %6 = stablehlo.negate %g : tensor<3xf8E4M3FN>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x3xf32>, tensor<bf16>, tensor<4xi4>, tensor<2xcomplex<f64>>, tensor<3xi1>, tensor<0x2xui16>, tensor<3xf8E4M3FN>
}
