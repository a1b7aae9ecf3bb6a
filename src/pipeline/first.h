// Which annotations give way, by trying.
#ifndef TESSERA_PIPELINE_FIRST_H
#define TESSERA_PIPELINE_FIRST_H

#include "pipeline/propagate.h"

// Where rules say one axis of several values (a batch and the weights of FSDP), what gets it first
// spreads, and the others' users have to bring it elsewhere. As many ways as there are such rules
// are tried besides the one at hand: that rule first, what others say of its axes behind it. Each
// is propagated and partitioned; the least time on the default machine wins. Gives what
// PropagateRequest.first takes, 0 if nothing is better than no order at all, and then in the
// arena what that saves, in words. O(rules · (propagation + partition)); the request must have
// `again`.
uint32_t pipeline_choose_first(const PropagateRequest *request, Arena *arena,
                               const char **out_words);

#endif
