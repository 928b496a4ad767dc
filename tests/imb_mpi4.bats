#!/usr/bin/env bats
# IMB-MPI4 (persistent collectives): layout, calls per repetition, checking, notes, refusals.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
SAMPLES=$TESTS/fixtures/imb/mpi4
BEFF=$BUILD/IMB-MPI4

@test "IMB-MPI4: the output agrees with captured runs on 2 processes" {
    as_captured $(names . '^np')
}

@test "IMB-MPI4: the output agrees with captured runs on other numbers of processes" {
    as_captured $(names '^np')
}

@test "IMB-MPI4: the MPI calls per repetition are the same as in IMB" {
    calls_agree IMB-MPI4
}

@test "IMB-MPI4: -check finds a damaged byte in every benchmark, even with several copies of the buffers" {
    local options=(-sync off -off_cache 1)
    finds_flips MPI4 48 $(all_of MPI4 | grep -v Barrier)
}

# clean_but_for_mpich PROCESSES ARGUMENT...: runs every benchmark with -check, and checks that no data are wrong. Allows for MPICH
# 4.0 and 4.2, which copy a part of the data of three operations only once for each request, and return errors from Scatter on 3
# processes.
clean_but_for_mpich() {
    local known='^$'
    run --separate-stderr mpi "$1" -check -iter 4 -prot run.prot -force "${@:2}" $(all_of MPI4)
    echo "$output" >out
    if grep -q 'mpi = MPICH Version:[[:space:]]*4\.[0-2]' run.prot; then
        known='^(Allgather|Gather|Scatter)_'
    elif [[ $status != 0 ]]; then
        fail "${*:2}: status $status" "$stderr" || return
    fi
    [[ -z $(defects out 1 | grep -vE "$known") && $(defects out 0 | grep -vE "$known") == $(all_of MPI4 | grep -vE "$known|Barrier") ]] ||
        fail "wrong: $(defects out 1)" "$stderr"
}

@test "IMB-MPI4: -check finds nothing in clean runs on several numbers of processes, with groups, maps and copies of buffers" {
    clean_but_for_mpich 2 -msglog 0:5 -npmin 2
    clean_but_for_mpich 3 -msglog 3:4 -npmin 3
    clean_but_for_mpich 4 -msglog 3:3 -npmin 2 -multi 1 -map 2x2 -off_cache 1
}

@test "IMB-MPI4: -check follows the requests when the buffers have different numbers of copies" {
    local processes
    for processes in 3 5 6; do
        run --separate-stderr mpi "$processes" -npmin "$processes" -off_cache 1 -check -iter 40 -time 30 -msglog 16:16 -zero_size off \
            Gatherv_persist_pure Allgatherv_persist_pure
        [[ $status == 0 ]] || fail "$processes processes: status $status" "$stderr" || return
    done
}

@test "IMB-MPI4: a note states the time that setting up the request took" {
    mpi 2 -iter 5 -msglog 3:4 -prot run.prot Bcast_persist Barrier_persist_pure >out
    [[ $(grep -c '^# note: setting up the request took [0-9.]* to [0-9.]* microsec; no column includes this time$' out) == 2 ]]
    inspect run.prot 'p.sealed and p.end == "complete"' 'p.meta["component"] == "MPI4"' 'len(p.records) == 4'
}

@test "IMB-MPI4: a moving root and -window_size are refused" {
    check_refusal '-root_shift on Bcast_persist | -root_shift "on" root' "$BEFF"
    check_refusal '-window_size 4 | -window_size' "$BEFF"
}

@test "IMB-MPI4: what an MPI cannot do is one note with its version, and the other sizes and benchmarks are measured" {
    # The second start on rank 0 fails, and the other ranks wait for it.
    run --separate-stderr mpi 3 FAULT_CALL=MPI_Start FAULT_NUMBER=2 "$(shim fault)" -npmin 3 -iter 4 -msglog 3:4 -prot run.prot \
        Bcast_persist Reduce_persist
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    [[ $(grep -c '^# note: not measured for size 0: a call of this collective fails with [A-Z].*[0-9]\.[0-9]' <<<"$output") == 1 ]] ||
        fail "$output"
    inspect run.prot '[r["bytes"] for r in p.records] == [8, 16, 0, 8, 16]' 'p.records[2]["benchmark"] == "Reduce_persist"'
}
