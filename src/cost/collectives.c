// The rows of collectives.def as functions and a table indexed by op code. O(1) each.
#include "cost/collectives.h"

#include <stddef.h>

#include "ops/op.h"

#define COLLECTIVE(kind, sent, schedule, peers, receives, before, after, inverse)                  \
  static double sent_##kind(double n, double held) {                                               \
    (void)n;                                                                                       \
    return sent;                                                                                   \
  }
#include "cost/collectives.def"
#undef COLLECTIVE

static const Collective rows[OP_COUNT] = {
#define COLLECTIVE(kind, sent, schedule, peers, receives, before, after, inverse)                  \
  [OP_##kind] = {sent_##kind,    SCHEDULE_##schedule, PEERS_##peers, RECEIVES_##receives,          \
                 STATE_##before, STATE_##after,       OP_##inverse},
#include "cost/collectives.def"
#undef COLLECTIVE
};

const Collective *collective_row(uint16_t code) {
  return code < OP_COUNT && rows[code].sent ? &rows[code] : NULL;
}

double collective_sent(uint16_t code, double n, double held) {
  const Collective *row = collective_row(code);
  return row ? row->sent(n, held) : held;
}

Price collective_price(uint16_t code, const Route *route, double held) {
  const Collective *row = collective_row(code);
  double sent = row->sent(route_size(route), held);
  return (Price){route_seconds(route, row->schedule, held, sent), sent,
                 route_transfer(route, row->schedule, sent)};
}

bool collective_is_across_both(uint16_t code) {
  const Collective *row = collective_row(code);
  return !row || row->peers == PEERS_GLOBAL;
}
