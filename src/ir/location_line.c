// Walks a location's parts, innermost first, until a file outside installed packages is found.
// O(parts), at most 1000 of them.
#include "ir/location_line.h"

#include <string.h>

// Files of a location, innermost first; the user's files are preferred to installed packages. The
// budget bounds locations that share sub-trees and would unfold exponentially.
typedef struct FileWalk {
  const Context *context;
  uint32_t budget;
  Str file;
  uint32_t line;
  bool found, own;
} FileWalk;

static bool is_installed(Str file) {
  static const char *const parts[] = {"/site-packages/", "/dist-packages/"};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    size_t n = strlen(parts[k]);
    for (size_t i = 0; i + n <= file.n; i++)
      if (!memcmp(file.s + i, parts[k], n)) return true;
  }
  return file.n == 0 || file.s[0] == '<';
}

static void walk_files(FileWalk *walk, Attr loc) {
  const AttrInfo *info = attr_info(walk->context, loc);
  if (walk->own || !walk->budget) return;
  walk->budget--;
  if (info->kind == ATTR_LOC_FILE) {
    const LocRange *range = info->data;
    Str file = name_str(walk->context, info->name);
    walk->own = !is_installed(file);
    if (!walk->found || walk->own) {
      walk->file = file;
      walk->line = range->line;
    }
    walk->found = true;
  } else if (info->kind == ATTR_LOC_NAME || info->kind == ATTR_LOC_CALLSITE ||
             info->kind == ATTR_LOC_FUSED) {
    uint32_t n = info->count - (info->kind == ATTR_LOC_FUSED && info->i == 1 && info->count > 0);
    for (uint32_t i = 0; i < n; i++) walk_files(walk, info->items[i]);
  }
}

bool location_line(const Context *context, Attr loc, Str *out_file, uint32_t *out_line) {
  FileWalk walk = {.context = context, .budget = 1000};
  if (loc) walk_files(&walk, loc);
  if (!walk.found) return false;
  *out_file = walk.file;
  *out_line = walk.line;
  return true;
}
