// gen: prints StableHLO training steps of well-known models at any size, without data. The same
// options give the same bytes. Prints while it generates; memory and time are linear in ops.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/models.h"

static const Model *const models[] = {&model_gpt,  &model_moe,   &model_wrn,
                                      &model_unet, &model_llama, &model_mixtral};
enum { N_MODELS = sizeof models / sizeof models[0] };

typedef struct Command {
  Config config;
  const Model *model;
  int64_t ops;
  bool count, help;
} Command;

typedef enum OptionKind {
  OPTION_SIZE,
  OPTION_FLAG,
  OPTION_MODEL,
  OPTION_DTYPE,
  OPTION_MESH,
  OPTION_TEXT
} OptionKind;

typedef struct Option {
  const char *name;
  OptionKind kind;
  void *to;
  const char *help;
} Option;

static Status *put_stdout(void *to, const char *data, size_t n) {
  (void)to;
  if (fwrite(data, 1, n, stdout) != n) FAIL(DATA_LOSS, "stdout: not all could be written");
  return NULL;
}

static void help(uint32_t n, const Option *options) {
  printf("usage: gen --model gpt|moe|wrn|unet|llama|mixtral [option…]\n\n"
         "Prints a training step (forward, backward, Adam) as StableHLO:\n"
         "  (params, m, v, step, batch) -> (params, m, v, step, loss)\n\n");
  for (uint32_t i = 0; i < N_MODELS; i++) printf("  %-7s %s\n", models[i]->name, models[i]->about);
  printf("\n");
  for (uint32_t i = 0; i < n; i++)
    printf("  %-14s %s %s\n", options[i].name, options[i].kind == OPTION_SIZE ? "N" : " ",
           options[i].help);
  printf("\nexamples:\n"
         "  gen --model gpt --layers 96 --width 12288 --heads 96 --seq 2048 --dtype bf16\n"
         "  gen --model gpt --layers 96 --loop --names\n"
         "  gen --model gpt --layers 96 --adamw --fused-qkv --gspmd x=32,y=64\n"
         "  gen --model moe --layers 16 --width 1024 --experts 16 --top 2\n"
         "  gen --model wrn --layers 50 --channels 160 --width 2 --batch 1536\n"
         "  gen --model unet --size 256 --depth 5 --forward-only\n"
         "  gen --model gpt --ops 1000000 --count\n");
}

static bool read_value(const Option *option, const char *text) {
  if (option->kind == OPTION_SIZE) {
    char *end;
    long long value = strtoll(text, &end, 10);
    if (*end || end == text || value < 1 || value > 1 << 30) return false;
    *(int64_t *)option->to = value;
    return true;
  }
  if (option->kind == OPTION_MODEL) {
    for (uint32_t i = 0; i < N_MODELS; i++)
      if (strcmp(models[i]->name, text) == 0) {
        *(const Model **)option->to = models[i];
        return true;
      }
    return false;
  }
  if (option->kind == OPTION_TEXT) {
    *(const char **)option->to = text;
    return true;
  }
  if (option->kind == OPTION_MESH) {
    int64_t *sizes = option->to;
    int used = 0;
    return sscanf(text, "x=%" SCNd64 ",y=%" SCNd64 "%n", &sizes[0], &sizes[1], &used) == 2 &&
           !text[used] && sizes[0] > 0 && sizes[1] > 0 && sizes[0] <= 1 << 15 &&
           sizes[1] <= 1 << 15;
  }
  static const DType types[] = {DT_f32, DT_bf16, DT_f16, DT_f64};
  for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (strcmp(dtype_info(types[i])->name, text) == 0) {
      *(DType *)option->to = types[i];
      return true;
    }
  return false;
}

// --name value, --name=value, --flag.
static bool read_options(uint32_t n, const Option *options, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    size_t length = strcspn(argv[i], "=");
    const Option *option = NULL;
    for (uint32_t k = 0; k < n; k++)
      if (strncmp(options[k].name, argv[i], length) == 0 && !options[k].name[length])
        option = &options[k];
    if (!option) {
      fprintf(stderr, "gen: there is no option %s; see gen --help\n", argv[i]);
      return false;
    }
    if (option->kind == OPTION_FLAG) {
      *(bool *)option->to = true;
      continue;
    }
    const char *value = argv[i][length] ? argv[i] + length + 1 : i + 1 < argc ? argv[++i] : "";
    if (!read_value(option, value)) {
      fprintf(stderr, "gen: %s: '%s' is not one (%s)\n", option->name, value, option->help);
      return false;
    }
  }
  return true;
}

// Chooses the number of layers for about command->ops ops: ops are linear in layers, so two counts
// determine the slope.
static void fit_layers(Arena *arena, Command *command) {
  Config small = command->config, large;
  int64_t step = command->model->layer_step, base = command->model == &model_wrn ? 50 : 2 * step;
  small.layers = base;
  large = small;
  large.layers = base + step;
  int64_t a = (int64_t)train_write(arena, NULL, command->model, &small);
  int64_t each = (int64_t)train_write(arena, NULL, command->model, &large) - a;
  int64_t more = each > 0 ? (command->ops - a + each / 2) / each : 0;
  if (command->ops < a) more = -((a - command->ops + each / 2) / each);
  int64_t layers = base + more * step, least = command->model == &model_wrn ? 14 : step;
  command->config.layers = layers < least ? least : layers;
}

static Status *run(Guard *guard, void *arg) {
  Command *command = arg;
  Arena arena;
  arena_init(&arena, guard);
  if (command->ops) fit_layers(&arena, command);
  StrBuf out;
  strbuf_init(&out, guard);
  out.flush = put_stdout;
  uint64_t ops =
      train_write(&arena, command->count ? NULL : &out, command->model, &command->config);
  if (command->count)
    printf("%" PRIu64 " ops, %lld layers\n", ops, (long long)command->config.layers);
  strbuf_flush(&out);
  strbuf_deinit(&out);
  arena_deinit(&arena);
  return NULL;
}

int main(int argc, char **argv) {
  Command command = {.config.dtype = DT_f32};
  Config *c = &command.config;
  const Option options[] = {
      {"--model", OPTION_MODEL, &command.model, "gpt, moe, wrn, unet, llama or mixtral"},
      {"--layers", OPTION_SIZE, &c->layers, "layers; U-Net: convolutions per level"},
      {"--width", OPTION_SIZE, &c->width, "model width M; Wide-ResNet: width factor"},
      {"--hidden", OPTION_SIZE, &c->hidden, "width H of the MLP (4 M)"},
      {"--heads", OPTION_SIZE, &c->heads, "attention heads N (M / 64)"},
      {"--head-dim", OPTION_SIZE, &c->head_dim, "their width D (M / N)"},
      {"--kv-heads", OPTION_SIZE, &c->kv_heads, "Llama: heads of keys and values"},
      {"--batch", OPTION_SIZE, &c->batch, "examples"},
      {"--seq", OPTION_SIZE, &c->seq, "tokens of an example"},
      {"--vocab", OPTION_SIZE, &c->vocab, "tokens there are"},
      {"--experts", OPTION_SIZE, &c->experts, "MoE: experts of a layer"},
      {"--top", OPTION_SIZE, &c->top, "MoE: experts a token goes to, 1 or 2"},
      {"--capacity", OPTION_SIZE, &c->capacity, "MoE: tokens of a group an expert takes"},
      {"--groups", OPTION_SIZE, &c->groups, "MoE: groups of tokens (one for each example)"},
      {"--channels", OPTION_SIZE, &c->channels, "Wide-ResNet, U-Net: channels at the start"},
      {"--depth", OPTION_SIZE, &c->depth, "U-Net: levels"},
      {"--size", OPTION_SIZE, &c->size, "edge of an image or volume"},
      {"--classes", OPTION_SIZE, &c->classes, "Wide-ResNet, U-Net: classes"},
      {"--ops", OPTION_SIZE, &command.ops, "choose --layers for about N ops"},
      {"--dtype", OPTION_DTYPE, &c->dtype, "f32, bf16 or f16 (parameters stay f32), or f64"},
      {"--adamw", OPTION_FLAG, &c->adamw, "with weight decay, gradients clipped to norm 1"},
      {"--tied", OPTION_FLAG, &c->tied, "the head is the embedding's transpose"},
      {"--fused-qkv", OPTION_FLAG, &c->fused_qkv, "one kernel for q, k and v"},
      {"--narrow-softmax", OPTION_FLAG, &c->narrow_softmax,
       "GPT, MoE: the softmax of attention in --dtype, not in f32"},
      {"--narrow-entry", OPTION_FLAG, &c->narrow_entry,
       "Wide-ResNet: the factor --width only after the 3x3 convolutions, as Alpa's"},
      {"--loop", OPTION_FLAG, &c->loop, "equal layers in while loops over stacked parameters"},
      {"--remat", OPTION_TEXT, &c->remat,
       "compute layers again in the backward pass, but for these values: --remat q,k,v, --remat "
       "''"},
      {"--donate", OPTION_FLAG, &c->donate, "parameters and moments are donated"},
      {"--forward-only", OPTION_FLAG, &c->forward_only, "only the loss: (params, batch) -> loss"},
      {"--names", OPTION_FLAG, &c->names, "jax.arg_info and jax.result_info attributes"},
      {"--locations", OPTION_FLAG, &c->locations,
       "loc(\"jit(train_step)/layer_3.attn.\") on every op"},
      {"--gspmd", OPTION_MESH, &c->mesh,
       "x=2,y=4: annotate tensors on this mesh. GPT: as GSPMD's table 1. Llama: FSDP along x, "
       "tensor "
       "and sequence parallel along y. Experts: along y; with x=1 nothing else"},
      {"--count", OPTION_FLAG, &command.count, "print the number of ops instead"},
      {"--help", OPTION_FLAG, &command.help, "this"},
  };
  enum { N_OPTIONS = sizeof options / sizeof options[0] };
  if (!read_options(N_OPTIONS, options, argc, argv)) return 2;
  if (command.help) return help(N_OPTIONS, options), 0;
  if (!command.model) return fprintf(stderr, "gen: which --model? See gen --help\n"), 2;
  const char *wrong = command.model->check(c);
  if (wrong) return fprintf(stderr, "gen: %s\n", wrong), 2;
  Status *status = guard_run(run, &command);
  if (!status && fflush(stdout) == 0) return 0;
  fprintf(stderr, "gen: %s\n",
          status ? status_message(status) : "stdout: not all could be written");
  status_free(status);
  return 2;
}
