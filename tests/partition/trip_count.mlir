// A loop whose length cannot be read counts as 100 iterations, and every number that depends on it is marked as a guess.
// RUN: tessera partition %s --mesh a=2 --shard 'w=P("a")' --stats --why 2>&1 >/dev/null | FileCheck %s
// CHECK: 1 reduce_scatter {{.*}} 1600 bytes  over a  (1 in loops, 100 runs: a guess)
// CHECK: 2 devices, 1 collective, 1600 bytes sent per device (guess: 1 loop of unknown length counted as 100 iterations; --trip-count sets it)
// CHECK: 100 collectives on the critical path (guess); {{.*}} FLOPs per device (guess),
// CHECK: r1  reduce_scatter over "a", 1600 bytes sent per device (guess):
// RUN: tessera partition %s --mesh a=2 --shard 'w=P("a")' --json --why | FileCheck %s --check-prefix=JSON
// JSON: "runs":100,"bytes":1600,"guess":true}],"bytes":1600,
// JSON-SAME: "unknown_loops":1,"trip_count":100,"guesses":["bytes","steps","flops","flops_whole"],
// JSON-SAME: "reasons":[{"id":"r1",{{.*}}"guess":true,

// --trip-count says it: then nothing is guessed.
// RUN: tessera partition %s --mesh a=2 --shard 'w=P("a")' --stats --why --trip-count 7 2>&1 >/dev/null | FileCheck %s --check-prefix=SEVEN
// SEVEN: (1 in loops, 7 runs)
// SEVEN: 112 bytes sent per device (1 loop of unknown length counted as 7 iterations)
// SEVEN: {{: 7 collectives on the critical path; [0-9.e+]+ FLOPs per device, }}
// SEVEN: r1  reduce_scatter over "a", 112 bytes sent per device:
// RUN: tessera partition %s --mesh a=2 --shard 'w=P("a")' --json --trip-count 7 | FileCheck %s --check-prefix=SEVEN-JSON
// SEVEN-JSON: "runs":7,"bytes":112,"guess":false}],{{.*}}"unknown_loops":1,"trip_count":7,"guesses":[],

// RUN: not tessera partition %s --trip-count 0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not tessera optimize %s --trip-count 0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: --trip-count takes a number from 1 to 4294967295, not 0
// RUN: tessera propagate %s --trip-count 7 --emit=none --mesh a=2
// RUN: tessera partition %s --mesh a=2 --shard 'w=P("a")' -O0 | tessera optimize --devices 2 --trip-count 7 | FileCheck %s --check-prefix=OPTIMIZED
// OPTIMIZED: reduce_scatter
func.func @main(%x: tensor<8xf32>, %w: tensor<8x8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
    cond {
      %0 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %1 = stablehlo.dot_general %v, %w, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
      %2 = stablehlo.tanh %1 : tensor<8xf32>
      stablehlo.return %next, %2 : tensor<i32>, tensor<8xf32>
    }
  return %r#1 : tensor<8xf32>
}
