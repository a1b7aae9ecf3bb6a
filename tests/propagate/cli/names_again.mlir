// Names that could mean more than one thing: a path before a place, an argument's own name before another word for results; a
// path with a glob's letters is one of those that the glob means.
// RUN: tessera propagate %s --mesh a=2 --shard 'result1=P("a")' --strategy=none --emit=table | FileCheck %s --check-prefix=PLACE
// PLACE: result.1 {{.*}}[{"a"}]
// PLACE-NOT: result.2 {{.*}}[{"a"}]
// RUN: tessera propagate %s --mesh a=2 --shard 'result0=P("a")' --strategy=none --emit=table | FileCheck %s --check-prefix=PLACE
// RUN: tessera propagate %s --mesh a=2 --shard 'result.2=P("a")' --strategy=none --emit=table | FileCheck %s --check-prefix=PATH
// PATH-NOT: result.1 {{.*}}[{"a"}]
// PATH: result.2 {{.*}}[{"a"}]
// RUN: tessera propagate %s --mesh a=2 --shard 'out=P("a")' --strategy=none --emit=table | FileCheck %s --check-prefix=OUT
// OUT: out {{.*}}[{"a"}]
// OUT-NOT: result{{.*}}[{"a"}]
// RUN: tessera propagate %s --mesh a=2 --shard 'w*=P("a")' --strategy=none --emit=table | FileCheck %s --check-prefix=GLOB
// GLOB: w* {{.*}}[{"a"}]
// GLOB: w1 {{.*}}[{"a"}]
func.func @main(%arg0: tensor<4xf32> {jax.arg_info = "w*"}, %arg1: tensor<4xf32> {jax.arg_info = "w1"}, %arg2: tensor<4xf32> {jax.arg_info = "out"})
    -> (tensor<4xf32> {jax.result_info = "result[1]"}, tensor<4xf32> {jax.result_info = "result[2]"}) {
  return %arg0, %arg1 : tensor<4xf32>, tensor<4xf32>
}
