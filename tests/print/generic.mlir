// Generic syntax throughout.
// RUN: tessera parse --generic --allow-unregistered %s > %t.printed
// RUN: grep -v '^//' %s > %t.wanted
// RUN: diff %t.wanted %t.printed
"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{arg_attrs = [{a.b = 1 : i64}, {}], function_type = (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2xf32>, %arg1: tensor<i32>):
    %0 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
    %1 = "stablehlo.add"(%arg0, %0) {a.note = "x"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %2:2 = "stablehlo.while"(%arg1, %1) ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<2xf32>):
      %4 = "stablehlo.compare"(%arg2, %arg1) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%4) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<2xf32>):
      "stablehlo.return"(%arg2, %arg3) : (tensor<i32>, tensor<2xf32>) -> ()
    }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
    %3 = "foo.bar"(%2#1) <{p = 1 : i64}> ({
    ^bb0:
    }) {q} : (tensor<2xf32>) -> !foo.type<"x">
    "func.return"(%2#1) : (tensor<2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
