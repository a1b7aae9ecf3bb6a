// Each reason for which an axis goes no further, in a person's words.
// RUN: tessera propagate %s --why result0 --why w | FileCheck %s --check-prefix=FIRST
// RUN: tessera propagate %s --why @reasons:%o --why @reasons:%c --why @reasons:%r --why @reasons:%k | FileCheck %s --check-prefix=STOP
// RUN: tessera propagate %s --why @loop:%0 | FileCheck %s --check-prefix=LOOP
// RUN: tessera propagate %s --why-all --json | python3 -m json.tool | FileCheck %s --check-prefix=JSON
// RUN: tessera propagate %s --why w --json | python3 -m json.tool | FileCheck %s --check-prefix=ONE
// RUN: tessera propagate %s --why reasons.mlir:31 | FileCheck %s --check-prefix=LINE
// RUN: not tessera propagate %s --why %nothing 2>&1 | FileCheck %s --check-prefix=NONE

// FIRST: result0 : tensor<8x8xf32> <@mesh, [{"a", ?}, {"b", ?}]>
// FIRST-NEXT: dim 0 "a": from dim 0 of %x, annotated at {{.*}}reasons.mlir:29:19, through
// FIRST-NEXT: dot_general at {{.*}}reasons.mlir:31: dim 0 of %x -> dim 0 of %0
// FIRST-NEXT: return at {{.*}}reasons.mlir:32: dim 0 of %0 -> dim 0 of result0
// FIRST-NEXT: dim 1 "b": from dim 1 of %w, annotated at {{.*}}reasons.mlir:30:7, through
// FIRST: %w : tensor<8x8xf32>
// FIRST-NEXT: dim 0: no axes: no op that defines or uses this value offers one
// FIRST-NEXT: dim 1 "b": annotated at {{.*}}reasons.mlir:30:7
// LINE: %0 : tensor<8x8xf32>
// NONE: error: no value is called '%nothing'
// LOOP: @loop:%0#0 : tensor<8xf32> <@mesh, [{"a", ?}]>
// LOOP-NEXT: must have the same sharding as %i
// LOOP-NEXT: dim 0 "a": from dim 0 of @loop:%x, annotated at {{.*}}, through
// LOOP-NEXT: while at {{.*}}: dim 0 of @loop:%x -> dim 0 of @loop:%0#0
// JSON: "why": 1
// ONE: "value": "%w"

module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>},
      %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }

  // STOP: @reasons:%o : tensor<8x8xf32> <@mesh, [{"b"}, {?}]>
  // STOP-NEXT: dim 0 "b": annotated at
  // STOP-NEXT: dim 0 did not take "a", which dim 0 of @reasons:%x has (add at {{.*}}): this dimension already has other axes
  // STOP-NEXT: blocked by "b" on dim 0 of @reasons:%o, annotated at
  // STOP: @reasons:%c :
  // STOP-NEXT: dim 0 did not take "a", which dim 0 of @reasons:%x has (multiply at {{.*}}): this dimension is closed, as annotated at
  // STOP: @reasons:%r :
  // STOP-NEXT: dim 0 did not take "a", which dim 0 of @reasons:%x has (subtract at {{.*}}): this value is explicitly replicated along the axis, as annotated at
  // STOP: @reasons:%k :
  // STOP-NEXT: dim 0 did not take "a", which dim 0 of @reasons:%x has (divide at {{.*}}): the axis already shards another dimension of this value
  // STOP-NEXT: blocked by "a" on dim 1 of @reasons:%k, annotated at
  func.func @reasons(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
      %o: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>},
      %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
      %r: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"a"}>},
      %k: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) {
    %0 = stablehlo.add %x, %o : tensor<8x8xf32>
    %1 = stablehlo.multiply %x, %c : tensor<8x8xf32>
    %2 = stablehlo.subtract %x, %r : tensor<8x8xf32>
    %3 = stablehlo.divide %x, %k : tensor<8x8xf32>
    return
  }

  func.func @loop(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %0:2 = stablehlo.while(%i = %x, %j = %n) : tensor<8xf32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %1 = stablehlo.negate %i : tensor<8xf32>
      stablehlo.return %1, %j : tensor<8xf32>, tensor<i32>
    }
    return %0#0 : tensor<8xf32>
  }
}
