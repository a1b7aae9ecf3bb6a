// `tessera completion`: prints shell code that completes verbs, options and values. Each verb
// prints its own function, since only the verb knows its options.
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/help.h"

typedef int (*VerbFn)(int argc, char **argv);

static const struct {
  const char *name;
  VerbFn run;
} verbs[] = {
#define COMMAND(name, summary) {#name, command_##name},
#include "cli/commands.def"
#undef COMMAND
};

static int print_completion(HelpForm form, const char *asked) {
  int code = EXIT_OK;
  help_print_all(form, true, stdout);
  for (size_t i = 0; i < sizeof verbs / sizeof verbs[0] && code == EXIT_OK; i++) {
    char help[32], name[32];
    snprintf(help, sizeof help, "--help=%s", asked);
    snprintf(name, sizeof name, "%s", verbs[i].name);
    char *argv[] = {"tessera", name, help, NULL};
    code = verbs[i].run(3, argv);
  }
  help_print_all(form, false, stdout);
  return code;
}

int command_completion(int argc, char **argv) {
  static const Usage usage = {
      "completion", "bash|zsh",
      "Prints a completion script for bash or zsh: verbs, options and their values. make install "
      "installs both scripts.",
      "  source <(tessera completion bash)                      in ~/.bashrc\n"
      "  tessera completion zsh > \"${fpath[1]}/_tessera\"        before compinit"};
  TextList words = {mem_alloc((size_t)(argc + 1) * sizeof *words.items), 0};
  if (!words.items) return cli_fail(status_no_memory());
  ParseArgs args = cli_options(&usage, NULL, 0, argc, argv, &words);
  int code = args == ARGS_HELP ? EXIT_OK : EXIT_BAD;
  if (args == ARGS_OK) {
    const char *shell = words.count ? words.items[0] : "";
    bool bash = strcmp(shell, "bash") == 0;
    if (words.count != 1 || (!bash && strcmp(shell, "zsh") != 0))
      cli_error("completion takes bash or zsh%s%s%s", words.count ? ", not '" : "", shell,
                words.count ? "'" : "");
    else
      code = print_completion(bash ? HELP_BASH : HELP_ZSH, shell);
  }
  mem_free(words.items);
  return code;
}
