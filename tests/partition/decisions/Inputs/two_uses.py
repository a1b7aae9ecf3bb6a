"""two_uses.py N [sums]: a program that uses two weights, runs N ops, and uses both again in the opposite order. sums: it also returns
the sums of two values, which the pass `bucket` combines."""
import sys

x, w = "tensor<512x16xf32>", "tensor<16x16xf32>"


def dot(result, a, b, dim):
    print(f"  {result} = stablehlo.dot_general {a}, {b}, contracting_dims = [1] x [{dim}] : ({x}, {w}) -> {x}")


sums = sys.argv[2:] == ["sums"]
results = f"{x}, tensor<f32>, tensor<f32>" if sums else x
print(f"func.func @main(%x: {x}, %w: {w}, %u: {w}) -> ({results}) {{")
dot("%w0", "%x", "%w", 0)
dot("%u0", "%w0", "%u", 0)
last = "%u0"
for i in range(int(sys.argv[1])):
    print(f"  %t{i} = stablehlo.tanh {last} : {x}")
    last = f"%t{i}"
dot("%u1", last, "%u", 1)
dot("%w1", "%u1", "%w", 1)
if sums:
    print("  %zero = stablehlo.constant dense<0.0> : tensor<f32>")
    for name, value in (("%s0", "%x"), ("%s1", "%w1")):
        print(f"  {name} = stablehlo.reduce({value} init: %zero) applies stablehlo.add across dimensions = [0, 1] : ({x}, tensor<f32>) -> tensor<f32>")
print(f"  return %w1{', %s0, %s1' if sums else ''} : {results}\n}}")
