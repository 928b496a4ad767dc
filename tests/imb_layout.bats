#!/usr/bin/env bats
# imb_compat prints what IMB prints: every captured run that IMB got right, run again and compared, numbers masked.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; words

load helpers

SAMPLES=$TESTS/fixtures/imb

# as_captured NAME...: runs the commands of these samples and compares.
as_captured() {
    local name command processes options
    for name; do
        command=$(sed -n '1s/^## command: //p' "$SAMPLES/$name.txt")
        options=
        grep -q '^## note: built with -DCHECK' "$SAMPLES/$name.txt" && options=-check
        processes=0
        if [[ $command == mpiexec* ]]; then
            command=${command#mpiexec.mpich -n }
            processes=${command%% *}
            command=${command#* }
        fi
        # shellcheck disable=SC2086 # words
        (
            cd "$SAMPLES/inputs"
            set -- $command $options
            if ((processes)); then
                timeout --kill-after=5 60 "$MPIEXEC" -n "$processes" env "$(shim yield)" "$BUILD/$1" "${@:2}"
            else
                timeout --kill-after=5 60 "$BUILD/$1" "${@:2}"
            fi
        ) >"$name.out" 2>"$name.err" || { [[ $? == 1 ]] && grep -qE 'out-of-mem|int-overflow|invalid for' "$name.out"; } ||
            fail "$name: $command" "$(<"$name.err")" || return
        sed -i "/^# .*IMB-.* -check/s/ -check//" "$name.out"
        grep -v '^## note: ' "$SAMPLES/$name.txt" >"$name.sample"
        "$TESTS/imb-compare" "$name.sample" "$name.out" || fail "$name" || return
        "$TESTS/imb-formulas" "$name.out" || fail "$name" || return
    done
}

names() {
    (cd "$SAMPLES" && ls -- *.txt) | sed 's/\.txt$//' | grep -vxE 'calls' | grep -E "$1" | grep -vE "${2:-^$}"
}

several='^(np[3-9]|singleton|asan)'
long='^(iter_|check_|include_|exclude_|mpi1_|nbc_default|off_cache|list)'

@test "IMB's captured runs on 2 processes: selection, sizes, options" {
    as_captured $(names '^[b-m]' "$long")
}

@test "IMB's captured runs on 2 processes: more of them" {
    as_captured $(names '^[n-z]' "$several|$long")
}

@test "IMB's captured runs: policies, lists, whole default lists" {
    as_captured $(names "$long" '^(iter_policy|iter_default)')
}

@test "IMB's captured runs: repetitions by policy" {
    as_captured $(names '^(iter_policy|iter_default)')
}

@test "IMB's captured runs on other numbers of processes" {
    as_captured $(names "$several")
}
