#!/usr/bin/env bats
# imb_compat's command line: refusals, help, lists and selection.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
BEFF=$BUILD/IMB-MPI1 # the program that mpi starts

@test "bad input is refused with status 2 and one line on standard error; nothing else is printed, and nothing is measured" {
    local row
    # The unit tests of the options, the selection and the sizes have more; {} is the folder of input files.
    for row in '-help nosuch | nosuch' '--nosuchoption | --nosuchoption' '-npmin -multi 0 PingPong | -npmin "-multi"' \
        '-msglen nosuchfile PingPong | -msglen nosuchfile' '-msglen {} PingPong | -msglen' \
        '-msglen {}/lengths_overflow.txt PingPong | lengths_overflow.txt "99999999999"' '-input nosuchfile | -input nosuchfile' \
        '-input {}/input_comments.txt | -input input_comments.txt' '-input {} | -input' \
        '-input {}/input_longname.txt | input_longname.txt 1'; do
        check_refusal "$row" "$BEFF"
    done
    check_refusal '-nosuchoption PingPong | -nosuchoption' "$MPIEXEC" -n 2 "$BEFF"
    check_refusal '-map 3x3 PingPong | -map 3x3 processes' "$MPIEXEC" -n 2 "$BEFF"
    check_refusal '-map 2x2 -iter 1 -msglog 2:2 Allreduce | -map 2x2 processes 5' "$MPIEXEC" -n 5 "$BEFF"
    directory_is_empty
}

@test "an empty argument is refused" {
    run --separate-stderr "$BEFF" ''
    [[ $status == 2 && -z $output ]]
    is_one_line "$stderr" empty
}

@test "help works anywhere on the line and is printed once, on standard output, with status 0" {
    local line
    for line in '2 -nosuch --help' '1 --help' '1 -h' '1 PingPong -help' '1 -npmin 0 -help'; do
        # shellcheck disable=SC2086 # word splitting is intended
        run --separate-stderr mpi $line
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
    "$BEFF" -list >one
    mpi 2 PingPong -list >two
    cmp one two
    [[ $(grep -c '^    ' one) == 25 && $("$BUILD/IMB-NBC" -list | grep -c '^    ') == 26 ]]
}

@test "if a requested benchmark cannot be measured, the status is 1; if none has enough processes, the status is 3" {
    run "$BEFF" -iter 2 -msglog 0:1 PingPong Allreduce
    [[ $status == 1 && $output == *'# !! Benchmark PingPong invalid for 1 processes !!'* ]]
    local name
    for name in PingPong Uniband; do
        run --separate-stderr "$BEFF" -iter 2 -msglog 0:1 $name
        [[ $status == 3 ]]
        is_one_line "$stderr" "IMB-MPI1: " "$name" "at least 2 processes required (1 started)"
    done
    run --separate-stderr "$BEFF" -iter 2 -msglog 0:1 Uniband Allreduce
    [[ $status == 1 ]]
    is_one_line "$stderr" Uniband
    run --separate-stderr mpi 2 -msglog 20:20 -iter 3 -mem 0.001 PingPong
    [[ $status == 1 ]]
    is_one_line "$stderr" 'partial (sizes and tables skipped: 1; PingPong on 2 processes, 1048576 B: needs 0.00195 GiB, -mem allows 0.001)'
    run --separate-stderr "$BEFF" -iter 2 -msglog 0:1
    [[ $status == 0 && -z $stderr ]]
    run --separate-stderr "$BEFF" -iter 2 -msglog 0:1 -include Sendrecv,Exchange -exclude Sendrecv # and the default list
    [[ $status == 0 && -z $stderr ]]
    run --separate-stderr "$BEFF" -iter 2 -msglog 0:1 -include Sendrecv,PingPong -exclude Sendrecv
    [[ $status == 1 ]]
    is_one_line "$stderr" 'tables skipped: 1; at least 2 processes required (1 started): PingPong'
}

@test "-time-total limits the whole run and lists skipped benchmarks" {
    run mpi 2 -time-total 1 -iter 1000000,100000 -iter_policy dynamic Alltoall Bcast # much more than the machine can do in LIMIT
    [[ $status == 1 ]]
    grep -q '^# note: .*: the time limit of the whole run (-time-total) has been reached\|the time limit was reached; hung while ' <<<"$output"
}

@test "programs may have longer names" {
    local name
    for name in mpitests-IMB-MPI1 IMB-MPI1-fj imb-mpi1; do
        ln -s "$BUILD/imb_compat" $name
        [[ $(./$name -list) == $("$BUILD/IMB-MPI1" -list) ]] || fail "$name"
    done
    ln -s "$BUILD/imb_compat" other
    run --separate-stderr ./other PingPong
    refused_for 2 'unknown component "PingPong"' "a program's name that contains it, such as IMB-MPI1"
}

@test "input files may have a byte order mark and Windows line ends; UTF-16, gzip and long lines are named; -mem has no unit" {
    printf '\xef\xbb\xbfBcast\r\n' >names
    printf '\xef\xbb\xbf16\r\n1K\r\n' >sizes
    "$BEFF" -input names -msglen sizes -iter 2 >out
    grep -q '^# Benchmarking Bcast' out
    grep -q '^ *1024 ' out
    printf '\xff\xfeP\0i\0' >names
    run --separate-stderr "$BEFF" -input names
    refused_for 2 '-input: names: the file is UTF-16: convert it'
    gzip -f sizes
    run --separate-stderr "$BEFF" -msglen sizes.gz PingPong
    refused_for 2 '-msglen: sizes.gz: the file is compressed: unpack it with gunzip'
    printf '# sizes\n16%2100s\n' 32 >sizes
    run --separate-stderr "$BEFF" -msglen sizes PingPong
    refused_for 2 '-msglen: sizes, line 2 is too long: expected at most 2046 bytes'
    run --separate-stderr "$BEFF" -mem 4G PingPong
    refused_for 2 'invalid -mem "4G"' 'without a unit'
}
