// Readers and printers of sdy's attributes, for the class table in dialect_attrs.c.
#ifndef TESSERA_PARSE_DIALECT_SDY_H
#define TESSERA_PARSE_DIALECT_SDY_H

#include "parse/reader.h"

bool sdy_mesh_read(Reader *r, Attr *out);  // <["x"=2, "y"=4], device_ids=[…]>
void sdy_mesh_print(const Context *context, Attr attr, StrBuf *out);
bool sdy_sharding_read(Reader *r,
                       Attr *out);  // <@mesh, [{"x", ?}p1, {}], replicated={…}, unreduced={…}>
void sdy_sharding_print(const Context *context, Attr attr, StrBuf *out);
bool sdy_sharding_per_value_read(Reader *r, Attr *out);  // [<@mesh, …>, …]
void sdy_sharding_per_value_print(const Context *context, Attr attr, StrBuf *out);
bool sdy_manual_axes_read(Reader *r, Attr *out);  // {"x", "y"}
void sdy_manual_axes_print(const Context *context, Attr attr, StrBuf *out);
bool sdy_axis_ref_list_read(Reader *r, Attr *out);  // {"x", "y":(1)2}
void sdy_axis_ref_list_print(const Context *context, Attr attr, StrBuf *out);
bool sdy_axis_ref_lists_read(Reader *r, Attr *out);  // [{"x"}, {}]
void sdy_axis_ref_lists_print(const Context *context, Attr attr, StrBuf *out);
bool sdy_all_to_all_params_read(Reader *r, Attr *out);  // [{"x"}: 0->2, {"y"}: 1->3]
void sdy_all_to_all_params_print(const Context *context, Attr attr, StrBuf *out);
bool sdy_rule_read(
    Reader *r, Attr *out);  // <([i, k], [k, j])->([i, j]) {i=8, j=4, k=2} reduction={k}, custom>
void sdy_rule_print(const Context *context, Attr attr, StrBuf *out);

#endif
