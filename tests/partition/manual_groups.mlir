// JAX 0.11 and later write the groups of a shard_map's collectives by axes of a mesh of their own, a second one
// like the first. It is still named when the two become one, and when the program is partitioned.
// RUN: tessera propagate %s | FileCheck %s --check-prefix=ONE
// ONE: sdy.mesh @mesh = <["data"=2]>
// ONE-NOT: @mesh_0
// ONE: replica_group_mesh_axes<mesh = @mesh, axes
// RUN: tessera partition %s | FileCheck %s --check-prefix=LOCAL
// LOCAL: sdy.mesh @mesh = <["data"=2]>
// LOCAL-NOT: sdy.mesh @other
// LOCAL: replica_group_mesh_axes<mesh = @mesh, axes
// RUN: tessera partition %s --verify 2>&1 >/dev/null | FileCheck %s --check-prefix=RUNS
// RUNS: verified on 2 devices: 1 result agrees
module {
  sdy.mesh @mesh = <["data"=2]>
  sdy.mesh @mesh_0 = <["data"=2]>
  sdy.mesh @other = <["x"=2]>
  func.func @main(%x: tensor<8x4xf32>) -> tensor<4x4xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"data"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"data"} (%a: tensor<4x4xf32>) {
      %1 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %2 = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %1 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
