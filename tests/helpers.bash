# Common functions of the functional tests. BUILD is the build directory. Tests install nothing and write only to their own
# directory.
# shellcheck shell=bash disable=SC2034,SC2154,SC2119,SC2120 # variables that bats sets or reads; optional arguments

bats_require_minimum_version 1.5.0

# Each test reads this file, so it starts a process only where it must. The variables of a batch job would change launcher and programs;
# SLURM_CONF remains, for the tests of Slurm.
unset CDPATH OMP_NUM_THREADS OMP_THREAD_LIMIT FLUX_URI "${!SLURM_J@}" "${!SLURM_N@}" "${!SLURM_T@}" "${!SLURM_CPUS@}" "${!PBS_@}"
TESTS=${BASH_SOURCE[0]%/*}
[[ $TESTS == /* && $TESTS != *..* ]] || TESTS=$(cd "$TESTS" && pwd)
BUILD=${BUILD:-${TESTS%/*}/build}
[[ $BUILD == /* ]] || BUILD=$(cd "$BUILD" && pwd)
BEFF=$BUILD/beff
mapfile -t config <"$BUILD/config.mk"
printf -v config '\n%s' "${config[@]}"
MPIEXEC=${config##*$'\nMPIEXEC = '} MPIEXEC=${MPIEXEC%%$'\n'*}
export LC_ALL=C BATS_TEST_TIMEOUT=${BATS_TEST_TIMEOUT:-150}
LAUNCHING=0 # seconds that the launcher needs before the processes start and after they end
MPI_IO=romio
if [[ $config == *$'\nMPI_NAME = openmpi'* ]]; then # docs/other-mpis.md
    LAUNCHING=2
    ROMIO=romio341 # since Open MPI 5
    case $("$MPIEXEC" --version) in
    *') '[1-4].*) ROMIO=romio321 && export OMPI_MCA_osc=pt2pt ;;
    esac
    [[ ${OMPI_MCA_io-} == "$ROMIO" ]] || MPI_IO=ompio
    # Open MPI 5 reads the settings of its launcher from PRTE_MCA_*, Open MPI 4 from OMPI_MCA_*.
    export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe \
        OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 \
        OMPI_MCA_btl=^tcp OMPI_MCA_orte_execute_quiet=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# The start of MPICH costs half: no search for devices (with the plugins that Open MPI installs, hwloc would look for display servers
# even over the network, and leak memory), and only the transports and modules that one node needs.
export HWLOC_COMPONENTS=-linux:pci,-linux:io HWLOC_PLUGINS_PATH=/none UCX_TLS=self,sysv,cma UCX_SYSV_RX_BUFS_GROW=16 UCX_MODULES=cma UCX_MEM_EVENTS=n

# build-aux/setup installs the modules that the tests need for the system's Python, but another one may come first in PATH.
if [[ -n ${BATS_RUN_TMPDIR-} && $PATH != "$BATS_RUN_TMPDIR/bin:"* && -x /usr/bin/apt-get ]]; then
    [[ -e $BATS_RUN_TMPDIR/bin ]] || { mkdir "$BATS_RUN_TMPDIR/bin" && ln -s /usr/bin/python3 "$BATS_RUN_TMPDIR/bin/python3"; }
    export PATH=$BATS_RUN_TMPDIR/bin:$PATH
fi

setup() {
    mkdir "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" || return
    export BEFF_TEST_MARK=$BATS_TEST_TMPDIR # identifies the processes of this test
}

teardown() {
    if [[ -n ${outside-} ]]; then # another directory that the test has created
        cd / && rm -rf "$outside"
    fi
    nothing_left_running
}

# fail TEXT...: prints each TEXT on standard error and returns 1, which fails the test.
fail() {
    printf '%s\n' "$@" >&2
    return 1
}

# mpi N [NAME=VALUE]... ARGUMENT...: runs $BEFF on N processes, with these environment variables, for at most LIMIT seconds.
mpi() {
    local processes=$1 variables=()
    shift
    while [[ ${1-} =~ ^[A-Z_]+= ]]; do
        variables+=("$1")
        shift
    done
    timeout --kill-after=5 "${LIMIT:-40}" "$MPIEXEC" -n "$processes" env "${variables[@]}" "$BEFF" "$@"
}

# with_time TIMES ENOUGH PROCESSES [NAME=VALUE]... ARGUMENT...: calls `run mpi` with the first of TIMES as --time and `out` as
# --output. If the command ENOUGH then fails, because the machine was too busy, tries again with the next time. Sets $time to the
# --time of the last run, and $took to its duration in seconds.
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

# virtual N [NAME=VALUE]... ARGUMENT...: runs $BEFF as mpi does, but in virtual time (tests/shims/clock.c), so that the speed of the
# machine decides nothing. A message takes 55 ms and 5 ns for each byte.
virtual() {
    LIMIT=${LIMIT:-140} mpi "$1" "$(shims yield clock)" CLOCK_CALL=55000 CLOCK_BYTE=5 "${@:2}"
}

# start N [NAME=VALUE]... ARGUMENT...: starts $BEFF as mpi does, but in the background and without a time limit. Sets $launcher.
# The output goes to the files stdout and stderr. The id of rank R's process goes to pid.R, and its status to status.R, because MPICH's launcher sometimes
# returns 0 after a signal.
start() {
    local processes=$1 variables=()
    shift
    while [[ ${1-} =~ ^[A-Z_]+= ]]; do
        variables+=("$1")
        shift
    done
    rm -f status.* pid.*
    # shellcheck disable=SC2016 # bash -c expands the variables
    "$MPIEXEC" -n "$processes" env "${variables[@]}" bash -c '
        trap : TERM INT USR1
        rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK-}}
        (echo $BASHPID >pid.$rank; exec "$@")
        status=$?
        echo $status >status.$rank
        exit $status' bash "$BEFF" "$@" >stdout 2>stderr </dev/null 3>&- &
    launcher=$!
}

# pause SECONDS: waits for a pipe to which nobody writes, which starts no process.
pause() {
    [[ -n ${nothing-} ]] || exec {nothing}<> <(:)
    read -rt "$1" -u "$nothing" || :
}

# ended_within SECONDS: waits until the launcher ends. If that takes longer, kills the launcher and fails. Sets $status, and sets
# $took to the seconds that it waited.
ended_within() {
    local begin=$EPOCHREALTIME
    local end=$((${begin/./} + 1000000 * ($1 + LAUNCHING)))
    while kill -0 "$launcher" 2>/dev/null; do
        if ((${EPOCHREALTIME/./} > end)); then
            kill -KILL "$launcher"
            fail "still running after $1 s" "$(<stderr)"
            return 1
        fi
        pause 0.02
    done
    took=$(since "$begin")
    status=0
    wait "$launcher" || status=$?
}

# ranks_returned STATUS: checks that all ranks that the launcher did not kill returned this status. If it killed all ranks, or one that
# was writing its status, the launcher itself must have returned this status. Open MPI's launcher is exempt, because it returns its own.
ranks_returned() {
    local file
    for file in status.*; do
        [[ -s $file || $LAUNCHING == 0 ]] || continue
        [[ -s $file ]] || echo "$status" >"$file"
        [[ $(<"$file") == "$1" ]] || fail "${file/status./rank } returned $(<"$file")" "$(<stderr)" || return
    done
}

calculate() {
    awk "BEGIN { print ($1) }"
}

# since TIME: prints the seconds since TIME, a value of $EPOCHREALTIME, without the time that the launcher needs.
since() {
    calculate "$EPOCHREALTIME - $1 - $LAUNCHING"
}

at_most() {
    [[ $(calculate "$1 <= $2") == 1 ]] || fail "$1 is more than $2"
}

# has_records FILE N: waits until the protocol has N records, for at most five minutes.
has_records() {
    local tries=0
    until [[ -f $1 && $(grep -vc '^#' "$1") -ge $2 ]]; do
        ((++tries < 10000)) && kill -0 "${launcher-$$}" 2>/dev/null || fail "$1 has fewer than $2 records" || return
        pause 0.03
    done
}

# shim NAME...: prints the setting that preloads these shims, besides those in LD_PRELOAD.
shim() {
    local name list=
    for name; do
        [[ -e $BUILD/tests/shims/$name.so ]] || fail "$name.so is missing: run \"make test-programs\" first" || return
        list+=$BUILD/tests/shims/$name.so:
    done
    echo "LD_PRELOAD=$list${LD_PRELOAD-}"
}
shims() { shim "$@"; }

# yields: in this file, a process that waits leaves its processor to others, so that runs also end soon on a busy machine.
yields() {
    export LD_PRELOAD=$BUILD/tests/shims/yield.so
}

# gpu_drivers: makes the stand-ins for the drivers of GPUs (tests/shims/gpu.c).
gpu_drivers() {
    mkdir "$BATS_FILE_TMPDIR/drivers"
    ln -s "$BUILD/tests/shims/gpu.so" "$BATS_FILE_TMPDIR/drivers/libcuda.so.1"
    ln -s "$BUILD/tests/shims/gpu.so" "$BATS_FILE_TMPDIR/drivers/libamdhip64.so.6"
}

# gpu N [NAME=VALUE]... ARGUMENT...: runs $BEFF as mpi does, with stand-ins for driver and MPI.
gpu() {
    mpi "$1" "LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/drivers" "$(shims yield gpu_mpi)" MPIR_CVAR_POLLS_BEFORE_YIELD=1 "${@:2}"
}

# ends_with STATUS EXPECTED...: checks the status of `run` and that the program's own last line contains each EXPECTED.
ends_with() {
    [[ $status == "$1" ]] || fail "status $status" "$stderr" || return
    is_one_line "$(said | tail -n 1)" "${@:2}"
}

# stops_after REPETITIONS FILE: writes a VALID sample of beff as if it had measured only Sendrecv, and had ended after some repetitions
# of pass 1, with no result but its rating. With 3 repetitions, it is still VALID.
stops_after() {
    awk -F '\t' -v last="$1" '/^[0-9]/ && ($1 > 1 || $2 > last || $4 != "Sendrecv") ||
        /^#@discarded/ && ($2 > 1 || $3 > last || $5 != "Sendrecv") || /^#@sweep/ && $2 > last || /^#: result b_eff_/ {
        next } { sub(/^#: option_methods = .*/, "#: option_methods = Sendrecv"); print }' "$TESTS/../protocols/samples/beff-n2-valid/run.prot" >"$2"
    "$TESTS/seal" "$2"
    sed -i "s/^#: result b_eff = .*/#: result b_eff = $("$BUILD/beff_report" show --format json "$2" | jq .result.b_eff) MB\/s/; /^#: result b_eff =/!{ /^#: result /d }" "$2"
    "$TESTS/seal" "$2"
}

inspect() {
    python3 "$TESTS/inspect" "$@"
}

# recompute FILE: prints the rating that protocols/recompute computes; for beff_io, also the rating by the rules of release 2.1.
recompute() {
    local line
    line=$("$TESTS/../protocols/recompute" "$1") || return
    sed 's/.*: //; s/[a-z_0-9]* = //g; s/ MB\/s//g; s/,//g' <<<"$line"
}

# needs PROGRAM...: skips the test if a program is not installed.
needs() {
    local program
    for program; do
        command -v "$program" >/dev/null || skip "$program is not installed"
    done
}

needs_mount() {
    unshare --mount mount -t tmpfs none /mnt 2>/dev/null || skip "mounting a file system is not allowed here"
}

# needs_romio WHY: skips the test if the MPI-IO is OMPIO, Open MPI's own.
needs_romio() {
    [[ $MPI_IO == romio ]] || skip "OMPIO: $1"
}

# needs_mpich WHY: skips the test if the MPI is not MPICH.
needs_mpich() {
    [[ $config == *$'\nMPI_NAME = mpich'* ]] || skip "not MPICH: $1"
}

# said [TEXT]: prints the program's own lines, without the launcher's lines and without the note about a short --time.
said() {
    grep "^${BEFF##*/}: " <<<"${1-$stderr}" | grep -v ': the result will be NOT VALID: a complete pass needs --time' || true
}

nothing_left() {
    [[ -z $(find . -name '*scratch*') ]] || fail "left: $(find . -name '*scratch*')"
}

# is_one_line TEXT EXPECTED...: checks that TEXT is one line that contains each EXPECTED.
is_one_line() {
    local text=$1 expected
    [[ $text != *prterun* ]] || text=${text%%$'\n---'*} # without the lines of Open MPI 5's launcher
    [[ -n $text && $text != *$'\n'* ]] || fail "not one line:" "$text" || return
    for expected in "${@:2}"; do
        [[ $text == *"$expected"* ]] || fail "\"$expected\" is not in:" "$text" || return
    done
}

# holds FILE EXPECTED...: checks that the file contains each EXPECTED.
holds() {
    local expected
    for expected in "${@:2}"; do
        grep -qF -- "$expected" "$1" || fail "\"$expected\" is not in $1:" "$(tail -n 5 "$1")" || return
    done
}

directory_is_empty() {
    [[ -z $(ls -A) ]] || fail "written: $(ls -A)"
}

# Prints the ids of the programs' and the launcher's processes that belong to this test.
of_this_test() {
    local file
    while read -r file; do
        file=${file%/comm}
        if grep -qsazxF "BEFF_TEST_MARK=$BATS_TEST_TMPDIR" "$file/environ"; then echo "${file#/proc/}"; fi
    done < <(grep -lsE '^(beff|beff_io|IMB-.*|imb_compat|mpiexec.*|hydra.*|mpirun.*|orte.*|memcheck.*|timeout)$' /proc/[0-9]*/comm)
}

# rank R: prints the id of rank R's process; '*': of all processes.
rank() {
    # shellcheck disable=SC2086 # all files are wanted
    cat pid.$1
}

# pass_on SIGNAL: sends a signal to the launcher, which forwards it. Open MPI's launcher takes a second to forward it and kills the
# processes a second later, so with Open MPI the processes get it directly, as from a batch system.
pass_on() {
    local processes=$launcher
    [[ $LAUNCHING == 0 ]] || processes=$(rank '*')
    # shellcheck disable=SC2086 # word splitting is intended
    kill "-$1" $processes
}

nothing_left_running() {
    local tries=0 left process
    while left=$(of_this_test) && [[ -n $left ]] && ((++tries < 30)); do
        pause 0.1
    done
    [[ -n $left ]] || return 0
    for process in $left; do
        echo "left running: $process $(tr '\0' ' ' <"/proc/$process/cmdline")"
        kill -KILL "$process"
    done
    return 1
}

# four_digits NUMBER: prints a number as on the sheet, with four significant digits.
four_digits() {
    python3 -c 'import math, sys
x = float(sys.argv[1])
after = 3 - math.floor(math.log10(x))
print(f"{round(x, after):.{max(0, after)}f}")' "$1"
}
