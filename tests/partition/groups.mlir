// Groups of devices one by one or by axes of the mesh, parts of axes and another order of devices too; the module says on how many partitions it runs.
// RUN: tessera partition %s --replica-groups=mesh-axes | FileCheck %s
// RUN: tessera partition %s --replica-groups=mesh-axes | tessera parse - | FileCheck %s
// RUN: tessera partition %s | FileCheck %s --check-prefix=DENSE
// RUN: not tessera partition %s --replica-groups=axes 2>&1 | FileCheck %s --check-prefix=WORD
// CHECK: module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, tessera.mesh = #sdy.mesh<{{.*}}>}
// CHECK: sdy.mesh @m = <["x"=2, "y"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>
// CHECK: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>
// CHECK: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>
// DENSE: replica_groups = dense<{{\[\[}}0, 4], [2, 6], [1, 5], [3, 7]]>
// DENSE: replica_groups = dense<{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7]]>
// WORD: --replica-groups takes dense or mesh-axes, not 'axes'
module attributes {mhlo.num_partitions = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(1)2}, {}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
    return %a, %b : tensor<8x4xf32>, tensor<8xf32>
  }
}
