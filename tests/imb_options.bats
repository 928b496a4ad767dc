#!/usr/bin/env bats
# The effects of imb_compat's options on the MPI calls and their arguments, seen through MPI's profiling interface.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
BEFF=$BUILD/IMB-MPI1 # the program that mpi starts

# trace PROCESSES ARGUMENT...: writes the arguments of rank 0's MPI calls to trace.0, and the output to `out`.
trace() {
    mpi "$1" TRACE_FILE=trace "$(shim trace)" "${@:2}" >out || fail "$(<out)"
}

# calls PROCESSES ARGUMENT...: prints `name number` for each MPI call of rank 0 in the only table.
calls() {
    mpi "$1" COUNT_FILE=count "$(shim count)" "${@:2}" >out || fail "$(<out)"
    tail -n 1 count.0 | xargs -n 2
}

# called NAME NUMBER <<<CALLS: checks the number of calls in the output of `calls`.
called() {
    local found
    found=$(awk -v name="$1" '$1 == name { print $2 }')
    [[ ${found:-0} == "$2" ]] || fail "$1: $found calls instead of $2"
}

@test "-off_cache: repetitions use copies of the buffer in turn; all copies together fill the cache twice" {
    trace 2 -off_cache 1 -iter 50 -msgsize 65536 PingPong
    # Each copy has 65536 bytes and a cache line of 64 bytes; 32 copies fill 2 MiB.
    grep '^Send' trace.0 | tail -n 50 | awk 'NR == 1 { first = $5 } $5 - first != (NR - 1) % 32 * 65600 { exit 1 }'
    trace 2 -off_cache 16,128 -iter 4 -msgsize 1000 PingPong
    grep '^Send' trace.0 | tail -n 4 | awk 'NR == 1 { first = $5 } $5 - first != (NR - 1) * 1152 { exit 1 }'
    trace 2 -iter 50 -msgsize 65536 PingPong
    [[ $(grep '^Send' trace.0 | cut -d ' ' -f 5 | sort -u | wc -l) == 1 ]]
}

@test "-contig_type: count, type size and type extent of sent messages" {
    local row
    for row in 'base 16 4 4' 'base_vec 1 64 64' 'resize 16 4 8' 'resize_vec 1 64 128'; do
        trace 2 -iter 5 -data_type int -contig_type "${row%% *}" -msgsize 64 PingPong
        [[ $(grep '^Send' trace.0 | cut -d ' ' -f 1-4 | sort -u) == "Send ${row#* }" ]]
    done
}

# roots CALL BYTES: prints the roots of the calls with this many bytes, in order.
roots() {
    awk -v call="$1" -v bytes="$2" '$1 == call && $2 == bytes { printf "%s", $3 }' trace.0
}

@test "-root_shift: the root moves on with each repetition, or stays 0" {
    trace 3 -iter 5 -npmin 3 -msgsize 64 -warm_up off -root_shift on Bcast
    [[ $(roots Bcast 64) == 00120101201 ]] # 1 and 5 probes, 5 timed repetitions
    trace 3 -iter 5 -npmin 3 -msgsize 64 -warm_up off Bcast
    [[ $(roots Bcast 64) == 00000000000 ]]
    trace 2 -iter 1 -compat 3.0 -msgsize 1024,64 Bcast
    [[ $(roots Bcast 1024) == 010 && $(roots Bcast 64) == 0 ]] # the warm-up of a table has two repetitions of the largest size
}

@test "-root_shift: the overlapped and the pure loop of Ireduce have the same roots" {
    BEFF=$BUILD/IMB-NBC
    trace 3 -iter 3 -npmin 3 -zero_size off -msglog 2:2 -warm_up off -root_shift on Ireduce
    [[ $(roots Ireduce 4) == 00012012012012 ]]
    trace 3 -iter 3 -npmin 3 -zero_size off -msglog 2:2 -warm_up off Ireduce
    [[ $(roots Ireduce 4) == 00000000000000 ]]
}

# There are 1 + 20 probes, 10 warm-up repetitions and 20 timed ones, with 2 barriers before each of these 4 loops.
@test "-sync, -imb_barrier, -warm_up, -iter_policy: barriers and repetitions" {
    local line='-iter 20 -npmin 4 -msgsize 64' all
    all=$(calls 4 $line Bcast)
    called Barrier $((51 + 8)) <<<"$all"
    called Sendrecv 0 <<<"$all"
    all=$(calls 4 $line -imb_barrier on Bcast)
    called Barrier 8 <<<"$all"
    called Sendrecv $((51 * 2)) <<<"$all" # each barrier has two rounds
    called Barrier 8 < <(calls 4 $line -sync off Bcast)
    called Allgather 51 < <(calls 2 $line Allgather)
    called Allgather 41 < <(calls 2 $line -warm_up off Allgather)
    called Allgather 50 < <(calls 2 $line -iter_policy off Allgather)
    called Isend $((51 * 3)) < <(calls 2 $line -window_size 3 Uniband)
}

# The clock of a process advances by rank + 1 microseconds at each message. PingPong prints half the time, 2.00 for rank 3.
@test "-multi: the times of a group come from its own processes, with and without -map" {
    groups() {
        mpi 4 CLOCK_SEND=1 CLOCK_RANKS=1 "$(shim clock)" -iter 10 -msgsize 0 "$@" PingPong | awk '/usec/ { rows = 1; next } rows && /^ / { $1 = $1; print }'
    }
    [[ $(groups -multi 1) == $'0 0 10 1.00 0.00\n1 0 10 2.00 0.00' ]]
    [[ $(groups -multi 1 -map 2x2) == $'0 0 10 1.50 0.00\n1 0 10 2.00 0.00' ]]
    [[ $(groups -multi 0 -map 2x2) == '0 10 0.50 2.00 1.25 0.00' ]]
}

@test "-msg_pause: at least 0.1 s after each row" {
    mpi 2 -iter 5 -msglog 0:3 -msg_pause on -prot run.prot PingPong >out
    inspect run.prot 'float(p.meta["elapsed_s"]) >= 0.5'
}

@test "-thread_level: the header has the level; a lower level than requested gives status 3" {
    [[ $(mpi 2 -thread_level serialized -iter 1 -msgsize 0 PingPong) == *'# MPI Thread Environment: MPI_THREAD_SERIALIZED'* ]]
    run --separate-stderr mpi 2 TRACE_THREADS=0 "$(shim trace)" -thread_level multiple PingPong
    [[ $status == 3 && -z $output ]]
    is_one_line "$stderr" 'IMB-MPI1: ' -thread_level multiple single
}
