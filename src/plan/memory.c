// At each position, every value that is alive needs at least the bytes of its smallest strategy.
// The largest sum over positions bounds the peak of every plan from below.
#include "plan/memory.h"

static int64_t least(const ModelVar *v) {
  int64_t bytes = INT64_MAX;
  for (uint32_t k = 0; k < v->n; k++)
    if (v->costs[k] < PLAN_FORBIDDEN && v->bytes[k] < bytes) bytes = v->bytes[k];
  return bytes == INT64_MAX ? 0 : bytes;
}

static bool is_kept(const ModelVar *v) {
  return v->kind == VAR_ARGUMENT || v->kind == VAR_RESULT || v->new_state;
}

static void add_value(MemoryNeed *need, OpId op, double bytes) {
  uint32_t i = need->n_values < MEMORY_MOST_VALUES ? need->n_values++ : MEMORY_MOST_VALUES;
  if (i == MEMORY_MOST_VALUES) {
    if (bytes <= need->value_bytes[i - 1]) return;
    i--;
  }
  for (; i > 0 && need->value_bytes[i - 1] < bytes; i--) {
    need->values[i] = need->values[i - 1];
    need->value_bytes[i] = need->value_bytes[i - 1];
  }
  need->values[i] = op;
  need->value_bytes[i] = bytes;
}

// Seconds of the cheapest strategy of the op, in all its runs.
static double seconds_of(const Model *m, OpId op) {
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    if (v->kind != VAR_OP || v->op != op) continue;
    int64_t cost = INT64_MAX;
    for (uint32_t k = 0; k < v->n; k++)
      if (v->costs[k] < cost) cost = v->costs[k];
    return cost < PLAN_FORBIDDEN ? model_seconds(cost) : 0;
  }
  return 0;
}

void memory_need(const Model *m, Arena *arena, MemoryNeed *out) {
  *out = (MemoryNeed){0};
  int64_t end = 1;
  for (uint32_t i = 0; i < m->vars.count; i++)
    if (m->vars.items[i].end > end) end = m->vars.items[i].end;
  int64_t *change = ARENA_ARRAY(arena, int64_t, (size_t)end + 1), bytes = 0, most = -1, at = 0;
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    if (v->begin >= v->end) continue;
    change[v->begin] += least(v);
    change[v->end] -= least(v);
  }
  for (int64_t t = 0; t < end; t++) {
    bytes += change[t];
    if (bytes > most) most = bytes, at = t;
  }
  out->least_bytes = (double)most;
  for (uint32_t i = 0; i < m->vars.count; i++) {
    const ModelVar *v = &m->vars.items[i];
    if (v->kind == VAR_OP && v->position == at) out->op = v->op;
    if (v->begin > at || v->end <= at) continue;
    double own = (double)least(v);
    *(is_kept(v) ? &out->argument_bytes : &out->temporary_bytes) += own;
    if (v->kind == VAR_ARGUMENT && m->options.state && m->options.state[v->index] &&
        !model_is_donated(m, v->index))
      out->undonated_bytes += own;
    OpId op = v->kind == VAR_OP ? v->op : v->value ? value_def(m->p, v->value) : 0;
    if (!is_kept(v) && op && own > 0) add_value(out, op, own);
  }
  for (uint32_t i = 0; i < out->n_values; i++)
    out->value_seconds[i] = seconds_of(m, out->values[i]);
}
