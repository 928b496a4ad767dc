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
    finds_flips_with MPI1 -data_type double -red_data_type int -root_shift on -off_cache 1
    finds_flips_with MPI1 -data_type char -contig_type resize_vec -red_data_type char
}

@test "-check finds a damaged byte in every benchmark of IMB-NBC" {
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
        -time 1000 -iter 6 $(transferring "$1" | grep -v Window)
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

@test "-check finds old data in every benchmark of IMB-MT, IMB-P2P and IMB-IO" {
    local action names
    for action in drop repeat; do
        finds_in_all 2 MT FLIP_ACTION=$action FLIP_BYTES=40 FLIP_NUMBER=2 FLIP_EVERY=1 "$(shim flip_imb)" -check on -count 10 -repeat 6 || return
        finds_in_all 8 P2P FLIP_ACTION=$action FLIP_BYTES=40 FLIP_NUMBER=2 FLIP_EVERY=1 "$(shim flip_imb)" -check -msgsz 40 -iter 6 -pause 0 ||
            return
    done
    BEFF=$BUILD/IMB-IO
    for action in Read Write; do
        names=$(all_of IO | grep $action)
        # shellcheck disable=SC2086 # word splitting is intended
        run --separate-stderr mpi 2 FILE_ACTION=lose FILE_CALL="${action,}s" FILE_RANK=-1 FILE_NUMBER=2 FILE_EVERY=1 "$(shim file_fault)" \
            -check -npmin 2 -msglog 6:6 -iter 6 $names
        echo "$output" >out
        [[ $status == 1 && $(defects out 1) == "$names" ]] || fail "$action: status $status" "$output" || return
    done
}

# clean_all COMPONENT PROCESSES ARGUMENT...: runs every benchmark, only on all processes, and checks that each benchmark that
# transfers data has rows, and that no data are wrong.
clean_all() {
    BEFF=$BUILD/IMB-$1
    # shellcheck disable=SC2046 # word splitting is intended
    run --separate-stderr mpi "$2" -check -iter 4 -warm_up off -npmin "$2" "${@:3}" $(all_of "$1")
    [[ $status == 0 ]] || fail "$*: status $status" "$stderr" || return
    echo "$output" >out
    [[ -z $(defects out 1) ]] || fail "$*: $(defects out 1)" || return
    [[ $(defects out 0) == $(transferring "$1") ]] || fail "$*: only $(defects out 0)"
}

@test "-check finds nothing in clean runs of IMB-MPI1 with various processes, groups, maps, roots, data types and layouts" {
    clean_all MPI1 2 -msgsize 65536,100000 -off_cache 1
    clean_all MPI1 2 -msglog 3:5 -data_type double -red_data_type int -contig_type resize_vec
    clean_all MPI1 3 -msglog 3:4 -root_shift on -data_type int -red_data_type double -contig_type resize
    clean_all MPI1 3 -msglog 3:4 -compat 3.0
    clean_all MPI1 4 -msglog 3:3 -multi 0 -map 2x2 -data_type float -red_data_type float
    clean_all MPI1 5 -msglog 3:3 -multi 1 -data_type char -red_data_type char -contig_type base_vec
}

@test "-check finds nothing in clean runs of IMB-NBC with various numbers of processes, groups, maps and roots" {
    clean_all NBC 3 -msglog 3:4 -root_shift on
    clean_all NBC 4 -msglog 3:3 -multi 1 -map 2x2
    clean_all NBC 5 -msglog 3:3 -multi 0
}
