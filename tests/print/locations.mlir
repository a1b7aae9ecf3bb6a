// Locations: those of arguments are defined at the head, the others at the tail, shallow ones first.
// Arguments spell theirs out; what the text hides (arguments of while, the body of `applies`) has no
// part in it.
// RUN: tessera parse --locations %s > %t.printed
// RUN: grep -v '^//' %s > %t.wanted
// RUN: diff %t.wanted %t.printed
#loc1 = loc("f.py":3:4)
#loc2 = loc("x")
#loc11 = loc("s")
#loc12 = loc("t")
#loc18 = loc("y"(#loc1))
module @m {
  func.func public @main(%arg0: tensor<2xf32> loc("x")) -> tensor<2xf32> {
    %0 = stablehlo.sine %arg0 : tensor<2xf32> loc(#loc15)
    %1 = stablehlo.cosine %0 : tensor<2xf32> loc(#loc19)
    %2 = stablehlo.tanh %1 : tensor<2xf32> loc(#loc17)
    return %2 : tensor<2xf32> loc(#loc)
  } loc(#loc1)
  func.func @hidden(%arg0: tensor<i1> loc("x"), %arg1: tensor<2xi1> loc("y"(#loc1))) {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<i1>
    cond {
      stablehlo.return %iterArg : tensor<i1> loc(#loc7)
    } do {
      stablehlo.return %iterArg : tensor<i1> loc(#loc8)
    } loc(#loc6)
    %1 = stablehlo.reduce(%arg1 init: %0) applies stablehlo.and across dimensions = [0] : (tensor<2xi1>, tensor<i1>) -> tensor<i1> loc(#loc9)
    %2 = "stablehlo.sort"(%arg1) ({
    ^bb0(%arg2: tensor<i1> loc("s"), %arg3: tensor<i1> loc("t")):
      stablehlo.return %arg2 : tensor<i1> loc(#loc13)
    }) : (tensor<2xi1>) -> tensor<2xi1> loc(#loc10)
    return loc(#loc14)
  } loc(#loc5)
} loc(#loc)
#loc = loc(unknown)
#loc3 = loc("g.py":1:2 to 3:4)
#loc4 = loc("h.py":5:6 to :9)
#loc5 = loc("h")
#loc6 = loc("w")
#loc7 = loc("a")
#loc8 = loc("b")
#loc9 = loc("r")
#loc10 = loc("v")
#loc13 = loc("u")
#loc14 = loc("q")
#loc15 = loc("jit(f)/sin"(#loc1))
#loc16 = loc(fused<"meta">[#loc3, #loc4])
#loc17 = loc(callsite(#loc1 at #loc3))
#loc19 = loc("jit(f)/cos"(#loc16))
