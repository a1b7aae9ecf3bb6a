// A large contraction of what is gathered: each part while the next one is on its way. So for one whose result is scattered. Small
// ones stay. Sums of 16-bit floats are formed in f32 and rounded behind the last step.
// RUN: split-file %s %t
// RUN: tessera optimize %t/large.mlir --devices 2 --passes=matmul | FileCheck %s --check-prefix=LARGE
// RUN: tessera optimize %t/large.mlir --devices 2 --rings | FileCheck %s --check-prefix=LARGE
// RUN: tessera optimize %t/large.mlir --devices 2 | FileCheck %s --check-prefix=OFF
// RUN: tessera optimize %t/small.mlir --devices 2 --passes=matmul | FileCheck %s --check-prefix=SMALL
// RUN: tessera optimize %t/short.mlir --devices 2 --passes=matmul | FileCheck %s --check-prefix=SHORT
// LARGE-LABEL: func.func @gathered(
// LARGE-NOT: all_gather
// LARGE: [[N:%.*]] = "stablehlo.collective_permute"(%arg0)
// LARGE: stablehlo.dot_general %arg0, %arg1
// LARGE: stablehlo.dynamic_update_slice
// LARGE: stablehlo.dot_general [[N]], %arg1
// LARGE: [[R:%.*]] = stablehlo.dynamic_update_slice
// LARGE: return [[R]]
// LARGE-LABEL: func.func @scattered(
// LARGE-NOT: reduce_scatter
// LARGE: stablehlo.dynamic_slice %arg0
// LARGE: [[A:%.*]] = stablehlo.dot_general
// LARGE: [[C:%.*]] = "stablehlo.collective_permute"([[A]])
// LARGE: [[B:%.*]] = stablehlo.dot_general
// LARGE: stablehlo.add [[C]], [[B]]
// OFF: "stablehlo.all_gather"
// SMALL: "stablehlo.all_gather"
// SMALL: "stablehlo.reduce_scatter"
// SHORT-LABEL: func.func @scattered(
// SHORT-NOT: reduce_scatter
// SHORT: [[A:%.*]] = stablehlo.dot_general {{.*}} (tensor<8192x16384xbf16>, tensor<16384x16384xbf16>) -> tensor<8192x16384xf32>
// SHORT: [[C:%.*]] = "stablehlo.collective_permute"([[A]]) {{.*}} (tensor<8192x16384xf32>)
// SHORT: [[B:%.*]] = stablehlo.dot_general {{.*}} -> tensor<8192x16384xf32>
// SHORT: [[S:%.*]] = stablehlo.add [[C]], [[B]]
// SHORT: [[R:%.*]] = stablehlo.convert [[S]] {{.*}} -> tensor<8192x16384xbf16>
// SHORT: return [[R]]
// SHORT-LABEL: func.func @summed(
// SHORT-NOT: all_gather
// SHORT: stablehlo.dot_general {{.*}} -> tensor<16384x16384xf32>
// SHORT: stablehlo.add {{.*}} : tensor<16384x16384xf32>
// SHORT: stablehlo.convert {{.*}} -> tensor<16384x16384xbf16>
//--- large.mlir
func.func @gathered(%x: tensor<8192x16384xf32> {tessera.sharding = "x"}, %w: tensor<16384x16384xf32>) -> tensor<16384x16384xf32> {
  %g = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<8192x16384xf32>) -> tensor<16384x16384xf32>
  %d = stablehlo.dot_general %g, %w, contracting_dims = [1] x [0] : (tensor<16384x16384xf32>, tensor<16384x16384xf32>) -> tensor<16384x16384xf32>
  return %d : tensor<16384x16384xf32>
}
func.func @scattered(%x: tensor<16384x16384xf32> {tessera.sharding = "x"}, %w: tensor<16384x16384xf32> {tessera.sharding = "x"}) -> tensor<8192x16384xf32> {
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16384x16384xf32>, tensor<16384x16384xf32>) -> tensor<16384x16384xf32>
  %r = "stablehlo.reduce_scatter"(%d) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16384x16384xf32>) -> tensor<8192x16384xf32>
  return %r : tensor<8192x16384xf32>
}
//--- small.mlir
func.func @gathered(%x: tensor<8x16xf32> {tessera.sharding = "x"}, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %g = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<8x16xf32>) -> tensor<16x16xf32>
  %d = stablehlo.dot_general %g, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}
func.func @scattered(%x: tensor<16x16xf32> {tessera.sharding = "x"}, %w: tensor<16x16xf32> {tessera.sharding = "x"}) -> tensor<8x16xf32> {
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = "stablehlo.reduce_scatter"(%d) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
//--- short.mlir
func.func @scattered(%x: tensor<16384x16384xbf16> {tessera.sharding = "x"}, %w: tensor<16384x16384xbf16> {tessera.sharding = "x"}) -> tensor<8192x16384xbf16> {
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16384x16384xbf16>, tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16>
  %r = "stablehlo.reduce_scatter"(%d) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
    %s = stablehlo.add %p, %q : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<16384x16384xbf16>) -> tensor<8192x16384xbf16>
  return %r : tensor<8192x16384xbf16>
}
func.func @summed(%x: tensor<16384x8192xbf16> {tessera.sharding = "x"}, %w: tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16> {
  %g = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<16384x8192xbf16>) -> tensor<16384x16384xbf16>
  %d = stablehlo.dot_general %g, %w, contracting_dims = [1] x [0] : (tensor<16384x16384xbf16>, tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16>
  return %d : tensor<16384x16384xbf16>
}
