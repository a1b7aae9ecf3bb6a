// Problem: temporaries of a device are parts of one mapping, and kernels run code that no sanitizer
// has instrumented, so neither ASan nor TSan would notice a wrong access.
// Idea: see watch.h. A device that waits at a collective keeps its operands shown, since the last
// member to arrive reads and writes them.
// Invariant: only the thread that runs a device's turn changes what is shown of its arena.
// Cost: O(bytes of the operands / 8) per instruction, in builds with sanitizers only.
#include "execute/watch.h"

#include <string.h>

enum { RED_ZONE = 64, JUNK = 0xA5 };

uint64_t watch_assign(uint64_t bytes, uint32_t n, Span *spans, Arena *scratch) {
  if (!SANITIZE_ADDRESS || bytes == UINT64_MAX) return bytes;
  for (uint32_t i = 0; i < n; i++) spans[i].bytes += RED_ZONE;
  uint64_t all = assign_offsets(n, spans, KERNEL_ALIGN, scratch);
  for (uint32_t i = 0; i < n; i++) spans[i].bytes -= RED_ZONE;
  return all;
}

// Bytes that no instruction of this run has written are junk, not zeros or results of the last run.
void watch_memory_start(void *memory, size_t bytes) {
  if (!memory || !SANITIZE_ADDRESS) return;
  sanitize_show(memory, bytes);
  memset(memory, JUNK, bytes);
  sanitize_hide(memory, bytes);
}

static uint32_t n_refs(const Instr *instr) {
  bool temporary = false;
  for (const Kernel *kernel = instr->kernel; kernel; kernel = kernel->next)
    temporary |= kernel->temp_bytes != 0;
  return instr->n_in + instr->n_out + temporary;
}

static const Buffer *buffer_of(const Executable *exe, const Instr *instr, uint32_t k) {
  return &exe->buffers.items[exe->refs.items[instr->first + k]];
}

void watch_instr(const Executable *exe, void *const *pointers, const Instr **shown,
                 const Instr *instr) {
  const Instr *before = *shown;
  *shown = instr;
  for (uint32_t k = 0; before && k < n_refs(before); k++) {
    const Buffer *buffer = buffer_of(exe, before, k);
    if (buffer->segment == SEGMENT_TEMP)
      sanitize_hide(pointers[before->first + k], buffer->bytes + (8 - buffer->bytes % 8) % 8);
  }
  for (uint32_t k = 0; k < n_refs(instr); k++) {
    const Buffer *buffer = buffer_of(exe, instr, k);
    void *at = pointers[instr->first + k];
    if (buffer->segment == SEGMENT_TEMP) sanitize_show(at, buffer->bytes);
    if (instr->kind != INSTR_KERNEL) continue;
    if (k < instr->n_in)
      sanitize_read(at, buffer->bytes);
    else
      sanitize_write(at, buffer->bytes);
  }
}
