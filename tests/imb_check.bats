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

# finds_stale COMPONENT ACTION: checks that -check finds in every benchmark if all transfers but the first deliver nothing, or
# the first data again.
finds_stale() {
    echo 40 >lengths
    BEFF=$BUILD/IMB-$1
    # shellcheck disable=SC2046 # word splitting is intended
    run --separate-stderr mpi 2 FLIP_ACTION="$2" FLIP_BYTES=40 FLIP_NUMBER=2 FLIP_EVERY=1 "$(shim flip_imb)" -msglen lengths -check \
        -time 1000 -iter 20 $(transferring "$1" | grep -v Window)
    [[ $status == 1 ]] || fail "$1, $2: status $status" || return
    echo "$output" >out
    [[ -z $(defects out 0) && $(defects out 1) == $(transferring "$1" | grep -v Window) ]] || fail "$1, $2: missed: $(defects out 0)"
}

@test "-check finds transfers that deliver nothing or old data from the second one on, in every benchmark" {
    local action component
    for action in drop repeat; do
        for component in MPI1 NBC MPI4 EXT RMA; do
            finds_stale $component $action || return
        done
    done
}

# finds_stale_alone PROCESSES PROGRAM BENCHMARK ARGUMENT...: like finds_stale, for one benchmark without the column `defects`, and
# with the shim's settings in the array `fault`.
finds_stale_alone() {
    BEFF=$BUILD/IMB-$2
    run --separate-stderr mpi "$1" "${fault[@]}" "${@:4}" "$3"
    [[ $status == 1 && $stderr == *'data error: '"$3"* ]] || fail "$3, ${fault[*]}: status $status"
}

@test "-check finds old data in every benchmark of IMB-MT, IMB-P2P and IMB-IO" {
    local action name fault
    for action in drop repeat; do
        fault=(FLIP_ACTION=$action FLIP_BYTES=40 FLIP_NUMBER=2 FLIP_EVERY=1 "$(shims yield flip_imb)")
        for name in $(transferring MT); do
            finds_stale_alone 2 MT "$name" -check on -count 10 -repeat 20 || return
        done
        for name in $(transferring P2P); do
            finds_stale_alone 8 P2P "$name" -check -msgsz 40 -iter 20 -pause 0 || return
        done
    done
    for name in $(all_of IO | grep -v Open_Close); do
        action=reads
        [[ $name != *Write* ]] || action=writes
        fault=(FILE_ACTION=lose FILE_CALL=$action FILE_RANK=-1 FILE_NUMBER=2 FILE_EVERY=1 "$(shim file_fault)")
        finds_stale_alone 2 IO "$name" -check -npmin 2 -msglog 6:6 -iter 20 || return
    done
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
