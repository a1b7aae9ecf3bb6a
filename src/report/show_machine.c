// A machine description as text and as JSON.
#include "report/show_machine.h"

static const char *const topologies[] = {"switch", "ring", "torus"};

static void speed_json(const Link *link, Json *json) {
  json_key(json, "latency_seconds"), json_double(json, link->latency_seconds);
  json_key(json, "gap_seconds"), json_double(json, link->gap_seconds);
  json_key(json, "bytes_per_second"), json_double(json, link->bytes_per_second);
}

static void link_json(const MachineLink *l, Json *json) {
  json_open(json, '{');
  if (l->devices) json_key(json, "devices"), json_uint(json, l->devices);
  speed_json(&l->link, json);
  json_key(json, "topology"), json_string(json, topologies[l->topology]);
  if (l->topology == TOPOLOGY_TORUS) json_key(json, "dimensions"), json_uint(json, l->dimensions);
  if (l->topology != TOPOLOGY_SWITCH) json_key(json, "wraps_from"), json_uint(json, l->wraps_from);
  json_close(json, '}');
}

void machine_json(const Machine *m, Json *json) {
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
  if (m->n_axes) json_key(json, "axes"), json_open(json, '{');
  for (uint32_t i = 0; i < m->n_axes; i++) {
    json_key(json, m->axes[i].axis), json_open(json, '{');
    speed_json(&m->axes[i].link, json);
    json_close(json, '}');
  }
  if (m->n_axes) json_close(json, '}');
  json_close(json, '}');
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

void machine_put_row(const Machine *m, StrBuf *out) {
  strbuf_printf(out, "%-13s %9.4g %9.4g %8.3g GB %9.4g  ", m->name, m->rates.peak[RATE_bf16] / 1e12,
                m->rates.peak[RATE_f32] / 1e12, m->memory_bytes / 1e9,
                m->compute.bytes_per_second / 1e9);
  put_links(m, out);
  strbuf_puts(out, "\n");
}

void machine_put_details(const Machine *m, StrBuf *out) {
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
