// Traffic, redundant work and reasons as JSON keys; values come from cost/ and explain/ unchanged.
#include "report/show_traffic.h"

#include <string.h>

#include "ops/op.h"

const char *traffic_kind(uint16_t code) {
  const char *name = op_row(code)->name, *dot = strchr(name, '.');
  return dot ? dot + 1 : name;
}

static void row_json(const TrafficRow *r, bool guess, Json *json) {
  json_open(json, '{');
  json_key(json, "kind"), json_string(json, traffic_kind(r->code));
  json_key(json, "count"), json_uint(json, r->count);
  json_key(json, "in_loops"), json_uint(json, r->in_loops);
  json_key(json, r->width ? "groups" : "pairs"), json_uint(json, r->n_groups);
  if (r->width) json_key(json, "group_size"), json_uint(json, r->width);
  if (r->axes[0]) json_key(json, "axes"), json_string(json, r->axes);
  json_key(json, "runs"), json_double(json, r->runs);
  json_key(json, "bytes"), json_double(json, r->bytes);
  json_key(json, "guess"), json_bool(json, guess);
  json_close(json, '}');
}

// The numbers that depend on unknown trip counts, and the trip count assumed for them.
static void guesses_json(const Traffic *t, Json *json) {
  json_key(json, "unknown_loops"), json_uint(json, t->unknown_loops);
  json_key(json, "trip_count"), json_uint(json, t->trip_count);
  json_key(json, "guesses"), json_open(json, '[');
  if (!t->trip_count_given && t->unknown_bytes) json_string(json, "bytes");
  if (!t->trip_count_given && t->unknown_steps) json_string(json, "steps");
  if (!t->trip_count_given && t->unknown_flops)
    json_string(json, "flops"), json_string(json, "flops_whole");
  json_close(json, ']');
}

void traffic_json(const Traffic *traffic, uint32_t n_devices, double global_flops, Json *json) {
  json_key(json, "devices"), json_uint(json, n_devices);
  json_key(json, "collectives"), json_open(json, '[');
  for (uint32_t i = 0; i < traffic->n_rows; i++)
    row_json(&traffic->rows[i], traffic->rows[i].unknown && !traffic->trip_count_given, json);
  json_close(json, ']');
  json_key(json, "bytes"), json_double(json, traffic->bytes);
  json_key(json, "steps"), json_double(json, traffic->steps);
  json_key(json, "flops"), json_double(json, traffic->flops);
  json_key(json, "flops_whole"), json_double(json, global_flops);
  json_key(json, "argument_bytes"), json_double(json, traffic->argument_bytes);
  json_key(json, "result_bytes"), json_double(json, traffic->result_bytes);
  guesses_json(traffic, json);
}

double traffic_share(const Traffic *traffic, uint32_t n_devices, double global_flops) {
  return global_flops > 0 ? traffic->flops * n_devices / global_flops : 1;
}

// The share alone misses redundant ops if the optimizer dropped dead or duplicate ops elsewhere.
bool traffic_is_redundant(const Traffic *traffic, uint32_t n_devices, double global_flops,
                          const RedundantList *list) {
  double excess = 0;
  for (uint32_t i = 0; i < list->n; i++) excess += list->rows[i].flops - list->rows[i].ideal;
  return traffic_share(traffic, n_devices, global_flops) > 1.01 || excess > 0.01 * traffic->flops;
}

void traffic_redundant_json(const Context *context, const Traffic *traffic, uint32_t n_devices,
                            double global_flops, const RedundantList *list, Json *json) {
  RedundantList none = {0};
  bool some = traffic_is_redundant(traffic, n_devices, global_flops, list);
  json_key(json, "redundant"), redundant_json(context, some ? list : &none, json);
}

void traffic_reasons_json(const Program *local, const Reasons *reasons, Json *json) {
  json_key(json, "reasons"), json_open(json, '[');
  for (uint32_t i = 0; i < reasons->n; i++) {
    const Reason *r = &reasons->rows[i];
    json_open(json, '{');
    json_key(json, "id"), json_string(json, r->id);
    json_key(json, "kind"), json_string(json, r->kind);
    json_key(json, "count"), json_uint(json, r->count);
    json_key(json, "with_others"), json_uint(json, r->others);
    json_key(json, "bytes"), json_double(json, r->bytes);
    json_key(json, "why"), json_string(json, r->why);
    json_key(json, "guess"), json_bool(json, r->unknown && !local->trip_count);
    reason_json(local->context, r, json);
    json_close(json, '}');
  }
  json_close(json, ']');
}

bool traffic_marks(const char *collectives) {
  return !collectives || !*collectives || strcmp(collectives, "combined") == 0;
}
