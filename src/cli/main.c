// Finds the verb in commands.def and calls it.
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/trap.h"

typedef struct Command {
  const char *name;
  int (*run)(int argc, char **argv);
} Command;

static const Command commands[] = {
#define COMMAND(name, summary) {#name, command_##name},
#include "cli/commands.def"
#undef COMMAND
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

// Output that does not arrive is a failure.
static int finish(int code) { return cli_put_rest() ? code : EXIT_BAD; }

// Opens /dev/null for standard descriptors that the caller closed, so that no later file gets their
// numbers. Standard input and output still fail when used.
static void keep_standard_files(void) {
  static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", modes[fd]) != fd) return;
}

int main(int argc, char **argv) {
  setlocale(LC_ALL, "C");
  keep_standard_files();
  trap_install();
  // A buffer for stdio output, so that errno is known when a write fails.
  static char room[1 << 16];
  setvbuf(stdout, room, _IOFBF, sizeof room);
  if (argc < 2) {
    help_print_all(HELP_TEXT, true, stderr);
    return EXIT_BAD;
  }
  const char *verb = argv[1];
  if (strcmp(verb, "--version") == 0) {
    puts("tessera " TESSERA_VERSION);
    return finish(EXIT_OK);
  }
  HelpForm form;
  bool help = help_asked(verb, &form) || strcmp(verb, "help") == 0;
  if (help && argc == 2) {
    help_print_all(form, true, stdout);
    return finish(EXIT_OK);
  }
  char *turned[] = {argv[0], argv[help ? 2 : 1], help && verb[0] == '-' ? argv[1] : "--help",
                    NULL};  // help VERB and --help=man VERB are VERB --help, VERB --help=man
  if (help) argc = 3, argv = turned, verb = turned[1];
  const char *names[N_COMMANDS + 2];
  for (int i = 0; i < N_COMMANDS; i++) {
    names[i] = commands[i].name;
    if (strcmp(verb, names[i]) == 0) return finish(commands[i].run(argc, argv));
  }
  names[N_COMMANDS] = "--help";
  names[N_COMMANDS + 1] = "--version";
  const char *near = cli_nearest(verb, N_COMMANDS + 2, names);
  cli_error("there is no verb '%s'%s%s%s see tessera --help", verb, near ? "; did you mean " : ";",
            near ? near : "", near ? "?" : "");
  return EXIT_BAD;
}
