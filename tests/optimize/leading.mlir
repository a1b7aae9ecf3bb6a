// --collectives=leading: gathers and scatters along a later dimension run along dimension 0, between transposes. Tiles that already follow
// each other in memory stay: along dimension 0, or behind dimensions of one index.
// RUN: tessera optimize %s --devices 2 --passes=dead --collectives=leading | FileCheck %s
// RUN: tessera optimize %s --devices 2 --passes=dead --collectives=leading | tessera parse
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: [[T:%.*]] = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<4x6x8xf32>) -> tensor<8x4x6xf32>
// CHECK-NEXT: [[G:%.*]] = "stablehlo.all_gather"([[T]]) {{.*}}all_gather_dim = 0 : i64{{.*}} : (tensor<8x4x6xf32>) -> tensor<16x4x6xf32>
// CHECK-NEXT: [[A:%.*]] = stablehlo.transpose [[G]], dims = [1, 2, 0] : (tensor<16x4x6xf32>) -> tensor<4x6x16xf32>
// CHECK-NEXT: [[U:%.*]] = stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<4x6x8xf32>) -> tensor<6x4x8xf32>
// CHECK-NEXT: [[S:%.*]] = "stablehlo.reduce_scatter"([[U]]) {{.*}}scatter_dimension = 0 : i64
// CHECK: }) : (tensor<6x4x8xf32>) -> tensor<3x4x8xf32>
// CHECK-NEXT: [[B:%.*]] = stablehlo.transpose [[S]], dims = [1, 0, 2] : (tensor<3x4x8xf32>) -> tensor<4x3x8xf32>
// CHECK-NEXT: [[C:%.*]] = "stablehlo.all_gather"(%arg0) {{.*}}all_gather_dim = 0 : i64
// CHECK-NEXT: [[D:%.*]] = "stablehlo.all_gather"(%arg1) {{.*}}all_gather_dim = 1 : i64
// CHECK-NEXT: return [[A]], [[B]], [[C]], [[D]]
func.func @main(%x: tensor<4x6x8xf32>, %y: tensor<1x8xf32>) -> (tensor<4x6x16xf32>, tensor<4x3x8xf32>, tensor<8x6x8xf32>, tensor<1x16xf32>) {
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4x6x8xf32>) -> tensor<4x6x16xf32>
  %b = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6x8xf32>) -> tensor<4x3x8xf32>
  %c = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids}> : (tensor<4x6x8xf32>) -> tensor<8x6x8xf32>
  %d = "stablehlo.all_gather"(%y) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, use_global_device_ids}> : (tensor<1x8xf32>) -> tensor<1x16xf32>
  return %a, %b, %c, %d : tensor<4x6x16xf32>, tensor<4x3x8xf32>, tensor<8x6x8xf32>, tensor<1x16xf32>
}
