// Shared by the files of the page.
#ifndef TESSERA_REPORT_PAGE_PRIVATE_H
#define TESSERA_REPORT_PAGE_PRIVATE_H

#include "report/page.h"

// Each block that runs, once, callers before callees, and how often it runs in a step. A block of a
// function that is called several times is in the list once.
typedef struct BlockRuns {
  const SimulatedBlock **blocks;
  double *runs;
  double *items;   // tasks that take time, with those of bodies in all iterations
  uint32_t *slot;  // per op: index + 1 of the block that begins with it
  uint32_t n;
} BlockRuns;

// O(ops).
BlockRuns page_block_runs(const Report *report);

// Seconds as an integer number of picoseconds: short, and exact enough to draw.
void page_time(Json *json, double seconds);
void page_op(const Report *report, OpId op, Json *json);

// The keys mesh, tensors, shardings.
Status *page_tensors(const Report *report, Json *json) MUST_USE;
// The keys timeline, memory.
void page_timeline(const Report *report, const BlockRuns *runs, Json *json);
// The keys parts, causes.
void page_causes(const Report *report, const BlockRuns *runs, Json *json);

#endif
