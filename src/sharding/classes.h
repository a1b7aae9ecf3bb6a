// Classes of dimensions: which dimensions of a program are the same thing, found through the
// factors of its ops. A named dimension of Mesh-TensorFlow corresponds to one class.
//
//   x [b,l,m] @ w [m,f] -> [b,l,f]           four classes: b, l, m, f
//   reshape [b,l,m] -> [bl,m]                the class bl has the parts b and l
//   q [b,l,d] x k [b,l,d] -> scores [b,l,l]  l occurs twice in scores: the second one is a class of
//                                            its own, a variant of l (printed as l')
//
// Rules
// - Dimensions of one factor are one class if their size is the factor's. A sorted or windowed
//   dimension keeps its class; a sliced, padded or concatenated one gets a new class.
// - No value has a class twice. A union that would violate this is refused; the two classes are
//   then a family.
// - At the end classes of a family that never meet in a value are merged, so that a family has as
//   few classes as possible. Places that are declared alike get equal classes, if possible.
#ifndef TESSERA_SHARDING_CLASSES_H
#define TESSERA_SHARDING_CLASSES_H

#include "base/vec.h"
#include "sharding/factor.h"

typedef uint32_t ClassId;  // 0 = none; ordered by their first dimension

typedef struct ClassNode {
  uint32_t map;      // in ClassInput.maps
  uint32_t tensors;  // index in ClassInput.tensors: one place per tensor of the map; 0 allowed
  bool flow;         // data flow: sizes of the map's factors are ignored
} ClassNode;

// Places are 1 … n_places. Of two classes the one with the earlier place keeps its name, so
// arguments come first.
typedef struct ClassInput {
  uint32_t n_places;
  const uint32_t *place_dims;  // n_places + 2: place p has dims [place_dims[p], place_dims[p + 1])
  const int64_t *sizes;        // per dim
  const uint32_t *labels;      // per dim: dims with equal labels (not 0) are one class, dims with
                           // different labels never; NULL = none. Dims of a label have one size,
                           // and a place has a label at most once
  const uint32_t *alike;  // per place: places with equal numbers (not 0) get equal classes if
                          // no rule forbids it (parameters of layers); NULL = none
  uint32_t n_nodes, n_maps;
  const ClassNode *nodes;  // in execution order
  const uint32_t *tensors;
  const FactorMap *const *maps;
} ClassInput;

// A refused union of two classes that both have labels.
typedef struct ClassClash {
  uint32_t dim_a, dim_b;  // one of each class, tied by the node
  uint32_t node;
  uint32_t label_a, label_b;
} ClassClash;

typedef struct ClassInfo {
  int64_t size;
  uint32_t label;
  uint32_t first;    // its first dim; UINT32_MAX: it is only a part of other classes
  uint32_t n_dims;   // dims of this class
  ClassId family;    // the first class of its family; often itself
  uint32_t variant;  // its number in the family, in order of age; 0 for the first
  uint32_t parts;    // index in Classes.parts: its factors as a product, major to minor
  uint32_t n_parts;  // 0, or at least two, none of which has parts itself
} ClassInfo;

typedef struct Classes {
  uint32_t n_classes;
  ClassInfo *classes;  // 1 … n_classes
  ClassId *class_of;   // per dim
  ClassId *parts;
  VEC(ClassClash) clashes;  // one per pair of labels
} Classes;

// Deterministic; all results are in the arena. Nearly O(dims + occurrences of factors). Values of
// more than 64 dimensions are skipped: each of their dimensions is a class of its own.
void classes_build(const ClassInput *in, Arena *arena, Classes *out);

#endif
