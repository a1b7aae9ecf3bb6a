#!/bin/bash
# Adding a pointwise op is a one-line diff: in a scratch copy of the tree, one row is added to the table
# (base-2 exponential, with libm's exp2), and the op is read, verified, printed and evaluated.
set -eu
cd "$(dirname "$0")/.."
scratch=$PWD/build/one_line_op
rm -rf "$scratch"
mkdir -p "$scratch/build/release"
cp -a Makefile tessera.pc.in src include "$scratch/"
# Objects come along with their times, so that only what reads the table is compiled again.
cp -a build/release/obj "$scratch/build/release/" 2>/dev/null || true

table=src/ops/pointwise.def
row='POINTWISE(exp2, "stablehlo.exp2", UNARY, F(exp2(x)) Q)'
sed -i "/^POINTWISE(exponential,/i $row" "$scratch/$table"
env -u MAKEFLAGS -u MAKELEVEL make -s -C "$scratch" >"$scratch/make.log" 2>&1 || { tail -n 20 "$scratch/make.log"; exit 1; }

cat >"$scratch/exp2.mlir" <<'MLIR'
func.func @main() {
  %0 = stablehlo.constant dense<[0.0, 1.0, 10.0, -1.0]> : tensor<4xf32>
  %1 = stablehlo.exp2 %0 : tensor<4xf32>
  check.expect_eq_const %1, dense<[1.0, 2.0, 1024.0, 0.5]> : tensor<4xf32>
  return
}
MLIR
"$scratch/build/tessera" check "$scratch/exp2.mlir"
"$scratch/build/tessera" parse "$scratch/exp2.mlir" | grep -q 'stablehlo.exp2 %[0-9a-z_]* : tensor<4xf32>'
diff=$(diff -ru src "$scratch/src" || true)
grep '^[+-][^+-]' <<<"$diff"
[ "$(grep -c '^+[^+]' <<<"$diff")" = 1 ] && [ "$(grep -c '^-[^-]' <<<"$diff")" = 0 ]
echo "one op: $(grep -c '^+++ ' <<<"$diff") file changed, 1 line added"
