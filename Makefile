# One Makefile, wildcards only: a new file needs no edit here.
#
#   src/<dir>/x.c          library, except src/cli/ (the binary) and *_test.c (cmocka programs)
#   src/providers/x.c      libtessera_x.so, built if the library in PROVIDER_LIBS_x can be linked
#   tests/**/*_test.c      cmocka programs too      tests/fuzz/*_fuzz.c   libFuzzer targets
#   examples/*.c           programs on the public API   tools/*.c, bench/*.c  developers' programs
#   tools/x/*.c            the rest of tools/x.c
#   src/cost/machines/x.json   machine x, embedded
#   src/report/page.{html,css,js}   the page of --report, embedded
#
# VARIANT chooses compiler and flags; each has its own objects under build/<variant>/. The release
# variant also gives build/tessera, build/libtessera.a, build/libtessera.so and build/tessera.pc.

VERSION   := 0.1.0
SOVERSION := 0
VARIANT   ?= release
PREFIX    ?= /usr/local
LIBDIR    ?= $(PREFIX)/lib
FUZZ_SECONDS ?= 30

ifeq ($(MAKELEVEL),0)
  ifeq ($(filter -j%,$(MAKEFLAGS)),)
    MAKEFLAGS += -j$(shell nproc)
  endif
endif
MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# ---- variants ----------------------------------------------------------------------------------
WARN  := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes \
         -Wundef -Wvla -Werror
CLANG := clang-19
GCC   := gcc
CLANG_WARN := -Wmissing-variable-declarations

CC_release := $(GCC)
FLAGS_release := -O2 -DNDEBUG
CC_dev := $(GCC)
FLAGS_dev := -O1
CC_clang := $(CLANG)
FLAGS_clang := -O2 -DNDEBUG $(CLANG_WARN)
CC_asan := $(CLANG)
FLAGS_asan := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
              -fno-sanitize-recover=all $(CLANG_WARN)
CC_tsan := $(CLANG)
FLAGS_tsan := -O1 -fno-omit-frame-pointer -fsanitize=thread $(CLANG_WARN)
CC_fuzz := $(CLANG)
FLAGS_fuzz := -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
              -fno-sanitize-recover=all $(CLANG_WARN)

ifeq ($(CC_$(VARIANT)),)
  $(error VARIANT=$(VARIANT): choose release, dev, clang, asan, tsan or fuzz)
endif
CC := $(CC_$(VARIANT))
# -ffp-contract=off: results are compared bit by bit, so no silent fused multiply-add.
# -fno-tree-slp-vectorize: gcc 12 compiles the pair {(double)(float)a, (double)(float)b} to {a, b} with it.
CFLAGS := -std=c11 -g -fPIC -fvisibility=hidden -ffp-contract=off -fno-tree-slp-vectorize $(WARN) $(FLAGS_$(VARIANT)) \
          $(EXTRA_CFLAGS)
CPPFLAGS := -D_POSIX_C_SOURCE=200809L -DTESSERA_VERSION='"$(VERSION)"' -Iinclude -Isrc
LDFLAGS := $(filter -fsanitize=%,$(FLAGS_$(VARIANT)))
LDLIBS  := -lm -pthread

B := build/$(VARIANT)
CPPFLAGS += -I$(B)/gen
ifeq ($(VARIANT),release)
  OUT := build
else
  OUT := $(B)
endif

# ---- sources -----------------------------------------------------------------------------------
SRC      := $(wildcard src/*/*.c src/*/*/*.c)
TEST_SRC := $(filter %_test.c,$(SRC)) $(wildcard tests/*_test.c tests/*/*_test.c)
CLI_SRC  := $(filter-out %_test.c,$(filter src/cli/%,$(SRC)))
PROVIDER_SRC := $(filter src/providers/%,$(SRC))
LIB_SRC  := $(filter-out %_test.c $(CLI_SRC) $(PROVIDER_SRC),$(SRC))
FUZZ_SRC := $(wildcard tests/fuzz/*_fuzz.c)
TOOL_SRC := $(wildcard tools/*.c) $(wildcard bench/*.c)
EXAMPLE_SRC := $(wildcard examples/*.c)
HEADERS  := $(wildcard include/tessera/*.h)

objects   = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_OBJ  := $(call objects,$(LIB_SRC))
CLI_OBJ  := $(call objects,$(CLI_SRC))
TESTS    := $(patsubst %.c,$(B)/tests/%,$(TEST_SRC))
FUZZERS  := $(patsubst tests/fuzz/%.c,$(B)/%,$(FUZZ_SRC))
TOOLS    := $(patsubst %.c,$(OUT)/%,$(TOOL_SRC))
EXAMPLES := $(patsubst %.c,$(OUT)/%,$(EXAMPLE_SRC))

LIBS :=
ifneq ($(LIB_OBJ),)
  LIBS := $(OUT)/libtessera.a $(OUT)/libtessera.so
endif
BIN :=
ifneq ($(CLI_OBJ),)
  BIN := $(OUT)/tessera
endif
# Man pages and completions: the binary prints them from its option tables. A verb is a row of commands.def.
VERBS := $(shell sed -n 's/^COMMAND.\([a-z_]*\),.*/\1/p' src/cli/commands.def)
PAGES := $(patsubst %,$(OUT)/share/man/man1/%.1,tessera $(addprefix tessera-,$(VERBS)))
COMPLETIONS := $(OUT)/share/bash-completion/completions/tessera $(OUT)/share/zsh/site-functions/_tessera

# Providers: what each is linked with, and those of which that is installed. REQUIRE_ALL=1: all must be.
PROVIDER_LIBS_lapack := -llapack
# Its headers are in llvm-19-dev; the library alone may be there without them.
LLVM_INCLUDE := $(shell llvm-config-19 --includedir 2>/dev/null)
PROVIDER_LIBS_llvm := $(if $(wildcard $(LLVM_INCLUDE)/llvm-c/LLJIT.h),-lLLVM-19,-lLLVM-19-dev)
PROVIDER_LIBS_onednn := -ldnnl -lgomp
PROVIDER_NAMES := $(patsubst src/providers/%.c,%,$(PROVIDER_SRC))
links = $(shell printf 'int main(void){return 0;}' | $(GCC) -x c - -o /dev/null $(1) 2>/dev/null && echo yes)
PROVIDERS := $(foreach name,$(PROVIDER_NAMES),$(if $(call links,$(PROVIDER_LIBS_$(name))),$(OUT)/libtessera_$(name).so))
SKIPPED := $(filter-out $(patsubst $(OUT)/libtessera_%.so,%,$(PROVIDERS)),$(PROVIDER_NAMES))

# ---- what people call ----------------------------------------------------------------------------
.PHONY: all lib pages providers dev tests fuzzers tools examples demo test test-models test-jax-versions check test-all asan tsan fuzz \
        bench bench-fidelity bench-jax wheel install musts mutants clean format unit help

all: $(LIBS) $(BIN) $(OUT)/tessera.pc providers
lib: $(LIBS)
pages: $(PAGES) $(COMPLETIONS)
providers: $(PROVIDERS)
	@$(foreach name,$(SKIPPED),echo "  skip libtessera_$(name).so: $(PROVIDER_LIBS_$(name)) cannot be linked (tools/deps providers)" \
	  $(if $(filter 1,$(REQUIRE_ALL)),&& exit 1);):
tests: $(TESTS)
tools: $(TOOLS)
examples: $(EXAMPLES)
fuzzers: $(FUZZERS)

help:
	@echo 'all pages demo test check test-all asan tsan fuzz bench bench-fidelity wheel install musts mutants format clean'
	@echo 'test-models test-jax-versions bench-jax   with JAX, in build/venv (tools/venv)'
	@echo 'unit T=npy     builds and runs the unit tests whose path contains T'
	@echo 'VARIANT=release|dev|clang|asan|tsan|fuzz   EXTRA_CFLAGS=…   PREFIX=…   FUZZ_SECONDS=…'

dev:
	@$(MAKE) VARIANT=dev all tests

demo:
	@tools/deps core
	@$(MAKE) all build/tools/gen
	@tools/demo

test:
	@tools/deps core providers test jax
	@tools/test unit lit corpora examples property jax fuzz

# Every model of tests/models with every option and annotation against JAX; `make test` has few that cover every pair.
test-models: all
	@tools/deps jax
	@python=$$(tools/venv) && cd tests && PYTHONPATH=../python $$python -m models check $(MODELS)

test-jax-versions: all
	@tools/deps jax
	@tools/test jax-versions

bench-fidelity: all tools
	@bench/simulate_vs_published.py

bench-jax: all tools
	@tools/deps jax
	@python=$$(tools/venv) && PYTHONPATH=python:tests $$python bench/zoo_vs_jax.py

# The fast suite, whole, then what takes hours elsewhere: long fuzzing and the benches.
test-all:
	@tools/deps core providers test
	@FUZZ_SECONDS=600 FUZZ_SEED=$${FUZZ_SEED:-0} tools/test unit lit corpora examples property cases fuzz
	@$(MAKE) mutants
	@$(MAKE) check
	@$(MAKE) bench

check:
	@tools/deps core providers test
	@tools/check

asan tsan:
	@VARIANT=$@ tools/test unit lit corpora

fuzz:
	@tools/test fuzz

mutants: $(B)/tests/tests/property/partition_test
	@CC='$(CC)' CFLAGS='-Iinclude -Isrc -I$(B)/gen -D_POSIX_C_SOURCE=200809L $(CFLAGS)' tools/mutants

bench: all tools
	@tools/bench

musts: all
	@tools/musts $(ISSUE)

unit:
	@VARIANT=$(VARIANT) FILTER=$(T) tools/test unit

format:
	@clang-format-19 -i $(wildcard src/*/*.[ch] src/*/*/*.[ch] include/tessera/*.h tests/*.[ch] \
	  tests/*/*.[ch] tools/*.[ch] tools/*/*.[ch] bench/*.[ch] examples/*.[ch])

clean:
	rm -rf build

# ---- how it is made --------------------------------------------------------------------------------
# The machines that --machine knows, as rows MACHINE("name", "text"); `default` first.
MACHINES := $(filter %/default.json,$(wildcard src/cost/machines/*.json)) \
            $(filter-out %/default.json,$(sort $(wildcard src/cost/machines/*.json)))
$(B)/gen/cost/machines.inc: $(MACHINES) Makefile
	@mkdir -p $(@D)
	@for file in $(MACHINES); do \
	  printf 'MACHINE("%s",\n' $$(basename $$file .json); \
	  sed -e 's/\\/\\\\/g; s/"/\\"/g; s/^/  "/; s/$$/\\n"/' $$file; \
	  echo ')'; \
	done > $@

# The page of --report: one string per line. `?` is escaped, since two of them may begin a trigraph.
PAGE := $(patsubst src/%,$(B)/gen/%.inc,$(wildcard src/report/page.html src/report/page.css src/report/page.js))
$(PAGE): $(B)/gen/%.inc: src/% Makefile
	@mkdir -p $(@D)
	@sed -e 's/\\/\\\\/g; s/"/\\"/g; s/?/\\?/g; s/^/"/; s/$$/\\n",/' $< > $@

# Loops of kernels are vectorized.
$(B)/obj/src/execute/kernels/%.o $(B)/obj/src/tensor/matmul.o $(B)/obj/src/tensor/matmul_amx.o \
$(B)/obj/src/tensor/matvec.o: CFLAGS += $(if $(filter -O2,$(FLAGS_$(VARIANT))),-O3)

$(B)/obj/%.o: %.c Makefile | $(B)/gen/cost/machines.inc $(PAGE)
	@mkdir -p $(@D)
	@echo "  cc   $(VARIANT) $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# Loops over lanes are vectorized; errno and traps of floats would prevent that for sqrt and floor.
$(B)/obj/src/tensor/loop_lanes.o: CFLAGS += -O3 -fno-math-errno -fno-trapping-math

$(B)/obj/src/providers/llvm.o: CPPFLAGS += -isystem $(LLVM_INCLUDE)

# One relocatable object whose hidden symbols are made local: only tsr_ names can be linked against.
$(OUT)/libtessera.a: $(LIB_OBJ)
	@echo "  ar   $@"
	@ld -r -o $(B)/tessera.o $(LIB_OBJ)
	@objcopy --localize-hidden $(B)/tessera.o
	@rm -f $@
	@ar rcs $@ $(B)/tessera.o

$(OUT)/libtessera.so.$(SOVERSION): $(LIB_OBJ)
	@echo "  ld   $@"
	@$(CC) -shared -Wl,-soname,libtessera.so.$(SOVERSION) -Wl,--as-needed $(LDFLAGS) -o $@ \
	  $(LIB_OBJ) $(LDLIBS)

$(OUT)/libtessera.so: $(OUT)/libtessera.so.$(SOVERSION)
	@ln -sf $(<F) $@

$(PROVIDERS): $(OUT)/libtessera_%.so: $(B)/obj/src/providers/%.o
	@echo "  ld   $@"
	@$(CC) -shared $(LDFLAGS) -o $@ $< $(PROVIDER_LIBS_$*)

$(OUT)/tessera: $(CLI_OBJ) $(LIB_OBJ)
	@echo "  ld   $@"
	@$(CC) $(LDFLAGS) -Wl,--as-needed -o $@ $(CLI_OBJ) $(LIB_OBJ) $(LDLIBS)

$(OUT)/tessera.pc: tessera.pc.in Makefile
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' $< > $@

$(OUT)/share/man/man1/tessera.1: $(OUT)/tessera
	@mkdir -p $(@D)
	@$< --help=man > $@

$(OUT)/share/man/man1/tessera-%.1: $(OUT)/tessera
	@mkdir -p $(@D)
	@$< $* --help=man > $@

$(OUT)/share/bash-completion/completions/tessera: $(OUT)/tessera
	@mkdir -p $(@D)
	@$< completion bash > $@

$(OUT)/share/zsh/site-functions/_tessera: $(OUT)/tessera
	@mkdir -p $(@D)
	@$< completion zsh > $@

# Tests, fuzzers and tools see every symbol, so they link the objects through an archive of their own.
$(B)/objects.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	@ar rcsT $@ $(LIB_OBJ)

$(B)/tests/%: $(B)/obj/%.o $(B)/objects.a
	@mkdir -p $(@D)
	@$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(B)/objects.a -lcmocka $(LDLIBS)

$(B)/%_fuzz: $(B)/obj/tests/fuzz/%_fuzz.o $(B)/objects.a
	@echo "  ld   $@"
	@$(CC) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o,$^) $(B)/objects.a $(LDLIBS)

# These two also run Shardy's stages one by one, which only tools/sdy_opt has.
$(B)/tests/tests/partition_alloc_test $(B)/partition_fuzz: $(call objects,$(wildcard tools/sdy_opt/*.c))

.SECONDEXPANSION:
$(OUT)/tools/%: $(B)/obj/tools/%.o $$(call objects,$$(wildcard tools/$$*/*.c)) $(B)/objects.a
	@mkdir -p $(@D)
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(OUT)/bench/%: $(B)/obj/bench/%.o $(B)/objects.a
	@mkdir -p $(@D)
	@$(CC) $(LDFLAGS) -o $@ $< $(B)/objects.a $(LDLIBS)

# Examples stand for users: they get the public header and the static library, nothing else.
$(OUT)/examples/%: examples/%.c $(OUT)/libtessera.a $(HEADERS)
	@mkdir -p $(@D)
	@$(CC) -std=c11 -g $(WARN) $(LDFLAGS) -Iinclude -o $@ $< $(OUT)/libtessera.a $(LDLIBS)

# build/wheel/tessera_spmd-*.whl: the Python package with the library in it.
wheel:
	@tools/deps core jax
	@$(MAKE) lib
	@python3 python/build_backend.py build/wheel

install:
	@tools/deps core
	@$(MAKE) all pages
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include/tessera
	$(if $(BIN),install -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/)
	$(if $(LIBS),install -m 644 build/libtessera.a $(DESTDIR)$(LIBDIR)/)
	$(if $(LIBS),install -m 755 build/libtessera.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/)
	$(if $(LIBS),ln -sf libtessera.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libtessera.so)
	$(if $(PROVIDERS),install -m 755 $(PROVIDERS) $(DESTDIR)$(LIBDIR)/)
	$(if $(HEADERS),install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include/tessera/)
	for page in $(patsubst $(OUT)/share/%,%,$(PAGES) $(COMPLETIONS)); do \
	  install -D -m 644 $(OUT)/share/$$page $(DESTDIR)$(PREFIX)/share/$$page || exit 1; done
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	  tessera.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/tessera.pc

.SECONDARY:
-include $(patsubst %.c,$(B)/obj/%.d,$(SRC) $(TEST_SRC) $(FUZZ_SRC) $(TOOL_SRC) \
  $(wildcard tools/*/*.c))
