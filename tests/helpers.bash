# Helpers of the functional tests. BUILD is the build directory; nothing is installed, nothing outside of the
# test's own directory is written.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for bats

bats_require_minimum_version 1.5.0

TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUILD=$(cd "${BUILD:-$TESTS/../build}" && pwd)
BEFF=$BUILD/beff
MPIEXEC=$(sed -n 's/^MPIEXEC *= *//p' "$BUILD/config.mk")
export LC_ALL=C BATS_TEST_TIMEOUT=${BATS_TEST_TIMEOUT:-90}
LAUNCHING=0 # seconds that the launcher takes by itself, before the processes start and after they end
MPI_IO=romio
if grep -q '^MPI_NAME = openmpi' "$BUILD/config.mk"; then # docs/other-mpis.md
    LAUNCHING=2
    [[ ${OMPI_MCA_io-} == romio321 ]] || MPI_IO=ompio
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none \
        OMPI_MCA_orte_execute_quiet=1 OMPI_MCA_osc=pt2pt OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# With hwloc's plugins (Open MPI brings them) MPICH's MPI_Init looks for display servers, over the network too, and both leak.
export HWLOC_COMPONENTS=-gl,-pci

setup() {
    mkdir "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" || return
    export BEFF_TEST_MARK=$BATS_TEST_TMPDIR # finds the processes of this test
}

teardown() {
    if [[ -n ${outside-} ]]; then # a directory of the test that is not in its own one
        cd / && rm -rf "$outside"
    fi
    nothing_left_running
}

# fail TEXT...: ends the test.
fail() {
    printf '%s\n' "$@" >&2
    return 1
}

# mpi N [NAME=VALUE]... ARGUMENT...: beff on N processes, with these environment variables; never longer than
# LIMIT seconds.
mpi() {
    local processes=$1 variables=()
    shift
    while [[ ${1-} =~ ^[A-Z_]+= ]]; do
        variables+=("$1")
        shift
    done
    timeout --kill-after=5 "${LIMIT:-40}" "$MPIEXEC" -n "$processes" env "${variables[@]}" "$BEFF" "$@"
}

# with_time TIMES ENOUGH PROCESSES [NAME=VALUE]... ARGUMENT...: as `run mpi`, into `out` with the first of these times,
# or with a later one where the machine was too busy for what ENOUGH, a command, looks for; the last one's time and seconds
# are in $time and $took.
with_time() {
    local begin
    for time in $1; do
        rm -rf out
        begin=$EPOCHREALTIME
        LIMIT=$((time + 20)) run --separate-stderr mpi "${@:3}" --time "$time" --output out
        took=$(since "$begin")
        if eval "$2" >/dev/null 2>&1; then break; fi
    done
    echo "$output" >stdout
}

# start N [NAME=VALUE]... ARGUMENT...: the same in the background, without a limit; the launcher's id is $launcher,
# its output goes to the files stdout and stderr, the status of rank R to status.R. (MPICH's launcher now and then
# returns 0 after a signal, whatever its processes returned.)
start() {
    local processes=$1 variables=()
    shift
    while [[ ${1-} =~ ^[A-Z_]+= ]]; do
        variables+=("$1")
        shift
    done
    rm -f status.*
    # shellcheck disable=SC2016 # bash -c expands its own words
    "$MPIEXEC" -n "$processes" env "${variables[@]}" bash -c '
        trap : TERM INT USR1
        "$@"
        status=$?
        echo $status >status.${PMI_RANK:-${OMPI_COMM_WORLD_RANK-}}
        exit $status' bash "$BEFF" "$@" >stdout 2>stderr </dev/null 3>&- &
    launcher=$!
}

# ended_within SECONDS: waits for what was started; its status is $status then, how long it took from now $took.
ended_within() {
    local begin=$EPOCHREALTIME
    while kill -0 "$launcher" 2>/dev/null; do
        took=$(since "$begin")
        if [[ $(calculate "$took > $1") == 1 ]]; then
            kill -KILL "$launcher"
            fail "still running after $1 s" "$(<stderr)"
            return 1
        fi
        sleep 0.02
    done
    took=$(since "$begin")
    status=0
    wait "$launcher" || status=$?
}

# ranks_returned STATUS: each rank that could tell its status before the launcher killed it; the launcher, if none could
# (Open MPI's returns a status of its own then).
ranks_returned() {
    local file
    for file in status.*; do
        [[ -e $file || $LAUNCHING == 0 ]] || return 0
        [[ -e $file ]] || echo "$status" >"$file"
        [[ $(<"$file") == "$1" ]] || fail "${file/status./rank } returned $(<"$file")" "$(<stderr)" || return
    done
}

calculate() {
    awk "BEGIN { print ($1) }"
}

# since TIME: seconds from $EPOCHREALTIME then until now, without the launcher's own.
since() {
    calculate "$EPOCHREALTIME - $1 - $LAUNCHING"
}

at_most() {
    [[ $(calculate "$1 <= $2") == 1 ]] || fail "$1 is more than $2"
}

# has_records FILE N: waits until it has so many records.
has_records() {
    local tries=0
    until [[ -f $1 && $(grep -vc '^#' "$1") -ge $2 ]]; do
        ((++tries < 1500)) || fail "$1 has no $2 records after 30 s" || return
        sleep 0.02
    done
}

shim() {
    [[ -e $BUILD/tests/shims/$1.so ]] || fail "make test-programs was not called"
    echo "LD_PRELOAD=$BUILD/tests/shims/$1.so"
}

# shims NAME...: several of them.
shims() {
    local name list=
    for name; do
        shim "$name" >/dev/null || return
        list+=:$BUILD/tests/shims/$name.so
    done
    echo "LD_PRELOAD=${list#:}"
}

inspect() {
    python3 "$TESTS/inspect" "$@"
}

# recompute FILE: the rating by protocols/recompute, of beff_io also as release 2.1 computes it.
recompute() {
    local line
    line=$("$TESTS/../protocols/recompute" "$1") || return
    sed 's/.*: //; s/[a-z_0-9]* = //g; s/ MB\/s//g; s/,//g' <<<"$line"
}

# needs PROGRAM...: skips the test without them.
needs() {
    local program
    for program; do
        command -v "$program" >/dev/null || skip "$program is not installed"
    done
}

needs_mount() {
    unshare --mount mount -t tmpfs none /mnt 2>/dev/null || skip "mounting a file system is not allowed here"
}

# needs_romio WHY: skips the test with Open MPI's own MPI-IO.
needs_romio() {
    [[ $MPI_IO == romio ]] || skip "OMPIO: $1"
}

# needs_mpich WHY: skips the test with other MPIs.
needs_mpich() {
    grep -q '^MPI_NAME = mpich' "$BUILD/config.mk" || skip "not MPICH: $1"
}

# What the program itself said, without the launcher's words.
said() {
    grep "^${BEFF##*/}: " <<<"${1-$stderr}" | grep -v ': the result will be NOT VALID: a complete pass needs --time' || true
}

nothing_left() {
    [[ -z $(find . -name '*scratch*') ]] || fail "left: $(find . -name '*scratch*')"
}

# is_one_line TEXT EXPECTED...: TEXT is one line that has all of EXPECTED in it.
is_one_line() {
    local text=$1 expected
    [[ -n $text && $text != *$'\n'* ]] || fail "not one line:" "$text" || return
    for expected in "${@:2}"; do
        [[ $text == *"$expected"* ]] || fail "\"$expected\" is not in:" "$text" || return
    done
}

# holds FILE EXPECTED...
holds() {
    local expected
    for expected in "${@:2}"; do
        grep -qF -- "$expected" "$1" || fail "\"$expected\" is not in $1:" "$(tail -n 5 "$1")" || return
    done
}

directory_is_empty() {
    [[ -z $(ls -A) ]] || fail "written: $(ls -A)"
}

# Processes of this test that beff or its launcher started.
of_this_test() {
    local process
    grep -lsazxF "BEFF_TEST_MARK=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ | cut -d/ -f3 | while read -r process; do
        case $(cat "/proc/$process/comm" 2>/dev/null) in
        beff | beff_io | IMB-* | imb_compat | mpiexec* | hydra* | mpirun* | orte* | memcheck* | timeout) echo "$process" ;;
        esac
    done
}

# rank R: the process of rank R; a regular expression.
rank() {
    local process
    for process in $(of_this_test); do
        [[ $(readlink "/proc/$process/exe") == "$(readlink -f "$BEFF")" ]] || continue
        ! tr '\0' '\n' <"/proc/$process/environ" | grep -qxE "(PMI|OMPI_COMM_WORLD)_RANK=$1" || echo "$process"
    done
}

# pass_on SIGNAL: from the launcher to the processes. Open MPI's takes a second for it and kills a second later, so there
# they get it as a batch system sends it.
pass_on() {
    local processes=$launcher
    [[ $LAUNCHING == 0 ]] || processes=$(rank '.*')
    # shellcheck disable=SC2086 # words
    kill "-$1" $processes
}

nothing_left_running() {
    local tries=0 left process
    while left=$(of_this_test) && [[ -n $left ]] && ((++tries < 30)); do
        sleep 0.1
    done
    [[ -n $left ]] || return 0
    for process in $left; do
        echo "left running: $process $(tr '\0' ' ' <"/proc/$process/cmdline")"
        kill -KILL "$process"
    done
    return 1
}

# four_digits NUMBER: as the sheet prints a figure, with four significant digits.
four_digits() {
    python3 -c 'import math, sys
x = float(sys.argv[1])
after = 3 - math.floor(math.log10(x))
print(f"{round(x, after):.{max(0, after)}f}")' "$1"
}
