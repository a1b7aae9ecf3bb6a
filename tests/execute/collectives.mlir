// All kinds of collectives on 8 partitions, in f32, bf16 and i32, with many groups. mpi.test runs it across processes too.
// RUN: tessera run %s --partitions=8 --outputs %t.npz
// RUN: tessera run %s --partitions=8 --outputs %t.eval.npz --engine=eval
// RUN: cmp %t.npz %t.eval.npz

func.func @main() -> (
    tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<1x16xf32>,
    tensor<8x4xf32>, tensor<4x16xf32>, tensor<64x16xf32>, tensor<8x32xf32>, tensor<8x128xf32>, tensor<1x128xf32>, tensor<32x4xf32>,
    tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<40x200xf32>, tensor<8x16xf32>,
    tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<1x16xbf16>,
    tensor<8x4xbf16>, tensor<4x16xbf16>, tensor<64x16xbf16>, tensor<8x32xbf16>, tensor<8x128xbf16>, tensor<1x128xbf16>, tensor<32x4xbf16>,
    tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<40x200xbf16>, tensor<8x16xbf16>,
    tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<1x16xi32>,
    tensor<8x4xi32>, tensor<4x16xi32>, tensor<64x16xi32>, tensor<8x32xi32>, tensor<8x128xi32>, tensor<1x128xi32>, tensor<32x4xi32>,
    tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<40x200xi32>, tensor<8x16xi32>,
    tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x16xf16>) {
  %id = stablehlo.partition_id : tensor<ui32>
  %id_i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %me_8x16 = stablehlo.broadcast_in_dim %id_i, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
  %me_40x200 = stablehlo.broadcast_in_dim %id_i, dims = [] : (tensor<i32>) -> tensor<40x200xi32>
  %v1 = stablehlo.iota dim = 1 : tensor<8x16xi32>
  %v2 = stablehlo.iota dim = 0 : tensor<8x16xi32>
  %v3 = stablehlo.multiply %v1, %me_8x16 : tensor<8x16xi32>
  %v4 = stablehlo.add %v3, %v2 : tensor<8x16xi32>
  %v5 = stablehlo.convert %v4 : (tensor<8x16xi32>) -> tensor<8x16xf32>
  %k1 = stablehlo.constant dense<0.1> : tensor<8x16xf32>
  %v6 = stablehlo.multiply %v5, %k1 : tensor<8x16xf32>
  %v7 = "stablehlo.all_reduce"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v8 = "stablehlo.all_reduce"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v9 = "stablehlo.all_reduce"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v10 = "stablehlo.all_reduce"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v11 = "stablehlo.all_reduce"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[7, 6, 5, 4, 3, 2, 1, 0]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v12 = "stablehlo.all_reduce"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[6, 1, 4], [0, 7, 3], [2, 5, -1]]> : tensor<3x3xi64>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v13 = "stablehlo.reduce_scatter"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids, scatter_dimension = 0 : i64} : (tensor<8x16xf32>) -> tensor<1x16xf32>
  %v14 = "stablehlo.reduce_scatter"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids, scatter_dimension = 1 : i64} : (tensor<8x16xf32>) -> tensor<8x4xf32>
  %v15 = "stablehlo.reduce_scatter"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids, scatter_dimension = 0 : i64} : (tensor<8x16xf32>) -> tensor<4x16xf32>
  %v16 = "stablehlo.all_gather"(%v6) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<64x16xf32>
  %v17 = "stablehlo.all_gather"(%v6) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x32xf32>
  %v18 = "stablehlo.all_gather"(%v6) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[7, 6, 5, 4, 3, 2, 1, 0]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x128xf32>
  %v19 = "stablehlo.all_to_all"(%v6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, split_count = 8 : i64, split_dimension = 0 : i64}> : (tensor<8x16xf32>) -> tensor<1x128xf32>
  %v20 = "stablehlo.all_to_all"(%v6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<8x16xf32>) -> tensor<32x4xf32>
  %v21 = "stablehlo.all_to_all"(%v6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v22 = "stablehlo.collective_permute"(%v6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v23 = "stablehlo.collective_permute"(%v6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]> : tensor<7x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v24 = "stablehlo.collective_permute"(%v6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 5], [5, 0], [2, 3]]> : tensor<3x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v25 = "stablehlo.collective_broadcast"(%v6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v26 = stablehlo.iota dim = 1 : tensor<40x200xi32>
  %v27 = stablehlo.iota dim = 0 : tensor<40x200xi32>
  %v28 = stablehlo.multiply %v26, %me_40x200 : tensor<40x200xi32>
  %v29 = stablehlo.add %v28, %v27 : tensor<40x200xi32>
  %v30 = stablehlo.convert %v29 : (tensor<40x200xi32>) -> tensor<40x200xf32>
  %k2 = stablehlo.constant dense<0.1> : tensor<40x200xf32>
  %v31 = stablehlo.multiply %v30, %k2 : tensor<40x200xf32>
  %v32 = "stablehlo.all_reduce"(%v31) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<40x200xf32>) -> tensor<40x200xf32>
  %v33 = "stablehlo.all_reduce"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v34 = stablehlo.iota dim = 1 : tensor<8x16xi32>
  %v35 = stablehlo.iota dim = 0 : tensor<8x16xi32>
  %v36 = stablehlo.multiply %v34, %me_8x16 : tensor<8x16xi32>
  %v37 = stablehlo.add %v36, %v35 : tensor<8x16xi32>
  %v38 = stablehlo.convert %v37 : (tensor<8x16xi32>) -> tensor<8x16xbf16>
  %k3 = stablehlo.constant dense<0.1> : tensor<8x16xbf16>
  %v39 = stablehlo.multiply %v38, %k3 : tensor<8x16xbf16>
  %v40 = "stablehlo.all_reduce"(%v39) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v41 = "stablehlo.all_reduce"(%v39) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids} : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v42 = "stablehlo.all_reduce"(%v39) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids} : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v43 = "stablehlo.all_reduce"(%v39) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids} : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v44 = "stablehlo.all_reduce"(%v39) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[7, 6, 5, 4, 3, 2, 1, 0]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v45 = "stablehlo.all_reduce"(%v39) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[6, 1, 4], [0, 7, 3], [2, 5, -1]]> : tensor<3x3xi64>, use_global_device_ids} : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v46 = "stablehlo.reduce_scatter"(%v39) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids, scatter_dimension = 0 : i64} : (tensor<8x16xbf16>) -> tensor<1x16xbf16>
  %v47 = "stablehlo.reduce_scatter"(%v39) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids, scatter_dimension = 1 : i64} : (tensor<8x16xbf16>) -> tensor<8x4xbf16>
  %v48 = "stablehlo.reduce_scatter"(%v39) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids, scatter_dimension = 0 : i64} : (tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %v49 = "stablehlo.all_gather"(%v39) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xbf16>) -> tensor<64x16xbf16>
  %v50 = "stablehlo.all_gather"(%v39) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids} : (tensor<8x16xbf16>) -> tensor<8x32xbf16>
  %v51 = "stablehlo.all_gather"(%v39) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[7, 6, 5, 4, 3, 2, 1, 0]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xbf16>) -> tensor<8x128xbf16>
  %v52 = "stablehlo.all_to_all"(%v39) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, split_count = 8 : i64, split_dimension = 0 : i64}> : (tensor<8x16xbf16>) -> tensor<1x128xbf16>
  %v53 = "stablehlo.all_to_all"(%v39) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<8x16xbf16>) -> tensor<32x4xbf16>
  %v54 = "stablehlo.all_to_all"(%v39) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v55 = "stablehlo.collective_permute"(%v39) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v56 = "stablehlo.collective_permute"(%v39) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]> : tensor<7x2xi64>}> : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v57 = "stablehlo.collective_permute"(%v39) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 5], [5, 0], [2, 3]]> : tensor<3x2xi64>}> : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v58 = "stablehlo.collective_broadcast"(%v39) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>}> : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v59 = stablehlo.iota dim = 1 : tensor<40x200xi32>
  %v60 = stablehlo.iota dim = 0 : tensor<40x200xi32>
  %v61 = stablehlo.multiply %v59, %me_40x200 : tensor<40x200xi32>
  %v62 = stablehlo.add %v61, %v60 : tensor<40x200xi32>
  %v63 = stablehlo.convert %v62 : (tensor<40x200xi32>) -> tensor<40x200xbf16>
  %k4 = stablehlo.constant dense<0.1> : tensor<40x200xbf16>
  %v64 = stablehlo.multiply %v63, %k4 : tensor<40x200xbf16>
  %v65 = "stablehlo.all_reduce"(%v64) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<40x200xbf16>) -> tensor<40x200xbf16>
  %v66 = "stablehlo.all_reduce"(%v39) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.maximum %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids} : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %v67 = stablehlo.iota dim = 1 : tensor<8x16xi32>
  %v68 = stablehlo.iota dim = 0 : tensor<8x16xi32>
  %v69 = stablehlo.multiply %v67, %me_8x16 : tensor<8x16xi32>
  %v70 = stablehlo.add %v69, %v68 : tensor<8x16xi32>
  %v71 = "stablehlo.all_reduce"(%v70) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v72 = "stablehlo.all_reduce"(%v70) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids} : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v73 = "stablehlo.all_reduce"(%v70) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids} : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v74 = "stablehlo.all_reduce"(%v70) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids} : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v75 = "stablehlo.all_reduce"(%v70) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[7, 6, 5, 4, 3, 2, 1, 0]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v76 = "stablehlo.all_reduce"(%v70) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[6, 1, 4], [0, 7, 3], [2, 5, -1]]> : tensor<3x3xi64>, use_global_device_ids} : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v77 = "stablehlo.reduce_scatter"(%v70) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids, scatter_dimension = 0 : i64} : (tensor<8x16xi32>) -> tensor<1x16xi32>
  %v78 = "stablehlo.reduce_scatter"(%v70) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids, scatter_dimension = 1 : i64} : (tensor<8x16xi32>) -> tensor<8x4xi32>
  %v79 = "stablehlo.reduce_scatter"(%v70) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids, scatter_dimension = 0 : i64} : (tensor<8x16xi32>) -> tensor<4x16xi32>
  %v80 = "stablehlo.all_gather"(%v70) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xi32>) -> tensor<64x16xi32>
  %v81 = "stablehlo.all_gather"(%v70) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids} : (tensor<8x16xi32>) -> tensor<8x32xi32>
  %v82 = "stablehlo.all_gather"(%v70) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[7, 6, 5, 4, 3, 2, 1, 0]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xi32>) -> tensor<8x128xi32>
  %v83 = "stablehlo.all_to_all"(%v70) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, split_count = 8 : i64, split_dimension = 0 : i64}> : (tensor<8x16xi32>) -> tensor<1x128xi32>
  %v84 = "stablehlo.all_to_all"(%v70) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<8x16xi32>) -> tensor<32x4xi32>
  %v85 = "stablehlo.all_to_all"(%v70) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v86 = "stablehlo.collective_permute"(%v70) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v87 = "stablehlo.collective_permute"(%v70) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]> : tensor<7x2xi64>}> : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v88 = "stablehlo.collective_permute"(%v70) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 5], [5, 0], [2, 3]]> : tensor<3x2xi64>}> : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v89 = "stablehlo.collective_broadcast"(%v70) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>}> : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v90 = stablehlo.iota dim = 1 : tensor<40x200xi32>
  %v91 = stablehlo.iota dim = 0 : tensor<40x200xi32>
  %v92 = stablehlo.multiply %v90, %me_40x200 : tensor<40x200xi32>
  %v93 = stablehlo.add %v92, %v91 : tensor<40x200xi32>
  %v94 = "stablehlo.all_reduce"(%v93) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<40x200xi32>) -> tensor<40x200xi32>
  %v95 = "stablehlo.all_reduce"(%v70) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids} : (tensor<8x16xi32>) -> tensor<8x16xi32>
  %v96 = "stablehlo.all_reduce"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.multiply %a, %b : tensor<f32>
    %u = stablehlo.add %a, %t : tensor<f32>
    %s = stablehlo.add %u, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %v97 = "stablehlo.reduce_scatter"(%v6) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.multiply %a, %b : tensor<f32>
    %u = stablehlo.add %a, %t : tensor<f32>
    %s = stablehlo.add %u, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids, scatter_dimension = 1 : i64} : (tensor<8x16xf32>) -> tensor<8x8xf32>
  %v98 = stablehlo.iota dim = 1 : tensor<8x16xi32>
  %v99 = stablehlo.iota dim = 0 : tensor<8x16xi32>
  %v100 = stablehlo.multiply %v98, %me_8x16 : tensor<8x16xi32>
  %v101 = stablehlo.add %v100, %v99 : tensor<8x16xi32>
  %v102 = stablehlo.convert %v101 : (tensor<8x16xi32>) -> tensor<8x16xf16>
  %k5 = stablehlo.constant dense<0.1> : tensor<8x16xf16>
  %v103 = stablehlo.multiply %v102, %k5 : tensor<8x16xf16>
  %v104 = "stablehlo.all_reduce"(%v103) ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %s = stablehlo.add %a, %b : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids} : (tensor<8x16xf16>) -> tensor<8x16xf16>
  return %v7, %v8, %v9, %v10, %v11, %v12, %v13, %v14, %v15, %v16, %v17, %v18, %v19, %v20, %v21, %v22, %v23, %v24, %v25, %v32, %v33, %v40,
    %v41, %v42, %v43, %v44, %v45, %v46, %v47, %v48, %v49, %v50, %v51, %v52, %v53, %v54, %v55, %v56, %v57, %v58, %v65, %v66, %v71, %v72,
    %v73, %v74, %v75, %v76, %v77, %v78, %v79, %v80, %v81, %v82, %v83, %v84, %v85, %v86, %v87, %v88, %v89, %v94, %v95, %v96, %v97, %v104 :
    tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<1x16xf32>,
    tensor<8x4xf32>, tensor<4x16xf32>, tensor<64x16xf32>, tensor<8x32xf32>, tensor<8x128xf32>, tensor<1x128xf32>, tensor<32x4xf32>,
    tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<40x200xf32>, tensor<8x16xf32>,
    tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<1x16xbf16>,
    tensor<8x4xbf16>, tensor<4x16xbf16>, tensor<64x16xbf16>, tensor<8x32xbf16>, tensor<8x128xbf16>, tensor<1x128xbf16>, tensor<32x4xbf16>,
    tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>, tensor<40x200xbf16>, tensor<8x16xbf16>,
    tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<1x16xi32>,
    tensor<8x4xi32>, tensor<4x16xi32>, tensor<64x16xi32>, tensor<8x32xi32>, tensor<8x128xi32>, tensor<1x128xi32>, tensor<32x4xi32>,
    tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<40x200xi32>, tensor<8x16xi32>,
    tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x16xf16>
}
