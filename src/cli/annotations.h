// Annotation options (--mesh, --shard, --layout, …) and the files they name: shared by the verbs
// that propagate.
#ifndef TESSERA_CLI_ANNOTATIONS_H
#define TESSERA_CLI_ANNOTATIONS_H

#include "cli/cli.h"
#include "pipeline/propagate.h"

enum { ANNOTATION_OPTIONS = 16 };  // number of rows of annotations_options

typedef struct Annotations {
  PropagateRequest request;  // complete after annotations_read
  // From argv.
  TextList meshes, rules, rule_files, call_rules;
  const char *layout, *names, *strategy, *edges, *conflicts, *weigh, *machine;
  uint64_t devices, trip_count;  // UINT64_MAX: not given
  // Derived from them.
  const char **room;
  Source layout_source;
  Source *sources;
  char **texts;
  uint32_t n_texts;
} Annotations;

// Allocates for argc words; false without memory. Call annotations_deinit in any case.
bool annotations_init(Annotations *annotations, int argc);
// Fills the rows for cli_options; they point into *annotations.
void annotations_options(Annotations *annotations, Option *out);
// Reads the files and completes the request; false after a message. Texts live until
// annotations_deinit.
bool annotations_read(Annotations *annotations);
// Is a mesh, a number of devices or a sharding given?
bool annotations_given(const Annotations *annotations);
void annotations_deinit(Annotations *annotations);  // {0} is fine

// The index of a word in a list; -1 after an error that lists the words.
int cli_choose(const char *option, const char *word, uint32_t n, const char *const *words);

#endif
