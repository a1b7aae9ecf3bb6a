// Options that say what is sharded how, and the texts they name: shared by the verbs that
// propagate.
#ifndef TESSERA_CLI_ANNOTATIONS_H
#define TESSERA_CLI_ANNOTATIONS_H

#include "cli/cli.h"
#include "pipeline/propagate.h"

enum { ANNOTATION_OPTIONS = 15 };  // rows that annotations_options writes

typedef struct Annotations {
  PropagateRequest request;  // complete after annotations_read
  // As they stand in argv.
  TextList meshes, rules, rule_files, call_rules;
  const char *layout, *names, *strategy, *edges, *conflicts, *machine;
  uint64_t devices, trip_count;  // UINT64_MAX: not given
  // What was read for them.
  const char **room;
  Source layout_source;
  Source *sources;
  char **texts;
  uint32_t n_texts;
} Annotations;

// Room for argc words; false if there is no memory. annotations_deinit in any case.
bool annotations_init(Annotations *annotations, int argc);
// The rows for cli_options, which write to *annotations.
void annotations_options(Annotations *annotations, Option *out);
// Reads the texts and fills the request; false after a message. They live until
// annotations_deinit.
bool annotations_read(Annotations *annotations);
void annotations_deinit(Annotations *annotations);  // {0} is fine

// The index of a word in a list; -1 after telling what there is.
int cli_choose(const char *option, const char *word, uint32_t n, const char *const *words);

#endif
