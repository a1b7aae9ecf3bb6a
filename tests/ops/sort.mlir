// RUN: tessera check %s
// sort: slices of all inputs reordered together by a comparator.

func.func @ascending_last() {
  %a = stablehlo.constant dense<[[3, 1, 2, 1], [2, 2, 0, 5], [3, 0, 1, 1]]> : tensor<3x4xi32>
  %i = stablehlo.iota dim = 1 : tensor<3x4xi32>
  %r:2 = "stablehlo.sort"(%a, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x4xi32>, tensor<3x4xi32>) -> (tensor<3x4xi32>, tensor<3x4xi32>)
  check.expect_eq_const %r#0, dense<[[1, 1, 2, 3], [0, 2, 2, 5], [0, 1, 1, 3]]> : tensor<3x4xi32>
  check.expect_eq_const %r#1, dense<[[1, 3, 2, 0], [2, 0, 1, 3], [1, 2, 3, 0]]> : tensor<3x4xi32>
  return
}

// -----

func.func @descending_first() {
  %a = stablehlo.constant dense<[[3, 1, 2, 1], [2, 2, 0, 5], [3, 0, 1, 1]]> : tensor<3x4xi32>
  %i = stablehlo.iota dim = 0 : tensor<3x4xi32>
  %r:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare GT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x4xi32>, tensor<3x4xi32>) -> (tensor<3x4xi32>, tensor<3x4xi32>)
  check.expect_eq_const %r#0, dense<[[3, 2, 2, 5], [3, 1, 1, 1], [2, 0, 0, 1]]> : tensor<3x4xi32>
  check.expect_eq_const %r#1, dense<[[0, 1, 0, 1], [2, 0, 2, 0], [1, 2, 1, 2]]> : tensor<3x4xi32>
  return
}

// -----

func.func @negative_dimension() {
  %a = stablehlo.constant dense<[[3, 1, 2, 1], [2, 2, 0, 5], [3, 0, 1, 1]]> : tensor<3x4xi32>
  %i = stablehlo.iota dim = 1 : tensor<3x4xi32>
  %r:2 = "stablehlo.sort"(%a, %i) <{dimension = -1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x4xi32>, tensor<3x4xi32>) -> (tensor<3x4xi32>, tensor<3x4xi32>)
  check.expect_eq_const %r#0, dense<[[1, 1, 2, 3], [0, 2, 2, 5], [0, 1, 1, 3]]> : tensor<3x4xi32>
  check.expect_eq_const %r#1, dense<[[1, 3, 2, 0], [2, 0, 1, 3], [1, 2, 3, 0]]> : tensor<3x4xi32>
  return
}

// -----

func.func @middle() {
  %a = stablehlo.constant dense<[[[1, 3, 3], [1, 3, 2], [1, 1, 2], [1, 2, 1], [1, 1, 1]], [[1, 0, 2], [3, 1, 0], [3, 0, 0], [3, 2, 1], [0, 1, 0]]]> : tensor<2x5x3xi32>
  %i = stablehlo.iota dim = 1 : tensor<2x5x3xi32>
  %r:2 = "stablehlo.sort"(%a, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<2x5x3xi32>, tensor<2x5x3xi32>) -> (tensor<2x5x3xi32>, tensor<2x5x3xi32>)
  check.expect_eq_const %r#0, dense<[[[1, 1, 1], [1, 1, 1], [1, 2, 2], [1, 3, 2], [1, 3, 3]], [[0, 0, 0], [1, 0, 0], [3, 1, 0], [3, 1, 1], [3, 2, 2]]]> : tensor<2x5x3xi32>
  check.expect_eq_const %r#1, dense<[[[0, 2, 3], [1, 4, 4], [2, 3, 1], [3, 0, 2], [4, 1, 0]], [[4, 0, 1], [0, 2, 2], [1, 1, 4], [2, 4, 3], [3, 3, 0]]]> : tensor<2x5x3xi32>
  return
}

// -----

func.func @floats() {
  %a = stablehlo.constant dense<[[3.0, 1.0, 2.0, 1.0], [2.0, 2.0, 0.0, 5.0], [3.0, 0.0, 1.0, 1.0]]> : tensor<3x4xf32>
  %i = stablehlo.iota dim = 1 : tensor<3x4xi32>
  %r:2 = "stablehlo.sort"(%a, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x4xf32>, tensor<3x4xi32>) -> (tensor<3x4xf32>, tensor<3x4xi32>)
  check.expect_eq_const %r#0, dense<[[3.0, 2.0, 1.0, 1.0], [5.0, 2.0, 2.0, 0.0], [3.0, 1.0, 1.0, 0.0]]> : tensor<3x4xf32>
  check.expect_eq_const %r#1, dense<[[0, 2, 1, 3], [3, 0, 1, 2], [0, 2, 3, 1]]> : tensor<3x4xi32>
  return
}

// -----

func.func @bools() {
  %a = stablehlo.constant dense<[[true, true, false, true], [false, false, false, true], [true, false, true, true]]> : tensor<3x4xi1>
  %i = stablehlo.iota dim = 1 : tensor<3x4xi32>
  %r:2 = "stablehlo.sort"(%a, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i1>, %q: tensor<i1>, %x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<i1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x4xi1>, tensor<3x4xi32>) -> (tensor<3x4xi1>, tensor<3x4xi32>)
  check.expect_eq_const %r#0, dense<[[false, true, true, true], [false, false, false, true], [false, true, true, true]]> : tensor<3x4xi1>
  check.expect_eq_const %r#1, dense<[[2, 0, 1, 3], [0, 1, 2, 3], [1, 0, 2, 3]]> : tensor<3x4xi32>
  return
}

// -----

func.func @unsigned() {
  %a = stablehlo.constant dense<[200, 3, 255, 0]> : tensor<4xui8>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %r:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<ui8>, %q: tensor<ui8>, %x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xui8>, tensor<4xi32>) -> (tensor<4xui8>, tensor<4xi32>)
  check.expect_eq_const %r#0, dense<[0, 3, 200, 255]> : tensor<4xui8>
  check.expect_eq_const %r#1, dense<[3, 1, 0, 2]> : tensor<4xi32>
  return
}

// -----

func.func @small_integers() {
  %a = stablehlo.constant dense<[-8, 7, 0, -1, 3]> : tensor<5xi4>
  %i = stablehlo.iota dim = 0 : tensor<5xi32>
  %r:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i4>, %q: tensor<i4>, %x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare GT, %p, %q : (tensor<i4>, tensor<i4>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<5xi4>, tensor<5xi32>) -> (tensor<5xi4>, tensor<5xi32>)
  check.expect_eq_const %r#0, dense<[7, 3, 0, -1, -8]> : tensor<5xi4>
  check.expect_eq_const %r#1, dense<[1, 4, 2, 3, 0]> : tensor<5xi32>
  return
}

// -----

func.func @brain_floats() {
  %a = stablehlo.constant dense<[[3.0, 1.0, 2.0, 1.0], [2.0, 2.0, 0.0, 5.0], [3.0, 0.0, 1.0, 1.0]]> : tensor<3x4xbf16>
  %i = stablehlo.iota dim = 0 : tensor<3x4xi32>
  %r:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>, %x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x4xbf16>, tensor<3x4xi32>) -> (tensor<3x4xbf16>, tensor<3x4xi32>)
  check.expect_eq_const %r#0, dense<[[2.0, 0.0, 0.0, 1.0], [3.0, 1.0, 1.0, 1.0], [3.0, 2.0, 2.0, 5.0]]> : tensor<3x4xbf16>
  check.expect_eq_const %r#1, dense<[[1, 2, 1, 0], [0, 0, 2, 2], [2, 1, 0, 1]]> : tensor<3x4xi32>
  return
}

// -----

func.func @pair_comparator() {
  %a = stablehlo.constant dense<[1, 0, 1, 0]> : tensor<4xi32>
  %b = stablehlo.constant dense<[2, 9, 1, 3]> : tensor<4xi32>
  %r:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %x: tensor<i32>, %y: tensor<i32>):
    %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %eq = stablehlo.compare EQ, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %lt2 = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %and = stablehlo.and %eq, %lt2 : tensor<i1>
    %or = stablehlo.or %lt, %and : tensor<i1>
    stablehlo.return %or : tensor<i1>
  }) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %r#0, dense<[0, 0, 1, 1]> : tensor<4xi32>
  check.expect_eq_const %r#1, dense<[3, 9, 1, 2]> : tensor<4xi32>
  return
}

// -----

func.func @nan_payload_kept() {
  %a = stablehlo.constant dense<[0x7FC00001, 0xFF800000, 0x80000000]> : tensor<3xf32>
  %r = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  %b = stablehlo.bitcast_convert %r : (tensor<3xf32>) -> tensor<3xui32>
  check.expect_eq_const %b, dense<[4286578688, 2147483648, 2143289345]> : tensor<3xui32>
  return
}

// -----

func.func @empty() {
  %a = stablehlo.constant dense<> : tensor<2x0xi32>
  %r = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<2x0xi32>) -> tensor<2x0xi32>
  check.expect_eq_const %r, dense<> : tensor<2x0xi32>
  return
}
