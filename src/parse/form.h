// The language of the form column: one string per op that both the reader and the printer follow.
//
//   " {0}, dims = {@broadcast_dimensions}{attrs} : {func}"     %0, dims = [1] : (tensor<3xf32>) ->
//   tensor<2x3xf32>
//
// Text stands for itself: printed as it is, read token by token (blanks do not matter). Directives:
//   {0} {1}      an operand                       {*}        all operands, comma separated
//   {@a}         attribute a, without its type or class: 3, [1, 2], LT, "s", <…>; with a default it
//   may be absent
//   {@!a}        string attribute a written as a symbol: @a
//   {attrs}      the attributes that the form does not mention: ` {…}`
//   {same}       T if all operands and the result have it, else (T, U) -> V
//   {type}       the one type of all operands and results
//   {func}       (T, U) -> V
//   {t0} {r0}    type of an operand, of a result  {t*} {r*}  of all of them
//   {tuple} {pairs} {select} {complex}            short spellings of those ops' types
//   {? … {/}     written if the first attribute or operand list in it is there and not its default;
//   read if its
//                first tokens are there           {? … {:} … {/} with an alternative
//                of text alone: read if it is there, never written
//   {body}       (%a: T) { … }, the op's only region
//   {reduce} and other words: a pair of C functions in form_hooks.c
// At the front:
//   {=a,b}       names of the results (a|b: a for integers, b for others)
//   {%a}         name of the arguments of all regions (a,b: a as many as the first segment of
//   operands
//                has, b for the others)
// An op whose form has nothing behind the names is written in generic syntax.
#ifndef TESSERA_PARSE_FORM_H
#define TESSERA_PARSE_FORM_H

#include "parse/printer.h"
#include "parse/reader.h"

// A directive that is a pair of functions. index: the number in {t0}. fits: can the op be printed
// this way; NULL = always.
typedef struct FormHook {
  const char *name;
  bool (*read)(Reader *r, ReadOp *op, uint32_t index);
  void (*print)(Printer *pr, OpId op, uint32_t index);
  bool (*fits)(const Program *p, OpId op, uint32_t index);
  const char *owns;  // attributes it writes, separated by blanks
} FormHook;

extern const FormHook form_hooks[];  // ends with a NULL name

// True if the form of the op writes the attribute itself.
bool form_mentions(uint16_t code, Str name);
// %a, %b …; stops before a comma that no value follows.
bool form_read_operands(Reader *r, ReadOp *op);

#endif
