// Problem: N processes of one program must look like one: one output, one message per error.
// Idea: rank 0 prints. The other ranks read the same files, so that their messages are those of
// rank 0: they go to a file, which is shown only if that rank alone has failed. From the agreement
// on, an error of a run is printed by the rank that has it.
#include "cli/run_ranks.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "comm/hosts.h"

bool run_ranks_prints(const RunRanks *ranks) { return !ranks->comm || comm_rank(ranks->comm) == 0; }

// ---- messages ----

static void hold_messages(RunRanks *ranks) {
  FILE *held = tmpfile();
  if (!held) return;
  fflush(stderr);
  ranks->kept_stderr = dup(STDERR_FILENO);
  if (ranks->kept_stderr < 0 || dup2(fileno(held), STDERR_FILENO) < 0) {
    fclose(held);
    return;
  }
  ranks->held = held;
}

static void end_hold(RunRanks *ranks, bool show) {
  if (!ranks->held) return;
  fflush(stderr);
  dup2(ranks->kept_stderr, STDERR_FILENO);
  close(ranks->kept_stderr);
  FILE *held = ranks->held;
  char line[512];
  rewind(held);
  while (show && fgets(line, sizeof line, held))
    fprintf(stderr, "rank %u: %s", comm_rank(ranks->comm), line);
  fclose(held);
  ranks->held = NULL;
  ranks->kept_stderr = -1;
}

static void silence_stdout(void) {
  int null = open("/dev/null", O_WRONLY);
  if (null < 0) return;
  fflush(stdout);
  dup2(null, STDOUT_FILENO);
  close(null);
}

// ---- start ----

// One line about all ranks: a launcher that names the process of a failure may not name its rank.
static void show_places(const RunRanks *ranks, const RankPlace *places) {
  uint32_t n = comm_size(ranks->comm), confined = n;
  fprintf(stderr, "tessera: %u ranks (%s):", n, comm_name(ranks->comm));
  for (uint32_t i = 0; i < n; i++) {
    uint32_t workers = hosts_workers(n, places, i);
    fprintf(stderr, "%s rank %u is PID %u on %.63s with %u worker%s", i ? "," : "", i,
            places[i].pid, places[i].host, workers, workers == 1 ? "" : "s");
    if (confined == n && hosts_is_confined(n, places, i)) confined = i;
  }
  fprintf(stderr, "\n");
  if (confined < n)
    fprintf(stderr,
            "tessera: warning: the launcher has bound rank %u to one of the %u processors of "
            "%.63s: start it with mpirun --bind-to none to use all\n",
            confined, places[confined].n_online, places[confined].host);
}

static Status *find_places(RunRanks *ranks) {
  uint32_t n = comm_size(ranks->comm);
  RankPlace *places = mem_alloc(n * sizeof *places);
  if (!places) return status_no_memory();
  Status *status = hosts_share(ranks->comm, places);
  if (!status) {
    ranks->workers = hosts_workers(n, places, comm_rank(ranks->comm));
    if (run_ranks_prints(ranks)) show_places(ranks, places);
  }
  mem_free(places);
  return status;
}

bool run_ranks_open(RunRanks *ranks) {
  *ranks = (RunRanks){.kept_stderr = -1};
  Status *status = comm_launch(&ranks->comm);
  if (!status && !ranks->comm) return true;
  if (!status) status = find_places(ranks);
  if (status) {
    cli_fail(status);
    return false;
  }
  if (!run_ranks_prints(ranks)) {
    silence_stdout();
    hold_messages(ranks);
  }
  return true;
}

// ---- agreement ----

typedef struct Prepared {
  int32_t code;
  uint32_t spare;
  uint64_t hash;
  char version[32];
} Prepared;

static Status *compare(const RunRanks *ranks, const Prepared *all) {
  for (uint32_t i = 1; i < comm_size(ranks->comm); i++) {
    if (strncmp(all[i].version, all[0].version, sizeof all[i].version) != 0)
      FAIL(FAILED_PRECONDITION, "rank %u is tessera %.31s and rank 0 is tessera %.31s", i,
           all[i].version, all[0].version);
    if (all[i].hash != all[0].hash)
      FAIL(FAILED_PRECONDITION,
           "rank %u has another program or other options than rank 0: all ranks must read the "
           "same files",
           i);
  }
  return NULL;
}

int run_ranks_agree(RunRanks *ranks, int code, uint64_t hash) {
  if (!ranks->comm) return code;
  Prepared mine = {.code = code, .hash = hash, .version = TESSERA_VERSION};
  Prepared *all = mem_alloc(comm_size(ranks->comm) * sizeof *all);
  Status *status = all ? comm_share(ranks->comm, &mine, sizeof mine, all) : status_no_memory();
  bool any = false;
  for (uint32_t i = 0; !status && i < comm_size(ranks->comm); i++) any |= all[i].code != 0;
  // An error of the messages themselves: every rank has its own.
  bool own = status && !comm_is_reported(ranks->comm);
  end_hold(ranks, own || (!status && code && !all[0].code));
  if (!status && !any) status = compare(ranks, all);
  for (uint32_t i = 1; any && !code && run_ranks_prints(ranks) && i < comm_size(ranks->comm); i++)
    if (all[i].code) cli_error("rank %u has failed (exit code %d)", i, (int)all[i].code);
  bool failed = status || any;
  if (own || (status && run_ranks_prints(ranks)))
    cli_fail(status);
  else
    status_free(status);
  mem_free(all);
  return code ? code : failed ? EXIT_BAD : EXIT_OK;
}

int run_ranks_fail(RunRanks *ranks, Status *status) {
  if (!ranks->comm) return cli_fail(status);
  comm_stop(ranks->comm, status_message(status));
  if (!comm_is_reported(ranks->comm)) return cli_fail(status);
  status_free(status);
  return EXIT_BAD;
}

void run_ranks_close(RunRanks *ranks, int code) {
  if (!ranks->comm) return;
  end_hold(ranks, false);
  fflush(stdout);
  fflush(stderr);
  comm_close(ranks->comm, code);
  ranks->comm = NULL;
}
