The compiled engine gives the evaluator's results for loops whose carries are swapped, passed through, shared or nested.
// RUN: split-file %s %t
// RUN: bash -c 'for f in swap rotate invariant nested branch results; do %out/tessera run --engine=eval %t/$f.mlir > %t/$f.eval && for w in 1 3; do %out/tessera run --engine=compiled --workers=$w --repeat=3 %t/$f.mlir | cmp - %t/$f.eval || exit 1; done; done'

//--- swap.mlir
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %c0, %x = %a, %y = %b) : tensor<i32>, tensor<3xf32>, tensor<3xf32>
   cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %y, %x : tensor<i32>, tensor<3xf32>, tensor<3xf32>
  }
  return %r#1, %r#2 : tensor<3xf32>, tensor<3xf32>
}

//--- rotate.mlir
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %c0, %x = %a, %y = %b, %z = %a) : tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
   cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %x, %z : tensor<3xf32>
    %t = stablehlo.multiply %s, %y : tensor<3xf32>
    stablehlo.return %j, %y, %s, %t : tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  return %r#1, %r#2, %r#3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

//--- invariant.mlir
// The body returns a value from outside, a carry twice, and an update of a slice.
func.func @main(%a: tensor<8xf32>, %b: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %r:5 = stablehlo.while(%i = %c0, %x = %a, %y = %a, %u = %b, %v = %b) : tensor<i32>, tensor<8xf32>, tensor<8xf32>, tensor<2xf32>, tensor<2xf32>
   cond {
    %n = stablehlo.constant dense<4> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
    %d = stablehlo.add %u, %u : tensor<2xf32>
    %w2 = stablehlo.dynamic_update_slice %w, %d, %j : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
    stablehlo.return %j, %w2, %a, %d, %u : tensor<i32>, tensor<8xf32>, tensor<8xf32>, tensor<2xf32>, tensor<2xf32>
  }
  return %r#1, %r#2, %r#3, %r#4 : tensor<8xf32>, tensor<8xf32>, tensor<2xf32>, tensor<2xf32>
}

//--- nested.mlir
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %c0, %x = %a, %s = %a) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
   cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %q:3 = stablehlo.while(%k = %c0, %y = %x, %t = %s) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
     cond {
      %p2 = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p2 : tensor<i1>
    } do {
      %k1 = stablehlo.add %k, %one : tensor<i32>
      %y1 = stablehlo.add %y, %a : tensor<4xf32>
      %t1 = stablehlo.add %t, %y : tensor<4xf32>
      stablehlo.return %k1, %y1, %t1 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
    %m = stablehlo.multiply %q#1, %x : tensor<4xf32>
    stablehlo.return %j, %m, %q#2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>
}

//--- branch.mlir
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = stablehlo.constant dense<-1> : tensor<i32>
  %r:4 = stablehlo.while(%i = %c0, %x = %a, %y = %b, %z = %b) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
   cond {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %c:2 = "stablehlo.case"(%i) ({
      %s = stablehlo.add %x, %y : tensor<4xf32>
      stablehlo.return %s, %y : tensor<4xf32>, tensor<4xf32>
    }, {
      stablehlo.return %y, %x : tensor<4xf32>, tensor<4xf32>
    }, {
      %m = stablehlo.multiply %x, %y : tensor<4xf32>
      stablehlo.return %m, %m : tensor<4xf32>, tensor<4xf32>
    }) : (tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
    %e = stablehlo.compare EQ, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %f = "stablehlo.if"(%e) ({
      stablehlo.return %z : tensor<4xf32>
    }, {
      %d = stablehlo.subtract %z, %c#0 : tensor<4xf32>
      stablehlo.return %d : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    stablehlo.return %j, %c#1, %c#0, %f : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#1, %r#2, %r#3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

//--- results.mlir
// An argument, a constant, views and one value several times.
func.func @main(%a: tensor<2x3xf32>, %e: tensor<0x3xf32>) -> (tensor<2x3xf32>, tensor<6xf32>, tensor<3x2xf32>, tensor<6xf32>, tensor<2xi32>, tensor<0x3xf32>, tensor<3x2xf32>) {
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %v = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xf32>
  %s = stablehlo.add %v, %v : tensor<6xf32>
  %w = stablehlo.reshape %s : (tensor<6xf32>) -> tensor<3x2xf32>
  %x = stablehlo.add %e, %e : tensor<0x3xf32>
  return %a, %v, %w, %s, %c, %x, %w : tensor<2x3xf32>, tensor<6xf32>, tensor<3x2xf32>, tensor<6xf32>, tensor<2xi32>, tensor<0x3xf32>, tensor<3x2xf32>
}
