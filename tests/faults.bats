#!/usr/bin/env bats
# Bad luck: no place, no memory, no permission, damaged messages, failing calls, signals, deaths, hanging messages.
# shellcheck disable=SC2154,SC2016 # bats sets status, output, stderr; bash -c expands its own words

load helpers

# Messages of this many bytes are a good place for a fault in the middle of the measurements: they come early, and the
# probing at the start of a run does not use them.
PLACE=4

# partial DIR WORDS...: the protocol is in order and says that and why it is partial.
partial() {
    local word
    inspect "$1/run.prot" 'p.sealed' 'p.end.startswith("partial (")' 'len(p.records) > 0' || return
    for word in "${@:2}"; do
        inspect "$1/run.prot" "'''$word''' in p.end" || return
    done
}

# The measurement that has FLIP_NUMBER's wrong byte: pattern, method, size, and the run's verdict.
finds_the_damage() {
    local method=$1 rank=$2
    [[ $status == 1 ]] || fail "status $status" "$stderr" || return
    is_one_line "$(said)" 'data error' "rank $rank " "$method" "$PLACE B" iteration 'measuring ' || return
    inspect out/run.prot 'p.sealed' 'p.end == "complete"' \
        'sum(r["errors"] for r in p.records) == 1' \
        "[(r['method'], r['bytes']) for r in p.records if r['errors']] == [('$method', $PLACE)]" || return
    inspect out/run.json 'p["result"]["valid"] is False' 'any("data error" in r for r in p["result"]["reasons"])' ||
        return
    holds out/summary.txt 'NOT VALID'
}

@test "one process alone is refused with status 3, with and without mpiexec" {
    run --separate-stderr mpi 1 --time 2 --output out
    [[ $status == 3 && -z $output ]]
    is_one_line "$(said)" 'at least 2'
    run --separate-stderr timeout 20 "$BEFF" --time 2 --output out
    [[ $status == 3 && -z $output ]]
    is_one_line "$stderr" 'at least 2' mpiexec
    directory_is_empty
}

@test "missing parents of the output directory are created" {
    mpi 2 --time 1 --memory 1 --output 'a/b c/d' >/dev/null || true
    inspect 'a/b c/d/run.prot' 'p.sealed'
}

@test "a file in the place of the output directory: status 3, one line, the file is left alone" {
    echo mine >file
    local path
    for path in file file/below file/below/deep; do
        run --separate-stderr mpi 2 --time 2 --memory 1 --output "$path"
        [[ $status == 3 && -z $output ]] || fail "$path: status $status"
        is_one_line "$(said)" "$path"
    done
    [[ $(<file) == mine && $(ls) == file ]]
}

@test "a broken link and a link in a circle in the place of the output directory: status 3" {
    ln -s nowhere broken
    ln -s circle circle
    local path
    for path in broken circle; do
        run --separate-stderr mpi 2 --time 2 --memory 1 --output "$path"
        [[ $status == 3 ]] || fail "$path: status $status"
        is_one_line "$(said)" "$path"
    done
}

@test "a name that is too long for a file system: status 3" {
    run --separate-stderr mpi 2 --time 2 --memory 1 --output "$(printf 'x%.0s' {1..300})"
    [[ $status == 3 ]]
    is_one_line "$(said)" 'too long'
}

@test "a directory without permission to write: status 3, one line that says so" {
    local user=()
    # Root may write anywhere: then the test is made by nobody, from a place that nobody can reach.
    outside=$(mktemp -d /tmp/beff-test.XXXXXX)
    chmod 755 "$outside"
    cp "$BEFF" "$outside/beff"
    mkdir -m 555 "$outside/locked" "$outside/in"
    if [[ $(id -u) == 0 ]]; then
        command -v setpriv >/dev/null || skip "setpriv is not installed"
        user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    fi
    local path
    cd "$outside"
    for path in "$outside/locked" "$outside/locked/new" "$outside/locked/a/b"; do
        run --separate-stderr timeout 20 "${user[@]}" env HOME=/ "$MPIEXEC" -n 2 "$outside/beff" --time 2 --memory 1 --output "$path"
        [[ $status == 3 ]] || fail "$path: status $status $stderr"
        is_one_line "$(said)" "$outside/locked" 'ermission denied'
    done
    # The default place is under the current directory.
    cd "$outside/in"
    run --separate-stderr timeout 20 "${user[@]}" env HOME=/ "$MPIEXEC" -n 2 "$outside/beff" --time 2 --memory 1
    [[ $status == 3 ]]
    is_one_line "$(said)" 'ermission denied'
}

@test "the output directory on a disk that is full before the run: status 3 and the reason" {
    needs_mount
    run --separate-stderr unshare --mount bash -c '
        mkdir disk && mount -t tmpfs -o size=64k none disk && { cat /dev/zero >disk/fill; } 2>/dev/null
        timeout 20 "$0" -n 2 "$1" --time 2 --memory 1 --output disk/out' "$MPIEXEC" "$BEFF"
    [[ $status == 3 && -z $output ]] || fail "status $status" "$stderr"
    is_one_line "$(said)" 'No space left'
}

@test "a disk that gets full during the run: status 1, the reason with a figure, the records so far are kept" {
    needs_mount
    run --separate-stderr unshare --mount bash -c '
        mkdir disk && mount -t tmpfs -o size=48k none disk
        timeout 20 "$0" -n 2 "$1" --time 3 --memory 1 --output disk/out
        status=$?
        cp -r disk/out kept
        exit $status' "$MPIEXEC" "$BEFF"
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    is_one_line "$(said | grep run.prot)" 'No space left' ' records'
    inspect kept/run.prot 'len(p.records) > 100'
}

@test "a disk that gets full while the results are written: status 1, the protocol is whole" {
    needs_mount
    # The protocol of this run takes less than 130 KB, with its other files it is more than 150.
    run --separate-stderr unshare --mount bash -c '
        mkdir disk && mount -t tmpfs -o size=140k none disk
        timeout 20 "$0" -n 2 "$1" --time 30 --memory 1 --polygons 1 --max-loops 1 --output disk/out &
        process=$!
        until [[ -e disk/out/run.prot && $(grep -vc "^#" disk/out/run.prot) -ge 450 ]]; do sleep 0.01; done
        kill -TERM $process
        wait $process
        status=$?
        cp -r disk/out kept
        exit $status' "$MPIEXEC" "$BEFF"
    # MPICH's launcher now and then returns 0 after a signal, whatever its processes returned.
    [[ $status == 4 || $status == 1 || $status == 0 ]] || fail "status $status" "$stderr"
    [[ $(said) == *"can't be written: No space left"* ]] || fail "not told" "$stderr"
    inspect kept/run.prot 'len(p.records) > 400'
}

@test "a device in the place of run.prot: status 2 before anything is measured" {
    [[ -w /dev/full ]] || skip "/dev/full is missing"
    mkdir out
    ln -s /dev/full out/run.prot
    run --separate-stderr mpi 2 --time 2 --memory 1 --output out --force
    [[ $status == 2 && -z $output ]] || fail "status $status" "$stderr"
    is_one_line "$(said)" 'run.prot is not listed'
}

@test "full devices in the place of the other files: status 1, one reason, run.prot is complete" {
    [[ -w /dev/full ]] || skip "/dev/full is missing"
    local file
    for file in summary.txt run.json patterns/ring-3.dat; do
        rm -rf out
        start 2 --time 4 --memory 1 --polygons 1 --output out
        has_records out/run.prot 1
        mkdir -p out/patterns
        ln -s /dev/full "out/$file"
        ended_within 8
        ranks_returned 1
        is_one_line "$(said "$(<stderr)")" "$file" 'No space left'
        inspect out/run.prot 'p.sealed' 'p.end == "complete"'
        holds stdout 'b_eff = '
    done
}

@test "a file size limit during the run: status 1, the reason, the records so far are kept" {
    needs prlimit
    local process
    start 2 --time 2 --memory 1 --output out
    has_records out/run.prot 100
    for process in $(of_this_test); do
        prlimit --pid "$process" --fsize=24000
    done
    ended_within 5
    ranks_returned 1
    is_one_line "$(said "$(<stderr)" | grep -m 1 'run.prot')" 'File too large'
    inspect out/run.prot 'len(p.records) > 100'
}

@test "the output directory vanishes during the run: an error, not a hang" {
    start 2 --time 3 --memory 1 --polygons 1 --output out
    has_records out/run.prot 200
    rm -r out
    ended_within 5
    ranks_returned 1
    is_one_line "$(said "$(<stderr)")" out
}

@test "a flipped first byte with Sendrecv is found and named" {
    run --separate-stderr mpi 2 "$(shim flip)" FLIP_CALL=MPI_Sendrecv FLIP_RANK=1 FLIP_NUMBER=3 FLIP_BYTES=$PLACE \
        --time 6 --memory 1 --polygons 1 --output out
    finds_the_damage Sendrecv 1
}

@test "a flipped last byte with Alltoallv is found and named" {
    run --separate-stderr mpi 2 "$(shim flip)" FLIP_CALL=MPI_Alltoallv FLIP_RANK=0 FLIP_NUMBER=3 FLIP_BYTES=$PLACE \
        FLIP_BYTE=last --time 6 --memory 1 --polygons 1 --output out
    finds_the_damage Alltoallv 0
}

@test "a flipped last byte with nonblocking is found and named" {
    run --separate-stderr mpi 2 "$(shim flip)" FLIP_CALL=MPI_Waitall FLIP_RANK=1 FLIP_NUMBER=3 FLIP_BYTES=$PLACE \
        FLIP_BYTE=last --time 6 --memory 1 --polygons 1 --output out
    finds_the_damage nonblocking 1
}

@test "a flipped byte in the warm-up iteration of a measurement is found" {
    run --separate-stderr mpi 2 "$(shim flip)" FLIP_CALL=MPI_Sendrecv FLIP_RANK=1 FLIP_NUMBER=1 FLIP_BYTES=$PLACE \
        --time 6 --memory 1 --polygons 1 --output out
    finds_the_damage Sendrecv 1
}

@test "a flipped byte in the probing before the first pass fails the run too" {
    run --separate-stderr mpi 2 "$(shim flip)" FLIP_CALL=MPI_Sendrecv FLIP_RANK=1 FLIP_NUMBER=1 \
        --time 2 --memory 1 --polygons 1 --output out
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    [[ $(said) == *'data error'* ]]
    inspect out/run.json 'p["result"]["valid"] is False' 'any("data error" in r for r in p["result"]["reasons"])'
}

@test "without damage the same shim finds none" {
    run --separate-stderr mpi 2 "$(shim flip)" FLIP_CALL=MPI_Sendrecv FLIP_NUMBER=100000000 \
        --time 5 --memory 1 --polygons 1 --output out
    [[ $status == 0 && -z $(said) ]]
}

@test "an MPI call that fails on one rank ends all: one line names call, rank and measurement" {
    local call method rank=1
    for call in MPI_Sendrecv MPI_Alltoallv MPI_Isend; do
        case $call in
        MPI_Sendrecv) method=Sendrecv ;;
        MPI_Alltoallv) method=Alltoallv ;;
        *) method=nonblocking ;;
        esac
        run --separate-stderr mpi 2 "$(shim fault)" FAULT_CALL=$call FAULT_RANK=$rank FAULT_NUMBER=3 FAULT_BYTES=$PLACE \
            --time 10 --memory 1 --polygons 1 --output out$rank
        [[ $status == 1 ]] || fail "$call: status $status" "$stderr"
        is_one_line "$(said)" "$method" "rank $rank" measuring "$PLACE B" || fail "$call"
        inspect out$rank/run.prot 'len(p.records) > 0'
        rank=0
        rm -rf out0
    done
}

@test "an MPI call that fails is named as MPI calls it, with file and line" {
    run --separate-stderr mpi 2 "$(shim fault)" FAULT_CALL=MPI_Alltoallv FAULT_NUMBER=3 FAULT_BYTES=$PLACE \
        --time 10 --memory 1 --polygons 1 --output out
    is_one_line "$(said)" MPI_Alltoallv '.c:'
}

@test "collective calls of the engine that fail end all processes, too" {
    local call
    for call in MPI_Barrier MPI_Reduce MPI_Bcast; do
        run --separate-stderr mpi 2 "$(shim fault)" FAULT_CALL=$call FAULT_RANK=1 FAULT_NUMBER=60 \
            --time 3 --memory 1 --polygons 1 --output "$call"
        [[ $status == 1 ]] || fail "$call: status $status" "$stderr"
        is_one_line "$(said)" 'rank 1' || fail "$call"
    done
}

@test "a rank that is killed ends the run within seconds; the protocol is readable up to then" {
    local rank begin
    for rank in 0 1; do
        begin=$EPOCHREALTIME
        run --separate-stderr mpi 2 "$(shim fault)" FAULT_ACTION=kill FAULT_CALL=MPI_Sendrecv FAULT_RANK=$rank \
            FAULT_NUMBER=12 FAULT_BYTES=$PLACE --time 20 --memory 1 --polygons 1 --output $rank
        [[ $status != 0 ]]
        at_most "$(since "$begin")" 5
        inspect $rank/run.prot 'len(p.records) >= 5' 'p.end is None' 'not p.sealed'
    done
}

@test "a protocol of a long run that is killed at any point reads up to its last finished line" {
    start 2 --time 20 --memory 1 --polygons 2 --max-loops 20 --output out
    has_records out/run.prot 1000
    kill -KILL "$launcher"
    ended_within 5
    inspect out/run.prot 'len(p.records) >= 1000' 'p.end is None'
    recompute out/run.prot || [[ $? == 1 ]]
}

@test "SIGTERM, SIGINT and SIGUSR1 end a run within 2 s with status 4 and a protocol that is partial and sealed" {
    local signal
    for signal in TERM INT USR1; do
        start 2 --time 20 --memory 1 --output $signal
        has_records $signal/run.prot 300
        kill -$signal "$launcher"
        ended_within 10
        at_most "$took" 2
        [[ $status == 4 || $status == 0 ]] # the launcher
        ranks_returned 4
        partial $signal signal
        is_one_line "$(said "$(<stderr)")" signal
        [[ -s $signal/summary.txt && -s $signal/run.json ]]
        inspect $signal/run.json 'p["result"]["valid"] is False'
    done
}

@test "a signal to one rank alone ends all ranks in the same way" {
    local rank child
    for rank in 0 1; do
        start 2 --time 20 --memory 1 --output $rank
        has_records $rank/run.prot 200
        for child in $(of_this_test); do
            if [[ $(cat "/proc/$child/comm") == beff ]] && tr '\0' '\n' <"/proc/$child/environ" | grep -qx "PMI_RANK=$rank"; then
                kill -TERM "$child"
            fi
        done
        ended_within 3
        ranks_returned 4
        partial $rank signal
    done
}

@test "more signals of the same kind change nothing" {
    start 2 --time 20 --memory 1 --output out
    has_records out/run.prot 300
    for _ in 1 2 3 4 5; do
        kill -TERM "$launcher" 2>/dev/null || true
    done
    ended_within 3
    partial out signal
}

@test "a signal before the first measurement ends the run, too" {
    local delay
    for delay in 0.02 0.05 0.1 0.15; do
        start 2 --time 20 --memory 1 --output "out$delay"
        sleep $delay
        kill -TERM "$launcher"
        ended_within 5
        at_most "$took" 2.2
        if [[ -e out$delay/run.prot ]]; then
            ranks_returned 4
            inspect "out$delay/run.prot" 'p.end is None or p.end.startswith("partial (")'
        fi
        nothing_left_running
    done
}

@test "a signal while large buffers are set up ends the run within 2 s" {
    start 2 --time 30 --memory 16384 --output out
    sleep 0.4
    kill -TERM "$launcher"
    ended_within 10
    at_most "$took" 2.2
}

@test "a signal in the middle of a hanging message ends the run within 3 s, protocol sealed, status 4" {
    local rank
    for rank in 1 0; do
        start 2 "$(shim fault)" FAULT_ACTION=delay FAULT_SECONDS=30 FAULT_CALL=MPI_Sendrecv FAULT_RANK=$rank \
            FAULT_NUMBER=3 FAULT_BYTES=$PLACE --time 30 --memory 1 --polygons 1 --output $rank
        has_records $rank/run.prot 1
        sleep 1
        kill -TERM "$launcher"
        ended_within 10
        at_most "$took" 3
        partial $rank 'signal' "Sendrecv, $PLACE B"
        ranks_returned 4
    done
}

@test "a hanging message without a signal: the run ends when its time is up, status 1, and says why" {
    local begin call
    for call in MPI_Sendrecv MPI_Alltoallv MPI_Waitall; do
        begin=$EPOCHREALTIME
        run --separate-stderr mpi 2 "$(shim fault)" FAULT_ACTION=delay FAULT_SECONDS=30 FAULT_CALL=$call FAULT_RANK=1 \
            FAULT_NUMBER=3 FAULT_BYTES=$PLACE --time 6 --memory 1 --polygons 1 --output $call
        at_most "$(since "$begin")" 6.7
        partial $call time "$PLACE B"
        is_one_line "$(said)" "$PLACE B" time
        [[ $status == 1 ]] || fail "$call: status $status" "$stderr"
    done
}

@test "a hang before the first measurement ends when the time is up" {
    local begin=$EPOCHREALTIME
    run --separate-stderr mpi 2 "$(shim fault)" FAULT_ACTION=delay FAULT_SECONDS=8 FAULT_CALL=MPI_Barrier FAULT_RANK=1 \
        FAULT_NUMBER=2 --time 2 --memory 1 --output out
    at_most "$(since "$begin")" 2.5
    [[ $status == 1 ]] || fail "status $status" "$stderr"
}

@test "a message that hangs for a while and then goes on: the run keeps its time and is in order" {
    # Now and then it is one of the untimed iterations that hangs.
    local begin number
    for number in 1500 2600 4100 6200 9500; do
        begin=$EPOCHREALTIME
        run --separate-stderr mpi 2 "$(shim fault)" FAULT_ACTION=delay FAULT_SECONDS=1 FAULT_CALL=MPI_Sendrecv \
            FAULT_RANK=1 FAULT_NUMBER=$number FAULT_BYTES=$PLACE --time 4 --memory 1 --polygons 1 --output out --force
        at_most "$(since "$begin")" 4.5
        [[ $status == 0 ]]
        inspect out/run.prot 'p.sealed' 'p.end == "complete"'
        inspect out/run.prot 'max(r["t_max"] for r in p.records) >= 1' && return
    done
    fail "no record shows the second that was lost"
}

@test "a rank that stops (SIGSTOP) and goes on costs nothing but its time" {
    start 2 --time 4 --memory 1 --polygons 1 --output out
    has_records out/run.prot 200
    local child
    for child in $(of_this_test); do
        if [[ $(cat "/proc/$child/comm") == beff ]] && tr '\0' '\n' <"/proc/$child/environ" | grep -qx PMI_RANK=1; then
            kill -STOP "$child"
            sleep 0.7
            kill -CONT "$child"
        fi
    done
    ended_within 6
    ranks_returned 0
    inspect out/run.prot 'p.sealed' 'p.end == "complete"'
}

@test "not enough memory (ulimit -v) on all ranks or on one: status 3, one line with figures" {
    # Buffers of 0.8 GB in each process.
    run --separate-stderr bash -c 'ulimit -v 700000; exec timeout 20 "$0" -n 2 "$1" --time 3 --memory 8192 --output out' \
        "$MPIEXEC" "$BEFF"
    [[ $status == 3 ]] || fail "status $status" "$stderr"
    is_one_line "$(said)" 'out of memory' MiB --memory
    run --separate-stderr timeout 20 "$MPIEXEC" -n 1 "$BEFF" --time 3 --memory 8192 --output out \
        : -n 1 bash -c 'ulimit -v 700000; exec "$0" --time 3' "$BEFF"
    [[ $status == 3 ]] || fail "one rank: status $status" "$stderr"
    is_one_line "$(said)" 'out of memory' MiB
    directory_is_empty
}

@test "--memory beyond what the machine has does no harm: Lmax has a limit, or status 3 with figures" {
    local begin=$EPOCHREALTIME
    run --separate-stderr mpi 2 --time 2 --memory 1000000000 --output out
    at_most "$(since "$begin")" 2.6
    if [[ $status == 3 ]]; then
        is_one_line "$(said)" 'out of memory' MiB --memory
    elif [[ ! -e out ]]; then
        is_one_line "$(said)" 'the time was up while setting up'
    else
        inspect out/run.prot 'p.meta["lmax"] == "134217728"'
    fi
}

@test "different command lines on the ranks: rank 0's counts" {
    timeout 20 "$MPIEXEC" -n 1 "$BEFF" --time 1 --memory 1 --quiet --output out : -n 1 "$BEFF" --time 50 --nonsense \
        >stdout 2>stderr || true
    inspect out/run.prot 'p.sealed' 'float(p.meta["time_s"]) == 1'
    [[ ! -s stderr ]]
}
