#!/usr/bin/env bats
# bats file_tags=alone
# Faults whose checks need more than a row of tests/faults/table, for example damaged messages, which the records must show.
# shellcheck disable=SC2154,SC2016 # bats sets status, output, stderr; bash -c expands the variables

load helpers

# Faults during the measurements are injected into messages of this size. They are sent early in a run, but not in its first
# attempts.
PLACE=4

# finds_the_damage METHOD RANK: checks that the last run reported one damaged message of this method on this rank: in a line on
# standard error, in its records and in its verdict.
finds_the_damage() {
    local method=$1 rank=$2
    [[ $status == 1 ]] || fail "status $status" "$stderr" || return
    is_one_line "$(said)" 'data error' "rank $rank " "$method" "$PLACE B" iteration 'measuring ' || return
    inspect out/run.prot 'p.sealed' 'p.end == "complete"' \
        'sum(r["errors"] for r in p.records) + sum(int(v) for k, v in p.all_meta if k == "discarded_errors") == 1' \
        "{(r['method'], r['bytes']) for r in p.records if r['errors']} <= {('$method', $PLACE)}" || return
    inspect out/run.json 'p["result"]["valid"] is False' 'any("message correct" in r for r in p["result"]["reasons"])' ||
        return
    holds out/summary.txt 'NOT VALID'
}

@test "a flipped last byte of a nonblocking message is found and located" {
    with_time '6 20 60' 'finds_the_damage nonblocking 1' 2 "$(shim flip)" FLIP_CALL=MPI_Waitall FLIP_RANK=1 FLIP_NUMBER=3 \
        FLIP_BYTES=$PLACE FLIP_BYTE=last --memory 1 --polygons 1
    finds_the_damage nonblocking 1
}

@test "a flipped byte in an untimed iteration of a measurement is found" {
    with_time '6 20 60' 'finds_the_damage Sendrecv 1' 2 "$(shim flip)" FLIP_CALL=MPI_Sendrecv FLIP_RANK=1 FLIP_NUMBER=1 \
        FLIP_BYTES=$PLACE --memory 1 --polygons 1
    finds_the_damage Sendrecv 1
}

@test "a flipped byte in the first MPI_Sendrecv of a run also makes the run fail" {
    run --separate-stderr mpi 2 "$(shim flip)" FLIP_CALL=MPI_Sendrecv FLIP_RANK=1 FLIP_NUMBER=1 \
        --time 2 --memory 1 --polygons 1 --output out
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    [[ $(said) == *'data error'* ]]
    inspect out/run.json 'p["result"]["valid"] is False' 'any("message correct" in r for r in p["result"]["reasons"])'
}

@test "a data error in an attempt that does not count is still found after the run was killed" {
    run --separate-stderr mpi 2 "$(shims flip fault)" FLIP_CALL=MPI_Waitall FLIP_RANK=1 FLIP_NUMBER=1 \
        FAULT_CALL=MPI_Barrier FAULT_NUMBER=200 FAULT_ACTION=kill --time 20 --memory 1 --polygons 1 --output out
    [[ $(said) == *'data error'* ]]
    inspect out/run.prot 'p.end is None' 'len(p.records) > 5' \
        'sum(r["errors"] for r in p.records) + int(p.meta.get("discarded_errors", 0)) == 1'
    run --separate-stderr "$BUILD/beff_report" show out
    [[ $output == *'FAIL  both ends of each message correct (1 wrong byte'* ]] || fail "$output"
}

@test "messages that are delayed: the run ends on time, and its records show the delay" {
    with_time '6 20 60' '[[ $status == 0 ]]' 2 "$(shim fault)" FAULT_ACTION=delay FAULT_MICROSECONDS=200000 \
        FAULT_CALL=MPI_Sendrecv FAULT_RANK=1 FAULT_NUMBER=5000 FAULT_EVERY=15000 FAULT_BYTES=$PLACE --memory 1 --polygons 1
    at_most "$took" "$(calculate "$time + 4")"
    [[ $status == 0 ]] || fail "status $status" "$stderr"
    inspect out/run.prot 'p.sealed' 'p.end == "complete"' 'max(r["t_max"] for r in p.records) >= 0.2'
}

# beside COMMAND...: runs beff on at most two processors, with COMMAND in the background on the same ones. Sets $others to the
# percentage of them that other programs used, as tests/others measures it. Skips the test if /proc/stat shows nothing.
beside() {
    local two
    two=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep=",")')
    taskset -c "$two" "$@" &
    others=$("$TESTS/others" "$two" timeout 40 "$MPIEXEC" -n 2 "$BEFF" --time 6 --memory 1 --output out 2>stdout) || [[ $? == 1 ]]
    kill $! 2>/dev/null || true
    wait $! || true
    [[ $others != unknown ]] || skip "/proc/stat shows nothing here"
    inspect out/run.prot 'p.sealed' '{v.split()[1] for k, v in p.all_meta if k == "disturbance"} >= {"programs", "hypervisor", "switches"}'
    "$BUILD/beff_report" show out >shown
}

@test "a busy program beside a run: the run and beff_report say how much it used, and where" {
    needs python3 taskset
    beside timeout 60 sh -c 'while :; do :; done'
    local host used
    host=$(uname -n)
    used="other programs used [0-9.]+ of [12] processors? on $host \\(([0-9]+) %\\)"
    [[ $(<shown) =~ $used ]] || fail "others used $others %:" "$(<shown)"
    at_most "$(calculate "sqrt((${BASH_REMATCH[1]} - $others) ^ 2)")" 15
    inspect out/run.json 'p["result"]["disturbance"].startswith("other programs used ")'
    [[ $(tr -s '\n ' ' ' <stdout) =~ $used ]] || fail "$(<stdout)"
}

@test "a run that has the processors for itself names nobody" {
    needs python3 taskset
    beside true
    [[ $(calculate "$others < 1") == 1 ]] || skip "other programs used $others % of the processors"
    if grep 'other programs' shown; then fail "others used $others %"; fi
}

@test "--memory beyond the machine's memory does no harm: Lmax is limited, or the run ends with status 3 and states the sizes" {
    with_time '2 4 10' 'at_most $took $((time + 4))' 2 --memory 1000000000
    at_most "$took" $((time + 4))
    if [[ $status == 3 ]]; then
        is_one_line "$(said)" 'out of memory' MiB --memory
    elif [[ ! -e out ]]; then
        is_one_line "$(said)" 'the time limit was reached while setting up'
    else
        inspect out/run.prot 'p.meta["lmax"] == "134217728"'
    fi
}

@test "if the ranks have different command lines, the command line of rank 0 is used" {
    timeout 20 "$MPIEXEC" -n 1 "$BEFF" --time 1 --memory 1 --quiet --output out : -n 1 "$BEFF" --time 50 --nonsense \
        >stdout 2>stderr || true
    inspect out/run.prot 'p.sealed' 'float(p.meta["time_s"]) == 1'
    [[ ! -s stderr ]]
}
