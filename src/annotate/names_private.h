// What the files of names.h share.
#ifndef TESSERA_ANNOTATE_NAMES_PRIVATE_H
#define TESSERA_ANNOTATE_NAMES_PRIVATE_H

#include "annotate/names.h"

// A list of names as somebody wrote it.
typedef struct NameRule {
  Diag *diag;
  Pos pos;       // of the rule, or of the function whose attribute it is
  Str from;      // in words
  Str text;      // "batch, length"
  Pos text_pos;  // POS_NONE: all of it is at pos
  uint8_t origin;
} NameRule;

typedef struct GivenName {
  const NameRule *rule;
  Pos pos;
} GivenName;

// `batch*length`: follows from the parts, and is only compared.
typedef struct Product {
  uint32_t dim;
  Str text;
  GivenName given;
} Product;

typedef struct Namer {
  const Graph *g;
  const Program *p;
  Context *context;
  Arena *arena;
  Diag *diag;
  Names *out;
  uint32_t n_dims;
  int64_t *sizes;
  uint32_t *labels;  // per dim: a Name
  GivenName *given;  // per dim
  VEC(Product) products;
  bool good;
} Namer;

// `argument 3 'params.w'`, and `dimension 1 of` it.
const char *namer_place_text(const Namer *n, PlaceId place);
const char *namer_dim_text(const Namer *n, uint32_t dim);
// An error in the diag of the rule; the names are no good then.
bool namer_fail(Namer *n, const NameRule *rule, Pos pos, const char *fmt, ...) PRINTF_LIKE(4, 5);

// ---- names_read.c: labels of dims ----

void namer_read_side(Namer *n, Diag *diag);
void namer_read_attributes(Namer *n);  // where the side file says nothing
// One name has one size, and stands once in a value; labels that do not fit go, with an error.
void namer_check_labels(Namer *n);

#endif
