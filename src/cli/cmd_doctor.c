// `tessera doctor`: this host, its providers, its measured speed; writes a machine description.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/file.h"
#include "base/host.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/provider.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "pipeline/measure.h"
#include "report/show_machine.h"

enum { MOST_DEVICES = 1024, LEAST_DEVICES = 2 };

typedef struct DoctorJob {
  bool json, quick, unmeasured, cpu_time;
  const char *machine_out;
  uint64_t devices;
  Host host;
  char cache[4096];  // "": none
  Measured measured[MEASURE_COUNT];
  Machine machine;
  StrBuf out, description;
  Arena arena;
  CliProgress progress;
  int code;
} DoctorJob;

// ---- text ----

static void put_bytes(const char *label, uint64_t bytes, const char *behind, StrBuf *out) {
  if (bytes) strbuf_printf(out, "%s%.1f GB%s", label, (double)bytes / 1e9, behind);
}

static void put_host(const DoctorJob *job, StrBuf *out) {
  const Host *host = &job->host;
  strbuf_printf(out, "processor      %s, %u core%s\n", host->cpu, host->cores,
                host->cores == 1 ? "" : "s");
  strbuf_printf(out, "features       %s\n", host->features[0] ? host->features : "unknown");
  put_bytes("memory         ", host->memory_bytes, "", out);
  put_bytes(", ", host->available_bytes, " available", out);
  strbuf_printf(out, "%skernel cache   %s\n", host->memory_bytes ? "\n" : "",
                job->cache[0] ? job->cache : "none: kernels are compiled in each process");
  strbuf_puts(out, "providers\n");
  for (uint32_t i = 0; i < provider_count(); i++) {
    const ProviderRow *row = provider_row(i);
    const char *text = provider_text(row);
    if (text)
      strbuf_printf(out, "  %-12s %s: %s\n", row->name, text, row->does);
    else
      strbuf_printf(out, "  %-12s missing (%s): %s\n               apt-get install %s, then make\n",
                    row->name, row->does, row->without, row->package);
  }
}

static void put_measured(const DoctorJob *job, StrBuf *out) {
  uint32_t devices = 1;
  strbuf_printf(out, "measured       one program on %u core%s\n", job->host.cores,
                job->host.cores == 1 ? "" : "s");
  for (uint32_t i = 0; i < MEASURE_COUNT; i++) {
    const Measured *m = &job->measured[i];
    if (m->devices != devices)
      strbuf_printf(out, "collectives    between %u virtual devices\n", devices = m->devices);
    double value = measured_value(m);
    strbuf_printf(out, "  %-30s", m->label);
    if (m->unit == MEASURED_FLOPS) strbuf_printf(out, "%9.1f GFLOP/s\n", value / 1e9);
    if (m->unit == MEASURED_SECONDS) strbuf_printf(out, "%9.2f us\n", value * 1e6);
    if (m->unit == MEASURED_BYTES && devices == 1) strbuf_printf(out, "%9.1f GB/s\n", value / 1e9);
    if (m->unit == MEASURED_BYTES && devices > 1)
      strbuf_printf(out, "%9.2f ms, %.2f GB/s sent per device\n", m->seconds * 1e3, value / 1e9);
  }
}

// ---- JSON ----

static void host_json(const DoctorJob *job, Json *json) {
  json_key(json, "cpu"), json_string(json, job->host.cpu);
  json_key(json, "features"), json_string(json, job->host.features);
  json_key(json, "cores"), json_uint(json, job->host.cores);
  json_key(json, "memory_bytes"), json_uint(json, job->host.memory_bytes);
  json_key(json, "available_bytes"), json_uint(json, job->host.available_bytes);
  json_key(json, "kernel_cache");
  if (job->cache[0])
    json_string(json, job->cache);
  else
    json_null(json);
  json_key(json, "providers"), json_open(json, '[');
  for (uint32_t i = 0; i < provider_count(); i++) {
    const ProviderRow *row = provider_row(i);
    const char *text = provider_text(row);
    json_open(json, '{');
    json_key(json, "name"), json_string(json, row->name);
    json_key(json, "found"), json_bool(json, text != NULL);
    if (text) json_key(json, "version"), json_string(json, text);
    json_key(json, "package"), json_string(json, row->package);
    json_key(json, "does"), json_string(json, row->does);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void measured_json(const DoctorJob *job, Json *json) {
  static const char *const units[] = {"flops_per_second", "bytes_per_second", "seconds_each"};
  json_key(json, "measured"), json_open(json, '[');
  for (uint32_t i = 0; i < MEASURE_COUNT; i++) {
    const Measured *m = &job->measured[i];
    json_open(json, '{');
    json_key(json, "name"), json_string(json, m->name);
    json_key(json, "devices"), json_uint(json, m->devices);
    json_key(json, "seconds"), json_double(json, m->seconds);
    json_key(json, units[m->unit]), json_double(json, measured_value(m));
    json_close(json, '}');
  }
  json_close(json, ']');
  json_key(json, "machine");
  machine_json(&job->machine, json);
}

// ---- the verb ----

static Status *write_machine(DoctorJob *job) {
  Json json = {.out = &job->description};
  if (!job->machine_out) return NULL;
  machine_json(&job->machine, &json);
  json_newline(&json);
  return file_write(job->machine_out, job->description.data, job->description.used);
}

static Status *measure(DoctorJob *job) {
  if (job->unmeasured) return NULL;
  MeasureOptions options = {.devices = (uint32_t)job->devices,
                            .seconds = job->quick ? 0.05 : 0.4,
                            .cpu_time = job->cpu_time};
  Status *status =
      measure_host(&options, job->progress.on ? &job->progress.hook : NULL, job->measured);
  cli_progress_clear(&job->progress);
  TRY(status);
  measured_machine(job->measured, &job->host, &job->arena, &job->machine);
  return write_machine(job);
}

// Prints the text so far. False if it cannot be written, after a message.
static bool show(DoctorJob *job) {
  bool good = !job->out.used || cli_put(job->out.data, job->out.used);
  job->out.used = 0;
  if (!good) job->code = EXIT_BAD;
  return good;
}

static Status *examine(Guard *guard, void *arg) {
  DoctorJob *job = arg;
  arena_init(&job->arena, guard);
  strbuf_init(&job->out, guard);
  strbuf_init(&job->description, guard);
  size_t parent;
  if (!cache_directory(job->cache, sizeof job->cache, &parent)) job->cache[0] = '\0';
  host_read(&job->host);
  // People see what is known while the rest is measured.
  if (!job->json) put_host(job, &job->out);
  if (!show(job)) return NULL;
  TRY(measure(job));
  Json json = {.out = &job->out};
  if (job->json) {
    json_open(&json, '{');
    host_json(job, &json);
    if (!job->unmeasured) measured_json(job, &json);
    json_close(&json, '}');
    json_newline(&json);
  } else if (!job->unmeasured) {
    put_measured(job, &job->out);
  }
  (void)show(job);
  return NULL;
}

static bool is_valid(const DoctorJob *job, const TextList *words) {
  if (words->count) {
    cli_error("doctor takes no file, '%s' is given", words->items[0]);
  } else if (job->devices < LEAST_DEVICES || job->devices > MOST_DEVICES) {
    cli_error("--devices is at least %d and at most %d", LEAST_DEVICES, MOST_DEVICES);
  } else if (job->unmeasured && job->machine_out) {
    cli_error("--machine-out writes what is measured: leave --no-measure away");
  } else {
    return true;
  }
  return false;
}

int command_doctor(int argc, char **argv) {
  DoctorJob job = {.devices = 8};
  static const Usage usage = {
      "doctor", "",
      "Lists processor, memory and providers (optional libraries), with the package of each that "
      "is missing. Then it measures this host through the compiled engine: FLOP/s by type, memory "
      "bandwidth, the time of an instruction, collectives between virtual devices. The fastest of "
      "several runs counts. --machine-out writes a machine description whose devices share the "
      "cores of this host; plan, partition and simulate read it with --machine.",
      "  tessera doctor\n"
      "  tessera doctor --no-measure                    only what is installed\n"
      "  tessera doctor --quick --machine-out host.json\n"
      "  tessera simulate model.mlir --mesh data=8 --machine host.json"};
  const Option options[] = {
      {"--quick", OPTION_FLAG, &job.quick, NULL, "measure for 1 second instead of 6"},
      {"--cpu-time", OPTION_FLAG, &job.cpu_time, NULL,
       "measure processor time divided by cores instead of wall time: for a host that runs other "
       "work, too"},
      {"--no-measure", OPTION_FLAG, &job.unmeasured, NULL, "list only"},
      {"--devices", OPTION_NUMBER, &job.devices, "N",
       "virtual devices of the collectives (default 8)"},
      {"--machine-out", OPTION_TEXT, &job.machine_out, "FILE",
       "write a machine description (docs/machine.md)"},
      {"--json", OPTION_FLAG, &job.json, NULL, "print one object, with the machine description"},
  };
  TextList words = {mem_alloc((size_t)(argc + 1) * sizeof *words.items), 0};
  if (!words.items) return cli_fail(status_no_memory());
  ParseArgs args =
      cli_options(&usage, options, sizeof options / sizeof options[0], argc, argv, &words);
  int code = args == ARGS_HELP ? EXIT_OK : EXIT_BAD;
  if (args == ARGS_OK && is_valid(&job, &words)) {
    cli_progress_init(&job.progress, "doctor");
    job.progress.patience = 0;  // the whole verb is short
    Status *status = guard_run(examine, &job);
    cli_progress_clear(&job.progress);
    code = status ? cli_fail(status) : job.code;
    strbuf_deinit(&job.out);
    strbuf_deinit(&job.description);
    arena_deinit(&job.arena);
  }
  mem_free(words.items);
  return code;
}
