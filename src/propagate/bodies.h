// Instances whose shardings are equal are one body: what is written of a function.
//
//   call @silu in layer 1: ["x"]  ┐
//   call @silu in layer 2: ["x"]  ┴ one body, @silu
//   call @silu in layer 3: ["y"]  ─ another, @silu_0
#ifndef TESSERA_PROPAGATE_BODIES_H
#define TESSERA_PROPAGATE_BODIES_H

#include "propagate/propagate.h"

typedef uint32_t BodyId;  // 0 = none

typedef struct Body {
  OpId function;        // of the program that was propagated
  InstanceId instance;  // the first of its instances: it stands for all
  Name name;            // of the function it is written as
  BodyId next;          // the function's next body; the first one keeps the function's name
} Body;

typedef struct Bodies {
  const Graph *graph;
  uint32_t n_bodies;
  Body *bodies;          // [0] is unused
  BodyId *body_of;       // per instance; 0: nothing reaches it
  BodyId *first_of;      // per op: a function's first body
  InstanceId *fallback;  // per op: of a call, the instance its callee has for all that have no own
  IdMap called;          // instances by caller and call
} Bodies;

// Lives in the arena but for the map. The order of bodies, and so the names of copies, does
// not depend on the order of functions in the module: roots are taken by name, calls as they stand.
// Expected O(program + ops in all instances).
// written: per sharding that a place has, what is written for it (different ones may look the same
// when they are closed).
void bodies_init(Bodies *bodies, const Propagation *p, const Program *program,
                 const Sharding *written, Arena *arena);
void bodies_deinit(Bodies *bodies);

// The body that a call stands for in an instance; 0 if its callee has none (a declaration).
BodyId bodies_called(const Bodies *bodies, InstanceId instance, OpId call);

#endif
