// Options, messages and segments for all verbs. Suggestions use the edit distance.
#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/help.h"
#include "ops/infer.h"

void cli_error(const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fflush(stdout);
  fputs(cli_colour() ? "\033[1mtessera: \033[31merror:\033[0m " : "tessera: error: ", stderr);
  vfprintf(stderr, fmt, args);
  fputc('\n', stderr);
  va_end(args);
}

int cli_fail(Status *status) {
  cli_error("%s", status_message(status));
  if (getenv("TESSERA_TRACE")) fprintf(stderr, "%s\n", status_trace(status));
  status_free(status);
  return EXIT_BAD;
}

bool cli_colour(void) {
  const char *term = getenv("TERM");
  return isatty(STDERR_FILENO) && !getenv("NO_COLOR") && term && strcmp(term, "dumb") != 0;
}

static const char lost[] = "cannot write to standard output: %s";

// Returns why stdout failed, and redirects it to /dev/null: its buffer still holds the lost bytes.
static const char *abandon_stdout(void) {
  const char *why = strerror(errno ? errno : EIO);
  if (!freopen("/dev/null", "w", stdout)) clearerr(stdout);
  return why;
}

bool cli_put(const char *data, size_t n) {
  errno = 0;
  if (fwrite(data, 1, n, stdout) == n && fflush(stdout) == 0) return true;
  cli_error(lost, abandon_stdout());
  return false;
}

bool cli_put_rest(void) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return true;
  cli_error(lost, abandon_stdout());
  return false;
}

Status *cli_flush(void *to, const char *data, size_t n) {
  (void)to;
  errno = 0;
  if (fwrite(data, 1, n, stdout) == n) return NULL;
  FAIL(UNAVAILABLE, lost, abandon_stdout());
}

bool cli_is_stdout(const char *path) { return !path || strcmp(path, "-") == 0; }

enum { MOST_LETTERS = 48 };

const char *cli_nearest(const char *word, uint32_t n, const char *const *items) {
  size_t all = strlen(word), letters = all - strspn(word, "-");  // dashes do not count as similar
  for (uint32_t i = 0; i < n && letters >= 3; i++)               // --mach: a prefix of a name
    if (strncmp(word, items[i], all) == 0) return items[i];
  const char *best = NULL;
  uint32_t least = (uint32_t)letters / 2 + 1;
  if (least > 4) least = 4;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t d = str_distance(str_of(word), str_of(items[i]), least);
    if (d < least) {
      least = d;
      best = items[i];
    }
  }
  return best;
}

static ParseArgs bad_option(const Usage *usage, const Option *options, uint32_t n,
                            const char *word) {
  const char *names[64];
  uint32_t count = 0;
  for (uint32_t i = 0; i < n && count < 63; i++) names[count++] = options[i].name;
  names[count++] = "--help";
  char plain[MOST_LETTERS];
  snprintf(plain, sizeof plain, "%.*s", (int)strcspn(word, "="), word);
  const char *near = cli_nearest(plain, count, names);
  cli_error("%s has no option %s%s%s%s see tessera %s --help", usage->verb, plain,
            near ? "; did you mean " : ";", near ? near : "", near ? "?" : "", usage->verb);
  return ARGS_BAD;
}

static bool read_number(const char *text, uint64_t *out) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno || end == text || *end || *text == '-') return false;
  *out = value;
  return true;
}

bool cli_trip_count(uint64_t given, uint32_t *out) {
  *out = given == UINT64_MAX ? 0 : (uint32_t)given;
  if (given == UINT64_MAX || (given >= 1 && given <= UINT32_MAX)) return true;
  cli_error("--trip-count takes a number from 1 to %u, not %" PRIu64, UINT32_MAX, given);
  return false;
}

bool cli_seconds(const char *option, const char *text, double *out) {
  char *end;
  if (!text) return true;
  *out = strtod(text, &end);
  if (!*end && end != text && *out > 0 && isfinite(*out)) return true;
  cli_error("%s takes a positive number of seconds, not '%s'", option, text);
  return false;
}

bool cli_bytes(const char *option, const char *text, double *out) {
  static const char *const units[] = {"", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"};
  static const double sizes[] = {1, 1e3, 1e6, 1e9, 1e12, 0x1p10, 0x1p20, 0x1p30, 0x1p40};
  char *end;
  if (!text) return true;
  double number = strtod(text, &end);
  for (uint32_t i = 0; end != text && number > 0 && i < sizeof units / sizeof *units; i++) {
    if (strcmp(end, units[i]) != 0 || !isfinite(number * sizes[i])) continue;
    *out = number * sizes[i];
    return true;
  }
  cli_error("%s takes bytes, such as 73600000000, 10GB or 16GiB, not '%s'", option, text);
  return false;
}

// An exact match first; then --name=VALUE, and -jN for a short option.
static const Option *find_option(const Option *options, uint32_t n, const char *word) {
  for (uint32_t i = 0; i < n; i++)
    if (strcmp(options[i].name, word) == 0) return &options[i];
  size_t length = word[1] == '-' ? strcspn(word, "=") : 2;
  for (uint32_t i = 0; i < n; i++)
    if (strlen(options[i].name) == length && strncmp(options[i].name, word, length) == 0)
      return &options[i];
  return NULL;
}

ParseArgs cli_options(const Usage *usage, const Option *options, uint32_t n, int argc, char **argv,
                      TextList *files) {
  bool only_files = false;
  for (int i = 2; i < argc; i++) {
    const char *word = argv[i];
    if (only_files || word[0] != '-' || !word[1]) {
      files->items[files->count++] = word;
      continue;
    }
    if (strcmp(word, "--") == 0) {
      only_files = true;
      continue;
    }
    HelpForm form;
    if (help_asked(word, &form)) {
      help_print(usage, options, n, form);
      return ARGS_HELP;
    }
    const Option *option = find_option(options, n, word);
    if (!option) return bad_option(usage, options, n, word);
    // The value follows '=', follows a short option directly, or is the next word.
    const char *value = NULL;
    size_t length = strlen(option->name);
    if (word[1] == '-' && word[length] == '=')
      value = word + length + 1;
    else if (word[1] != '-' && word[length])
      value = word + length;
    if (option->kind == OPTION_FLAG) {
      if (value) {
        cli_error("%s takes no value", option->name);
        return ARGS_BAD;
      }
      *(bool *)option->to = true;
      continue;
    }
    if (!value && i + 1 < argc) value = argv[++i];
    if (!value) {
      cli_error("%s requires a value: %s", option->name, option->value);
      return ARGS_BAD;
    }
    if (option->kind == OPTION_TEXT) {
      *(const char **)option->to = value;
    } else if (option->kind == OPTION_NUMBER) {
      if (!read_number(value, option->to)) {
        cli_error("%s takes a whole number, not '%s'", option->name, value);
        return ARGS_BAD;
      }
    } else {
      TextList *list = option->to;
      list->items[list->count++] = value;
      while (i + 1 < argc && (argv[i + 1][0] != '-' || !argv[i + 1][1]) &&
             strstr(argv[i + 1], ".np"))
        list->items[list->count++] = argv[++i];
    }
  }
  return ARGS_OK;
}

char *cli_read_program(const char *path, Source *out_source) {
  char *text;
  size_t bytes;
  Status *status = file_read(path, FILE_MOST_TEXT, &text, &bytes);
  if (status) {
    cli_fail(status);
    return NULL;
  }
  *out_source =
      (Source){.path = strcmp(path, "-") == 0 ? "<stdin>" : path, .text = text, .size = bytes};
  if (bytes) return text;
  cli_error("%s is empty: there is no program", out_source->path);
  mem_free(text);
  return NULL;
}

Status *cli_load(Session *s, Guard *guard, const Source *source, size_t begin, size_t end,
                 const ParseOptions *options, bool verify, bool *out_valid) {
  session_init(s, guard, source, NULL);
  CompileRequest request = {.begin = begin,
                            .end = end,
                            .parse = *options,
                            .stop_after = verify ? STAGE_VERIFY : STAGE_READ};
  Compiled compiled;
  Status *status = compile(s, &request, &compiled);
  *out_valid = !status;
  if (status && !session_has_errors(s)) return status;
  status_free(status);  // errors in the text are in the diagnostics
  return NULL;
}

char *cli_read_plan(const char *path, Str *out_text) {
  char *text = NULL;
  size_t bytes = 0;
  Status *status = file_read(path, FILE_MOST_TEXT, &text, &bytes);
  if (status) {
    cli_fail(status);
    return NULL;
  }
  *out_text = (Str){text, bytes};
  if (bytes) return text;
  cli_error("%s is empty: it has no plan", path);
  mem_free(text);
  return NULL;
}

void cli_release_text(void *text) { strbuf_deinit(text); }

void cli_report(const Session *s, Guard *guard) {
  StrBuf text;
  strbuf_init(&text, guard);
  GuardCleanup free_text = {.release = cli_release_text, .object = &text};
  guard_push(guard, &free_text);
  session_render(s, &text, cli_colour());
  fflush(stdout);
  if (text.used) fwrite(text.data, 1, text.used, stderr);
  guard_pop(guard, &free_text);
  strbuf_deinit(&text);
}

// ---- shared options ----

const char cli_scatter_help[] =
    "scatter windows that lie partly out of bounds. spec (default): drop the elements out of "
    "bounds, as StableHLO specifies. xla: drop the whole window, as XLA and JAX do";

bool cli_scatter(const char *word, ScatterRule *out) {
  bool xla = word && strcmp(word, "xla") == 0;
  if (word && !xla && strcmp(word, "spec") != 0) {
    cli_error("--scatter takes spec or xla, not '%s'", word);
    return false;
  }
  *out = xla ? SCATTER_XLA : SCATTER_SPEC;
  return true;
}
