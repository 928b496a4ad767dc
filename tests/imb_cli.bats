#!/usr/bin/env bats
# imb_compat's command line: refusals, help, lists and selection.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
BEFF=$BUILD/IMB-MPI1 # the program that mpi starts

# Rows `arguments | words that the line on standard error must contain`; {} is the folder of input files. The unit tests of the
# settings and of the selection have more.
refused='
-help nosuch                              | nosuch
-nosuchoption PingPong                    | -nosuchoption
--nosuchoption                            | --nosuchoption
PingPong,NoSuchBench                      | "NoSuchBench"
-npmin -multi 0 PingPong                  | -npmin "-multi"
-map 3x3 PingPong                         | -map 3x3 processes
-map 3x2 PingPong                         | -map 3x2
-msglen nosuchfile PingPong               | -msglen nosuchfile
-msglen {}/empty.txt PingPong             | -msglen empty.txt
-msglen {} PingPong                       | -msglen
-msglen {}/lengths_garbage.txt PingPong   | lengths_garbage.txt 2 "abc"
-msglen {}/lengths_negative.txt PingPong  | lengths_negative.txt 2 "-5"
-msglen {}/lengths_badsuffix.txt PingPong | lengths_badsuffix.txt 1
-msglen {}/lengths_float.txt PingPong     | lengths_float.txt "16.5"
-msglen {}/lengths_overflow.txt PingPong  | lengths_overflow.txt "99999999999"
-msglen {}/lengths_overflow2.txt PingPong | lengths_overflow2.txt "3000M"
-input nosuchfile                         | -input nosuchfile
-input {}/empty.txt                       | -input empty.txt
-input {}/input_comments.txt              | -input input_comments.txt
-input {}                                 | -input
-input {}/input_bad.txt                   | input_bad.txt 2 "NoSuchBench"
-input {}/input_longname.txt              | input_longname.txt 1
-thread_level nompinit PingPong           | -thread_level "nompinit"
-thread_level nompiinit PingPong          | -thread_level "nompiinit"
-aggregate_mode multi PingPong            | -aggregate_mode
'

@test "bad input is refused with status 2 and one line on standard error; nothing else is printed, and nothing is measured" {
    local row rows
    mapfile -t rows <<<"$refused" # not in a loop of read, because the launcher would read the other rows
    for row in "${rows[@]}"; do
        [[ -z $row ]] || check_refusal "$row" "$MPIEXEC" -n 2 "$BEFF"
    done
    directory_is_empty
}

@test "a map that does not use all processes is refused" {
    check_refusal '-map 2x2 -iter 1 -msglog 2:2 Allreduce | -map 2x2 processes 5' "$MPIEXEC" -n 5 "$BEFF"
    check_refusal '-map 2x2 -iter 1 -msglog 2:2 PingPong  | -map 2x2 processes 6' "$MPIEXEC" -n 6 "$BEFF"
}

@test "an empty argument is refused" {
    run --separate-stderr "$BEFF" ''
    [[ $status == 2 && -z $output ]]
    is_one_line "$stderr" empty
}

@test "help works anywhere on the line and is printed once, on standard output, with status 0" {
    local line
    for line in -help --help -h 'PingPong -help' '-npmin 0 -help' '-nosuch --help'; do
        # shellcheck disable=SC2086 # word splitting is intended
        run --separate-stderr mpi 2 $line
        [[ $status == 0 && -z $stderr && $(grep -c '^Usage: IMB-MPI1 ' <<<"$output") == 1 ]] || fail "$line: $stderr"
    done
    local option
    for option in npmin multi map input include exclude list msglen msgsize msglog iter iter_policy time mem off_cache \
        root_shift sync imb_barrier data_type red_data_type contig_type zero_size warm_up msg_pause window_size \
        thread_level help compat check json prot force raw time-total; do
        grep -q -- "^ *-$option\b" <<<"$output" || fail "-$option is missing"
    done
    run --separate-stderr "$BEFF" -help msglog
    [[ $status == 0 && ${lines[0]} == *-msglog* && $output != *-npmin* ]]
}

@test "imb_compat COMPONENT and IMB-COMPONENT list the same benchmarks" {
    local component

    for component in MPI1 EXT IO NBC RMA MPI4 MT P2P; do
        "$BUILD/imb_compat" $component -list >one
        "$BUILD/IMB-$component" -list >other
        cmp one other
    done
    [[ $("$BUILD/imb_compat" --help) == *MPI1*NBC* ]]
    [[ $("$BUILD/imb_compat" --version) == imb_compat* ]]
}

@test "-list prints the list once, wherever the option is on the command line" {
    mpi 1 -list >one
    mpi 2 PingPong -list >two
    cmp one two
    [[ $(grep -c '^    ' one) == 25 && $("$BUILD/IMB-NBC" -list | grep -c '^    ') == 26 ]]
}

@test "if a requested benchmark cannot be measured, the status is 1; if none has enough processes, the status is 3" {
    run mpi 1 -iter 2 -msglog 0:1 PingPong Allreduce
    [[ $status == 1 && $output == *'# !! Benchmark PingPong invalid for 1 processes !!'* ]]
    local name
    for name in PingPong Uniband; do
        run --separate-stderr mpi 1 -iter 2 -msglog 0:1 $name
        [[ $status == 3 ]]
        is_one_line "$stderr" "IMB-MPI1: " "$name" "at least 2 processes required (1 started)"
    done
    run --separate-stderr mpi 1 -iter 2 -msglog 0:1 Uniband Allreduce
    [[ $status == 1 ]]
    is_one_line "$stderr" Uniband
    run --separate-stderr mpi 2 -msglog 20:20 -iter 3 -mem 0.001 PingPong
    [[ $status == 1 ]]
    is_one_line "$stderr" "partial (sizes and tables skipped: 1"
    run --separate-stderr mpi 1 -iter 2 -msglog 0:1
    [[ $status == 0 && -z $stderr ]]
}

@test "-time-total limits the whole run and lists skipped benchmarks" {
    local begin=$EPOCHREALTIME
    run mpi 2 -time-total 1 -iter 1000000,100000 -iter_policy dynamic Alltoall Bcast
    at_most "$(since "$begin")" 12
    [[ $status == 1 ]]
    grep -q '^# note: .*: the time limit of the whole run (-time-total) has been reached\|the time limit was reached; hung while ' <<<"$output"
}

@test "programs may have longer names; -check takes on and off everywhere; IMB-P2P accepts -npmin" {
    local name words
    for name in mpitests-IMB-MPI1 IMB-MPI1-fj imb-mpi1; do
        ln -s "$BUILD/imb_compat" $name
        [[ $(./$name -list) == $("$BUILD/IMB-MPI1" -list) ]] || fail "$name"
    done
    ln -s "$BUILD/imb_compat" other
    run --separate-stderr ./other PingPong
    refused_for 2 'unknown component "PingPong"' "a program's name that contains it, such as IMB-MPI1"
    for words in '-check' '-check on' '-check yes' '-check=on'; do
        # shellcheck disable=SC2086 # word splitting is intended
        mpi 2 $words -msglog 2:2 -iter 2 PingPong >out
        grep -q '^ *4 .* 0.00$' out && grep -q '#bytes.* defects$' out || fail "$words" "$(<out)" || return
    done
    mpi 2 -check off -msglog 2:2 -iter 2 PingPong >out
    ! grep -q 'defects' out
    BEFF=$BUILD/IMB-MT
    mpi 2 -check -count 1 -repeat 2 PingPongMT >out
    grep -q '^# note: wrong bytes found by -check: 0;' out
    BEFF=$BUILD/IMB-P2P
    mpi 2 -npmin 2 -msgsz 4 -iter 2 -pause 0 PingPong >out
    grep -q '# #processes = 2' out
}

@test "input files may have a byte order mark and Windows line ends; UTF-16 and gzip are named; -mem has no unit" {
    printf '\xef\xbb\xbfPingPong\r\n' >names
    printf '\xef\xbb\xbf16\r\n1K\r\n' >sizes
    mpi 2 -input names -msglen sizes -iter 2 >out
    grep -q '^# Benchmarking PingPong' out && grep -q '^ *1024 ' out
    printf '\xff\xfeP\0i\0' >names
    run --separate-stderr "$BEFF" -input names
    refused_for 2 '-input: names: the file is UTF-16: convert it'
    gzip -f sizes
    run --separate-stderr "$BEFF" -msglen sizes.gz PingPong
    refused_for 2 '-msglen: sizes.gz: the file is compressed: unpack it with gunzip'
    run --separate-stderr "$BEFF" -mem 4G PingPong
    refused_for 2 'invalid -mem "4G"' 'without a unit'
}
