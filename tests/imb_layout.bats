#!/usr/bin/env bats
# imb_compat prints the same text as IMB: the command of every correct captured run is repeated, and the outputs are compared.
# Measured numbers are masked.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb

several='^(np[3-9]|singleton)'
long='^(iter_|check_|include_|exclude_|mpi1_|nbc_default|off_cache|list)'
counted='^iter_(policy|default)' # their numbers of repetitions are in imb_compat/repetitions_test.c
one_sided='ext|rma'

@test "a comment line names the program and its version" {
    "$BUILD/IMB-MPI1" -msglog 0:1 -iter 5 Bcast >out
    [[ $(sed -n 4p out) == "# imb_compat $("$BUILD/imb_compat" --version | sed -n '1s/^imb_compat \([^ ]*\).*/\1/p') (beff), compatible with IMB 2021.11" ]]
}

@test "the output agrees with captured runs on 2 processes: samples b to m" {
    as_captured $(names '^[b-m]' "$long|$one_sided")
}

@test "the output agrees with captured runs on 2 processes: samples n to z" {
    as_captured $(names '^[n-z]' "$several|$long|$one_sided")
}

@test "the output agrees with captured runs: numbers of repetitions, lists" {
    as_captured $(names "$long" "$counted|$one_sided")
}

@test "the output agrees with captured runs on other numbers of processes" {
    as_captured $(names "$several" "$one_sided")
}

# random_lines SEED: prints two random command lines, with the number of processes, for each component.
random_lines() {
    local component
    for component in MPI1 EXT IO NBC RMA MPI4 MT P2P; do echo $component $(all_of $component); done | python3 -c '
import random, sys
one = random.Random(int(sys.argv[1])).choice
for component, *names in 2 * [line.split() for line in sys.stdin]:
    own = {"MT": ["-repeat 4", one(["-warmup 0", "-warmup 2"]), "-count " + one(["1", "0,5", "7"]), "-check " + one(["on", "off"])],
           "P2P": ["-iter 4 -pause 0 -msglog", one(["2", "1:3", "4:4"]), one(["", "-check"])]}
    others = ["-iter 4 -msglog", one(["2", "1:3", "4:4"]), "-multi " + one(["-1", "0", "1"]), "-mem " + one(["1", "0.00000003"]),
              one(["", "-check"]), "-time " + one(["1", "1e-6"]), "-npmin " + one("12")]
    print(component, one("1234"), *own.get(component, others), "-time-total", one(["30", "0.2"]), *[one(names) for _ in range(5)])' "$1"
}

@test "public readers of IMB's output understand random runs of all components: rows end at an empty line, notes follow" {
    local line component words lines
    mapfile -t lines < <(random_lines "${SEED:-1}")
    [[ ${#lines[@]} == 16 ]]
    for line in "${lines[@]}"; do
        read -r component words <<<"$line"
        BEFF=$BUILD/IMB-$component
        run --separate-stderr mpi $words
        [[ $status == [013] ]] || fail "$line" "$stderr" || return
        echo "$output" >out
        ! grep -q '#repetitions' out || "$TESTS/imb-readers" out || fail "$line" "$(<out)" || return
    done
}
