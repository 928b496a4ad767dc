#!/usr/bin/env bats
# imb_compat -check, in every benchmark that the program lists: it finds wrong data and reports nothing else.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
BEFF=$BUILD/IMB-MPI1 # the program that mpi starts

# transferring COMPONENT: prints its benchmarks that transfer data.
transferring() {
    all_of "$1" | grep -vi barrier
}

# finds_flips_with COMPONENT OPTION...: checks that a damaged byte is found in every benchmark.
finds_flips_with() {
    local options=("${@:2}")
    # shellcheck disable=SC2046 # word splitting is intended
    finds_flips "$1" 48 $(transferring "$1")
}

@test "-check finds a damaged byte in every benchmark of IMB-MPI1, with several data types and options" {
    finds_flips_with MPI1
    finds_flips_with MPI1 -data_type double -red_data_type int
    finds_flips_with MPI1 -data_type char -contig_type resize_vec -red_data_type char
    finds_flips_with MPI1 -root_shift on -off_cache 1
}

@test "-check finds a damaged byte in every benchmark of IMB-NBC" {
    finds_flips_with NBC
    finds_flips_with NBC -root_shift on
}

@test "-check finds a single damaged byte in a checked repetition and in the last timed one, and a damaged answer" {
    local row number expected
    # There are 1 + 4 checked repetitions, 1 + 5 probes, 5 warm-up repetitions and 5 timed ones. Only the last timed one is compared.
    for row in 1:1 5:1 6:0 20:0 21:1; do
        number=${row%:*} expected=${row#*:}
        run --separate-stderr mpi 2 FLIP_BYTES=48 FLIP_NUMBER=$number "$(shim flip_imb)" -msgsize 48 -check -time 1000 -iter 5 Allgather
        [[ $status == "$expected" ]] || fail "call $number: status $status"
        [[ $expected == 0 ]] || grep -q ' [1-9]\.00$' <<<"$output"
    done
    run --separate-stderr mpi 2 FLIP_BYTES=1 FLIP_NUMBER=3 "$(shim flip_imb)" -msgsize 48 -check -time 1000 -iter 5 Uniband
    [[ $status == 1 ]]
}

# clean_all COMPONENT PROCESSES ARGUMENT...: runs every benchmark, only on all processes, and checks that each benchmark that
# transfers data has rows, and that no data are wrong.
clean_all() {
    BEFF=$BUILD/IMB-$1
    # shellcheck disable=SC2046 # word splitting is intended
    run --separate-stderr mpi "$2" "$(shim yield)" -check -iter 4 -warm_up off -npmin "$2" "${@:3}" $(all_of "$1")
    [[ $status == 0 ]] || fail "$*: status $status" "$stderr" || return
    echo "$output" >out
    [[ -z $(defects out 1) ]] || fail "$*: $(defects out 1)" || return
    [[ $(defects out 0) == $(transferring "$1") ]] || fail "$*: only $(defects out 0)"
}

@test "-check finds nothing in clean runs of IMB-MPI1 with various numbers of processes, groups, maps and roots" {
    clean_all MPI1 2 -msglog 0:6
    clean_all MPI1 3 -msglog 3:4
    clean_all MPI1 3 -msglog 3:4 -root_shift on
    clean_all MPI1 4 -msglog 3:3 -multi 0 -map 2x2
    clean_all MPI1 5 -msglog 3:3 -multi 1
    clean_all MPI1 2 -msgsize 65536,100000 -off_cache 1
    clean_all MPI1 3 -msglog 3:4 -compat 3.0
}

@test "-check finds nothing in clean runs of IMB-NBC with various numbers of processes, groups, maps and roots" {
    clean_all NBC 2 -msglog 0:5
    clean_all NBC 3 -msglog 3:4 -root_shift on
    clean_all NBC 4 -msglog 3:3 -multi 1 -map 2x2
    clean_all NBC 5 -msglog 3:3 -multi 0
}

@test "-check finds nothing in clean runs with all data types and layouts" {
    local type
    for type in char int float double; do
        clean_all MPI1 2 -msglog 3:5 -data_type $type -red_data_type $type
    done
    clean_all MPI1 3 -msglog 3:4 -data_type int -red_data_type double
    for type in base_vec resize resize_vec; do
        clean_all MPI1 2 -msglog 3:5 -data_type int -contig_type $type
    done
}
