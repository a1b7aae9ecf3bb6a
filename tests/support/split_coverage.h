// For tests: which splits were really taken: op x kind of factor x even or not x whole axis or a
// part of one x axes of the mesh. A cell is legal if the op has such a factor (of more than one
// element) and is not done whole by design.
#ifndef TESSERA_TESTS_SUPPORT_SPLIT_COVERAGE_H
#define TESSERA_TESTS_SUPPORT_SPLIT_COVERAGE_H

#include <stdio.h>
#include <string.h>

#include "ops/localize.h"

enum { COVERAGE_KINDS = 6, COVERAGE_CELLS = 12 };

typedef struct SplitCoverage {
  // [op][kind][rank of the mesh - 1][part of an axis][uneven]
  uint32_t taken[OP_COUNT][COVERAGE_KINDS][3][2][2];
  uint32_t seen[OP_COUNT][COVERAGE_KINDS];  // factors that could be split, taken or not
} SplitCoverage;

static const char *const coverage_kinds[COVERAGE_KINDS] = {"pass",    "reduce",    "combine",
                                                           "permute", "replicate", "offset"};

// Kinds of a factor, as bits. "combine" reduces by more than a plain op.
static inline uint32_t coverage_kinds_of(const Factor *factor) {
  if (factor->kinds == FACTOR_PASS) return 1;
  uint32_t kinds = 0;
  bool plain = combine_is_named((Combine)factor->combine);
  if (factor->kinds & FACTOR_REDUCE) kinds |= plain ? 2 : 4;
  if (factor->kinds & FACTOR_PERMUTE) kinds |= 8;
  if (factor->kinds & FACTOR_REPLICATE) kinds |= 16;
  if (factor->kinds & FACTOR_OFFSET) kinds |= 32;
  return kinds;
}

static inline void coverage_count(void *user, const Localizer *cx) {
  SplitCoverage *coverage = user;
  const Mesh *mesh = sharding_mesh(cx->builder->table, cx->builder->mesh);
  uint16_t code = op_at(cx->program, cx->op)->code;
  uint32_t rank = 0;
  for (uint32_t i = 0; i < mesh->n_axes; i++) rank += mesh->axes[i].size > 1;
  if (rank < 1 || rank > 3) return;
  for (uint32_t f = 0; f < cx->map->n_factors; f++) {
    const Factor *factor = &cx->map->factors[f];
    if (factor->size <= 1) continue;
    AxisList axes = cx->splits[f].axes;
    bool part = false;
    for (uint32_t i = 0; i < axes.n; i++) part |= axes.v[i].size != mesh->axes[axes.v[i].axis].size;
    bool uneven = factor->size % axes_size(axes) != 0;
    for (uint32_t k = 0; k < COVERAGE_KINDS; k++) {
      if (!(coverage_kinds_of(factor) >> k & 1)) continue;
      coverage->seen[code][k]++;
      if (axes_size(axes) > 1) coverage->taken[code][k][rank - 1][part][uneven]++;
    }
  }
}

// Kinds that an op without `splits` gets whole; uneven tiles that an op which fails must not see;
// ops that speak of the whole's sizes in a value or a body.
static inline bool coverage_is_legal(uint16_t code, uint32_t kind, bool uneven) {
  const OpDef *def = op_row(code)->def;
  if (code == OP_chlo_constant || code == OP_chlo_scan) return false;
  return (kind < 2 || (def && def->splits)) && !(uneven && def && def->fails);
}

// Prints the table; gives how many legal cells are empty. Rows of which no split was ever taken
// are listed below.
static inline uint32_t coverage_print(const SplitCoverage *c, FILE *out) {
  uint32_t cells = 0, empty = 0, n_whole = 0;
  fprintf(out, "%-34s %-9s %8s |  mesh of 1 axis: even uneven, sub-axis | of 2 | of 3\n", "splits",
          "factor", "seen");
  for (uint16_t code = 0; code < OP_COUNT; code++)
    for (uint32_t k = 0; k < COVERAGE_KINDS; k++) {
      const uint32_t *taken = &c->taken[code][k][0][0][0];
      uint32_t sum = 0;
      for (uint32_t i = 0; i < COVERAGE_CELLS; i++) sum += taken[i];
      n_whole += c->seen[code][k] && !sum;
      if (!sum) continue;
      fprintf(out, "%-34s %-9s %8u", op_row(code)->name, coverage_kinds[k], c->seen[code][k]);
      for (uint32_t i = 0; i < COVERAGE_CELLS; i++) {
        bool legal = coverage_is_legal(code, k, i & 1);
        cells += legal;
        empty += legal && !taken[i];
        fprintf(out, "%s%6u%s", i % 4 ? "" : " |", taken[i], !taken[i] && legal ? "!" : " ");
      }
      fprintf(out, "\n");
    }
  fprintf(out, "whole by design or for want of cases (factor seen, split never taken): %s\n",
          n_whole ? "" : "none");
  for (uint16_t code = 0; code < OP_COUNT; code++)
    for (uint32_t k = 0; k < COVERAGE_KINDS; k++) {
      uint32_t sum = 0;
      for (uint32_t i = 0; i < COVERAGE_CELLS; i++) sum += (&c->taken[code][k][0][0][0])[i];
      bool plain = k < 2 && coverage_is_legal(code, k, false);
      if (c->seen[code][k] && !sum)
        fprintf(out, "  %s %s: %u%s\n", op_row(code)->name, coverage_kinds[k], c->seen[code][k],
                plain ? "!" : "");
      if (c->seen[code][k] && !sum && plain) empty += COVERAGE_CELLS, cells += COVERAGE_CELLS;
    }
  fprintf(out, "coverage: %u of %u legal cells have cases, %u are empty\n", cells - empty, cells,
          empty);
  return empty;
}

#endif
