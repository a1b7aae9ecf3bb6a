// Names of dimensions in any program, and layouts by name as in Mesh-TensorFlow.
//
//   arg0: batch, length           a file names a few dimensions (`%arg1: tensor<…> {tessera.dims =
//   params.*.w1: hidden, ff       "batch,length"}` in the program is equivalent); classes
//                                 (sharding/classes.h) carry the names to all other dimensions
//   batch:data, ff:model          a layout: shard every dimension of that name along the axis
//
// A dimension without a name is called by its size (d128, d128b, …). If two dimensions of one value
// are the same class by ops, the second is a variant: `length'`. A product of dimensions is
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
  Str from;             // text: "names.txt:3", "%46 has length too"
  bool edge;            // an argument or result of an entry function has it
  uint32_t n_products;  // number of product dimensions that contain it
} DimName;

typedef struct Names {
  const Graph *graph;     // borrowed
  Arena *arena;           // borrowed
  Classes classes;        // dims are numbered in an order of their own:
  uint32_t *first_dim;    // per place of the graph: its dim 0
  PlaceId *place_of_dim;  // per dim
  DimName *names;         // per class
} Names;

// Names all dimensions of the graph. `side_diag`'s source is the file with names; NULL = none. Its
// errors go to side_diag, errors in attributes to diag: unknown values, a wrong number of names,
// one name for two sizes or twice in a value, two names for dimensions that an op makes one.
// Returns false after an error. O(graph · α).
bool names_build(const Graph *graph, Arena *arena, Diag *diag, Diag *side_diag, Names *out);

static inline ClassId names_class(const Names *names, PlaceId place, uint32_t d) {
  return names->classes.class_of[names->first_dim[place] + d];
}
// The value that a place belongs to.
Target names_target(const Names *names, PlaceId place);
// `batch`, `batch*length`, `_`; products are built in the arena.
Str names_text(const Names *names, ClassId id);
// Prints `batch,length,hidden`; nothing for place 0.
void names_print_place(const Names *names, PlaceId place, StrBuf *out);
// The names nearest to a text, at most `most`; returns their number.
uint32_t names_near(const Names *names, Str text, uint32_t most, Str *out);

// Parses the layout in layout_diag's source: `batch:data, hidden:model`, also with ';', several
// axes as `hidden:model+data`. `params.w.1` is dimension 1 of the value that target.h finds as
// params.w. Annotates every place that has a named dimension and no annotation: named dimensions
// are closed with exactly these axes, others open. Unknown names and axes are errors in
// layout_diag; two dimensions of a value along one axis are an error in diag. Returns false after
// an error. O(places · rank).
bool names_layout(const Names *names, MeshId mesh, Givens *givens, Diag *layout_diag, Diag *diag);

#endif
