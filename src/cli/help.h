// One table, four renditions: the text of --help, a man page, completions of bash and zsh. All are
// made from a verb's Usage and its rows of Option, so a new option is a new row and nothing else.
#ifndef TESSERA_CLI_HELP_H
#define TESSERA_CLI_HELP_H

#include <stdio.h>

#include "cli/cli.h"

enum { HELP_COLUMNS = 100 };  // no line of --help is wider

typedef enum HelpForm { HELP_TEXT, HELP_MAN, HELP_BASH, HELP_ZSH, HELP_FORMS } HelpForm;

// Is the word -h, --help or --help=FORM? The forms besides text are man, bash and zsh.
bool help_asked(const char *word, HelpForm *out_form);
// The verb's options in that form, to standard output. bash and zsh: a function _tessera_VERB,
// which the frame of help_print_all calls.
void help_print(const Usage *usage, const Option *options, uint32_t n, HelpForm form);
// The whole program: its verbs. bash and zsh: what precedes (begin) or follows the verbs'
// functions.
void help_print_all(HelpForm form, bool begin, FILE *to);

#endif
