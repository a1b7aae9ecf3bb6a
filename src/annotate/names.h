// Names of dimensions on any program, and layouts by name: Mesh-TensorFlow's view.
//
//   arg0: batch, length           a side file names a few dimensions (`%arg1: tensor<…>
//   params.*.w1: hidden, ff       {tessera.dims = "batch,length"}` says the same in the text);
//                                 classes (sharding/classes.h) carry the names everywhere else
//   batch:data, ff:model          a layout: wherever the name stands, the dimension is cut
//
// A dimension that nobody named is called by its size (d128, d128b, …). A dimension that is the
// same as another one of its value is a variant: `length'`. A product of dimensions is
// `batch*length`. `_` is a dimension of size 1 without a name.
#ifndef TESSERA_ANNOTATE_NAMES_H
#define TESSERA_ANNOTATE_NAMES_H

#include "annotate/given.h"
#include "annotate/target.h"
#include "sharding/classes.h"

typedef enum NameOrigin {
  NAME_NONE,  // size 1, or a product
  NAME_ATTRIBUTE,
  NAME_FILE,
  NAME_VARIANT,
  NAME_MADE_UP,
} NameOrigin;

typedef struct DimName {
  Name text;            // 0 with NAME_NONE
  uint8_t origin;       // NameOrigin
  Str from;             // in words: "names.txt:3", "%46 has length too"
  bool edge;            // an argument or a result of an entry function has it
  uint32_t n_products;  // dimensions that it is a part of
} DimName;

typedef struct Names {
  const Graph *graph;     // borrowed
  Arena *arena;           // borrowed
  Classes classes;        // dims are in an order of their own:
  uint32_t *first_dim;    // per place of the graph
  PlaceId *place_of_dim;  // per dim
  DimName *names;         // per class
} Names;

// The names of all dimensions of the graph. side: names from a file, in the source of side_diag;
// NULL = none. What is wrong with it is in side_diag, what is wrong with attributes in diag:
// unknown values, more or fewer names than dimensions, one name for two sizes or twice in a value,
// two names for what ops make one dimension. False then. Nearly O(graph).
bool names_build(const Graph *graph, Arena *arena, Diag *diag, Diag *side_diag, Names *out);

static inline ClassId names_class(const Names *names, PlaceId place, uint32_t d) {
  return names->classes.class_of[names->first_dim[place] + d];
}
// The value a place is of.
Target names_target(const Names *names, PlaceId place);
// `batch`, `batch*length`, `_`; a product is made in the arena.
Str names_text(const Names *names, ClassId id);
// `batch,length,hidden`; nothing for place 0.
void names_print_place(const Names *names, PlaceId place, StrBuf *out);
// Classes with the names nearest to a text; at most `most`; gives how many.
uint32_t names_near(const Names *names, Str text, uint32_t most, Str *out);

// Reads a layout, the source of layout_diag: `batch:data, hidden:model` (also with ';'; several
// axes as `hidden:model+data`; a dimension without a good name is `params.w.1`, the second of what
// target.h calls params.w), and gives every place with a dimension of such a name that nothing
// was given to its sharding: named dimensions are cut exactly so, others are open. Unknown names
// and axes are errors in layout_diag; a value of which two dimensions would be cut along one axis
// is one in diag. False then.
bool names_layout(const Names *names, MeshId mesh, Givens *givens, Diag *layout_diag, Diag *diag);

#endif
