// Problem: users write a rule without sizes; the sizes must follow from the op's shapes.
//
// Idea: recursive descent for the text. Sizes by substitution: a dimension with exactly one unknown
// factor determines it, and this repeats until nothing changes.
//
//   ([ij])->([i, j]) on [12] -> [3, 4]      j = 4 and i = 3 from the result, then 12 = 3 · 4 is
//   checked
//
// Invariant: all dimensions are checked against the product of their factors at the end. Cost:
// O(text · factors) to read, O(factors · occurrences) for the sizes.
#include "sharding/factor_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/cursor.h"
#include "ir/program.h"

// ---- reading ----

typedef struct Scan {
  Cursor c;
  Arena *arena;
  FactorRule *rule;
  char *error;
} Scan;

enum { MOST_FACTORS = 1000 };  // of one rule, since names are searched linearly

static bool expected(Scan *s, const char *what) {
  Str found = cursor_rest(&s->c);
  int rest = (int)(found.n < 20 ? found.n : 20);
  snprintf(s->error, FACTOR_ERROR_BYTES, "expected %s at column %zu, found %s%.*s%s", what,
           s->c.at + 1, rest ? "'" : "the end", rest, found.s, rest ? "'" : "");
  return false;
}

// The same for text that begins at `at`.
static bool expected_at(Scan *s, size_t at, const char *what) {
  s->c.at = at;
  return expected(s, what);
}

static bool accept(Scan *s, const char *text) { return cursor_take_text(&s->c, text); }

static bool expect(Scan *s, const char *text) {
  char what[32];
  if (accept(s, text)) return true;
  snprintf(what, sizeof what, "'%s'", text);
  return expected(s, what);
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The next character is in the class; blanks are not skipped.
static bool is_next(const Scan *s, bool (*is)(char)) {
  return s->c.at < s->c.end && is(s->c.text[s->c.at]);
}

// Reads a factor's name. add: a new name adds a factor; otherwise the name must exist.
static bool factor(Scan *s, bool add, uint32_t *out) {
  Cursor *c = &s->c;
  cursor_skip(c);
  if (!is_next(s, is_letter)) return expected(s, "a factor like 'i' or 'z_1'");
  size_t first = c->at++;
  if (c->end - c->at >= 2 && c->text[c->at] == '_' && is_digit(c->text[c->at + 1])) {
    c->at++;
    while (is_next(s, is_digit)) c->at++;
  }
  RuleFactor new = {.size = 0};
  size_t n = c->at - first;
  if (n >= sizeof new.name) return expected_at(s, first, "a shorter name");
  memcpy(new.name, c->text + first, n);
  for (*out = 0; *out < s->rule->factors.count; ++*out)
    if (!strcmp(s->rule->factors.items[*out].name, new.name)) return true;
  if (!add || s->rule->factors.count >= MOST_FACTORS)
    return expected_at(s, first, add ? "fewer factors" : "a factor that stands in a dimension");
  VEC_PUSH(s->arena, &s->rule->factors, new);
  return true;
}

// Reads a tensor such as [i, jk].
static bool tensor(Scan *s) {
  FactorRule *rule = s->rule;
  uint32_t first = rule->places.count;
  if (!expect(s, "[")) return false;
  if (accept(s, "]")) return true;
  do {
    RuleDim dim = {.first = rule->places.count};
    do {
      uint32_t id;
      if (!factor(s, true, &id)) return false;
      for (uint32_t k = first; k < rule->places.count; k++)
        if (rule->places.items[k] == id) return expected(s, "each factor once in a tensor");
      VEC_PUSH(s->arena, &rule->places, id);
      cursor_skip(&s->c);
    } while (is_next(s, is_letter));
    dim.n = rule->places.count - dim.first;
    VEC_PUSH(s->arena, &rule->dims, dim);
  } while (accept(s, ","));
  return expect(s, "]");
}

static bool tensors(Scan *s, uint32_t *out_n) {
  *out_n = 0;
  if (!expect(s, "(")) return false;
  if (accept(s, ")")) return true;
  do {
    VEC_PUSH(s->arena, &s->rule->tensors, s->rule->dims.count);
    if (!tensor(s)) return false;
    ++*out_n;
  } while (accept(s, ","));
  return expect(s, ")");
}

// Reads sizes such as {i=2, j=4}; they are optional.
static bool sizes(Scan *s) {
  if (!accept(s, "{") || accept(s, "}")) return true;
  do {
    uint32_t id;
    if (!factor(s, false, &id) || !expect(s, "=")) return false;
    cursor_skip(&s->c);
    int64_t size = 0;
    size_t first = s->c.at;
    while (is_next(s, is_digit) && size < INT64_MAX / 10 - 9)
      size = size * 10 + (s->c.text[s->c.at++] - '0');
    if (s->c.at == first || size == 0 || is_next(s, is_digit))
      return expected_at(s, first, "a size, 1 or more");
    s->rule->factors.items[id].size = size;
  } while (accept(s, ","));
  return expect(s, "}");
}

static const struct {
  const char *name;
  uint8_t kind;
} kinds[] = {{"reduction", FACTOR_REDUCE},
             {"need_replication", FACTOR_REPLICATE},
             {"permutation", FACTOR_PERMUTE},
             {"blocked_propagation", FACTOR_BLOCK}};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

// Reads a factor with its reducer: k or k:max.
static bool kind_factor(Scan *s, uint8_t kind) {
  uint32_t id;
  if (!factor(s, false, &id)) return false;
  RuleFactor *f = &s->rule->factors.items[id];
  f->kinds |= kind;
  if (kind != FACTOR_REDUCE) return true;
  Combine combine = COMBINE_SUM;
  if (accept(s, ":")) {
    Str name = cursor_take_while(&s->c, is_letter);
    if (!combine_of(name, &combine))
      return expected_at(s, s->c.at - name.n, "sum, max, min, mul, and, or or xor");
  }
  f->combine = (uint8_t)combine;
  return true;
}

// Reads lists such as reduction={k:max} permutation={i}.
static bool kind_lists(Scan *s) {
  for (uint32_t k = 0; k < N_KINDS; k++) {
    if (!accept(s, kinds[k].name)) continue;
    if (!expect(s, "=") || !expect(s, "{")) return false;
    if (!accept(s, "}")) {
      do {
        if (!kind_factor(s, kinds[k].kind)) return false;
      } while (accept(s, ","));
      if (!expect(s, "}")) return false;
    }
    k = UINT32_MAX;  // restart: the lists come in any order
  }
  return true;
}

bool factor_rule_parse(Str text, Arena *arena, FactorRule *out, char error[FACTOR_ERROR_BYTES]) {
  FactorRule rule = {0};
  Scan s = {{text.s, 0, text.n, " \t\n", false}, arena, &rule, error};
  bool wrapped = accept(&s, "#sdy.op_sharding_rule");
  if ((wrapped && !expect(&s, "<")) || !tensors(&s, &rule.n_operands) || !expect(&s, "->") ||
      !tensors(&s, &rule.n_results) || !sizes(&s) || !kind_lists(&s))
    return false;
  if (accept(&s, ",") && !expect(&s, "custom")) return false;
  if (wrapped && !expect(&s, ">")) return false;
  cursor_skip(&s.c);
  if (s.c.at != s.c.end) return expected(&s, "the end, {i=4, …}, or reduction={…} and kin");
  VEC_PUSH(arena, &rule.tensors, rule.dims.count);
  *out = rule;
  return true;
}

// ---- sizes from shapes ----

enum { SIZE_UNKNOWN = -1 };

typedef struct Fit {
  const FactorRule *rule;
  const int64_t *dims;
  int64_t *sizes;  // per factor
  char *error;
} Fit;

PRINTF_LIKE(2, 3) static bool misfit(Fit *fit, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(fit->error, FACTOR_ERROR_BYTES, fmt, args);
  va_end(args);
  return false;
}

// "dimension 1 of operand 0"
typedef struct Where {
  char text[64];
} Where;

static Where where(const FactorRule *rule, uint32_t d) {
  uint32_t t = 0;
  while (rule->tensors.items[t + 1] <= d) t++;
  bool operand = t < rule->n_operands;
  Where w;
  snprintf(w.text, sizeof w.text, "dimension %u of %s %u", d - rule->tensors.items[t],
           operand ? "operand" : "result", operand ? t : t - rule->n_operands);
  return w;
}

static bool fits_ranks(Fit *fit, const FactorBuilder *b) {
  const FactorRule *rule = fit->rule;
  if (rule->n_operands != b->n_operands || rule->n_results != b->n_results)
    return misfit(fit, "the rule is for %u operands and %u results, the op has %u and %u",
                  rule->n_operands, rule->n_results, b->n_operands, b->n_results);
  for (uint32_t t = 0; t < b->n_operands + b->n_results; t++) {
    uint32_t rank = rule->tensors.items[t + 1] - rule->tensors.items[t];
    bool operand = t < b->n_operands;
    if (rank != b->ranks[t])
      return misfit(fit, "the rule gives %s %u %u dimensions, it has %u",
                    operand ? "operand" : "result", operand ? t : t - b->n_operands, rank,
                    b->ranks[t]);
  }
  return true;
}

// The product of a dimension's known factors, the number of unknown ones, and one of these. False
// if a size is dynamic or the product overflows.
static bool known_product(const Fit *fit, RuleDim dim, int64_t *out, uint32_t *out_unknown,
                          uint32_t *out_one) {
  *out = 1;
  *out_unknown = *out_one = 0;
  for (uint32_t k = 0; k < dim.n; k++) {
    uint32_t id = fit->rule->places.items[dim.first + k];
    int64_t size = fit->sizes[id];
    if (size == SIZE_UNKNOWN) {
      ++*out_unknown;
      *out_one = id;
    } else if (size == DIM_DYNAMIC || __builtin_mul_overflow(*out, size, out)) {
      return false;
    }
  }
  return true;
}

// Iterates until no dimension determines another factor.
static bool find_sizes(Fit *fit) {
  const FactorRule *rule = fit->rule;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t d = 0; d < rule->dims.count; d++) {
      int64_t product, size = fit->dims[d];
      uint32_t unknown, id;
      if (!known_product(fit, rule->dims.items[d], &product, &unknown, &id) || unknown != 1 ||
          product == 0)
        continue;
      if (size != DIM_DYNAMIC && size % product)
        return misfit(fit, "%s has the size %" PRId64 ", which %" PRId64 " does not divide",
                      where(rule, d).text, size, product);
      fit->sizes[id] = size == DIM_DYNAMIC ? DIM_DYNAMIC : size / product;
      more = true;
    }
  }
  for (uint32_t f = 0; f < rule->factors.count; f++)
    if (fit->sizes[f] == SIZE_UNKNOWN)
      return misfit(fit, "the size of factor %s follows from no dimension: give it, {%s=…}",
                    rule->factors.items[f].name, rule->factors.items[f].name);
  return true;
}

// Factors that need more than their slice (windows, for example) may have other sizes in a
// dimension.
static bool check_sizes(Fit *fit) {
  const FactorRule *rule = fit->rule;
  for (uint32_t d = 0; d < rule->dims.count; d++) {
    RuleDim dim = rule->dims.items[d];
    int64_t product, size = fit->dims[d];
    uint32_t unknown, id;
    bool loose = size == DIM_DYNAMIC;
    for (uint32_t k = 0; k < dim.n; k++) {
      uint32_t f = rule->places.items[dim.first + k];
      if (k && fit->sizes[f] == 1) continue;  // factor_put omits it
      loose |= (rule->factors.items[f].kinds & (FACTOR_PERMUTE | FACTOR_REPLICATE)) != 0;
    }
    if (loose || !known_product(fit, dim, &product, &unknown, &id) || product == size) continue;
    return misfit(fit,
                  "%s has the size %" PRId64 ", its factors make %" PRId64
                  " (a factor of several sizes is permutation or need_replication)",
                  where(rule, d).text, size, product);
  }
  return true;
}

bool factor_rule_apply(const FactorRule *rule, FactorBuilder *b, const int64_t *dims,
                       char error[FACTOR_ERROR_BYTES]) {
  uint32_t n = rule->factors.count;
  Fit fit = {rule, dims, ARENA_ARRAY(b->arena, int64_t, n + 1), error};
  for (uint32_t f = 0; f < n; f++) {
    int64_t given = rule->factors.items[f].size;
    fit.sizes[f] = given ? given : SIZE_UNKNOWN;
  }
  if (!fits_ranks(&fit, b) || !find_sizes(&fit) || !check_sizes(&fit)) return false;
  for (uint32_t f = 0; f < n; f++) {
    const RuleFactor *factor = &rule->factors.items[f];
    factor_add(b, fit.sizes[f], factor->kinds);
    if (factor->combine) factor_set_combine(b, f, factor->combine);
  }
  for (uint32_t t = 0; t < rule->n_operands + rule->n_results; t++)
    for (uint32_t d = rule->tensors.items[t]; d < rule->tensors.items[t + 1]; d++)
      for (uint32_t k = 0; k < rule->dims.items[d].n; k++)
        factor_put(b, rule->places.items[rule->dims.items[d].first + k], t,
                   d - rule->tensors.items[t]);
  b->custom = true;
  return true;
}
