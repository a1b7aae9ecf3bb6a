// Instances of a function with equal shardings share one body; each body is written as one
// function.
//
//   call @silu in layer 1: ["x"]  ┐
//   call @silu in layer 2: ["x"]  ┴ one body, @silu
//   call @silu in layer 3: ["y"]  ─ another, @silu_0
#ifndef TESSERA_PROPAGATE_BODIES_H
#define TESSERA_PROPAGATE_BODIES_H

#include "propagate/propagate.h"

typedef uint32_t BodyId;  // 0 = none

typedef struct Body {
  OpId function;        // of the propagated program
  InstanceId instance;  // the first of its instances, which represents all
  Name name;            // of the written function
  BodyId next;          // the function's next body; the first one keeps the function's name
} Body;

typedef struct Bodies {
  const Graph *graph;
  uint32_t n_bodies;
  Body *bodies;          // [0] is unused
  BodyId *body_of;       // per instance; 0: unreachable
  BodyId *first_of;      // per op: a function's first body
  InstanceId *fallback;  // per call op: the shared instance of its callee, for calls without one
  IdMap called;          // instances, by caller and call
} Bodies;

// Allocated in the arena, except for the map. The order of bodies, and so the names of copies, does
// not depend on the order of functions in the module: roots are visited by name, calls in program
// order. written: per sharding of a place, the sharding that is written for it (different ones may
// become equal when closed). Expected O(program + ops in all instances).
void bodies_init(Bodies *bodies, const Propagation *p, const Program *program,
                 const Sharding *written, Arena *arena);
void bodies_deinit(Bodies *bodies);

// The body that a call refers to in an instance; 0 if its callee has none (a declaration).
BodyId bodies_called(const Bodies *bodies, InstanceId instance, OpId call);

#endif
