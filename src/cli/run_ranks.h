// `tessera run` as one of several processes that a launcher (mpirun) started.
#ifndef TESSERA_CLI_RUN_RANKS_H
#define TESSERA_CLI_RUN_RANKS_H

#include "comm/comm.h"

typedef struct RunRanks {
  Comm *comm;        // NULL: one process
  uint32_t workers;  // this rank's share of its host's processors; 0 without ranks
  int kept_stderr;   // while messages of ranks behind 0 are held back; else -1
  void *held;        // FILE with them
} RunRanks;

// Joins the other processes. Ranks behind 0 print nothing to stdout from then on, and their
// messages are held back until run_ranks_agree. False after a message.
bool run_ranks_open(RunRanks *ranks);
// Ends the preparation of a program: `code` of this rank (0: ready) and the program's hash. Returns
// the code of all: 0, or what the process exits with; a message was printed then.
int run_ranks_agree(RunRanks *ranks, int code, uint64_t hash);
// Prints the error unless another rank does, and tells the others. Returns the exit code.
int run_ranks_fail(RunRanks *ranks, Status *status);
// Is this the rank that prints?
bool run_ranks_prints(const RunRanks *ranks);
// The others are told of an exit code that is not 0.
void run_ranks_close(RunRanks *ranks, int code);

#endif
