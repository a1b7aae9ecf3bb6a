// The language of the form column: one string per op that both the reader and the printer
// interpret.
//
//   form    " {0}, dims = {@broadcast_dimensions}{attrs} : {func}"
//   text    %0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
//
// Text is literal: printed as it is, read token by token (blanks do not matter). Directives:
//   {0} {1}      an operand                       {*}        all operands, comma separated
//   {@a}         attribute a, without its type or class: 3, [1, 2], LT, "s", <…>; may be absent
//                if it has a default
//   {@!a}        string attribute a printed as a symbol: @a
//   {attrs}      the attributes that the form does not mention: ` {…}`
//   {same}       T if all operands and the result have it, else (T, U) -> V
//   {type}       the common type of all operands and results
//   {func}       (T, U) -> V
//   {t0} {r0}    type of an operand, of a result  {t*} {r*}  of all of them
//   {tuple} {pairs} {select} {complex}            short forms of those ops' types
//   {? … {/}     a group. Printed if its first attribute or operand list is present and not its
//                default; read if its first tokens follow. {? … {:} … {/} has an alternative. A
//                group of text alone is read if present, never printed
//   {body}       (%a: T) { … }, the op's only region
//   {reduce} and other words: a pair of C functions in form_hooks.c
// At the front:
//   {=a,b}       names of the results (a|b: a for integers, b for others)
//   {%a}         name of the arguments of all regions (a,b: a for as many as the first segment of
//                operands has, b for the others)
// An op whose form is empty after the names is printed in generic syntax.
#ifndef TESSERA_PARSE_FORM_H
#define TESSERA_PARSE_FORM_H

#include "parse/printer.h"
#include "parse/reader.h"

// A directive implemented by a pair of functions. index: the number in {t0}. fits: whether the op
// can be printed this way; NULL = always.
typedef struct FormHook {
  const char *name;
  bool (*read)(Reader *r, ReadOp *op, uint32_t index);
  void (*print)(Printer *pr, OpId op, uint32_t index);
  bool (*fits)(const Program *p, OpId op, uint32_t index);
  const char *owns;  // attributes that it prints, separated by blanks
} FormHook;

extern const FormHook form_hooks[];  // ends with a NULL name

// Whether the op's form prints the attribute itself.
bool form_mentions(uint16_t code, Str name);
// Reads %a, %b …; stops before a comma that is not followed by a value.
bool form_read_operands(Reader *r, ReadOp *op);

#endif
