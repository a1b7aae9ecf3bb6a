// Matches arrays of files with arguments; each array is used once. O(arguments · arrays).
#include "cli/inputs.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "evaluate/evaluate.h"
#include "evaluate/npy.h"
#include "annotate/target.h"

typedef struct InputArray {
  const char *file;
  NpzEntry entry;
  bool packed;  // in a .npz
} InputArray;

bool shape_fits(const Context *context, Type type, const Literal *l) {
  const TypeInfo *info = type_info(context, type);
  bool same = info->kind == TYPE_TENSOR && l->rank == info->rank;
  for (uint32_t d = 0; same && d < l->rank; d++)
    same = info->dims[d] == DIM_DYNAMIC || info->dims[d] == l->dims[d];
  return same;
}

// ---- names ----

static Str value_name(const Program *p, OpId function, uint32_t k) {
  BlockId block = region_block(p, op_region(p, function, 0));
  return name_str(p->context, value_at(p, block_arg(p, block, k))->name);
}

// Text for messages: the path if there is one ('params.w'), else the SSA name (%w).
static const char *called(const Inputs *in, uint32_t k) {
  Str name = value_name(in->program, in->function, k);
  Str path = argument_path(in->program, in->function, k, in->arena);
  if (!path.n || str_equal(path, name))
    return arena_printf(in->arena, "%%%.*s", (int)name.n, name.s);
  return arena_printf(in->arena, "'%.*s'", (int)path.n, path.s);
}

// ---- files ----

// Lists all arrays of all input files, in order. The name of a .npy is its file name without
// directory and extension.
static Status *list_arrays(Inputs *in, uint32_t *out_count) {
  VEC(InputArray) list = {0};
  in->data = ARENA_ARRAY(in->arena, char *, in->files->count + 1);
  for (uint32_t i = 0; i < in->files->count; i++) {
    const char *path = in->files->items[i];
    size_t bytes;
    TRY(file_read(path, SIZE_MAX, &in->data[i], &bytes));
    in->n_data = i + 1;
    if (npz_is(in->data[i], bytes)) {
      uint32_t n;
      NpzEntry *entries;
      TRY(npz_list(in->arena, path, in->data[i], bytes, &n, &entries));
      for (uint32_t k = 0; k < n; k++) {
        InputArray item = {path, entries[k], true};
        VEC_PUSH(in->arena, &list, item);
      }
      continue;
    }
    const char *slash = strrchr(path, '/');
    Str name = str_of(slash ? slash + 1 : path);
    if (name.n > 4 && memcmp(name.s + name.n - 4, ".npy", 4) == 0) name.n -= 4;
    InputArray item = {path, {name, in->data[i], bytes}, false};
    VEC_PUSH(in->arena, &list, item);
  }
  *out_count = list.count;
  in->arrays = list.items;
  return NULL;
}

void inputs_close(Inputs *in) {
  for (uint32_t i = 0; i < in->n_data; i++) mem_free(in->data[i]);
  in->n_data = 0;
}

// ---- matching ----

// Default names of numpy.savez: arr_0, arr_1, ….
static bool is_unnamed(Str name) { return str_starts(name, "arr_"); }

// An unknown name may be a typo: reports the first array that is matched by order only.
static void tell_in_order(const Inputs *in, uint32_t n, const uint32_t *of, const bool *by_name) {
  uint32_t first = n, more = 0;
  for (uint32_t k = 0; k < n; k++) {
    const InputArray *array = &in->arrays[of[k]];
    if (by_name[of[k]] || !array->packed || is_unnamed(array->entry.name)) continue;
    if (first == n)
      first = k;
    else
      more++;
  }
  if (first == n) return;
  Str name = in->arrays[of[first]].entry.name;
  fprintf(stderr, "tessera: no argument is called '%.*s': it is taken in order, for argument %s",
          (int)name.n, name.s, called(in, first));
  if (more) fprintf(stderr, " (so %s %u more)", more == 1 ? "is" : "are", more);
  fprintf(stderr, "\n");
}

// Chooses the array of each argument: the one with its path, else its SSA name, else "argK", else
// the next unused one.
static const uint32_t *match(const Inputs *in, uint32_t n) {
  uint32_t *of = ARENA_ARRAY(in->arena, uint32_t, n + 1);
  bool *used = ARENA_ARRAY(in->arena, bool, n + 1);
  for (uint32_t k = 0; k < n; k++) of[k] = n;
  Str *dotted = ARENA_ARRAY(in->arena, Str, n + 1);
  for (uint32_t i = 0; i < n; i++) dotted[i] = path_dotted(in->arena, in->arrays[i].entry.name);
  for (int pass = 0; pass < 3; pass++) {
    for (uint32_t k = 0; k < n; k++) {
      if (of[k] < n) continue;
      Str name = pass == 0   ? argument_path(in->program, in->function, k, in->arena)
                 : pass == 1 ? value_name(in->program, in->function, k)
                             : str_of(arena_printf(in->arena, "arg%u", k));
      for (uint32_t i = 0; i < n && name.n && of[k] == n; i++)
        if (!used[i] && str_equal(dotted[i], name)) of[k] = i, used[i] = true;
    }
  }
  bool *by_name = arena_copy(in->arena, used, (n + 1) * sizeof *used);
  for (uint32_t k = 0, i = 0; k < n; k++) {
    if (of[k] < n) continue;
    while (used[i]) i++;
    of[k] = i, used[i] = true;
  }
  tell_in_order(in, n, of, by_name);
  return of;
}

static Status *wrong_count(const Inputs *in, uint32_t n, uint32_t n_arrays) {
  enum { SHOWN = 12 };
  const Program *p = in->program;
  const char *has = "", *takes = "";
  for (uint32_t i = 0; i < n_arrays && i <= SHOWN; i++)
    has = i == SHOWN ? arena_printf(in->arena, "%s, …", has)
                     : arena_printf(in->arena, "%s%s%.*s", has, i ? ", " : "",
                                    (int)in->arrays[i].entry.name.n, in->arrays[i].entry.name.s);
  for (uint32_t k = 0; k < n && k <= SHOWN; k++)
    takes = k == SHOWN ? arena_printf(in->arena, "%s, …", takes)
                       : arena_printf(in->arena, "%s%s%s", takes, k ? ", " : "", called(in, k));
  FAIL(INVALID_ARGUMENT, "the inputs hold %u array%s (%s), @%s takes %u (%s)", n_arrays,
       n_arrays == 1 ? "" : "s", has,
       name_text(p->context, attr_as_name(p->context, op_attr(p, in->function, "sym_name"))), n,
       takes);
}

Status *inputs_open(Inputs *in, const TextList *files, Program *program, OpId function,
                    Arena *arena) {
  *in = (Inputs){.files = files, .program = program, .function = function, .arena = arena};
  uint32_t n = evaluate_n_arguments(program, function), n_arrays = 0;
  TRY(list_arrays(in, &n_arrays));
  if (n_arrays != n) return wrong_count(in, n, n_arrays);
  in->of = match(in, n);
  return NULL;
}

// ---- reading ----

const char *inputs_text(const Inputs *in, uint32_t k) {
  const InputArray *array = &in->arrays[in->of[k]];
  return arena_printf(in->arena, "%s (%.*s) for argument %s", array->file, (int)array->entry.name.n,
                      array->entry.name.s, called(in, k));
}

Status *inputs_read(const Inputs *in, LiteralHeap *heap, uint32_t n, Literal **out) {
  const Context *context = in->program->context;
  for (uint32_t k = 0; k < n; k++) {
    Type type = evaluate_argument_type(in->program, in->function, k);
    const NpzEntry *entry = &in->arrays[in->of[k]].entry;
    if (!type_is_tensor(context, type))
      FAIL(UNIMPLEMENTED, "argument %u is %s, which no array can hold", k,
           type_text(in->program->context, type));
    TRY(npy_read(heap, context, inputs_text(in, k), entry->data, entry->bytes,
                 type_elem(context, type), &out[k]));
  }
  return NULL;
}

Status *inputs_check(const Inputs *in, uint32_t k, Type type, const Literal *array) {
  Context *context = in->program->context;
  if (shape_fits(context, type, array)) return NULL;
  Type found = type_tensor(context, array->elem, array->rank, array->dims, 0);
  FAIL(INVALID_ARGUMENT, "%s: holds %s, expected %s", inputs_text(in, k), type_text(context, found),
       type_text(context, type));
}
