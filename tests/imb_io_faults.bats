#!/usr/bin/env bats
# Faults of IMB-IO: a failure ends the run, with one line and a status, and leaves no file.
# shellcheck disable=SC2154,SC2034 # bats sets status, output, stderr; the helpers start BEFF

load helpers
load imb
BEFF=$BUILD/IMB-IO
BATS_TEST_TIMEOUT=600 LIMIT=200 # far more than the tests need, because the machine may be busy
yields

nothing_left() {
    [[ -z $(find . -name '*IMB_out*') ]] || fail "left: $(find . -name '*IMB_out*')"
}

io_said() {
    grep '^IMB-IO: ' <<<"${1-$stderr}" | grep -v oversubscribed || true
}

# fails_well WORD...: checks that the last run ended with status 1, printed one line that contains the words, and left no files.
fails_well() {
    [[ $status == 1 ]] || fail "status $status" "$output" "$stderr" || return
    is_one_line "$(io_said)" "$@" || return
    nothing_left
}

@test "a call that fails on one rank ends the run, with one line, and leaves no files" {
    local call rank benchmark row
    for row in 'write_all 0 C_Write_Indv' 'write_all 1 C_Write_Indv' 'write_ordered 1 C_Write_Shared' \
        'write_at 0 P_Write_Expl' 'read_all_begin 0 C_IRead_Indv' 'iwrite 1 P_IWrite_Priv' \
        'read_shared 0 P_Read_Shared' 'read_ordered 1 C_Read_Shared' 'sync 1 P_Write_Priv' 'open 1 P_Write_Priv' 'open 0 Open_Close'; do
        read -r call rank benchmark <<<"$row"
        run --separate-stderr mpi 2 "$(shim file_fault)" "FILE_CALL=MPI_File_$call" "FILE_RANK=$rank" \
            FILE_NUMBER=8 -npmin 2 -msglog 12:13 -iter 20 -force -prot run.prot "$benchmark"
        fails_well "MPI_File_$call failed on IMB_out" "rank $rank" "$benchmark on 2 processes" || return
        inspect run.prot 'p.end is None or "partial" in p.end' || return # no end line if the other ranks hang in the call
        grep -q '^# note: .*not measured.*a file could not be written or read' <<<"$output" ||
            [[ $stderr == *'other processes hang'* ]] || fail "$row" "$output" || return
    done
}

@test "a call that fails also gives status 1 on 4 processes, with and without groups, and leaves no files" {
    local row options call benchmark rank npmin multi
    for row in 'write_shared P_Write_Shared 1 2 0' 'read_ordered_begin C_IRead_Shared 2 2 1' \
        'write_shared P_Write_Shared 3 4 -1'; do
        read -r call benchmark rank npmin multi <<<"$row"
        options=()
        ((multi < 0)) || options=(-multi "$multi")
        run --separate-stderr mpi 4 "$(shim file_fault)" "FILE_CALL=MPI_File_$call" "FILE_RANK=$rank" FILE_NUMBER=8 \
            -npmin "$npmin" -msglog 12:12 -iter 20 "${options[@]}" "$benchmark"
        fails_well "MPI_File_$call failed on IMB_out" "rank $rank" || return
    done
}

@test "a file that cannot be closed is reported, and its size has no row" {
    # The first call closes the file after its creation.
    run --separate-stderr mpi 1 "$(shim file_fault)" FILE_CALL=MPI_File_close FILE_NUMBER=2 -msglog 4:5 -iter 4 S_Write_Expl
    fails_well 'MPI_File_close failed on IMB_out'
    ! grep -q '^ *0  *4 ' <<<"$output" || fail "$output"
}

@test "a short transfer is an error, never a fast result" {
    local call benchmark row
    for row in 'write S_Write_Indv' 'read_at S_Read_Expl' 'iread S_IRead_Indv' 'read_ordered C_Read_Shared'; do
        read -r call benchmark <<<"$row"
        run --separate-stderr mpi 1 "$(shim file_fault)" "FILE_CALL=MPI_File_$call" FILE_ACTION=short FILE_BYTES=4096 \
            FILE_NUMBER=30 -msglog 12:12 -iter 20 $benchmark
        fails_well "MPI_File_$call on IMB_out" 'transferred 2048 of 4096 bytes' || return
        ! grep -q '^ *4096 ' <<<"$output" || fail "$output" || return
    done
}

@test "a user's file with IMB's name is kept: status 3 before anything is measured" {
    local row kind name
    for row in 'file IMB_out_0' 'directory IMB_out' 'link IMB_out'; do
        read -r kind name <<<"$row"
        case $kind in
        file) echo precious >"$name" ;;
        directory) mkdir "$name" ;;
        link) ln -s elsewhere "$name" ;;
        esac
        run --separate-stderr mpi 2 -msglog 0:1 -iter 2 P_Write_Indv S_Write_Indv
        [[ $status == 3 && -z $output ]] || fail "$row: status $status"
        is_one_line "$(io_said)" "$name already exists" 'does not belong to this run'
        case $kind in
        file) [[ $(<"$name") == precious ]] ;;
        directory) [[ -d $name ]] ;;
        link) [[ -L $name && ! -e elsewhere ]] ;;
        esac
        rm -r "$name"
    done
    echo precious >IMB_out_7 # no process has this rank
    mpi 2 -msglog 0:1 -iter 2 P_Write_Indv S_Write_Indv
    [[ $(<IMB_out_7) == precious ]]
}

@test "a run whose files do not fit is refused before anything is measured, even if they exceed 2^63 bytes" {
    run --separate-stderr mpi 5 -multi 0 -iter 2147483647 -iter_policy off -msglog 30:30 S_Write_Indv
    [[ $status == 3 && -z $output ]] || fail "status $status" "$output" "$stderr"
    is_one_line "$(io_said)" 'not enough space: S_Write_Indv on 1 process takes 1152'
    directory_is_empty
}

# is_stopped PROCESSES SIGNAL FILE OPTION...: checks that a signal ends the run once FILE exists.
is_stopped() {
    start "$1" -npmin 2 -msglog 20:20 -iter 1000 -iter_policy off -force -prot run.prot "${@:4}"
    until [[ -e $3 ]]; do sleep 0.05; done
    sleep 0.5
    pass_on "$2"
    ended_within 60 || return
    ranks_returned 4 || return
    is_one_line "$(io_said "$(<stderr)")" 'stopped by signal' || return
    inspect run.prot 'p.end is None or "partial" in p.end' || return # no end line if a loop of collective calls continues
    nothing_left
}

@test "a signal ends the run with status 4 and leaves no files, even on 4 processes and with a shared pointer" {
    is_stopped 2 TERM IMB_out_1 P_Write_Priv
    is_stopped 2 INT IMB_out P_IWrite_Shared
    is_stopped 4 TERM IMB_out_g1 -multi 1 P_IWrite_Shared
    is_stopped 4 INT IMB_out C_Write_Shared
}

# ends_after_one RANK PROGRAM OPTION...: checks that a signal that only this rank gets ends the run with an end line.
ends_after_one() {
    BEFF=$BUILD/$2
    start 2 -prot run.prot -force "${@:3}"
    until grep -q '#repetitions' stdout; do sleep 0.05; done
    sleep 1
    kill -TERM "$(rank "$1")"
    ended_within 60 || return
    ranks_returned 4 || return
    inspect run.prot 'p.end == "partial (stopped by signal 15)"' || return
    nothing_left
}

@test "a signal that one rank gets ends a long loop with an end line" {
    local rank
    for rank in 0 1; do
        ends_after_one $rank IMB-IO -npmin 2 -aggregate_mode non_aggregate -iter 10000,10000,10000 -msglog 20:20 P_Write_Priv || return
        ends_after_one $rank IMB-IO -aggregate_mode aggregate -npmin 2 -iter 100000,50000 -msglog 16:16 C_Write_Indv || return
        ends_after_one $rank IMB-RMA -iter 1000000,10000000,1000000 -msglog 16:16 Unidir_put || return
        ends_after_one $rank IMB-MT -repeat 1000000 -count 10000 BcastMT || return
    done
}

@test "a signal that one rank gets ends a loop of transfers that MPI carries out later" {
    local LD_PRELOAD=$LD_PRELOAD
    eval "export $(shim backlog)"
    ends_after_one 1 IMB-RMA -iter 1000000,10000000 -iter_policy off -time 1000 -msglog 3:3 All_put_all
    ends_after_one 0 IMB-EXT -iter 1000000,10000000 -iter_policy off -time 1000 -msglog 2:2 -aggregate_mode aggregate Unidir_Put
}

@test "bad input is refused; options that do not apply to files are unknown" {
    local row
    for row in '-window_size 4 | -window_size' '-root_shift on | -root_shift' '-sync off | -sync' '-msgsize 4 | -msgsize' \
        '-aggregate_mode nosuch | -aggregate_mode "nosuch" non_aggregate' '-npmin 0 | -npmin "0"' \
        '-data_type int | -data_type' '-zero_size off | -zero_size' 'S_Write_Priv | "S_Write_Priv" -list' \
        '-iter 0 S_Write_Indv | -iter "0"' '-msglen nosuchfile S_Write_Indv | -msglen nosuchfile'; do
        check_refusal "$row" "$BEFF"
    done
    directory_is_empty
}
