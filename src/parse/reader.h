// Internals of the reader: one token of lookahead over the text, and a function per syntactic
// element. For files of parse/ only.
//
// Every `bool reader_…` returns false after it has reported an error with its position. The caller
// returns false at once, and the op reader recovers at the next op. Values are defined before they
// are used, so a use is resolved to its ValueId when it is read; its type is checked when the type
// has been read.
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
  Str text;  // complete, with its % @ # ! ^ or quotes
} Token;

typedef VEC(int64_t) IntVec;
typedef VEC(Type) TypeVec;

// A name on the left side of '=': `%a` or `%a:2`.
typedef struct ReadName {
  Name name;
  uint32_t count;
  Pos pos;
} ReadName;

// `#x = …` or `!x = …`. All definitions are found before anything else is read, so they may be used
// before their line.
typedef struct ReadAlias {
  Name name;
  bool is_type;
  enum { ALIAS_UNREAD, ALIAS_READING, ALIAS_READ, ALIAS_WRONG } state;
  uint32_t value;           // Attr or Type
  Pos pos;                  // of the name
  const char *begin, *end;  // of the value's text; end is set after reading
  uint64_t chars;           // size of the expanded value, with the aliases it uses
} ReadAlias;

// A visible SSA name. `outer` is the index of the binding of the same name that it hides.
typedef struct ReadBinding {
  Name name;
  uint32_t outer;
  ValueId first;  // 0: its op failed; uses of it fail without a report
  uint32_t count;
  Pos pos;
} ReadBinding;

typedef struct ReadArg {  // an entry argument of a region
  Name name;              // without '%'; 0 = none
  Type type;
  Attr loc;
  Pos pos;
} ReadArg;

// An op being read. The op reader (read_ops.c) fills code, name and pos. Generic syntax or
// form_read fills operands, attrs, result_types and regions. Then the op reader adds default
// attributes, creates the op and binds the result names.
typedef struct ReadOp {
  uint16_t code;
  Name name;         // unregistered ops
  Pos pos;           // of the op's name
  uint32_t n_named;  // results named before '=' (groups counted); 0 = none
  Attr loc;
  VEC(ReadName) names;
  VEC(ValueId) operands;
  VEC(Pos) operand_pos;  // parallel to operands
  VEC(NamedAttr) attrs;  // unique names (checked by reader_add_attr)
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
  Arena *scratch;  // of the current op: rewound after it; holds ReadOp's vectors
  Token tok;       // the current token, not consumed yet
  const char *at;  // just after tok
  const char *end;
  uint32_t depth, max_depth;
  bool failed;    // some op failed
  bool poisoned;  // the current op uses a value whose op failed: no report for it
  // private to read_ops.c and read_attrs.c
  HEAPVEC(uint32_t) by_name;  // Name -> index into bindings, 0 = none
  HEAPVEC(Name) by_number;    // interned names of %0, %1, …, to avoid hashing; 0 = not interned yet
  HEAPVEC(ReadBinding) bindings;  // [0] is unused
  uint32_t scope_floor;           // bindings before it are hidden by an isolated op
  HEAPVEC(ReadAlias) aliases;     // [0] is unused
  uint64_t alias_chars;           // total size of the aliases used so far, expanded
  IdMap alias_map, resource_map;
  HEAPVEC(RegionId) spare_regions;
  HEAPVEC(Attr) items;  // stacks for lists being read
  HEAPVEC(NamedAttr) fields;
  struct ReadTypeSlot *type_cache;
} Reader;

// ---- tokens (lexer.c) ----

void reader_next(Reader *r);  // consumes tok
// Moves the lexer to a character; tok becomes the token there. For syntax that is not made of
// tokens
// (`4x8xf32`).
void reader_seek(Reader *r, const char *at);
bool reader_fail(Reader *r, Pos pos, const char *fmt, ...)
    PRINTF_LIKE(3, 4);  // reports, gives false
// Reports "expected <what>, found <current token>"; nothing more at TOK_ERROR. Returns false.
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
// Reads `[1, 2, 3]`, also `[]`. The values are in r->scratch.
bool reader_integer_list(Reader *r, IntVec *out);
// Enters a level of nesting; reports "nested deeper than N" and returns false beyond the limit.
// Leave with r->depth--.
bool reader_enter(Reader *r);

// ---- types (read_types.c) ----

bool reader_type(Reader *r, Type *out);
bool reader_type_list(Reader *r, TypeVec *out);  // T, U, V (at least one), appended
// Reads (T, U) -> V or (T, U) -> (V, W); appends to both.
bool reader_functional_type(Reader *r, TypeVec *inputs, TypeVec *results);
// Reads `-> T` or `-> (T, U)`, from after the arrow.
bool reader_result_types(Reader *r, TypeVec *results);
// Reads a dimension list `4x?x` up to and including its last x, as inside tensor<…>.
bool reader_dims(Reader *r, IntVec *out);

// ---- attributes and locations (read_attrs.c) ----

// expected: the type of an untyped number or dense constant (0: i64, f64, or none).
bool reader_attr(Reader *r, Type expected, Attr *out);
// Reads `{a = 1, b}` into op->attrs; a duplicate name is an error. Reads nothing without a '{'.
bool reader_attr_dict(Reader *r, ReadOp *op);
bool reader_dict(Reader *r,
                 Attr *out);  // `{…}` as a value; the empty one is an attribute too, not 0
// The same after the keyword `attributes`.
bool reader_attr_dict_with_keyword(Reader *r, ReadOp *op);
// Adds one attribute to the op; an error at pos if the name exists.
bool reader_add_attr(Reader *r, ReadOp *op, Pos pos, const char *name, Attr value);
Attr reader_op_attr(Reader *r, const ReadOp *op,
                    const char *name);  // an attribute added before, or 0
void reader_set_attr(Reader *r, ReadOp *op, const char *name, Attr value);  // adds or replaces
// `loc(…)`.
bool reader_loc(Reader *r, Attr *out);
bool reader_optional_loc(Reader *r, Attr *out);  // 0 if there is none or it is unknown

// ---- values, regions, ops (read_ops.c) ----

// Reads %name or %name#2 into op->operands.
bool reader_operand(Reader *r, ReadOp *op);
bool reader_operand_list(Reader *r, ReadOp *op);  // %a, %b, … while values follow; may be empty
// Reads a use without adding it to an op.
bool reader_value(Reader *r, ValueId *out);
// Reads the definition of an argument: `%x` alone, or `%x: T` with its location.
bool reader_arg_name(Reader *r, ReadArg *out);
bool reader_arg(Reader *r, ReadArg *out);
// Reports if operand i has another type; for operands that are read before their types.
bool reader_check_type(Reader *r, const ReadOp *op, uint32_t i, Type type);
// Checks operands first … first + n - 1 against the types, and their number.
bool reader_check_types(Reader *r, const ReadOp *op, uint32_t first, uint32_t n, const Type *types,
                        uint32_t n_types, Pos types_pos);
static inline Type reader_operand_type(const Reader *r, const ReadOp *op, uint32_t i) {
  return value_type(r->program, op->operands.items[i]);
}
// Reads `{ ops }` into op->regions; the entry block gets these arguments (names are bound inside).
// Without given arguments the entry block may have a label `^bb0(%x: T):`. `{}` is an empty region
// if there are no arguments.
bool reader_region(Reader *r, ReadOp *op, uint32_t n_args, const ReadArg *args);
// Adds a region of one block for ops that the form itself makes (`applies stablehlo.add`), and
// returns the block. Fill it with block_add_arg, op_create and op_append.
BlockId reader_region_made(Reader *r, ReadOp *op);

void reader_region_empty(Reader *r, ReadOp *op);  // without a block, as in declarations

// Reads one op into the block. An op that fails is reported and skipped; returns false if parsing
// cannot continue in this block.
bool reader_op(Reader *r, BlockId block);

// Read what follows the names of these ops in their own syntax (read_func.c).
bool reader_module(Reader *r, ReadOp *op);
bool reader_func(Reader *r, ReadOp *op);
bool reader_call(Reader *r, ReadOp *op);
bool reader_return(Reader *r, ReadOp *op);

// ---- aliases (read_attrs.c) ----

void reader_find_aliases(Reader *r);  // finds lines that define an alias, from r->at on
void reader_read_aliases(Reader *r);  // reads all aliases in order
ReadAlias *reader_alias(Reader *r, Name name, bool is_type);  // NULL if there is none
bool reader_use_alias(Reader *r, ReadAlias *alias, Pos pos, uint32_t *out);
// The text from `from` to the bracket that closes the one at r->tok, inclusive. r->tok is then the
// token after it.
bool reader_balanced(Reader *r, const char *from, Str *out);
// Decodes hex digits to bytes; false if a character is no digit. O(n).
bool hex_decode(const char *digits, size_t n_bytes, uint8_t *out);

// ---- provided by form.c and dialect_attrs.c ----

// Reads what follows an op's name in pretty form, without the trailing location.
bool form_read(Reader *r, uint16_t code, ReadOp *op);
// Drops attributes that equal their defaults, for ops with a pretty form: the form omits them, and
// equal programs must be equal however they were written. Called before the op is created.
void form_drop_defaults(Reader *r, ReadOp *op);
// name: "stablehlo", "stablehlo.gather", "sdy.sharding" …; the current token follows #name (mostly
// '<'). An unknown name gives true with *out = 0 and nothing consumed; the text is then kept as it
// is.
bool dialect_attr_read(Reader *r, Str name, Attr *out);

#endif
