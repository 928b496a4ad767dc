#!/usr/bin/env bats
# IMB-IO: layout, calls per repetition, checking, names and sizes of files.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; words

load helpers
load imb
SAMPLES=$TESTS/fixtures/imb/io
BEFF=$BUILD/IMB-IO # what mpi starts

nothing_left() {
    [[ -z $(find . -name 'IMB_out*') ]] || fail "left: $(find . -name 'IMB_out*')"
}

@test "IMB's captured runs of IMB-IO" {
    as_captured $(names io 'io_default_list|check')
    nothing_left
}

# rows_of SAMPLE SIZE...: the sample with the rows of these sizes alone.
rows_of() {
    awk -v sizes=" ${*:2} " '/^ +[0-9]/ && NF > 4 && !index(sizes, " " $1 " ") || /^ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+$/ && !index(sizes, " " $1 " ") { next } 1' \
        "$SAMPLES/$1.txt"
}

@test "IMB's captured run of the default list: two of its sizes" {
    rows_of io_default_list 0 4096 | sed 's/-msglog 0:12/-msglog 12:12/' >sample
    mpi 2 -msglog 12:12 -iter 20 >out
    "$TESTS/imb-compare" sample out
    "$TESTS/imb-formulas" out
    nothing_left
}

@test "IMB's captured run of the default list: all sizes of the blocking benchmarks" {
    local blocking
    blocking=$(all_of IO | grep -v '_I')
    # Without the tables, the list's lines and the header's block of the nonblocking ones.
    awk '/^# For nonblocking/ { skip = 1 } /^#---/ && getline next_line { skip = next_line ~ /Benchmarking ._I/
            line = $0; if (!skip) { print line; print next_line } next } skip || /^# ._I/ { next } 1' \
        "$SAMPLES/io_default_list.txt" | cat -s >sample
    mpi 2 -msglog 0:12 -iter 20 -exclude $(all_of IO | grep _I | paste -sd,) | cat -s >out
    sed -i 's/ -exclude .*//' out
    "$TESTS/imb-compare" sample out
    "$TESTS/imb-formulas" out
    [[ $(grep -c '^# Benchmarking' out) == 50 && -n $blocking ]]
}

@test "IMB's captured run with checking, as far as it came" {
    sed 's/ C_Read_Shared Open_Close//; /^# C_Read_Shared\|^# Open_Close/d' "$SAMPLES/check_io_priv.txt" |
        awk '/Benchmarking C_Read_Shared/ { exit } { print last; last = $0 }' | sed 1d | head -n -1 >sample
    printf '\n\n# All processes entering MPI_Finalize\n\n\n' >>sample
    mpi 2 -msglog 0:4 -iter 5 -check S_Write_Indv P_Read_Priv P_Read_Indv >out
    sed -i 's/ -check//' out
    "$TESTS/imb-compare" sample out
}

# calls_agree_on PROCESSES MODE BENCHMARK...
calls_agree_on() {
    local n
    rm -f 4.* 8.*
    for n in 4 8; do
        mpi "$1" COUNT_FILE="$PWD/$n" "$(shim count)" -npmin 2 -aggregate_mode "$2" -msglen length -iter $n,40,$n \
            "${@:3}" >/dev/null
    done
    "$TESTS/imb-calls" "$TESTS/fixtures/imb/calls.txt" "IMB-IO -aggregate_mode $2 -npmin 2" 8 4 8 "${@:3}"
}

@test "MPI calls per repetition are IMB's, in both modes" {
    echo 16 >length
    calls_agree_on 2 aggregate $(all_of IO | grep -v ^S)
    calls_agree_on 2 non_aggregate $(all_of IO | grep '^[PC]_W')
    calls_agree_on 1 aggregate $(all_of IO | grep ^S)
    calls_agree_on 1 non_aggregate $(all_of IO | grep ^S_W)
}

@test "-check finds a damaged byte in every benchmark, in every mode" {
    local call wanted
    for call in read write; do
        wanted=$(all_of IO | grep -i "_I*$call")
        run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=${call}s FILE_ACTION=flip FILE_EVERY=3 \
            -npmin 2 -msglog 6:6 -check -iter 7 $wanted
        [[ $status == 1 ]] || fail "status $status"
        echo "$output" >out
        [[ $(defects out 1) == "$wanted" ]] || fail "with defects: $(defects out 1)" || return
        [[ $(grep -c '^# Benchmarking' out) == $(grep -c ' [1-9][0-9]*\.00$' out) ]] || fail "$(<out)" || return
        grep -q 'data error: .* rank [01]: byte .* instead of .* in the file' <<<"$stderr"
    done
    nothing_left
}

@test "-check finds one single damaged byte, on any process, in a probe or timed repetition" {
    local name call rank number
    for name in P_Write_Shared C_Write_Indv P_IRead_Shared; do
        call=writes
        [[ $name == *Read* ]] && call=reads
        for rank in 0 1; do
            for number in 1 3 9; do # 1 + 5 probes, 5 timed
                run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=$call FILE_ACTION=flip FILE_RANK=$rank \
                    FILE_NUMBER=$number -npmin 2 -msglog 6:6 -check -iter 5 -aggregate_mode aggregate $name
                [[ $status == 1 && $(grep -c ' 1\.00$' <<<"$output") == 1 ]] ||
                    fail "$name, rank $rank, call $number" "$output" || return
            done
        done
    done
}

@test "-check finds nothing in clean runs: numbers of processes, groups, maps, odd sizes, releases" {
    clean 1 -msglog 0:4
    clean 2 -msglog 11:12
    printf '%s\n' 1 3 6 7 30 1001 >lengths
    clean 3 -msglen lengths -npmin 3 -aggregate_mode aggregate
    clean 4 -msglog 5:5 -npmin 2 -multi 0 -map 2x2 -aggregate_mode non_aggregate
    clean 3 -msglog 5:5 -multi 1 P_Write_Shared P_IRead_Shared P_Write_Priv C_IWrite_Indv S_Read_Expl
    clean 2 -msglog 4:4 -compat 3.0
    nothing_left
}

@test "reads never reach past the end of a file, with IMB's default sizes and repetitions" {
    mpi 2 "$(shim file_fault)" FILE_LOG="$PWD/log" -check -time 0.1 \
        $(all_of IO | grep _Read) >out 2>err || grep -q time-out out
    mpi 2 "$(shim file_fault)" FILE_LOG="$PWD/log" -iter_policy off -iter 60 -msglog 8:18 \
        P_Read_Shared C_IRead_Indv P_IRead_Priv S_Read_Expl >out
    [[ $(grep -c '^reads [1-9][0-9]* short 0$' log.0) == 2 ]] || fail "$(grep reads log.*)"
}

@test "-multi and a private file give files their names; all are removed" {
    mpi 4 "$(shim yield) $(shim file_fault)" true 2>/dev/null || true
    run mpi 4 LD_PRELOAD="$BUILD/tests/shims/yield.so:$BUILD/tests/shims/file_fault.so" FILE_LOG="$PWD/log" \
        -multi 0 -npmin 2 -msglog 4:4 -iter 2 P_Write_Indv P_Write_Priv Open_Close S_Write_Expl
    [[ $status == 0 ]]
    [[ $(sort -u log.3 | grep IMB | xargs) == 'IMB_out_g0 IMB_out_g1 IMB_out_g1_3 IMB_out_g3_3' ]] ||
        fail "$(sort -u log.3)"
    rm log.*
    mpi 2 "$(shim file_fault)" FILE_LOG="$PWD/log" -npmin 2 -msglog 4:4 -iter 2 C_Read_Expl P_Read_Priv >out
    [[ $(sort -u log.1 | grep IMB | xargs) == 'IMB_out IMB_out_1' ]] || fail "$(sort -u log.1)"
    nothing_left
}

@test "-compat 3.0: its numbers, headings and units" {
    mpi 2 -compat 3.0 -msglog 0:20 -npmin 2 C_Write_Shared Open_Close >out
    "$TESTS/imb-formulas" out 1048576
    grep -q '^       #bytes #repetitions  t_min\[usec\]        t_max        t_avg       Mb/sec$' out
    [[ $(awk '$1 == 1048576 { print $2 }' out | xargs) == '16 10' && $(awk '$1 == 0 { print $2 }' out | xargs) == '50 10' ]]
    BEFF=$BUILD/IMB-IO mpi 1 COUNT_FILE="$PWD/count" "$(shim count)" -compat 3.0 -msglog 4:4 -iter 10 S_Write_Indv >out
    grep -q 'File_sync 13 ' count.0 || grep -o 'File_sync [0-9]*' count.0
}

@test "-prot and -json hold every row, and MPI-IO's hints" {
    mpi 2 -iter 5 -msglog 0:3 -prot run.prot -json run.json -raw P_Write_Indv C_IRead_Expl >out
    inspect run.prot 'p.sealed and p.end == "complete"' 'p.meta["component"] == "IO" and "cb_" in p.meta["hints_in_force"]' \
        'sum(r["repetition"] == 0 for r in p.records) == 2 * 2 * 5 + 2 * 5' \
        'all(math.isclose(r["bandwidth"], r["bytes"] / r["t_max"] / 1e6) for r in p.records if "_W" in r["benchmark"])'
    inspect run.json 'p["result"]["errors"] == 0'
}
