// The models and the training step around them.
#ifndef TESSERA_TOOLS_GEN_MODELS_H
#define TESSERA_TOOLS_GEN_MODELS_H

#include "build.h"

typedef struct Config {
  // Sizes; 0 = the model's own default.
  int64_t layers, width, hidden, heads, head_dim, batch, seq, vocab;
  int64_t experts, top, groups;  // of MoE: groups of tokens; 0: a row of the batch each
  int64_t capacity;              // of an expert, in tokens of a group
  int64_t kv_heads;              // of Llama: heads of keys and values
  int64_t channels, depth, size, classes;
  int64_t mesh[2];    // sizes of x and y; not 0: annotate (GPT: as GSPMD's table 1 says)
  const char *remat;  // names of kept values, "q,v"; NULL: all are, nothing is computed again
  DType dtype;
  bool adamw, tied, fused_qkv, loop, forward_only, names, locations;
  bool donate, swiglu, narrow_softmax, narrow_entry;
} Config;

// A model reads its inputs, asks for its parameters and gives its loss. check says what is wrong
// with the sizes (NULL = nothing) after filling in the defaults.
typedef struct Model {
  const char *name, *about;
  const char *(*check)(Config *config);
  Val (*loss)(Builder *b, const Config *config);
  int64_t layer_step;  // layers come in multiples of this
} Model;

extern const Model model_gpt, model_moe, model_wrn, model_unet, model_llama, model_mixtral;

// ---- experts.c ----
// [g,s,m] -> [g,s,m]; adds the load balancing loss to *auxiliary.
Val experts_layer(Builder *b, const Config *config, Val x, Val *auxiliary);
const char *experts_check(Config *config);  // fills in defaults, says what is wrong

// Writes the module, or only counts when out is NULL. Gives the number of ops.
uint64_t train_write(Arena *arena, StrBuf *out, const Model *model, const Config *config);

#endif
