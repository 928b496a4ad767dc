#!/usr/bin/env bats
# IMB-MT (threads): layout, calls per repetition, checking, records, refusals.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
SAMPLES=$TESTS/fixtures/imb/mt
BEFF=$BUILD/IMB-MT
export OMP_WAIT_POLICY=passive

@test "IMB-MT: the output agrees with captured runs on 2 processes" {
    as_captured $(names . '^(np|threads)')
}

@test "IMB-MT: the output agrees with captured runs on other numbers of processes and threads" {
    as_captured $(names '^(np|threads)')
}

# mt_calls WORDS THREADS OPTIONS BENCHMARK...: checks the MPI calls per repetition against the entries of calls.txt whose
# headings end with WORDS.
mt_calls() {
    local n
    for n in 20 40; do
        # shellcheck disable=SC2086 # word splitting is intended
        OMP_NUM_THREADS=$2 mpi 2 COUNT_FILE="$PWD/$n" "$(shim count)" $3 -warmup 3 -count 2 -repeat $n "${@:4}" >/dev/null
    done
    "$TESTS/imb-calls" "$TESTS/fixtures/imb/calls.txt" "IMB-MT $1" 20 20 40 "${@:4}"
}

@test "IMB-MT: the MPI calls per repetition are the same as in IMB, with every kind of barrier, with one thread and with two" {
    mt_calls '(one thread, np 2)' 1 '' $(all_of MT)
    mt_calls '-barrier off (one thread, np 2)' 1 '-barrier off' BcastMT PingPongMT
    mt_calls '-barrier special (one thread, np 2)' 1 '-barrier special' BcastMT PingPongMT
    mt_calls '(two threads per process, np 2: sums over the threads)' 2 '-thread_level multiple' PingPongMT BcastMT BarrierMT
}

@test "IMB-MT: -check finds nothing in clean runs with various numbers of threads, buffers, data types and strides" {
    local row threads algo
    for row in '1 continuous' '2 serial' '2 continuous' '4 parallel'; do
        read -r threads algo <<<"$row"
        OMP_NUM_THREADS=$threads run --separate-stderr mpi 2 -thread_level multiple -repeat 4 -warmup 2 -count 1,3,100 \
            -check on -malloc_algo "$algo" -malloc_align 24
        [[ $status == 0 && -z $stderr ]] || fail "$row: status $status $stderr" || return
        [[ $(grep -c '^# note: wrong bytes found by -check: 0;' <<<"$output") == 10 ]] || fail "$output" || return
        grep -q "^# #processes = 2 (threads: $threads)" <<<"$output"
    done
    run --separate-stderr mpi 3 -repeat 4 -warmup 2 -count 3 -check on -datatype char
    [[ $status == 0 && $stderr != *'data error'* ]] || fail "$stderr"
    [[ $(grep -c '^# note: idle processes: 1$' <<<"$output") == 4 ]]
    run --separate-stderr mpi 4 -repeat 4 -warmup 0 -count 3 -check on -stride 1
    [[ $status == 0 && $stderr != *'data error'* ]] || fail "$stderr"
}

@test "IMB-MT: -check finds a damaged byte in every benchmark" {
    finds_in_all 2 MT FLIP_BYTES=48 FLIP_EVERY=2 "$(shim flip_imb)" -check on -count 12 -repeat 7
}

@test "IMB-MT: records contain the number of threads and all printed values" {
    OMP_NUM_THREADS=2 mpi 2 -thread_level multiple -repeat 6 -warmup 1 -count 4 -raw -prot run.prot -json run.json PingPongMT UniBandMT BarrierMT >out
    inspect run.prot 'p.sealed and p.end == "complete"' 'p.meta["component"] == "MT" and p.meta["threads"] == "2"' \
        'len(p.records) == 21' 'all(r["bytes"] in (0, 32) for r in p.records)' \
        'all(abs(r["bandwidth"] * r["t_max"] * 1e6 - (0 if r["bytes"] == 0 else 32)) < 1e-6 for r in p.records)' \
        'all(abs(r["msg_rate"] * r["t_max"] - 2) < 1e-9 for r in p.records if r["benchmark"] == "UniBandMT")'
    "$BUILD/beff_report" verify run.prot >/dev/null || [[ $? == 1 ]] # oversubscribed
    "$BUILD/beff_report" show run.prot >shown
    grep -q UniBandMT shown
    grep -q "^  threads  *2$" shown
}

@test "IMB-MT: invalid options are refused before anything is measured" {
    local row
    for row in '-nosuch | -nosuch' 'nobench | "nobench"' '-barrier maybe | -barrier special' '-malloc_algo x | -malloc_algo parallel' \
        '-datatype long | -datatype char' '-thread_level nompinit | -thread_level' '-repeat 0 | -repeat' '-repeat -1 | -repeat' \
        '-warmup -1 | -warmup' '-count -1 | -count' '-count 1,x | -count' '-window_size 0 | -window_size' '-malloc_align 0 | -malloc_align' \
        '-stride -1 | -stride' '-check=maybe | -check' '-check maybe | "maybe"' '-msglog 3 | -msglog'; do
        check_refusal "$row" "$BEFF"
    done
    run --separate-stderr mpi 4 -stride 3 PingPongMT
    refused_for 2 'invalid -stride 3' 'half of the 4 processes'
}

@test "IMB-MT: processes with different numbers of threads are refused" {
    # shellcheck disable=SC2016 # the inner shell expands the variables
    run --separate-stderr timeout $LIMIT "$MPIEXEC" -n 2 \
        bash -c 'OMP_NUM_THREADS=$((2 + ${PMI_RANK-${OMPI_COMM_WORLD_RANK-}})) exec "$0" -thread_level multiple' "$BEFF"
    refused_for 3 'has 2 threads, but another process has 3' OMP_NUM_THREADS
}
