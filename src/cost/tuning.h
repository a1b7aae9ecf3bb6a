// Every constant that steers a choice between programs. The machine (cost/machine.h) says what
// things cost; these say how a stage weighs prices that are close, uncertain, or not the whole
// truth. Bounds that only keep a search short stay beside the search.
#ifndef TESSERA_COST_TUNING_H
#define TESSERA_COST_TUNING_H

#include <stdint.h>

typedef struct Tuning {
  // ---- comparing prices (cost/price.c) ----

  // Latencies that sending the fewest possible bytes once more is worth. Trades time of one small
  // reshard for bytes, which other collectives wait for as well. 4: small tensors are sent once,
  // large ones are decided by their seconds.
  double bytes_weight_latencies;
  // Latencies by which two times must differ to count as different; below, fewer bytes win. 1.5:
  // more than one message, less than two.
  double tie_latencies;
  // Relative difference below which two sums of the same terms in another order are equal.
  double rounding;

  // ---- reshard plans (src/reshard) ----

  // Seconds of a step without communication (a slice). Almost nothing: of two plans with the same
  // collectives the shorter one wins.
  double local_step_seconds;
  // Part of a dense collective's bytes above which its permutes instead of it are not tried. 0.99:
  // permutes are for tiles with much padding.
  double sparse_most_bytes;
  // Bytes of a plan, in multiples of the lower bound, above which sending pieces is tried. 1.1:
  // pieces are expensive to plan and rarely better than a plan near the bound.
  double pieces_least_excess;

  // ---- the split of an op (src/partition/choose.c) ----

  // Probability that a result must be resharded if no operand was and nothing requires it yet. 0.2:
  // most users accept the result as it is.
  double later_move_chance;
  // Work that every device repeats is divided if that saves so many times the seconds that it
  // sends (10), and takes at least so many seconds (20 us). High: the pieces take memory, and a
  // user may need all elements again.
  double share_gain, share_least_seconds;
  // Terms of a sum below which short floats are not added on several devices: each partial sum is
  // rounded once more, which fewer terms do not hide.
  uint32_t rounded_least_terms;
  // Ops after whose last use a gathered argument is dropped and gathered again. 64: about one
  // layer, so that the forward pass does not keep all weights for the backward pass.
  uint32_t gathered_life_ops;

  // ---- entire programs ----

  // --conflicts=cost: part of the predicted time that an order of annotations must be below to
  // replace the order of the user. 0.97: the prediction is not more exact than that.
  double order_most_time;
  // Part of a collective's time that an overlapped ring of permutes must not save to be chosen.
  // 0.5: a backend overlaps some of a plain collective, too.
  double ring_hidden_part;
} Tuning;

extern const Tuning tuning;

#endif
