#!/usr/bin/env bats
# imb_compat prints the same text as IMB: the command of every correct captured run is repeated, and the outputs are compared.
# Measured numbers are masked.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb

several='^(np[3-9]|singleton|asan)'
one_sided='ext|rma'
long='^(iter_|check_|include_|exclude_|mpi1_|nbc_default|off_cache|list)'
whole='^(check_|mpi1_def|nbc_default)'
volume='^(iter_policy|iter_default)'

@test "a comment line names the program and its version" {
    timeout 60 "$MPIEXEC" -n 2 "$BUILD/IMB-MPI1" -msglog 0:1 -iter 5 PingPong >out
    [[ $(sed -n 4p out) == "# imb_compat $("$BUILD/imb_compat" --version | sed -n '1s/^imb_compat \([^ ]*\).*/\1/p') (beff), compatible with IMB 2021.11" ]]
}

@test "the output agrees with captured runs on 2 processes: samples b to m" {
    as_captured $(names '^[b-m]' "$long|$one_sided")
}

@test "the output agrees with captured runs on 2 processes: samples n to z" {
    as_captured $(names '^[n-z]' "$several|$long|$one_sided")
}

@test "the output agrees with captured runs: numbers of repetitions, lists" {
    as_captured $(names "$long" "$whole|$volume|$one_sided")
}

@test "the output agrees with captured runs: whole default lists" {
    as_captured $(names "$whole" "$one_sided")
}

@test "the output agrees with captured runs: repetitions with -iter_policy off, and by default" {
    as_captured $(names "$volume" 'auto|multiple')
}

@test "the output agrees with captured runs: repetitions with -iter_policy auto and multiple_np" {
    as_captured $(names "$volume" 'off|default')
}

@test "the output agrees with captured runs on other numbers of processes" {
    as_captured $(names "$several" "$one_sided")
}

# any WORD...: prints one of the words.
any() {
    local -a words=("$@")
    echo "${words[RANDOM % $#]}"
}

@test "public readers of IMB's output understand random runs of all components: rows end at an empty line, notes follow" {
    local component names options processes i
    RANDOM=${SEED:-1}
    for component in MPI1 EXT IO NBC RMA MPI4 MT P2P; do
        mapfile -t names < <(all_of $component)
        for i in 1 2 3 4; do
            processes=$(any 1 2 3 4)
            case $component in
            MT) options=(-repeat 4 -warmup "$(any 0 2)" -count "$(any 1 0,5 7)" -check "$(any on off)") ;;
            P2P) options=(-iter 4 -pause 0 -msglog "$(any 2 1:3 4:4)" $(any '' -check)) ;;
            *) options=(-iter 4 -msglog "$(any 2 1:3 4:4)" -multi "$(any -1 0 1)" -mem "$(any 1 0.00000003)" $(any '' -check) \
                -time "$(any 1 1e-6)" -npmin "$(any 1 2)") ;;
            esac
            timeout 60 "$MPIEXEC" -n "$processes" env "$(shim yield)" "$BUILD/IMB-$component" "${options[@]}" -time-total "$(any 30 0.2)" \
                "$(any "${names[@]}")" "$(any "${names[@]}")" "$(any "${names[@]}")" >out 2>err ||
                [[ $? == 1 || $? == 3 ]] || fail "$component: ${options[*]}" "$(<err)" || return
            ! grep -q '#repetitions' out || "$TESTS/imb-readers" out || fail "$component on $processes: ${options[*]}" "$(<out)" || return
        done
    done
}
