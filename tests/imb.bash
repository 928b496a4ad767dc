# Common functions of the tests of imb_compat.
# shellcheck shell=bash disable=SC2034,SC2154,SC2030,SC2031 # variables that bats sets or reads

SAMPLES=$TESTS/fixtures/imb
BATS_TEST_TIMEOUT=600 LIMIT=200 # far more than the tests need, because the machine may be busy
yields

# as_captured NAME...: runs the commands of these samples, and compares the output with the samples.
as_captured() {
    local name command processes options environment pairs=() outputs=()
    for name; do
        command=$(sed -n '1s/^## command: //p' "$SAMPLES/$name.txt")
        options=
        grep -q '^## note: built with -DCHECK' "$SAMPLES/$name.txt" && options=-check
        processes=0
        environment=
        if [[ $command == OMP_* ]]; then
            environment=${command%%mpiexec*}
            command=${command#"$environment"}
        fi
        if [[ $command == mpiexec* ]]; then
            command=${command#mpiexec.mpich -n }
            processes=${command%% *}
            command=${command#* }
        fi
        # shellcheck disable=SC2086 # word splitting is intended
        (
            cp -r "$TESTS/fixtures/imb/inputs" "$name.d" && cd "$name.d" # the files that the command writes stay there
            set -- $command $options
            [[ " $* " =~ ' -iter '|' -repeat ' ]] || unset LD_PRELOAD # 1000 repetitions: spinning is faster
            if ((processes)); then
                timeout --kill-after=5 $LIMIT "$MPIEXEC" -n "$processes" env $environment "$BUILD/$1" "${@:2}"
            else
                timeout --kill-after=5 $LIMIT "$BUILD/$1" "${@:2}"
            fi
        ) >"$name.out" 2>"$name.err" || { [[ $? == 1 ]] && grep -qE 'out-of-mem|int-overflow|invalid for' "$name.out"; } ||
            fail "$name: $command" "$(<"$name.err")" || return
        sed -i "/^# .*IMB-.* -check/s/ -check//" "$name.out"
        grep -v '^## note: ' "$SAMPLES/$name.txt" >"$name.sample"
        pairs+=("$name.sample" "$name.out")
        outputs+=("$name.out")
    done
    "$TESTS/imb-compare" "${pairs[@]}"
    "$TESTS/imb-formulas" "${outputs[@]}"
    grep -l '#repetitions' "${outputs[@]}" | xargs -r "$TESTS/imb-readers"
}

# names PATTERN [EXCEPT]: prints the names of the samples that match PATTERN but not EXCEPT.
names() {
    (cd "$SAMPLES" && ls -- *.txt) | sed 's/\.txt$//' | grep -vxE 'calls' | grep -E "$1" | grep -vE "${2:-^$}"
}

# all_of COMPONENT: prints the benchmarks of a component.
all_of() {
    "$BUILD/IMB-$1" -list | awk '/^    [^ ]/ { print $1 } /^# [A-Za-z0-9_]+$/ { print $2 }'
}

# calls_agree PROGRAM [OPTION...]: checks the MPI calls of all benchmarks of the program. Compares a run of 20 repetitions of
# one size with a run of 40. The runs differ by 40 repetitions, because each timed repetition has an untimed counterpart.
calls_agree() {
    local n
    echo 16 >length
    BEFF=$BUILD/$1
    for n in 20 40; do
        # shellcheck disable=SC2046 # word splitting is intended
        mpi 2 COUNT_FILE="$PWD/$n" "$(shim count)" "${@:2}" -msglen length -iter_policy off -iter $n $(all_of "${1#IMB-}") >/dev/null
    done
    # shellcheck disable=SC2046 # word splitting is intended
    "$TESTS/imb-calls" "$TESTS/fixtures/imb/calls.txt" "$*" 40 20 40 $(all_of "${1#IMB-}")
}

# defects FILE WANTED: prints the benchmarks with rows that have wrong data (WANTED is 1) or correct data (WANTED is 0).
defects() {
    awk -v wanted="$2" '/^# Benchmarking/ { name = $3; sub("Multi-", "", name); seen = 0 } /defects$/ { seen = 1 }
        seen && $NF ~ /^[0-9.]+$/ && ($NF > 0) == wanted { print name }' "$1" | uniq
}

# finds_in_all PROCESSES PROGRAM [NAME=VALUE]... ARGUMENT...: checks that wrong data are found in every benchmark of IMB-MT or IMB-P2P
# that transfers data. These programs have no column of defects, but a note for each table.
finds_in_all() {
    local names
    names=$(all_of "$2" | grep -v Barrier)
    BEFF=$BUILD/IMB-$2
    # shellcheck disable=SC2086 # word splitting is intended
    run --separate-stderr mpi "$1" "${@:3}" $names
    [[ $status == 1 && $stderr == *'data error: '*' bytes, rank '* ]] || fail "$2: status $status" "$stderr" || return
    [[ $(awk '/^# Benchmarking/ { name = $3 } /^# note: wrong bytes found by -check: [1-9]/ { print name }' <<<"$output" | uniq) == "$names" ]] || fail "$output"
}

# finds_flips COMPONENT BYTES BENCHMARK...: checks that damage to messages of this size is found in each benchmark. The array
# `options` contains further options.
finds_flips() {
    echo "$2" >lengths
    BEFF=$BUILD/IMB-$1
    run --separate-stderr mpi 2 FLIP_BYTES="$2" FLIP_EVERY=2 "$(shim flip_imb)" -msglen lengths -check -time 1000 -iter 5 "${options[@]}" "${@:3}"
    [[ $status == 1 ]] || fail "status $status"
    echo "$output" >out
    [[ $(defects out 1) == "$(printf '%s\n' "${@:3}")" ]] || fail "with defects: $(defects out 1)" || return
    grep -q 'data error: .* rank [01]: byte .* instead of' <<<"$stderr"
}

# clean PROCESSES ARGUMENT...: checks that -check finds no wrong data.
clean() {
    run --separate-stderr mpi "$1" -check -iter 4 "${@:2}"
    [[ $status == 0 ]] || fail "${*:2}: status $status" "$stderr" || return
    echo "$output" >out
    [[ -z $(defects out 1) && -n $(defects out 0) ]] || fail "${*:2}: $(defects out 1)"
}

# refused_for STATUS WORD...: checks that the last run was refused with this status and one line that contains these words.
refused_for() {
    [[ $status == "$1" && -z $output ]] || fail "status $status, output $output" || return
    is_one_line "$stderr" "${@:2}"
}

# check_refusal ROW COMMAND...: runs the command with the row's arguments, which must be refused with the row's words.
check_refusal() {
    local line=${1%%|*} expected=${1#*|} words word
    line=${line//'{}'/$TESTS/fixtures/imb/inputs}
    shift
    # shellcheck disable=SC2086 # word splitting is intended
    run --separate-stderr timeout $LIMIT "$@" $line
    [[ $status == 2 && -z $output ]] || fail "$line: status $status, output $output" || return
    read -ra words <<<"$expected"
    for word in "${words[@]}"; do
        is_one_line "$stderr" "${BEFF##*/}: " "$word" || fail "arguments: $line" || return
    done
}
