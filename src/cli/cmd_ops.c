// `tessera ops`: the op table, as text, Markdown or JSON.
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "ops/op.h"

typedef struct OpsJob {
  bool markdown, json, constraints;
  TextList words;
  int code;
} OpsJob;

static const char *count_text(int count, char *buf) {
  if (count < 0) return "any";
  snprintf(buf, 8, "%d", count);
  return buf;
}

static void put_attrs(const OpRow *row, StrBuf *out) {
  bool first = true;
  for (const AttrSpec *spec = row->attrs; spec && spec->shape != AS_END; spec++) {
    strbuf_printf(out, "%s%s%s", first ? "" : ", ", spec->name,
                  spec->need == NEED_REQUIRED ? "" : "?");
    first = false;
  }
}

static void put_row(const OpsJob *job, const OpRow *row, StrBuf *out) {
  char in[8], res[8], regions[8];
  const OpDef *def = row->def;
  const char *infer = def && def->infer ? "yes" : "no", *eval = def && def->eval ? "yes" : "no";
  if (row->traits & TRAIT_TERMINATOR) eval = "ends a block";
  if (job->constraints) {
    // One line per constraint, for the script that looks for its failing test.
    for (int i = 1; def && i <= def->constraints; i++) strbuf_printf(out, "%s C%d\n", row->name, i);
    if (def && def->unchecked) strbuf_printf(out, "%s unchecked %s\n", row->name, def->unchecked);
    return;
  }
  strbuf_printf(out,
                job->markdown ? "| `%s` | %s | %s | %s | %s | %s | %s | "
                              : "%-40s %3s -> %-3s %7s  %-5s %-12s %-6s ",
                row->name, count_text(row->operands, in), count_text(row->results, res),
                count_text(row->regions, regions), infer, eval, row->form ? "yes" : "no");
  put_attrs(row, out);
  strbuf_puts(out, job->markdown ? " |\n" : "\n");
}

static void put_json(const OpRow *row, Json *json) {
  json_open(json, '{');
  json_key(json, "name");
  json_string(json, row->name);
  json_key(json, "operands");
  json_int(json, row->operands);
  json_key(json, "results");
  json_int(json, row->results);
  json_key(json, "regions");
  json_int(json, row->regions);
  json_key(json, "infer");
  json_bool(json, row->def && row->def->infer);
  json_key(json, "eval");
  json_bool(json, row->def && row->def->eval);
  json_key(json, "sample");
  json_bool(json, row->def && row->def->sample);
  json_key(json, "pretty");
  json_bool(json, row->form != NULL);
  json_key(json, "constraints");
  json_int(json, row->def ? row->def->constraints : 0);
  json_key(json, "unchecked");
  if (row->def && row->def->unchecked)
    json_string(json, row->def->unchecked);
  else
    json_null(json);
  json_key(json, "attributes");
  json_open(json, '[');
  for (const AttrSpec *spec = row->attrs; spec && spec->shape != AS_END; spec++)
    json_string(json, spec->name);
  json_close(json, ']');
  json_close(json, '}');
  json_newline(json);
}

static bool is_selected(const OpsJob *job, const char *name) {
  bool any = job->words.count == 0;
  for (uint32_t i = 0; i < job->words.count; i++) any |= strstr(name, job->words.items[i]) != NULL;
  return any;
}

static bool nothing_found(const OpsJob *job) {
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++)
    if (is_selected(job, op_row(code)->name)) return false;
  return true;
}

static Status *show_ops(Guard *guard, void *arg) {
  OpsJob *job = arg;
  if (nothing_found(job)) {
    StrBuf words;
    strbuf_init(&words, guard);
    for (uint32_t i = 0; i < job->words.count; i++)
      strbuf_printf(&words, "%s'%s'", i ? " or " : "", job->words.items[i]);
    cli_error("no op's name contains %s; tessera ops lists them all", words.data);
    strbuf_deinit(&words);
    return NULL;
  }
  StrBuf out;
  strbuf_init(&out, guard);
  Json json = {.out = &out};
  if (job->markdown)
    strbuf_puts(
        &out, "| op | operands | results | regions | checked | evaluates | pretty | attributes |\n"
              "|---|---|---|---|---|---|---|---|\n");
  else if (!job->json && !job->constraints)
    strbuf_printf(&out, "%-40s %3s -> %-3s %7s  %-5s %-12s %-6s %s\n", "op", "in", "out", "regions",
                  "check", "evaluates", "pretty", "attributes (? = optional)");
  uint32_t n = 0, evaluates = 0;
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    const OpRow *row = op_row(code);
    if (!is_selected(job, row->name)) continue;
    n++;
    evaluates += row->def && (row->def->eval || (row->traits & TRAIT_TERMINATOR));
    if (job->json)
      put_json(row, &json);
    else
      put_row(job, row, &out);
  }
  if (!job->json && !job->markdown && !job->constraints)
    strbuf_printf(&out, "%u ops, %u evaluate\n", n, evaluates);
  if (out.used && !cli_put(out.data, out.used)) job->code = EXIT_BAD;
  strbuf_deinit(&out);
  return NULL;
}

int command_ops(int argc, char **argv) {
  OpsJob job = {0};
  static const Usage usage = {
      "ops", "[TEXT…]", "Prints the op table, or the ops whose names contain one of the TEXTs.",
      "  tessera ops\n  tessera ops reduce\n  tessera ops --markdown > docs/ops.md"};
  const Option options[] = {
      {"--markdown", OPTION_FLAG, &job.markdown, NULL, "print a Markdown table"},
      {"--json", OPTION_FLAG, &job.json, NULL, "print one JSON object per op"},
      {"--constraints", OPTION_FLAG, &job.constraints, NULL,
       "print one line per constraint of the specification"},
  };
  job.words.items = mem_alloc((size_t)(argc + 1) * sizeof *job.words.items);
  if (!job.words.items) return cli_fail(status_no_memory());
  ParseArgs args =
      cli_options(&usage, options, sizeof options / sizeof options[0], argc, argv, &job.words);
  int code = args == ARGS_HELP ? EXIT_OK : EXIT_BAD;
  if (args == ARGS_OK) {
    Status *status = guard_run(show_ops, &job);
    code = status ? cli_fail(status) : nothing_found(&job) ? EXIT_NO : job.code;
  }
  mem_free(job.words.items);
  return code;
}
