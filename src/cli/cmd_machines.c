// `tessera machines`: the machines that --machine knows, or one of them in detail.
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cost/machine.h"

typedef struct MachinesJob {
  bool json;
  TextList words;
  StrBuf out;
  Arena arena;
  char *text;  // of the machine at hand
  int code;
} MachinesJob;

static const char *const topologies[] = {"switch", "ring", "torus"};

static void link_json(const MachineLink *l, Json *json) {
  json_open(json, '{');
  if (l->devices) json_key(json, "devices"), json_uint(json, l->devices);
  json_key(json, "latency_seconds"), json_double(json, l->link.latency_seconds);
  json_key(json, "gap_seconds"), json_double(json, l->link.gap_seconds);
  json_key(json, "bytes_per_second"), json_double(json, l->link.bytes_per_second);
  json_key(json, "topology"), json_string(json, topologies[l->topology]);
  if (l->topology == TOPOLOGY_TORUS) json_key(json, "dimensions"), json_uint(json, l->dimensions);
  if (l->topology != TOPOLOGY_SWITCH) json_key(json, "wraps_from"), json_uint(json, l->wraps_from);
  json_close(json, '}');
}

// The description with all defaults filled in; --machine reads it back.
static void put_json(const Machine *m, Json *json) {
  json_open(json, '{');
  json_key(json, "name"), json_string(json, m->name);
  json_key(json, "source"), json_string(json, m->source);
  if (m->n_shape) {
    json_key(json, "shape"), json_open(json, '[');
    for (uint32_t i = 0; i < m->n_shape; i++) json_uint(json, m->shape[i]);
    json_close(json, ']');
  }
  if (m->shared_cores) json_key(json, "shared_cores"), json_uint(json, m->shared_cores);
  json_key(json, "device"), json_open(json, '{');
  json_key(json, "flops_per_second"), json_double(json, m->compute.flops_per_second);
  json_key(json, "bytes_per_second"), json_double(json, m->compute.bytes_per_second);
  json_key(json, "memory_bytes"), json_double(json, m->memory_bytes);
  json_key(json, "usable_memory"), json_double(json, m->usable_memory);
  json_key(json, "peak_flops_per_second"), json_open(json, '{');
  for (uint32_t i = 0; i < RATE_COUNT; i++)
    json_key(json, rate_names[i]), json_double(json, m->rates.peak[i]);
  json_close(json, '}');
  json_key(json, "reached"), json_open(json, '{');
  json_key(json, "contractions"), json_double(json, m->rates.contractions);
  json_key(json, "memory"), json_double(json, m->rates.memory);
  json_key(json, "links"), json_double(json, m->rates.links);
  if (m->rates.attention > 0) json_key(json, "attention"), json_double(json, m->rates.attention);
  json_close(json, '}');
  json_key(json, "op_seconds"), json_double(json, m->rates.op_seconds);
  if (m->rates.matrix_unit > 0)
    json_key(json, "matrix_unit"), json_double(json, m->rates.matrix_unit);
  if (m->fused_attention) json_key(json, "fused_attention"), json_bool(json, true);
  json_close(json, '}');
  json_key(json, "links"), json_open(json, '[');
  for (uint32_t i = 0; i < m->n_links; i++) link_json(&m->links[i], json);
  json_close(json, ']');
  json_close(json, '}');
  json_newline(json);
}

// "8 by switch 450 GB/s, then 50 GB/s": the links from the inside out.
static void put_links(const Machine *m, StrBuf *out) {
  for (uint32_t i = 0; i < m->n_links; i++) {
    const MachineLink *l = &m->links[i];
    if (i) strbuf_puts(out, ", then ");
    if (l->devices) strbuf_printf(out, "%u by ", l->devices);
    if (l->topology == TOPOLOGY_TORUS)
      strbuf_printf(out, "%u-D torus of ", l->dimensions);
    else if (l->topology == TOPOLOGY_RING)
      strbuf_puts(out, "ring of ");
    strbuf_printf(out, "%.4g GB/s", l->link.bytes_per_second / 1e9);
    if (l->topology == TOPOLOGY_TORUS) strbuf_puts(out, " per dimension");
  }
}

static void put_row(const Machine *m, StrBuf *out) {
  strbuf_printf(out, "%-13s %9.4g %9.4g %8.3g GB %9.4g  ", m->name, m->rates.peak[RATE_bf16] / 1e12,
                m->rates.peak[RATE_f32] / 1e12, m->memory_bytes / 1e9,
                m->compute.bytes_per_second / 1e9);
  put_links(m, out);
  strbuf_puts(out, "\n");
}

static void put_details(const Machine *m, StrBuf *out) {
  strbuf_printf(out, "%s", m->name);
  for (uint32_t i = 0; i < m->n_shape; i++) strbuf_printf(out, "%c%u", i ? 'x' : ':', m->shape[i]);
  if (m->n_shape) strbuf_printf(out, ", %u devices", machine_devices(m));
  if (m->shared_cores) strbuf_printf(out, ", all devices on %u cores", m->shared_cores);
  strbuf_printf(out, "\n%s\n", m->source);
  strbuf_printf(out, "memory        %.4g GB at %.4g GB/s; programs can use %.0f %%\n",
                m->memory_bytes / 1e9, m->compute.bytes_per_second / 1e9, 100 * m->usable_memory);
  strbuf_puts(out, "peak TFLOP/s ");
  for (uint32_t i = 0; i < RATE_COUNT; i++)
    strbuf_printf(out, " %s %.4g%s", rate_names[i], m->rates.peak[i] / 1e12,
                  i + 1 < RATE_COUNT ? "," : "\n");
  strbuf_printf(out,
                "reached       %.0f %% of it in contractions, %.0f %% of memory bandwidth, %.0f %% "
                "of links\n",
                100 * m->rates.contractions, 100 * m->rates.memory, 100 * m->rates.links);
  strbuf_printf(out, "choices       are priced at %.4g TFLOP/s\n",
                m->compute.flops_per_second / 1e12);
  strbuf_puts(out, "links         ");
  put_links(m, out);
  strbuf_puts(out, "\n");
}

static Status *put_machine(MachinesJob *job, const char *word, bool details) {
  Machine machine;
  mem_free(job->text);
  TRY(machine_find(word, &job->text));
  if (!job->text)
    FAIL(INVALID_ARGUMENT, "no machine is called '%s'; there are %s", word, machine_names());
  TRY(machine_read(str_of(job->text), &job->arena, &machine));
  Json json = {.out = &job->out};
  if (job->json)
    put_json(&machine, &json);
  else if (details)
    put_details(&machine, &job->out);
  else
    put_row(&machine, &job->out);
  return NULL;
}

static void release(void *arg) {
  MachinesJob *job = arg;
  strbuf_deinit(&job->out);
  arena_deinit(&job->arena);
  mem_free(job->text);
}

static Status *show(Guard *guard, void *arg) {
  MachinesJob *job = arg;
  arena_init(&job->arena, guard);
  strbuf_init(&job->out, guard);
  GuardCleanup cleanup = {.release = release, .object = job};
  guard_push(guard, &cleanup);
  Status *status = NULL;
  uint32_t n = job->words.count;
  if (!n && !job->json)
    strbuf_printf(&job->out, "%-13s %9s %9s %11s %9s  %s\n", "machine", "bf16 TF/s", "f32 TF/s",
                  "memory", "GB/s", "links, per device and direction");
  for (uint32_t i = 0; i < (n ? n : machine_count()) && !status; i++)
    status = put_machine(job, n ? job->words.items[i] : machine_name(i), n > 0);
  if (!status && job->out.used && !cli_put(job->out.data, job->out.used)) job->code = EXIT_BAD;
  guard_pop(guard, &cleanup);
  release(job);
  return status;
}

int command_machines(int argc, char **argv) {
  MachinesJob job = {0};
  static const Usage usage = {
      "machines", "[NAME[:SHAPE]…]",
      "Lists the machines that --machine knows by name, or shows some of them in detail: rates by "
      "type, memory, links, and where the numbers come from. A shape gives the devices of each "
      "level, the innermost first. --json prints a description that --machine reads back.",
      "  tessera machines\n"
      "  tessera machines h100:8x4                    4 nodes of 8\n"
      "  tessera machines tpu_v5p --json > mine.json  a description to edit (docs/machine.md)"};
  const Option options[] = {{"--json", OPTION_FLAG, &job.json, NULL, "one object per machine"}};
  job.words.items = mem_alloc((size_t)(argc + 1) * sizeof *job.words.items);
  if (!job.words.items) return cli_fail(status_no_memory());
  ParseArgs args = cli_options(&usage, options, 1, argc, argv, &job.words);
  int code = args == ARGS_HELP ? EXIT_OK : EXIT_BAD;
  if (args == ARGS_OK) {
    Status *status = guard_run(show, &job);
    code = status ? cli_fail(status) : job.code;
  }
  mem_free(job.words.items);
  return code;
}
