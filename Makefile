# beff: effective communication and I/O bandwidth. `make help` lists the targets; tests are in tests/Makefile.
#
# A folder may use only the layers below it; `make layers` checks this:
#     common <- beff, beff_io, imb_compat <- report
# Only the folders mpi/ use MPI, and only they are compiled by MPICC. All other code is compiled by CC, which does not find
# mpi.h, and is unit-tested without mpiexec.

VERSION := 1.0.0~rc1
PREFIX ?= /usr/local
BUILD ?= build
# Defaults of `make rate` and `make run`.
NP = $(shell n=$$(OMP_NUM_THREADS= OMP_THREAD_LIMIT= nproc); echo $$((n < 2 ? 2 : n)))
TIME = 180
RUNS = 1
DIR = .
SECS = 5
B = beff
SUITE = MPI1

# Variables of config.mk and of single targets. Variables of the environment with these names have no effect.
MPI_NAME :=
HWLOC_CFLAGS :=
HWLOC_LIBS :=
NOTE :=
NO_MPI :=
MPI_DEFINES :=
MPI_OPENMP :=
OPENMP :=
DEFINES :=
OPTIONS :=
unexport CDPATH
export LC_ALL := C

# One spelling of the directory, because make compares names. It is relative, because the checkout's path may contain a space.
override BUILD := $(patsubst ./%,%,$(patsubst %/,%,$(subst $(CURDIR)/,,$(BUILD))))
$(if $(BUILD),,$(error BUILD is empty: give a directory, such as BUILD=build))
$(if $(word 2,$(subst :, : ,$(BUILD))),$(error BUILD="$(BUILD)" contains a blank or a colon: make needs a directory without them))
$(if $(wildcard $(BUILD)/Makefile),$(error BUILD=$(BUILD) contains a Makefile: give a directory of its own, such as BUILD=build))
export BUILD

# Settings that are given neither on the command line nor in the environment are those of the last build in this directory, so that
# `make install` builds nothing again. If a setting has changed, everything is built again.
ifeq ($(origin CC),default)
undefine CC
endif
-include $(BUILD)/settings.mk
CC ?= cc
CFLAGS ?= -O2 -g
c_text = "$(subst ",\",$(subst \,\\,$(1)))"
shell_text = '$(subst ','\'',$(1))'
SETTINGS := $(foreach name,CC MPICC MPIEXEC WITHOUT CPPFLAGS CFLAGS LDFLAGS LDLIBS, \
    'define $(name) ?=' $(call shell_text,$(value $(name))) endef)
MPI_GIVEN := MPICC=$(call shell_text,$(MPICC)) MPIEXEC=$(call shell_text,$(MPIEXEC))

MAKEFLAGS += --no-print-directory
# Print a short line for each command. V=1 prints the whole commands instead.
ifneq ($(V),1)
CC_SHOWN = @echo "CC $<";
LD_SHOWN = @echo "LD $@";
endif

WARNINGS := -Wall -Wextra -Wconversion -Wformat=2 -Wmissing-prototypes -Wno-missing-field-initializers
ifdef WERROR
WARNINGS += -Werror
endif
FLAGS = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -I. $(WARNINGS) $(CPPFLAGS) $(DEFINES) -MMD -MP
LIBS = $(HWLOC_LIBS) -lm -ldl $(LDLIBS)
# -Ofast links start-up code that changes the processor's arithmetic, even before -fno-fast-math.
C_FLAGS = $(CFLAGS:-Ofast=-O3)
# Commit and date of the checkout. In a tarball (make dist), they come from build-aux/commit, which git has filled in. If git refuses
# the checkout, for example to another user, the commit of the last build is kept.
COMMIT := $(shell { [ -e .git ] && git --git-dir=.git --work-tree=. describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null; } || \
    grep -o '^[0-9a-f]\{12\}' build-aux/commit || sed -n '1s/ .*//p' $(BUILD)/commit 2>/dev/null | grep . || echo unknown)
DATE := $(shell { [ -e .git ] && git --git-dir=.git --work-tree=. log -1 --format=%cs 2>/dev/null; } || sed -n 's/^[0-9a-f]* //p' build-aux/commit)
# Checksums of the definitions, each followed by the file's name.
SUMS := $(shell cd ./docs && sha256sum $(notdir $(wildcard docs/definition-beff*-[0-9].md)))

# The objects of a folder: one for each .c file, except unit tests.
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out %_test.c,$(wildcard $(1)/*.c)))
COMMON := $(call objects,common)
COMMON_MPI := $(call objects,common/mpi)
BEFF := $(call objects,beff)
BEFF_MPI := $(call objects,beff/mpi)
BEFF_IO := $(call objects,beff_io)
BEFF_IO_MPI := $(call objects,beff_io/mpi)
IMB_COMPAT := $(call objects,imb_compat)
IMB_COMPAT_MPI := $(call objects,imb_compat/mpi)
REPORT := $(call objects,report)
MPI_OBJECTS := $(COMMON_MPI) $(BEFF_MPI) $(BEFF_IO_MPI) $(IMB_COMPAT_MPI)

PROGRAMS := $(BUILD)/beff $(BUILD)/beff_io $(BUILD)/imb_compat $(BUILD)/beff_report
# Other names of imb_compat.
IMB_NAMES := IMB-MPI1 IMB-EXT IMB-IO IMB-NBC IMB-RMA IMB-MPI4 IMB-MT IMB-P2P IMB-MPI1-GPU IMB-RMA-GPU
MANUALS := $(PROGRAMS:=.1) $(BUILD)/beff_plot.1 $(BUILD)/beff_ab.1 $(BUILD)/beff-protocol.5

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all help rate run report install uninstall dist golden format lint clean FORCE

all: $(PROGRAMS) $(BUILD)/beff_recompute $(BUILD)/beff_pack $(BUILD)/beff_plot $(BUILD)/beff_ab $(MANUALS) $(IMB_NAMES:%=$(BUILD)/%) ## build the programs in build/ (BUILD=)
	@$(if $(NOTE),echo 'note: $(NOTE)';) echo $(call shell_text,built: $(MPIEXEC) -n $(NP) $(BUILD)/beff)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /make \1	/p' Makefile tests/Makefile | expand -t 24

rate: ## install missing packages, build, rate this machine, draw pictures, create a page (NP=, TIME= in seconds, RUNS=, DIR= for files)
	@NP='$(NP)' TIME='$(TIME)' RUNS='$(RUNS)' DIR=$(call shell_text,$(DIR)) build-aux/rate

# ---- configuration, found once: MPICC and MPIEXEC of the same MPI, hwloc, and the flags that the compilers accept ----

# The file .before lists what was in the directory before make used it; `make clean` keeps these files.
$(BUILD)/settings.mk: FORCE
	@mkdir -p $(@D); [ -e $(@D)/.before ] || { files=$$(ls -A $(@D)); printf '%s\n' "$$files" > $(@D)/.before; }
	@printf '%s\n' $(SETTINGS) | cmp -s - $@ || printf '%s\n' $(SETTINGS) > $@
include $(BUILD)/config.mk
$(BUILD)/config.mk: $(BUILD)/settings.mk build-aux/find-mpi build-aux/find-hwloc build-aux/find-flags
	@{ $(MPI_GIVEN) WITHOUT='$(WITHOUT)' build-aux/find-mpi --make; WITHOUT='$(WITHOUT)' build-aux/find-hwloc; } > $@.$$$$; \
		build-aux/find-flags $(call shell_text,$(CC)) "$$(sed -n 's/^MPICC = //p' $@.$$$$)" >> $@.$$$$; \
		if cmp -s $@.$$$$ $@ && [ $@ -nt $< ]; then rm $@.$$$$; else mv $@.$$$$ $@; fi

# ---- objects: config.mk changes only with the settings, or if another MPI or hwloc was found ----

$(BUILD)/obj/%.o: %.c $(BUILD)/config.mk
	@mkdir -p $(@D)
	$(CC_SHOWN)$(CC) $(FLAGS) $(HWLOC_CFLAGS) $(C_FLAGS) $(CC_FLAGS) -c $< -o $@
# If there is no MPI, NO_MPI is a target that prints the reason (find-mpi).
$(MPI_OBJECTS): $(BUILD)/obj/%.o: %.c $(BUILD)/config.mk | $(NO_MPI)
	@mkdir -p $(@D)
	$(CC_SHOWN)$(MPICC) $(FLAGS) $(MPI_DEFINES) $(OPENMP) $(C_FLAGS) $(MPICC_FLAGS) -c $< -o $@

%/common/version.o: DEFINES = -DBUILD_VERSION='"$(VERSION)"' -DBUILD_COMMIT='"$(COMMIT)"' -DBUILD_FLAGS=$(call shell_text,$(call c_text,$(CFLAGS))) \
    -DBUILD_SUMS='"$(SUMS)"'
$(BUILD)/obj/common/version.o $(BUILD)/unit/common/version.o: $(BUILD)/commit
# Changes only with the commit and the definitions, so that version.o is rebuilt only then.
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@echo '$(COMMIT) $(SUMS)' | cmp -s - $@ || echo '$(COMMIT) $(SUMS)' > $@

# ---- programs ----

$(BUILD)/beff: $(BEFF_MPI) $(COMMON_MPI) $(BEFF) $(COMMON)
$(BUILD)/beff_io: $(BEFF_IO_MPI) $(COMMON_MPI) $(BEFF_IO) $(COMMON)
$(BUILD)/imb_compat: $(IMB_COMPAT_MPI) $(COMMON_MPI) $(IMB_COMPAT) $(COMMON)
$(IMB_COMPAT_MPI) $(BUILD)/imb_compat: private OPENMP = $(MPI_OPENMP)
$(BUILD)/beff $(BUILD)/beff_io $(BUILD)/imb_compat:
	$(LD_SHOWN)$(MPICC) $(C_FLAGS) $(OPENMP) $(LDFLAGS) $(MPICC_FLAGS) -o $@ $(filter %.o,$^) $(LIBS)
$(BUILD)/beff_report: $(REPORT) $(BEFF) $(BEFF_IO) $(IMB_COMPAT) $(COMMON)
	$(LD_SHOWN)$(CC) $(C_FLAGS) $(LDFLAGS) $(CC_FLAGS) -o $@ $(filter %.o,$^) $(LIBS)
# A folder from which a file was removed is newer than its program, so the program is linked again.
$(PROGRAMS): $(wildcard common/. beff/. beff_io/. imb_compat/. report/. */mpi/.)
$(IMB_NAMES:%=$(BUILD)/%): $(BUILD)/imb_compat
	@ln -sf imb_compat $@

$(BUILD)/beff_recompute: protocols/recompute $(BUILD)/commit
	@sed 's/^VERSION = .*/VERSION = "$(VERSION) (commit $(COMMIT))"/' $< > $@; chmod +x $@
$(BUILD)/beff_plot: plots/draw
	@ln -sf '$(CURDIR)/plots/draw' $@
$(BUILD)/beff_ab: contrib/beff_ab
	@cp $< $@
$(BUILD)/beff_pack: report/packs
	@cp $< $@
report: $(BUILD)/beff_report $(BUILD)/beff_pack $(BUILD)/beff_recompute $(BUILD)/beff_plot ## build only build/beff_report, which needs no MPI

run: all ## make a quick run of B=beff, beff_io, or a benchmark of imb_compat (SUITE=, NP=, SECS=, OPTIONS=)
	@case $(B) in \
	    beff) set -- beff --time $(SECS) --output $(BUILD)/run --force ;; \
	    beff_io) set -- beff_io --time $(SECS) --output $(BUILD)/run --force --path $(BUILD) ;; \
	    *) set -- imb_compat $(SUITE) $(B) $(if $(filter MT,$(SUITE)),,-time $(SECS)) ;; \
	esac; set -x; $(MPIEXEC) -n $(NP) $(BUILD)/"$$@" $(OPTIONS)

# ---- documents, installation ----

# A manual page is made from the program's --help and from chapters in docs/man.
$(BUILD)/%.1: $(BUILD)/% docs/man/%.md build-aux/help2man build-aux/md2man
	@build-aux/help2man $< docs/man/$*.md "$(DATE)" "$(VERSION)" > $@
$(BUILD)/beff-protocol.5: protocols/README.md build-aux/md2man
	@awk -f build-aux/md2man -v name=beff-protocol -v section=5 -v "date=$(DATE)" -v "version=$(VERSION)" \
	    -v purpose='files of a run of beff, beff_io and imb_compat' $< > $@

# The recipes quote these paths, because DESTDIR and PREFIX may contain spaces.
ROOT = $(DESTDIR)$(PREFIX)
DOC = $(ROOT)/share/doc/beff
COMPLETIONS = $(ROOT)/share/bash-completion/completions
install: all ## install into PREFIX=/usr/local (DESTDIR= is prepended)
	install -d '$(ROOT)/bin' '$(ROOT)/share/man/man1' '$(ROOT)/share/man/man5' '$(COMPLETIONS)' \
	    '$(ROOT)/share/beff/plots' '$(ROOT)/share/beff/contrib' '$(DOC)/docs' '$(DOC)/protocols'
	install $(PROGRAMS) $(BUILD)/beff_recompute $(BUILD)/beff_pack $(BUILD)/beff_ab '$(ROOT)/bin'
	install plots/draw '$(ROOT)/share/beff/plots'
	install -m 644 $(wildcard plots/*.gp) '$(ROOT)/share/beff/plots'
	ln -sf ../share/beff/plots/draw '$(ROOT)/bin/beff_plot'
	install -m 644 $(PROGRAMS:=.1) $(BUILD)/beff_plot.1 $(BUILD)/beff_ab.1 '$(ROOT)/share/man/man1'
	install -m 644 $(BUILD)/beff-protocol.5 '$(ROOT)/share/man/man5'
	install -m 644 contrib/beff '$(COMPLETIONS)'
	for name in beff_recompute beff_pack; do ln -sf beff_report.1 '$(ROOT)/share/man/man1'/$$name.1; done
	install -m 644 README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md '$(DOC)'
	for file in bench/README.md protocols/samples/beff-n2-valid/run.prot protocols/samples/beff_io-n2-valid/run.prot; do \
	    install -D -m 644 $$file '$(DOC)'/$$file; done
	install -m 644 $(wildcard docs/*.md docs/*.svg) '$(DOC)/docs'
	install -m 644 protocols/README.md protocols/run.schema.json '$(DOC)/protocols'
	install -m 644 $(filter-out contrib/beff contrib/beff_ab $(patsubst %/.,%,$(wildcard contrib/*/.)),$(wildcard contrib/*)) '$(ROOT)/share/beff/contrib'
	install contrib/job contrib/nightly contrib/sweep '$(ROOT)/share/beff/contrib'
	ln -sfn ../../beff/contrib '$(DOC)/contrib'
	ln -sfn ../../beff/plots '$(DOC)/plots'
	for name in beff_io imb_compat beff_report beff_plot beff_ab $(IMB_NAMES); do ln -sf beff '$(COMPLETIONS)'/$$name; done
	for name in $(IMB_NAMES); do \
	    ln -sf imb_compat '$(ROOT)/bin'/$$name; ln -sf imb_compat.1 '$(ROOT)/share/man/man1'/$$name.1; done

uninstall: ## remove all files that install created
	for name in beff beff_io imb_compat beff_report beff_recompute beff_pack beff_plot beff_ab $(IMB_NAMES); do \
	    rm -f '$(ROOT)/bin'/$$name '$(ROOT)/share/man/man1'/$$name.1 '$(COMPLETIONS)'/$$name; done
	rm -f '$(ROOT)/share/man/man5/beff-protocol.5'
	rm -rf '$(DOC)' '$(ROOT)/share/beff'

dist: ## create build/beff-VERSION.tar.gz of the commit, reproducibly
	@VERSION='$(VERSION)' build-aux/dist

# ---- development ----

golden: $(BUILD)/beff_report ## regenerate tests/golden, the output of beff_report for the samples; show the difference
	@build-aux/golden

format: ## format the sources
	clang-format -i $$(git ls-files '*.c' '*.h')

lint: ## check formatting, static analysis and size limits
	@build-aux/setup build lint
	@build-aux/lint

clean: ## remove what make created in the build directory
	cd $(BUILD) && ls -A | grep -vxF -f .before | tr '\n' '\0' | xargs -0 rm -rf
	@rmdir $(BUILD) 2>/dev/null || echo 'clean: $(BUILD) is kept, because it contains other files or is a link'

include tests/Makefile

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
