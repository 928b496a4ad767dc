#!/usr/bin/env bats
# imb_compat's command line: refusals, help, lists and selection.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
BEFF=$BUILD/IMB-MPI1 # the program that mpi starts

# Rows `arguments | words that the line on standard error must contain`; {} is the folder of input files.
refused='
-help nosuch                              | nosuch
-nosuchoption PingPong                    | -nosuchoption
--nosuchoption                            | --nosuchoption
NoSuchBench                               | "NoSuchBench" -list
NoSuchBench PingPong                      | "NoSuchBench"
PingPong,NoSuchBench                      | "NoSuchBench"
-include NoSuch                           | -include "NoSuch"
-include NoSuch PingPong                  | -include "NoSuch"
-exclude NoSuch PingPong                  | -exclude "NoSuch"
-exclude PingPong PingPong                | -exclude
PingPong -npmin                           | -npmin value
-npmin -multi 0 PingPong                  | -npmin "-multi"
-npmin abc PingPong                       | -npmin "abc"
-npmin 2abc PingPong                      | -npmin "2abc"
-npmin 0 PingPong                         | -npmin "0"
-npmin -1 PingPong                        | -npmin "-1"
-multi on PingPong                        | -multi "on"
-multi 7 PingPong                         | -multi "7"
-map 0x0 PingPong                         | -map "0x0"
-prot x -json x PingPong                  | -prot -json "x"
PingPog                                   | PingPog PingPong?
Ibcast                                    | Ibcast IMB-NBC
-time soon PingPong                       | -time "soon"
-time 0 PingPong                          | -time "0"
-time -1 PingPong                         | -time "-1"
-time nan PingPong                        | -time "nan"
-time inf PingPong                        | -time "inf"
-mem 0 PingPong                           | -mem "0"
-mem -1 PingPong                          | -mem "-1"
-iter lots PingPong                       | -iter "lots"
-iter 1,2,3,4 PingPong                    | -iter "1,2,3,4"
-iter 1,,2 PingPong                       | -iter "1,,2"
-iter , PingPong                          | -iter ","
-iter 0 PingPong                          | -iter "0"
-iter -7 PingPong                         | -iter "-7"
-iter 2.5 PingPong                        | -iter "2.5"
-iter 20, PingPong                        | -iter "20,"
-off_cache big PingPong                   | -off_cache "big"
-off_cache 1,2,3 PingPong                 | -off_cache "1,2,3"
-off_cache 16,1.5 PingPong                | -off_cache 1.5 line
-off_cache 16,0 PingPong                  | -off_cache line
-off_cache -2 PingPong                    | -off_cache
-msglog 1:2:3 PingPong                    | -msglog "1:2:3"
-msglog 5:2 PingPong                      | -msglog 5:2
-msglog 0:31 PingPong                     | -msglog "0:31"
-msglog -1:3 PingPong                     | -msglog "-1:3"
-msglog : PingPong                        | -msglog ":"
-map 2,1 PingPong                         | -map "2,1"
-map axb PingPong                         | -map "axb"
-map 3x3 PingPong                         | -map 3x3 processes
-map 2 PingPong                           | -map "2"
-map -2x-1 PingPong                       | -map "-2x-1"
-map 3x2 PingPong                         | -map 3x2
-sync maybe PingPong                      | -sync "maybe" on off
-sync On PingPong                         | -sync "On"
-msglen nosuchfile PingPong               | -msglen nosuchfile
-msglen {}/empty.txt PingPong             | -msglen empty.txt
-msglen {} PingPong                       | -msglen
-msglen {}/lengths_garbage.txt PingPong   | lengths_garbage.txt 2 "abc"
-msglen {}/lengths_negative.txt PingPong  | lengths_negative.txt 2 "-5"
-msglen {}/lengths_badsuffix.txt PingPong | lengths_badsuffix.txt 1
-msglen {}/lengths_float.txt PingPong     | lengths_float.txt "16.5"
-msglen {}/lengths_spaces.txt PingPong    | lengths_spaces.txt 2
-msglen {}/lengths_overflow.txt PingPong  | lengths_overflow.txt "99999999999"
-msglen {}/lengths_overflow2.txt PingPong | lengths_overflow2.txt "3000M"
-msgsize abc PingPong                     | -msgsize "abc"
-msgsize 99999999999 PingPong             | -msgsize "99999999999"
-msgsize -4 PingPong                      | -msgsize "-4"
-msgsize 4,x PingPong                     | -msgsize "x"
-msgsize 4x PingPong                      | -msgsize "4x"
-input nosuchfile                         | -input nosuchfile
-input {}/empty.txt                       | -input empty.txt
-input {}/input_comments.txt              | -input input_comments.txt
-input {}                                 | -input
-input {}/input_bad.txt                   | input_bad.txt 2 "NoSuchBench"
-input {}/input_longname.txt              | input_longname.txt 1
-data_type complex PingPong               | -data_type "complex" double
-red_data_type byte Allreduce             | -red_data_type "byte" float
-contig_type odd PingPong                 | -contig_type "odd" resize_vec
-iter_policy nosuch PingPong              | -iter_policy "nosuch" dynamic
-thread_level wrong PingPong              | -thread_level "wrong" single
-thread_level nompinit PingPong           | -thread_level "nompinit"
-thread_level nompiinit PingPong          | -thread_level "nompiinit"
-window_size 0 Uniband                    | -window_size "0"
-window_size -3 Uniband                   | -window_size "-3"
-compat 4 PingPong                        | -compat "4" 2021 3.0
-time-total 0 PingPong                    | -time-total "0"
-raw PingPong                             | -raw -json -prot
-aggregate_mode multi PingPong            | -aggregate_mode
'

@test "bad input is refused with status 2 and one line on standard error; nothing else is printed, and nothing is measured" {
    local row
    while read -r row; do
        [[ -z $row ]] || check_refusal "$row" "$MPIEXEC" -n 2 "$BEFF"
    done <<<"$refused"
    directory_is_empty
}

@test "bad input is also refused without a launcher" {
    local row
    for row in '-nosuchoption | -nosuchoption' 'NoSuchBench | "NoSuchBench"' '-npmin 0 | -npmin'; do
        check_refusal "$row" "$BEFF"
    done
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

@test "options of other components and unknown components are refused" {
    run --separate-stderr "$BUILD/IMB-NBC" -window_size 4
    [[ $status == 2 ]]
    is_one_line "$stderr" "IMB-NBC: " -window_size
    run --separate-stderr "$BUILD/IMB-NBC" -compat 3.0
    [[ $status == 2 ]]
    is_one_line "$stderr" 3.0
    run --separate-stderr "$BUILD/imb_compat" nonsense
    [[ $status == 2 && -z $output ]]
    is_one_line "$stderr" 'unknown component "nonsense"' MPI1 EXT IO NBC RMA MPI4 MT P2P
    run --separate-stderr "$BUILD/imb_compat"
    [[ $status == 2 ]]
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

@test "if an option is repeated, the last one counts, even if its value is a list" {
    run mpi 2 -iter 20,4 -iter 30 -msglog 1:2 -msglog 3:3 -include Bcast -include PingPing PingPong -iter_policy off
    [[ $status == 0 && $output == *'# PingPing'*'# PingPong'* && $output != *'# Bcast'* ]]
    [[ $(grep -c '^ .* 30 ' <<<"$output") == 4 && $output == *'            8 '* ]]
}

@test "commas may separate the names of benchmarks anywhere" {
    run mpi 2 -iter 2 -msglog 0:0 PingPong Allreduce,Bcast
    [[ $status == 0 && $(grep -c '^# Benchmarking' <<<"$output") == 3 ]]
}

@test "sizes may have suffixes; sizes above 2^max are reduced, with a note" {
    run mpi 2 -iter 2 -msgsize 1k,2K,1M -msglog 0:12 PingPong
    [[ $status == 0 && $output == *'         1024 '*'         2048 '*'         4096 '* ]]
    grep -q '^# note: listed sizes above 4096 (the largest was 1048576)' <<<"$output"
}

@test "if a requested benchmark cannot be measured, the status is 1; if none has enough processes, the status is 3" {
    run mpi 2 -msglog 18:20 -iter 3 -mem 0.001 PingPong PingPong Sendrecv
    [[ $status == 1 && $(grep -c 'out-of-mem' <<<"$output") == 3 ]]
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

@test "a time limit skips only the measurements that it affects" {
    run mpi 2 -msglog 20:22 -iter 5 -time 0.0001 -npmin 1 Allreduce Barrier
    [[ $status == 1 && $(grep -c '^# Benchmarking' <<<"$output") == 4 ]]
    grep -q '^ *[0-9]* time-out.; ' <<<"$output"
    grep -q '^# note: not measured for sizes' <<<"$output"
}

@test "-time-total limits the whole run and lists skipped benchmarks" {
    local begin=$EPOCHREALTIME
    run mpi 2 -time-total 1 -iter 1000000,100000 -iter_policy dynamic Alltoall Bcast
    at_most "$(since "$begin")" 8
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
