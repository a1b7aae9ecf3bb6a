// Character classes of --shard patterns; brackets that are keys as JAX prints them come first.
// RUN: tessera propagate %s --mesh a=2 --shard 'params.w[qkv]=P("a")' --strategy=none --emit=table | FileCheck %s --check-prefix=QKV
// QKV: params.wq {{.*}}"a"
// QKV-NEXT: params.wk {{.*}}"a"
// QKV-NEXT: params.wo {{ *}}tensor<4x4xf32>{{$}}
// RUN: tessera propagate %s --mesh a=2 --shard 'params.w[!q]=P("a")' --strategy=none --emit=table | FileCheck %s --check-prefix=NOT
// NOT: params.wq {{ *}}tensor<4x4xf32>{{$}}
// NOT-NEXT: params.wk {{.*}}"a"
// NOT-NEXT: params.wo {{.*}}"a"
// RUN: tessera propagate %s --mesh a=2 --shard "params['w[k-o]']=P('a')" --strategy=none --emit=table | FileCheck %s --check-prefix=NOT
// RUN: tessera propagate %s --mesh a=2 --shard 'layers[12].w=P("a")' --strategy=none --emit=table | FileCheck %s --check-prefix=KEY
// KEY: layers.12.w {{.*}}"a"
// KEY-NEXT: layers1.w {{ *}}tensor<4x4xf32>{{$}}
// RUN: tessera propagate %s --mesh a=2 --shard 'layers[1].w=P("a")' --strategy=none --emit=table | FileCheck %s --check-prefix=DIGIT
// DIGIT: layers.12.w {{ *}}tensor<4x4xf32>{{$}}
// DIGIT-NEXT: layers1.w {{.*}}"a"
// RUN: tessera propagate %s --mesh a=2 --shard 'layers*[0-9].w=P("a")' --strategy=none --emit=table | FileCheck %s --check-prefix=BOTH
// BOTH: layers.12.w {{.*}}"a"
// BOTH-NEXT: layers1.w {{.*}}"a"
func.func @main(%0: tensor<4x4xf32> loc("params['wq']"), %1: tensor<4x4xf32> loc("params['wk']"), %2: tensor<4x4xf32> loc("params['wo']"),
                %3: tensor<4x4xf32> loc("layers[12]['w']"), %4: tensor<4x4xf32> loc("layers1['w']")) -> tensor<4x4xf32> {
  return %0 : tensor<4x4xf32>
}
