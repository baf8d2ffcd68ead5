# alignck: one Makefile, no configure step. CC CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR PKG_CONFIG V are the
# user's. Objects live in build/VARIANT; libalignck.a is everything but main() and is what the tests and
# fuzzers link. `make help` lists the targets.

VERSION := 0.1.0

CC         ?= cc
CLANG      ?= clang
CFLAGS     ?= -O2 -g
PKG_CONFIG ?= pkg-config
PREFIX     ?= /usr/local
SBINDIR    ?= $(PREFIX)/sbin
MANDIR     ?= $(PREFIX)/share/man
COMPDIR    ?= $(PREFIX)/share/bash-completion/completions
V          ?= 0

VARIANT ?= release
B       := build/$(VARIANT)
Q       := $(if $(filter 1,$(V)),,@)

# Library, Debian package that brings it. One row a library.
LIBRARIES := blkid:libblkid-dev fdisk:libfdisk-dev popt:libpopt-dev smartcols:libsmartcols-dev json-c:libjson-c-dev \
	mount:libmount-dev
PKGS      := $(foreach l,$(LIBRARIES),$(firstword $(subst :, ,$l)))
# libmount and libfdisk are opened when they are needed (src/probe/users.c, src/commit/fdisk.c); only
# their headers are used here.
LINKED    := $(filter-out mount fdisk,$(PKGS))

NEED_LIBS := $(filter-out clean help format uninstall,$(or $(MAKECMDGOALS),all))
ifneq ($(NEED_LIBS),)
MISSING := $(strip $(foreach l,$(LIBRARIES),$(shell \
	$(PKG_CONFIG) --exists $(firstword $(subst :, ,$l)) 2>/dev/null || echo $(lastword $(subst :, ,$l)))))
ifneq ($(MISSING),)
$(error missing libraries; on Debian: apt-get install $(if $(shell command -v $(PKG_CONFIG)),,pkg-config )$(MISSING))
endif
LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS))
LIB_LIBS   := $(shell $(PKG_CONFIG) --libs $(LINKED))
endif

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla \
	-Wformat=2 -Wundef -Wcast-align
OUR_CPPFLAGS := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DALIGNCK_VERSION='"$(VERSION)"' -Iinclude
OUR_CFLAGS   := -std=gnu17 -pthread $(WARN) $(LIB_CFLAGS)
LIBS         := $(LIB_LIBS) -pthread -ldl

SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
VARIANT_FLAGS_asan     := $(SAN) -O1
# Of the product's own sums: tests wrap on purpose, in their dice.
SAN_INTEGER_STAGES := util io probe layout stack analyse plan relocate commit report cli
SAN_INTEGER := -fsanitize=integer -fno-sanitize-recover=integer
VARIANT_FLAGS_coverage := --coverage -O0
VARIANT_FLAGS_fuzz     := -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined -O1
VARIANT_FLAGS          := $(VARIANT_FLAGS_$(VARIANT))
ifeq ($(VARIANT),fuzz)
override CC := $(CLANG)
$(foreach s,$(SAN_INTEGER_STAGES),$(B)/src/$(s)/%.o): VARIANT_FLAGS += $(SAN_INTEGER)
endif

SRC      := $(sort $(wildcard src/*/*.c))
LIB_SRC  := $(filter-out src/cli/main.c,$(SRC))
LIB_OBJ  := $(LIB_SRC:%.c=$(B)/%.o)
MAIN_OBJ := $(B)/src/cli/main.o
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/%)
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(B)/fuzz/%)

COMPILE = $(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) $(VARIANT_FLAGS) -MMD -MP
LINK    = $(CC) $(CFLAGS) $(VARIANT_FLAGS) $(LDFLAGS) -Wl,--as-needed

all: $(B)/alignck ## build the program

$(B)/alignck: $(MAIN_OBJ) $(B)/libalignck.a
	@echo "  LINK  $@"
	$(Q)$(LINK) -o $@ $^ $(LIBS)

$(B)/libalignck.a: $(LIB_OBJ)
	@echo "  AR    $@"
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(COMPILE) -c -o $@ $<

$(B)/tests/%: tests/unit/%.c $(B)/libalignck.a
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(COMPILE) -Itests/unit -o $@ $< $(B)/libalignck.a $(LDFLAGS) -Wl,--as-needed $(LIBS) -lcmocka

# A fuzz target without the fuzzer replays the files it is given; `make check` runs the kept corpus.
$(B)/fuzz/%: tests/fuzz/%.c $(B)/libalignck.a
	@mkdir -p $(@D)
	@echo "  FUZZ  $@"
	$(Q)$(COMPILE) $(if $(filter fuzz,$(VARIANT)),-fsanitize=fuzzer) -o $@ $< \
		$(if $(filter fuzz,$(VARIANT)),,tests/fuzz/replay.c) $(B)/libalignck.a \
		$(LDFLAGS) -Wl,--as-needed $(LIBS)

-include $(LIB_OBJ:.o=.d) $(MAIN_OBJ:.o=.d) $(UNIT_BIN:=.d) $(FUZZ_BIN:=.d)

tests-bin: $(B)/alignck $(UNIT_BIN) $(FUZZ_BIN)

try: all ## build, and check an image made on the spot whose partition starts at sector 63
	$(Q)tests/try $(B)/alignck

check: tests-bin ## run the tests: unit, command line, kept fuzz corpus
	$(Q)tests/run $(B)

check-crash: all $(B)/tests/test_relocate_crash ## every crash inside every crash, real kills, the whole model, each rule taken away (long)
	$(Q)CRASH_FULL=1 $(B)/tests/test_relocate_crash
	$(Q)ALIGNCK=$(B)/alignck tests/crash/kill 40
	$(Q)ALIGNCK=$(B)/alignck tests/crash/states 10000
	$(Q)tests/model/explore.py full
	$(Q)tests/model/mutations.py
	$(Q)tests/model/turns.py
	$(Q)tests/mutate

check-vm: $(B)/alignck ## boot Debian's kernel in qemu: SCSI, NVMe, md, LUKS, crashes, boot loaders
	$(Q)tests/vm/run $(B)

check-asan: ## the same tests under AddressSanitizer and UBSan
	$(Q)$(MAKE) --no-print-directory VARIANT=asan check

check-valgrind: tests-bin ## unit tests and checks of whole images under valgrind
	$(Q)tests/valgrind $(B)

coverage: ## branch coverage of the pure modules
	$(Q)$(MAKE) --no-print-directory VARIANT=coverage check
	$(Q)tests/coverage build/coverage

fuzz: ## unit tests and kept inputs under clang's integer sanitizer, then fuzz every decoder; FUZZ_SECONDS each (60)
	$(Q)$(MAKE) --no-print-directory VARIANT=fuzz tests-bin
	$(Q)tests/run build/fuzz unit/ fuzz/
	$(Q)tests/fuzz/run build/fuzz

bench: all ## ratios against sfdisk, fdisk, sgdisk, parted in the same run
	$(Q)tests/bench $(B)/alignck

lint: ## format, static analysis, shell scripts, man page, options against man page and completion
	$(Q)tests/lint

format: ## apply .clang-format
	clang-format -i $(wildcard include/alignck/*.h src/*/*.[ch] tests/unit/*.[ch] tests/fuzz/*.[ch])

install: all ## into DESTDIR and PREFIX
	install -D -m 755 $(B)/alignck $(DESTDIR)$(SBINDIR)/alignck
	install -D -m 644 man/alignck.8 $(DESTDIR)$(MANDIR)/man8/alignck.8
	install -D -m 644 man/alignck.bash $(DESTDIR)$(COMPDIR)/alignck

uninstall: ## take away what install put there
	rm -f $(DESTDIR)$(SBINDIR)/alignck $(DESTDIR)$(MANDIR)/man8/alignck.8 $(DESTDIR)$(COMPDIR)/alignck

dist: ## a source archive
	git archive --format=tar.gz --prefix=alignck-$(VERSION)/ -o alignck-$(VERSION).tar.gz HEAD

distcheck: dist ## build and test the archive
	rm -rf build/distcheck && mkdir -p build/distcheck
	tar -C build/distcheck -xzf alignck-$(VERSION).tar.gz
	$(MAKE) -C build/distcheck/alignck-$(VERSION) all check

clean: ## remove build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

.PHONY: all tests-bin try check check-crash check-vm check-asan check-valgrind coverage fuzz bench lint format install \
	uninstall dist distcheck clean help
.DELETE_ON_ERROR:
