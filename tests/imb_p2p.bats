#!/usr/bin/env bats
# IMB-P2P (point to point): layout, calls per repetition, checking, records, refusals.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
SAMPLES=$TESTS/fixtures/imb/p2p
BEFF=$BUILD/IMB-P2P

@test "IMB-P2P: the output agrees with captured runs on 2 processes" {
    as_captured $(names . '^np|^iter_rule') # the rule is in imb_compat/repetitions_test.c
}

@test "IMB-P2P: the output agrees with captured runs on other numbers of processes" {
    as_captured $(names '^np')
}

# p2p_calls PROCESSES BENCHMARK...: checks the MPI calls per repetition, including the warm-up.
p2p_calls() {
    local n
    for n in 20 40; do
        mpi "$1" COUNT_FILE="$PWD/$n" "$(shim count)" -msgsz 16 -iter $n -pause 0 "${@:2}" >/dev/null
    done
    "$TESTS/imb-calls" "$TESTS/fixtures/imb/calls.txt" "IMB-P2P (np $1; one iteration here is one of n + warm-up n/10)" 22 20 40 "${@:2}"
}

@test "IMB-P2P: the MPI calls per repetition are the same as in IMB" {
    p2p_calls 2 PingPong PingPing Corandom SendRecv_Replace
    p2p_calls 3 Corandom
    p2p_calls 4 Stencil2D
}

# sends_by_rule PROCESSES REPETITIONS...: prints how many messages each process sends in Unirandom by IMB's rule, which
# restarts the generator for each of these numbers of repetitions.
sends_by_rule() {
    python3 - "$@" <<'END'
import sys
processes, sends = int(sys.argv[1]), [0] * int(sys.argv[1])
for repetitions in map(int, sys.argv[2:]):
    state = 0
    def draw():
        global state
        state = (state * 7560690468208412377 + 4343336064253945357) % 2**64
        return (state >> 24) % 2**32 % processes
    for _ in range(repetitions * processes):
        first = draw()
        second = draw()
        while second == first:
            second = draw()
        sends[first] += 1
print(*sends)
END
}

@test "IMB-P2P: the random partners are the same as in IMB: the generator restarts for the untimed and the timed repetitions of each size" {
    local processes
    for processes in 2 3 5; do
        mpi $processes COUNT_FILE="$PWD/count" "$(shim count)" -msgsz 4 -msgsz 8 -iter 12 -pause 0 Unirandom >/dev/null
        [[ $(cat count.* | sed -n 's/.*\bSend \([0-9]*\).*/\1/p' | xargs) == "$(sends_by_rule $processes 1 12 1 12)" ]] || fail "$(cat count.*)"
    done
}

@test "IMB-P2P: -check finds nothing in clean runs on various numbers of processes" {
    local n
    for n in 2 3 6 8 12; do
        run --separate-stderr mpi $n -iter 3 -msgsz 0 -msgsz 5 -msgsz 100 -pause 0 -check
        [[ $status == 0 && $stderr != *'data error'* ]] || fail "$n: status $status $stderr" || return
        [[ $(grep -c '^# note: wrong bytes found by -check: 0;' <<<"$output") == $(grep -c '^# Benchmarking' <<<"$output") ]]
    done
}

@test "IMB-P2P: -check finds a damaged byte in every benchmark" {
    finds_in_all 8 P2P FLIP_BYTES=48 FLIP_EVERY=3 "$(shim flip_imb)" -check -time 1000 -msgsz 48 -iter 3 -pause 0
}

@test "IMB-P2P: records contain all printed values and pass verify" {
    mpi 2 -iter 6 -msgsz 4 -msgsz 16 -pause 0 -raw -prot run.prot -json run.json PingPong Birandom >out
    inspect run.prot 'p.sealed and p.end == "complete"' 'p.meta["component"] == "P2P"' 'len(p.records) == 28' \
        'p.meta["option_iter"] == "6,800" and p.meta["option_msglog"] == "msgsz=4,msgsz=16"' \
        'all(abs(r["msg_rate"] * r["t_max"] - {"PingPong": 1, "Birandom": 2}[r["benchmark"]]) < 1e-9 for r in p.records)'
    "$BUILD/beff_report" verify run.prot
}

# The clock of a process advances by rank + 1 times CLOCK_SEND at each message, so t is 1.25 times CLOCK_SEND.
@test "IMB-P2P: a pair's time does not contain the votes of long loops, in which it waits for slower pairs" {
    mpi 4 CLOCK_SEND=40000 CLOCK_RANKS=1 "$(shim clock)" -msgsz 4 -iter 100 -time 1000 -pause 0 PingPong >out || [[ $? == 1 ]] # the clock is wrong
    [[ $(awk '$1 == 4 { print $2, $3 }' out) == '100 50000.00' ]] || fail "$(<out)"
}

@test "IMB-P2P: lists of benchmarks, option names in upper or lower case, a time limit" {
    mpi 2 -ITER 5 -Msgsz 4 -pause 0 pingpong,PINGPING >out
    [[ $(sed -n 's/^# Benchmarking //p' out | xargs) == 'PingPong PingPing' ]]
    cmp <("$BEFF" -L) <("$BEFF" -list)
    mpi 2 -msgsz 4194304 -time 0.02 -pause -1 PingPing >out
    [[ $(awk '$1 == 4194304 { print $2 }' out) -lt 200 ]]
}

@test "IMB-P2P: bad input is refused before anything runs" {
    local row
    for row in '-pause | -pause' '-pause x | -pause' '-msgrd maybe | -msgrd' '-msgwr 2 | -msgwr' '-iter 5,0 | -iter' \
        '-msglen nosuch.txt | -msglen nosuch.txt' '-msgsz 2g | -msgsz' '-msglog 47:47 | -msglog'; do
        check_refusal "$row" "$BEFF"
    done
    check_refusal '-msglen {}/lengths_kb.txt -msgsz 2g PingPing | -msgsz' "$BEFF"
    mpi 2 -iter 2 -pause 0 -msglen "$TESTS/fixtures/imb/inputs/lengths_blank.txt" PingPing >out # empty lines are skipped
}

@test "IMB-P2P: a named benchmark that cannot run on this number of processes gives status 1" {
    run --separate-stderr mpi 3 -iter 2 -msgsz 4 -pause 0 PingPong Unirandom
    [[ $status == 1 && $output == *'# !! Benchmark PingPong is invalid for 3 processes !!'* ]]
    is_one_line "$(grep -v oversubscribed <<<"$stderr")" 'partial (sizes and tables skipped: 1; invalid for the number of processes (3 started): PingPong)'
}
