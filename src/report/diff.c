// A result has its numbers at the top (simulate) or in `predicted` (partition); both have
// `collectives` at the top. Rows of collectives are matched by kind and axes.
#include "report/diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "report/show_simulated.h"

typedef struct Metric {
  const char *key, *label;
  DiffUnit unit;
} Metric;

static const Metric metrics[] = {
    {"seconds", "step", DIFF_SECONDS},
    {"compute_seconds", "  compute", DIFF_SECONDS},
    {"exposed_seconds", "  waiting", DIFF_SECONDS},
    {"collective_seconds", "collectives", DIFF_SECONDS},
    {"utilization", "utilization", DIFF_FRACTION},
    {"model_utilization", "model utilization", DIFF_FRACTION},
    {"peak_bytes", "peak memory", DIFF_BYTES},
    {"argument_bytes", "arguments", DIFF_BYTES},
    {"bytes", "bytes sent", DIFF_BYTES},
    {"flops", "FLOPs", DIFF_COUNT},
};

enum { N_METRICS = sizeof metrics / sizeof metrics[0] };

static double number_of(const JsonValue *result, const char *key) {
  // The numbers of a prediction first: partition counts some of them otherwise.
  const JsonValue *value = json_get(json_get(result, "predicted"), key);
  if (!value || value->kind != JSON_NUMBER) value = json_get(result, key);
  return value && value->kind == JSON_NUMBER ? value->number : NAN;
}

static const char *text_of(const JsonValue *object, const char *key) {
  const JsonValue *value = json_get(object, key);
  return value && value->kind == JSON_STRING ? value->string : "";
}

typedef VEC(DiffRow) RowVec;

static void add_collectives(const JsonValue *result, bool second, Arena *arena, RowVec *rows) {
  const JsonValue *list = json_get(result, "collectives");
  for (uint32_t i = 0; list && list->kind == JSON_ARRAY && i < list->count; i++) {
    const char *kind = text_of(&list->items[i], "kind"), *axes = text_of(&list->items[i], "axes");
    const JsonValue *bytes = json_get(&list->items[i], "bytes");
    double sent = bytes && bytes->kind == JSON_NUMBER ? bytes->number : 0;
    uint32_t k = 0;
    while (k < rows->count &&
           (strcmp(rows->items[k].name, kind) != 0 || strcmp(rows->items[k].axes, axes) != 0))
      k++;
    if (k == rows->count) {
      DiffRow row = {kind, axes, DIFF_BYTES, NAN, NAN};
      VEC_PUSH(arena, rows, row);
    }
    double *to = second ? &rows->items[k].b : &rows->items[k].a;
    *to = isnan(*to) ? sent : *to + sent;
  }
}

static Status *check(const JsonValue *result, const char *which) {
  const JsonValue *list = json_get(result, "collectives");
  if (!list || list->kind != JSON_ARRAY)
    FAIL(INVALID_ARGUMENT,
         "the %s file is no result of tessera simulate --json or tessera partition --json: it has "
         "no \"collectives\"",
         which);
  return NULL;
}

Status *diff_results(const JsonValue *a, const JsonValue *b, Arena *arena, Diff *out) {
  RowVec rows = {0}, collectives = {0};
  TRY(check(a, "first"));
  TRY(check(b, "second"));
  for (uint32_t i = 0; i < N_METRICS; i++) {
    DiffRow row = {metrics[i].key, NULL, metrics[i].unit, number_of(a, metrics[i].key),
                   number_of(b, metrics[i].key)};
    if (!isnan(row.a) || !isnan(row.b)) VEC_PUSH(arena, &rows, row);
  }
  add_collectives(a, false, arena, &collectives);
  add_collectives(b, true, arena, &collectives);
  *out = (Diff){rows.items, collectives.items, rows.count, collectives.count};
  return NULL;
}

// ---- text ----

enum { BUF = 32 };

static const char *cell(double x, DiffUnit unit, char *buf) {
  if (isnan(x)) return "-";
  if (unit == DIFF_SECONDS) return simulated_seconds(x, buf, BUF);
  if (unit == DIFF_BYTES) return simulated_bytes(x, buf, BUF);
  if (unit == DIFF_FRACTION)
    snprintf(buf, BUF, "%.1f %%", 100 * x);
  else
    snprintf(buf, BUF, "%.4g", x);
  return buf;
}

static const char *change(const DiffRow *row, char *buf) {
  if (isnan(row->a)) return "new";
  if (isnan(row->b)) return "gone";
  if (row->a == row->b) return "same";
  if (row->a == 0) return "from 0";
  snprintf(buf, BUF, "%+.1f %%", 100 * (row->b - row->a) / row->a);
  return buf;
}

static const char *label_of(const char *key) {
  for (uint32_t i = 0; i < N_METRICS; i++)
    if (strcmp(metrics[i].key, key) == 0) return metrics[i].label;
  return key;
}

static void put_row(const DiffRow *row, const char *label, StrBuf *out) {
  char a[BUF], b[BUF], by[BUF];
  strbuf_printf(out, "%-34s %14s %14s  %s\n", label, cell(row->a, row->unit, a),
                cell(row->b, row->unit, b), change(row, by));
}

void diff_put(const Diff *diff, const char *a, const char *b, StrBuf *out) {
  strbuf_printf(out, "%-34s %14s %14s\n", "", a, b);
  for (uint32_t i = 0; i < diff->n_rows; i++)
    put_row(&diff->rows[i], label_of(diff->rows[i].name), out);
  for (uint32_t i = 0; i < diff->n_collectives; i++) {
    const DiffRow *row = &diff->collectives[i];
    char label[96];
    snprintf(label, sizeof label, "  %s%s%s", row->name, row->axes[0] ? " over " : "", row->axes);
    put_row(row, label, out);
  }
}

// ---- JSON ----

static void pair_json(const DiffRow *row, Json *json) {
  json_key(json, "a"), json_double(json, row->a);  // null if absent
  json_key(json, "b"), json_double(json, row->b);
  json_key(json, "change"), json_double(json, row->a != 0 ? (row->b - row->a) / row->a : NAN);
}

void diff_json(const Diff *diff, const char *a, const char *b, Json *json) {
  json_open(json, '{');
  json_key(json, "a"), json_string(json, a);
  json_key(json, "b"), json_string(json, b);
  for (uint32_t i = 0; i < diff->n_rows; i++) {
    json_key(json, diff->rows[i].name), json_open(json, '{');
    pair_json(&diff->rows[i], json);
    json_close(json, '}');
  }
  json_key(json, "collectives"), json_open(json, '[');
  for (uint32_t i = 0; i < diff->n_collectives; i++) {
    json_open(json, '{');
    json_key(json, "kind"), json_string(json, diff->collectives[i].name);
    json_key(json, "axes"), json_string(json, diff->collectives[i].axes);
    pair_json(&diff->collectives[i], json);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_close(json, '}');
  json_newline(json);
}
