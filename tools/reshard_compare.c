// reshard_compare FILE…: prices every sdy.reshard of Shardy's golden files. Compares the lower
// bound (bytes of their new tiles that devices lack), Shardy's sequence of collectives (from the
// file's CHECK lines), and our plan. Bytes are sent per device, on average; ours include padding.
// Seconds are predicted for the default network.
//
//   name   bound   Shardy's: multiple of the bound, us   ours: multiple of the bound, us   our
//   moves
//
// The last line has the multiple of the bound (median, worst) and the number of reshards that are
// slower than Shardy's sequence. Exits 1 if the median exceeds 1.10, the worst 1.5, or one is
// slower. A reshard that the CHECK lines leave as it is has no time to compare with. A reshard
// whose bound is 0 must send nothing.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cost/collectives.h"
#include "ops/op.h"
#include "parse/parse.h"
#include "propagate/propagate.h"
#include "reshard/pieces.h"
#include "reshard/reshard.h"

enum { MOST_STEPS = 16, MOST_ROWS = 1024 };

typedef struct Job {
  const char *path;
  char *text;
  Source source;
  Context *context;
  Diag diag;
  Program *program;
  ShardingTable *table;
  Propagation *propagation;
  double *ratios, *theirs;
  uint32_t n, slower, wrong;
} Job;

// ---- Shardy's sequence ----

typedef struct TheirStep {
  char kind[24];
  Sharding to;
} TheirStep;

// Reads every `sdy.<kind> … out_sharding=<…>` of the function's CHECK lines. Returns their number;
// -1 if one of them is an sdy.reshard.
static int their_steps(Job *job, Guard *guard, const char *function, Type type, TheirStep *steps) {
  char label[256];
  snprintf(label, sizeof label, "CHECK-LABEL: func @%s\n", function);
  const char *at = strstr(job->text, label);
  if (!at) return -1;
  const char *end = strstr(at + strlen(label), "CHECK-LABEL");
  if (!end) end = job->text + job->source.size;
  int n = 0;
  for (const char *line = at; line < end; line = strchr(line, '\n') + 1) {
    const char *stop = strchr(line, '\n');
    const char *check = strstr(line, "// CHECK-NEXT:");
    const char *op = check && check < stop ? strstr(check, "sdy.") : NULL;
    if (!op || op > stop) continue;
    char kind[24];
    if (sscanf(op, "sdy.%20[a-z_]", kind) != 1) continue;
    if (strcmp(kind, "propagation_barrier") == 0) continue;
    if (strcmp(kind, "reshard") == 0) return -1;
    const char *text = strstr(op, "out_sharding=<");
    if (!text || text > stop || n == MOST_STEPS) return -1;
    text += strlen("out_sharding=");
    int length = (int)(stop - text);
    const char *last = memchr(text, '>', (size_t)length);
    char attr_text[256];
    snprintf(attr_text, sizeof attr_text, "#sdy.sharding%.*s%s", last ? (int)(last - text) : length,
             text, ">");
    Attr attr;
    Status *status = attr_parse_text(job->context, guard, attr_text, &job->diag, &attr);
    if (!status) status = sharding_from_attr(job->table, attr, type, &steps[n].to);
    if (status) {
      fprintf(stderr, "%s: %s\n", attr_text, status_message(status));
      status_free(status);
      return -1;
    }
    snprintf(steps[n++].kind, sizeof steps->kind, "%s", kind);
  }
  return n;
}

static double tile_bytes(Job *job, Sharding sharding, Type type) {
  const TypeInfo *info = type_info(job->context, type);
  int64_t dims[64];
  double bytes = (double)dtype_bytes(type_dtype(job->context, type));
  if (sharding) sharding_local_dims(job->table, sharding, info->dims, dims);
  for (uint32_t d = 0; d < info->rank; d++) bytes *= (double)(sharding ? dims[d] : info->dims[d]);
  return bytes;
}

// The number of devices in a group: by what factor the dimensions that lose axes have fewer tiles.
static uint32_t group_size(Job *job, Sharding from, Sharding to) {
  const ShardingInfo *a = sharding_info(job->table, from), *b = sharding_info(job->table, to);
  int64_t n = 1;
  for (uint32_t d = 0; d < a->rank; d++)
    if (sharding_tiles(a, d) > sharding_tiles(b, d))
      n *= sharding_tiles(a, d) / sharding_tiles(b, d);
  return (uint32_t)n;
}

static double their_seconds(Job *job, const TheirStep *step, Sharding from, Type type) {
  Link link = network_default.all;
  double held = tile_bytes(job, from, type), after = tile_bytes(job, step->to, type);
  uint32_t n = group_size(job, from, step->to);
  Route route = route_flat(link, n);
  if (strcmp(step->kind, "all_gather") == 0)
    return collective_price(OP_all_gather, &route, held).seconds;
  if (strcmp(step->kind, "all_to_all") == 0)
    return collective_price(OP_all_to_all, &route, held > after ? held : after).seconds;
  if (strcmp(step->kind, "collective_permute") == 0) return network_permute(link, held);
  return 1e-9;
}

// ---- one reshard ----

static const char *moves_text(const ReshardPlan *plan, Arena *arena) {
  const char *text = "";
  for (uint32_t i = 0; i < plan->n_moves; i++) {
    const Move *move = &plan->moves[i];
    const char *name = move_name(move->kind);
    if (move->kind == MOVE_PIECES) name = arena_printf(arena, "%u pieces", move->n_rounds);
    text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", name);
  }
  return text;
}

static Status *compare(Job *job, Guard *guard, Arena *arena, const char *name, Sharding from,
                       Sharding to, Type type) {
  const TypeInfo *info = type_info(job->context, type);
  double element = (double)dtype_bytes(type_dtype(job->context, type));
  bool one_device = sharding_is_maximal(job->table, from) || sharding_is_maximal(job->table, to);
  if (one_device) {
    printf("%-64s from one device or to it: not counted\n", name);
    return NULL;
  }
  double least = pieces_lack(job->table, from, to, info->rank, info->dims, element);
  ReshardPlan plan;
  TRY(reshard_plan(job->table, &network_default, from, to, type, arena, &plan));
  if (least == 0) {
    if (plan.price.bytes > 0) {
      printf("%-64s moves %g bytes in vain\n", name, plan.price.bytes);
      job->wrong++;
    }
    return NULL;
  }
  TheirStep steps[MOST_STEPS];
  int n = their_steps(job, guard, name, type, steps);
  double seconds = 0, bytes = 0;
  Sharding now = from;
  for (int i = 0; i < n; i++) {
    seconds += their_seconds(job, &steps[i], now, type);
    bytes += pieces_lack(job->table, now, steps[i].to, info->rank, info->dims, element);
    now = steps[i].to;
  }
  bool slower = n > 0 && plan.price.seconds > 1.001 * seconds;
  printf("%-64s %7.0f ", name, least);
  if (n > 0)
    printf("%6.2f %6.2f ", bytes / least, seconds * 1e6);
  else
    printf("%6s %6s ", "-", "-");
  printf("%6.2f %6.2f%s  %s\n", plan.price.bytes / least, plan.price.seconds * 1e6,
         slower ? " slower" : "", moves_text(&plan, arena));
  job->slower += slower;
  job->theirs[job->n] = n > 0 ? bytes / least : 0;
  job->ratios[job->n++] = plan.price.bytes / least;
  return NULL;
}

// The sharding of a value, looking through propagation barriers.
static Sharding given_sharding(const Job *job, OpId function, ValueId v) {
  const Program *p = job->program;
  OpId op = value_def(p, v);
  if (op && op_at(p, op)->code == OP_sdy_propagation_barrier)
    return given_sharding(job, function, op_operand(p, op, 0));
  const Graph *graph = propagation_graph(job->propagation);
  uint32_t instance = graph_instance_of(graph, function);
  PlaceId place = instance ? graph_place(graph, instance, v) : 0;
  const Given *given = place ? propagation_given(job->propagation, place) : NULL;
  return given ? given->sharding : 0;
}

static Status *walk(Job *job, Guard *guard, Arena *arena) {
  const Program *p = job->program;
  OpId function = 0;
  for (OpId o = p->root; o; o = op_walk_next(p, o, p->root)) {
    if (op_row(op_at(p, o)->code)->traits & TRAIT_FUNCTION) function = o;
    if (op_at(p, o)->code != OP_sdy_reshard || job->n == MOST_ROWS) continue;
    ValueId v = op_operand(p, o, 0);
    Sharding to;
    Type type = value_type(p, v);
    TRY(sharding_from_attr(job->table, op_attr(p, o, "sharding"), type, &to));
    Name name = attr_as_name(job->context, op_attr(p, function, "sym_name"));
    TRY(compare(job, guard, arena, name_text(job->context, name), given_sharding(job, function, v),
                to, type));
  }
  return NULL;
}

static Status *run(Guard *guard, void *arg) {
  Job *job = arg;
  TRY(file_read(job->path, FILE_MOST_TEXT, &job->text, &job->source.size));
  job->source.path = job->path;
  job->source.text = job->text;
  job->context = context_new(guard);
  diag_init(&job->diag, guard, &job->source);
  TRY(program_parse(job->context, guard, &job->source, 0, job->source.size, &(ParseOptions){0},
                    &job->diag, &job->program));
  job->table = sharding_table_new(job->context, guard);
  TRY(propagation_new(job->program, job->table, &(PropagateOptions){0}, guard, &job->diag,
                      &job->propagation));
  TRY(propagation_read(job->propagation, &job->diag));
  Arena arena;
  arena_init(&arena, guard);
  Status *status = walk(job, guard, &arena);
  arena_deinit(&arena);
  return status;
}

static int compare_doubles(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static double median(double *v, uint32_t n) {
  qsort(v, n, sizeof *v, compare_doubles);
  return n ? n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2 : 0;
}

int main(int argc, char **argv) {
  static double ratios[MOST_ROWS], theirs[MOST_ROWS];
  uint32_t n = 0, slower = 0, wrong = 0;
  printf("%-64s %7s %13s %13s\n", "", "least", "Shardy's  us", "ours      us");
  for (int i = 1; i < argc; i++) {
    Job job = {.path = argv[i], .ratios = ratios, .theirs = theirs, .n = n};
    Status *status = guard_run(run, &job);
    if (status) {
      fprintf(stderr, "%s: %s\n", argv[i], status_message(status));
      status_free(status);
      return 2;
    }
    propagation_free(job.propagation);
    program_free(job.program);
    sharding_table_free(job.table);
    diag_deinit(&job.diag);
    context_free(job.context);
    mem_free(job.text);
    n = job.n;
    slower += job.slower;
    wrong += job.wrong;
  }
  double middle = median(ratios, n), worst = n ? ratios[n - 1] : 0;
  uint32_t n_theirs = 0;  // reshards with a known sequence of Shardy's
  for (uint32_t i = 0; i < n; i++)
    if (theirs[i] > 0) theirs[n_theirs++] = theirs[i];
  double their_middle = median(theirs, n_theirs), their_worst = n_theirs ? theirs[n_theirs - 1] : 0;
  printf(
      "%u reshards move %.2f times the least in the median, %.2f at worst (Shardy's %.2f, %.2f); "
      "%u slower than Shardy's\n",
      n, middle, worst, their_middle, their_worst, slower);
  return !(n && middle <= 1.10 && worst <= 1.5 && slower == 0 && wrong == 0);
}
