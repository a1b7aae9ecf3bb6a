// Problem: values in one sdy.sharding_group need one sharding, and groups may share values.
// Idea: union-find over groups; a value that is in two groups joins them.
// Invariant: the representative of a joined group is the group with the least id.
// Cost: O(n log n) in the number of members.
#include "annotate/sharding_groups.h"

#include "annotate/annotation.h"
#include "base/heap.h"
#include "ops/op.h"

typedef struct Member {
  OpId op;  // sdy.sharding_group
  int64_t id;
  uint32_t group;  // index in the sorted ids
} Member;
typedef VEC(Member) Members;

static void collect(const Program *p, Arena *arena, Members *out) {
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root))
    if (op_at(p, o)->code == OP_sdy_sharding_group)
      VEC_PUSH(arena, out, ((Member){o, attr_as_int(p->context, op_attr(p, o, "group_id"), 0), 0}));
}

static bool id_before(const void *a, const void *b, const void *user) {
  (void)user;
  return *(const int64_t *)a < *(const int64_t *)b;
}

// Numbers the distinct ids in ascending order and returns their number. O(n log n).
static uint32_t number_groups(Members *members, Arena *arena) {
  uint32_t n = members->count, distinct = 0;
  int64_t *ids = ARENA_ARRAY(arena, int64_t, n);
  for (uint32_t i = 0; i < n; i++) ids[i] = members->items[i].id;
  heap_sort(ids, n, &(HeapOrder){sizeof *ids, id_before, NULL});
  for (uint32_t i = 0; i < n; i++)
    if (i == 0 || ids[i] != ids[i - 1]) ids[distinct++] = ids[i];
  for (uint32_t i = 0; i < n; i++) {
    uint32_t low = 0, high = distinct;
    while (low + 1 < high) {
      uint32_t mid = low + (high - low) / 2;
      if (ids[mid] <= members->items[i].id)
        low = mid;
      else
        high = mid;
    }
    members->items[i].group = low;
  }
  return distinct;
}

static OpId manual_around(const Program *p, OpId op) {
  for (OpId o = op_parent(p, op); o; o = op_parent(p, o))
    if (op_row(op_at(p, o)->code)->traits & TRAIT_MANUAL) return o;
  return 0;
}

// Element types may differ: a sharding depends on the shape only.
static bool same_shape(const Context *context, Type a, Type b) {
  const TypeInfo *ia = type_info(context, a), *ib = type_info(context, b);
  if (ia->rank != ib->rank) return false;
  for (uint32_t d = 0; d < ia->rank; d++)
    if (ia->dims[d] != ib->dims[d]) return false;
  return true;
}

// Compares each member with the first one of its group: shape and enclosing manual computation.
static bool check_groups(const Program *p, const Members *members, uint32_t n_groups, Arena *arena,
                         Diag *diag) {
  OpId *first = ARENA_ARRAY(arena, OpId, n_groups);
  for (uint32_t i = 0; i < members->count; i++) {
    const Member *m = &members->items[i];
    OpId *one = &first[m->group];
    if (!*one) *one = m->op;
    if (manual_around(p, *one) != manual_around(p, m->op))
      return diag_error(diag, op_at(p, m->op)->pos,
                        "ShardingGroupOps values cannot cross ManualComputationOp boundaries for "
                        "groupId: %lld",
                        (long long)m->id);
    Type type = op_operand_type(p, m->op, 0), other = op_operand_type(p, *one, 0);
    if (!same_shape(p->context, type, other))
      return diag_error(diag, op_at(p, m->op)->pos,
                        "ShardingGroupOps values must have the same shape for groupId: %lld; one "
                        "has %s, another %s",
                        (long long)m->id, type_text(p->context, other),
                        type_text(p->context, type));
  }
  return true;
}

// Path halving.
static uint32_t find(uint32_t *parent, uint32_t x) {
  while (parent[x] != x) x = parent[x] = parent[parent[x]];
  return x;
}

bool sharding_groups_import(Program *p, Arena *arena, Diag *diag) {
  Members members = {0};
  collect(p, arena, &members);
  if (!members.count) return true;
  uint32_t n_groups = number_groups(&members, arena);
  if (!check_groups(p, &members, n_groups, arena, diag)) return false;
  uint32_t *parent = ARENA_ARRAY(arena, uint32_t, n_groups);
  uint32_t *number = ARENA_ARRAY(arena, uint32_t, n_groups), n = 0;
  uint32_t *group_of = ARENA_ARRAY(arena, uint32_t, p->values.count);  // + 1
  for (uint32_t g = 0; g < n_groups; g++) parent[g] = g;
  for (uint32_t i = 0; i < members.count; i++) {
    // The second sharding_group of a value joins the two groups and is erased.
    uint32_t *seen = &group_of[op_operand(p, members.items[i].op, 0)];
    uint32_t g = find(parent, members.items[i].group);
    if (*seen) {
      uint32_t other = find(parent, *seen - 1);
      parent[g > other ? g : other] = g > other ? other : g;  // the least id is the representative
      op_erase(p, members.items[i].op);
      members.items[i].op = 0;
    } else {
      *seen = g + 1;
    }
  }
  for (uint32_t g = 0; g < n_groups; g++)
    number[g] = parent[g] == g ? n++ : number[find(parent, g)];
  for (uint32_t i = 0; i < members.count; i++)
    if (members.items[i].op)
      op_set_attr(p, members.items[i].op, "group_id",
                  attr_i64(p->context, number[members.items[i].group]));
  return true;
}

// Annotations without axes and with all dimensions open do not count as annotations.
static void sync_group(Program *p, const ValueId *values, uint32_t n, int64_t id, Diag *diag) {
  Attr common = 0;
  ValueId first = 0, other = 0;
  for (uint32_t i = 0; i < n && !other; i++) {
    Attr one = annotation_get(p, values[i]);
    if (!one || (n > 1 && annotation_is_empty(p->context, one))) continue;
    if (!common)
      common = one, first = values[i];
    else if (one != common)
      other = values[i];
  }
  if (!common) return;
  bool conflict = other != 0;
  if (conflict)
    diag_warning(diag, op_at(p, value_owner(p, values[0]))->pos,
                 "The initial operand shardings on the sharding groups of groupID: %lld do not "
                 "match: %%%s and %%%s differ. Each member is followed by a sharding constraint "
                 "that is open in all dimensions; to avoid it, give the grouped values equal "
                 "shardings",
                 (long long)id, name_text(p->context, value_at(p, first)->name),
                 name_text(p->context, value_at(p, other)->name));
  for (uint32_t i = 0; i < n; i++) {
    if (!conflict) {
      annotation_set(p, values[i], common);
      continue;
    }
    uint32_t rank = type_info(p->context, value_type(p, values[i]))->rank;
    NamedAttr field = {name_of(p->context, "sharding"),
                       annotation_open(p->context, attr_get(p->context, common, "mesh"), rank)};
    OpId constraint =
        op_create_identity(p, OP_sdy_sharding_constraint, values[i],
                           attr_dict(p->context, 1, &field), value_owner(p, values[i]));
    op_insert_after_value(p, constraint, values[i]);
    value_replace_uses_except(p, values[i], op_result(p, constraint, 0), constraint);
  }
}

void sharding_groups_sync(Program *p, Arena *arena, Diag *diag) {
  Members members = {0};
  collect(p, arena, &members);
  if (!members.count) return;
  uint32_t n_groups = number_groups(&members, arena);
  // Counting sort: members by group, in program order, each value once.
  uint32_t *first = ARENA_ARRAY(arena, uint32_t, n_groups + 2);
  ValueId *values = ARENA_ARRAY(arena, ValueId, members.count);
  int64_t *ids = ARENA_ARRAY(arena, int64_t, n_groups);
  uint8_t *seen = ARENA_ARRAY(arena, uint8_t, p->values.count);
  for (uint32_t i = 0; i < members.count; i++) first[members.items[i].group + 2]++;
  for (uint32_t g = 0; g < n_groups; g++) first[g + 2] += first[g + 1];
  uint32_t *end = first + 1;
  for (uint32_t i = 0; i < members.count; i++) {
    const Member *m = &members.items[i];
    ValueId v = op_operand(p, m->op, 0);
    ids[m->group] = m->id;
    if (seen[v]) continue;
    seen[v] = 1;
    values[end[m->group]++] = v;
  }
  // Groups are handled in the order of their first member, for deterministic warnings.
  uint8_t *done = ARENA_ARRAY(arena, uint8_t, n_groups);
  for (uint32_t i = 0; i < members.count; i++) {
    uint32_t g = members.items[i].group;
    if (done[g]) continue;
    done[g] = 1;
    sync_group(p, values + first[g], end[g] - first[g], ids[g], diag);
  }
}
