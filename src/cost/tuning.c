#include "cost/tuning.h"

const Tuning tuning = {
    .bytes_weight_latencies = 4,
    .tie_latencies = 1.5,
    .rounding = 1e-9,
    .local_step_seconds = 1e-9,
    .sparse_most_bytes = 0.99,
    .pieces_least_excess = 1.1,
    .later_move_chance = 0.2,
    .share_gain = 10,
    .share_least_seconds = 2e-5,
    .rounded_least_terms = 64,
    .gathered_life_ops = 64,
    .order_most_time = 0.97,
    .ring_hidden_part = 0.5,
};
