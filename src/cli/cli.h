// What the verbs share: options, programs from files, messages. Only this folder prints and exits.
#ifndef TESSERA_CLI_CLI_H
#define TESSERA_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/eval.h"
#include "pipeline/compile.h"

enum { EXIT_OK = 0, EXIT_NO = 1, EXIT_BAD = 2 };  // fine; the answer is no; bad usage or input

// ---- options ----

typedef enum OptionKind {
  OPTION_FLAG,    // to: bool
  OPTION_TEXT,    // to: const char *
  OPTION_NUMBER,  // to: uint64_t
  OPTION_TEXTS,   // to: TextList; may be given more than once, and takes all words up to the next
                  // option
} OptionKind;

typedef struct TextList {
  const char **items;  // room for all of argv
  uint32_t count;
} TextList;

typedef struct Option {
  const char *name;  // "--generic"; "-j"
  OptionKind kind;
  void *to;
  const char *value;  // what the help calls it: "FILE"
  const char *help;
} Option;

typedef struct Usage {
  const char *verb;
  const char *arguments;  // "[FILE…]"
  const char *summary;    // a paragraph
  const char *examples;   // lines
} Usage;

// The bytes of an option in GiB; as many as there can be if that is more.
static inline size_t cli_gib(uint64_t gib) {
  return gib > SIZE_MAX >> 30 ? SIZE_MAX : (size_t)gib << 30;
}

// --trip-count: false with a message if it is out of range; 0 if it is UINT64_MAX, not given.
bool cli_trip_count(uint64_t given, uint32_t *out);

typedef enum ParseArgs { ARGS_OK, ARGS_HELP, ARGS_BAD } ParseArgs;

// Reads argv[2…] into the options and what is left into files. ARGS_HELP: the help was printed;
// ARGS_BAD: what is wrong, and what was perhaps meant, was printed to stderr.
ParseArgs cli_options(const Usage *usage, const Option *options, uint32_t n_options, int argc,
                      char **argv, TextList *files);
// The item nearest to word, NULL if none is near.
const char *cli_nearest(const char *word, uint32_t n, const char *const *items);

// --scatter=spec|xla; NULL: spec. False with a message if it is another word.
bool cli_scatter(const char *word, ScatterRule *out);
extern const char cli_scatter_help[];

// ---- messages ----

void cli_error(const char *fmt, ...) PRINTF_LIKE(1, 2);  // "tessera: error: …" to stderr
// Prints the error and frees it; gives EXIT_BAD.
int cli_fail(Status *status);
bool cli_colour(void);  // stderr is a terminal that wants colour
// To stdout, whole; false with a message if that fails (a closed pipe, a full disk). Whatever is
// printed after a failure goes nowhere, so that it is told once.
bool cli_put(const char *data, size_t n);
// The same for text that was printed plainly: false with a message if it does not arrive.
bool cli_put_rest(void);
// The flush of a StrBuf: to stdout, which may keep it for later.
Status *cli_flush(void *to, const char *data, size_t n) MUST_USE;

// ---- programs ----

// A program's text; out_source is about it, under the name that messages have. To be freed. NULL
// after a message if it cannot be read, or is empty: that is a step before that failed.
char *cli_read_program(const char *path, Source *out_source);

// Reads (and verifies) source[begin, end) under the guard into a session. Errors in the text are in
// its diagnostics, with *out_valid = false; the status is for everything else. session_deinit in
// any case, after the guard.
Status *cli_load(Session *session, Guard *guard, const Source *source, size_t begin, size_t end,
                 const ParseOptions *options, bool verify, bool *out_valid) MUST_USE;
// The diagnostics to stderr.
void cli_report(const Session *session, Guard *guard);

void cli_release_text(void *text);  // a StrBuf on a guard's cleanup list

#define COMMAND(name, summary) int command_##name(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

#endif
