// Problem: show a simulated step to a person who has a browser and nothing else.
//
// Idea: the page is a constant (page.html, page.css, page.js, embedded by the build) around one
// JSON object. C writes numbers and names, bounded in size; the script draws. So what a page shows
// can be tested as data, and other programs can read it.
//
// Invariant: the JSON has no `<`, so that it cannot end the script element around it. The page
// names no address that a browser would load.
#include "report/page_private.h"

#include <string.h>

// Lines of the files, each a string.
static const char *const page_html[] = {
#include "report/page.html.inc"
};
static const char *const page_css[] = {
#include "report/page.css.inc"
};
static const char *const page_js[] = {
#include "report/page.js.inc"
};
#define N_LINES(file) (sizeof(file) / sizeof *(file))

// ---- shared ----

void page_time(Json *json, double seconds) {
  double x = seconds * 1e12 + 0.5;
  json_uint(json, x > 0 && x < 1.8e19 ? (uint64_t)x : 0);
}

void page_op(const Report *report, OpId op, Json *json) {
  OpWords words = words_op(report->show->words, op);
  op_words_json(report->show->program->context, &words, json);
}

// Callees behind callers: a block is appended after all blocks in it, and the list is turned round.
static void visit(BlockRuns *runs, const SimulatedBlock *b) {
  if (!b->n || runs->slot[b->ops[0]]) return;
  runs->slot[b->ops[0]] = UINT32_MAX;  // of a recursive call
  double items = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    const SimulatedBlock *body = b->body[i];
    if (b->tasks[i].seconds <= 0) continue;
    items++;
    if (!body || !body->n) continue;
    visit(runs, body);
    uint32_t slot = runs->slot[body->ops[0]];
    if (slot != UINT32_MAX) items += b->trips[i] * runs->items[slot - 1];
  }
  runs->blocks[runs->n] = b;
  runs->items[runs->n] = items;
  runs->slot[b->ops[0]] = ++runs->n;
}

BlockRuns page_block_runs(const Report *report) {
  uint32_t n = report->show->program->ops.count + 1;
  BlockRuns runs = {.blocks = ARENA_ARRAY(report->arena, const SimulatedBlock *, n),
                    .runs = ARENA_ARRAY(report->arena, double, n),
                    .items = ARENA_ARRAY(report->arena, double, n),
                    .slot = ARENA_ARRAY(report->arena, uint32_t, n)};
  if (!report->show->simulated->block) return runs;
  visit(&runs, report->show->simulated->block);
  if (runs.n) runs.runs[runs.n - 1] = 1;
  for (uint32_t k = runs.n; k-- > 0;) {
    const SimulatedBlock *b = runs.blocks[k];
    for (uint32_t i = 0; i < b->n; i++)
      if (b->body[i] && b->body[i]->n && b->tasks[i].seconds > 0)
        runs.runs[runs.slot[b->body[i]->ops[0]] - 1] += b->trips[i] * runs.runs[k];
  }
  return runs;
}

// ---- planner ----

static void plan_json(const ReportPlan *plan, Json *json) {
  json_key(json, "plan"), json_open(json, '{');
  if (plan->strategy) json_key(json, "strategy"), json_string(json, plan->strategy);
  json_key(json, "bound_seconds"), json_double(json, plan->bound_seconds);
  json_key(json, "gap"), json_double(json, plan->gap);
  json_key(json, "runners_up"), json_open(json, '[');
  for (uint32_t i = 0; i < plan->n_runners_up && i < REPORT_MOST_ROWS; i++) {
    const ReportRunnerUp *r = &plan->runners_up[i];
    json_open(json, '{');
    json_key(json, "name"), json_string(json, r->name ? r->name : "");
    json_key(json, "seconds"), json_double(json, r->seconds);
    json_key(json, "peak_bytes"), json_double(json, r->peak_bytes);
    if (r->strategy) json_key(json, "strategy"), json_string(json, r->strategy);
    if (r->why) json_key(json, "why"), json_string(json, r->why);
    json_close(json, '}');
  }
  json_close(json, ']');
  if (plan->limit) json_key(json, "limit"), json_string(json, plan->limit);
  json_key(json, "annotations"), json_open(json, '[');
  for (uint32_t i = 0; i < plan->n_annotations && i < REPORT_MOST_ROWS; i++)
    json_string(json, plan->annotations[i]);
  json_close(json, ']');
  json_key(json, "search"), json_open(json, '[');
  // Every k-th point, and the last.
  uint32_t every = plan->n_search / REPORT_MOST_POINTS + 1;
  for (uint32_t i = 0; i < plan->n_search; i++) {
    const ReportSearchPoint *p = &plan->search[i];
    if (i % every && i + 1 < plan->n_search) continue;
    json_open(json, '{');
    json_key(json, "work"), json_double(json, p->work);
    json_key(json, "cost"), json_double(json, p->cost);
    json_key(json, "bound"), json_double(json, p->bound);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_close(json, '}');
}

// ---- all ----

// Appends the text without `<`.
static void put_escaped(StrBuf *out, const char *text, size_t n) {
  size_t from = 0;
  for (size_t i = 0; i < n; i++) {
    if (text[i] != '<') continue;
    strbuf_put(out, text + from, i - from);
    strbuf_puts(out, "\\u003c");
    from = i + 1;
  }
  strbuf_put(out, text + from, n - from);
}

static Status *put_data(const Report *report, StrBuf *text) {
  Json json = {.out = text};
  BlockRuns runs = page_block_runs(report);
  json_open(&json, '{');
  json_key(&json, "version"), json_uint(&json, 1);
  json_key(&json, "tool"), json_string(&json, "tessera " TESSERA_VERSION);
  json_key(&json, "program"), json_string(&json, report->title ? report->title : "");
  simulated_json(report->show, &json);
  TRY(page_tensors(report, &json));
  page_timeline(report, &runs, &json);
  page_causes(report, &runs, &json);
  if (report->plan) plan_json(report->plan, &json);
  json_close(&json, '}');
  return NULL;
}

Status *report_data(const Report *report, StrBuf *out) {
  StrBuf text;
  strbuf_init(&text, report->guard);
  GuardCleanup cleanup = {strbuf_release, &text, NULL};
  guard_push(report->guard, &cleanup);
  Status *status = put_data(report, &text);
  if (!status) put_escaped(out, text.data, text.used);
  guard_pop(report->guard, &cleanup);
  strbuf_deinit(&text);
  return status;
}

static void put_lines(StrBuf *out, const char *const *lines, size_t n) {
  for (size_t i = 0; i < n; i++) strbuf_puts(out, lines[i]);
}

// A line of page.html that begins with @ is replaced.
Status *report_page(const Report *report, StrBuf *out) {
  for (size_t i = 0; i < N_LINES(page_html); i++) {
    const char *line = page_html[i];
    if (!strcmp(line, "@style\n"))
      put_lines(out, page_css, N_LINES(page_css));
    else if (!strcmp(line, "@script\n"))
      put_lines(out, page_js, N_LINES(page_js));
    else if (!strcmp(line, "@data\n"))
      TRY(report_data(report, out));
    else
      strbuf_puts(out, line);
  }
  return NULL;
}
