#!/usr/bin/env bats
# contrib/job and contrib/sweep in a real Slurm, which the tests start: time limit, signals, sizes, memory limit.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load ../helpers

BATS_TEST_TIMEOUT=240

setup_file() {
    export WORLD=$BATS_FILE_TMPDIR/slurm LACKS=
    [[ $(id -u) == 0 ]] || LACKS="needs root"
    for program in munged slurmctld slurmd; do
        command -v $program >/dev/null || LACKS="$program is not installed (build-aux/setup worlds)"
    done
    if [[ -z $LACKS ]]; then
        SLURM_CONF=$("$BATS_TEST_DIRNAME/slurm" up "$WORLD") || return
        export SLURM_CONF PATH=$BUILD:$PATH
    fi
}

teardown_file() {
    [[ -n $LACKS ]] || "$BATS_TEST_DIRNAME/slurm" down "$WORLD"
}

setup() {
    [[ -z $LACKS ]] || skip "$LACKS"
    mkdir "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" || return
    export BEFF_TEST_MARK=$BATS_TEST_TMPDIR
}

# submit [NAME=VALUE]... [OPTION]...: submits contrib/job as a job. Sets $job to its number.
submit() {
    local variables=()
    while [[ ${1-} =~ ^[A-Z_]+= ]]; do
        variables+=("$1")
        shift
    done
    job=$(env RUN="beff --memory 1 --polygons 1" "${variables[@]}" sbatch --parsable --output=log --time=5 --ntasks=2 "$@" "$TESTS/../contrib/job")
}

# ended SECONDS: waits for the end of the job. Sets $state to its state and status ("COMPLETED 0").
ended() {
    local end=$((SECONDS + $1))
    until [[ $(scontrol show job "$job" | sed -n 's/^ *JobState=\([A-Z]*\).*/\1/p') =~ ^(COMPLETED|FAILED|TIMEOUT|CANCELLED)$ ]]; do
        ((SECONDS < end)) || fail "the job has not ended after $1 s" "$(scontrol show job "$job")" "$(cat log)" || return
        sleep 0.2
    done
    state="${BASH_REMATCH[1]} $(scontrol show job "$job" | sed -n 's/.* ExitCode=\([0-9]*\).*/\1/p')"
}

# stopped_by_signal: checks that the run reports that a signal stopped it.
stopped_by_signal() {
    inspect "beff-$job-2/run.prot" 'p.sealed' 'len(p.records) >= 20' 'p.end.startswith("partial") and "signal 15" in p.end' || return
    beff_report show "beff-$job-2" >/dev/null
    holds log 'signal 15'
}

@test "a job's time limit is divided among its sizes, and the runs end before the limit" {
    submit SIZES="2 4" "$(shim yield)" --ntasks=4 --time=3
    ended 100
    local size
    [[ $state =~ ^(COMPLETED 0|FAILED 1)$ ]] || fail "$state" "$(<log)"
    for size in 2 4; do
        inspect "beff-$job-$size/run.prot" 'p.sealed' 'p.end == "complete"' "p.meta['processes'] == '$size'" \
            '20 < float(p.meta["option_time"]) <= 35'
        beff_report verify "beff-$job-$size"
    done
}

@test "a job that has too little time for a run reports this" {
    submit --time=2
    ended 10
    [[ $state == 'FAILED 3' ]] || fail "$state"
    is_one_line "$(<log)" 'no time left for 2 processes: the job ends in 1' 'and 120 s are reserved'
}

@test "beff_io in a job writes its files to the scratch path, and none is left; IMB-MPI1 writes its protocol" {
    mkdir files
    submit RUN="beff_io --memory 16 --max-bytes 100M" TIME=8 SCRATCH="$PWD/files" RESULTS="$PWD/results"
    ended 30
    inspect "results/beff_io-$job-2/run.prot" 'p.sealed' 'p.end == "complete"' "p.meta['storage_path'] == '$PWD/files'"
    [[ -z $(ls -A files) ]] || fail "left: $(find files)"
    submit RUN="IMB-MPI1 PingPong -msglog 2:8" TIME=5 RESULTS="$PWD/results"
    ended 30
    [[ $state == 'COMPLETED 0' ]] || fail "$state" "$(<log)"
    inspect "results/IMB-MPI1-$job-2/run.prot" 'p.sealed' 'len(p.records) > 5'
}

@test "the signal before the time limit: status 4, and the measurements are kept; with srun and with mpiexec" {
    local launch
    for launch in "srun -n" "$MPIEXEC -n"; do
        submit LAUNCH="$launch" SIZES='2 2' TIME=300 --time=2 --signal=B:TERM@40 # 20 to 80 s after the start
        ended 110
        [[ $state == 'FAILED 4' ]] || fail "$launch: $state" "$(<log)"
        stopped_by_signal
    done
}

@test "a cancelled job keeps its measurements; with srun and with mpiexec" {
    local launch
    for launch in "srun -n" "$MPIEXEC -n"; do
        submit LAUNCH="$launch" TIME=300
        has_records "beff-$job-2/run.prot" 20
        scancel "$job"
        ended 20
        [[ $state == CANCELLED* ]] || fail "$launch: $state" "$(<log)"
        stopped_by_signal
    done
}

@test "the memory limit of the job's cgroup is detected, and divided among the processes" {
    grep -q ConstrainRAMSpace "$WORLD/cgroup.conf" 2>/dev/null || skip 'cannot create a cgroup of version 1 here (/sys/fs/cgroup/memory)'
    submit RUN='beff --polygons 1' TIME=5 --mem=1000
    ended 30
    inspect "beff-$job-2/run.prot" 'p.sealed' 'p.meta["memory_limit_mib"] == "1000"' 'p.meta["memory_per_process_mib"] == "500"'
}

@test "contrib/sweep makes a run in each partition, and lists the partitions; short runs are not ranked, and the reason is printed" {
    RUN="beff --memory 1 --polygons 1" TIME=20 NODES=1 TASKS=2 timeout 120 "$TESTS/../contrib/sweep" out >list
    local partition
    for partition in fast slow; do
        inspect "$(echo "out/$partition-1"/beff-*/run.prot)" 'p.sealed' 'p.end == "complete"'
        grep -q "^ *-  $partition  .*" list && grep -q "^note: $partition has no usable run" list || fail "$(<list)"
    done
}
