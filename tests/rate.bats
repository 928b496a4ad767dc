#!/usr/bin/env bats
# make rate: its first lines and its results.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

rate() { # NAME=VALUE...
    run --separate-stderr env NP=2 BUILD="$BUILD" "$@" "$TESTS/../build-aux/rate"
}

@test "two short runs end with the output of rank and status 0; the first lines list the planned actions" {
    rate RUNS=2 TIME=10
    [[ $status == 0 ]] || fail "status $status" "$output" "$stderr"
    [[ ${lines[0]} == 'make rate: 2 processes, 2 runs of 10 s, after the build' ]]
    [[ ${lines[1]} == *installs*nothing && ${lines[2]} == *'communication for 7 s, files in this directory for 3 s' ]]
    [[ ${lines[3]} =~ 'files of at most '[0-9.]+' GB, removed at the end' ]]
    [[ $output == *'files: protocols/runs/beff_io-'*'for a rating, run: '*'beff_io --time 1800'*'beff over 2 runs'* ]]
    [[ $(find protocols/runs -name run.prot | wc -l) == 4 && $(find . -name page.html | wc -l) == 2 ]]
    [[ $(find . -maxdepth 1 | sort | tail -n 1) == ./protocols ]]
}

@test "DIR= sets the directory of the measured files" {
    mkdir "the files"
    rate TIME=8 DIR="$PWD/the files"
    [[ $status == 0 ]] || fail "status $status" "$output" "$stderr"
    [[ ${lines[2]} == *"files in $PWD/the files for 2 s" && $output == *"beff_io --time 1800 --path $PWD/the\\ files"* ]] || fail "$output"
    grep -q "^#: storage_path = $PWD/the files" protocols/runs/beff_io-*/run.prot
    [[ -z $(ls -A "the files") ]] || fail "$(ls "the files")"
    rate DIR=/nonexistent
    [[ $status == 2 && $stderr == 'rate: invalid DIR=/nonexistent: expected a writable directory' ]]
}

@test "a run with data errors: status 1, and the other runs are still made" {
    rate TIME=12 "$(shim flip)" FLIP_CALL=MPI_Sendrecv FLIP_NUMBER=3
    [[ $status == 1 ]] || fail "status $status" "$output" "$stderr"
    [[ $(find protocols/runs -name run.prot | wc -l) == 2 ]]
}

@test "if a run fails, make rate returns its status; an invalid number is reported in one line" {
    printf '#!/bin/sh\nexit 3\n' >launcher
    chmod +x launcher
    rate MPIEXEC="$PWD/launcher"
    [[ $status == 3 ]]
    rate TIME=soon
    [[ $status == 2 && $stderr == *'invalid TIME=soon: expected a number from 6 to 1000000' ]]
    rate NP=1
    [[ $status == 2 ]]
}
