"""two_uses.py N: a program that uses two weights, runs N ops, and uses both again in the opposite order."""
import sys

x, w = "tensor<512x16xf32>", "tensor<16x16xf32>"


def dot(result, a, b, dim):
    print(f"  {result} = stablehlo.dot_general {a}, {b}, contracting_dims = [1] x [{dim}] : ({x}, {w}) -> {x}")


print(f"func.func @main(%x: {x}, %w: {w}, %u: {w}) -> {x} {{")
dot("%w0", "%x", "%w", 0)
dot("%u0", "%w0", "%u", 0)
last = "%u0"
for i in range(int(sys.argv[1])):
    print(f"  %t{i} = stablehlo.tanh {last} : {x}")
    last = f"%t{i}"
dot("%u1", last, "%u", 1)
dot("%w1", "%u1", "%w", 1)
print(f"  return %w1 : {x}\n}}")
