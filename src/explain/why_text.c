// Explanations as text and as JSON (docs/why.md). Text prints an axis's chain from its annotation
// on. Of a chain longer than most_hops the beginning and the end are printed: `early`, found while
// the chain was built, ends the beginning, so printing costs O(most_hops) and not O(chain).
#include "ir/location_line.h"
#include "ops/op.h"
#include "explain/why_private.h"

// ---- text ----

// The SSA name and, for an argument, its path.
static void print_place_name(Why *why, PlaceId place, StrBuf *out) {
  ArenaMark mark = arena_mark(&why->scratch);
  why_print_name(why, place, out);
  Str path = why_path(why, place, &why->scratch);
  if (path.n) strbuf_printf(out, " '%.*s'", (int)path.n, path.s);
  arena_rewind(&why->scratch, mark);
}

static void print_dim(Why *why, PlaceId place, uint32_t dim, StrBuf *out) {
  strbuf_printf(out, "dim %u of ", dim);
  print_place_name(why, place, out);
}

static const Mesh *piece_mesh(const Why *why, const Piece *piece) {
  Sharding after = propagation_event(why->p, piece->event)->after;
  return sharding_mesh(why->table, sharding_info(why->table, after)->mesh);
}

static void print_axis(const Why *why, const Piece *piece, StrBuf *out) {
  axis_print(why->context, piece_mesh(why, piece), piece->axis, out);
}

static void print_op(Why *why, OpId op, StrBuf *out) {
  strbuf_puts(out, why_mnemonic(why, op));
  if (!why_has_op_place(why, op)) return;
  strbuf_puts(out, " at ");
  why_print_op_place(why, op, true, out);
}

// Prints the Python line of the op, if it can be read.
static void print_user_line(Why *why, OpId op, StrBuf *out) {
  enum { MOST_LETTERS = 100 };
  Str file, text;
  uint32_t line;
  if (!why->options.sources) return;
  if (!location_line(why->context, op_at(why->g->program, op)->loc, &file, &line)) return;
  if (!why_source_line(why, file, line, &text)) return;
  while (text.n && (text.s[0] == ' ' || text.s[0] == '\t')) text.s++, text.n--;
  while (text.n && (text.s[text.n - 1] == ' ' || text.s[text.n - 1] == '\r')) text.n--;
  if (!text.n) return;
  strbuf_puts(out, "      | ");
  for (size_t i = 0; i < text.n && i < MOST_LETTERS; i++)  // no control characters
    strbuf_putc(out, (unsigned char)text.s[i] < ' ' ? ' ' : text.s[i]);
  strbuf_putc(out, '\n');
}

static void print_hop(Why *why, uint32_t i, StrBuf *out) {
  const Piece *piece = why_piece(why, i), *source = why_piece(why, piece->source);
  NodeId node = propagation_event(why->p, piece->event)->node;
  strbuf_puts(out, "    ");
  print_op(why, why_node_op(why, node), out);
  strbuf_puts(out, ": ");
  print_dim(why, why_piece_place(why, piece->source), source->dim, out);
  strbuf_puts(out, " -> ");
  print_dim(why, why_piece_place(why, i), piece->dim, out);
  strbuf_putc(out, '\n');
  print_user_line(why, why_node_op(why, node), out);
}

// Prints how a chain begins: an annotation with its position, or manual axes.
static void print_origin(Why *why, uint32_t i, StrBuf *out) {
  const Piece *piece = why_piece(why, i);
  const Event *event = propagation_event(why->p, piece->event);
  if (piece->cause == PIECE_GIVEN) {
    strbuf_puts(out, "annotated ");
    why_print_given(why, event->place, out);
    if (event->cause == CAUSE_PRIORITY)
      strbuf_printf(out, " with priority %d", event->user_priority);
  } else if (piece->cause == PIECE_MANUAL) {
    strbuf_puts(out, "manual in ");
    print_op(why, why_node_op(why, event->node), out);
  } else {
    strbuf_puts(out, "of unknown origin");
  }
}

// Prints the last n hops of the chain that ends in piece i, oldest first.
static void print_hops(Why *why, uint32_t i, uint32_t n, StrBuf *out) {
  ArenaMark mark = arena_mark(&why->scratch);
  uint32_t *chain = ARENA_ARRAY(&why->scratch, uint32_t, (size_t)n + 1);
  for (uint32_t k = n; k; k--, i = why_piece(why, i)->source) chain[k - 1] = i;
  for (uint32_t k = 0; k < n; k++) print_hop(why, chain[k], out);
  arena_rewind(&why->scratch, mark);
}

// "dim 0 "model": from <origin>, through" and one line per hop.
static void print_piece(Why *why, uint32_t i, StrBuf *out) {
  const Piece *piece = why_piece(why, i);
  strbuf_printf(out, "  dim %u ", piece->dim);
  print_axis(why, piece, out);
  strbuf_puts(out, ": ");
  if (piece->hops) {
    strbuf_puts(out, "from ");
    print_dim(why, why_piece_place(why, piece->origin), why_piece(why, piece->origin)->dim, out);
    strbuf_puts(out, ", ");
  }
  print_origin(why, piece->origin, out);
  strbuf_puts(out, piece->hops ? ", through\n" : "\n");
  uint32_t n = piece->hops, most = why->options.most_hops, half = most / 2;
  if (n <= most + 1) {
    print_hops(why, i, n, out);
    return;
  }
  print_hops(why, piece->early, most - half, out);
  strbuf_printf(out, "    ... %u more ops ...\n", n - most);
  print_hops(why, i, half, out);
}

// Adds the axis that blocks, and the annotation it comes from.
static void print_blocker(Why *why, const Conflict *c, StrBuf *out) {
  if (c->blocker == WHY_NONE) return;
  const Piece *piece = why_piece(why, c->blocker);
  strbuf_puts(out, "\n      blocked by ");
  print_axis(why, piece, out);
  strbuf_puts(out, " on ");
  print_dim(why, why_piece_place(why, c->blocker), piece->dim, out);
  if (piece->origin != c->blocker) {
    strbuf_puts(out, ", which is from ");
    print_dim(why, why_piece_place(why, piece->origin), why_piece(why, piece->origin)->dim, out);
  }
  strbuf_puts(out, ", ");
  print_origin(why, piece->origin, out);
  if (c->won > WON_GIVEN) strbuf_printf(out, "; %s", won_text((Won)c->won));
}

static const Mesh *node_mesh(Why *why, const Conflict *c) {
  PlaceId place = node_tensors(why->g, c->node)[c->has];
  Sharding s = why_seen(why, c->node, c->has, propagation_get(why->p, place));
  return sharding_mesh(why->table, sharding_info(why->table, s)->mesh);
}

// "dim 1 did not take "model", which dim 0 of %w has (dot_general at …): <reason>".
static void print_conflict(Why *why, const Conflict *c, StrBuf *out) {
  const PlaceId *tensors = node_tensors(why->g, c->node);
  if (c->reason == CONFLICT_MESH) {
    strbuf_puts(out, "  no axes propagate between this value and ");
    print_place_name(why, tensors[c->has], out);
  } else {
    strbuf_printf(out, "  dim %u did not take ", c->lacks_dim);
    axes_print(why->context, node_mesh(why, c), c->axes, out);
    strbuf_puts(out, ", which ");
    print_dim(why, tensors[c->has], c->has_dim, out);
    strbuf_puts(out, " has");
  }
  strbuf_puts(out, " (");
  print_op(why, why_node_op(why, c->node), out);
  strbuf_printf(out, "): %s", conflict_text((ConflictReason)c->reason));
  if (c->reason == CONFLICT_CLOSED || c->reason == CONFLICT_REPLICATED) {
    strbuf_puts(out, ", as annotated ");
    why_print_given(why, tensors[c->lacks], out);
  }
  print_blocker(why, c, out);
  strbuf_putc(out, '\n');
}

enum { MOST_CALLS = 16 };  // limit on printed nesting: every value of a callee repeats its calls

static void print_calls(Why *why, PlaceId place, StrBuf *out) {
  const Graph *g = why->g;
  const char *word = "  called at ";
  uint32_t n = 0;
  for (InstanceId i = why_instance(why, place); g->instances[i].caller;
       i = g->instances[i].caller) {
    if (n++ == MOST_CALLS) {
      strbuf_puts(out, ", ...");
      break;
    }
    strbuf_puts(out, word);
    why_print_op_place(why, g->instances[i].call, true, out);
    word = ", from ";
  }
}

// Name, type, sharding, call stack, and other values with the same place.
static void print_head(Why *why, PlaceId place, StrBuf *out) {
  enum { MOST_ALSO = 6 };
  const ValueId *also;
  Sharding sharding = propagation_get(why->p, place);
  print_place_name(why, place, out);
  strbuf_puts(out, " : ");
  type_print(why->context, why->g->places[place].type, out);
  strbuf_puts(out, "  ");
  if (sharding)
    sharding_print(why->table, sharding, out);
  else
    strbuf_puts(out, "no sharding");
  print_calls(why, place, out);
  strbuf_putc(out, '\n');
  uint32_t n = why_also(why, place, &also);
  for (uint32_t i = 0; i < n && i < MOST_ALSO; i++) {
    strbuf_puts(out, i ? ", " : "  must have the same sharding as ");
    why_print_value(why, also[i], out);
  }
  if (n) strbuf_puts(out, n > MOST_ALSO ? ", ...\n" : "\n");
}

// Prints pieces and conflicts by dimension. why_print_all indexes the conflicts first, so that no
// node is projected once per neighbour.
void why_print_place(Why *why, PlaceId place, StrBuf *out) {
  ArenaMark mark = arena_mark(&why->scratch);
  const uint32_t *pieces;
  Conflicts conflicts = {0};
  uint32_t n = why_pieces(why, place, &why->scratch, &pieces);
  why_place_conflicts(why, place, &why->scratch, &conflicts);
  print_head(why, place, out);
  uint32_t rank = type_info(why->context, why->g->places[place].type)->rank;
  for (uint32_t d = 0; d < rank; d++) {
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
      if (why_piece(why, pieces[i])->dim != d) continue;
      print_piece(why, pieces[i], out);
      any = true;
    }
    for (uint32_t i = 0; i < conflicts.count; i++) {
      const Conflict *c = &conflicts.items[i];
      if (c->lacks_dim != d) continue;
      print_conflict(why, c, out);
      any = true;
    }
    if (!any)
      strbuf_printf(out, "  dim %u: no axes: no op that defines or uses this value offers one\n",
                    d);
  }
  arena_rewind(&why->scratch, mark);
}

void why_print_all(Why *why, StrBuf *out) {
  why_index_conflicts(why);
  for (PlaceId place = 1; place < why->g->n_places; place++)
    if (propagation_get(why->p, place)) why_print_place(why, place, out);
}

// ---- JSON ----

typedef void (*Print)(Why *why, uint32_t id, StrBuf *out);

// Writes a key whose value is printed by `print`; nothing if that prints nothing.
static void json_printed(Why *why, Json *json, const char *key, Print print, uint32_t id,
                         StrBuf *text) {
  text->used = 0;
  print(why, id, text);
  if (!text->used) return;
  json_key(json, key);
  json_str(json, (Str){text->data, text->used});
}

static void print_type_of(Why *why, uint32_t place, StrBuf *out) {
  type_print(why->context, why->g->places[place].type, out);
}
static void print_sharding_of(Why *why, uint32_t place, StrBuf *out) {
  Sharding sharding = propagation_get(why->p, place);
  if (sharding) sharding_print(why->table, sharding, out);
}
static void print_piece_axis(Why *why, uint32_t piece, StrBuf *out) {
  print_axis(why, why_piece(why, piece), out);
}
static void print_at(Why *why, uint32_t op, StrBuf *out) {
  why_print_op_place(why, op, false, out);
}
static void print_user(Why *why, uint32_t op, StrBuf *out) {
  Str file;
  uint32_t line;
  if (location_line(why->context, op_at(why->g->program, op)->loc, &file, &line))
    strbuf_printf(out, "%.*s:%u", (int)file.n, file.s, line);
}
static void print_op_name(Why *why, uint32_t op, StrBuf *out) {
  strbuf_puts(out, op_name(why->g->program, op));
}

static void json_op(Why *why, Json *json, OpId op, StrBuf *text) {
  json_printed(why, json, "op", print_op_name, op, text);
  json_printed(why, json, "at", print_at, op, text);
  json_printed(why, json, "source", print_user, op, text);
}

// `named` adds the value's name, for output without a list of places.
static void json_dim(Why *why, Json *json, const char *key, PlaceId place, uint32_t dim, bool named,
                     StrBuf *text) {
  json_key(json, key);
  json_open(json, '{');
  json_key(json, "id");
  json_uint(json, place);
  if (named) json_printed(why, json, "value", why_print_name, place, text);
  json_key(json, "dim");
  json_uint(json, dim);
  json_close(json, '}');
}

static const char *const cause_words[] = {[PIECE_GIVEN] = "annotation",
                                          [PIECE_MANUAL] = "manual",
                                          [PIECE_STEP] = "op",
                                          [PIECE_UNKNOWN] = "unknown"};

static void json_given(Why *why, Json *json, PlaceId place, StrBuf *text) {
  const Given *given = propagation_given(why->p, place);
  uint32_t line, column;
  json_key(json, "given");
  json_open(json, '{');
  OpId constraint;
  if (why_given_pos(why, place, &line, &column, &constraint)) {
    text->used = 0;
    strbuf_printf(text, "%s:%u:%u", why->g->program->source->path, line, column);
    json_key(json, "at");
    json_str(json, (Str){text->data, text->used});
  }
  if (given && given->from.n) {
    json_key(json, "by");
    json_str(json, given->from);
  }
  json_close(json, '}');
}

// One step of a chain: the op and factor, or the annotation; and its source.
static void json_step(Why *why, Json *json, uint32_t i, bool named, StrBuf *text) {
  const Piece *piece = why_piece(why, i);
  const Event *event = propagation_event(why->p, piece->event);
  json_key(json, "cause");
  json_string(json, cause_words[piece->cause]);
  if (event->cause == CAUSE_NODE) {
    json_op(why, json, why_node_op(why, event->node), text);
    json_key(json, "factor");
    json_uint(json, piece->factor);
  } else {
    json_given(why, json, event->place, text);
  }
  if (piece->source != WHY_NONE)
    json_dim(why, json, "from", why_piece_place(why, piece->source),
             why_piece(why, piece->source)->dim, named, text);
}

// One axis: with `chain` every hop back to the annotation, otherwise its source and origin.
static void json_piece(Why *why, Json *json, uint32_t i, bool chain, StrBuf *text) {
  const Piece *piece = why_piece(why, i);
  json_open(json, '{');
  json_key(json, "dim");
  json_uint(json, piece->dim);
  json_printed(why, json, "axis", print_piece_axis, i, text);
  json_step(why, json, i, chain, text);
  if (piece->hops) {
    const Piece *origin = why_piece(why, piece->origin);
    json_key(json, "hops");
    json_uint(json, piece->hops);
    json_dim(why, json, "origin", why_piece_place(why, piece->origin), origin->dim, chain, text);
  }
  if (chain && piece->hops) {
    json_key(json, "chain");
    json_open(json, '[');
    for (uint32_t at = piece->source; at != WHY_NONE; at = why_piece(why, at)->source) {
      json_open(json, '{');
      json_key(json, "id");
      json_uint(json, why_piece_place(why, at));
      json_printed(why, json, "value", why_print_name, why_piece_place(why, at), text);
      json_key(json, "dim");
      json_uint(json, why_piece(why, at)->dim);
      json_step(why, json, at, true, text);
      json_close(json, '}');
    }
    json_close(json, ']');
  }
  json_close(json, '}');
}

static void json_conflict(Why *why, Json *json, const Conflict *c, bool named, StrBuf *text) {
  json_open(json, '{');
  if (c->reason != CONFLICT_MESH) {
    json_key(json, "dim");
    json_uint(json, c->lacks_dim);
    text->used = 0;
    axes_print(why->context, node_mesh(why, c), c->axes, text);
    json_key(json, "axes");
    json_str(json, (Str){text->data, text->used});
  }
  json_dim(why, json, "from", node_tensors(why->g, c->node)[c->has], c->has_dim, named, text);
  json_op(why, json, why_node_op(why, c->node), text);
  json_key(json, "reason");
  json_string(json, conflict_word((ConflictReason)c->reason));
  if (c->blocker != WHY_NONE) {
    json_printed(why, json, "blocking_axis", print_piece_axis, c->blocker, text);
    json_dim(why, json, "blocker", why_piece_place(why, c->blocker),
             why_piece(why, c->blocker)->dim, named, text);
  }
  if (c->won) {
    json_key(json, "won");
    json_string(json, won_word((Won)c->won));
  }
  json_close(json, '}');
}

// The call sites from the place's instance outwards, at most MOST_CALLS.
static void json_calls(Why *why, Json *json, PlaceId place, StrBuf *text) {
  const Graph *g = why->g;
  InstanceId instance = why_instance(why, place);
  if (!g->instances[instance].caller) return;
  json_key(json, "calls");
  json_open(json, '[');
  uint32_t n = 0;
  for (InstanceId i = instance; g->instances[i].caller && n < MOST_CALLS;
       i = g->instances[i].caller, n++) {
    text->used = 0;
    why_print_op_place(why, g->instances[i].call, false, text);
    json_str(json, (Str){text->data, text->used});
  }
  json_close(json, ']');
}

// chain: full chains and names, for one place. Otherwise ids only, and nothing for a place without
// sharding and conflicts.
static void json_place(Why *why, Json *json, PlaceId place, bool chain, StrBuf *text) {
  const Place *at = &why->g->places[place];
  const Program *p = why->g->program;
  ArenaMark mark = arena_mark(&why->scratch);
  const uint32_t *pieces;
  Conflicts conflicts = {0};
  uint32_t n = why_pieces(why, place, &why->scratch, &pieces);
  why_place_conflicts(why, place, &why->scratch, &conflicts);
  if (!chain && !propagation_get(why->p, place) && !conflicts.count) {
    arena_rewind(&why->scratch, mark);
    return;
  }
  if (!chain) strbuf_putc(json->out, '\n');  // a place per line
  json_open(json, '{');
  json_key(json, "id");
  json_uint(json, place);
  json_printed(why, json, "value", why_print_name, place, text);
  json_key(json, "function");
  json_str(json, why_function_name(why, why->g->instances[why_instance(why, place)].function));
  Str path = why_path(why, place, &why->scratch);
  if (path.n) {
    json_key(json, "path");
    json_str(json, path);
  }
  json_calls(why, json, place, text);
  json_printed(why, json, "type", print_type_of, place, text);
  if (at->value && value_def(p, at->value)) json_op(why, json, value_def(p, at->value), text);
  json_printed(why, json, "sharding", print_sharding_of, place, text);
  json_key(json, "axes");
  json_open(json, '[');
  for (uint32_t i = 0; i < n; i++) json_piece(why, json, pieces[i], chain, text);
  json_close(json, ']');
  json_key(json, "not_taken");
  json_open(json, '[');
  for (uint32_t i = 0; i < conflicts.count; i++)
    json_conflict(why, json, &conflicts.items[i], chain, text);
  json_close(json, ']');
  json_close(json, '}');
  arena_rewind(&why->scratch, mark);
}

void why_json_place(Why *why, PlaceId place, Json *json) {
  StrBuf text;
  strbuf_init(&text, why->guard);
  GuardCleanup cleanup = {strbuf_release, &text, NULL};
  guard_push(why->guard, &cleanup);
  json_place(why, json, place, true, &text);
  guard_pop(why->guard, &cleanup);
  strbuf_deinit(&text);
}

void why_json_all(Why *why, StrBuf *out) {
  StrBuf text;
  Json json = {.out = out};
  strbuf_init(&text, why->guard);
  GuardCleanup cleanup = {strbuf_release, &text, NULL};
  guard_push(why->guard, &cleanup);
  why_index_conflicts(why);
  json_open(&json, '{');
  json_key(&json, "why");
  json_int(&json, 1);
  if (why->g->program->source) {
    json_key(&json, "file");
    json_string(&json, why->g->program->source->path);
  }
  json_key(&json, "places");
  json_open(&json, '[');
  for (PlaceId place = 1; place < why->g->n_places; place++) {
    json_place(why, &json, place, false, &text);
  }
  json_close(&json, ']');
  json_close(&json, '}');
  json_newline(&json);
  guard_pop(why->guard, &cleanup);
  strbuf_deinit(&text);
}
