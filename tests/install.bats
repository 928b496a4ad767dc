#!/usr/bin/env bats
# Installation, manual pages, completion, and the tarball.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

BATS_TEST_TIMEOUT=300 # a build of all programs on a busy machine

make_here() {
    make --no-print-directory -s -C "$TESTS/.." BUILD="$BUILD" DESTDIR="$PWD/a root" "$@"
}

@test "install puts programs, pages, completion and documents below DESTDIR and PREFIX; uninstall leaves nothing" {
    make_here PREFIX=/opt/b install
    local file part
    for file in bin/beff bin/beff_recompute bin/beff_pack share/beff/contrib/nightly share/doc/beff/contrib/job bin/beff_io bin/imb_compat bin/beff_report bin/beff_plot bin/beff_ab share/man/man1/beff_ab.1 share/beff/plots/style.gp share/man/man1/beff.1 \
        share/man/man5/beff-protocol.5 share/doc/beff/README.md share/doc/beff/protocols/run.schema.json; do
        [[ -s "a root/opt/b/$file" ]] || fail "$file is missing"
    done
    for part in MPI1 EXT IO NBC RMA MPI4 MT P2P; do
        for file in "bin/IMB-$part" "share/man/man1/IMB-$part.1" "share/bash-completion/completions/IMB-$part"; do
            [[ -s "a root/opt/b/$file" ]] || fail "$file is missing"
        done
        diff <("a root/opt/b/bin/IMB-$part" -list) <("$BUILD/imb_compat" $part -list)
    done
    [[ $(find 'a root' -type f -perm /022) == '' ]]
    run ! grep -l getdents64 "a root/opt/b/bin"/* # glibc before 2.30 does not have it
    (cd 'a root/opt/b/share/doc/beff' && ../../../bin/beff_report show protocols/samples/beff_io-n2-valid >/dev/null
        grep -roE --include='*.md' '\]\([^)#: ]+' . | while IFS=: read -r file part; do
            [[ -e ${file%/*}/${part#*(} ]] || fail "$file: ${part#*(} is not installed" || exit
        done)
    run "a root/opt/b/bin/beff_plot" nowhere
    [[ $status == 3 && $output == beff_plot:* ]] || fail "$output"
    make_here PREFIX=/opt/b uninstall
    [[ $(find 'a root' -type f -o -type l) == '' ]] || fail "left: $(find 'a root' -type f -o -type l)"
}

@test "a build directory with a blank is refused in one line" {
    run -2 make_here BUILD='a b' report
    is_one_line "$output" 'BUILD="a b" contains a blank'
    run -2 env BUILD='a b' make --no-print-directory -s -C "$TESTS/.." report
    is_one_line "$output" 'BUILD="a b" contains a blank'
}

@test "flags for fast arithmetic change no figure: CFLAGS=-Ofast and the like are taken back, at the start of a program too" {
    local run
    make_here -j2 BUILD="$PWD/fast" CFLAGS='-Ofast -ffast-math -funsafe-math-optimizations -ffinite-math-only -O0' \
        LDFLAGS=-ffast-math V=1 report "$PWD/fast/beff" >log 2>&1 || fail "$(tail -n 5 log)"
    run ! grep -- ' -Ofast' log
    for run in "$TESTS"/../protocols/samples/{beff-n2-short,beff_io-n2-valid,imb-mpi1-n2}; do
        "$BUILD/beff_report" verify "$run" >usual || true
        diff <(fast/beff_report verify "$run") usual
    done
    # crtfastmath.o, which makes the processor round small numbers to 0, is the only start-up code that sets MXCSR.
    ! command -v objdump >/dev/null || [[ $(uname -m) != x86_64 || $(objdump -d fast/beff_report fast/beff | grep -c ldmxcsr) == 0 ]]
    run -2 make_here BUILD="$PWD/finite" CC='gcc -D__FINITE_MATH_ONLY__=1' "$PWD/finite/obj/common/text.o"
    [[ $output == *'remove -ffast-math or -ffinite-math-only'* ]]
}

@test "a manual page has every option in the help of the program and of all its components and commands" {
    make_here all
    local program part option
    for program in beff beff_io imb_compat beff_report; do
        sed 's/[\]//g; s/fI//; s/fR//' "$BUILD/$program.1" >page
        while read -r part; do
            # shellcheck disable=SC2086 # empty or one word
            "$BUILD/$program" $part -help 2>/dev/null || "$BUILD/$program" $part --help
        done <<<"$(printf '\n'; [[ $program != imb_compat ]] || printf '%s\n' MPI1 EXT IO NBC RMA MPI4 MT P2P
            [[ $program != beff_report ]] || printf '%s\n' verify show compare rank nodes tables)" >help
        [[ $(grep -c '^  -' help) -gt 15 ]]
        grep -o '^  -[^ ]*' help | while read -r option; do
            grep -q "^\.B $option\( \|$\)" page || fail "$program: $option is missing" || exit
        done
    done
}

@test "a manual page made from a help text: known answer" {
    cat >tool <<'END'
#!/bin/sh
cat <<'HELP'
Usage: tool [OPTION]... FILE

tool does one-way things.

Options:
  --first N               a number
                          .5 or more (default 1)
  --long-name WORD[,WORD...]
                          a back\slash

Less common:
  --flag                  on

Note: -x stands
.dot

Last:
  not an option
HELP
END
    chmod +x tool
    echo '## FILES' >tool.md
    "$TESTS/../build-aux/help2man" ./tool tool.md 2026-01-02 1.2 >page
    diff - page <<'END'
.TH tool 1 "2026-01-02" "1.2" "User Commands"
.SH NAME
tool \- tool does one\-way things.
.SH SYNOPSIS
.B tool
[OPTION]... FILE
.SH OPTIONS
.TP
.B \-\-first \fIN\fR
a number .5 or more (default 1)
.TP
.B \-\-long\-name \fIWORD[,WORD...]\fR
a back\eslash
.SS Less common
.TP
.B \-\-flag
on
.SH NOTES
.nf
Note: \-x stands
\&.dot

Last:
  not an option
.fi
.SH FILES
END
}

@test "the manual pages have no warnings, a date, and every chapter" {
    make_here all
    local page chapter
    for page in "$BUILD"/beff.1 "$BUILD"/beff_io.1 "$BUILD"/imb_compat.1 "$BUILD"/beff_report.1 "$BUILD"/beff_plot.1 "$BUILD"/beff_ab.1 "$BUILD"/beff-protocol.5; do
        ! command -v groff >/dev/null || [[ -z $(groff -man -Tutf8 -ww -z "$page" 2>&1) ]] || fail "$page"
        ! command -v mandoc >/dev/null || [[ -z $(mandoc -Tlint -Wwarning "$page") ]] || fail "$(mandoc -Tlint -Wwarning "$page")"
        grep -q '^\.TH [a-z_-]* [15] "[0-9-]*" ' "$page"
    done
    for page in beff beff_io imb_compat; do
        for chapter in NAME SYNOPSIS OPTIONS DEFINITION VERDICT FILES ENVIRONMENT EXAMPLES; do
            grep -q "^\.SH $chapter" "$BUILD/$page.1" || fail "$page has no $chapter"
        done
    done
}

# completes WORD...: prints the completions of the last word.
completes() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _beff
    echo "${COMPREPLY[*]}"
}

@test "completion offers the options, values, commands, components and benchmarks that the programs list" {
    # shellcheck source=contrib/beff
    . "$TESTS/../contrib/beff"
    PATH=$BUILD:$PATH
    [[ $(completes beff --prog) == --progress ]]
    [[ $(completes beff --progress l) == 'line log' ]]
    [[ $(completes beff_report ta) == tables && $(completes beff_plot run p) == 'png pdf' && $(completes beff_report compare --format c) == csv ]]
    [[ $(completes beff_report compare --hi) == --history && $(completes beff_report compare --history '') == '' ]]
    [[ $(completes beff_report pack --r) == --replace-hosts && $(completes beff_report pack --s) == --site && $(completes beff_report pack -o '') == '' ]]
    [[ $(completes beff_report rank --me) == --median && $(completes beff_report rank --be) == --between-sessions ]]
    [[ $(completes imb_compat N) == NBC && $(completes imb_compat MPI1 PingP) == 'PingPing PingPong' ]]
    [[ $(completes IMB-MPI1 -root_shift '') == 'on off' ]]
    [[ $(completes beff --output '') == '' ]] # names of files
    [[ $(completes beff --time '') == '' ]]
    mkdir bin
    printf '#!/bin/sh\n[ "$LC_ALL" = C ] && echo "  --zone"\n' >bin/beff
    chmod +x bin/beff
    [[ $(PATH=$PWD/bin:$PATH LC_ALL=et_EE.UTF-8 completes beff --z 2>/dev/null) == --zone ]]
    rm -r bin
    directory_is_empty
}

@test "the recipes have the same version number as the Makefile" {
    local version
    version=$(sed -n 's/^VERSION := //p' "$TESTS/../Makefile")
    cd "$TESTS/.."
    grep -q "^beff ($version)" debian/changelog
    grep -q "^version: $version$" CITATION.cff
    grep -q "^Version: *$version$" contrib/beff.spec
    grep -q "version(\"${version/\~/-}\", url=f\"file://{os.getcwd()}/beff-$version.tar.gz\")" contrib/spack/package.py
    grep -qE "^## ($version|Unreleased)" CHANGELOG.md
}

@test "make: variables of the environment have no effect; flags and compilers with quotes; a known commit stays; clean keeps other files" {
    cd "$TESTS/.."
    local there=$BATS_TEST_TMPDIR/there commit mpicc
    mpicc=$(sed -n 's/^MPICC = //p' "$BUILD/config.mk")
    mkdir "$there" && touch "$there/a file"
    export OPENMP=on DEFINES=-Dx NO_MPI=1 NOTE=x HWLOC_LIBS=-lnone HWLOC_CFLAGS=-Dx CDPATH=/tmp:. TIME=%e DIR=/none B=none NP=0
    unset BUILD MAKEFLAGS
    V=0 make BUILD="$there" -n all >"$BATS_TEST_TMPDIR/plan" 2>&1 || fail "$(tail -n 5 "$BATS_TEST_TMPDIR/plan")"
    run ! grep -e ' -Dx ' -e '-lnone' -e " on " "$BATS_TEST_TMPDIR/plan"
    make -s BUILD="$there" CFLAGS='-O0 -DQUOTED="\"a\\b\""' "$there/obj/common/version.o"
    strings -a "$there/obj/common/version.o" | grep -qF -- '-DQUOTED="\"a\\b\""'
    make -s BUILD="$BATS_TEST_TMPDIR/quoted" CC="cc -DQUOTED='a b'" MPICC="$mpicc -DQUOTED='a b'" "$BATS_TEST_TMPDIR/quoted/obj/common/mpi/file.o"
    grep -qxF "MPICC = $mpicc -DQUOTED='a b'" "$BATS_TEST_TMPDIR/quoted/config.mk"
    [[ $(grep -c '^\(MPI\)*CC_FLAGS = .*-fno-fast-math' "$BATS_TEST_TMPDIR/quoted/config.mk") == 2 ]]
    commit=$(cut -d ' ' -f 1 "$there/commit")
    GIT_DIR=/nonexistent make -s BUILD="$there/" CFLAGS='-O0' "$there/obj/common/version.o" # in a hook of another repository
    [[ $(cut -d ' ' -f 1 "$there/commit") == "$commit" ]] || fail "$(<"$there/commit")"
    mkdir "$BATS_TEST_TMPDIR/bin" && ln -s /bin/false "$BATS_TEST_TMPDIR/bin/git" # git refuses the owner
    PATH=$BATS_TEST_TMPDIR/bin:$PATH make -s BUILD="$there" CFLAGS='-O0 -g' "$there/obj/common/version.o"
    [[ $(cut -d ' ' -f 1 "$there/commit") == "$commit" ]] || fail "$(<"$there/commit")"
    make -s BUILD="$there" clean
    [[ $(ls -A "$there") == 'a file' ]]
    run -2 make BUILD= help
    [[ $output == *'BUILD is empty'* ]]
    TMPDIR=/nonexistent run -2 make BUILD="$there" "$there/obj/common/mpi/file.o"
    [[ $output == *'find-mpi: no temporary directory can be made in /nonexistent'* ]] || fail "$output"
    run -2 make BUILD=. clean
    [[ $output == *'BUILD=. contains a Makefile: give a directory of its own'* ]] || fail "$output"
    [[ $(OMP_NUM_THREADS=1 make BUILD="$there" -n run) == "$(OMP_NUM_THREADS=7 make BUILD="$there" -n run)" ]] # nproc obeys it
}

@test "make: a changed setting builds again; settings that are not given stay" {
    cd "$TESTS/.."
    local there=$BATS_TEST_TMPDIR/there object=$BATS_TEST_TMPDIR/there/obj/common/text.o
    unset BUILD MAKEFLAGS CC CFLAGS CPPFLAGS LDFLAGS LDLIBS
    built() { # WHAT [NAME=VALUE]...: succeeds if make compiles the object
        make BUILD="$there" V=1 "${@:2}" "$object" >"$BATS_TEST_TMPDIR/log"
        grep -q -- "$1.* -c common/text.c" "$BATS_TEST_TMPDIR/log"
    }
    built '-DQ="$HOME#"' CFLAGS='-O0 -DQ="$$HOME#"'
    run ! built ''
    CFLAGS=-O1 built ' -O1 '
    run ! built ''
    built '^gcc .* -O1 ' CC=gcc
    built ' -DX ' CPPFLAGS=-DX
    run ! built '' PREFIX=/elsewhere
    run -2 make BUILD="$there" LDLIBS=-lno_such_library "$there/layers/common"
    [[ $output == *no_such_library* ]] || fail "$output"
    built '' LDLIBS=
    run -2 make BUILD="$there" MPICC=/no/such/mpicc "$there/obj/common/mpi/file.o"
    [[ $output == *'MPICC=/no/such/mpicc: no such command'* ]] || fail "$output"
}

@test "the tarball always has the same bytes, and its build reports the commit without git" {
    cd "$TESTS/.."
    [[ -e .git ]] || skip 'not a git checkout' # a tarball may lie in another project's checkout
    local there=$BATS_TEST_TMPDIR name
    mkdir "$there/a blank"
    name=$(make --no-print-directory BUILD="$there/one" dist | tail -n 1)
    make -s BUILD="$there/two" dist >/dev/null
    cmp "$there/one/${name##*/}" "$there/two/${name##*/}"
    tar -C "$there/a blank" --strip-components=1 -xf "$there/one/${name##*/}"
    grep -q "^$(git rev-parse HEAD) $(git log -1 --format=%cs)$" "$there/a blank/build-aux/commit"
    env -u BUILD GIT_DIR=/nonexistent make -C "$there/a blank" -n report >"$there/plan"
    grep -q "$(git rev-parse --short=12 HEAD)" "$there/plan"
}
