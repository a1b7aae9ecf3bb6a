// Classes of dimensions: which dimensions of a whole program are the same thing, found through the
// factors of its ops. What Mesh-TensorFlow has a name for is one class.
//
//   x [b,l,m] @ w [m,f] -> [b,l,f]           four classes: b, l, m, f
//   reshape [b,l,m] -> [bl,m]                the class bl has the parts b and l
//   q [b,l,d] x k [b,l,d] -> scores [b,l,l]  l stands twice in scores: the second is a class of its
//                                            own, a variant of l (shown as l')
//
// Rules. Dimensions of one factor are one class if their size is the factor's (a sorted or windowed
// dimension keeps its class; a sliced, padded or concatenated one gets a new one). No value has a
// class twice: a union that would do that is refused, and the two classes are a family. Last, the
// classes of a family that meet in no value become one, so that it has as few as a value needs, and
// so do those of places that are said to be alike.
#ifndef TESSERA_SHARDING_CLASSES_H
#define TESSERA_SHARDING_CLASSES_H

#include "base/vec.h"
#include "sharding/factor.h"

typedef uint32_t ClassId;  // 0 = none; the rest by the first of their dimensions

typedef struct ClassNode {
  uint32_t map;      // in ClassInput.maps
  uint32_t tensors;  // first in ClassInput.tensors: one place per tensor of the map; 0 allowed
  bool flow;         // data flow: values as they are, whatever size the map's factors have
} ClassNode;

// Places are 1 … n_places. Their order says which of two classes is the elder and keeps its name:
// arguments come first.
typedef struct ClassInput {
  uint32_t n_places;
  const uint32_t *place_dims;  // n_places + 2: place p has dims [place_dims[p], place_dims[p + 1])
  const int64_t *sizes;        // per dim
  const uint32_t *labels;      // per dim: dims with one label (not 0) are one class, dims with two
                               // never; NULL = none. One label: one size, not twice in a place
  const uint32_t *alike;       // per place: places with one number (not 0) have the same classes if
                               // nothing speaks against it (layers' parameters); NULL = none
  uint32_t n_nodes, n_maps;
  const ClassNode *nodes;  // in the order the program runs
  const uint32_t *tensors;
  const FactorMap *const *maps;
} ClassInput;

// A union that was refused because both sides have labels.
typedef struct ClassClash {
  uint32_t dim_a, dim_b;  // tied by the node, one of each side
  uint32_t node;
  uint32_t label_a, label_b;
} ClassClash;

typedef struct ClassInfo {
  int64_t size;
  uint32_t label;
  uint32_t first;    // the first of its dims; UINT32_MAX: it is only part of others
  uint32_t n_dims;   // that are this class
  ClassId family;    // the eldest of the classes it is tied to but apart from; often itself
  uint32_t variant;  // its number in the family by age; 0 for the eldest
  uint32_t parts;    // first in Classes.parts: what it is a product of, major to minor
  uint32_t n_parts;  // none, or two and more that have no parts themselves
} ClassInfo;

typedef struct Classes {
  uint32_t n_classes;
  ClassInfo *classes;  // 1 … n_classes
  ClassId *class_of;   // per dim
  ClassId *parts;
  VEC(ClassClash) clashes;  // each pair of labels once
} Classes;

// Deterministic; all of it lives in the arena. Nearly O(dims + places in maps); values of more than
// 64 dimensions are left out (their dimensions are classes of their own).
void classes_build(const ClassInput *in, Arena *arena, Classes *out);

#endif
