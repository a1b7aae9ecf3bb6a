// An all-reduce waits until after ops that give partial results of partial values: sums meet, reductions make them smaller.
// RUN: tessera optimize %s --devices 2 --passes=sums | FileCheck %s
// CHECK-LABEL: func.func @sum(
// CHECK: [[S:%.*]] = stablehlo.add %arg0, %arg1
// CHECK-NEXT: "stablehlo.all_reduce"([[S]])
// CHECK-NOT: "stablehlo.all_reduce"
// CHECK: return
func.func @sum(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32> {tessera.sharding = "x"}) -> tensor<4xf32> {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %c = stablehlo.add %a, %b : tensor<4xf32>
  return %c : tensor<4xf32>
}
// Through a scale that is the same everywhere, a reshape and a reduction: one element is exchanged.
// CHECK-LABEL: func.func @chain(
// CHECK: stablehlo.multiply %arg0
// CHECK: stablehlo.reshape
// CHECK: stablehlo.reduce
// CHECK: "stablehlo.all_reduce"
// CHECK: (tensor<f32>) -> tensor<f32>
func.func @chain(%x: tensor<4xf32> {tessera.sharding = "x"}, %k: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = stablehlo.multiply %a, %k : tensor<4xf32>
  %c = stablehlo.reshape %b : (tensor<4xf32>) -> tensor<2x2xf32>
  %d = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}
// Not past a factor that differs between the devices, a whole summand, a rounding, another use, or a barrier.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-5: "stablehlo.all_reduce"(%arg
// CHECK: return
func.func @stays(%x: tensor<4xf32> {tessera.sharding = "x"}, %k: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = stablehlo.multiply %a, %x : tensor<4xf32>
  %c = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %d = stablehlo.add %c, %k : tensor<4xf32>
  %e = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %f = stablehlo.convert %e : (tensor<4xf32>) -> tensor<4xbf16>
  %g = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %h = stablehlo.negate %g : tensor<4xf32>
  %i = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %j = stablehlo.optimization_barrier %k : tensor<4xf32>
  %l = stablehlo.negate %i : tensor<4xf32>
  %m = stablehlo.add %l, %j : tensor<4xf32>
  return %b, %d, %f, %g, %h, %m : tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// Terms of a longer sum, with whole ones between: one exchange.
// CHECK-LABEL: func.func @terms(
// CHECK: [[S:%.*]] = stablehlo.add %arg0, %arg1
// CHECK-NEXT: "stablehlo.all_reduce"([[S]])
// CHECK-NOT: "stablehlo.all_reduce"
// CHECK: return
func.func @terms(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32> {tessera.sharding = "x"}, %k: tensor<4xf32>) -> tensor<4xf32> {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = stablehlo.add %k, %a : tensor<4xf32>
  %c = stablehlo.add %b, %k : tensor<4xf32>
  %d = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %e = stablehlo.add %c, %d : tensor<4xf32>
  return %e : tensor<4xf32>
}
// Two scattered sums that are added are one.
// CHECK-LABEL: func.func @scattered(
// CHECK: [[S:%.*]] = stablehlo.add %arg0, %arg1 : tensor<4xf32>
// CHECK-NEXT: "stablehlo.reduce_scatter"([[S]])
// CHECK-NOT: "stablehlo.reduce_scatter"
func.func @scattered(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32> {tessera.sharding = "x"}) -> tensor<2xf32> {
  %a = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  %b = "stablehlo.reduce_scatter"(%y) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  %c = stablehlo.add %a, %b : tensor<2xf32>
  return %c : tensor<2xf32>
}
// So are those that are terms of a longer sum (the gradient of nodes that send and receive, and stay).
// CHECK-LABEL: func.func @scattered_terms(
// CHECK: [[S:%.*]] = stablehlo.add %arg0, %arg1 : tensor<4xf32>
// CHECK-NEXT: [[R:%.*]] = "stablehlo.reduce_scatter"([[S]])
// CHECK-NOT: "stablehlo.reduce_scatter"
// CHECK: stablehlo.add %arg2, [[R]] : tensor<2xf32>
func.func @scattered_terms(%x: tensor<4xf32> {tessera.sharding = "x"}, %y: tensor<4xf32> {tessera.sharding = "x"}, %k: tensor<2xf32> {tessera.sharding = "x"}) -> tensor<2xf32> {
  %a = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  %b = stablehlo.add %k, %a : tensor<2xf32>
  %c = "stablehlo.reduce_scatter"(%y) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  %d = stablehlo.add %b, %c : tensor<2xf32>
  return %d : tensor<2xf32>
}
// Of a function that says nothing of its arguments they may differ.
// CHECK-LABEL: func.func @unsaid(
// CHECK: "stablehlo.all_reduce"(%arg0)
// CHECK: stablehlo.multiply
func.func @unsaid(%x: tensor<4xf32>, %k: tensor<4xf32>) -> tensor<4xf32> {
  %a = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = stablehlo.multiply %a, %k : tensor<4xf32>
  return %b : tensor<4xf32>
}
