// Shared by the verbs: options, programs from files, messages. Only this directory prints and
// exits.
#ifndef TESSERA_CLI_CLI_H
#define TESSERA_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/eval.h"
#include "pipeline/compile.h"

enum { EXIT_OK = 0, EXIT_NO = 1, EXIT_BAD = 2 };  // success; the answer is no; bad usage or input

// ---- options ----

typedef enum OptionKind {
  OPTION_FLAG,    // to: bool
  OPTION_TEXT,    // to: const char *
  OPTION_NUMBER,  // to: uint64_t
  OPTION_TEXTS,   // to: TextList; may be repeated; words that follow and contain ".np" belong to it
} OptionKind;

typedef struct TextList {
  const char **items;  // capacity: argc
  uint32_t count;
} TextList;

typedef struct Option {
  const char *name;  // "--generic"; "-j"
  OptionKind kind;
  void *to;
  const char *value;  // its name in the help: "FILE"
  const char *help;
} Option;

typedef struct Usage {
  const char *verb;
  const char *arguments;  // "[FILE…]"
  const char *summary;    // a paragraph
  const char *examples;   // lines
} Usage;

// GiB to bytes; SIZE_MAX on overflow.
static inline size_t cli_gib(uint64_t gib) {
  return gib > SIZE_MAX >> 30 ? SIZE_MAX : (size_t)gib << 30;
}

// Checks --trip-count. UINT64_MAX (not given) becomes 0. False with a message if out of range.
bool cli_trip_count(uint64_t given, uint32_t *out);
// Reads a positive number of seconds; *out stays if the text is NULL. False with a message.
bool cli_seconds(const char *option, const char *text, double *out);
// Reads a number of bytes, with or without a unit (GB, GiB). NULL leaves *out. False: a message was
// printed.
bool cli_bytes(const char *option, const char *text, double *out);

typedef enum ParseArgs { ARGS_OK, ARGS_HELP, ARGS_BAD } ParseArgs;

// Reads argv[2…] into the options and the remaining words into files. ARGS_HELP: printed the help;
// ARGS_BAD: printed the error to stderr, with the nearest option.
ParseArgs cli_options(const Usage *usage, const Option *options, uint32_t n_options, int argc,
                      char **argv, TextList *files);
// The item nearest to the word; NULL if none is near.
const char *cli_nearest(const char *word, uint32_t n, const char *const *items);

// Reads --scatter=spec|xla; NULL is spec. False with a message for other words.
bool cli_scatter(const char *word, ScatterRule *out);
extern const char cli_scatter_help[];

// ---- messages ----

void cli_error(const char *fmt, ...) PRINTF_LIKE(1, 2);  // "tessera: error: …" to stderr
// Prints and frees the error; returns EXIT_BAD.
int cli_fail(Status *status);
bool cli_colour(void);  // stderr is a terminal and colour is not disabled
// Writes all bytes to stdout and flushes. False with a message on failure (a closed pipe, a full
// disk); later output is discarded, so the failure is reported once.
bool cli_put(const char *data, size_t n);
// Flushes text printed with stdio; false with a message on failure.
bool cli_put_rest(void);
// The flush function of a StrBuf: writes to stdout, which may buffer.
Status *cli_flush(void *to, const char *data, size_t n) MUST_USE;
// True if the path of an output file means stdout: NULL (not given) or "-".
bool cli_is_stdout(const char *path);

// ---- programs ----

// Reads a program's text; the caller frees it. *out_source refers to it. Returns NULL after a
// message if the file cannot be read or is empty (an empty pipe means the command before failed).
char *cli_read_program(const char *path, Source *out_source);

// Parses (and verifies) source[begin, end) into a session under the guard. Errors in the text go to
// its diagnostics, with *out_valid = false; the status is for all other errors. The caller calls
// session_deinit in any case, after the guard.
Status *cli_load(Session *session, Guard *guard, const Source *source, size_t begin, size_t end,
                 const ParseOptions *options, bool verify, bool *out_valid) MUST_USE;
// Prints the diagnostics to stderr.
void cli_report(const Session *session, Guard *guard);

// Reads the file of --plan, which the caller frees; NULL after a message.
char *cli_read_plan(const char *path, Str *out_text);

void cli_release_text(void *text);  // frees a StrBuf on a guard's cleanup list

#define COMMAND(name, summary) int command_##name(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

#endif
