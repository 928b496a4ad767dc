#!/usr/bin/env bats
# bats file_tags=together
# What is installed, manual pages, completion, and the tarball.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

make_here() {
    make --no-print-directory -s -C "$TESTS/.." BUILD="$BUILD" DESTDIR="$PWD/a root" "$@"
}

@test "install puts programs, pages, completion and documents below DESTDIR and PREFIX; uninstall leaves nothing" {
    make_here PREFIX=/opt/b install
    local file
    for file in bin/beff bin/beff_recompute share/doc/beff/contrib/nightly bin/beff_io bin/imb_compat bin/beff_report bin/IMB-RMA share/man/man1/beff.1 share/man/man1/IMB-IO.1 \
        share/man/man5/beff-protocol.5 share/bash-completion/completions/IMB-MPI1 share/doc/beff/README.md \
        share/doc/beff/protocols/run.schema.json; do
        [[ -s "a root/opt/b/$file" ]] || fail "$file is missing"
    done
    "a root/opt/b/bin/IMB-MPI1" -list | grep -q PingPong
    [[ $(find 'a root' -type f -perm /022) == '' ]]
    make_here PREFIX=/opt/b uninstall
    [[ $(find 'a root' -type f -o -type l) == '' ]] || fail "left: $(find 'a root' -type f -o -type l)"
}

@test "the manual pages have no warnings, a date, and every chapter" {
    make_here all
    local page chapter
    for page in "$BUILD"/beff.1 "$BUILD"/beff_io.1 "$BUILD"/imb_compat.1 "$BUILD"/beff_report.1 "$BUILD"/beff-protocol.5; do
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

# completes WORD...: what is offered for the last word.
completes() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _beff
    echo "${COMPREPLY[*]}"
}

@test "completion offers options, the words of an option, commands, components and benchmarks, from the programs" {
    # shellcheck source=contrib/beff
    . "$TESTS/../contrib/beff"
    PATH=$BUILD:$PATH
    [[ $(completes beff --prog) == --progress ]]
    [[ $(completes beff --progress l) == 'line log' ]]
    [[ $(completes beff_report tr) == trend && $(completes beff_report compare --format c) == csv ]]
    [[ $(completes imb_compat N) == NBC && $(completes imb_compat MPI1 PingP) == 'PingPing PingPong' ]]
    [[ $(completes IMB-MPI1 -root_shift '') == 'on off' ]]
    [[ $(completes beff --output '') == '' ]] # names of files
    [[ $(completes beff --time '') == '' ]]
    directory_is_empty
}

@test "the recipes name the version of the Makefile" {
    local version
    version=$(sed -n 's/^VERSION := //p' "$TESTS/../Makefile")
    cd "$TESTS/.."
    grep -q "^beff ($version)" debian/changelog
    grep -q "^version: $version$" CITATION.cff
    grep -q "^Version: *$version$" contrib/beff.spec
    grep -q "version(\"$version\")" contrib/spack/package.py
    grep -q "^## $version" CHANGELOG.md
}

@test "the tarball is the same bytes each time, and knows its commit without git" {
    cd "$TESTS/.."
    git rev-parse -q --verify HEAD >/dev/null || skip 'not a git checkout'
    local there=$BATS_TEST_TMPDIR name
    name=$(make --no-print-directory BUILD="$there/one" dist | tail -n 1)
    make -s BUILD="$there/two" dist >/dev/null
    cmp "$there/one/${name##*/}" "$there/two/${name##*/}"
    mkdir "$there/a blank" && tar -C "$there/a blank" --strip-components=1 -xf "$there/one/${name##*/}"
    grep -q "^$(git rev-parse HEAD) $(git log -1 --format=%cs)$" "$there/a blank/build-aux/commit"
    env -u BUILD GIT_DIR=/nonexistent make -C "$there/a blank" -n report >"$there/plan"
    grep -q "$(git rev-parse --short=12 HEAD)" "$there/plan"
}
