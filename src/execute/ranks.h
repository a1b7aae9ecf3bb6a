// A run over several processes: each rank holds a contiguous block of the devices. The ranks
// exchange the operands of collectives whose group spans them, agree on the end of a run, and find
// out when all of them wait for each other (decision D15).
#ifndef TESSERA_EXECUTE_RANKS_H
#define TESSERA_EXECUTE_RANKS_H

#include "comm/comm.h"
#include "execute/executable.h"

typedef struct Ranks Ranks;

// The rank whose block (executable_block) contains the device.
uint32_t ranks_owner(uint32_t n_devices, uint32_t size, uint32_t device);

// For exe->options.comm. In the executable's arena.
Ranks *ranks_new(Executable *exe);

// One exchange of a group: the values of each member, n × n_values. Values of local members are
// sent, others are received. Local members must not change them until it is over.
typedef struct RankGroup {
  uint32_t n;
  const uint32_t *members;  // devices
  uint32_t n_values;
  const size_t *bytes;  // per value
  void *const *data;    // by member
} RankGroup;

typedef struct Transfer {
  struct Transfer *next;
  uint32_t n, n_done;
  CommRequest *requests;  // ranks_n_requests
  uint32_t task;          // becomes ready at the end
} Transfer;

// Requests of an exchange with groups of these members and values.
uint32_t ranks_n_requests(const Ranks *ranks, uint32_t n, const uint32_t *members,
                          uint32_t n_values);
// Starts it; when it is over, transfer->task is made ready. All ranks give the same op and
// iteration for the same exchange.
void ranks_start(Ranks *ranks, const RankGroup *group, uint32_t op, uint64_t iteration,
                 Transfer *transfer);
// Between instructions: moves messages if any are open.
void ranks_progress(Ranks *ranks);

// A run: begin, then workers_run with ranks_poll until it calls workers_finish, then end. `waiting`
// describes the local devices for the report of a deadlock.
typedef struct RanksRun {
  void *user;
  void (*fail)(void *user, Status *status);  // from ranks_poll; owns the status
  void (*waiting)(void *user, char *out, size_t bytes);
} RanksRun;
void ranks_begin(Ranks *ranks, const RanksRun *run);
void ranks_finished(Ranks *ranks);  // all local devices have ended; any thread
void ranks_poll(void *ranks, bool idle, uint64_t turns);
void ranks_end(Ranks *ranks, const Status *status);  // tells the others of an error

// Sends results to rank 0, where all of out are made. Waits.
Status *ranks_collect(Ranks *ranks, uint32_t n_out, Literal *const *out) MUST_USE;

#endif
