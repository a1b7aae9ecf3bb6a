// Problem: show what each device and worker did when, without slowing down what is shown.
// Idea: a row of events per device, written by the worker that has its turn, and a row per worker
// for tiles of others. Turns and offers of tiles change hands under the workers' lock, so rows need
// no lock of their own. Names are looked up when the trace is written.
// Invariant: a device has at most one open instruction. If it is still open when the device's next
// turn begins, the device waited at a collective. Cost: four readings of clocks and at most 48
// bytes per instruction, up to MOST_EVENTS per row; what is beyond is counted.
#include "execute/trace.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ops/op.h"

enum { MOST_EVENTS = 1 << 20, FIRST_EVENTS = 256 };

typedef struct Event {
  const Instr *instr;
  double start, end;
  double cpu;       // processor time of the worker's thread; 0: unknown
  uint32_t worker;  // of a device's row: that ran it; of a worker's row: whose tiles these are
  bool waits;
} Event;

typedef struct Row {
  Event *items;
  uint32_t count, capacity;
  uint64_t lost;
  // Of a device: its instruction at hand. Of a worker: the one whose tiles it offers.
  const Instr *open;
  double since, cpu_since;
} Row;

struct Trace {
  uint32_t n_devices, n_workers;
  double begin;
  Row *devices, *workers;
};

Trace *trace_new(uint32_t n_devices, uint32_t n_workers) {
  Trace *t = mem_alloc(sizeof *t);
  if (!t) return NULL;
  *t = (Trace){.n_devices = n_devices,
               .n_workers = n_workers,
               .begin = clock_seconds(),
               .devices = mem_alloc(n_devices * sizeof(Row)),
               .workers = mem_alloc(n_workers * sizeof(Row))};
  for (uint32_t i = 0; t->devices && i < n_devices; i++) t->devices[i] = (Row){0};
  for (uint32_t i = 0; t->workers && i < n_workers; i++) t->workers[i] = (Row){0};
  if (t->devices && t->workers) return t;
  trace_free(t);
  return NULL;
}

void trace_free(Trace *t) {
  if (!t) return;
  for (uint32_t i = 0; t->devices && i < t->n_devices; i++) mem_free(t->devices[i].items);
  for (uint32_t i = 0; t->workers && i < t->n_workers; i++) mem_free(t->workers[i].items);
  mem_free(t->devices);
  mem_free(t->workers);
  mem_free(t);
}

static void add(Row *row, Event event) {
  if (row->count == row->capacity) {
    uint32_t capacity = row->capacity ? 2 * row->capacity : FIRST_EVENTS;
    Event *more = capacity > MOST_EVENTS ? NULL : mem_realloc(row->items, capacity * sizeof *more);
    if (!more) {
      row->lost++;
      return;
    }
    row->items = more;
    row->capacity = capacity;
  }
  row->items[row->count++] = event;
}

static void close_open(Trace *t, uint32_t device, uint32_t worker, bool waits) {
  Row *row = &t->devices[device];
  const Instr *instr = row->open;
  row->open = NULL;
  if (!instr || instr->kind == INSTR_LOOP || instr->kind == INSTR_BRANCH) return;
  double cpu = waits ? 0 : clock_thread_seconds() - row->cpu_since;
  add(row, (Event){instr, row->since, clock_seconds(), cpu, worker, waits});
}

void trace_turn(Trace *t, uint32_t device, Worker *worker) {
  close_open(t, device, worker_index(worker), true);
}

void trace_begin(Trace *t, uint32_t device, Worker *worker, const Instr *instr) {
  t->devices[device].open = t->workers[worker_index(worker)].open = instr;
  worker_watch(worker, trace_helped, t);
  t->devices[device].since = clock_seconds();
  t->devices[device].cpu_since = clock_thread_seconds();
}

void trace_leave(Worker *worker) { worker_watch(worker, NULL, NULL); }

void trace_end(Trace *t, uint32_t device, Worker *worker) {
  close_open(t, device, worker_index(worker), false);
}

void trace_helped(void *trace, uint32_t worker, uint32_t owner, double start, double end) {
  Trace *t = trace;
  const Instr *instr = t->workers[owner].open;
  if (instr) add(&t->workers[worker], (Event){instr, start, end, 0, owner, false});
}

// ---- as JSON ----

enum { PROCESS_DEVICES = 1, PROCESS_WORKERS = 2 };

static const char *kind_text(const Event *event) {
  if (event->waits) return "wait";
  switch (event->instr->kind) {
  case INSTR_COPY: return "copy";
  case INSTR_EVAL: return "eval";
  case INSTR_COLLECTIVE: return "collective";
  default: return "compute";
  }
}

static void put_string(Json *json, const char *key, const char *text) {
  json_key(json, key);
  json_string(json, text);
}

// Names a process, or a thread of it: "device 3".
static void put_name(Json *json, uint32_t process, const char *what, const char *word,
                     uint32_t number) {
  char text[64];
  snprintf(text, sizeof text, "%s %u", word, number);
  bool thread = what[0] == 't';
  json_break(json, 0);
  json_open(json, '{');
  put_string(json, "ph", "M");
  json_key(json, "pid"), json_uint(json, process);
  json_key(json, "tid"), json_uint(json, number);
  put_string(json, "name", what);
  json_key(json, "args"), json_open(json, '{');
  put_string(json, "name", thread ? text : word);
  json_close(json, '}');
  json_close(json, '}');
}

// The op of a copy to a result is 0.
static void put_op(const Executable *exe, const Instr *instr, Json *json) {
  const Program *p = exe->program;
  char text[512];
  uint32_t line, column;
  if (!instr->op) return;
  put_string(json, "op", op_name(p, instr->op));
  Name name =
      instr->n_out && instr->out[0] < p->values.count ? value_at(p, instr->out[0])->name : 0;
  if (name) {
    snprintf(text, sizeof text, "%%%s", name_text(p->context, name));
    put_string(json, "value", text);
  }
  if (!p->source || op_at(p, instr->op)->pos == POS_NONE) return;
  source_locate(p->source, op_at(p, instr->op)->pos, &line, &column);
  snprintf(text, sizeof text, "%s:%u", p->source->path, line);
  put_string(json, "at", text);
}

// with, number: the other side, as "worker" 1 of a device's event.
static void put_event(const Trace *t, const Executable *exe, const Event *event, uint32_t process,
                      uint32_t row, const char *with, uint32_t number, Json *json) {
  const char *name = exe->rows.items[event->instr->row].name;
  char text[256];
  snprintf(text, sizeof text, "%s%s", event->waits ? "wait: " : "", name);
  json_break(json, 0);
  json_open(json, '{');
  put_string(json, "ph", "X");
  json_key(json, "pid"), json_uint(json, process);
  json_key(json, "tid"), json_uint(json, row);
  put_string(json, "name", text);
  put_string(json, "cat", kind_text(event));
  json_key(json, "ts"), json_double(json, (event->start - t->begin) * 1e6);
  json_key(json, "dur"), json_double(json, (event->end - event->start) * 1e6);
  if (event->cpu > 0) json_key(json, "tdur"), json_double(json, event->cpu * 1e6);
  json_key(json, "args"), json_open(json, '{');
  put_op(exe, event->instr, json);
  json_key(json, with), json_uint(json, number);
  json_close(json, '}');
  json_close(json, '}');
}

void trace_json(const Trace *t, const Executable *exe, Json *json) {
  uint64_t lost = 0;
  json_open(json, '{');
  put_string(json, "displayTimeUnit", "ns");
  json_key(json, "traceEvents"), json_open(json, '[');
  put_name(json, PROCESS_DEVICES, "process_name", "devices", 0);
  put_name(json, PROCESS_WORKERS, "process_name", "workers", 0);
  for (uint32_t d = 0; d < t->n_devices; d++) {
    const Row *row = &t->devices[d];
    lost += row->lost;
    put_name(json, PROCESS_DEVICES, "thread_name", "device", d);
    for (uint32_t i = 0; i < row->count; i++) {
      const Event *event = &row->items[i];
      put_event(t, exe, event, PROCESS_DEVICES, d, "worker", event->worker, json);
      // The same on the worker's row, unless it is a wait: then the worker is elsewhere.
      if (!event->waits)
        put_event(t, exe, event, PROCESS_WORKERS, event->worker, "device", d, json);
    }
  }
  for (uint32_t w = 0; w < t->n_workers; w++) {
    const Row *row = &t->workers[w];
    lost += row->lost;
    put_name(json, PROCESS_WORKERS, "thread_name", "worker", w);
    for (uint32_t i = 0; i < row->count; i++)
      put_event(t, exe, &row->items[i], PROCESS_WORKERS, w, "helps worker", row->items[i].worker,
                json);
  }
  json_close(json, ']');
  if (lost) json_key(json, "lostEvents"), json_uint(json, lost);
  json_close(json, '}');
  json_newline(json);
}
