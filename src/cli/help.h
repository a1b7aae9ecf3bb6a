// Renders a verb's Usage and Option rows as --help text, man page, bash and zsh completion. A new
// option is one new row.
#ifndef TESSERA_CLI_HELP_H
#define TESSERA_CLI_HELP_H

#include <stdio.h>

#include "cli/cli.h"

enum { HELP_COLUMNS = 100 };  // maximal width of --help

typedef enum HelpForm { HELP_TEXT, HELP_MAN, HELP_BASH, HELP_ZSH, HELP_FORMS } HelpForm;

// Whether the word is -h, --help or --help=FORM, with FORM man, bash or zsh.
bool help_asked(const char *word, HelpForm *out_form);
// Prints the verb's options to stdout. bash and zsh: a function _tessera_VERB, which the frame of
// help_print_all calls.
void help_print(const Usage *usage, const Option *options, uint32_t n, HelpForm form);
// Prints the program's help: its verbs. bash and zsh: the frame before (begin) or after the verbs'
// functions.
void help_print_all(HelpForm form, bool begin, FILE *to);

#endif
