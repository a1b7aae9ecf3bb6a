// Declarations shared by the names*.c files.
#ifndef TESSERA_ANNOTATE_NAMES_PRIVATE_H
#define TESSERA_ANNOTATE_NAMES_PRIVATE_H

#include "annotate/names.h"

// A list of names as it was written.
typedef struct NameRule {
  Diag *diag;
  Pos pos;       // of the rule, or of the function that has the attribute
  Str from;      // text for messages: "names.txt:3"
  Str text;      // "batch, length"
  Pos text_pos;  // POS_NONE: errors point to pos
  uint8_t origin;
} NameRule;

typedef struct GivenName {
  const NameRule *rule;
  Pos pos;
} GivenName;

// `batch*length`: products follow from their parts; a written one is only checked.
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

// Text for messages: `argument 3 'params.w'`; `dimension 1 of argument 3 'params.w'`.
const char *namer_place_text(const Namer *n, PlaceId place);
const char *namer_dim_text(const Namer *n, uint32_t dim);
// Reports an error to the rule's diag; names_build fails then.
bool namer_fail(Namer *n, const NameRule *rule, Pos pos, const char *fmt, ...) PRINTF_LIKE(4, 5);

// ---- names_read.c: labels of dims ----

void namer_read_side(Namer *n, Diag *diag);
void namer_read_attributes(Namer *n);  // for dimensions that the file does not name
// Checks that a name has one size and occurs once per value; drops and reports labels that fail.
void namer_check_labels(Namer *n);

#endif
