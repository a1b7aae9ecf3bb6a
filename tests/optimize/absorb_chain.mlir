// Sums that meet one after the other: what one meeting makes is where the next one ends. As many as here wrote beyond the
// pass's own table.
// RUN: split-file %s %t
// RUN: python3 %t/chain.py > %t/chain.mlir
// RUN: tessera optimize %t/chain.mlir --devices 2 --passes=dead,absorb | FileCheck %t/chain.py
// RUN: tessera optimize %t/chain.mlir --devices 2 -o %t/made.mlir
// RUN: tessera run --engine=eval --seed 1 --partitions=2 %t/chain.mlir > %t/before.txt
// RUN: tessera run --engine=eval --seed 1 --partitions=2 %t/made.mlir > %t/after.txt
// RUN: diff %t/before.txt %t/after.txt

//--- chain.py
# CHECK-COUNT-1: stablehlo.all_reduce
# CHECK-NOT: stablehlo.all_reduce
N = 24
WHOLE = f"tensor<{N}xi32>"
GROUPS = ("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
          "use_global_device_ids")


def total(name, of, type):
    print(f"""  {name} = "stablehlo.all_reduce"({of}) <{{{GROUPS}}}> ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }}) : ({type}) -> {type}""")


ones = ", ".join(f"%x{i}: tensor<1xi32>" for i in range(N))
print(f"""func.func @main(%y: {WHOLE}, {ones}) -> {WHOLE} {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %id = stablehlo.partition_id : tensor<ui32>
  %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %whole = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> {WHOLE}
  %one = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<1xi32>
  %mine = stablehlo.add %y, %whole : {WHOLE}""")
total("%c0", "%mine", WHOLE)
for i in range(N):
    print(f"  %m{i} = stablehlo.add %x{i}, %one : tensor<1xi32>")
    total(f"%a{i}", f"%m{i}", "tensor<1xi32>")
    print(f"""  %p{i} = stablehlo.pad %a{i}, %zero, low = [{i}], high = [{N - 1 - i}], interior = [0] : (tensor<1xi32>, tensor<i32>) -> {WHOLE}
  %c{i + 1} = stablehlo.add %c{i}, %p{i} : {WHOLE}""")
print(f"  return %c{N} : {WHOLE}\n}}")
