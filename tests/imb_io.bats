#!/usr/bin/env bats
# IMB-IO: layout, calls per repetition, checking, names and sizes of files.
# shellcheck disable=SC2154,SC2046,SC2086,SC2030,SC2031,SC2034 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
SAMPLES=$TESTS/fixtures/imb/io
BEFF=$BUILD/IMB-IO # the program that mpi starts
BATS_TEST_TIMEOUT=600 LIMIT=200 # far more than the tests need, because the machine may be busy
yields

# Changes to a new directory in /dev/shm if there is enough space, because syncing to a disk is slow.
in_memory() {
    [[ $(df --output=avail -m /dev/shm 2>/dev/null | tail -1) -gt 300 ]] || return 0
    outside=$(mktemp -d -p /dev/shm) && cd "$outside" || return
}

nothing_left() {
    [[ -z $(find . -name '*IMB_out*') ]] || fail "left: $(find . -name '*IMB_out*')"
}

@test "the output agrees with captured runs of IMB-IO" {
    in_memory
    as_captured $(names io 'io_default_list|check')
    nothing_left
}

# part_of SAMPLE SIZES KEEP: prints the tables of the sample for which the Python expression KEEP is true. KEEP may use the
# variables name and processes. Only the rows of these sizes are printed; if SIZES is empty, all rows are printed.
part_of() {
    python3 - "$SAMPLES/$1.txt" "$2" "$3" <<'END'
import re, sys
path, sizes, keep = sys.argv[1:]
text = open(path).read().split("## ---")[0]
head, *tables = re.split(r"\n\n(?=#-+\n# Benchmarking)", text.split("\n\n\n# All processes")[0])
kept = []
for table in tables:
    name, processes = re.search(r"# Benchmarking (\S+) \n# #processes = (\d+)", table).groups()
    if not eval(keep, {"name": name, "processes": int(processes)}):
        continue
    rows = [row for row in table.rstrip().split("\n") if not sizes or "#bytes" not in table
            or not re.match(r" +\d", row) or row.split()[0] in sizes.split()]
    kept.append((name, "\n".join(rows)))
names = {name for name, _ in kept}
head = "\n".join(line for line in head.split("\n") if not re.match(r"# ([SPC]_|Open)", line) or line[2:] in names)
if not any("_IR" in name or "_IW" in name for name in names):
    head = head.split("\n\n\n# For nonblocking")[0]
print("\n\n".join([head.rstrip()] + [table for _, table in kept]) + "\n\n\n# All processes entering MPI_Finalize\n")
END
}

# is_part_of SAMPLE SIZES KEEP ARGUMENT...: checks that a run with these arguments prints this part of the sample.
is_part_of() {
    part_of "${@:1:3}" | grep -v '^## note' | sed '/^# IMB-IO/s/.*/# command/' >sample
    mpi 2 "${@:4}" >out || return
    sed -i '/^# .*IMB-IO/s/.*/# command/' out
    "$TESTS/imb-compare" sample out && "$TESTS/imb-formulas" out
}

@test "the output agrees with the captured run of the default list: two sizes" {
    in_memory
    is_part_of io_default_list '0 4096' 'processes == 2 or name[0] == "S"' -npmin 2 -msglog 12:12 -iter 20
    [[ $(grep -c '^# Benchmarking' out) == 46 ]]
    nothing_left
}

@test "the output agrees with the captured run of the default list: all sizes of some benchmarks" {
    in_memory
    local some=(S_Write_Indv C_Write_Expl P_Read_Shared Open_Close)
    is_part_of io_default_list '' "name in '${some[*]}'.split()" -msglog 0:12 -iter 20 "${some[@]}"
    grep -q '^# Benchmarking Open_Close' out
}

@test "the output agrees with the captured run with -check, up to the point where IMB failed" {
    in_memory
    is_part_of check_io_priv '' 'name != "C_Read_Shared"' -msglog 0:4 -iter 5 -check S_Write_Indv P_Read_Priv P_Read_Indv
}

# calls_agree_on PROCESSES MODE BENCHMARK...: checks the MPI calls per repetition of these benchmarks.
calls_agree_on() {
    local n
    rm -f 4.* 8.*
    for n in 4 8; do
        mpi "$1" COUNT_FILE="$PWD/$n" "$(shim count)" -npmin 2 -aggregate_mode "$2" -msglen length -iter $n,40,$n \
            "${@:3}" >/dev/null
    done
    "$TESTS/imb-calls" "$TESTS/fixtures/imb/calls.txt" "IMB-IO -aggregate_mode $2 -npmin 2" 8 4 8 "${@:3}"
}

@test "the MPI calls per repetition are the same as in IMB, in both modes" {
    in_memory
    echo 16 >length
    calls_agree_on 2 aggregate $(all_of IO | grep -v ^S)
    calls_agree_on 2 non_aggregate $(all_of IO | grep '^[PC]_W')
    calls_agree_on 1 aggregate $(all_of IO | grep ^S)
    calls_agree_on 1 non_aggregate $(all_of IO | grep ^S_W)
}

@test "-check finds a damaged byte in every benchmark, in every mode" {
    in_memory
    local call wanted
    for call in read write; do
        wanted=$(all_of IO | grep -i "_I*$call")
        run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=${call}s FILE_ACTION=flip FILE_EVERY=3 \
            -npmin 2 -msglog 6:6 -check -time 1000 -iter 7 $wanted
        [[ $status == 1 ]] || fail "status $status"
        echo "$output" >out
        [[ $(defects out 1) == "$wanted" ]] || fail "with defects: $(defects out 1)" || return
        [[ $(grep -c '^# Benchmarking' out) == $(grep -c ' [1-9][0-9]*\.00$' out) ]] || fail "$(<out)" || return
        grep -q 'data error: .* rank [01]: byte .* instead of .* in the file' <<<"$stderr"
    done
    nothing_left
}

@test "-check finds a single damaged byte on any process: in a checked repetition, a timed write, or the last timed read" {
    in_memory
    local row name call rank number # the ranks alternate
    # There are 1 + 4 checked repetitions, 1 + 5 probes and 5 timed ones. IRead and IWrite have twice as many: without and with computation.
    for row in 'P_Write_Shared 1 3 12 16' 'C_Write_Indv 1 16' 'P_IWrite_Expl 25 32' 'P_Read_Shared 3 16' 'P_IRead_Shared 1 9'; do
        name=${row%% *} call=writes
        [[ $name == *Read* ]] && call=reads
        for number in ${row#* }; do
            rank=$((! ${rank-1}))
            run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=$call FILE_ACTION=flip FILE_RANK=$rank \
                FILE_NUMBER=$number FILE_BYTES=32 -npmin 2 -msglog 6:6 -check -time 1000 -iter 5 -aggregate_mode aggregate "$name"
            # Writes that are started together share a buffer, so that the damage may reach several of them.
            [[ $status == 1 && $(grep -c ' [1-5]\.00$' <<<"$output") == 1 ]] ||
                fail "$name, rank $rank, call $number" "$output" || return
        done
    done
}

@test "-check finds data that are read twice through a shared pointer, and damage in the shortest portions" {
    in_memory
    local row name log bytes action number
    for row in 'P_Read_Shared 2 4 again 7' 'P_Read_Shared 3 4 again 7' 'P_IRead_Shared 3 4 flip 8' \
        'P_Read_Shared 0 1 flip 8' 'P_IRead_Shared 6 32 again 7'; do
        read -r name log bytes action number <<<"$row"
        run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=reads FILE_ACTION="$action" FILE_NUMBER="$number" \
            FILE_BYTES="$bytes" -npmin 2 -msglog "$log:$log" -check -time 1000 -iter 100 "$name"
        [[ $status == 1 && $(grep -c '[1-9][0-9]*\.00$' <<<"$output") == 1 && $stderr == *'data error: '*'the file'* ]] ||
            fail "$row: status $status" "$output" "$stderr" || return
    done
    grep -q 'group 0: a part of the file is missing or duplicated' <<<"$stderr" || fail "$stderr"
    clean 2 -npmin 2 -msglog 3:3 -iter 2000 -iter_policy off P_Read_Shared
}

# finds_lost NUMBER BYTES ARGUMENT...: checks that a lost write is found.
finds_lost() {
    run --separate-stderr mpi 1 "$(shim file_fault)" FILE_CALL=writes FILE_ACTION=lose FILE_NUMBER="$1" FILE_BYTES="$2" \
        -check -time 1000 -iter 5 "${@:3}"
    [[ $status == 1 && $stderr == *"data error: ${*: -1}, "*'in the file'* ]] || fail "status $status" "$output" "$stderr"
}

@test "-check finds a lost write, even if the same size was written before, and in Open_Close" {
    in_memory
    printf '%s\n' 16 16 >lengths
    # Each size has 1 + 4 checked repetitions, 1 + 5 probes and 5 timed ones.
    finds_lost 18 16 -msglen lengths -aggregate_mode aggregate P_Write_Expl
    finds_lost 31 16 -msglen lengths -aggregate_mode aggregate P_Write_Expl
    finds_lost 3 1 Open_Close
    grep -q '^# note: wrong bytes found by -check: 1;' <<<"$output" || fail "$output"
    run --separate-stderr mpi 2 -check -npmin 2 Open_Close
    [[ $status == 0 && -z $(grep -v oversub <<<"$stderr") ]] || fail "$stderr"
    nothing_left
}

@test "-check finds nothing in clean runs with various numbers of processes, groups, maps, odd sizes and releases" {
    in_memory
    clean 1 -msglog 3:3
    clean 2 -npmin 2 -msglog 11:11
    printf '%s\n' 1 7 1001 >lengths
    clean 3 -msglen lengths -npmin 3 -aggregate_mode aggregate P_Write_Shared P_IWrite_Shared P_Read_Shared \
        P_IRead_Shared P_Write_Indv C_IRead_Expl P_IRead_Priv C_Write_Shared
    clean 4 -msglog 5:5 -npmin 2 -multi 0 -map 2x2 P_Write_Shared P_IRead_Shared P_Write_Priv C_IWrite_Indv S_Read_Expl
    clean 3 -msglog 5:5 -npmin 2 -multi 1 P_Write_Shared P_IRead_Shared P_Write_Priv C_IWrite_Indv S_IRead_Expl
    clean 2 -msglog 4:4 -compat 3.0 S_Write_Indv P_IWrite_Shared C_Read_Indv
    nothing_left
}

@test "reads never reach past the end of a file, with IMB's default repetitions" {
    in_memory
    printf '%s\n' 1 16384 65536 4M >lengths
    mpi 2 "$(shim file_fault)" FILE_LOG="$PWD/log" -msglen lengths S_Read_Indv P_Read_Shared P_Read_Priv C_Read_Shared >out
    [[ $(grep -c '^  *[0-9]* *1000 ' out) == $((7 * 2)) ]]
    echo 4M >lengths # one size, because each repetition computes for a while
    mpi 2 "$(shim file_fault)" FILE_LOG="$PWD/log" -check -npmin 2 -msglen lengths P_IRead_Shared C_IRead_Expl >out
    mpi 2 "$(shim file_fault)" FILE_LOG="$PWD/log" -check -iter_policy off -iter 60 -msglog 17:18 -npmin 2 \
        C_IRead_Indv P_IRead_Priv S_Read_Expl >out
    [[ $(grep -c '^reads [1-9][0-9]* short 0$' log.0) == 3 && $(grep -c '^reads [1-9][0-9]* short 0$' log.1) == 3 ]] ||
        fail "$(grep reads log.*)"
}

@test "creating the file for reads is limited by -time-total, not by -time" {
    in_memory
    mpi 1 -time 0.02 -iter 10,40 -msglog 22:22 S_Read_Indv >out
    grep -q '^ *4194304  *[1-9]' out || fail "$(<out)"
    run --separate-stderr mpi 2 -time-total 0.2 -iter 100,300 -msglog 22:22 S_Read_Indv P_Read_Priv
    [[ $status == 1 ]]
    grep -q '^# note: not measured for sizes 0 to 4194304: the time limit of the whole run' <<<"$output" || fail "$output"
    nothing_left
}

@test "file names contain the group with -multi, and the rank if the file is private; all files are removed" {
    in_memory
    run mpi 4 "$(shim file_fault)" FILE_LOG="$PWD/log" \
        -multi 0 -npmin 2 -msglog 4:4 -iter 2 P_Write_Indv P_Write_Priv Open_Close S_Write_Expl
    [[ $status == 0 ]]
    [[ $(sort -u log.3 | grep IMB | xargs) == 'IMB_out_g0 IMB_out_g0_3 IMB_out_g1 IMB_out_g1_3 IMB_out_g3_3' ]] ||
        fail "$(sort -u log.3)"
    rm log.*
    mpi 2 "$(shim file_fault)" FILE_LOG="$PWD/log" -npmin 2 -msglog 4:4 -iter 2 C_Read_Expl P_Read_Priv >out
    [[ $(sort -u log.1 | grep IMB | xargs) == 'IMB_out IMB_out_1' ]] || fail "$(sort -u log.1)"
    nothing_left
}

@test "-compat 3.0: numbers of repetitions, headings and units" {
    in_memory
    mpi 2 -compat 3.0 -msglog 0:20 -npmin 2 C_Write_Shared Open_Close >out
    "$TESTS/imb-formulas" --megabyte 1048576 out
    grep -q '^       #bytes #repetitions  t_min\[usec\]        t_max        t_avg       Mb/sec$' out
    [[ $(awk '$1 == 1048576 { print $2 }' out | xargs) == '16 10' && $(awk '$1 == 0 { print $2 }' out | xargs) == '50 10' ]]
    mpi 1 COUNT_FILE="$PWD/count" "$(shim count)" -compat 3.0 -msglog 4:4 S_Write_Indv >out
    # For each of two sizes, one mode syncs once after its 50 repetitions, and the other mode after each of its 10.
    syncs() {
        grep -o 'File_sync [0-9]*' count.0 | awk '{ n += $2 } END { print n }'
    }
    [[ $(syncs) == 22 ]]
    # With -check, IMB-IO also syncs twice and reads the file at three points of each mode and size: after the first checked
    # repetition, after the other nine, and after the timed repetitions. The checked repetitions sync like the timed ones.
    mpi 1 COUNT_FILE="$PWD/count" "$(shim count)" -compat 3.0 -check -time 1000 -msglog 4:4 S_Write_Indv >out
    [[ $(syncs) == $((22 + 2 * 2 * 3 * 2 + 2 * (2 + 10))) ]] || fail "$(syncs)"
}

@test "-compat 3.0: the file is reopened between the phases, and the overlap is relative to the shorter phase" {
    in_memory
    local release opens='' overlap='100 * min(1, max(0, (r["t_pure"] + r["t_cpu"] - r["t_max"]) / min(r["t_pure"], r["t_cpu"])))'
    for release in 2021 3.0; do
        rm -f count.0
        mpi 1 COUNT_FILE="$PWD/count" "$(shim count)" -compat $release -iter 3 -msglog 4:4 S_IWrite_Indv >out
        opens+=" $(grep -o 'File_open [0-9]*' count.0 | awk '{ n += $2 } END { print n }')"
    done
    # One call creates the file, and one opens it for each of two sizes. For each size, 3.0 also reopens the file before the
    # loop that computes.
    [[ $opens == ' 3 5' ]] || fail "$opens"
    mpi 2 -compat 3.0 -npmin 2 -iter 5 -msglog 12:12 -prot run.prot P_IWrite_Priv >out
    inspect run.prot 'len(p.records) == 2' "all(math.isclose(r['overlap'], ${overlap//\"/\'}, abs_tol=1e-9) for r in p.records)"
    "$BUILD/beff_report" verify run.prot >/dev/null || [[ $? == 1 ]] # oversubscribed
}

@test "-info: MPI-IO and windows get the hints, and the protocol contains them" {
    in_memory
    printf '# for both\n\ncb_buffer_size \t 65536\r\n no_locks true\n' >hints
    mpi 2 -info hints -iter 3 -msglog 4:4 -prot run.prot C_Write_Expl >out
    local hints='"cb_buffer_size=65536" in p.meta["hints_in_force"]'
    [[ $MPI_IO == romio ]] || hints=True # OMPIO reports no hints
    inspect run.prot "$hints" 'p.meta["option_info"] == "hints"'
    [[ $(grep '^#: info = ' run.prot) == $'#: info = cb_buffer_size 65536\n#: info = no_locks true' ]]
    BEFF=$BUILD/IMB-EXT mpi 2 COUNT_FILE="$PWD/count" "$(shim count)" -info hints -iter 3 -msglog 4:4 Unidir_Put Window >out
    [[ $(grep -o 'Win_create [0-9]*' count.0 | cut -d' ' -f2) == "$(grep -o 'info_of_window [0-9]*' count.0 | cut -d' ' -f2)" ]]
    grep -q 'info_of_window [1-9]' count.0
}

@test "-info: bad files are refused before anything runs" {
    echo key >hints
    run --separate-stderr mpi 2 -info hints C_Write_Expl
    refused_for 2 '-info: hints' 'line 1 is not KEY VALUE'
    run --separate-stderr mpi 2 -info nofile C_Write_Expl
    refused_for 2 '-info: nofile'
    run --separate-stderr "$BUILD/IMB-MPI1" -info hints PingPong
    refused_for 2 '-info'
}

@test "-prot and -json contain every row, and MPI-IO's hints" {
    in_memory
    mpi 2 -iter 5 -msglog 0:3 -prot run.prot -json run.json -raw P_Write_Indv C_IRead_Expl >out
    local hints='"cb_" in p.meta["hints_in_force"]'
    [[ $MPI_IO == romio ]] || hints='"hints_in_force" not in p.meta' # OMPIO reports no hints
    inspect run.prot 'p.sealed and p.end == "complete"' 'p.meta["component"] == "IO"' "$hints" \
        'sum(r["repetition"] == 0 for r in p.records) == 2 * 2 * 5 + 2 * 5' \
        'all(math.isclose(r["bandwidth"], r["bytes"] / r["t_max"] / 1e6) for r in p.records if "_W" in r["benchmark"])'
    inspect run.json 'p["result"]["errors"] == 0'
}
