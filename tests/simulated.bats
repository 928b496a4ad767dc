#!/usr/bin/env bats
# beff on a simulated machine, where every result is known exactly.
# shellcheck disable=SC2154 # bats sets status, output, stderr
# bats file_tags=together

load helpers

setup_file() {
    ! command -v smpirun > /dev/null || make -s -C "$BATS_TEST_DIRNAME/.." BUILD="${BUILD:-build}" simulated >&2
}

needs_simgrid() {
    command -v smpirun > /dev/null || skip "libsimgrid-dev is not installed"
}

# simulated PROCESSES ARGUMENT...: runs beff on links of 125 MB/s and 50 microseconds, for at most LIMIT seconds.
simulated() {
    timeout --kill-after=5 "${LIMIT:-80}" "$TESTS/worlds/simulated" "$1" 125 50 "${@:2}"
}

# exact DIR PROCESSES: checks that rings and polygons take the time that follows from the links. No two processes share a link.
# With Alltoallv, processes wait for each other in pairs, and a formula exists only for the smallest messages.
exact() {
    inspect "$1/run.prot" "(rated := [r for r in p.records if re.match('ring|random', r['pattern'])])" \
        "all(abs(r['t_max'] / {
            'Sendrecv': lambda n, one: n * (1e-4 + one),
            'nonblocking': lambda n, one: 1e-4 + n * one,
            'Alltoallv': lambda n, one: ($2 - 1) * (1e-4 + 16 / 125e6) + n / 125e6,
            }[r['method']](r['messages'] / $2, (r['bytes'] + 16) / 125e6) - 1) < 1e-3
            for r in rated if r['method'] != 'Alltoallv' or r['bytes'] == 1)" \
        "all(r['t_max'] - r['t_min'] < 1e-3 * r['t_max'] for r in rated if r['method'] != 'Alltoallv')"
}

@test "16 simulated processes: exact to 0.1 %, and never valid" {
    needs_simgrid
    simulated 16 --clock simulated --memory 16 --polygons 2 --output out > summary
    exact out 16
    inspect out/run.prot 'p.sealed' 'p.end == "complete"' 'p.meta["nodes"] == "16"' 'p.meta["option_clock"] == "simulated"' \
        'len({r["pattern"] for r in p.records}) == 21' 'p.results["pingpong_lmax"] / (131072 / (100 + 131088 / 125)) - 1 < 1e-6'
    holds summary 'NOT VALID' 'FAIL  a real machine (simulated by SMPI' '16 PEs with 16 MB/PE on a SIMULATED machine'
    "$BUILD/beff_report" verify out
    recompute out/run.prot
}

@test "4 simulated processes: the same in every run" {
    needs_simgrid
    simulated 4 --clock simulated --memory 16 --polygons 1 --output out > /dev/null
    simulated 4 --clock simulated --memory 16 --polygons 1 --output again > /dev/null
    diff <(grep -v '^#' out/run.prot) <(grep -v '^#' again/run.prot)
}

@test "64 simulated processes: Alltoallv, with a message for each pair, is skipped after 12 measurements" {
    needs_simgrid
    simulated 64 --clock simulated --memory 1 --polygons 1 --time 20 --output out > summary
    exact out 64
    # Alltoallv is measured for 7 patterns with 1 B and 5 with 2 B, and skipped in all later cells that have this method.
    inspect out/run.prot '[r["bytes"] for r in p.records if r["method"] == "Alltoallv"] == 7 * [1] + 5 * [2]' \
        'int(p.meta["slow_left_out"]) == len({(r["pass"], r["rep"], r["pattern"], r["bytes"]) for r in p.records if r["pattern"] != "pingpong"}) - 12'
    holds summary 'Alltoallv was skipped in'
    "$BUILD/beff_report" verify out
}

@test "a simulated run requires --clock simulated, and a real run refuses it" {
    needs_simgrid
    run --separate-stderr simulated 2 --memory 1 --output out
    is_one_line "$stderr" '--clock simulated' SMPI
    directory_is_empty
    run --separate-stderr mpi 2 --clock simulated --memory 1 --output out
    [[ $status == 3 ]]
    is_one_line "$(said)" '--clock simulated' 'real'
    directory_is_empty
}
