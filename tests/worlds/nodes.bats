#!/usr/bin/env bats
# Slow nodes, shared links and groups on simulated fabrics: truth against what beff says.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load ../helpers

setup_file() {
    ! command -v smpirun > /dev/null || make -s -C "$BATS_TEST_DIRNAME/../.." BUILD="${BUILD:-build}" simulated >&2
}

# world STATUS FINDING 'NODES LEAF TAPER [FAULT...]' [OPTION...]: simulates a run on a fabric (tests/worlds/fabric) and compares
# `beff_report nodes` with what is expected. FINDING has the names of all findings, separated by semicolons, or a part of the note
# that says why nothing is named. EACH: processes on each node.
world() {
    local status=0 shape
    command -v smpirun > /dev/null || skip "libsimgrid-dev is not installed"
    read -ra shape <<<"$3"
    rm -rf out
    "$TESTS/worlds/fabric" "${shape[@]:0:2}" 1000 1 "${shape[@]:2}" > platform.xml
    HOSTS=${shape[0]} PLATFORM=platform.xml SELECTOR=mpich timeout 900 "$TESTS/worlds/simulated" $((shape[0] * ${EACH:-1})) - - \
        --clock simulated --memory 16 --time 1000 --polygons 1 --methods Sendrecv --output out "${@:4}" > summary
    "$BUILD/beff_report" nodes --format json out > nodes.json || status=$?
    python3 - "$1" "$status" "$2" <<'END'
import json, sys
expected, status, wanted = sys.argv[1:]
nodes = json.load(open("nodes.json"))
names = ["group " * (f["kind"] == "slow group") + f["names"] for f in nodes["findings"]]
found = "; ".join(sorted(names)) or "; ".join(nodes["notes"])
assert status == expected and (found == wanted if names else wanted in found), (status, expected, found, wanted)
END
}

groups() { # groups LEAF NODES: writes a file of groups
    for ((i = 0; i < $2; i++)); do echo "n$i s$((i / $1))"; done > groups
}

@test "64 nodes, taper 4:1, one node at half rate; a bisection reaches about half of a node's rate" {
    world 1 n20 '64 16 4 node:20=0.5'
    world 0 'none of 64 nodes' '64 16 4'
    # A quarter of the pairs is under one switch (1000 MB/s); the others share 4 of 12 nodes' rates.
    inspect out/run.prot 'abs(p.results["bisection_median"] / 500 - 1) < 0.1'
}

@test "injection is the rate of a node, not of its uplink: nodes of a group are paired; without groups, a note says so" {
    groups 8 16
    world 0 '2 of 2 groups cannot be compared' '16 8 8' --groups groups
    inspect out/run.prot 'p.results["injection_bandwidth"] > 900'
    world 0 'none of 16 nodes' '16 8 8 order=7'
    inspect out/run.prot 'p.results["injection_bandwidth"] < 500'
    grep -q 'without --groups, beff cannot tell' summary
}

@test "unequal leaves, two slow nodes, odd numbers of nodes" {
    world 0 'none of 15 nodes' '15 8,5,2 3'
    world 1 'n10; n3' '15 8,5,2 3 node:3=0.6 node:10=0.7'
    world 1 n8 '9 4,4,1 2 node:8=0.5'
    world 0 'none of 9 nodes' '9 4,4,1 2'
    world 1 'n6; n7' '16 8 2 node:6=0.5 node:7=0.5'
}

@test "several processes on a node" {
    EACH=2 world 1 n3 '6 3 3 node:3=0.6'
    EACH=2 world 0 'none of 6 nodes' '6 3 3'
}

@test "a weak uplink is named with groups, and only with groups" {
    groups 4 12
    world 1 'group s1' '12 4 2 uplink:1=0.5' --groups groups
    world 0 'none of 12 nodes' '12 4 2' --groups groups
    world 0 'none of 12 nodes' '12 4 2 uplink:1=0.5'
    groups 8 16
    world 0 '2 of 2 groups cannot be compared' '16 8 4 uplink:1=0.5' --groups groups
    [[ -z $("$BUILD/beff_report" nodes --format list out) ]]
}

@test "an uplink that is slower than a node's link: a shared link, whose nodes are never drained" {
    world 1 'n0, n1, n2, n3' '16 4 4 uplink:0=0.5'
    run "$BUILD/beff_report" nodes --format list out
    [[ $status == 1 && -z $output ]]
    world 1 'n0, n1, n6, n11' '16 4 4 uplink:0=0.5 order=3'
    world 0 '4 sets of nodes are slow to each other' '16 4 8'
    world 0 '2 sets of nodes' '16 8 8 uplink:0=0.5'
}

@test "two kinds of nodes; more than a third of the nodes: cannot be judged" {
    world 0 'two kinds of nodes: 6 (n0, n2, n4, n6, n8, n10) take 2.00 times as long as the other 6' '12 6 1 node:0=0.5 node:2=0.5 node:4=0.5 node:6=0.5 node:8=0.5 node:10=0.5'
    world 3 '2 of 5 nodes' '5 5 1 node:1=0.5 node:3=0.5'
}

@test "a far switch accuses nobody; a late node is late, a node that is slow in one direction is slow" {
    world 0 'none of 12 nodes' '12 4 2 far=20'
    world 1 n5 '12 4 2 latency:5=20'
    world 1 n5 '12 4 2 up:5=0.5'
}

@test "the matrix has the row and the column of a slow node" {
    world 1 n2 '6 6 1 node:2=0.5' --matrix
    python3 - <<'END'
rows = [line.split() for line in open("out/patterns/node_matrix.dat") if not line.startswith("#")]
assert len(rows) == 36
for a, b, rate, _ in rows:
    expected = 500 if "2" in (a, b) else 1000
    assert rate == "-" if a == b else abs(float(rate) / expected - 1) < 0.02, (a, b, rate)
END
}
