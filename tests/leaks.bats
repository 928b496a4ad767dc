#!/usr/bin/env bats
# Memory errors and leaks of whole programs. The code without MPI is also covered by the unit tests, which run with
# ASan and UBSan.
# shellcheck disable=SC2034,SC2086,SC2154 # the helpers use BEFF, LIMIT; word splitting is intended; bats sets status

load helpers
BATS_TEST_TIMEOUT=900
yields

# can_check: skips the test if valgrind's reports would mean nothing. In setup_file, bats 1.8 takes this for a failure.
can_check() {
    needs valgrind
    needs_mpich "the list of suppressed leaks is for MPICH only"
}

checker=(valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --suppressions="$TESTS/mpich.supp"
    --log-file='log.%p')

# finds_nothing: checks that valgrind reported nothing.
finds_nothing() {
    ! grep -hv 'WARNING: valgrind ignores' log.* >found || fail "$(head -n 60 found)"
}

@test "valgrind finds no errors and no leaks in our code in a run of 2 processes" {
    can_check
    BEFF=valgrind
    start 2 "${checker[@]:1}" "$BUILD/beff" --time 600 --memory 1 --polygons 1 --max-loops 2 --output out
    has_records out/run.prot 120
    pass_on TERM # the run ends with its results
    ended_within 300
    finds_nothing
    inspect out/run.prot 'p.sealed' 'len(p.records) >= 120'
}

@test "valgrind finds no errors and no leaks in plan, help and refusals" {
    can_check
    local line
    for line in '--plan --json --processes 7' --help '--memory 0'; do
        "${checker[@]}" "$BEFF" $line >/dev/null || [[ $line == --memory* ]]
    done
    finds_nothing
}

@test "valgrind finds no errors and no leaks in our code in a run of beff_io" {
    can_check
    timeout --kill-after=5 600 "$MPIEXEC" -n 2 "${checker[@]}" "$BUILD/beff_io" --time 600 -N 2 --memory 16 --max-bytes 70M --output out
    finds_nothing
    holds out/run.prot '#: end = complete'
}

# Only one of the two processes is examined, in turn rank 0 and rank 1: MPI_Init takes seconds in valgrind.
@test "valgrind finds no errors and no leaks in our code in imb_compat's benchmarks" {
    can_check
    local program options own rank=0
    for program in IMB-MPI1 IMB-EXT IMB-IO IMB-NBC IMB-RMA IMB-MPI4 IMB-MT IMB-P2P; do
        rm -f run.prot run.json
        case $program in
        IMB-MT) options='-repeat 2 -warmup 1 -count 4 -check on -thread_level multiple' ;;
        IMB-P2P) options='-iter 2 -pause 0 -msgsz 4 -check' ;;
        *) options='-iter 2 -warm_up off -msglog 2:2 -check' ;;
        esac
        own=("$BUILD/$program" $options -raw -prot run.prot -json run.json
            $("$BUILD/$program" -list | awk '/^    [^ ]/ { print $1 }'))
        if ((rank ^= 1)); then
            run timeout --kill-after=5 300 "$MPIEXEC" -n 1 "${checker[@]}" "${own[@]}" : -n 1 "${own[@]}"
        else
            run timeout --kill-after=5 300 "$MPIEXEC" -n 1 "${own[@]}" : -n 1 "${checker[@]}" "${own[@]}"
        fi
        # IMB-P2P: stencils need more processes. IMB-MPI4: MPICH 4.0 causes data errors.
        [[ $status == 0 || $program == IMB-P2P || $program == IMB-MPI4 ]] || fail "$program: status $status" "$output"
        inspect run.prot 'p.sealed'
    done
    finds_nothing
}
