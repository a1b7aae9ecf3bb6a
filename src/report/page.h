// A simulated step as one self-contained HTML page: no other file and no network is needed to show
// it. The page is page.html with page.css, page.js and one JSON object, from which the script draws
// everything.
#ifndef TESSERA_REPORT_PAGE_H
#define TESSERA_REPORT_PAGE_H

#include "report/show_simulated.h"

// ---- of a planner; optional ----

typedef struct ReportRunnerUp {
  const char *name;            // its mesh, or its strategy in a few words
  double seconds, peak_bytes;  // seconds 0: it was not simulated
  const char *strategy, *why;  // in words, and why it lost; NULL = unknown
} ReportRunnerUp;

typedef struct ReportSearchPoint {
  double work;   // done so far, in the planner's unit
  double cost;   // of the best plan so far, in seconds; not finite: none yet
  double bound;  // that is proven so far, in seconds; not finite: none yet
} ReportSearchPoint;

typedef struct ReportPlan {
  const char *strategy;  // in words, the first line for all axes; NULL = unknown
  double bound_seconds;  // no plan is faster; not finite: unknown
  double gap;            // (cost - bound) / cost; not finite: unknown
  const ReportRunnerUp *runners_up;
  const ReportSearchPoint *search;  // ordered by work
  uint32_t n_runners_up, n_search;
  const char *limit;               // what limits the plan; NULL = unknown
  const char *const *annotations;  // the short list
  uint32_t n_annotations;
} ReportPlan;

// ---- all ----

typedef struct Report {
  const ShowSimulated *show;
  const char *title;       // the program's path
  const ReportPlan *plan;  // NULL = none
  Guard *guard;
  Arena *arena;  // scratch
} Report;

// Most of what one page holds. The rest is merged or summed, and the page says so.
enum {
  REPORT_MOST_BARS = 5000,     // of the timeline
  REPORT_MOST_TENSORS = 2000,  // arguments and results
  REPORT_MOST_POINTS = 1000,   // of the memory curve, and of the search
  REPORT_MOST_CAUSES = 500,    // of collectives
  REPORT_MOST_ROWS = 200,      // runner-up plans, annotations
};

// Appends the page. Loops are drawn iteration by iteration as long as the timeline has room.
// INVALID_ARGUMENT if the shardings in the program's attributes contradict its types. O(ops · log
// ops), and O(REPORT_MOST_…) text.
Status *report_page(const Report *report, StrBuf *out) MUST_USE;
// The object alone, in which `<` is written as \u003c. docs/simulate.md lists its keys.
Status *report_data(const Report *report, StrBuf *out) MUST_USE;

#endif
