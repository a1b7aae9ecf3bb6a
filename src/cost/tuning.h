// All constants that steer a choice between programs. The machine (cost/machine.h) says what things
// cost; these say how a stage weighs prices that are close, uncertain or incomplete. Bounds that
// only limit the length of a search stay beside the search.
#ifndef TESSERA_COST_TUNING_H
#define TESSERA_COST_TUNING_H

#include <stdint.h>

typedef struct Tuning {
  // ---- comparing prices (cost/price.c) ----

  // Penalty, in latencies, for each multiple of the fewest possible bytes that a reshard sends.
  // Trades seconds of one small reshard for bytes that delay other collectives. 4: small tensors
  // are sent once; for large ones the seconds decide.
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
  // Fraction of a dense collective's bytes that permutes instead of it may send at most. 0.99:
  // permutes are for tiles with much padding.
  double sparse_most_bytes;
  // Bytes of a plan, in multiples of the lower bound, above which pieces.c is tried. 1.1: pieces
  // are expensive to plan and rarely better than a plan near the bound.
  double pieces_least_excess;

  // ---- the split of an op (src/partition/choose.c) ----

  // Probability that a result must be resharded if no operand was and nothing requires it yet. 0.2:
  // most users accept the result as it is.
  double later_move_chance;
  // Work that every device repeats is divided if it takes at least share_least_seconds (20 us) and
  // dividing it saves share_gain (10) times the seconds of the communication. High: a user may need
  // all elements again.
  double share_gain, share_least_seconds;
  // Terms of a sum below which 16-bit floats are not summed on several devices: each partial sum is
  // rounded once more, which matters in short sums.
  uint32_t rounded_least_terms;
  // A gathered argument that is not used for this many ops is dropped and gathered again. 64: about
  // one layer, so that the forward pass does not keep all weights for the backward pass.
  uint32_t gathered_life_ops;

  // ---- entire programs ----

  // --conflicts=cost: another order of annotations replaces the user's if its predicted time is
  // below this fraction. 0.97: the prediction is not more exact than that.
  double order_most_time;
  // Fraction of a collective's time that an overlapped ring may leave exposed to be chosen. 0.5: a
  // backend overlaps some of an ordinary collective, too.
  double ring_hidden_part;
} Tuning;

extern const Tuning tuning;

#endif
