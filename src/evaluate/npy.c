// The header of a .npy is a Python dict in ASCII; its three keys are searched by name. In a zip
// archive, the directory at the end has the position of each stored file; sizes of 4 GiB and more
// are in a zip64 field.
#include "evaluate/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char magic[6] = "\x93NUMPY";

typedef struct NpyHeader {
  char kind;  // 'f', 'i', 'u', 'b', 'c', 'V'
  int bytes;
  bool fortran;
  uint32_t rank;
  int64_t dims[MAX_RANK];
  size_t data_at;
} NpyHeader;

// The text after 'key': in the header; NULL if the key is missing.
static const char *find_key(const char *header, const char *key) {
  const char *at = strstr(header, key);
  if (!at) return NULL;
  at += strlen(key);
  while (*at == '\'' || *at == '"' || *at == ' ' || *at == ':') at++;
  return at;
}

static Status *read_shape(const char *name, const char *at, NpyHeader *out) {
  if (!at || *at != '(') FAIL(INVALID_ARGUMENT, "%s: the .npy header has no shape", name);
  at++;
  while (*at && *at != ')') {
    char *end;
    long long dim = strtoll(at, &end, 10);
    if (end == at || dim < 0)
      FAIL(INVALID_ARGUMENT, "%s: the .npy header's shape cannot be read", name);
    if (out->rank == MAX_RANK)
      FAIL(INVALID_ARGUMENT, "%s: more than %d dimensions", name, MAX_RANK);
    out->dims[out->rank++] = dim;
    at = end;
    while (*at == ',' || *at == ' ' || *at == 'L') at++;
  }
  return NULL;
}

static Status *read_header(const char *name, const char *data, size_t bytes, NpyHeader *out) {
  if (bytes < 10 || memcmp(data, magic, sizeof magic) != 0)
    FAIL(INVALID_ARGUMENT, "%s: not a .npy file", name);
  const unsigned char *u = (const unsigned char *)data;
  size_t start = u[6] == 1 ? 10 : 12;
  if (bytes < start) FAIL(INVALID_ARGUMENT, "%s: the .npy file ends in its header", name);
  size_t length =
      u[6] == 1 ? (size_t)u[8] | (size_t)u[9] << 8
                : (size_t)u[8] | (size_t)u[9] << 8 | (size_t)u[10] << 16 | (size_t)u[11] << 24;
  char header[4096];
  if (length > bytes - start || length >= sizeof header)
    FAIL(INVALID_ARGUMENT, "%s: the .npy header cannot be read", name);
  memcpy(header, data + start, length);
  header[length] = '\0';
  *out = (NpyHeader){.data_at = start + length};
  const char *descr = find_key(header, "'descr'"), *order = find_key(header, "'fortran_order'");
  if (!descr || !order) FAIL(INVALID_ARGUMENT, "%s: the .npy header cannot be read", name);
  if (*descr == '>') FAIL(UNIMPLEMENTED, "%s: big-endian data; save it with .astype('<…')", name);
  if (*descr == '<' || *descr == '|' || *descr == '=') descr++;
  out->kind = *descr;
  out->bytes = atoi(descr + (*descr != '\0'));
  out->fortran = strncmp(order, "True", 4) == 0;
  return read_shape(name, find_key(header, "'shape'"), out);
}

// The NumPy code of an element type: 'f' 4 and so on; 'V' for types that NumPy does not know.
static void code_of(DType type, char *out_kind, int *out_bytes) {
  static const char codes[] = {[KIND_BOOL] = 'b',  [KIND_SINT] = 'i',    [KIND_UINT] = 'u',
                               [KIND_FLOAT] = 'f', [KIND_COMPLEX] = 'c', [KIND_OTHER] = 'V'};
  *out_kind = codes[dtype_kind(type)];
  *out_bytes = dtype_bytes(type);
  if (*out_kind == 'f' && type != DT_f16 && type != DT_f32 && type != DT_f64) *out_kind = 'V';
}

static DType dtype_of_code(char kind, int bytes) {
  static const DType known[] = {DT_i1,   DT_i8,   DT_i16, DT_i32, DT_i64, DT_ui8, DT_ui16,
                                DT_ui32, DT_ui64, DT_f16, DT_f32, DT_f64, DT_c64, DT_c128};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    char k;
    int b;
    code_of(known[i], &k, &b);
    if (k == kind && b == bytes) return known[i];
  }
  return kind == 'V' && bytes == 2 ? DT_bf16 : DT_none_;
}

// Whether elements of the file's code can be read as the expected type.
static bool accepts(DType expected, char kind, int bytes) {
  char k;
  int b;
  code_of(expected, &k, &b);
  return b == bytes && (k == kind || (k == 'V' && kind == 'u'));
}

// Copies column-major elements to row-major order.
static void copy_fortran(Literal *to, const char *from, size_t item) {
  int64_t index[MAX_RANK] = {0}, strides[MAX_RANK], stride = 1;
  for (uint32_t d = 0; d < to->rank; d++) {
    strides[d] = stride;
    stride = shape_times(stride, to->dims[d]);
  }
  int64_t i = 0;
  do {
    int64_t at = 0;
    for (uint32_t d = 0; d < to->rank; d++) at += index[d] * strides[d];
    memcpy((char *)to->data + (size_t)i++ * item, from + (size_t)at * item, item);
  } while (shape_next(to->rank, to->dims, index));
}

// Clears the bits above a narrow type's width; canonical storage has none.
static void mask_narrow(Literal *l) {
  int width = dtype_width(l->dtype);
  if (dtype_bytes(l->dtype) != 1 || width >= 8) return;
  unsigned char *bytes = l->data;
  bool boolean = dtype_kind(l->dtype) == KIND_BOOL;
  for (int64_t i = 0; i < l->count; i++)
    bytes[i] = boolean ? bytes[i] != 0 : (unsigned char)(bytes[i] & ((1u << width) - 1));
}

// Checks the declared shape against the bytes present before allocating.
Status *npy_read(LiteralHeap *heap, const Context *context, const char *name, const char *data,
                 size_t bytes, Type elem, Literal **out) {
  NpyHeader header;
  TRY(read_header(name, data, bytes, &header));
  DType found = dtype_of_code(header.kind, header.bytes);
  if (!elem && !found)
    FAIL(UNIMPLEMENTED, "%s: element type %c%d has no counterpart here", name, header.kind,
         header.bytes);
  if (!elem) elem = type_scalar(found);
  DType dtype = type_is_quant(context, elem) ? type_quant_info(context, elem)->storage
                                             : type_dtype(context, elem);
  if (!accepts(dtype, header.kind, header.bytes)) {
    char kind, cast[48];
    int size;
    code_of(dtype, &kind, &size);
    if (kind == 'V')
      snprintf(cast, sizeof cast, "a type of ml_dtypes");
    else
      snprintf(cast, sizeof cast, "'%c%d'", kind, size);
    FAIL(INVALID_ARGUMENT, "%s: holds %s, expected %s: save it with .astype(%s)", name,
         found ? dtype_info(found)->name : "elements of a type unknown here",
         dtype_info(dtype)->name, dtype == DT_bf16 ? "ml_dtypes.bfloat16" : cast);
  }
  size_t count = 1, need;
  for (uint32_t d = 0; d < header.rank; d++)
    if (!size_mul(count, (size_t)header.dims[d], &count))
      FAIL(INVALID_ARGUMENT, "%s: its shape has more elements than memory", name);
  if (!size_mul(count, (size_t)dtype_bytes(dtype), &need) || need > bytes - header.data_at)
    FAIL(DATA_LOSS, "%s: holds %zu bytes of data, its shape needs more", name,
         bytes - header.data_at);
  Literal *l = literal_new(heap, context, elem, header.rank, header.dims);
  if (header.fortran && header.rank > 1 && count)
    copy_fortran(l, data + header.data_at, (size_t)dtype_bytes(dtype));
  else if (need)
    memcpy(l->data, data + header.data_at, need);
  mask_narrow(l);
  *out = l;
  return NULL;
}

void npy_write(const Literal *l, StrBuf *out) {
  char kind;
  int bytes;
  code_of(l->dtype, &kind, &bytes);
  char header[2048];
  int n = snprintf(header, sizeof header, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (",
                   bytes == 1 ? '|' : '<', kind, bytes);
  for (uint32_t d = 0; d < l->rank; d++)
    n += snprintf(header + n, sizeof header - (size_t)n, "%lld,%s", (long long)l->dims[d],
                  d + 1 < l->rank ? " " : "");
  n += snprintf(header + n, sizeof header - (size_t)n, "), }");
  // NumPy aligns the data to 64 bytes.
  int padded = (n + 10 + 1 + 63) / 64 * 64 - 10;
  while (n < padded - 1) header[n++] = ' ';
  header[n++] = '\n';
  strbuf_put(out, magic, sizeof magic);
  strbuf_putc(out, 1);
  strbuf_putc(out, 0);
  strbuf_putc(out, (char)(n & 255));
  strbuf_putc(out, (char)(n >> 8));
  strbuf_put(out, header, (size_t)n);
  size_t data_bytes = (size_t)l->count * (size_t)bytes;
  if (kind != 'i' || dtype_width(l->dtype) >= 8) {
    strbuf_put(out, l->data, data_bytes);
    return;
  }
  for (int64_t i = 0; i < l->count; i++) strbuf_putc(out, (char)literal_get(l, i).i);
}

// ---- zip ----

static uint32_t u16_at(const char *p) {
  const unsigned char *u = (const unsigned char *)p;
  return (uint32_t)u[0] | (uint32_t)u[1] << 8;
}

static uint32_t u32_at(const char *p) { return u16_at(p) | u16_at(p + 2) << 16; }

static uint64_t u64_at(const char *p) {
  return (uint64_t)u32_at(p) | (uint64_t)u32_at(p + 4) << 32;
}

enum { LOCAL_BYTES = 30, CENTRAL_BYTES = 46, END_BYTES = 22, END64_BYTES = 56, LOCATOR_BYTES = 20 };
static const uint32_t LOCAL_SIGN = 0x04034b50, CENTRAL_SIGN = 0x02014b50, END_SIGN = 0x06054b50,
                      END64_SIGN = 0x06064b50, LOCATOR_SIGN = 0x07064b50, FULL32 = 0xFFFFFFFF;

bool npz_is(const char *data, size_t bytes) {
  return bytes >= END_BYTES && (u32_at(data) == LOCAL_SIGN || u32_at(data) == END_SIGN);
}

// Reads 64-bit values from an entry's zip64 field, which has one for each field of the entry that
// is 0xFFFFFFFF, in a fixed order.
static void widen(const char *extra, size_t n, uint64_t **fields, int n_fields) {
  while (n >= 4) {
    size_t length = u16_at(extra + 2);
    if (length + 4 > n) return;
    if (u16_at(extra) == 1)
      for (int i = 0; i < n_fields && length >= 8 * (size_t)(i + 1); i++)
        *fields[i] = u64_at(extra + 4 + 8 * i);
    extra += length + 4;
    n -= length + 4;
  }
}

// Reads one directory entry. Every offset is checked against the archive's size.
static Status *read_entry(const char *name, const char *data, size_t bytes, size_t *at,
                          NpzEntry *out) {
  if (*at > bytes || bytes - *at < CENTRAL_BYTES || u32_at(data + *at) != CENTRAL_SIGN)
    FAIL(DATA_LOSS, "%s: the archive's directory is damaged", name);
  const char *entry = data + *at;
  size_t name_n = u16_at(entry + 28), extra_n = u16_at(entry + 30), comment_n = u16_at(entry + 32);
  if (bytes - *at - CENTRAL_BYTES < name_n + extra_n + comment_n)
    FAIL(DATA_LOSS, "%s: the archive's directory is damaged", name);
  Str file = {entry + CENTRAL_BYTES, name_n};
  *at += CENTRAL_BYTES + name_n + extra_n + comment_n;
  uint64_t packed = u32_at(entry + 20), size = u32_at(entry + 24), local = u32_at(entry + 42);
  uint64_t *full[3];
  int n_full = 0;
  if (size == FULL32) full[n_full++] = &size;
  if (packed == FULL32) full[n_full++] = &packed;
  if (local == FULL32) full[n_full++] = &local;
  widen(file.s + name_n, extra_n, full, n_full);
  if (u16_at(entry + 10) != 0)
    FAIL(UNIMPLEMENTED,
         "%s: %.*s is compressed; write the archive with numpy.savez, not savez_compressed", name,
         (int)file.n, file.s);
  if (local > bytes || bytes - local < LOCAL_BYTES || u32_at(data + local) != LOCAL_SIGN)
    FAIL(DATA_LOSS, "%s: %.*s is not where the archive says", name, (int)file.n, file.s);
  uint64_t start = local + LOCAL_BYTES + u16_at(data + local + 26) + u16_at(data + local + 28);
  if (start > bytes || size > bytes - start)
    FAIL(DATA_LOSS, "%s: %.*s ends beyond the archive", name, (int)file.n, file.s);
  if (file.n > 4 && memcmp(file.s + file.n - 4, ".npy", 4) == 0) file.n -= 4;
  *out = (NpzEntry){file, data + start, (size_t)size};
  return NULL;
}

// The end record may be followed by a comment of up to 65535 bytes, so it is searched backwards.
Status *npz_list(Arena *arena, const char *name, const char *data, size_t bytes,
                 uint32_t *out_count, NpzEntry **out_entries) {
  size_t end = bytes;
  for (size_t i = END_BYTES; i <= bytes && i <= END_BYTES + 65535; i++)
    if (u32_at(data + bytes - i) == END_SIGN) {
      end = bytes - i;
      break;
    }
  if (end == bytes) FAIL(DATA_LOSS, "%s: not a whole .npz archive", name);
  uint64_t count = u16_at(data + end + 10), at64 = u32_at(data + end + 16);
  if (end >= LOCATOR_BYTES && u32_at(data + end - LOCATOR_BYTES) == LOCATOR_SIGN) {
    uint64_t end64 = u64_at(data + end - LOCATOR_BYTES + 8);
    if (end64 <= bytes - END64_BYTES && bytes >= END64_BYTES &&
        u32_at(data + end64) == END64_SIGN) {
      count = u64_at(data + end64 + 32);
      at64 = u64_at(data + end64 + 48);
    }
  }
  if (count > bytes / CENTRAL_BYTES || at64 > bytes)
    FAIL(DATA_LOSS, "%s: the archive's directory is damaged", name);
  NpzEntry *entries = ARENA_ARRAY(arena, NpzEntry, count ? count : 1);
  size_t at = (size_t)at64;
  for (uint64_t i = 0; i < count; i++) TRY(read_entry(name, data, bytes, &at, &entries[i]));
  *out_count = (uint32_t)count;
  *out_entries = entries;
  return NULL;
}

static uint32_t crc32_of(const char *data, size_t n) {
  uint32_t table[256], crc = FULL32;
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  for (size_t i = 0; i < n; i++) crc = table[(crc ^ (unsigned char)data[i]) & 255] ^ (crc >> 8);
  return ~crc;
}

static void put_u16(StrBuf *out, uint32_t v) {
  strbuf_putc(out, (char)(v & 255));
  strbuf_putc(out, (char)(v >> 8 & 255));
}

static void put_u32(StrBuf *out, uint32_t v) {
  put_u16(out, v & 0xFFFF);
  put_u16(out, v >> 16);
}

typedef struct ZipEntry {
  uint32_t at, crc, bytes;
} ZipEntry;

// Fields that local headers and the directory share: version, method 0 (stored), and a fixed date,
// so that equal input gives equal bytes.
static void put_common(StrBuf *out, const ZipEntry *entry, const char *name) {
  put_u16(out, 20);
  put_u16(out, 0);
  put_u16(out, 0);
  put_u16(out, 0);
  put_u16(out, 0x21);
  put_u32(out, entry->crc);
  put_u32(out, entry->bytes);
  put_u32(out, entry->bytes);
  put_u16(out, (uint32_t)strlen(name) + 4);
  put_u16(out, 0);
}

void npz_write(uint32_t n, const char *const *names, Literal *const *literals, StrBuf *out) {
  StrBuf directory, file;
  strbuf_init(&directory, out->guard);
  strbuf_init(&file, out->guard);
  GuardCleanup cleanup_directory = {.release = strbuf_release, .object = &directory};
  GuardCleanup cleanup_file = {.release = strbuf_release, .object = &file};
  guard_push(out->guard, &cleanup_directory);
  guard_push(out->guard, &cleanup_file);
  size_t start = out->used;
  for (uint32_t i = 0; i < n; i++) {
    file.used = 0;
    npy_write(literals[i], &file);
    size_t at = out->used - start;
    if (at + file.used + (1 << 20) >= FULL32)
      guard_throw(out->guard,
                  status_new(RESOURCE_EXHAUSTED, __FILE__, __LINE__,
                             "archives of 4 GiB and more are not written; give .npy files"));
    ZipEntry entry = {(uint32_t)at, crc32_of(file.data, file.used), (uint32_t)file.used};
    put_u32(out, LOCAL_SIGN);
    put_common(out, &entry, names[i]);
    strbuf_printf(out, "%s.npy", names[i]);
    strbuf_put(out, file.data, file.used);
    put_u32(&directory, CENTRAL_SIGN);
    put_u16(&directory, 20);
    put_common(&directory, &entry, names[i]);
    put_u16(&directory, 0);
    put_u16(&directory, 0);
    put_u16(&directory, 0);
    put_u32(&directory, 0);
    put_u32(&directory, entry.at);
    strbuf_printf(&directory, "%s.npy", names[i]);
  }
  size_t directory_at = out->used - start;
  if (directory.used) strbuf_put(out, directory.data, directory.used);
  put_u32(out, END_SIGN);
  put_u16(out, 0);
  put_u16(out, 0);
  put_u16(out, n);
  put_u16(out, n);
  put_u32(out, (uint32_t)directory.used);
  put_u32(out, (uint32_t)directory_at);
  put_u16(out, 0);
  guard_pop(out->guard, &cleanup_file);
  guard_pop(out->guard, &cleanup_directory);
  strbuf_deinit(&file);
  strbuf_deinit(&directory);
}
