// Heads are the minor part of a merged dimension: [seq, 16 * 8] is [seq, 16, 8 heads]. A block of the merged dimension has parts of all heads, so
// that tensor parallelism over heads needs strided shards of it. The plan has them: the reshapes send nothing, and one all_reduce is left, of the sums.
// RUN: tessera plan %s --machine default:8 --mesh x=8 --shard '[qkv]=P(None,None,"x")' --shard 'o=P(None,"x")' --shard 'x=P()' --shard 'result0=P()' --plan-out %t.json > /dev/null
// RUN: tessera partition %s --machine default:8 --plan %t.json --verify --stats -o /dev/null 2>&1 | FileCheck %s
// RUN: grep -c '"strides":\[{"size":16,"axes":\[\]},{"size":8,"axes":\["x"\]}\]' %t.json | FileCheck %s --check-prefix=STRIDES
// CHECK-NOT: all_gather
// CHECK-NOT: all_to_all
// CHECK: 1 all_reduce
// CHECK: 8 devices, 1 collective,
// CHECK: verified on 8 devices: 1 result agrees
// STRIDES: 5
func.func @main(%x: tensor<64x512xf32>, %q: tensor<512x16x8xf32>, %k: tensor<512x16x8xf32>, %v: tensor<512x16x8xf32>, %o: tensor<16x8x512xf32>) -> tensor<64x512xf32> {
  %wq = stablehlo.reshape %q : (tensor<512x16x8xf32>) -> tensor<512x128xf32>
  %wk = stablehlo.reshape %k : (tensor<512x16x8xf32>) -> tensor<512x128xf32>
  %wv = stablehlo.reshape %v : (tensor<512x16x8xf32>) -> tensor<512x128xf32>
  %wo = stablehlo.reshape %o : (tensor<16x8x512xf32>) -> tensor<128x512xf32>
  %q0 = stablehlo.dot_general %x, %wq, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x128xf32>) -> tensor<64x128xf32>
  %k0 = stablehlo.dot_general %x, %wk, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x128xf32>) -> tensor<64x128xf32>
  %v0 = stablehlo.dot_general %x, %wv, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x128xf32>) -> tensor<64x128xf32>
  %v1 = stablehlo.tanh %v0 : tensor<64x128xf32>
  %qh = stablehlo.reshape %q0 : (tensor<64x128xf32>) -> tensor<64x16x8xf32>
  %kh = stablehlo.reshape %k0 : (tensor<64x128xf32>) -> tensor<64x16x8xf32>
  %vh = stablehlo.reshape %v1 : (tensor<64x128xf32>) -> tensor<64x16x8xf32>
  %s = stablehlo.dot_general %qh, %kh, batching_dims = [2] x [2], contracting_dims = [1] x [1] : (tensor<64x16x8xf32>, tensor<64x16x8xf32>) -> tensor<8x64x64xf32>
  %p = stablehlo.logistic %s : tensor<8x64x64xf32>
  %a = stablehlo.dot_general %p, %vh, batching_dims = [0] x [2], contracting_dims = [2] x [0] : (tensor<8x64x64xf32>, tensor<64x16x8xf32>) -> tensor<8x64x16xf32>
  %t = stablehlo.transpose %a, dims = [1, 2, 0] : (tensor<8x64x16xf32>) -> tensor<64x16x8xf32>
  %m = stablehlo.reshape %t : (tensor<64x16x8xf32>) -> tensor<64x128xf32>
  %r = stablehlo.dot_general %m, %wo, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x512xf32>) -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}
