// What makes elements narrower goes before a collective that only moves them, what makes them wider goes behind it.
// RUN: tessera optimize %s --devices 2 --passes=narrow,dead | FileCheck %s
// CHECK-LABEL: func.func @widen(
// CHECK: "stablehlo.all_gather"(%arg0)
// CHECK-NEXT: stablehlo.convert {{.*}} : (tensor<4xbf16>) -> tensor<4xf32>
func.func @widen(%x: tensor<2xbf16>) -> tensor<4xf32> {
  %a = stablehlo.convert %x : (tensor<2xbf16>) -> tensor<2xf32>
  %b = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
// The real part is taken before the exchange, though moves stand between; complex numbers are made behind it.
// CHECK-LABEL: func.func @real(
// CHECK-NEXT: [[R:%.*]] = stablehlo.real %arg0 : (tensor<4x2xcomplex<f32>>) -> tensor<4x2xf32>
// CHECK-NEXT: [[A:%.*]] = "stablehlo.all_to_all"([[R]]) {{.*}} : (tensor<4x2xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: [[T:%.*]] = stablehlo.transpose [[A]], dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: [[S:%.*]] = stablehlo.slice [[T]] [0:3, 0:2] : (tensor<4x2xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: return [[S]]
func.func @real(%x: tensor<4x2xcomplex<f32>>) -> tensor<3x2xf32> {
  %a = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x2xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x4xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
  %s = stablehlo.slice %t [0:3, 0:2] : (tensor<4x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  %r = stablehlo.real %s : (tensor<3x2xcomplex<f32>>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
// CHECK-LABEL: func.func @complex(
// CHECK: [[T:%.*]] = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: [[A:%.*]] = "stablehlo.all_to_all"([[T]]) {{.*}} : (tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: [[Z:%.*]] = stablehlo.constant dense<0.000000e+00> : tensor<4x2xf32>
// CHECK-NEXT: [[C:%.*]] = stablehlo.complex [[A]], [[Z]] : tensor<4x2xcomplex<f32>>
// CHECK-NEXT: return [[C]]
func.func @complex(%x: tensor<4x2xf32>) -> tensor<4x2xcomplex<f32>> {
  %z = stablehlo.constant dense<0.0> : tensor<4x2xf32>
  %c = stablehlo.complex %x, %z : tensor<4x2xcomplex<f32>>
  %t = stablehlo.transpose %c, dims = [1, 0] : (tensor<4x2xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  %a = "stablehlo.all_to_all"(%t) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<2x4xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
  return %a : tensor<4x2xcomplex<f32>>
}
// Two that together make less of it go before it both; real and imaginary part are all of it, and stay.
// CHECK-LABEL: func.func @users(
// CHECK: "stablehlo.collective_permute"({{.*}} : (tensor<4xi1>) -> tensor<4xi1>
// CHECK: "stablehlo.collective_permute"({{.*}} : (tensor<4xbf16>) -> tensor<4xbf16>
// CHECK-NEXT: [[P:%.*]] = "stablehlo.collective_permute"(%arg1)
// CHECK-NEXT: stablehlo.real [[P]]
// CHECK-NEXT: stablehlo.imag [[P]]
func.func @users(%x: tensor<4xf32>, %y: tensor<4xcomplex<f32>>) -> (tensor<4xi1>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>) {
  %a = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  %f = stablehlo.is_finite %a : (tensor<4xf32>) -> tensor<4xi1>
  %h = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
  %b = "stablehlo.collective_permute"(%y) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %r = stablehlo.real %b : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %i = stablehlo.imag %b : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %f, %h, %r, %i : tensor<4xi1>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>
}
// A comparison of scalars goes before the gather of what they are taken from: its constant gets the sizes there.
// CHECK-LABEL: func.func @scalars(
// CHECK-NEXT: [[Z:%.*]] = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT: [[C:%.*]] = stablehlo.compare GT, %arg0, [[Z]], FLOAT
// CHECK-NEXT: [[G:%.*]] = "stablehlo.all_gather"([[C]]) {{.*}} : (tensor<2xi1>) -> tensor<4xi1>
// CHECK-NEXT: [[S:%.*]] = stablehlo.slice [[G]] [0:1] : (tensor<4xi1>) -> tensor<1xi1>
// CHECK-NEXT: stablehlo.reshape [[S]] : (tensor<1xi1>) -> tensor<i1>
func.func @scalars(%x: tensor<2xf32>) -> tensor<i1> {
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %s = stablehlo.slice %a [0:1] : (tensor<4xf32>) -> tensor<1xf32>
  %r = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.compare GT, %r, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %c : tensor<i1>
}
// The first device receives nothing, which is zeros: they are so behind a conversion, not behind is_finite.
// CHECK-LABEL: func.func @zeros(
// CHECK-NEXT: [[C:%.*]] = stablehlo.convert %arg0
// CHECK-NEXT: "stablehlo.collective_permute"([[C]])
// CHECK-NEXT: [[P:%.*]] = "stablehlo.collective_permute"(%arg1)
// CHECK-NEXT: stablehlo.is_finite [[P]]
func.func @zeros(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xbf16>, tensor<4xi1>) {
  %a = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  %h = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
  %b = "stablehlo.collective_permute"(%y) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  %f = stablehlo.is_finite %b : (tensor<4xf32>) -> tensor<4xi1>
  return %h, %f : tensor<4xbf16>, tensor<4xi1>
}
// Used otherwise too, or behind a barrier: it stays.
// CHECK-LABEL: func.func @stays(
// CHECK-NEXT: "stablehlo.all_gather"(%arg0)
// CHECK: "stablehlo.all_gather"(%arg1)
func.func @stays(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xbf16>, tensor<4xbf16>) {
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %n = stablehlo.negate %a : tensor<4xf32>
  %h = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
  %b = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %k = stablehlo.optimization_barrier %n : tensor<4xf32>
  %l = stablehlo.convert %b : (tensor<4xf32>) -> tensor<4xbf16>
  return %k, %h, %l : tensor<4xf32>, tensor<4xbf16>, tensor<4xbf16>
}
// A row that is repeated goes as one row: a permute, and an exchange of equal rows, which is a gather of one. Not where the gathered
// dimension itself is repeated: devices may have different rows.
// CHECK-LABEL: func.func @repeated(
// CHECK-NEXT: [[B:%.*]] = stablehlo.broadcast_in_dim %arg0
// CHECK-NEXT: [[P:%.*]] = "stablehlo.collective_permute"(%arg0) {{.*}} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: stablehlo.broadcast_in_dim [[P]], dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: [[G:%.*]] = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, {{.*}} : (tensor<4xf32>) -> tensor<8xf32>
// CHECK-NEXT: stablehlo.broadcast_in_dim [[G]], dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: "stablehlo.all_gather"([[B]])
func.func @repeated(%x: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<16x4xf32>) {
  %a = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %p = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %g = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<8x4xf32>) -> tensor<16x4xf32>
  return %p, %t, %g : tensor<8x4xf32>, tensor<4x8xf32>, tensor<16x4xf32>
}
