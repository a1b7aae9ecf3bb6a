// RUN: tessera parse --verify-diagnostics %s

func.func @c1() {
  // expected-error@+1 {{'stablehlo.sort' op C1: there are no inputs, expected at least one}}
  "stablehlo.sort"() <{dimension = 0 : i64}> ({
    ^bb0:
      "stablehlo.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.sort' op C2: input and result 0 have types tensor<2x3xf32> and tensor<2x3xf64>, expected the same}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      %c = "stablehlo.compare"(%p0, %p1) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @c2_count(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.sort' op C2: the numbers of inputs and results are 1 and 2, expected equal}}
  %0:2 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      %c = "stablehlo.compare"(%p0, %p1) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @c3(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.sort' op C3: inputs 0 and 1 have types tensor<2x3xf32> and tensor<2x4xf32>, expected the same shape}}
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>, %p2: tensor<f32>, %p3: tensor<f32>):
      %c = "stablehlo.compare"(%p0, %p1) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<2x3xf32>, tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @c4(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.sort' op C4: dimension is 2, expected it in [-2, 2)}}
  %0 = "stablehlo.sort"(%a) <{dimension = 2 : i64}> ({
    ^bb0(%p0: tensor<f32>, %p1: tensor<f32>):
      %c = "stablehlo.compare"(%p0, %p1) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c5(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.sort' op C5: the comparator takes 1 arguments, expected 2}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
    ^bb0(%p: tensor<f32>):
      %c = "stablehlo.compare"(%p, %p) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c5_type(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.sort' op C5: argument 0 of the comparator has type tensor<f64>, expected tensor<f32>}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
    ^bb0(%p: tensor<f64>, %q: tensor<f64>):
      %c = "stablehlo.compare"(%p, %p) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c5_result(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.sort' op C5: the comparator returns tensor<f32>, expected one value of type tensor<i1>}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c2_scale(%x: tensor<2x!quant.uniform<i8:f32, 0.5:0>>) {
  // expected-error@+1 {{'stablehlo.sort' op C2: input and result 0 have types tensor<2x!quant.uniform<i8:f32, 5.000000e-01>> and tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>, expected the same}}
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:0>>, %b: tensor<!quant.uniform<i8:f32, 0.5:0>>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5:0>>, tensor<!quant.uniform<i8:f32, 0.5:0>>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:0>>
  return
}
