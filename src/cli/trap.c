// Problem: a kernel that traps ends the process without a word about the program.
// Idea: the handler runs on the thread that trapped, and each thread knows its instruction
// (execute/running.h). It writes one line and exits. A trap elsewhere keeps its default action.
#include "cli/trap.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/sanitize.h"
#include "cli/cli.h"
#include "execute/execute.h"

typedef struct Trap {
  int number;
  const char *name;
} Trap;
static const Trap traps[] = {{SIGSEGV, "SIGSEGV: invalid access to memory"},
                             {SIGBUS, "SIGBUS: invalid access to memory"},
                             {SIGILL, "SIGILL: the CPU does not know an instruction"},
                             {SIGFPE, "SIGFPE: an arithmetic trap"}};
enum { N_TRAPS = sizeof traps / sizeof *traps };

static void say(const char *text) {
  size_t n = strlen(text);
  while (n) {
    ssize_t written = write(STDERR_FILENO, text, n);
    if (written <= 0) return;
    text += written;
    n -= (size_t)written;
  }
}

static void trapped(int number) {
  char text[512];
  if (!executable_running(text, sizeof text)) {
    raise(number);  // its default action is restored
    return;
  }
  say("tessera: error: ");
  say(text);
  say(" trapped (");
  for (int i = 0; i < N_TRAPS; i++)
    if (traps[i].number == number) say(traps[i].name);
  say("). This is a bug; --engine=eval runs the program without kernels\n");
  _exit(EXIT_BAD);
}

void trap_install(void) {
  if (SANITIZE_ADDRESS || SANITIZE_THREAD) return;
  struct sigaction action = {.sa_handler = trapped, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < N_TRAPS; i++) sigaction(traps[i].number, &action, NULL);
}
