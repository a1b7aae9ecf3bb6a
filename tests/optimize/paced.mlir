// --collectives=apart: each all-gather has a channel of its own, so that XLA does not merge equal ones.
// --collectives=paced: large all-gathers of what is there from the beginning wait for what the use of the one before waits for. A
// value that is below and above 0 chooses the negated shard: never. Gathers of what is computed do not wait, nor do small ones.
// RUN: tessera optimize %s --devices 2 --passes=dead --collectives=paced | FileCheck %s
// RUN: tessera optimize %s --devices 2 --passes=dead --collectives=apart | FileCheck %s --check-prefix=APART
// RUN: tessera optimize %s --devices 2 --passes=dead --collectives=apart,paced | tessera parse | FileCheck %s
// APART-LABEL: func.func @zero3(
// APART: "stablehlo.all_gather"(%arg0) {{.*}}<handle = 5,
// APART: "stablehlo.all_gather"(%{{.*}}<handle = 6,
// APART: "stablehlo.all_gather"(%arg2) {{.*}}<handle = 7,
// APART: "stablehlo.all_gather"(%arg0) {{.*}}<handle = 8,
// APART: "stablehlo.all_reduce"{{.*}}<handle = 4,
// CHECK-LABEL: func.func @zero3(
// CHECK-NEXT: [[G1:%.*]] = "stablehlo.all_gather"(%arg0)
// CHECK-NEXT: [[Y1:%.*]] = stablehlo.dot_general %arg3, [[G1]]
// CHECK-NEXT: [[T1:%.*]] = stablehlo.tanh [[Y1]]
// The first use has no late operand: nothing to wait for.
// CHECK-NEXT: [[C:%.*]] = stablehlo.convert %arg1
// CHECK-NEXT: [[G2:%.*]] = "stablehlo.all_gather"([[C]])
// CHECK-NEXT: [[P:%.*]] = stablehlo.transpose [[G2]]
// CHECK-NEXT: [[Y2:%.*]] = stablehlo.dot_general [[T1]], [[P]]
// The third waits for the second's use: T1, and asks what T1 is computed from.
// CHECK-NEXT: [[S:%.*]] = stablehlo.slice [[Y1]] [0:1, 0:1]
// CHECK-NEXT: [[E:%.*]] = stablehlo.reshape [[S]]
// CHECK: [[L:%.*]] = stablehlo.compare LT, [[E]], %{{.*}}
// CHECK: [[H:%.*]] = stablehlo.compare GT, [[E]], %{{.*}}
// CHECK-NEXT: [[N:%.*]] = stablehlo.and [[L]], [[H]]
// CHECK-NEXT: [[M:%.*]] = stablehlo.negate %arg2
// CHECK-NEXT: [[W:%.*]] = stablehlo.select [[N]], [[M]], %arg2 : tensor<i1>, tensor<64x128xf32>
// CHECK-NEXT: [[G3:%.*]] = "stablehlo.all_gather"([[W]])
// CHECK-NEXT: [[Y3:%.*]] = stablehlo.dot_general [[Y2]], [[G3]]
// The fourth, equal to the first, waits for Y2. What is computed and what is small waits for nothing more.
// CHECK: stablehlo.slice [[Y2]]
// CHECK: [[W4:%.*]] = stablehlo.select %{{.*}}, %{{.*}}, %arg0
// CHECK-NEXT: "stablehlo.all_gather"([[W4]])
// CHECK-NOT: stablehlo.select
// CHECK: return
func.func @zero3(%w1: tensor<64x128xf32> {tessera.sharding = "x"}, %w2: tensor<64x128xf16> {tessera.sharding = "x"}, %w3: tensor<64x128xf32> {tessera.sharding = "x"}, %x: tensor<8x128xf32> {tessera.sharding = "x"}, %b: tensor<64xf32> {tessera.sharding = "x"}) -> (tensor<8x128xf32>, tensor<512x128xf32>, tensor<128xf32>) {
  %g1 = "stablehlo.all_gather"(%w1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<64x128xf32>) -> tensor<128x128xf32>
  %y1 = stablehlo.dot_general %x, %g1, contracting_dims = [1] x [0] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
  %t1 = stablehlo.tanh %y1 : tensor<8x128xf32>
  %c2 = stablehlo.convert %w2 : (tensor<64x128xf16>) -> tensor<64x128xf32>
  %g2 = "stablehlo.all_gather"(%c2) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<64x128xf32>) -> tensor<128x128xf32>
  %p2 = stablehlo.transpose %g2, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %y2 = stablehlo.dot_general %t1, %p2, contracting_dims = [1] x [0] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
  %g3 = "stablehlo.all_gather"(%w3) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<64x128xf32>) -> tensor<128x128xf32>
  %y3 = stablehlo.dot_general %y2, %g3, contracting_dims = [1] x [0] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
  %g4 = "stablehlo.all_gather"(%w1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<64x128xf32>) -> tensor<128x128xf32>
  %y4 = stablehlo.dot_general %y3, %g4, contracting_dims = [1] x [1] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
  %r = "stablehlo.all_reduce"(%y4) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x128xf32>) -> tensor<8x128xf32>
  %v = stablehlo.dot_general %y1, %y2, contracting_dims = [0] x [0] : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<128x128xf32>
  %k = stablehlo.concatenate %v, %v, dim = 0 : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<256x128xf32>
  %g5 = "stablehlo.all_gather"(%k) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<256x128xf32>) -> tensor<512x128xf32>
  %g6 = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<64xf32>) -> tensor<128xf32>
  return %r, %g5, %g6 : tensor<8x128xf32>, tensor<512x128xf32>, tensor<128xf32>
}
