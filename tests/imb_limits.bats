#!/usr/bin/env bats
# imb_compat's limits of time, memory and counts: the text that replaces a row, and the skipped measurements.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
BEFF=$BUILD/IMB-MPI1 # the program that mpi starts
SAMPLES=$TESTS/fixtures/imb/stopped

# rows_of FILE: prints the measured rows, without headings and failure rows.
rows_of() {
    grep -E '^ +[0-9]+( +[0-9]+)+( +[0-9]+\.[0-9]{2})+$' "$1"
}

# tables_of FILE: prints `benchmark processes` for each table.
tables_of() {
    awk '/^# Benchmarking/ { name = $3 } /^# #processes/ { print name, $4 }' "$1"
}

# failures_of FILE: prints the text after the size of each failure row.
failures_of() {
    grep -oE ' (time-out\.|out-of-mem\.|int-overflow);.*' "$1" | sort -u
}

# same_failures SAMPLE FILE: checks that the failure rows have the same texts.
same_failures() {
    [[ -n $(failures_of "$2") && $(failures_of "$SAMPLES/$1.txt") == "$(failures_of "$2")" ]] ||
        fail "expected: $(failures_of "$SAMPLES/$1.txt")" "found: $(failures_of "$2")"
}

@test "too little memory: the row has IMB's text, and all other sizes and benchmarks are measured" {
    mpi 2 -iter 3 -msglog 18:20 -mem 0.001 PingPong PingPong Sendrecv >out || [[ $? == 1 ]]
    same_failures twice_after_out_of_mem out
    [[ $(grep -c '^      1048576 out-of-mem' out) == 3 && $(rows_of out | wc -l) == 9 ]]
    [[ $(tables_of out) == $'PingPong 2\nPingPong 2\nSendrecv 2' ]]
    run mpi 2 -iter 3 -msgsize 1M,64 -mem 0.001 PingPong
    [[ $status == 1 && $output == *'      1048576 out-of-mem'*$'\n           64            3 '* ]]
    [[ $output == *'# note: not measured for size 1048576: see the row above'* ]]
}

@test "the time is up: the row has IMB's text, and other tables are measured" {
    mpi 4 -iter 3 -msglog 2:5 -time 0.000001 Allreduce Barrier >out || [[ $? == 1 ]]
    same_failures np4_time_out_skips_rest out
    [[ $(tables_of out) == $'Allreduce 2\nAllreduce 4\nBarrier 2\nBarrier 4' ]]
    [[ $(grep -c '^ *[0-9]* time-out.; ' out) -ge 2 ]] # the table of Barrier has only one row, which may be measured in time
}

@test "the time is up in groups: each group has a failure row" {
    mpi 4 -msglog 20:22 -iter 5 -time 0.00001 -multi 1 PingPong >out || [[ $? == 1 ]]
    same_failures time_out_multi1 out
    grep -A 1 -E '^ {12}0 +[0-9]+ time-out.; ' out | tail -n 1 | grep -E '^ {12}1 +[0-9]+ time-out.; '
}

@test "one clock is faster than the other: all printed rows were measured" {
    local rank rows
    for rank in 0 1; do
        run mpi 2 CLOCK_FAST=$rank "$(shim clock)" -msglog 16:22 -time 0.02 -iter 1000 -prot $rank.prot PingPong
        echo "$output" >out
        rows=$(rows_of out | wc -l)
        [[ $status == 1 && $output == *'clock mismatch: MPI_Wtime advanced '* ]]
        [[ $rows == 8 ]] || grep -q ' time-out.; ' out
        inspect $rank.prot "len(p.records) == $rows" \
            'len({r["t_max"] * r["repetitions"] for r in p.records}) == len(p.records)'
    done
}

@test "a clock that runs at 80 % of real time is reported with status 1, and run.prot shows the difference" {
    run --separate-stderr mpi 2 CLOCK_RATE=80 "$(shim clock)" -iter 50 -msglog 0:2 -prot run.prot PingPong
    [[ $status == 1 && $(rows_of <(echo "$output") | wc -l) == 4 ]]
    is_one_line "$stderr" 'clock mismatch: MPI_Wtime advanced '
    inspect run.prot '0.79 < float(p.meta["clock_mpi_s"]) / float(p.meta["clock_system_s"]) < 0.81'
    mpi 2 -iter 50 -msglog 0:2 -prot right.prot PingPong >out
    inspect right.prot 'abs(1 - float(p.meta["clock_mpi_s"]) / float(p.meta["clock_system_s"])) < 1e-3'
}

@test "a listed size above 2^max is reduced to it, with a note" {
    mpi 2 -iter 5 -msglen "$TESTS/fixtures/imb/inputs/lengths_big.txt" PingPong >out
    grep -q '^      4194304            5 ' out
    grep -q '^# note: listed sizes above 4194304 (the largest was 8388608) were reduced' out
}

# The clock advances by 1 microsecond per repetition of PingPong. For each size, there are 1 + 1000 probes; 3000 - 1001
# microseconds are left for 1818 repetitions and their warm-up.
@test "each size has as many repetitions as its time allows; one disturbed probe affects only the time of its own size" {
    unset LD_PRELOAD # for thousands of messages, spinning is faster
    mpi 2 CLOCK_SEND=1 CLOCK_SLOW=500 "$(shim clock)" -iter 1000000 -msglog 0:2 -time 0.003 PingPong >out || [[ $? == 1 ]]
    [[ $(rows_of out | awk '{ print $1, $2, $3 }') == $'0 910 0.50\n1 1818 0.50\n2 1818 0.50\n4 1818 0.50' ]] || fail "$(<out)"
}

@test "-time-total ends a measurement that takes longer than estimated: run.prot has all earlier records" {
    run --separate-stderr mpi 2 -time-total 3 -iter 100000000 -iter_policy off -msgsize 8,16 -prot run.prot Alltoall
    [[ $status == 1 ]]
    is_one_line "$(said)" 'the time limit was reached; hung while measuring Alltoall on 2 processes; the records are in run.prot; to rate them: beff_report show run.prot'
    "$BUILD/beff_report" show run.prot >/dev/null
    inspect run.prot 'p.end is None'
}
