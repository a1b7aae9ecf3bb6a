// The IOPDDL reader takes one byte after another and keeps no tree: files have 146 MB of text, of
// which interned matrices keep a few MB. Keys may come in any order, so lists are collected as they
// come (edges often precede the nodes that they join) and put together at the end. Unknown keys are
// skipped.
//
// Invariants: every list is as long as its text; numbers are non-negative integers below 2^63, so
// nothing overflows; nesting of skipped values is limited. Each error has the line of the text.
#include "solve/iopddl.h"

#include <string.h>

#include "base/mem.h"

enum { MOST_DEPTH = 64, KEY_BYTES = 32, MOST_ENTRIES = 1 << 30 };

// One reader per text. Lists of lists are flat, with the end of each inner list.
typedef struct Reader {
  Stream *in;
  Problem *problem;
  HEAPVEC(int64_t) scratch;                                // one matrix
  HEAPVEC(int64_t) intervals, edge_nodes;                  // pairs
  HEAPVEC(uint32_t) cost_ends, usage_ends, edge_matrices;  // one per list
  bool has_limit;
} Reader;

static void reader_release(void *object) {
  Reader *r = object;
  HEAPVEC_FREE(&r->scratch);
  HEAPVEC_FREE(&r->intervals);
  HEAPVEC_FREE(&r->edge_nodes);
  HEAPVEC_FREE(&r->cost_ends);
  HEAPVEC_FREE(&r->usage_ends);
  HEAPVEC_FREE(&r->edge_matrices);
}

// ---- characters ----

#define WRONG(r, ...) return wrong((r), __FILE__, __LINE__, __VA_ARGS__)

// An error at the current line; an error of the stream itself goes first.
static Status *wrong(Reader *r, const char *file, int line, const char *what) {
  Status *status = stream_error(r->in);
  unsigned long long at = (unsigned long long)r->in->line;
  if (status) {
    Status *located =
        status_new(status_code(status), file, line, "line %llu: %s", at, status_message(status));
    status_free(status);
    return located;
  }
  int c = stream_peek(r->in);
  if (c < 0)
    return status_new(INVALID_ARGUMENT, file, line, "line %llu: the text ends, expected %s", at,
                      what);
  if (c < 32 || c > 126)
    return status_new(INVALID_ARGUMENT, file, line, "line %llu: byte 0x%02x, expected %s", at,
                      (unsigned)c, what);
  return status_new(INVALID_ARGUMENT, file, line, "line %llu: '%c', expected %s", at, c, what);
}

static int skip_blanks(Reader *r) {
  int c = stream_peek(r->in);
  while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
    (void)stream_next(r->in);
    c = stream_peek(r->in);
  }
  return c;
}

static bool take(Reader *r, char c) {
  if (skip_blanks(r) != (unsigned char)c) return false;
  (void)stream_next(r->in);
  return true;
}

static Status *expect(Reader *r, char c, const char *what) {
  if (!take(r, c)) WRONG(r, what);
  return NULL;
}

static Status *read_number(Reader *r, int64_t *out) {
  int c = skip_blanks(r);
  int64_t value = 0;
  if (c < '0' || c > '9') WRONG(r, "a non-negative integer");
  for (; c >= '0' && c <= '9'; c = stream_peek(r->in)) {
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
      WRONG(r, "a number below 2^63");
    (void)stream_next(r->in);
  }
  if (c == '.' || c == 'e' || c == 'E') WRONG(r, "an integer");
  *out = value;
  return NULL;
}

// Reads a string; the first KEY_BYTES - 1 bytes go to `key`, escapes as they are.
static Status *read_string(Reader *r, char *key) {
  size_t n = 0;
  TRY(expect(r, '"', "'\"'"));
  for (;;) {
    int c = stream_next(r->in);
    if (c < 0) WRONG(r, "the end of a string");
    if (c == '"') break;
    if (n + 1 < KEY_BYTES) key[n++] = (char)c;
    if (c == '\\' && stream_next(r->in) < 0) WRONG(r, "the end of a string");
  }
  key[n] = '\0';
  return NULL;
}

// ---- values of unknown keys ----

// Numbers, true, false, null: up to what ends a value. They are not checked.
static Status *skip_word(Reader *r) {
  bool any = false;
  for (int c = stream_peek(r->in); c >= 0 && !strchr(",]}: \n\t\r\"[{", c); any = true) {
    (void)stream_next(r->in);
    c = stream_peek(r->in);
  }
  if (!any) WRONG(r, "a value");
  return NULL;
}

static Status *skip_value(Reader *r) {
  char key[KEY_BYTES], closing[MOST_DEPTH];
  uint32_t depth = 0;
  do {
    int c = skip_blanks(r);
    if (c == '{' || c == '[') {
      if (depth == MOST_DEPTH) WRONG(r, "at most 64 levels");
      closing[depth++] = c == '{' ? '}' : ']';
      (void)stream_next(r->in);
    } else if (depth && c == closing[depth - 1]) {
      depth--;
      (void)stream_next(r->in);
    } else if (c == '"') {
      TRY(read_string(r, key));
    } else if (depth && (c == ',' || c == ':')) {
      (void)stream_next(r->in);
    } else {
      TRY(skip_word(r));
    }
  } while (depth);
  return NULL;
}

// ---- lists ----

typedef Status *(*ReadItem)(Reader *r);

// A list whose items `item` reads.
static Status *read_list(Reader *r, ReadItem item) {
  TRY(expect(r, '[', "'['"));
  if (take(r, ']')) return NULL;
  do TRY(item(r));
  while (take(r, ','));
  return expect(r, ']', "',' or ']'");
}

static Status *push_scratch(Reader *r) {
  int64_t value;
  TRY(read_number(r, &value));
  if (r->scratch.count == MOST_ENTRIES) WRONG(r, "at most 2^30 entries");
  HEAPVEC_PUSH(r->problem->guard, &r->scratch, value);
  return NULL;
}

static Status *push_cost(Reader *r) {
  int64_t value;
  TRY(read_number(r, &value));
  if (r->problem->costs.count == MOST_ENTRIES) WRONG(r, "at most 2^30 strategies");
  HEAPVEC_PUSH(r->problem->guard, &r->problem->costs, value);
  return NULL;
}

static Status *push_usage(Reader *r) {
  int64_t value;
  TRY(read_number(r, &value));
  if (r->problem->bytes.count == MOST_ENTRIES) WRONG(r, "at most 2^30 strategies");
  HEAPVEC_PUSH(r->problem->guard, &r->problem->bytes, value);
  return NULL;
}

static Status *read_costs(Reader *r) {
  TRY(read_list(r, push_cost));
  HEAPVEC_PUSH(r->problem->guard, &r->cost_ends, r->problem->costs.count);
  return NULL;
}

static Status *read_usages(Reader *r) {
  TRY(read_list(r, push_usage));
  HEAPVEC_PUSH(r->problem->guard, &r->usage_ends, r->problem->bytes.count);
  return NULL;
}

static Status *read_matrix(Reader *r) {
  r->scratch.count = 0;
  TRY(read_list(r, push_scratch));
  if (r->problem->entries.count > MOST_ENTRIES) WRONG(r, "at most 2^30 entries");
  uint32_t matrix = problem_matrix(r->problem, r->scratch.items, r->scratch.count);
  HEAPVEC_PUSH(r->problem->guard, &r->edge_matrices, matrix);
  return NULL;
}

static Status *read_pair(Reader *r, int64_t *pair) {
  TRY(expect(r, '[', "'['"));
  TRY(read_number(r, &pair[0]));
  TRY(expect(r, ',', "','"));
  TRY(read_number(r, &pair[1]));
  return expect(r, ']', "']'");
}

static Status *read_interval(Reader *r) {
  int64_t pair[2];
  TRY(read_pair(r, pair));
  HEAPVEC_PUSH(r->problem->guard, &r->intervals, pair[0]);
  HEAPVEC_PUSH(r->problem->guard, &r->intervals, pair[1]);
  return NULL;
}

static Status *read_edge(Reader *r) {
  int64_t pair[2];
  TRY(read_pair(r, pair));
  if (pair[0] >= UINT32_MAX || pair[1] >= UINT32_MAX) WRONG(r, "the numbers of two nodes");
  HEAPVEC_PUSH(r->problem->guard, &r->edge_nodes, pair[0]);
  HEAPVEC_PUSH(r->problem->guard, &r->edge_nodes, pair[1]);
  return NULL;
}

// ---- objects ----

typedef Status *(*ReadMember)(Reader *r, const char *key);

static Status *read_object(Reader *r, ReadMember member) {
  char key[KEY_BYTES];
  TRY(expect(r, '{', "'{'"));
  if (take(r, '}')) return NULL;
  do {
    skip_blanks(r);
    TRY(read_string(r, key));
    TRY(expect(r, ':', "':'"));
    TRY(member(r, key));
  } while (take(r, ','));
  return expect(r, '}', "',' or '}'");
}

// A key that appears twice would be two lists put end to end.
static Status *read_once(Reader *r, uint32_t count, ReadItem item) {
  if (count) WRONG(r, "each key once");
  return read_list(r, item);
}

static Status *read_nodes(Reader *r, const char *key) {
  if (!strcmp(key, "intervals")) return read_once(r, r->intervals.count, read_interval);
  if (!strcmp(key, "costs")) return read_once(r, r->cost_ends.count, read_costs);
  if (!strcmp(key, "usages")) return read_once(r, r->usage_ends.count, read_usages);
  return skip_value(r);
}

static Status *read_edges(Reader *r, const char *key) {
  if (!strcmp(key, "nodes")) return read_once(r, r->edge_nodes.count, read_edge);
  if (!strcmp(key, "costs")) return read_once(r, r->edge_matrices.count, read_matrix);
  return skip_value(r);
}

static Status *read_problem(Reader *r, const char *key) {
  if (!strcmp(key, "nodes")) return read_object(r, read_nodes);
  if (!strcmp(key, "edges")) return read_object(r, read_edges);
  if (strcmp(key, "usage_limit")) return skip_value(r);
  r->has_limit = true;
  return read_number(r, &r->problem->limit_bytes);
}

static Status *read_top(Reader *r, const char *key) {
  return strcmp(key, "problem") ? skip_value(r) : read_object(r, read_problem);
}

static Status *expect_end(Reader *r) {
  if (skip_blanks(r) >= 0 || r->in->error) WRONG(r, "the end");
  return NULL;
}

// ---- putting together ----

static Status *build_vars(Reader *r) {
  uint32_t n = r->cost_ends.count, begin = 0;
  if (r->usage_ends.count != n || r->intervals.count != 2 * (uint64_t)n)
    FAIL(INVALID_ARGUMENT, "nodes have %u lists of costs, %u of usages and %u intervals", n,
         r->usage_ends.count, r->intervals.count / 2);
  for (uint32_t v = 0; v < n; v++) {
    uint32_t end = r->cost_ends.items[v];
    if (end != r->usage_ends.items[v])
      FAIL(INVALID_ARGUMENT, "node %u has %u costs and another number of usages", v, end - begin);
    PlanVar var = {begin, end - begin, r->intervals.items[2 * v], r->intervals.items[2 * v + 1]};
    HEAPVEC_PUSH(r->problem->guard, &r->problem->vars, var);
    begin = end;
  }
  return NULL;
}

static Status *build_edges(Reader *r) {
  uint32_t n = r->edge_matrices.count;
  if (r->edge_nodes.count != 2 * (uint64_t)n)
    FAIL(INVALID_ARGUMENT, "edges have %u pairs of nodes and %u lists of costs",
         r->edge_nodes.count / 2, n);
  for (uint32_t e = 0; e < n; e++) {
    PlanEdge edge = {(uint32_t)r->edge_nodes.items[2 * e], (uint32_t)r->edge_nodes.items[2 * e + 1],
                     r->edge_matrices.items[e]};
    HEAPVEC_PUSH(r->problem->guard, &r->problem->edges, edge);
  }
  return NULL;
}

static Status *read_all(Reader *r) {
  TRY(read_object(r, read_top));
  TRY(expect_end(r));
  TRY(build_vars(r));
  TRY(build_edges(r));
  if (!r->has_limit) FAIL(INVALID_ARGUMENT, "the problem has no \"usage_limit\"");
  return problem_check(r->problem);
}

Status *iopddl_read(Stream *stream, Problem *problem) {
  Reader r = {.in = stream, .problem = problem};
  GuardCleanup cleanup = {reader_release, &r, NULL};
  guard_push(problem->guard, &cleanup);
  Status *status = read_all(&r);
  guard_pop(problem->guard, &cleanup);
  reader_release(&r);
  return status;
}

// ---- solutions ----

static Status *check_solution(const Problem *problem, const Reader *r, uint32_t *out_choice) {
  if (r->scratch.count != problem->vars.count)
    FAIL(INVALID_ARGUMENT, "the solution has %u strategies for %u nodes", r->scratch.count,
         problem->vars.count);
  for (uint32_t v = 0; v < problem->vars.count; v++)
    if (r->scratch.items[v] >= problem->vars.items[v].n)
      FAIL(INVALID_ARGUMENT, "strategy %lld of node %u, which has %u",
           (long long)r->scratch.items[v], v, problem->vars.items[v].n);
  for (uint32_t v = 0; v < problem->vars.count; v++) out_choice[v] = (uint32_t)r->scratch.items[v];
  return NULL;
}

static Status *read_solution(Reader *r, uint32_t *out_choice) {
  TRY(read_list(r, push_scratch));
  TRY(expect_end(r));
  return check_solution(r->problem, r, out_choice);
}

Status *iopddl_read_solution(Stream *stream, const Problem *problem, uint32_t *out_choice) {
  Problem list = {.guard = problem->guard, .vars = problem->vars};
  Reader r = {.in = stream, .problem = &list};
  GuardCleanup cleanup = {reader_release, &r, NULL};
  guard_push(problem->guard, &cleanup);
  Status *status = read_solution(&r, out_choice);
  guard_pop(problem->guard, &cleanup);
  reader_release(&r);
  return status;
}

// ---- writing ----

static void put_numbers(StrBuf *out, const int64_t *items, uint32_t n) {
  strbuf_putc(out, '[');
  for (uint32_t i = 0; i < n; i++) {
    if (i) strbuf_putc(out, ',');
    strbuf_put_int(out, items[i]);
  }
  strbuf_putc(out, ']');
}

static void put_nodes(const Problem *problem, StrBuf *out) {
  uint32_t n = problem->vars.count;
  strbuf_puts(out, "\"nodes\":{\"intervals\":[");
  for (uint32_t v = 0; v < n; v++) {
    const PlanVar *var = &problem->vars.items[v];
    if (v) strbuf_putc(out, ',');
    put_numbers(out, (int64_t[]){var->begin, var->end}, 2);
  }
  strbuf_puts(out, "],\"costs\":[");
  for (uint32_t v = 0; v < n; v++) {
    const PlanVar *var = &problem->vars.items[v];
    if (v) strbuf_putc(out, ',');
    put_numbers(out, problem->costs.items + var->first, var->n);
  }
  strbuf_puts(out, "],\"usages\":[");
  for (uint32_t v = 0; v < n; v++) {
    const PlanVar *var = &problem->vars.items[v];
    if (v) strbuf_putc(out, ',');
    put_numbers(out, problem->bytes.items + var->first, var->n);
  }
  strbuf_puts(out, "]}");
}

static void put_edges(const Problem *problem, StrBuf *out) {
  strbuf_puts(out, "\"edges\":{\"nodes\":[");
  for (uint32_t e = 0; e < problem->edges.count; e++) {
    const PlanEdge *edge = &problem->edges.items[e];
    if (e) strbuf_putc(out, ',');
    put_numbers(out, (int64_t[]){edge->a, edge->b}, 2);
  }
  strbuf_puts(out, "],\"costs\":[");
  for (uint32_t e = 0; e < problem->edges.count; e++) {
    const PlanMatrix *m = &problem->matrices.items[problem->edges.items[e].matrix];
    if (e) strbuf_putc(out, ',');
    put_numbers(out, problem->entries.items + m->first, m->n);
  }
  strbuf_puts(out, "]}");
}

void iopddl_write(const Problem *problem, StrBuf *out) {
  strbuf_puts(out, "{\"problem\":{");
  put_nodes(problem, out);
  strbuf_putc(out, ',');
  put_edges(problem, out);
  strbuf_puts(out, ",\"usage_limit\":");
  strbuf_put_int(out, problem->limit_bytes);
  strbuf_puts(out, "}}\n");
}

void iopddl_write_solution(const Problem *problem, const uint32_t *choice, StrBuf *out) {
  strbuf_putc(out, '[');
  for (uint32_t v = 0; v < problem->vars.count; v++) {
    if (v) strbuf_puts(out, ", ");
    strbuf_put_int(out, choice[v]);
  }
  strbuf_puts(out, "]\n");
}
