#!/usr/bin/env bats
# IMB-EXT and IMB-RMA: layout, calls per repetition, checking, refusals.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
BEFF=$BUILD/IMB-RMA # the program that mpi starts

@test "the output agrees with captured runs of IMB-EXT" {
    as_captured $(names 'ext' '^(check|off|list)|default_list')
}

@test "the output agrees with captured runs of IMB-EXT: -check, -off_cache, lists" {
    as_captured $(names '^(check|off|list).*ext')
}

@test "the output agrees with captured runs of IMB-EXT: the default list" {
    as_captured ext_default_list
}

@test "the output agrees with captured runs of IMB-RMA on 2 processes" {
    as_captured $(names 'rma' '^(np|check)|default_list')
}

@test "the output agrees with captured runs of IMB-RMA: the default list" {
    as_captured rma_default_list
}

@test "the output agrees with captured runs of IMB-RMA: -check, and 4 processes" {
    as_captured $(names '^(np.*|check_)rma')
}

@test "the MPI calls per repetition are the same as in IMB, in both modes" {
    local mode
    for mode in aggregate non_aggregate; do
        calls_agree IMB-EXT -aggregate_mode $mode
        calls_agree IMB-RMA -aggregate_mode $mode
    done
}

@test "-check finds a damaged byte in every one-sided benchmark" {
    finds_flips EXT 48 $(all_of EXT | grep -v Window)
    finds_flips RMA 48 $(all_of RMA)
    BEFF=$BUILD/IMB-EXT
    run --separate-stderr mpi 2 FLIP_BYTES=1 "$(shim flip_imb)" -check -time 1000 -iter 5 -msglog 4 Window
    [[ $status == 1 && $output != *defects* && $output == *'# note: wrong bytes found by -check: 2; '* ]]
    grep -q 'data error: Window, .* rank [01]: byte 0 ' <<<"$stderr"
}

@test "-check finds a single damaged byte in a checked repetition and in the last timed one" {
    local row number expected mode
    echo 48 >lengths
    for mode in aggregate non_aggregate; do
        for row in 1:1 5:1 20:0 21:1; do # 1 + 4 checked repetitions, 1 + 5 probes, 5 warm-up repetitions, 5 timed ones
            number=${row%:*} expected=${row#*:}
            run --separate-stderr mpi 2 FLIP_BYTES=48 FLIP_NUMBER=$number "$(shim flip_imb)" \
                -msglen lengths -check -time 1000 -iter 5,40,5 -aggregate_mode $mode Unidir_put
            [[ $status == "$expected" ]] || fail "call $number, $mode: status $status"
            [[ $expected == 0 ]] || grep -q ' 1\.00$' <<<"$output"
        done
    done
}

@test "-check finds nothing in clean runs of IMB-RMA with various numbers of processes, groups, maps and caches" {
    clean 1 -msglog 3:4
    clean 2 -msglog 0:4 Get_local Get_all_local
    clean 3 -msglog 3:3 -npmin 3 -include Get_all_local
    clean 4 -msglog 3:3 -npmin 4 -multi 0 -map 2x2 Bidir_put Get_accumulate Fetch_and_op Truly_passive_put
    clean 5 -msglog 3:3 -multi 1 All_put_all One_get_all Exchange_put Compare_and_swap
    clean 2 -msglog 17:17 -off_cache 1 Unidir_put All_get_all Exchange_get Get_accumulate Compare_and_swap
    clean 2 -msglog 22:22 -iter 20,400 -aggregate_mode aggregate Unidir_put # more repetitions than places in the buffer
}

@test "-check finds nothing in clean runs of IMB-EXT with various numbers of processes, groups, maps and caches" {
    BEFF=$BUILD/IMB-EXT
    clean 1 -msglog 3:4
    clean 3 -msglog 3:3 -npmin 3
    clean 4 -msglog 3:3 -multi 1 -map 2x2 Window Bidir_Get Accumulate
    clean 2 -msglog 17:17 -off_cache 1
    clean 3 -msglog 3:4 -npmin 3 -compat 3.0
}

@test "-compat 3.0: IMB-EXT has all sizes, MB of 2^20 bytes, and one fence after an accumulate" {
    BEFF=$BUILD/IMB-EXT
    mpi 2 -compat 3.0 -msglog 0:4 -iter 5 >out
    "$TESTS/imb-formulas" --megabyte 1048576 out
    [[ $(awk '/Benchmarking/ { name = $3 } name == "Bidir_Put" && $2 == 5 { print $1 }' out | xargs) == \
        '0 1 2 4 8 16 0 1 2 4 8 16' ]]
    local n fences=()
    for n in 20 40; do
        mpi 2 COUNT_FILE="$PWD/$n" "$(shim count)" -compat 3.0 -msglog 4:4 -iter $n,40,$n -aggregate_mode non_aggregate \
            Accumulate >out
        fences+=("$(awk '{ for (i = 1; i < NF; i++) if ($i == "Win_fence") sum += $(i + 1) } END { print sum }' $n.0)")
    done
    ((fences[1] - fences[0] == 40)) # 20 more repetitions of two sizes
}

@test "if memory is insufficient for one mode, benchmark or size, all others are measured" {
    run mpi 2 -msglog 18:20 -iter 3 -mem 0.001 Unidir_put Bidir_put
    [[ $status == 1 && $(grep -c '^# Benchmarking' <<<"$output") == 4 ]]
    [[ $(grep -c 'out-of-mem.; needed X=   0.003 GB' <<<"$output") == 4 && $(grep -cE '^ +524288 +3 ' <<<"$output") == 4 ]]
}

@test "the bandwidth of a put to all processes counts only one message, with a note" {
    mpi 3 -iter 3 -msglog 4:4 -npmin 3 One_put_all All_put_all Get_all_local >out
    [[ $(grep -c '^# note: Mbytes/sec counts only one of the 2 messages of a repetition$' out) == 2 ]]
    "$TESTS/imb-formulas" out
}

@test "records contain the mode; only origins have a time; transfers that are completed together have no individual times" {
    mpi 2 -iter 6,40,4 -msglog 0:1 -prot run.prot -raw Unidir_put One_put_all Truly_passive_put All_put_all >out
    inspect run.prot \
        '[r["mode"] for r in p.records if r["benchmark"] == "Unidir_put" and not r["repetition"]] == 3 * ["NON-AGGREGATE"] + 3 * ["AGGREGATE"]' \
        'all(r["t_min"] == r["t_avg"] == r["t_max"] for r in p.records if r["benchmark"] != "All_put_all")' \
        'sum(r["repetition"] > 0 for r in p.records) == 3 * 4 + 3 * 6' \
        'all(0 < r["t_pure"] < 1 and r["mode"] == "-" for r in p.records if r["benchmark"].startswith("Truly") and not r["repetition"])'
    [[ $(grep -c '^# note: -raw: ' out) == 3 ]]
}

@test "invalid options and benchmarks are refused once, with status 2" {
    local row
    for row in '-aggregate_mode nosuch Unidir_put | -aggregate_mode "nosuch" multi aggregate non_aggregate' \
        '-aggregate_mode | -aggregate_mode value' '-zero_size off | -zero_size' '-msgsize 4 | -msgsize' \
        '-data_type int | -data_type' '-window_size 3 | -window_size' 'NoSuch | "NoSuch" IMB-RMA' '-include NoSuch | -include' \
        'Window | Window IMB-EXT' '-compat 3.0 | 3.0' '-iter 20,40,0 | -iter "0"'; do
        check_refusal "$row" "$BEFF"
    done
    BEFF=$BUILD/IMB-EXT
    for row in '-sync on | -sync' '-root_shift on | -root_shift' '-zero_size off | -zero_size' 'Put_local | Put_local IMB-RMA' \
        '-exclude Window,Unidir_Get,Unidir_Put,Bidir_Get,Bidir_Put,Accumulate | -exclude'; do
        check_refusal "$row" "$BEFF"
    done
    directory_is_empty
    local option
    for option in npmin multi off_cache iter iter_policy time aggregate_mode mem msglen map msglog imb_barrier warm_up \
        msg_pause thread_level input include exclude list help; do
        "$BUILD/IMB-EXT" -help | grep -q -- "^ *-$option\b" || fail "-$option is missing"
        "$BUILD/IMB-RMA" -help | grep -q -- "^ *-$option\b" || fail "-$option is missing"
    done
}
