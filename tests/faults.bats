#!/usr/bin/env bats
# Faults whose checks need more than a row of tests/faults/table, for example damaged messages, which the records must show.
# shellcheck disable=SC2154,SC2016 # bats sets status, output, stderr; bash -c expands the variables

load helpers
yields

# Faults during the measurements are injected into messages of this size. They are sent early in a run, but not in its first
# attempts.
PLACE=4

arguments=(--time 600 --memory 1 --polygons 1 --max-loops 4 --output out)

# shows FILE PATTERN: waits until a line of the file matches.
shows() {
    until grep -qsE "$2" "$1"; do sleep 0.05; done
}

# finds_the_damage METHOD [NAME=VALUE]...: damages one message of this method on rank 1. Checks that the run reports it in a line on
# standard error, in its records and in its verdict.
finds_the_damage() {
    start 2 "$(shim flip)" FLIP_RANK=1 FLIP_BYTES=$PLACE "${@:2}" "${arguments[@]}"
    shows stderr 'data error'
    has_records out/run.prot $(($(grep -vc '^#' out/run.prot) + 9)) # the attempt with the error has ended
    pass_on TERM
    ended_within 60 || return
    ranks_returned 4 || return
    is_one_line "$(grep 'data error' stderr)" 'rank 1 ' "$1" "$PLACE B" iteration 'measuring ' || return
    inspect out/run.prot 'p.sealed' \
        'sum(r["errors"] for r in p.records) + sum(r["errors"] for r in p.tables["discarded"]) == 1' \
        "{(r['method'], r['bytes']) for r in p.records if r['errors']} <= {('$1', $PLACE)}" || return
    inspect out/run.json 'p["result"]["valid"] is False' 'any("message correct" in r for r in p["result"]["reasons"])'
}

@test "a flipped last byte of a nonblocking message is found and located" {
    finds_the_damage nonblocking FLIP_CALL=MPI_Waitall FLIP_NUMBER=3 FLIP_BYTE=last
}

@test "a flipped byte in an untimed iteration of a measurement is found" {
    finds_the_damage Sendrecv FLIP_CALL=MPI_Sendrecv FLIP_NUMBER=1
}

@test "a flipped byte in the first MPI_Sendrecv of a run also makes the run fail" {
    run --separate-stderr mpi 2 "$(shim flip)" FLIP_CALL=MPI_Sendrecv FLIP_RANK=1 FLIP_NUMBER=1 "${arguments[@]}" --time 2
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    [[ $(said) == *'data error'* ]]
    inspect out/run.json 'p["result"]["valid"] is False' 'any("message correct" in r for r in p["result"]["reasons"])'
}

@test "a data error in an attempt that does not count is still found after the run was killed" {
    run --separate-stderr mpi 2 "$(shims flip fault)" FLIP_CALL=MPI_Waitall FLIP_RANK=1 FLIP_NUMBER=1 \
        FAULT_CALL=MPI_Barrier FAULT_NUMBER=200 FAULT_ACTION=kill "${arguments[@]}"
    [[ $(said) == *'data error'* ]]
    inspect out/run.prot 'p.end is None' 'len(p.records) > 5' \
        'sum(r["errors"] for r in p.records) + sum(r["errors"] for r in p.tables.get("discarded", [])) == 1'
    run --separate-stderr "$BUILD/beff_report" show out
    [[ $output == *'FAIL  both ends of each message correct (1 wrong byte'* ]] || fail "$output"
}

@test "a flipped byte in a message of the load is found: rank 1 is a congestor" {
    local found="inspect out/run.prot '[r[\"congestor\"] for r in p.tables[\"load_block\"] if r[\"errors\"]] == [\"polygons\"]'"
    with_time '3 20' "$found" 4 "$(shim flip)" FLIP_CALL=MPI_Waitall FLIP_RANK=1 FLIP_BYTES=1048576 --memory 1 --polygons 1 \
        --methods Sendrecv --load --load-processes --load-block 0.005
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    eval "$found"
    inspect out/run.json 'p["result"]["valid"] is False' 'any("message correct" in r for r in p["result"]["reasons"])'
}

@test "messages that are delayed: the records show the delay" {
    # The delays of a measurement take less than the second that a run has after a signal.
    start 2 "$(shim fault)" FAULT_ACTION=delay FAULT_MICROSECONDS=10000 FAULT_CALL=MPI_Sendrecv FAULT_RANK=1 FAULT_EVERY=150 \
        FAULT_BYTES=$PLACE --time 600 --memory 1 --polygons 1 --output out
    shows out/run.prot "$(printf '\tSendrecv\t%d\t' $PLACE)"
    pass_on TERM
    ended_within 60
    inspect out/run.prot 'p.sealed' 'max(r["t_max"] for r in p.records) >= 0.01'
}

@test "--memory beyond the machine's memory does no harm: Lmax is limited, or the run ends with status 3 and states the sizes" {
    run --separate-stderr mpi 2 --memory 1000000000 --time 2 --output out
    if [[ $status == 3 ]]; then
        is_one_line "$(said)" 'out of memory' MiB --memory
    elif [[ ! -e out ]]; then
        is_one_line "$(said)" 'the time limit was reached while setting up'
    else
        inspect out/run.prot 'p.meta["lmax"] == "134217728"'
    fi
}

@test "the ranks must have the same program and options: one line names the rank that differs" {
    local other
    for other in "$BEFF --time 50" "$BEFF --time 1 --nonsense" "$BUILD/beff_io --time 1" "$BUILD/IMB-MPI1"; do
        # shellcheck disable=SC2016 # the inner shell expands the variables; `mpiexec A : B` is not for all launchers (docs/other-mpis.md)
        run --separate-stderr timeout 60 "$MPIEXEC" -n 2 bash -c '[[ ${PMI_RANK-${OMPI_COMM_WORLD_RANK-}} == 0 ]] || exec $1
            exec "$0" --time 1' "$BEFF" "$other"
        [[ $status == 2 ]] || fail "$other: $status $stderr"
        is_one_line "$stderr" "beff: rank 1 was started as \"${other##"$BUILD"/}\", but rank 0 as \"beff --time 1\""
        [[ -z $(ls) ]]
    done
}
