// Inside of the reader: one token of lookahead over the text, and a function per kind of thing that
// can be read. Used by the files of parse/ only.
//
// Every `bool reader_…` gives false after it has reported an error with its position; the caller
// returns false at once and the op reader recovers at the next op. Values are defined before they
// are used, so a use is resolved to its ValueId as soon as it is read, and its type is checked when
// the type has been read.
#ifndef TESSERA_PARSE_READER_H
#define TESSERA_PARSE_READER_H

#include "parse/parse.h"

#include "base/idmap.h"
#include "base/vec.h"
#include "ops/op.h"

typedef enum Tok {
  TOK_END,         // of the segment
  TOK_ERROR,       // already reported
  TOK_WORD,        // add, stablehlo.add, i32, true, dense: letter or _, then letters, digits, _ $ .
  TOK_INT,         // 12, 0x1F
  TOK_FLOAT,       // 1.5, 1., 2.0e-3: digits, a point, …
  TOK_STRING,      // "…": text has the quotes; reader_string decodes
  TOK_VALUE,       // %name
  TOK_SYMBOL,      // @name, @"name"
  TOK_HASH,        // #name, #dialect.name (also the #1 of %3#1)
  TOK_BANG,        // !name, !dialect.name
  TOK_CARET,       // ^bb0
  TOK_ARROW,       // ->
  TOK_DCOLON,      // ::
  TOK_ELLIPSIS,    // ...
  TOK_FILE_BEGIN,  // {-#
  TOK_FILE_END,    // #-}
  TOK_PUNCT,       // one character: token.punct is one of : , = < > { } ( ) [ ] + - ? * / |
} Tok;

typedef struct Token {
  Tok kind;
  char punct;  // of TOK_PUNCT, else 0
  Pos pos;
  Str text;  // whole, with its % @ # ! ^ or quotes
} Token;

typedef VEC(int64_t) IntVec;
typedef VEC(Type) TypeVec;

// A name on the left side of '=': `%a` or `%a:2`.
typedef struct ReadName {
  Name name;
  uint32_t count;
  Pos pos;
} ReadName;

// `#x = …` or `!x = …`. All are found before anything else is read, so they may be used before
// their line.
typedef struct ReadAlias {
  Name name;
  bool is_type;
  enum { ALIAS_UNREAD, ALIAS_READING, ALIAS_READ, ALIAS_WRONG } state;
  uint32_t value;           // Attr or Type
  Pos pos;                  // of the name
  const char *begin, *end;  // of the value's text; end once read
  uint64_t letters;         // of the value written out, with what its own aliases stand for
} ReadAlias;

// A visible SSA name; `outer` is the binding of the same name that it hides, as an index.
typedef struct ReadBinding {
  Name name;
  uint32_t outer;
  ValueId first;  // 0: its op did not read, uses of it fail without another message
  uint32_t count;
  Pos pos;
} ReadBinding;

typedef struct ReadArg {  // an entry argument of a region
  Name name;              // without '%'; 0 = none
  Type type;
  Attr loc;
  Pos pos;
} ReadArg;

// An op being read. The op reader (read_ops.c) fills code, name and pos; whoever reads the rest
// (generic syntax or form_read) fills operands, attrs, result_types and regions; then the op reader
// adds default attributes, creates the op and binds the result names.
typedef struct ReadOp {
  uint16_t code;
  Name name;         // unregistered ops
  Pos pos;           // of the op's name
  uint32_t n_named;  // results named on the left side of '=' (packs counted), 0 = none
  Attr loc;
  VEC(ReadName) names;
  VEC(ValueId) operands;
  VEC(Pos) operand_pos;  // in step with operands
  VEC(NamedAttr) attrs;  // no name twice (reader_add_attr sees to it)
  TypeVec result_types;
  VEC(RegionId) regions;  // detached; moved into the op when it is created
} ReadOp;

typedef struct Reader {
  Context *context;
  Guard *guard;
  Program *program;
  const Source *source;
  const ParseOptions *options;
  Diag *diag;
  Arena *scratch;  // of the op at hand: rewound when it has been read; ReadOp's vectors are in it
  Token tok;       // the one at hand, not consumed yet
  const char *at;  // just behind tok
  const char *end;
  uint32_t depth, max_depth;
  bool failed;    // some op did not read
  bool poisoned;  // the op at hand uses a value whose op did not read: no message for it
  // private to read_ops.c and read_attrs.c
  HEAPVEC(uint32_t) by_name;      // Name -> index into bindings, 0 = none
  HEAPVEC(Name) by_number;        // the names of %0, %1, …: most uses need no hash; 0 = not yet
  HEAPVEC(ReadBinding) bindings;  // [0] is unused
  uint32_t scope_floor;           // bindings before it are hidden by an isolated op
  HEAPVEC(ReadAlias) aliases;     // [0] is unused
  uint64_t alias_letters;         // that the aliases used so far stand for
  IdMap alias_map, resource_map;
  HEAPVEC(RegionId) spare_regions;
  HEAPVEC(Attr) items;  // stacks of lists being read
  HEAPVEC(NamedAttr) fields;
  struct ReadTypeSlot *type_cache;
} Reader;

// ---- tokens (lexer.c) ----

void reader_next(Reader *r);  // consumes tok
// Puts the lexer at a character; tok becomes the token there. For syntax that is not made of tokens
// (`4x8xf32`).
void reader_seek(Reader *r, const char *at);
bool reader_fail(Reader *r, Pos pos, const char *fmt, ...)
    PRINTF_LIKE(3, 4);  // reports, gives false
// "expected <what>, found <token at hand>"; says nothing more at TOK_ERROR. Gives false.
bool reader_expected(Reader *r, const char *what);

static inline bool reader_at(const Reader *r, char punct) { return r->tok.punct == punct; }
static inline bool reader_accept(Reader *r, char punct) {
  if (r->tok.punct != punct) return false;
  reader_next(r);
  return true;
}
bool reader_expect(Reader *r, char punct);
bool reader_at_word(const Reader *r, const char *word);
bool reader_accept_word(Reader *r, const char *word);
bool reader_expect_word(Reader *r, const char *word);
static inline bool reader_accept_tok(Reader *r, Tok kind) {
  if (r->tok.kind != kind) return false;
  reader_next(r);
  return true;
}
bool reader_expect_tok(Reader *r, Tok kind, const char *what);

bool reader_word(Reader *r,
                 Str *out);  // any TOK_WORD: keywords, enum values; borrowed from the source
bool reader_string(Reader *r, Name *out);  // a string literal, decoded
bool reader_symbol(Reader *r, Name *out);  // @name or @"name", without '@'
// [+-]digits or hex within int64; `-` may be a token of its own.
bool reader_integer(Reader *r, int64_t *out);
bool reader_bool(Reader *r, bool *out);     // true, false, 1, 0
bool reader_float(Reader *r, double *out);  // decimal, integer, or hex bits of a double
// `[1, 2, 3]`, also `[]`. The values are in r->scratch.
bool reader_integer_list(Reader *r, IntVec *out);
// Enters one level of nesting; false with "nested deeper than N" beyond the limit. Leave with
// r->depth--.
bool reader_enter(Reader *r);

// ---- types (read_types.c) ----

bool reader_type(Reader *r, Type *out);
bool reader_type_list(Reader *r, TypeVec *out);  // T, U, V (at least one), appended
// (T, U) -> V   or  (T, U) -> (V, W); appended to both
bool reader_functional_type(Reader *r, TypeVec *inputs, TypeVec *results);
// `-> T` or `-> (T, U)` behind the arrow
bool reader_result_types(Reader *r, TypeVec *results);
// A dimension list `4x?x` up to and including its last x, from the token at hand, as inside
// tensor<…>.
bool reader_dims(Reader *r, IntVec *out);

// ---- attributes and locations (read_attrs.c) ----

// expected: the type an untyped number or dense constant takes (0: i64, f64, or none).
bool reader_attr(Reader *r, Type expected, Attr *out);
// `{a = 1, b}`: appended to op->attrs; a name twice is an error. Nothing if there is no '{' at
// hand.
bool reader_attr_dict(Reader *r, ReadOp *op);
bool reader_dict(Reader *r,
                 Attr *out);  // `{…}` as a value; the empty one is an attribute too, not 0
// The same behind the word `attributes`.
bool reader_attr_dict_with_keyword(Reader *r, ReadOp *op);
// Adds one attribute to the op; an error at pos if the name is there already.
bool reader_add_attr(Reader *r, ReadOp *op, Pos pos, const char *name, Attr value);
Attr reader_op_attr(Reader *r, const ReadOp *op, const char *name);  // one added before, or 0
void reader_set_attr(Reader *r, ReadOp *op, const char *name, Attr value);  // adds or replaces
// `loc(…)`.
bool reader_loc(Reader *r, Attr *out);
bool reader_optional_loc(Reader *r, Attr *out);  // 0 if there is none or it is unknown

// ---- values, regions, ops (read_ops.c) ----

// %name or %name#2: appended to op->operands.
bool reader_operand(Reader *r, ReadOp *op);
bool reader_operand_list(Reader *r, ReadOp *op);  // %a, %b, … up to what is no %value; may be empty
// Takes the use without adding it to an op.
bool reader_value(Reader *r, ValueId *out);
// %name as the definition of an argument: `%x` alone, or with its type `%x: T` and location.
bool reader_arg_name(Reader *r, ReadArg *out);
bool reader_arg(Reader *r, ReadArg *out);
// Reports unless operand i has this type; for operands read before their types.
bool reader_check_type(Reader *r, const ReadOp *op, uint32_t i, Type type);
// Operands first … first + n - 1 against types; the numbers must agree too.
bool reader_check_types(Reader *r, const ReadOp *op, uint32_t first, uint32_t n, const Type *types,
                        uint32_t n_types, Pos types_pos);
static inline Type reader_operand_type(const Reader *r, const ReadOp *op, uint32_t i) {
  return value_type(r->program, op->operands.items[i]);
}
// `{ ops }` appended to op->regions, its entry block with these arguments (names bound inside).
// Without given arguments the entry block may be labelled `^bb0(%x: T):`. `{}` is an empty region
// if there are no arguments.
bool reader_region(Reader *r, ReadOp *op, uint32_t n_args, const ReadArg *args);
// A region of one block with the arguments for ops that the form makes itself (`applies
// stablehlo.add`): gives the block; add its arguments with block_add_arg and ops with op_create and
// op_append.
BlockId reader_region_made(Reader *r, ReadOp *op);

void reader_region_empty(Reader *r, ReadOp *op);  // without a block, as declarations have

// One op, appended to the block. One that does not read is reported and passed over; false if there
// is no place in this block to go on from.
bool reader_op(Reader *r, BlockId block);

// What follows the names of these ops in their own syntax (read_func.c).
bool reader_module(Reader *r, ReadOp *op);
bool reader_func(Reader *r, ReadOp *op);
bool reader_call(Reader *r, ReadOp *op);
bool reader_return(Reader *r, ReadOp *op);

// ---- aliases (read_attrs.c) ----

void reader_find_aliases(Reader *r);  // looks for lines that define one, from r->at on
void reader_read_aliases(Reader *r);  // reads all of them in order
ReadAlias *reader_alias(Reader *r, Name name, bool is_type);  // NULL if there is none
bool reader_use_alias(Reader *r, ReadAlias *alias, Pos pos, uint32_t *out);
// The text from `from` up to behind the bracket that closes the one at r->tok; r->tok is then the
// token behind it.
bool reader_balanced(Reader *r, const char *from, Str *out);
// Decodes hex digits to bytes; false if one is none. O(n).
bool hex_decode(const char *digits, size_t n_bytes, uint8_t *out);

// ---- what forms provide (form.c, dialect_attrs.c) ----

// Reads what follows the name of an op in pretty form, up to but without the trailing location.
bool form_read(Reader *r, uint16_t code, ReadOp *op);
// Drops attributes that say what their absence says, of ops that have a pretty form: the form
// leaves them out, and equal programs must be equal however they were written. Called before the op
// is created.
void form_drop_defaults(Reader *r, ReadOp *op);
// name: "stablehlo", "stablehlo.gather", "sdy.sharding" …; the token at hand is the one behind
// #name (mostly '<'). Not known: true with *out = 0 and nothing consumed; the text is then kept as
// it stands.
bool dialect_attr_read(Reader *r, Str name, Attr *out);

#endif
