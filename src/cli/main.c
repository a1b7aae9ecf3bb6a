// Finds the verb in the table and hands over.
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

typedef struct Command {
  const char *name, *summary;
  int (*run)(int argc, char **argv);
} Command;

static const Command commands[] = {
#define COMMAND(name, summary) {#name, summary, command_##name},
#include "cli/commands.def"
#undef COMMAND
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *to) {
  fputs("usage: tessera VERB [options] [FILE…]\n\nReads, verifies, prints, evaluates, shards and "
        "partitions "
        "StableHLO programs.\n\nverbs:\n",
        to);
  for (int i = 0; i < N_COMMANDS; i++)
    fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
  fputs("\ntessera VERB --help says more. No FILE or '-' is standard input.\n"
        "Exit status: 0 fine, 1 the answer is no (a check failed), 2 bad usage or input.\n"
        "\nexamples:\n"
        "  tessera parse model.mlir              read, verify, print\n"
        "  tessera run model.mlir                evaluate on seeded random data\n"
        "  tessera propagate model.mlir          fill in the shardings that follow\n"
        "  tessera partition model.mlir --mesh data=8 --shard '0=P(\"data\")' --verify --stats\n"
        "                                        what each of 8 devices runs, checked and counted\n"
        "  tessera check tests/                  run every self-checking file\n",
        to);
}

// Text that was printed plainly counts only if it arrives.
static int finish(int code) { return fflush(stdout) == 0 && !ferror(stdout) ? code : EXIT_BAD; }

int main(int argc, char **argv) {
  setlocale(LC_ALL, "C");
  if (argc < 2) {
    print_help(stderr);
    return EXIT_BAD;
  }
  const char *verb = argv[1];
  if (strcmp(verb, "--version") == 0) {
    puts("tessera " TESSERA_VERSION);
    return finish(EXIT_OK);
  }
  bool help = strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0 || strcmp(verb, "help") == 0;
  if (help && argc == 2) {
    print_help(stdout);
    return finish(EXIT_OK);
  }
  char *turned[] = {argv[0], argv[help ? 2 : 1], "--help", NULL};  // help VERB is VERB --help
  if (help) argc = 3, argv = turned, verb = turned[1];
  const char *names[N_COMMANDS];
  for (int i = 0; i < N_COMMANDS; i++) {
    names[i] = commands[i].name;
    if (strcmp(verb, names[i]) == 0) return finish(commands[i].run(argc, argv));
  }
  const char *near = cli_nearest(verb, N_COMMANDS, names);
  cli_error("there is no verb '%s'%s%s%s see tessera --help", verb, near ? "; did you mean " : ";",
            near ? near : "", near ? "?" : "");
  return EXIT_BAD;
}
