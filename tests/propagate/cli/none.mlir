// --strategy=none propagates nothing; what is annotated is so, in the program or beside it.
// RUN: tessera propagate %s --strategy=none --shard 'w=P(None, "b")' --emit=table | FileCheck %s --check-prefix=TABLE
// RUN: tessera propagate %s --strategy=none --layout 'd16:b' --emit=table | FileCheck %s --check-prefix=LAYOUT
// RUN: tessera propagate %s --strategy=none --shard 'w=P(None, "b")' --why %%0 | FileCheck %s --check-prefix=WHY
// RUN: tessera partition %s --strategy=none --shard 'w=P(None, "b")' --verify --stats 2>&1 | FileCheck %s --check-prefix=PARTS
// TABLE: x {{.*}}<@m, [{"a"}, {}]>
// TABLE-NEXT: w {{.*}}<@m, [{}, {"b"}]>
// TABLE-NEXT: %0 dot_general  tensor<8x16xf32>{{$}}
// TABLE-NEXT: result0 tensor<8x16xf32>{{$}}
// LAYOUT: w {{.*}}<@m, [{?}, {"b"}]>
// WHY: dim 0 did not take "a", which dim 0 of %x has {{.*}}: propagation is off (--strategy=none)
// PARTS: 4 devices
// PARTS: verified on 4 devices
// PARTS: func.func @main(%arg0: tensor<4x8xf32> {{.*}}, %arg1: tensor<8x8xf32>
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>},
                %w: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
