"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{arg_attrs = [{a.b = 1 : i64}, {}], function_type = (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<2xf32>, %arg2: tensor<i32>):
    %1 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
    %2 = "stablehlo.add"(%arg1, %1) {a.note = "x"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %3:2 = "stablehlo.while"(%arg2, %2) ({
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<2xf32>):
      %5 = "stablehlo.compare"(%arg5, %arg2) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%5) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<2xf32>):
      "stablehlo.return"(%arg3, %arg4) : (tensor<i32>, tensor<2xf32>) -> ()
    }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
    %4 = "foo.bar"(%3#1) <{p = 1 : i64}> ({
    ^bb0:
    }) {q} : (tensor<2xf32>) -> !foo.type<"x">
    "func.return"(%3#1) : (tensor<2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = "last"}> ({
  ^bb0(%arg0: tensor<2xf32>):
    %0 = "stablehlo.negate"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
    "ftnc.return"(%0) : (tensor<2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
