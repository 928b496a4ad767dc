#!/usr/bin/env bats
# imb_compat -check, in every benchmark that the program lists: finds what is wrong, and nothing where nothing is.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; words

load helpers
BEFF=$BUILD/IMB-MPI1 # what mpi starts

all_of() {
    "$BUILD/IMB-$1" -list | awk '/^    [^ ]/ { print $1 }'
}

# defects FILE 0|1: the benchmarks that have a row without wrong data (0), or one with (1).
defects() {
    awk -v wanted="$2" '/^# Benchmarking/ { name = $3; sub("Multi-", "", name); seen = 0 } /defects$/ { seen = 1 }
        seen && $NF ~ /^[0-9.]+$/ && ($NF > 0) == wanted { print name }' "$1" | uniq
}

# transferring COMPONENT: all of its benchmarks that transfer something.
transferring() {
    all_of "$1" | grep -vi barrier
}

# finds_flips COMPONENT ARGUMENT...: in every benchmark.
finds_flips() {
    echo 48 >lengths
    BEFF=$BUILD/IMB-$1
    # shellcheck disable=SC2046 # words
    run --separate-stderr mpi 2 FLIP_BYTES=48 FLIP_EVERY=7 "$(shim flip_imb)" -msglen lengths -check -iter 5 "${@:2}" $(all_of "$1")
    [[ $status == 1 ]] || fail "status $status"
    echo "$output" >out
    [[ $(defects out 1) == $(transferring "$1") ]] || fail "without defects: $(defects out 0)"
    grep -q 'data error: .* rank [01]: byte .* instead of' <<<"$stderr"
}

@test "-check finds a damaged byte in every benchmark of IMB-MPI1, whatever its data" {
    finds_flips MPI1
    finds_flips MPI1 -data_type double -red_data_type int
    finds_flips MPI1 -data_type char -contig_type resize_vec -red_data_type char
    finds_flips MPI1 -root_shift on -off_cache 1
}

@test "-check finds a damaged byte in every benchmark of IMB-NBC" {
    finds_flips NBC
    finds_flips NBC -root_shift on
}

@test "-check finds one single damaged byte, in a probe, warm-up or timed repetition, and a damaged answer" {
    local number
    for number in 1 4 9 14; do # 1 + 5 probes, 5 to warm up, 5 timed
        run --separate-stderr mpi 2 FLIP_BYTES=48 FLIP_NUMBER=$number "$(shim flip_imb)" -msgsize 48 -check -iter 5 Allgather
        [[ $status == 1 ]] || fail "call $number"
        grep -q ' [1-9]\.00$' <<<"$output"
    done
    run --separate-stderr mpi 2 FLIP_BYTES=1 FLIP_NUMBER=3 "$(shim flip_imb)" -msgsize 48 -check -iter 5 Uniband
    [[ $status == 1 ]]
}

# clean COMPONENT PROCESSES ARGUMENT...: every benchmark, on all processes, has rows, and nothing is found.
clean() {
    BEFF=$BUILD/IMB-$1
    # shellcheck disable=SC2046 # words
    run --separate-stderr mpi "$2" "$(shim yield)" -check -iter 4 -warm_up off -npmin "$2" "${@:3}" $(all_of "$1")
    [[ $status == 0 ]] || fail "$*: status $status" "$stderr" || return
    echo "$output" >out
    [[ -z $(defects out 1) ]] || fail "$*: $(defects out 1)" || return
    [[ $(defects out 0) == $(transferring "$1") ]] || fail "$*: only $(defects out 0)"
}

@test "-check finds nothing in clean runs of IMB-MPI1: numbers of processes, groups, maps, roots" {
    clean MPI1 2 -msglog 0:6
    clean MPI1 3 -msglog 3:4
    clean MPI1 3 -msglog 3:4 -root_shift on
    clean MPI1 4 -msglog 3:3 -multi 0 -map 2x2
    clean MPI1 5 -msglog 3:3 -multi 1
    clean MPI1 2 -msgsize 65536,100000 -off_cache 1
    clean MPI1 3 -msglog 3:4 -compat 3.0
}

@test "-check finds nothing in clean runs of IMB-NBC: numbers of processes, groups, maps, roots" {
    clean NBC 2 -msglog 0:5
    clean NBC 3 -msglog 3:4 -root_shift on
    clean NBC 4 -msglog 3:3 -multi 1 -map 2x2
    clean NBC 5 -msglog 3:3 -multi 0
}

@test "-check finds nothing in clean runs: all data types and layouts" {
    local type
    for type in char int float double; do
        clean MPI1 2 -msglog 3:5 -data_type $type -red_data_type $type
    done
    clean MPI1 3 -msglog 3:4 -data_type int -red_data_type double
    for type in base_vec resize resize_vec; do
        clean MPI1 2 -msglog 3:5 -data_type int -contig_type $type
    done
}
