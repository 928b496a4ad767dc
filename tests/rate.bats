#!/usr/bin/env bats
# make rate: its first lines and its results.
# shellcheck disable=SC2016,SC2154 # the launcher expands variables; bats sets status, output, stderr

load helpers

# Root could install packages, so build-aux/setup gets another user, and no sudo.
setup_file() {
    mkdir "$BATS_FILE_TMPDIR/bin"
    printf '#!/bin/sh\nexit 1\n' >"$BATS_FILE_TMPDIR/bin/sudo"
    printf '#!/bin/sh\necho 1000\n' >"$BATS_FILE_TMPDIR/bin/id"
    chmod +x "$BATS_FILE_TMPDIR/bin"/*
    export PATH=$BATS_FILE_TMPDIR/bin:$PATH
}

rate() { # NAME=VALUE...
    run --separate-stderr env NP=2 BUILD="$BUILD" "$@" "$TESTS/../build-aux/rate"
}

# A launcher that makes runs from samples, with the changed keys KEYS, and returns STATUS, so that the tests do not depend on the speed
# of the machine. It writes its commands to the file `commands`.
stand_in() {
    stops_after 3 "$BATS_TEST_TMPDIR/beff"
    cat >launcher <<END
#!/bin/bash
echo "\$*" >>"$PWD/commands"
sample=$BATS_TEST_TMPDIR/beff
while [[ \$1 != --output ]]; do
    [[ \$1 != */beff_io ]] || sample=$TESTS/../protocols/samples/beff_io-n2-valid/run.prot
    shift
done
mkdir -p "\$2" && "$TESTS/scale_run" "\$sample" "\$2/run.prot" 1 "\$2" \${KEYS-} &&
    "$BUILD/beff_report" show --format json "\$2" >"\$2/run.json" && "$BUILD/beff_report" show "\$2" | tail -n 1
exit \${STATUS-0}
END
    chmod +x launcher
}

@test "two runs end with the output of rank and status 0; the first lines list the planned actions" {
    local missing
    missing=$("$TESTS/../build-aux/setup" --list build)
    stand_in
    rate RUNS=2 TIME=10 MPIEXEC="$PWD/launcher"
    [[ $status == 0 ]] || fail "status $status" "$output" "$stderr"
    [[ ${lines[0]} == 'make rate: 2 processes, 2 runs of 10 s, after the build' ]]
    [[ ${lines[1]} == "  installs   ${missing:-nothing}${missing:+ (apt-get)}" && ${lines[2]} == *'files in this directory for at most 4 s, and communication for the rest of 10 s' ]]
    [[ ${lines[3]} =~ 'files of at most '[0-9.]+' GB, removed at the end' ]]
    [[ $output == *'results: protocols/runs/beff_io-'*'for a rating, run: '*'beff_io --time 1800'*'beff over 2 runs'* ]]
    [[ $(find protocols/runs -name run.prot | wc -l) == 4 && $(find . -name page.html | wc -l) == 2 ]]
    [[ $(find . -maxdepth 1 -type d | sort | tail -n 1) == ./protocols ]]
    grep -q -- '^-n 2 .*/beff_io --time 4 .* --path \. --quiet$' commands
    ! command -v gnuplot || [[ $(find . -name '*.svg' | wc -l) == 16 && $(grep -c '<figure>' protocols/runs/beff-*/page.html | head -n 1) == *:8 ]]
}

# no_pictures: replaces gnuplot, because one test with pictures is enough.
no_pictures() {
    mkdir tools && ln -s "$(command -v false)" tools/gnuplot
    PATH=$PWD/tools:$PATH
}

@test "DIR= sets the directory of the measured files" {
    stand_in
    no_pictures
    mkdir "the files"
    rate TIME=8 DIR="$PWD/the files" MPIEXEC="$PWD/launcher"
    [[ $status == 0 ]] || fail "status $status" "$output" "$stderr"
    [[ ${lines[2]} == *"files in $PWD/the files for at most 3 s, and communication for the rest of 8 s" && $output == *"beff_io --time 1800 --path $PWD/the\\ files"* ]] || fail "$output"
    grep -q -- "--path $PWD/the files --quiet" commands
    rate DIR=/nonexistent
    [[ $status == 2 && $stderr == 'rate: invalid DIR=/nonexistent: expected a writable directory' ]]
}

@test "beff gets the time that the quick look at the files does not use" {
    local seconds
    stand_in
    no_pictures
    sed -i "2 i [[ \$* != */beff_io* ]] || sleep 3" launcher
    rate TIME=100 MPIEXEC="$PWD/launcher"
    [[ $status == 0 ]] || fail "status $status" "$output" "$stderr"
    grep -q -- '/beff_io --time 44 ' commands
    seconds=$(sed -n 's/.*\/beff --time \([0-9]*\) .*/\1/p' commands)
    ((seconds <= 98 && seconds > 56)) || fail "beff got $seconds s" # more than 3 s on a busy machine
    [[ $output =~ 'a quick look of '([0-9]+)' s' ]] && ((BASH_REMATCH[1] >= 2 && BASH_REMATCH[1] + seconds <= 100)) || fail "$output"
}

@test "if beff_io ends after the whole time, beff still gets one second" {
    stand_in
    no_pictures
    sed -i "2 i [[ \$* != */beff_io* ]] || sleep 6" launcher
    rate TIME=6 MPIEXEC="$PWD/launcher"
    [[ $status == 0 ]] || fail "status $status" "$output" "$stderr"
    grep -q -- '/beff --time 1 ' commands || fail "$(<commands)"
}

@test "after a run without a complete pass, the last lines name a sufficient time; on a busy machine also waiting" {
    stand_in
    no_pictures
    sed -i 's/^exit /[[ $sample != *beff ]] || echo "\$JSON" >"$2\/run.json"\n&/' launcher
    rate TIME=12 JSON='"text": "at least one complete pass: (0 completed); needs --time 101"' MPIEXEC="$PWD/launcher"
    [[ $output == *'  for a complete pass, run: make rate TIME=182'* && $output != *'other programs'* ]] || fail "$output" "$stderr"
    sed -i 's/^exit /echo "no b_eff: nothing was measured" >"$2\/summary.txt"\n&/' launcher
    rate TIME=12 JSON='"disturbance": null' MPIEXEC="$PWD/launcher"
    [[ $output == *'  this run was too short to tell how long a rating takes: try make rate TIME=36'* ]] || fail "$output" "$stderr"
    sed -i 's/nothing was measured/4096 B; use a longer --time: at least 20 s here/' launcher
    rate TIME=12 JSON='"disturbance": null' MPIEXEC="$PWD/launcher"
    [[ $output == *'  for a rating, run: make rate TIME=36'* && $output != *'too short'* ]] || fail "$output" "$stderr"
    rate TIME=12 JSON='"disturbance": "other programs used 1.4 of 2 processors", "text": "needs --time 100"' MPIEXEC="$PWD/launcher"
    [[ $output == *$'\n  other programs used the processors: end them, or wait until they have ended, and run make rate again\n  for a complete pass, run: make rate TIME=180\n'* ]] ||
        fail "$output" "$stderr"
}

@test "a run with data errors: status 1, and the other runs are still made" {
    stand_in
    no_pictures
    rate RUNS=2 TIME=12 KEYS=errors=5 STATUS=1 MPIEXEC="$PWD/launcher"
    [[ $status == 1 ]] || fail "status $status" "$output" "$stderr"
    [[ $(find protocols/runs -name run.prot | wc -l) == 4 ]]
    rate TIME=12 STATUS=1 MPIEXEC="$PWD/launcher" # another reason for status 1
    [[ $status == 0 ]] || fail "status $status" "$output" "$stderr"
}

@test "if a run fails, make rate returns its status; an invalid number is reported in one line" {
    printf '#!/bin/sh\nexit 3\n' >launcher
    chmod +x launcher
    rate MPIEXEC="$PWD/launcher"
    [[ $status == 3 ]]
    printf '#!/bin/sh\necho no slots >&2\nexit 1\n' >launcher
    rate RUNS=2 MPIEXEC="$PWD/launcher"
    [[ $status == 3 && $output != *results:* && $stderr == *$'no slots\nrate: '"$PWD/launcher ended with status 1, and there is no run: "* ]] || fail "$status" "$output" "$stderr"
    rate TIME=soon
    [[ $status == 2 && $stderr == *'invalid TIME=soon: expected a number from 6 to 1000000' ]]
    rate NP=1
    [[ $status == 2 ]]
}

@test "if other programs are running, a warning comes before the runs" {
    needs_mount
    stand_in
    echo '99.50 9.00 8.00 11/400 12345' >busy
    run --separate-stderr unshare --mount sh -c 'mount --bind busy /proc/loadavg; exec env NP=2 TIME=12 BUILD="$1" MPIEXEC="$PWD/launcher" "$0"' \
        "$TESTS/../build-aux/rate" "$BUILD"
    [[ $status == 0 && $stderr == *'rate: warning: other programs are running (10 on '*' processors): end them, '* ]] || fail "$output" "$stderr"
}
