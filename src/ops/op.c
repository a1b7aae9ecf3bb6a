// The op table, made from ops.def, and its index by name: an open-addressed table of codes, filled
// once under pthread_once and constant afterwards. O(1) per look-up.
#include "ops/op.h"

#include <pthread.h>
#include <string.h>

#include "base/idmap.h"

#undef ATTRS
#define ATTRS(...) __VA_ARGS__
#define OP(id, name_, operands_, results_, regions_, traits_, form_, ...)                          \
  static const AttrSpec attrs_##id[] = {__VA_ARGS__{.shape = AS_END}};
#include "ops/ops.def"
#undef OP

const OpRow op_rows[OP_COUNT] = {
    [OP_NONE] = {.name = "", .operands = -1, .results = -1, .regions = -1},
    [OP_UNREGISTERED] = {.name = "", .operands = -1, .results = -1, .regions = -1},
#define OP(id, name_, operands_, results_, regions_, traits_, form_, ...)                          \
  [OP_##id] = {.name = name_,                                                                      \
               .operands = operands_,                                                              \
               .results = results_,                                                                \
               .regions = regions_,                                                                \
               .traits = traits_,                                                                  \
               .form = form_,                                                                      \
               .attrs = attrs_##id,                                                                \
               .def = &op_##id},
#include "ops/ops.def"
#undef OP
};

enum { INDEX_SIZE = 1024 };
_Static_assert(OP_COUNT < INDEX_SIZE / 2, "the index by name must be at most half full");
static uint16_t name_index[INDEX_SIZE];
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static void build_index(void) {
  for (uint16_t code = OP_UNREGISTERED + 1; code < OP_COUNT; code++) {
    uint64_t at = hash_bytes(op_rows[code].name, strlen(op_rows[code].name)) % INDEX_SIZE;
    while (name_index[at]) at = (at + 1) % INDEX_SIZE;
    name_index[at] = code;
  }
}

uint16_t op_lookup(Str name) {
  pthread_once(&index_once, build_index);
  for (uint64_t at = hash_bytes(name.s, name.n) % INDEX_SIZE; name_index[at];
       at = (at + 1) % INDEX_SIZE)
    if (str_is(name, op_rows[name_index[at]].name)) return name_index[at];
  return OP_NONE;
}

const AttrSpec *op_attr_spec(uint16_t code, Str name) {
  for (const AttrSpec *spec = op_row(code)->attrs; spec && spec->shape != AS_END; spec++)
    if (str_is(name, spec->name)) return spec;
  return NULL;
}

const char *op_name(const Program *p, OpId op) {
  const Op *o = op_at(p, op);
  return o->code == OP_UNREGISTERED ? name_text(p->context, o->name) : op_row(o->code)->name;
}

uint32_t op_traits(const Program *p, OpId op) {
  const OpRow *row = op_row(op_at(p, op)->code);
  return row->traits | (row->def && row->def->traits ? row->def->traits(p, op) : 0);
}

Flow op_flow(const Program *p, OpId op) {
  const OpDef *def = op_row(op_at(p, op)->code)->def;
  return def ? def->flow : FLOW_NONE;
}

bool op_is_check(const Program *p, OpId op) {
  if (str_starts(str_of(op_name(p, op)), "check.")) return true;
  Name target = attr_as_name(p->context, op_attr(p, op, "call_target_name"));
  return op_at(p, op)->code == OP_custom_call && target &&
         str_starts(str_of(name_text(p->context, target)), "check.");
}

bool op_has_effects(const Program *p, OpId op) {
  uint16_t code = op_at(p, op)->code;
  if (code == OP_custom_call)
    return attr_as_bool(p->context, op_attr(p, op, "has_side_effect"), false) ||
           op_calls_host(p, op);
  return !(op_traits(p, op) & (TRAIT_PURE | TRAIT_CALL)) && code != OP_rng;
}
