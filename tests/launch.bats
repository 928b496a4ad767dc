#!/usr/bin/env bats
# Processes that start one after another: the run ends by rank 0's clock, with its whole result.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

LATE=2

# late RANK PROGRAM ARGUMENT...: on 2 processes, of which RANK is started LATE seconds after the other one.
late() {
    local rank=$1 program=$BUILD/$2 parts=() i
    shift 2
    for i in 0 1; do
        ((i == 0)) || parts+=(:)
        parts+=(-n 1)
        # shellcheck disable=SC2016 # sh -c expands its own words
        ((i != rank)) || parts+=(sh -c "sleep $LATE; "'"$@"; exit $?' sh)
        parts+=("$program" "$@")
    done
    run --separate-stderr timeout --kill-after=5 40 "$MPIEXEC" "${parts[@]}"
}

# launched DIR/run.prot TIME: its metadata tell of the late process, and that T was kept from the first process on.
launched() {
    holds "$1" '#: end = complete' 'note = launching took 2' || return
    at_most "$(sed -n 's/^#: elapsed_s = //p' "$1")" "$(calculate "$2 * 1.04 + 0.2")"
}

@test "beff with a late rank 0, or a late other one: a whole result, in its time" {
    local rank begin
    for rank in 0 1; do
        begin=$EPOCHREALTIME
        late "$rank" beff --time 10 --memory 1 --polygons 1 --output "out$rank"
        [[ $status == 0 && $(tail -n 1 <<<"$output") == 'b_eff = '* ]] || fail "status $status" "$stderr"
        at_most "$(since "$begin")" 10.7
        launched "out$rank/run.prot" 10
        [[ -s out$rank/summary.txt && -s out$rank/run.json ]]
    done
}

@test "beff_io with a late rank 0, or a late other one: a whole result, in its time" {
    local rank begin
    for rank in 0 1; do
        begin=$EPOCHREALTIME
        late "$rank" beff_io --time 10 --memory 64 --max-bytes 100M --output "out$rank"
        [[ $status == 0 ]] || fail "status $status" "$stderr"
        at_most "$(since "$begin")" 11
        launched "out$rank/run.prot" 10
    done
    nothing_left
}

@test "imb_compat with a late rank 0, or a late other one: -time-total counts from the first process on" {
    local rank begin
    for rank in 0 1; do
        begin=$EPOCHREALTIME
        late "$rank" IMB-MPI1 -time-total 5 -prot "prot$rank" PingPong Sendrecv Exchange Bcast Alltoall
        at_most "$(since "$begin")" 6.5
        inspect "prot$rank" 'p.sealed' 'len(p.records) > 0' "float(p.meta['launch_s']) > $LATE - 0.2" 'float(p.meta["elapsed_s"]) < 6.2'
    done
}

@test "launching that takes more than half of the time does not count: the time starts with the last process" {
    LATE=4 late 0 beff --time 3 --memory 1 --polygons 1 --output out
    inspect out/run.prot 'p.sealed' 'p.end == "complete"' 'float(p.meta["elapsed_s"]) < 3.2'
    holds out/run.prot 'which starts with the last process'
}

@test "a signal while the last process is still missing ends the run" {
    # shellcheck disable=SC2016 # sh -c expands its own words
    "$MPIEXEC" -n 1 sh -c 'trap : TERM; sleep 30 & wait; wait' : -n 1 "$BEFF" --time 5 --output out >stdout 2>stderr \
        </dev/null 3>&- &
    launcher=$!
    sleep 1
    kill -TERM "$launcher"
    ended_within 5
    [[ ! -e out ]]
}
