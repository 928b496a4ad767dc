#!/usr/bin/env bats
# Memory errors and leaks of whole programs. The code without MPI is also covered by the unit tests, which run with
# ASan and UBSan.

BATS_TEST_TIMEOUT=900
load helpers

@test "valgrind finds no errors and no leaks in our code in a run of 2 processes" {
    needs valgrind
    needs_mpich "the list of suppressed leaks is for MPICH only"
    local time
    for time in 14 50 120; do # the longer time is used only if the machine was too busy for the shorter one
        rm -rf out
        run timeout --kill-after=5 300 "$MPIEXEC" -n 2 valgrind -q --leak-check=full --show-leak-kinds=definite \
            --errors-for-leak-kinds=definite --suppressions="$TESTS/mpich.supp" --log-file='log.%p' \
            "$BEFF" --time "$time" --memory 1 --polygons 1 --max-loops 2 --output out
        ! inspect out/run.prot 'p.sealed' 'len(p.records) > 100' 2>/dev/null >&2 || break
    done
    grep -hv 'WARNING: valgrind ignores' log.* >found || true
    [[ ! -s found ]] || fail "$(head -n 60 found)"
    inspect out/run.prot 'p.sealed' 'len(p.records) > 100'
}

@test "valgrind finds no errors and no leaks in plan, help and refusals" {
    needs valgrind
    local line
    for line in '--plan --processes 17 --rank 3' '--plan --json --processes 7' --help '--memory 0' '--nonsense'; do
        # shellcheck disable=SC2086 # word splitting is intended
        valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=99 \
            "$BEFF" $line >/dev/null 2>log || [[ $? != 99 ]] || fail "$line" "$(<log)"
    done
}

@test "valgrind finds no errors and no leaks in our code in a run of beff_io" {
    needs valgrind
    needs_mpich "the list of suppressed leaks is for MPICH only"
    run timeout --kill-after=5 300 "$MPIEXEC" -n 2 valgrind -q --leak-check=full --show-leak-kinds=definite \
        --errors-for-leak-kinds=definite --suppressions="$TESTS/mpich.supp" --log-file='log.%p' \
        "$BUILD/beff_io" --time 60 -N 2 --memory 64 --max-bytes 150M --output out
    grep -hv 'WARNING: valgrind ignores' log.* >found || true
    [[ ! -s found ]] || fail "$(head -n 60 found)"
    holds out/run.prot '#: end = complete'
}

@test "valgrind finds no errors and no leaks in our code in imb_compat's benchmarks" {
    needs valgrind
    needs_mpich "the list of suppressed leaks is for MPICH only"
    local program options
    for program in IMB-MPI1 IMB-EXT IMB-IO IMB-NBC IMB-RMA IMB-MPI4 IMB-MT IMB-P2P; do
        rm -f run.prot run.json
        case $program in
        IMB-MT) options='-repeat 2 -warmup 1 -count 4 -check on -thread_level multiple' ;;
        IMB-P2P) options='-iter 2 -pause 0 -msgsz 4 -check' ;;
        *) options='-iter 2 -warm_up off -msglog 2:2 -check' ;;
        esac
        # shellcheck disable=SC2046,SC2086 # word splitting is intended
        run timeout --kill-after=5 300 "$MPIEXEC" -n 2 valgrind -q --leak-check=full --show-leak-kinds=definite \
            --errors-for-leak-kinds=definite --suppressions="$TESTS/mpich.supp" --log-file="$program.%p.log" \
            "$BUILD/$program" $options -raw -prot run.prot -json run.json \
            $("$BUILD/$program" -list | awk '/^    [^ ]/ { print $1 }')
        # IMB-P2P: stencils need more processes. IMB-MPI4: MPICH 4.0 causes data errors.
        [[ $status == 0 || $program == IMB-P2P || $program == IMB-MPI4 ]]
        inspect run.prot 'p.sealed'
    done
    grep -hv 'WARNING: valgrind ignores' ./*.log >found || true
    [[ ! -s found ]] || fail "$(head -n 60 found)"
}
