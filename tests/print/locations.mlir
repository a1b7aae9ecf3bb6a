// Locations: those of arguments are defined at the head, the others at the tail, shallow ones first.
// RUN: tessera parse --locations %s > %t.printed
// RUN: grep -v '^//' %s > %t.wanted
// RUN: diff %t.wanted %t.printed
#loc2 = loc("x")
module @m {
  func.func public @main(%arg0: tensor<2xf32> loc(#loc2)) -> tensor<2xf32> {
    %0 = stablehlo.sine %arg0 : tensor<2xf32> loc(#loc5)
    %1 = stablehlo.cosine %0 : tensor<2xf32> loc(#loc8)
    %2 = stablehlo.tanh %1 : tensor<2xf32> loc(#loc7)
    return %2 : tensor<2xf32> loc(#loc)
  } loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
#loc1 = loc("f.py":3:4)
#loc3 = loc("g.py":1:2 to 3:4)
#loc4 = loc("h.py":5:6 to :9)
#loc5 = loc("jit(f)/sin"(#loc1))
#loc6 = loc(fused<"meta">[#loc3, #loc4])
#loc7 = loc(callsite(#loc1 at #loc3))
#loc8 = loc("jit(f)/cos"(#loc6))
