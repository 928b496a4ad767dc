# beff: effective communication and I/O bandwidth. `make help` lists the targets.
#
# A folder may use the folders of the floors below it and no others; each is a library of its own, and `make floors`
# proves it. Everything outside of the folders mpi/ is pure C: compiled by CC, which does not see MPI's headers, and
# unit-tested without mpiexec. The folders mpi/ are compiled by MPICC.

VERSION := 0.1.0
PREFIX ?= /usr/local
BUILD ?= build
# One spelling: what depends on what is kept by file name.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))
CFLAGS ?= -O2 -g
# What `make rate`, `make run` and `make fuzz` start.
NP ?= $(shell n=$$(nproc); echo $$((n < 2 ? 2 : n)))
TIME ?= 125
SECS ?= 5
B ?= beff
SUITE ?= MPI1

WARNINGS := -Wall -Wextra -Wconversion -Wformat=2 -Wmissing-prototypes -Wno-missing-field-initializers
ifdef WERROR
WARNINGS += -Werror
endif
STANDARD = -std=c11 -D_GNU_SOURCE -I. $(WARNINGS) $(CPPFLAGS)
SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
COMMIT := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

ENGINES := beff beff_io imb_compat
PROGRAMS := $(BUILD)/beff $(BUILD)/beff_io $(BUILD)/imb_compat $(BUILD)/beff_report
# Names under which imb_compat is started, too.
IMB_LINKS := IMB-MPI1 IMB-EXT IMB-IO IMB-NBC IMB-RMA

# The floors from the top: what a folder may use.
below_common :=
$(foreach engine,$(ENGINES),$(eval below_$(engine) := common))
below_protocols := $(ENGINES) common
below_plots := protocols $(below_protocols)
PURE := plots $(below_plots)
MPI := common/mpi $(ENGINES:=/mpi)

# objects KIND,FOLDER: what goes into its library. KIND: pure, mpi, or unit (pure with sanitizers).
objects = $(patsubst %.c,$(BUILD)/$(1)/%.o,$(filter-out %_test.c %/main.c,$(wildcard $(2)/*.c)))
# library KIND,FOLDERS
library = $(foreach folder,$(2),$(BUILD)/$(1)/$(folder)/lib$(firstword $(subst /, ,$(folder))).a)
# floors KIND,FOLDER: the libraries of a pure folder and of all below it.
floors = $(call library,$(1),$(2) $(below_$(2)))
# mpi_floors FOLDER: the same of a folder mpi/.
mpi_floors = $(call library,mpi,$(1) $(filter-out $(1),common/mpi)) $(call floors,pure,$(1:/mpi=))

UNIT_TESTS := $(patsubst %.c,$(BUILD)/unit/%,$(wildcard $(PURE:=/*_test.c)))
SHIMS := $(patsubst %.c,$(BUILD)/%.so,$(wildcard tests/shims/*.c))
FUZZ := $(BUILD)/unit/tests/fuzz/fuzz

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:
.PHONY: all help rate check check-hosts unit run report golden fuzz floors install clean format lint test-programs rate-now FORCE

all: $(PROGRAMS) $(PROGRAMS:=.1) $(IMB_LINKS:%=$(BUILD)/%) ## build the programs in build/ (BUILD=)

# ---- targets that install what is missing and start from there ----

ENTRY := help rate check check-hosts clean format lint

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /make \1	/p' Makefile | expand -t 20

rate: ## install what is missing, build, rate this machine (NP=, TIME= seconds), make plots and page
	@build-aux/setup build
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory rate-now

check: TESTS :=
check: ## install what the tests need, run all tests
check-hosts: TESTS := tests/worlds/hosts.bats
check-hosts: ## the programs over several hosts, network namespaces of this machine (root)
check check-hosts:
	@build-aux/setup build test
	@$(MAKE) --no-print-directory all
	@BUILD='$(BUILD)' tests/check $(TESTS)

lint: ## formatting, static analysis, the limits and floors of the house
	@build-aux/setup build lint
	@build-aux/lint
	@$(MAKE) --no-print-directory floors

format: ## format the sources
	clang-format -i $$(git ls-files '*.c' '*.h')

clean: ## remove the build directory
	rm -rf $(BUILD)

# ---- what was found on this machine, once ----

GOALS := $(filter-out $(ENTRY),$(or $(MAKECMDGOALS),all))
ifneq ($(GOALS),)
include $(BUILD)/hwloc.mk
endif
ifneq ($(filter-out report unit golden fuzz $(BUILD)/bench/%,$(GOALS)),)
include $(BUILD)/config.mk
endif
# What pkg-config knows of hwloc.
$(BUILD)/hwloc.mk: build-aux/find-hwloc
	@mkdir -p $(@D)
	@WITHOUT='$(WITHOUT)' build-aux/find-hwloc > $@.new
	@mv $@.new $@
# MPICC and MPIEXEC, a pair that belongs together.
$(BUILD)/config.mk: build-aux/find-mpi
	@mkdir -p $(@D)
	@MPICC='$(MPICC)' MPIEXEC='$(MPIEXEC)' build-aux/find-mpi > $@.new
	@mv $@.new $@
LIBS = $(HWLOC_LIBS) -lm -lpthread

# ---- objects and libraries ----

$(BUILD)/pure/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(STANDARD) $(HWLOC_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/unit/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(STANDARD) $(HWLOC_CFLAGS) $(SANITIZE) -MMD -MP -c $< -o $@
# MPICH declares MPI_STATUSES_IGNORE such that gcc 12 takes it for an array of no elements.
$(BUILD)/mpi/%.o: %.c
	@mkdir -p $(@D)
	$(MPICC) $(STANDARD) -Wno-stringop-overflow $(CFLAGS) -MMD -MP -c $< -o $@

# The folder itself is newer than its library when a file has gone.
ARCHIVE = @mkdir -p $(@D); rm -f $@; $(AR) rcs $@ $(filter %.o,$^)
define libraries_of # KIND,FOLDER
$(call library,$(1),$(2)): $(call objects,$(1),$(2)) $(2)
	$$(ARCHIVE)
endef
$(foreach kind,pure unit,$(foreach folder,$(PURE),$(eval $(call libraries_of,$(kind),$(folder)))))
$(foreach folder,$(MPI),$(eval $(call libraries_of,mpi,$(folder))))

BUILD_INFO = -DBUILD_VERSION='"$(VERSION)"' -DBUILD_COMMIT='"$(COMMIT)"' -DBUILD_FLAGS='"$(CFLAGS)"'
%/common/version.o: CPPFLAGS += $(BUILD_INFO)
$(BUILD)/pure/common/version.o $(BUILD)/unit/common/version.o: $(BUILD)/commit
# Touched only when the commit changes, so that version.o is built anew then.
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@echo '$(COMMIT) $(CFLAGS)' | cmp -s - $@ || echo '$(COMMIT) $(CFLAGS)' > $@

# Style and script of the report's page, as C strings.
$(BUILD)/page_assets.c: plots/page.css plots/page.js
	@mkdir -p $(@D)
	@{ echo '#include "plots/page.h"'; for part in style:css script:js; do \
	    echo "const char page_$${part%:*}[] ="; \
	    sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' plots/page.$${part#*:}; echo ';'; done; } > $@
%/plots/page_assets.o: $(BUILD)/page_assets.c
	@mkdir -p $(@D)
	$(CC) $(STANDARD) $(CFLAGS) -MMD -MP -c $< -o $@
$(call library,pure,plots): $(BUILD)/pure/plots/page_assets.o
$(call library,unit,plots): $(BUILD)/unit/plots/page_assets.o

# ---- programs ----

$(ENGINES:%=$(BUILD)/%): $(BUILD)/%: $(BUILD)/mpi/%/mpi/main.o $$(call mpi_floors,$$*/mpi)
	$(MPICC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
$(IMB_LINKS:%=$(BUILD)/%): $(BUILD)/imb_compat
	ln -sf imb_compat $@
$(BUILD)/beff_report: $(BUILD)/pure/plots/main.o $(call floors,pure,plots)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# The manual page is made from the program's own option table.
$(BUILD)/%.1: $(BUILD)/%
	$< --man > $@

# Measurements of the pure half.
$(BUILD)/bench/%: $(BUILD)/pure/bench/%.o $(call floors,pure,beff)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

report: $(BUILD)/beff_report ## build/beff_report alone, on a machine without MPI

run: all ## one thing quickly: B=beff, beff_io, or a benchmark of imb_compat (SUITE=, NP=, SECS=, OPTIONS=)
	$(MPIEXEC) -n $(NP) $(BUILD)/$(or $(RUN_$(B)),imb_compat $(SUITE) $(B) -time $(SECS)) $(OPTIONS)
RUN_beff = beff --time $(SECS) --output $(BUILD)/run --force
RUN_beff_io = beff_io --time $(SECS) --output $(BUILD)/run --force --path $(BUILD)

rate-now: all
	@MPIEXEC='$(MPIEXEC)' BUILD='$(BUILD)' NP='$(NP)' TIME='$(TIME)' build-aux/rate

install: all ## into PREFIX=/usr/local (DESTDIR= is put before it)
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 755 $(PROGRAMS) '$(DESTDIR)$(PREFIX)/bin'
	for link in $(IMB_LINKS); do ln -sf imb_compat '$(DESTDIR)$(PREFIX)/bin/'$$link; done
	install -m 644 $(PROGRAMS:=.1) '$(DESTDIR)$(PREFIX)/share/man/man1'
	for link in $(IMB_LINKS); do ln -sf imb_compat.1 '$(DESTDIR)$(PREFIX)/share/man/man1/'$$link.1; done

# ---- tests ----

unit: $(UNIT_TESTS) ## the unit tests of the pure half, without mpiexec
	@set -e; for test in $(UNIT_TESTS); do $$test; done
$(BUILD)/unit/%_test: $(BUILD)/unit/%_test.o $$(call floors,unit,$$(*D))
	$(CC) $(SANITIZE) -o $@ $^ -lcmocka $(LIBS)

golden: $(BUILD)/beff_report ## what beff_report shows of protocols/samples, made anew, and how it differs
	@BUILD='$(BUILD)' build-aux/golden

fuzz: $(FUZZ) ## odd protocols into beff_report (SECS=, SEED=)
	$(FUZZ) $(SECS) $(or $(SEED),0) protocols/samples/*/run.prot
$(FUZZ): $(patsubst %.c,$(BUILD)/unit/%.o,$(wildcard tests/fuzz/*.c)) $(call floors,unit,plots)
	$(CC) $(SANITIZE) -o $@ $^ $(LIBS)

test-programs: $(UNIT_TESTS) $(SHIMS) $(FUZZ) floors
$(BUILD)/tests/shims/%.so: tests/shims/%.c
	@mkdir -p $(@D)
	$(MPICC) -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -shared -fPIC $< -o $@ -ldl

# The whole of a library, linked with nothing but what is below it.
floors: $(patsubst %,$(BUILD)/floors/%/alone,$(PURE) $(MPI)) ## link each folder with nothing but the floors below it
ALONE = -nostartfiles -Wl,--no-undefined,--entry=0 -Wl,--whole-archive $< -Wl,--no-whole-archive $(filter-out $<,$^) $(LIBS)
$(PURE:%=$(BUILD)/floors/%/alone): $(BUILD)/floors/%/alone: $$(call floors,pure,$$*)
	@mkdir -p $(@D)
	$(CC) -o $@ $(ALONE)
$(MPI:%=$(BUILD)/floors/%/alone): $(BUILD)/floors/%/alone: $$(call mpi_floors,$$*)
	@mkdir -p $(@D)
	$(MPICC) -o $@ $(ALONE)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
