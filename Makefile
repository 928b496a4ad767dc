# beff: effective communication and I/O bandwidth. `make help` lists the targets.
#
# A folder may use the folders of the floors below it and no others; each is a library of its own, and `make floors`
# proves it. Everything outside of the folders mpi/ is pure C: compiled by CC, which does not see MPI's headers, and
# unit-tested without mpiexec. The folders mpi/ are compiled by MPICC.

VERSION := 0.1.0
PREFIX ?= /usr/local
BUILD ?= build
# One spelling, as what depends on what is kept by file name; relative, as the directory may have a blank in its name.
override BUILD := $(patsubst ./%,%,$(subst $(CURDIR)/,,$(BUILD)))
CFLAGS ?= -O2 -g
# What `make rate`, `make run` and `make fuzz` start.
NP ?= $(shell n=$$(nproc); echo $$((n < 2 ? 2 : n)))
TIME ?= 125
RUNS ?= 1
SECS ?= 5
B ?= beff
SUITE ?= MPI1

WARNINGS := -Wall -Wextra -Wconversion -Wformat=2 -Wmissing-prototypes -Wno-missing-field-initializers
ifdef WERROR
WARNINGS += -Werror
endif
STANDARD = -std=c11 -D_GNU_SOURCE -I. $(WARNINGS) $(CPPFLAGS)
SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
# Of what git has checked out here, or else of the tarball (make dist), where git has filled in build-aux/commit.
COMMIT := $(shell { [ -e .git ] && git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null; } || \
    grep -o '^[0-9a-f]\{12\}' build-aux/commit || echo unknown)
DATE := $(shell { [ -e .git ] && git log -1 --format=%cs 2>/dev/null; } || sed -n 's/^[0-9a-f]* //p' build-aux/commit)
# A release has the tag vVERSION; what is between releases sorts before the next one.
RELEASE = $(shell git tag --points-at HEAD | grep -x 'v$(VERSION)')
DIST = beff-$(VERSION)$(if $(RELEASE),,~$(subst -,,$(DATE)).$(COMMIT:-dirty=))

ENGINES := beff beff_io imb_compat
PROGRAMS := $(BUILD)/beff $(BUILD)/beff_io $(BUILD)/imb_compat $(BUILD)/beff_report
# Names under which imb_compat is started, too.
IMB_LINKS := IMB-MPI1 IMB-EXT IMB-IO IMB-NBC IMB-RMA
MANUALS := $(PROGRAMS:=.1) $(BUILD)/beff-protocol.5

# The floors from the top: what a folder may use.
below_common :=
$(foreach engine,$(ENGINES),$(eval below_$(engine) := common))
below_report := $(ENGINES) common
PURE := report $(below_report)
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
.PHONY: all help rate check check-hosts check-worlds check-faults check-sanitized coverage coverage-now sanitized-now analyze check-docs check-packages unit run simulated bench-scale report golden fuzz floors install uninstall dist clean format lint test-programs rate-now FORCE

all: $(PROGRAMS) $(MANUALS) $(IMB_LINKS:%=$(BUILD)/%) ## build the programs in build/ (BUILD=)

# ---- targets that install what is missing and start from there ----

ENTRY := help rate check check-hosts check-worlds check-faults check-sanitized coverage check-docs check-packages clean format lint simulated bench-scale

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /make \1	/p' Makefile | expand -t 20

rate: ## install what is missing, build, rate this machine (NP=, TIME= seconds, RUNS=), make plots and page
	@build-aux/setup build
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory rate-now

check: TESTS :=
check: ## install what the tests need, run all tests
check-hosts: TESTS := tests/worlds/hosts.bats
check-hosts: ## the programs over several hosts, network namespaces of this machine (root)
check-worlds: ## what needs root, servers or minutes: several hosts, Slurm, GlusterFS; all tests with Open MPI
	@build-aux/setup build test
	@build-aux/setup worlds openmpi || true
	@$(MAKE) --no-print-directory all
	@status=0; BUILD='$(BUILD)' tests/check $(addprefix tests/worlds/,hosts.bats slurm.bats gluster.bats) || status=1; \
	if command -v mpicc.openmpi > /dev/null; then \
	    $(OPENMPI) TESTS=tests/worlds/openmpi.bats && $(OPENMPI) || status=1; \
	else echo 'skipped: the tests with Open MPI: mpicc.openmpi is not installed (build-aux/setup openmpi)'; fi; exit $$status
OPENMPI = $(MAKE) --no-print-directory check BUILD='$(BUILD)-ompi' MPICC=mpicc.openmpi MPIEXEC=mpirun.openmpi
check-docs: ## the commands of README and docs, as they stand there
	@build-aux/setup build test
	@$(MAKE) --no-print-directory all
	@BUILD='$(BUILD)' tests/doc
check-packages: ## tarball, packages, container's steps and contrib, built and used, partly in a bare Debian (root)
	@build-aux/setup build test package
	@$(MAKE) --no-print-directory all
	@BUILD='$(BUILD)' tests/contrib
	@tests/packages
bench-scale: ## beff on 16 to 1024 simulated processes: exactness, seconds, memory, drawn (RANKS='16 64 ...')
	@build-aux/setup build test
	@BUILD='$(BUILD)' bench/simulated $(RANKS)
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
ifneq ($(filter-out report unit golden fuzz dist uninstall $(BUILD)/bench/%,$(GOALS)),)
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
$(BUILD)/page_assets.c: report/page.css report/page.js
	@mkdir -p $(@D)
	@{ echo '#include "report/page.h"'; for part in style:css script:js; do \
	    echo "const char page_$${part%:*}[] ="; \
	    sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' report/page.$${part#*:}; echo ';'; done; } > $@
%/report/page_assets.o: $(BUILD)/page_assets.c
	@mkdir -p $(@D)
	$(CC) $(STANDARD) -MMD -MP -c $< -o $@
$(call library,pure,report): $(BUILD)/pure/report/page_assets.o
$(call library,unit,report): $(BUILD)/unit/report/page_assets.o

# ---- programs ----

# -u: main() is in a library, from where SMPI's linker, which makes a shared one, would not take it.
$(ENGINES:%=$(BUILD)/%): $(BUILD)/%: $$(call mpi_floors,$$*/mpi)
	$(MPICC) $(CFLAGS) $(LDFLAGS) -u main -o $@ $^ $(LIBS)
$(IMB_LINKS:%=$(BUILD)/%): $(BUILD)/imb_compat
	ln -sf imb_compat $@
$(BUILD)/beff_report: $(BUILD)/pure/report/main.o $(call floors,pure,report)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# The manual page is made from the program's own option table; what no table has comes from docs/man.
$(BUILD)/%.1: $(BUILD)/% docs/man/%.md build-aux/md2man
	{ $< --man | sed '1s/""/"$(DATE)"/'; build-aux/md2man docs/man/$*.md; } > $@
$(BUILD)/beff-protocol.5: protocols/README.md build-aux/md2man
	@mkdir -p $(@D)
	build-aux/md2man -v name=beff-protocol -v section=5 -v date=$(DATE) -v version=$(VERSION) \
	    -v purpose='files of a run of beff, beff_io and imb_compat' $< > $@

# Measurements of the pure half.
$(BUILD)/bench/%: $(BUILD)/pure/bench/%.o $(call floors,pure,beff)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# In a directory of its own: its ranks are loaded as libraries, and its malloc.h would take the place of the system's.
simulated: ## build/smpi/beff, for machines that SimGrid's SMPI simulates
	@$(MAKE) --no-print-directory BUILD='$(BUILD)/smpi' CFLAGS='$(CFLAGS) -fPIC' MPIEXEC=smpirun \
	    MPICC='smpicc -DSMPI_NO_OVERRIDE_MALLOC' '$(BUILD)/smpi/beff'

report: $(BUILD)/beff_report ## build/beff_report alone, on a machine without MPI

run: all ## one thing quickly: B=beff, beff_io, or a benchmark of imb_compat (SUITE=, NP=, SECS=, OPTIONS=)
	$(MPIEXEC) -n $(NP) $(BUILD)/$(or $(RUN_$(B)),imb_compat $(SUITE) $(B) -time $(SECS)) $(OPTIONS)
RUN_beff = beff --time $(SECS) --output $(BUILD)/run --force
RUN_beff_io = beff_io --time $(SECS) --output $(BUILD)/run --force --path $(BUILD)

rate-now: all
	@MPIEXEC='$(MPIEXEC)' BUILD='$(BUILD)' NP='$(NP)' TIME='$(TIME)' RUNS='$(RUNS)' build-aux/rate

# What is installed in each folder below PREFIX.
SHARE := share/doc/beff
INSTALLED_bin := $(PROGRAMS)
INSTALLED_share/man/man1 := $(PROGRAMS:=.1)
INSTALLED_share/man/man5 := $(BUILD)/beff-protocol.5
INSTALLED_share/bash-completion/completions := contrib/beff
INSTALLED_$(SHARE) := README.md CHANGELOG.md CITATION.cff
INSTALLED_$(SHARE)/docs := $(wildcard docs/*.md docs/*.svg)
INSTALLED_$(SHARE)/protocols := $(addprefix protocols/,README.md run.schema.json recompute)
INSTALLED_$(SHARE)/contrib := $(filter-out contrib/beff contrib/spack,$(wildcard contrib/*))
FOLDERS := $(patsubst INSTALLED_%,%,$(filter INSTALLED_%,$(.VARIABLES)))
# The other names of imb_compat, of its page, and of what completes them all.
completed := $(filter-out beff,$(notdir $(PROGRAMS)) $(IMB_LINKS))
LINKED := $(IMB_LINKS:%=bin/%:imb_compat) $(IMB_LINKS:%=share/man/man1/%.1:imb_compat.1) \
    $(completed:%=share/bash-completion/completions/%:beff)

install: all ## into PREFIX=/usr/local (DESTDIR= is put before it)
	@set -e; $(foreach folder,$(FOLDERS),install -d '$(DESTDIR)$(PREFIX)/$(folder)'; \
	    install -m $(if $(filter bin,$(folder)),755,644) $(INSTALLED_$(folder)) '$(DESTDIR)$(PREFIX)/$(folder)';) \
	for link in $(LINKED); do ln -sf "$${link#*:}" '$(DESTDIR)$(PREFIX)'/"$${link%:*}"; done

uninstall: ## remove what install has installed
	cd '$(DESTDIR)$(PREFIX)' && rm -f $(foreach folder,$(FOLDERS),$(addprefix $(folder)/,$(notdir $(INSTALLED_$(folder))))) \
	    $(foreach link,$(LINKED),$(firstword $(subst :, ,$(link)))) && \
	    rmdir --ignore-fail-on-non-empty $(addprefix $(SHARE)/,docs protocols contrib) $(SHARE)

dist: ## build/beff-VERSION.tar.gz of what is committed, always the same bytes
	@mkdir -p $(BUILD)
	git archive --prefix=$(DIST)/ HEAD | gzip -9n > $(BUILD)/$(DIST).tar.gz
	@echo $(BUILD)/$(DIST).tar.gz

# ---- tests ----

unit: $(UNIT_TESTS) ## the unit tests of the pure half, without mpiexec
	@set -e; for test in $(UNIT_TESTS); do $$test; done
$(BUILD)/unit/%_test: $(BUILD)/unit/%_test.o $$(call floors,unit,$$(*D))
	$(CC) $(SANITIZE) -o $@ $^ -lcmocka $(LIBS)

check-faults: ## every fault of tests/faults (a table), and 10,000 random command lines: half an hour
	@build-aux/setup build test
	@$(MAKE) --no-print-directory all test-programs
	@BUILD='$(BUILD)' tests/faults/run --markdown
	@BUILD='$(BUILD)' tests/fuzz/options 10000 $(or $(SEED),1)

# The thread sanitizer is for the one thread that there is, the guard's.
COVERAGE := -O0 -g --coverage
coverage: ## lines of the pure half that its tests reach
	@$(MAKE) --no-print-directory BUILD=build/coverage CFLAGS='$(COVERAGE)' SANITIZE='$(COVERAGE) -fsanitize=address' coverage-now
check-sanitized: ## the functional tests of all programs, built with sanitizers for memory, behaviour, threads
	@$(MAKE) --no-print-directory BUILD=build/asan CFLAGS='-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all' sanitized-now
	@$(MAKE) --no-print-directory BUILD=build/tsan CFLAGS='-g -O1 -fsanitize=thread' sanitized-now
coverage-now sanitized-now: all test-programs
	@BUILD='$(BUILD)' build-aux/$(@:-now=)

analyze: ## static analysis that takes some minutes: gcc -fanalyzer, clang-tidy
	@BUILD='$(BUILD)' build-aux/analyze

golden: $(BUILD)/beff_report ## what beff_report shows of protocols/samples, made anew, and how it differs
	@BUILD='$(BUILD)' build-aux/golden

fuzz: $(FUZZ) ## odd protocols into beff_report (SECS=, SEED=)
	$(FUZZ) $(SECS) $(or $(SEED),0) protocols/samples/*/run.prot
$(FUZZ): $(patsubst %.c,$(BUILD)/unit/%.o,$(wildcard tests/fuzz/*.c)) $(call floors,unit,report)
	$(CC) $(SANITIZE) -o $@ $^ $(LIBS)

test-programs: $(UNIT_TESTS) $(SHIMS) $(FUZZ) floors
$(BUILD)/tests/shims/%.so: tests/shims/%.c tests/shims/shim.h
	@mkdir -p $(@D)
	$(MPICC) -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -shared -fPIC $< -o $@ -ldl

# The whole of a library, linked with nothing but what is below it.
floors: $(patsubst %,$(BUILD)/floors/%/alone,$(PURE) $(MPI)) ## link each folder with nothing but the floors below it
ALONE = -nostartfiles -Wl,--no-undefined,--entry=0 -Wl,--whole-archive $< -Wl,--no-whole-archive $(filter-out $<,$^) $(LIBS)
$(PURE:%=$(BUILD)/floors/%/alone): $(BUILD)/floors/%/alone: $$(call floors,pure,$$*)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(ALONE)
$(MPI:%=$(BUILD)/floors/%/alone): $(BUILD)/floors/%/alone: $$(call mpi_floors,$$*)
	@mkdir -p $(@D)
	$(MPICC) $(CFLAGS) -o $@ $(ALONE)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
