// `tessera plan A B --share GLOB`: several programs with one layout of the arguments they share.
#ifndef TESSERA_CLI_PLAN_SHARE_H
#define TESSERA_CLI_PLAN_SHARE_H

#include "cli/cli.h"
#include "pipeline/plan.h"

typedef struct ShareJob {
  ShareRequest request;   // its programs are set by cli_plan_share
  const TextList *files;  // at least two
  const char *weights;    // "1,200"; NULL: all 1
  const char *plan_out;   // with %s; NULL: no plan is written
  const char *output;     // of the text or JSON; see cli_is_stdout
  const char *machine;    // as given
  bool json;
} ShareJob;

// Plans, prints and writes. Returns the exit code. Nothing is written after an error.
int cli_plan_share(ShareJob *job);

#endif
