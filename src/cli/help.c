// Text is filled to HELP_COLUMNS. In a summary a newline is a space, unless a space follows: then
// it starts a list item. roff, bash and zsh each have one quoting function.
#include "cli/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct Verb {
  const char *name, *summary;
} Verb;

static const Verb verbs[] = {
#define COMMAND(name, summary) {#name, summary},
#include "cli/commands.def"
#undef COMMAND
};

enum { N_VERBS = sizeof verbs / sizeof verbs[0], OPTION_COLUMNS = 24, INDENT = 27 };

static const char *const forms[HELP_FORMS] = {"text", "man", "bash", "zsh"};

static const char all_usage[] = "VERB [options] [FILE…]";
static const char all_summary[] =
    "Reads, verifies, prints, evaluates, shards and partitions StableHLO programs.";
static const char all_notes[] = "tessera VERB --help lists a verb's options. Without FILE, or with "
                                "'-', verbs read standard input.";
static const char exit_status[] =
    "0 success, 1 a check or verification failed, 2 bad usage or input.";
static const char all_examples[] =
    "  tessera parse model.mlir              read, verify, print\n"
    "  tessera run model.mlir                evaluate on seeded random data\n"
    "  tessera propagate model.mlir          infer shardings from annotations\n"
    "  tessera partition model.mlir --mesh data=8 --shard '0=P(\"data\")' --verify --stats\n"
    "                                        the local program of 8 devices, verified, with "
    "statistics\n"
    "  tessera simulate model.mlir --machine h100:8\n"
    "                                        predicted seconds and peak memory of a step\n"
    "  tessera check tests/                  run every self-checking file\n"
    "  source <(tessera completion bash)     complete verbs, options and their values";

bool help_asked(const char *word, HelpForm *out_form) {
  *out_form = HELP_TEXT;
  if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) return true;
  if (strncmp(word, "--help=", 7) != 0) return false;
  for (int i = 0; i < HELP_FORMS; i++) {
    if (strcmp(word + 7, forms[i]) != 0) continue;
    *out_form = (HelpForm)i;
    return true;
  }
  return false;
}

static const char *summary_of(const char *verb) {
  for (int i = 0; i < N_VERBS; i++)
    if (strcmp(verbs[i].name, verb) == 0) return verbs[i].summary;
  return "";
}

// ---- text ----

// Counts characters, not bytes: UTF-8 continuation bytes are 10xxxxxx.
static int columns(const char *text, size_t n) {
  int count = 0;
  for (size_t i = 0; i < n; i++) count += ((unsigned char)text[i] & 0xC0) != 0x80;
  return count;
}

// Prints text from column `at` on, wrapped; further lines begin at `indent`.
static void put_filled(const char *text, int at, int indent, FILE *to) {
  int hang = indent;
  bool first = true;
  while (*text) {
    if (*text == '\n' && text[1] == ' ') {  // a list item: continuation lines are indented
      int spaces = (int)strspn(++text, " ");
      fprintf(to, "\n%*s", spaces, "");
      text += spaces;
      at = spaces;
      hang = spaces + 2;
      first = true;
    }
    text += strspn(text, " \n") * !first;
    if (!*text) break;
    size_t n = strcspn(text, " \n");
    int wide = columns(text, n);
    if (!first && at + 1 + wide > HELP_COLUMNS) {
      fprintf(to, "\n%*s", hang, "");
      at = hang;
    } else if (!first) {
      fputc(' ', to);
      at++;
    }
    fwrite(text, 1, n, to);
    at += wide;
    text += n;
    first = false;
    if (*text == '\n' && text[1] == ' ') continue;
    text += *text != '\0';
  }
  fputc('\n', to);
}

// Prints an option and its value; a list of words that is too long breaks after a '|'.
static void put_left(const char *left, FILE *to) {
  fputs("  ", to);
  for (int at = 2; *left;) {
    size_t n = strcspn(left, "|");
    n += left[n] == '|';
    int wide = columns(left, n);
    if (at > 4 && at + wide > HELP_COLUMNS) at = fprintf(to, "\n    ") - 1;
    fwrite(left, 1, n, to);
    at += wide;
    left += n;
  }
}

static void put_row(const char *left, const char *help, FILE *to) {
  int wide = columns(left, strlen(left));
  put_left(left, to);
  if (wide > OPTION_COLUMNS)
    fprintf(to, "\n%*s", INDENT, "");
  else
    fprintf(to, "%*s", INDENT - 2 - wide, "");
  put_filled(help, INDENT, INDENT, to);
}

static const char *joint(const Option *o) { return !o->value ? "" : o->name[1] == '-' ? "=" : " "; }

static void put_text(const Usage *usage, const Option *options, uint32_t n) {
  printf("usage: tessera %s [options] %s\n\n", usage->verb, usage->arguments);
  put_filled(usage->summary, 0, 0, stdout);
  printf("\noptions:\n");
  for (uint32_t i = 0; i < n; i++) {
    const Option *o = &options[i];
    char left[256];
    snprintf(left, sizeof left, "%s%s%s", o->name, joint(o), o->value ? o->value : "");
    put_row(left, o->help, stdout);
  }
  put_row("--help", "print this text; --help=man prints a man page", stdout);
  printf("\nexamples:\n%s\n", usage->examples);
}

// ---- man ----

// Prints a non-ASCII character as \[uXXXX]; returns its bytes.
static size_t put_unicode(const unsigned char *c, FILE *to) {
  size_t n = *c >= 0xF0 ? 4 : *c >= 0xE0 ? 3 : 2;
  unsigned code = *c & (0xFFu >> (n + 1));
  for (size_t i = 1; i < n && c[i]; i++) code = code << 6 | (c[i] & 0x3F);
  fprintf(to, "\\[u%04X]", code);
  return n;
}

// Prints n bytes quoted for roff. With `fresh`, a line begins: a dot or quote there is a request.
static void put_roff(const char *text, size_t n, bool fresh, FILE *to) {
  for (size_t i = 0; i < n;) {
    unsigned char c = (unsigned char)text[i];
    if (fresh && (c == '.' || c == '\'')) fputs("\\&", to);
    fresh = c == '\n';
    if (c >= 0x80) {
      i += put_unicode((const unsigned char *)text + i, to);
      continue;
    }
    if (c == '\\')
      fputs("\\e", to);
    else if (c == '-')
      fputs("\\-", to);
    else if (c == '\'')
      fputs("\\(aq", to);
    else if (c == '`')
      fputs("\\(ga", to);
    else if (c == '^')
      fputs("\\(ha", to);
    else if (c == '~')
      fputs("\\(ti", to);
    else
      fputc(c, to);
    i++;
  }
}

// Prints a summary; list items start new lines.
static void put_roff_filled(const char *text, FILE *to) {
  while (*text) {
    size_t n = strcspn(text, "\n");
    put_roff(text, n, true, to);
    fputc('\n', to);
    text += n;
    if (!*text) break;
    text++;
    if (*text == ' ') {
      fputs(".br\n", to);
      text += strspn(text, " ");
    }
  }
}

static void put_verbatim(const char *text, FILE *to) {
  fputs(".nf\n", to);
  put_roff(text, strlen(text), true, to);
  fputs("\n.fi\n", to);
}

// Verb "" is the program itself.
static void put_man_head(const char *verb, const char *summary, FILE *to) {
  char page[64];
  snprintf(page, sizeof page, "tessera%s%s", *verb ? "-" : "", verb);
  fputs(".TH ", to);
  for (const char *c = page; *c; c++) fputc(toupper((unsigned char)*c), to);
  fputs(" 1 \"\" \"tessera " TESSERA_VERSION "\" \"User Commands\"\n.SH NAME\n", to);
  put_roff(page, strlen(page), false, to);
  fputs(" \\- ", to);
  put_roff(summary, strlen(summary), false, to);
  fprintf(to, "\n.SH SYNOPSIS\n.B tessera%s%s\n", *verb ? " " : "", verb);
}

static void put_man_tail(const char *examples, const char *verb, FILE *to) {
  fputs(".SH EXIT STATUS\n", to);
  put_roff_filled(exit_status, to);
  fputs(".SH EXAMPLES\n", to);
  put_verbatim(examples, to);
  fputs(".SH SEE ALSO\n", to);
  if (*verb) {
    fputs(".BR tessera (1)\n", to);
    return;
  }
  for (int i = 0; i < N_VERBS; i++)
    fprintf(to, ".BR tessera\\-%s (1)%s\n", verbs[i].name, i + 1 < N_VERBS ? "," : "");
}

static void put_man_option(const char *name, const char *value, const char *between,
                           const char *help, FILE *to) {
  bool breaks = value && strlen(value) > 60;  // without spaces, its lines cannot be adjusted
  if (breaks) fputs(".na\n", to);
  fputs(".TP\n\\fB", to);
  put_roff(name, strlen(name), false, to);
  fputs("\\fR", to);
  if (value) {
    fprintf(to, "%s\\fI", between);
    for (const char *at = value; *at;) {  // a long list of words may break after a '|'
      size_t n = strcspn(at, "|");
      n += at[n] == '|';
      put_roff(at, n, false, to);
      at += n;
      if (*at) fputs("\\:", to);
    }
    fputs("\\fR", to);
  }
  fputc('\n', to);
  if (breaks) fputs(".ad\n", to);
  put_roff_filled(help, to);
}

static void put_man(const Usage *usage, const Option *options, uint32_t n, FILE *to) {
  put_man_head(usage->verb, summary_of(usage->verb), to);
  fputs("[\\fIoptions\\fR] \\fI", to);
  put_roff(usage->arguments, strlen(usage->arguments), false, to);
  fputs("\\fR\n.SH DESCRIPTION\n", to);
  put_roff_filled(usage->summary, to);
  fputs(".SH OPTIONS\n", to);
  for (uint32_t i = 0; i < n; i++)
    put_man_option(options[i].name, options[i].value, joint(&options[i]), options[i].help, to);
  put_man_option("--help", NULL, "", "print the options and examples", to);
  put_man_tail(usage->examples, usage->verb, to);
}

// ---- completion ----

// Possible values: the lower-case words of "sdy|mhlo|table", and whether files are allowed.
typedef struct Values {
  char words[192];
  bool files;
} Values;

static Values values_of(const char *value) {
  Values out = {.files = false};
  size_t used = 0;
  for (const char *at = value; at && *at;) {
    size_t n = strcspn(at, "|");
    bool word = islower((unsigned char)*at) && strcspn(at, "=,: ") >= n;
    if (word && used + n + 2 < sizeof out.words)
      used += (size_t)snprintf(out.words + used, sizeof out.words - used, "%s%.*s", used ? " " : "",
                               (int)n, at);
    out.files |= strncmp(at, "FILE", 4) == 0 || strncmp(at, "[FILE", 5) == 0 ||
                 strncmp(at, "PATH", 4) == 0 || strncmp(at, "DIRECTORY", 9) == 0;
    at += n + (at[n] == '|');
  }
  return out;
}

static void put_bash(const Usage *usage, const Option *options, uint32_t n) {
  printf("_tessera_%s() {\n  options='", usage->verb);
  for (uint32_t i = 0; i < n; i++) printf("%s ", options[i].name);
  printf("--help'\n  arguments='%s'\n  case $1 in\n", values_of(usage->arguments).words);
  for (uint32_t i = 0; i < n; i++) {
    if (!options[i].value) continue;
    Values values = values_of(options[i].value);
    printf("    %s) value=1 words='%s' ;;\n", options[i].name, values.words);
  }
  printf("  esac\n}\n");
}

// Prints in single quotes, with backslashes before `special` characters.
static void put_zsh(const char *text, const char *special) {
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", stdout);
    else if (*text == '\n')
      putchar(' ');
    else {
      if (strchr(special, *text)) putchar('\\');
      putchar(*text);
    }
  }
}

static void put_zsh_values(const char *value) {
  Values values = values_of(value);
  putchar(':');
  put_zsh(value, ":\\");
  if (*values.words && values.files)
    printf(":{_alternative \"words:word:(%s)\" \"files:file:_files\"}", values.words);
  else if (*values.words)
    printf(":(%s)", values.words);
  else
    printf("%s", values.files ? ":_files" : ": ");
}

static void put_zsh_option(const Option *o) {
  printf("    '%s%s%s[", o->kind == OPTION_TEXTS ? "*" : "", o->name,
         !o->value           ? ""
         : o->name[1] == '-' ? "="
                             : "+");
  put_zsh(o->help, "[]\\");
  putchar(']');
  if (o->value) put_zsh_values(o->value);
  printf("' \\\n");
}

static void put_zsh_verb(const Usage *usage, const Option *options, uint32_t n) {
  printf("_tessera_%s() {\n  _arguments \\\n", usage->verb);
  for (uint32_t i = 0; i < n; i++) put_zsh_option(&options[i]);
  printf("    '--help[print the options and examples]' \\\n    '*");
  put_zsh_values(usage->arguments);
  printf("'\n}\n");
}

static void put_frame_bash(bool begin, FILE *to) {
  if (begin) {
    fputs("# Completion of tessera for bash, made by tessera completion bash.\n", to);
    return;
  }
  fputs("_tessera() {\n"
        "  local verb=${COMP_WORDS[1]} cur=${COMP_WORDS[COMP_CWORD]} "
        "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  local options='' arguments='' value='' words=''\n"
        "  COMPREPLY=()\n"
        "  if [ \"$COMP_CWORD\" -le 1 ]; then\n"
        "    COMPREPLY=($(compgen -W '",
        to);
  for (int i = 0; i < N_VERBS; i++) fprintf(to, "%s ", verbs[i].name);
  fputs("help --help --version' -- \"$cur\"))\n"
        "    return\n"
        "  fi\n"
        "  # readline makes three words of --option=value\n"
        "  if [ \"$cur\" = = ]; then cur=''\n"
        "  elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}\n"
        "  fi\n"
        "  case $verb in\n    help) arguments='",
        to);
  for (int i = 0; i < N_VERBS; i++) fprintf(to, "%s%s", i ? " " : "", verbs[i].name);
  fputs("' ;;\n    ", to);
  for (int i = 0; i < N_VERBS; i++) fprintf(to, "%s%s", i ? "|" : "", verbs[i].name);
  fputs(") \"_tessera_$verb\" \"$prev\" ;;\n"
        "  esac\n"
        "  if [ -z \"$value\" ]; then\n"
        "    words=$arguments\n"
        "    [[ $cur = -* ]] && words=$options\n"
        "  fi\n"
        "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
        "}\n"
        "complete -o default -F _tessera tessera\n",
        to);
}

static void put_frame_zsh(bool begin) {
  if (begin) {
    printf("#compdef tessera\n# Completion of tessera for zsh, made by tessera completion zsh.\n");
    return;
  }
  printf("_tessera() {\n"
         "  if (( CURRENT == 2 )); then\n"
         "    local -a verbs\n"
         "    verbs=(\n");
  for (int i = 0; i < N_VERBS; i++) {
    printf("      '%s:", verbs[i].name);
    put_zsh(verbs[i].summary, ":\\");
    printf("'\n");
  }
  printf(
      "    )\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  if (( $+functions[_tessera_$verb] )); then _tessera_$verb; else _files; fi\n"
      "}\n"
      "if [ \"$funcstack[1]\" = _tessera ]; then _tessera \"$@\"; else compdef _tessera tessera; "
      "fi\n");
}

// ---- all ----

static void put_text_all(FILE *to) {
  fprintf(to, "usage: tessera %s\n\n%s\n\nverbs:\n", all_usage, all_summary);
  for (int i = 0; i < N_VERBS; i++) fprintf(to, "  %-10s %s\n", verbs[i].name, verbs[i].summary);
  fprintf(to, "\n%s\nExit status: %s\n\nexamples:\n%s\n", all_notes, exit_status, all_examples);
}

static void put_man_all(FILE *to) {
  put_man_head("", "parallelize StableHLO programs", to);
  put_roff(all_usage, strlen(all_usage), false, to);
  fputs("\n.SH DESCRIPTION\n", to);
  put_roff_filled(all_summary, to);
  put_roff_filled(all_notes, to);
  fputs(".SH VERBS\n", to);
  for (int i = 0; i < N_VERBS; i++) put_man_option(verbs[i].name, NULL, "", verbs[i].summary, to);
  put_man_tail(all_examples, "", to);
}

void help_print_all(HelpForm form, bool begin, FILE *to) {
  if (form == HELP_TEXT) put_text_all(to);
  if (form == HELP_MAN) put_man_all(to);
  if (form == HELP_BASH) put_frame_bash(begin, to);
  if (form == HELP_ZSH) put_frame_zsh(begin);
}

void help_print(const Usage *usage, const Option *options, uint32_t n, HelpForm form) {
  if (form == HELP_TEXT) put_text(usage, options, n);
  if (form == HELP_MAN) put_man(usage, options, n, stdout);
  if (form == HELP_BASH) put_bash(usage, options, n);
  if (form == HELP_ZSH) put_zsh_verb(usage, options, n);
}
