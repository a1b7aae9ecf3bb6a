// A solution in words: what each mesh axis does.
#ifndef TESSERA_PLAN_SUMMARY_H
#define TESSERA_PLAN_SUMMARY_H

#include "plan/model.h"

// One line per axis, separated by "\n":
//
//   x=4: data parallel; parameters and optimizer state sharded (ZeRO-3)
//   y=2: tensor parallel (51 % of the FLOPs by columns, 49 % by rows)
//
// By the FLOPs of contractions: how many of them the axis splits, and whether a weight is split
// with them. A weight is an argument, or a function of one, that is replaced by a result (state);
// without state, any argument of which no other op is split along its first dimension. O(program).
void plan_summary(const Model *model, const uint32_t *choice, StrBuf *out);

#endif
