// Problem: thousands of tasks wait for each other, each with a C stack. A thread per task would
// cost a kernel task each, and stacks that are never returned. Idea: a task is a stack and a saved
// stack pointer; switching takes a dozen instructions in user space. The scheduler runs on the
// caller's stack. It takes the first runnable task from a ring, switches to its stack, and
// continues when the task waits or ends. Stacks are made when a task begins and reused after it
// ends: tasks that never wait need one stack in total. Invariant: a READY task is in the ring
// exactly once. Cost: waiting and waking are O(1); an error wakes all waiting tasks, O(n) once.
//
// ASan and TSan track a thread's stack and call history, so every switch is announced to them.
#include "base/fiber.h"

#include <assert.h>

#include "base/mem.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#endif
#ifdef FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

// ---- switching ----

// A SavedStack is a suspended stack. saved_switch(from, to) saves the callee-saved registers in
// *from and continues at *to. saved_make prepares a stack that begins with enter(arg), which never
// returns.
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__ELF__) && !defined(FIBER_UCONTEXT)

typedef struct SavedStack {
  void *sp;
} SavedStack;

// Both are defined below; the assembler resolves them inside this file.
__attribute__((visibility("hidden"))) extern void fiber_asm_switch(void **from, void *to);
__attribute__((visibility("hidden"))) extern void fiber_asm_begin(void);

#if defined(__x86_64__)
// System V ABI: rbx, rbp, r12 to r15, and the control words of SSE and x87.
__asm__(".text\n"
        ".type fiber_asm_switch, @function\n"
        "fiber_asm_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  subq $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  addq $8, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size fiber_asm_switch, . - fiber_asm_switch\n"
        ".type fiber_asm_begin, @function\n"
        "fiber_asm_begin:\n"
        "  movq %r12, %rdi\n"
        "  xorl %ebp, %ebp\n"
        "  jmp *%r13\n"
        ".size fiber_asm_begin, . - fiber_asm_begin\n");

static void saved_make(SavedStack *saved, char *top, void (*enter)(void *arg), void *arg) {
  uint64_t *sp = (uint64_t *)(void *)top;        // top is page-aligned
  *--sp = 0;                                     // enter's return address: backtraces end here
  *--sp = (uint64_t)(uintptr_t)fiber_asm_begin;  // the switch returns to it
  *--sp = 0;                                     // rbp
  *--sp = 0;                                     // rbx
  *--sp = (uint64_t)(uintptr_t)arg;              // r12
  *--sp = (uint64_t)(uintptr_t)enter;            // r13
  *--sp = 0;                                     // r14
  *--sp = 0;                                     // r15
  *--sp = UINT64_C(0x037F00001F80);  // x87 and SSE control words of a new thread: round to nearest
  saved->sp = sp;
}
#else
// AAPCS64: x19 to x30, d8 to d15.
__asm__(".text\n"
        ".type fiber_asm_switch, %function\n"
        "fiber_asm_switch:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n"
        "  ret\n"
        ".size fiber_asm_switch, . - fiber_asm_switch\n"
        ".type fiber_asm_begin, %function\n"
        "fiber_asm_begin:\n"
        "  mov x0, x19\n"
        "  mov x29, #0\n  mov x30, #0\n"  // no caller: backtraces end here
        "  br x20\n"
        ".size fiber_asm_begin, . - fiber_asm_begin\n");

static void saved_make(SavedStack *saved, char *top, void (*enter)(void *arg), void *arg) {
  uint64_t *sp = (uint64_t *)(void *)top - 20;
  for (int i = 0; i < 20; i++) sp[i] = 0;
  sp[0] = (uint64_t)(uintptr_t)arg;               // x19
  sp[1] = (uint64_t)(uintptr_t)enter;             // x20
  sp[11] = (uint64_t)(uintptr_t)fiber_asm_begin;  // x30
  saved->sp = sp;
}
#endif

static void saved_switch(SavedStack *from, const SavedStack *to) {
  fiber_asm_switch(&from->sp, to->sp);
}
static void saved_init(SavedStack *saved, void *stack, size_t bytes) {
  (void)saved, (void)stack, (void)bytes;
}
#ifdef FIBER_ASAN
// The lowest byte of the stack that is in use.
static char *saved_low(const SavedStack *saved, char *stack) {
  (void)stack;
  return saved->sp;
}
#endif

#else  // other processors: slower by two system calls per switch
#include <ucontext.h>

typedef struct SavedStack {
  ucontext_t context;
  void (*enter)(void *arg);
  void *arg;
} SavedStack;

// makecontext passes ints: a pointer goes in two of them.
static void saved_begin(unsigned high, unsigned low) {
  SavedStack *saved = (SavedStack *)(uintptr_t)(((uint64_t)high << 32) | low);
  saved->enter(saved->arg);
}

static void saved_init(SavedStack *saved, void *stack, size_t bytes) {
  getcontext(&saved->context);
  saved->context.uc_stack.ss_sp = stack;
  saved->context.uc_stack.ss_size = bytes;
  saved->context.uc_link = NULL;
}
#ifdef FIBER_ASAN
static char *saved_low(const SavedStack *saved, char *stack) {
  (void)saved;
  return stack;
}
#endif

static void saved_make(SavedStack *saved, char *top, void (*enter)(void *arg), void *arg) {
  (void)top;
  saved->enter = enter;
  saved->arg = arg;
  uint64_t self = (uint64_t)(uintptr_t)saved;
  // makecontext takes a function of unknown parameters.
  makecontext(&saved->context, (void (*)(void))(uintptr_t)saved_begin, 2, (unsigned)(self >> 32),
              (unsigned)self);
}

static void saved_switch(SavedStack *from, const SavedStack *to) {
  swapcontext(&from->context, &to->context);
}
#endif

// ---- tasks ----

typedef enum FiberState { FIBER_READY, FIBER_RUNNING, FIBER_WAITING, FIBER_DONE } FiberState;

typedef struct Fiber {
  Fibers *set;
  char *stack;  // lowest address; NULL before it begins and after it ends
  uint32_t index;
  FiberState state;
  SavedStack saved;
#ifdef FIBER_ASAN
  void *fake_stack;  // of ASan: frames that outlive their function
#endif
#ifdef FIBER_TSAN
  void *tsan;
#endif
} Fiber;

struct Fibers {
  Fiber *items;
  uint32_t n, n_done, n_stacks;
  uint32_t *ring, ring_first, ring_count;
  char *spare;  // stacks of finished tasks; each has the next one's address at its top
  size_t stack_bytes;
  bool ending;
  Status *status;  // the first error
  FiberBody body;
  FiberStuck stuck;
  void *arg;
  SavedStack home;  // of the scheduler
#ifdef FIBER_ASAN
  const void *home_stack;
  size_t home_bytes;
  void *fake_stack;
#endif
#ifdef FIBER_TSAN
  void *tsan;
#endif
};

static void push_ready(Fibers *f, uint32_t index) {
  f->items[index].state = FIBER_READY;
  f->ring[(f->ring_first + f->ring_count++) % f->n] = index;
}

static uint32_t pop_ready(Fibers *f) {
  uint32_t index = f->ring[f->ring_first];
  f->ring_first = (f->ring_first + 1) % f->n;
  f->ring_count--;
  return index;
}

// Keeps the first error and wakes all waiting tasks, so that they return.
static void end_with(Fibers *f, Status *status) {
  if (f->ending) {
    status_free(status);
    return;
  }
  f->status = status;
  f->ending = true;
  for (uint32_t i = 0; i < f->n; i++)
    if (f->items[i].state == FIBER_WAITING) push_ready(f, i);
}

// ---- stacks ----

// More fences would use up the kernel's mappings (65,530 by default), which malloc needs, too.
enum { MOST_FENCES = 16384 };

static char **spare_link(const Fibers *f, char *stack) {
  return (char **)(void *)(stack + f->stack_bytes - sizeof(char *));
}

static char *take_stack(Fibers *f) {
  char *stack = f->spare;
  if (stack) {
    f->spare = *spare_link(f, stack);
    return stack;
  }
  stack = mem_stack_new(f->stack_bytes, f->n_stacks < MOST_FENCES);
  if (stack) f->n_stacks++;
  return stack;
}

static void give_stack(Fibers *f, Fiber *fiber) {
#ifdef FIBER_ASAN
  // fiber_main never returns, so the red zones of its frames are still poisoned. The shadow of a
  // whole stack is a megabyte, whose pages would take longer than most tasks.
  char *low = saved_low(&fiber->saved, fiber->stack);
  __asan_unpoison_memory_region(low, (size_t)(fiber->stack + f->stack_bytes - low));
#endif
  *spare_link(f, fiber->stack) = f->spare;
  f->spare = fiber->stack;
  fiber->stack = NULL;
}

// ---- running ----

// Switches from the scheduler to a task; returns when the task waits or has ended.
static void go_to(Fibers *f, Fiber *fiber) {
#ifdef FIBER_ASAN
  __sanitizer_start_switch_fiber(&f->fake_stack, fiber->stack, f->stack_bytes);
#endif
#ifdef FIBER_TSAN
  __tsan_switch_to_fiber(fiber->tsan, 0);
#endif
  saved_switch(&f->home, &fiber->saved);
#ifdef FIBER_ASAN
  __sanitizer_finish_switch_fiber(f->fake_stack, NULL, NULL);
#endif
}

// Switches from a task to the scheduler; returns at the task's next turn.
static void go_home(Fibers *f, Fiber *fiber) {
#ifdef FIBER_ASAN
  bool done = fiber->state == FIBER_DONE;  // then its fake stack is freed
  __sanitizer_start_switch_fiber(done ? NULL : &fiber->fake_stack, f->home_stack, f->home_bytes);
#endif
#ifdef FIBER_TSAN
  __tsan_switch_to_fiber(f->tsan, 0);
#endif
  saved_switch(&fiber->saved, &f->home);
#ifdef FIBER_ASAN
  __sanitizer_finish_switch_fiber(fiber->fake_stack, &f->home_stack, &f->home_bytes);
#endif
}

static void fiber_main(void *arg) {
  Fiber *fiber = arg;
  Fibers *f = fiber->set;
#ifdef FIBER_ASAN
  __sanitizer_finish_switch_fiber(NULL, &f->home_stack, &f->home_bytes);
#endif
  Status *status = f->body(f, f->arg, fiber->index);
  fiber->state = FIBER_DONE;
  if (status) end_with(f, status);
  go_home(f, fiber);
  assert(false && "a finished task is not run again");
}

static bool begin(Fibers *f, Fiber *fiber) {
  fiber->stack = take_stack(f);
  if (!fiber->stack) return false;
  saved_init(&fiber->saved, fiber->stack, f->stack_bytes);
  saved_make(&fiber->saved, fiber->stack + f->stack_bytes, fiber_main, fiber);
#ifdef FIBER_TSAN
  fiber->tsan = __tsan_create_fiber(0);
#endif
  return true;
}

static void end(Fibers *f, Fiber *fiber) {
  f->n_done++;
  if (!fiber->stack) return;
  give_stack(f, fiber);
#ifdef FIBER_TSAN
  __tsan_destroy_fiber(fiber->tsan);
#endif
}

static void run_one(Fibers *f, Fiber *fiber) {
  bool begun = fiber->stack != NULL;
  if (!begun && !f->ending && !begin(f, fiber))
    end_with(f, status_new(RESOURCE_EXHAUSTED, __FILE__, __LINE__,
                           "no room for the stacks of %u tasks at once: %u of %zu bytes were made",
                           f->n, f->n_stacks, f->stack_bytes));
  if (fiber->stack) {
    fiber->state = FIBER_RUNNING;
    go_to(f, fiber);
  } else {
    fiber->state = FIBER_DONE;  // the run ended before the task began
  }
  if (fiber->state == FIBER_DONE) end(f, fiber);
}

bool fiber_wait(Fibers *f, uint32_t self) {
  if (f->ending) return false;
  f->items[self].state = FIBER_WAITING;
  go_home(f, &f->items[self]);
  return !f->ending;
}

void fiber_wake(Fibers *f, uint32_t index) {
  if (f->items[index].state == FIBER_WAITING) push_ready(f, index);
}

size_t fiber_stack_used(const Fibers *f, uint32_t self) {
  size_t page = mem_page_bytes();
  uintptr_t top = (uintptr_t)f->items[self].stack + f->stack_bytes;
  return (top - (uintptr_t)__builtin_frame_address(0) + page - 1) / page * page;
}

Status *fibers_run(uint32_t n, size_t stack_bytes, FiberBody body, FiberStuck stuck, void *arg) {
  if (n == 0) return NULL;
  Fibers f = {.n = n, .body = body, .stuck = stuck, .arg = arg, .stack_bytes = stack_bytes};
  f.items = mem_alloc(n * sizeof *f.items);
  f.ring = mem_alloc(n * sizeof *f.ring);
  if (!f.items || !f.ring) {
    mem_free(f.items);
    mem_free(f.ring);
    return status_no_memory();
  }
#ifdef FIBER_TSAN
  f.tsan = __tsan_get_current_fiber();
#endif
  for (uint32_t i = 0; i < n; i++) {
    f.items[i] = (Fiber){.set = &f, .index = i};
    push_ready(&f, i);
  }
  while (f.n_done < n) {
    if (f.ring_count == 0) end_with(&f, f.stuck(f.arg));  // every task waits for another one
    run_one(&f, &f.items[pop_ready(&f)]);
  }
  while (f.spare) {
    char *stack = f.spare;
    f.spare = *spare_link(&f, stack);
    mem_stack_free(stack, stack_bytes);
  }
  mem_free(f.items);
  mem_free(f.ring);
  return f.status;
}
