// Problem: given N devices, which mesh shapes deserve to be planned?
//
// Idea: all ordered factorizations of N, because the order says which axis lies on which links: the
// last axis joins neighbours (inside of a node, the first dimension of a torus), the first one
// joins those groups. A lower bound of the step discards a mesh without planning it.
//
// The bound. A step takes at least the seconds C in which a device computes, and at least the
// seconds in which any of its link streams is busy. If each collective uses at least one of n
// streams, collectives of S seconds keep one of them busy for S / n or longer. For any r >= 0
//
//   step >= max(C, S / n) >= (C + r S) / (1 + n r)
//
// since the last is a convex combination of the two with weights 1 / (1 + n r) and n r / (1 + n r).
// The least C + r S over all shardings is a problem like any other, with all prices of
// communication times r. The solver's bound of it, over 1 + n r, is a bound of the step; the best
// of some r counts. r <= 1, so that slices, which are priced like communication although they are
// compute, never count more than compute does.
//
// The bound is about the problem's prices: enumerated strategies, tied layers, no passes.
//
// Cost: a model and 2 to 5 solutions with a small budget per mesh.
#include <math.h>
#include <stdlib.h>

#include "pipeline/plan_private.h"

void plan_list_meshes(uint32_t n, uint32_t level, Arena *arena, PlanMeshVec *out) {
  VEC_PUSH(arena, out, ((PlanMesh){.text = arena_printf(arena, "x=%u", n)}));
  for (uint32_t x = 2; x < n; x++) {
    if (n % x) continue;
    VEC_PUSH(arena, out, ((PlanMesh){.text = arena_printf(arena, "x=%u,y=%u", x, n / x)}));
    for (uint32_t y = 2; level > 1 && y < n / x; y++)
      if (n / x % y == 0)
        VEC_PUSH(arena, out,
                 ((PlanMesh){.text = arena_printf(arena, "x=%u,y=%u,z=%u", x, y, n / x / y)}));
  }
}

// "x: 2 at 450 GB/s, 4 at 50 GB/s; y: 4 at 450 GB/s": the links along each axis. NULL if the
// machine has one kind of link.
static const char *link_words(const Model *m, const Context *context, const Mesh *mesh,
                              Arena *arena) {
  if (m->network.n_levels < 2) return NULL;
  const char *words = NULL;
  for (uint32_t a = 0; a < mesh->n_axes; a++) {
    AxisRef axis = axis_full(mesh, a);
    Route route = network_route(&m->network, (AxisList){&axis, 1});
    words = arena_printf(arena, "%s%s%s:", words ? words : "", words ? "; " : "",
                         name_text(context, mesh->axes[a].name));
    for (uint32_t i = 0; i < route.n_levels; i++)
      words = arena_printf(arena, "%s%s %u at %.4g GB/s", words, i ? "," : "", route.levels[i].n,
                           route.levels[i].link.bytes_per_second / 1e9);
  }
  return words;
}

enum { MOST_STREAMS = 12 };

static uint32_t count_bits(uint32_t bits) {
  uint32_t n = 0;
  for (; bits; bits &= bits - 1) n++;
  return n;
}

// The least n so that n streams exist of which each collective keeps one busy: a hitting set of the
// streams along each axis.
static uint32_t count_streams(Model *m, const Mesh *mesh) {
  uint32_t all = 0, best = mesh->n_axes ? mesh->n_axes : 1;
  uint32_t *of = ARENA_ARRAY(&m->arena, uint32_t, mesh->n_axes + 1);
  for (uint32_t a = 0; a < mesh->n_axes; a++) {
    AxisRef axis = axis_full(mesh, a);
    all |= of[a] = network_streams(&m->network, (AxisList){&axis, 1});
  }
  if (count_bits(all) > MOST_STREAMS) return best;
  for (uint32_t set = all; set; set = (set - 1) & all) {  // all subsets
    bool hits = true;
    for (uint32_t a = 0; a < mesh->n_axes && hits; a++) hits = of[a] & set;
    if (hits && count_bits(set) < best) best = count_bits(set);
  }
  return best;
}

typedef struct Bounder {
  Session *session;
  Model *model;
  double limit_bytes;
  uint32_t streams;
  PlanMesh *mesh;
} Bounder;

// The bound with one factor of communication. *out: seconds of the step.
static Status *bound_at(Bounder *b, double r, double *out) {
  int64_t bound;
  bool infeasible;
  *out = 0;
  if (b->mesh->infeasible) return NULL;
  model_scale(b->model, r, b->limit_bytes);
  TRY(solve_bound(&b->model->problem, b->session->guard, &bound, &infeasible));
  b->mesh->infeasible = infeasible;
  if (bound == INT64_MIN) return NULL;
  double least = model_seconds(bound);
  *out = least / (1 + b->streams * r);
  if (r >= 1) b->mesh->bound_seconds = least;
  b->mesh->overlap_seconds = fmax(b->mesh->overlap_seconds, *out);
  return NULL;
}

// The least C + r S is concave in r, so the bound rises to one maximum and falls: look near the
// best of three.
static Status *bound_all(Bounder *b, bool quick) {
  double compute, middle, serial, more;
  TRY(bound_at(b, 0, &compute));
  if (quick) return NULL;
  TRY(bound_at(b, 1, &serial));
  TRY(bound_at(b, 0.25, &middle));
  if (middle > compute && middle >= serial) {
    TRY(bound_at(b, 0.1, &more));
    TRY(bound_at(b, 0.5, &more));
  }
  return NULL;
}

Status *plan_bound_mesh(Session *session, Model *model, double limit_bytes, bool quick,
                        Arena *arena, PlanMesh *out) {
  const Mesh *mesh = sharding_mesh(session->table, session->mesh);
  Bounder b = {session, model, limit_bytes, count_streams(model, mesh), out};
  out->links = link_words(model, session->context, mesh, arena);
  out->streams = b.streams;
  Status *status = bound_all(&b, quick);
  model_scale(model, 1, limit_bytes);
  return status;
}

void plan_bound_serial(PlanMesh *mesh, double bound_seconds) {
  mesh->bound_seconds = fmax(mesh->bound_seconds, bound_seconds);
  double least = mesh->streams ? bound_seconds / (1 + mesh->streams) : 0;
  mesh->overlap_seconds = fmax(mesh->overlap_seconds, least);
}

// A simulated step lies between the two bounds, so their mean is a guess of it. Meshes without
// bounds are behind the others, those that nothing fits on are last.
static double guess(const PlanMesh *m) {
  if (m->infeasible) return (double)INFINITY;
  return m->bound_seconds > 0 ? m->bound_seconds + m->overlap_seconds : 1e300;
}

void plan_sort_meshes(PlanMeshVec *meshes) {
  for (uint32_t i = 1; i < meshes->count; i++) {  // few; stable
    PlanMesh m = meshes->items[i];
    uint32_t k = i;
    for (; k && guess(&meshes->items[k - 1]) > guess(&m); k--)
      meshes->items[k] = meshes->items[k - 1];
    meshes->items[k] = m;
  }
}
