# beff: effective communication and I/O bandwidth. `make help` lists the targets.
#
# Everything outside of the folders mpi/ is pure C: compiled by CC, which does not see MPI's headers, and unit-tested
# without mpiexec. The folders mpi/ are compiled by MPICC.

VERSION := 0.1.0
PREFIX ?= /usr/local
BUILD ?= build
# One spelling: what depends on what is kept by file name.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))
CFLAGS ?= -O2 -g
# What `make rate` and `make run` start.
NP ?= $(shell n=$$(nproc); echo $$((n < 2 ? 2 : n)))
TIME ?= 125
SECS ?= 5

WARNINGS := -Wall -Wextra -Wconversion -Wformat=2 -Wmissing-prototypes -Wno-missing-field-initializers
ifdef WERROR
WARNINGS += -Werror
endif
STANDARD = -std=c11 -D_GNU_SOURCE -I. $(WARNINGS) $(CPPFLAGS)

PURE_DIRS := common beff beff_io imb_compat protocols plots
MPI_DIRS := $(PURE_DIRS:=/mpi)
PROGRAMS := $(BUILD)/beff $(BUILD)/beff_io $(BUILD)/imb_compat $(BUILD)/beff_report
# Names under which imb_compat is started, too.
IMB_LINKS := IMB-MPI1 IMB-EXT IMB-IO IMB-NBC IMB-RMA

ALL_PURE := $(wildcard $(PURE_DIRS:=/*.c))
PURE := $(filter-out %_test.c plots/main.c,$(ALL_PURE))
UNIT_TESTS := $(patsubst %.c,$(BUILD)/unit/%,$(filter %_test.c,$(ALL_PURE)))
PURE_OBJECTS := $(PURE:%.c=$(BUILD)/pure/%.o) $(BUILD)/pure/plots/page_assets.o
UNIT_OBJECTS := $(PURE:%.c=$(BUILD)/unit/%.o) $(BUILD)/unit/plots/page_assets.o
SHIMS := $(patsubst %.c,$(BUILD)/%.so,$(wildcard tests/shims/*.c))
COMMIT := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all help setup rate check unit functional run report golden fuzz install clean format lint

# ---- targets that install what is missing and start from there ----

ENTRY := help rate check clean format lint
ifneq ($(filter $(ENTRY),$(MAKECMDGOALS)),)

help:
	@echo 'make            build the programs in $(BUILD)/'
	@echo 'make rate       install what is missing, build, rate this machine (NP=, TIME= seconds), make plots and page'
	@echo 'make check      install what the tests need, run all tests'
	@echo 'make unit       the unit tests of the pure half, without mpiexec'
	@echo 'make golden     what beff_report shows of protocols/samples, made anew, and how it differs'
	@echo 'make fuzz       odd protocols into beff_report (SECS=)'
	@echo 'make report     $(BUILD)/beff_report alone, on a machine without MPI'
	@echo 'make run        a quick run of beff (NP=, SECS=, OPTIONS=)'
	@echo 'make install    into PREFIX=$(PREFIX) (DESTDIR= is put before it)'
	@echo 'make lint       formatting and static analysis;  make format  formats the sources'
	@echo 'make clean      remove $(BUILD)/'

rate:
	@build-aux/setup build
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory rate-now

check:
	@build-aux/setup build test
	@$(MAKE) --no-print-directory all
	@BUILD='$(BUILD)' tests/check

lint:
	@build-aux/setup build lint
	@build-aux/lint

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf $(BUILD)

else

# ---- targets that need the compilers ----

# What pkg-config knows of the optional libraries; MPICC and MPIEXEC, where they are needed. Found once.
include $(BUILD)/libraries.mk
ifneq ($(filter-out report unit golden fuzz,$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/config.mk
endif
$(BUILD)/libraries.mk: build-aux/find-libraries
	@mkdir -p $(@D)
	@WITHOUT='$(WITHOUT)' build-aux/find-libraries > $@.new
	@mv $@.new $@
$(BUILD)/config.mk: build-aux/find-mpi
	@mkdir -p $(@D)
	@MPICC='$(MPICC)' MPIEXEC='$(MPIEXEC)' build-aux/find-mpi > $@.new
	@mv $@.new $@

all: $(PROGRAMS) $(PROGRAMS:=.1) $(IMB_LINKS:%=$(BUILD)/%)

BUILD_INFO = -DBUILD_VERSION='"$(VERSION)"' -DBUILD_COMMIT='"$(COMMIT)"' -DBUILD_FLAGS='"$(CFLAGS)"'
%/common/version.o: CPPFLAGS += $(BUILD_INFO)
$(BUILD)/pure/common/version.o $(BUILD)/unit/common/version.o: $(BUILD)/commit
# Touched only when the commit changes, so that version.o is built anew then.
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@echo '$(COMMIT) $(CFLAGS)' | cmp -s - $@ || echo '$(COMMIT) $(CFLAGS)' > $@
.PHONY: FORCE

$(BUILD)/pure/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(STANDARD) $(OPTIONAL_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# MPICH declares MPI_STATUSES_IGNORE such that gcc 12 takes it for an array of no elements.
$(BUILD)/mpi/%.o: %.c
	@mkdir -p $(@D)
	$(MPICC) $(STANDARD) -Wno-stringop-overflow $(CFLAGS) -MMD -MP -c $< -o $@

COMMON_MPI := $(patsubst %.c,$(BUILD)/mpi/%.o,$(wildcard common/mpi/*.c))
$(BUILD)/beff: $(patsubst %.c,$(BUILD)/mpi/%.o,$(wildcard beff/mpi/*.c)) $(COMMON_MPI) $(PURE_OBJECTS)
	$(MPICC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(OPTIONAL_LIBS) -lm -lpthread
$(BUILD)/beff_io: $(patsubst %.c,$(BUILD)/mpi/%.o,$(wildcard beff_io/mpi/*.c)) $(COMMON_MPI) $(PURE_OBJECTS)
	$(MPICC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(OPTIONAL_LIBS) -lm -lpthread

$(BUILD)/imb_compat: $(patsubst %.c,$(BUILD)/mpi/%.o,$(wildcard imb_compat/mpi/*.c)) $(COMMON_MPI) $(PURE_OBJECTS)
	$(MPICC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(OPTIONAL_LIBS) -lm -lpthread
$(IMB_LINKS:%=$(BUILD)/%): $(BUILD)/imb_compat
	ln -sf imb_compat $@

$(BUILD)/beff_report: $(BUILD)/pure/plots/main.o $(PURE_OBJECTS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(OPTIONAL_LIBS) -lm -lpthread

# Style and script of the report's page, as C strings.
$(BUILD)/page_assets.c: plots/page.css plots/page.js
	@mkdir -p $(@D)
	@{ echo '#include "plots/page.h"'; for part in style:css script:js; do \
	    echo "const char page_$${part%:*}[] ="; \
	    sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' plots/page.$${part#*:}; echo ';'; done; } > $@
%/plots/page_assets.o: $(BUILD)/page_assets.c
	@mkdir -p $(@D)
	$(CC) $(STANDARD) $(CFLAGS) -MMD -MP -c $< -o $@

# The manual page is made from the program's own option table.
$(BUILD)/%.1: $(BUILD)/%
	$< --man > $@

SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
$(BUILD)/unit/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(STANDARD) $(OPTIONAL_CFLAGS) $(SANITIZE) -MMD -MP -c $< -o $@
$(BUILD)/unit/%_test: $(BUILD)/unit/%_test.o $(UNIT_OBJECTS)
	$(CC) $(SANITIZE) -o $@ $^ -lcmocka $(OPTIONAL_LIBS) -lm -lpthread

report: $(BUILD)/beff_report

golden: $(BUILD)/beff_report
	@BUILD='$(BUILD)' build-aux/golden

FUZZ := $(BUILD)/unit/tests/fuzz/fuzz
$(FUZZ): $(patsubst %.c,$(BUILD)/unit/%.o,$(wildcard tests/fuzz/*.c)) $(UNIT_OBJECTS)
	$(CC) $(SANITIZE) -o $@ $^ $(OPTIONAL_LIBS) -lm -lpthread

fuzz: $(FUZZ)
	$(FUZZ) $(SECS) $(or $(SEED),0) protocols/samples/*/run.prot

unit: $(UNIT_TESTS)
	@set -e; for test in $(UNIT_TESTS); do $$test; done

.PHONY: test-programs rate-now
test-programs: $(UNIT_TESTS) $(SHIMS) $(FUZZ)
$(BUILD)/tests/shims/%.so: tests/shims/%.c
	@mkdir -p $(@D)
	$(MPICC) -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -shared -fPIC $< -o $@ -ldl

run: all
	$(MPIEXEC) -n $(NP) $(BUILD)/beff --time $(SECS) --output $(BUILD)/run --force $(OPTIONS)

rate-now: all
	@MPIEXEC='$(MPIEXEC)' BUILD='$(BUILD)' NP='$(NP)' TIME='$(TIME)' build-aux/rate

install: all
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 755 $(PROGRAMS) '$(DESTDIR)$(PREFIX)/bin'
	for link in $(IMB_LINKS); do ln -sf imb_compat '$(DESTDIR)$(PREFIX)/bin/'$$link; done
	install -m 644 $(PROGRAMS:=.1) '$(DESTDIR)$(PREFIX)/share/man/man1'
	for link in $(IMB_LINKS); do ln -sf imb_compat.1 '$(DESTDIR)$(PREFIX)/share/man/man1/'$$link.1; done

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

endif
